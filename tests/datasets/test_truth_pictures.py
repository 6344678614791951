"""The drawn pictures of t2 to t7 say what the answers to their questions rest on."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

from mmte.datasets.root import DataRoot

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
FOLDER = DataRoot().folder / "truthfulness"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("minidata_truth")


def pixels(name: str) -> Image.Image:
    with Image.open(FOLDER / "misleading_images" / name) as image:
        return image.convert("RGB")


def extent(image: Image.Image, color: tuple[int, int, int], box: tuple[int, int, int, int]) -> tuple[int, int]:
    """Width and height of what has about a colour within a box."""
    part = image.crop(box)
    near = [
        (at % part.width, at // part.width)
        for at, found in enumerate(part.get_flattened_data())
        if sum(abs(a - b) for a, b in zip(found, color, strict=True)) < 40
    ]
    xs, ys = [x for x, _ in near], [y for _, y in near]
    return max(xs) - min(xs), max(ys) - min(ys)


def test_all_pictures_and_questions_are_those_of_the_script(script: ModuleType) -> None:
    drawn = script.pictures()
    assert len(drawn) == 129
    for name in drawn:
        path = FOLDER.parent / name
        assert path.stat().st_size <= 3_100, name
        with Image.open(path) as kept:
            assert kept.mode == "P"
            assert kept.convert("RGB").tobytes() == drawn[name].convert("RGB").tobytes(), name
    for name, text in script.texts().items():
        assert (FOLDER.parent / name).read_text(encoding="utf-8") == text
        shown = {record["image"] for record in json.loads(text)}
        assert len(shown) >= 6


def test_the_two_greys_are_equal() -> None:
    image = pixels("contrast/greys.png")
    assert image.getpixel((56, 112)) == image.getpixel((168, 112))
    assert image.getpixel((10, 112)) != image.getpixel((214, 112))


def test_the_two_discs_are_equal() -> None:
    image = pixels("contrast/rings.png")
    orange = (233, 138, 58)
    assert extent(image, orange, (0, 80, 90, 144)) == extent(image, orange, (100, 80, 224, 144))


def test_the_two_lines_are_equal() -> None:
    image = pixels("contrast/arrowheads.png")
    red = (214, 69, 69)
    upper, lower = extent(image, red, (0, 40, 224, 110)), extent(image, red, (0, 120, 224, 200))
    assert upper == lower
    assert upper[0] >= 120


def test_the_broken_line_is_straight() -> None:
    image = pixels("dislocation/broken_line.png")
    middles = []
    for x in (40, 70, 150, 190):
        ys = [y for y in range(224) if sum(map(lambda a, b: abs(a - b), image.getpixel((x, y)), (214, 69, 69))) < 40]
        middles.append((x, sum(ys) / len(ys)))
    (x0, y0), (x1, y1) = middles[0], middles[-1]
    for x, y in middles:
        assert y == pytest.approx(y0 + (y1 - y0) * (x - x0) / (x1 - x0), abs=1.5)


def test_every_character_that_is_drawn_is_in_the_typeface(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: set[str] = set()
    pen = importlib.import_module("minidata_truth_pen")
    kept = pen.say

    def spy(p: object, x: float, y: float, text: str, *more: object) -> None:
        drawn.update(text)
        kept(p, x, y, text, *more)

    for part in ("pen", "scenes", "life", "written", "pictures", "confusion"):
        monkeypatch.setattr(importlib.import_module(f"minidata_truth_{part}"), "say", spy)
    script.pictures()
    assert len(drawn) > 60
    font = pen.typeface(20)
    absent = bytes(font.getmask("\uffff"))
    assert {c for c in drawn if c != " " and bytes(font.getmask(c)) == absent} == set()
    assert bytes(font.getmask("\u00e9")) == absent  # so no accent may be drawn with it
