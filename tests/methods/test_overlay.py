"""Words on pictures: where, how large, whose, and that they can be read."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mmte.errors import MmteError
from mmte.methods.overlay import PLACES, TypographicOverlay
from mmte.types import ImageTxtSample, TxtSample

NAME = "typographic-overlay"
BLUE = (40, 60, 200)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    Image.new("RGB", (300, 200), BLUE).save(tmp_path / "a.png")
    return tmp_path / "a.png"


def made(folder: Path, **options: Any) -> TypographicOverlay:
    return TypographicOverlay(NAME, str(folder), **options)


def pixels(sample: ImageTxtSample) -> Any:
    with Image.open(sample.image_path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def note(shown: Any) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what is not the background."""
    rows, columns = np.nonzero((shown != BLUE).any(axis=2))
    return int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())


def test_the_sample_keeps_the_rest(picture: Path, tmp_path: Path) -> None:
    before = ImageTxtSample(str(picture), "What is it?", 1, {"a": 2}, "s1", "sub", "c1", "g1")
    after = made(tmp_path / "out", text="iPod").run(before)
    assert {**after.to_dict(), "image_path": ""} == {**before.to_dict(), "image_path": ""}
    assert pixels(after).shape == (200, 300, 3)
    assert made(tmp_path, text="x").run(TxtSample("t")) == TxtSample("t")


@pytest.mark.parametrize("position", PLACES)
def test_the_note_lies_where_it_is_asked_for(position: str, picture: Path, tmp_path: Path) -> None:
    sample = ImageTxtSample(str(picture), "?", id="s")
    top, bottom, left, right = note(pixels(made(tmp_path / "out", text="iPod", position=position).run(sample)))
    down = 0.0 if top == 0 else 1.0 if bottom == 199 else 0.5
    across = 0.0 if left == 0 else 1.0 if right == 299 else 0.5
    assert PLACES[position] == (across, down)
    if across == 0.5:
        assert abs(left - (299 - right)) <= 1


def test_size_is_that_of_the_letters(picture: Path, tmp_path: Path) -> None:
    sample = ImageTxtSample(str(picture), "?", id="s")
    heights = []
    for size in (0.1, 0.2, 0.4):
        shown = pixels(made(tmp_path / "out", text="H", size=size).run(sample))
        rows = np.nonzero((shown < 30).all(axis=2))[0]
        heights.append(rows.max() - rows.min() + 1)
    assert all(0.5 < h / (200 * size) < 0.9 for h, size in zip(heights, (0.1, 0.2, 0.4), strict=True))


def test_words_that_are_too_long_break_and_then_shrink(picture: Path, tmp_path: Path) -> None:
    sample = ImageTxtSample(str(picture), "?", id="s")
    long = " ".join(["typographic"] * 30)
    top, bottom, left, right = note(pixels(made(tmp_path / "out", text=long, size=0.3).run(sample)))
    assert right - left > 200
    assert bottom - top > 120
    with pytest.raises(MmteError, match="words of 3599 characters do not fit on a picture of 200x300 pixels"):
        made(tmp_path / "out", text=" ".join(["typographic"] * 300)).run(sample)


@pytest.mark.skipif(not importlib.util.find_spec("rapidocr_onnxruntime"), reason="the OCR engine is not installed")
def test_the_words_can_be_read(tmp_path: Path) -> None:
    from rapidocr_onnxruntime import RapidOCR

    rng = np.random.RandomState(0)
    Image.fromarray(rng.randint(0, 256, (240, 320, 3), dtype=np.uint8)).save(tmp_path / "busy.png")
    shown = made(tmp_path / "out", text="ELEPHANT").run(ImageTxtSample(str(tmp_path / "busy.png"), "?"))
    read, _ = RapidOCR()(shown.image_path)
    assert "ELEPHANT" in " ".join(line[1] for line in read or [])


def test_words_of_the_sample(picture: Path, tmp_path: Path) -> None:
    def shown(field: str, **about: Any) -> Any:
        return pixels(made(tmp_path / "out", field=field).run(ImageTxtSample(str(picture), "?", id="s", **about)))

    cat = pixels(made(tmp_path / "out", text="cat").run(ImageTxtSample(str(picture), "?")))
    assert (shown("target", target="cat") == cat).all()
    assert (shown("wrong", extra={"wrong": "cat"}) == cat).all()
    assert (shown("wrong", extra={"wrong": "dog"}) != cat).any()
    assert (shown("target", target=7) != cat).any()
    with pytest.raises(MmteError, match=r"'s': 'worng' of its extra is no words but None\. Did you mean 'wrong'"):
        shown("worng", extra={"wrong": "cat"})
    with pytest.raises(MmteError, match="sample 's': its target is no words but None"):
        shown("target")


def test_names(picture: Path, tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [
        {"text": "a"}, {"text": "b"}, {"field": "a"}, {"text": "a", "size": 0.2}, {"text": "a", "position": "top"}
    ]  # fmt: skip
    digests = [made(tmp_path, **o).digest() for o in options]
    assert len(set(digests)) == len(digests)
    method = made(tmp_path / "out", text="a")
    one, other = (method.run(ImageTxtSample(str(picture), "?", id=i)) for i in ("1", "2"))
    assert one.image_path == other.image_path  # the same words on the same picture


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give the words as text, or field: target or a key of extra"),
        ({"text": "a", "field": "target"}, "give the words as text, or field"),
        ({"text": " "}, "give the words as text, or field"),
        ({"text": 3}, "text must be a text, not 3"),
        ({"text": "a", "position": "botom"}, "position 'botom' is not known. Did you mean 'bottom'"),
        ({"text": "a", "size": 0}, "size must be a part of the picture's shorter side from 0.01 to 1, not 0"),
        ({"text": "a", "font": "gone.ttf"}, "font gone.ttf cannot be read"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=f"^method_cfg of {NAME}: {message}"):
        made(tmp_path, **options)
    with pytest.raises(MmteError, match="typographic-overlay: the font of Pillow lacks"):
        Image.new("RGB", (200, 100)).save(tmp_path / "p.png")
        made(tmp_path, text="漢字").run(ImageTxtSample(str(tmp_path / "p.png"), "?"))
