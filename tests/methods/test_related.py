"""Text as a picture: where lines break, what is drawn, and what cannot be."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFont

from mmte.errors import MmteError
from mmte.methods.lettering import BOX, Lettering
from mmte.methods.related import RelatedTextEmbedImage
from mmte.methods.wrap import wrap
from mmte.types import TxtSample

words = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C", "M"]), min_size=1), max_size=30)


def method(folder: Path, **options: Any) -> RelatedTextEmbedImage:
    return RelatedTextEmbedImage("related-image-txtembed", str(folder), **options)


def drawn(folder: Path, text: str, **options: Any) -> Any:
    """The picture as an array of greys."""
    with Image.open(method(folder, **options).run(TxtSample(text)).image_path) as image:
        assert image.mode == "RGB"
        array = np.asarray(image)
    assert (array == array[..., :1]).all()
    return array[..., 0]


def rows_with_ink(page: Any) -> int:
    """How many blocks of rows with something black there are."""
    ink = (page < 128).any(axis=1).astype(int)
    return int((np.diff(ink, prepend=0) == 1).sum())


# -- breaking lines --------------------------------------------------------------------------------
@given(words, st.integers(1, 40))
def test_all_words_in_order_and_no_line_too_wide(given_words: list[str], width: int) -> None:
    lines = wrap(" \t".join(given_words), width, len)
    assert "".join(lines).replace(" ", "") == "".join(given_words)
    assert all(0 < len(line) <= width for line in lines)
    if all(len(word) <= width for word in given_words):
        assert " ".join(lines).split() == given_words
        starts = [line.split()[0] for line in lines[1:]]
        assert all(len(line) + 1 + len(word) > width for line, word in zip(lines, starts, strict=False))


@given(st.text(), st.integers(1, 40))
def test_any_text_keeps_its_characters(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width, len)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two  three", ["one two", "three"]),
        ("  a\n\nb\r\nc  ", ["a", "", "b", "c"]),
        ("to incomprehensible", ["to", "incompre", "hensible"]),
        ("incomprehensibly so", ["incompre", "hensibly", "so"]),
        ("exactly8 x", ["exactly8", "x"]),
        ("abcdefge\u0301h", ["abcdefge\u0301", "h"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    assert wrap(text, 8, lambda s: len(s.replace("\u0301", ""))) == lines


# -- what is drawn ---------------------------------------------------------------------------------
def test_black_on_white_with_a_margin(tmp_path: Path) -> None:
    page = drawn(tmp_path, "Do you agree?", font_size=40)
    assert (page.min(), page.max()) == (0, 255)
    edge = 10
    framed = page.copy()
    framed[edge:-edge, edge:-edge] = 255
    assert (framed == 255).all()
    assert page.shape[0] == 2 * edge + sum(ImageFont.load_default(40).getmetrics())
    assert page.shape[1] < 1024
    assert (page[:, -edge - 8 :] < 128).any()  # no wider than its text


def test_one_row_for_a_line(tmp_path: Path) -> None:
    assert rows_with_ink(drawn(tmp_path, "one line", font_size=30)) == 1
    assert rows_with_ink(drawn(tmp_path, "HE\nHE\n\nHE", font_size=30)) == 3
    one, four = (drawn(tmp_path, text, font_size=30).shape[0] for text in ("HE", "HE\nHE\n\nHE"))
    step = (four - one) / 3
    assert step >= 33
    assert step == int(step)


def test_a_long_text_stays_within_the_width(tmp_path: Path) -> None:
    page = drawn(tmp_path, "lazy dogs jump " * 40, font_size=30, max_width=400)
    assert 300 < page.shape[1] <= 400
    assert (page[:, -8:] == 255).all()
    assert rows_with_ink(page) > 10


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text("abcdWMijf.,'-", min_size=1, max_size=30), min_size=1, max_size=20),
    st.integers(8, 40),
    st.integers(90, 400),
)
def test_nothing_is_cut_off(tmp_path: Path, given_words: list[str], font_size: int, max_width: int) -> None:
    page = drawn(tmp_path, " ".join(given_words), font_size=font_size, max_width=max_width)
    assert page.shape[1] <= max_width
    edges = (page[0], page[-1], page[:, 0], page[:, -1])
    assert all((edge == 255).all() for edge in edges)


def test_a_size_that_is_told(tmp_path: Path) -> None:
    text = "the quick brown fox jumps over the lazy dog " * 10
    page = drawn(tmp_path, text, img_size=[200, 500])
    assert page.shape == (200, 500)
    assert all((edge == 255).all() for edge in (page[0], page[-1], page[:, 0], page[:, -1]))
    below = np.flatnonzero((page < 128).any(axis=1)).max()
    assert below > 140  # as large as it fits
    small = drawn(tmp_path, "Hi", img_size=[300, 500], font_size=20)
    rows, columns = np.nonzero(small < 128)
    assert rows.max() < 40  # but not larger than told
    assert columns.max() < 40


def test_the_same_text_is_the_same_picture_whatever_its_id(tmp_path: Path) -> None:
    m = method(tmp_path)
    assert m.run(TxtSample("A?", id="1")).image_path == m.run(TxtSample("A?", id="2")).image_path
    assert m.run(TxtSample("B?", id="1")).image_path != m.run(TxtSample("A?", id="1")).image_path


# -- fonts -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def font_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pillow's own font as a file."""
    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)
    file = tmp_path_factory.mktemp("font") / "own.ttf"
    file.write_bytes(font.font_bytes)
    return file


