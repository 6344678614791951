"""Controls: what is left of a question when its picture is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample


def method(name: str, folder: Path):
    cls = registry.get_method_class(name)
    return cls(name) if name == "no-image" else cls(name, str(folder))


def sample(path: Path) -> ImageTxtSample:
    image = Image.new("RGB", (40, 20), "white")
    image.paste((0, 0, 0), (0, 0, 20, 20))
    image.save(path)
    return ImageTxtSample(str(path), "What is it?", 1, {"a": 2}, "s1", "sub", "c1", "g1")


def test_no_image_keeps_everything_else(tmp_path):
    got = method("no-image", tmp_path).run(sample(tmp_path / "a.png"))
    assert got == TxtSample("What is it?", 1, {"a": 2}, "s1", "sub", "c1", "g1")


def test_blank_has_the_size_and_the_mean_colour_of_the_original(tmp_path):
    got = method("blank", tmp_path / "out").run(sample(tmp_path / "a.png"))
    assert (got.text, got.target, got.id, got.cluster) == ("What is it?", 1, "s1", "c1")
    with Image.open(got.image_path) as image:
        assert image.size == (40, 20)
        assert image.getcolors() == [(800, (128, 128, 128))]


def test_the_same_picture_is_made_once_and_another_picture_gets_its_own(tmp_path):
    blank = method("blank", tmp_path / "out")
    one = blank.run(sample(tmp_path / "a.png"))
    assert blank.run(sample(tmp_path / "b.png")).image_path == one.image_path
    other = sample(tmp_path / "c.png")
    Image.new("RGB", (40, 20), "red").save(other.image_path)
    assert blank.run(other).image_path != one.image_path


def test_a_text_passes_as_it_is(tmp_path):
    text = TxtSample("Hello?", id="t")
    for name in ("no-image", "blank"):
        assert method(name, tmp_path).run(text) == text


def test_a_broken_picture_is_one_line(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"no picture")
    with pytest.raises(MmteError, match=r"blank: .*bad\.png is no picture"):
        method("blank", tmp_path).run(ImageTxtSample(str(tmp_path / "bad.png"), "?", id="x"))
    with pytest.raises(MmteError, match=r"blank: .*gone\.png cannot be read"):
        method("blank", tmp_path).run(ImageTxtSample(str(tmp_path / "gone.png"), "?", id="x"))