def test_a_font_of_a_file(tmp_path: Path, font_file: Path) -> None:
    own = method(tmp_path, font=str(font_file), font_size=40)
    ours, theirs = (drawn(tmp_path, "Hello", font_size=40, **o) for o in ({}, {"font": font_file}))
    assert ours.shape[0] == theirs.shape[0]
    assert abs(ours.shape[1] - theirs.shape[1]) <= 5  # Raqm, where there is one, places letters by less than a pixel
    moved = tmp_path / "elsewhere.ttf"
    shutil.copy(font_file, moved)
    names = {m.hash("x") for m in (own, method(tmp_path, font=str(moved), font_size=40))}
    assert len(names) == 1
    assert method(tmp_path, font_size=40).hash("x") not in names
    moved.write_bytes(moved.read_bytes() + b"\0")
    assert method(tmp_path, font=str(moved), font_size=40).hash("x") not in names


def test_a_font_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=r"method_cfg of related-.*: font .*none\.ttf cannot be read: No such"):
        method(tmp_path, font=str(tmp_path / "none.ttf"))
    (tmp_path / "bad.ttf").write_text("no font")
    with pytest.raises(MmteError, match=r"bad\.ttf is no TrueType or OpenType font"):
        method(tmp_path, font=str(tmp_path / "bad.ttf"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain “quotes” \u2013 and\u00a0spaces", "plain “quotes” - and spaces"),
        ("Café, nai\u0308ve", "Cafe, naive"),
        ("\u221250 is not \u2260 50", f"-50 is not {BOX} 50"),
        ("a\u200bb\x00c\x1b[0m", "abc[0m"),
        ("it costs £5", f"it costs {BOX}5"),
        ("two\r\nlines", "two\nlines"),
        ("half \ud800 a pair", f"half {BOX} a pair"),
    ],
)
def test_characters_that_the_font_lacks(text: str, shown: str) -> None:
    assert Lettering().shown(text) == shown


def test_a_box_stands_for_a_character_that_the_font_lacks(tmp_path: Path) -> None:
    with_box, without = (drawn(tmp_path, text, font_size=40) for text in ("costs £5", "costs 5"))
    assert with_box.shape[1] > without.shape[1]
    assert (with_box < 128).sum() > (without < 128).sum() + 50


@pytest.mark.parametrize("text", ["你好吗", "сколько стоит", "日本語 is 語語語", "각각"])
def test_a_text_that_could_not_be_read_is_an_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=r"related-image-txtembed: the font of Pillow lacks \d+ of \d+ .*U\+.*: font"):
        drawn(tmp_path, text)
    assert list(tmp_path.iterdir()) == []


# -- errors ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["", "  \n"])
def test_no_text(text: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="related-image-txtembed: sample 'q7' has no text to draw"):
        method(tmp_path).run(TxtSample(text, id="q7"))


def test_no_text_that_can_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="no character that can be drawn"):
        method(tmp_path).run(TxtSample("\x00\x01"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"font_size": 7}, "font_size must be a whole number from 8 to 1000"),
        ({"font_size": "90"}, "font_size must be a whole number"),
        ({"font_size": True}, "font_size must be a whole number"),
        ({"max_width": 0}, "max_width must be a whole number from 1 to 8192"),
        ({"max_width": 100}, "max_width 100 is too small for font_size 90"),
        ({"font": 3}, "font must be the name of a font file, not 3"),
        ({"fontsize": 3}, "unknown option 'fontsize'. Did you mean 'font_size'"),
    ],
)
def test_wrong_text_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=f"^method_cfg of related-image-txtembed: {message}"):
        method(tmp_path, **options)


def test_a_text_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="does not fit into img_size 30x60 with letters of 8 pixels"):
        drawn(tmp_path, "word " * 100, img_size=[30, 60])
    with pytest.raises(MmteError, match="at most 32768x1024 are allowed, so lower font_size"):
        drawn(tmp_path, "x\n" * 400 + "x")
    with pytest.raises(MmteError, match="does not fit"):
        drawn(tmp_path, "word", img_size=[1, 1])
