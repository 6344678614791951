"""The mini data is what its script draws, small, complete and labelled."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image, ImageChops

from mmte.datasets.readers import read_lines, read_numbers
from mmte.datasets.root import DataRoot

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
FOLDER = DataRoot().folder


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("make_minidata")


def test_pictures_are_those_of_the_script(script: ModuleType, tmp_path: Path) -> None:
    assert script.main([str(tmp_path)]) == 1  # the texts are not there
    drawn = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*.png"))
    assert drawn == sorted(p.relative_to(FOLDER) for p in FOLDER.rglob("*.png"))
    assert len(drawn) >= 120
    for name in drawn:
        with Image.open(FOLDER / name) as kept, Image.open(tmp_path / name) as new:
            assert kept.size == new.size
            assert ImageChops.difference(kept.convert("RGB"), new.convert("RGB")).getbbox() is None, name


def test_questions_on_pictures_are_those_of_the_script(script: ModuleType) -> None:
    texts = script.texts()
    assert len(texts) >= 11
    for name, text in texts.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_nothing_is_in_the_folder_that_the_script_does_not_know(script: ModuleType) -> None:
    written = {"MINIDATA", "README.md", "__init__.py", "privacy/confaide/prompts.txt", "privacy/confaide/labels.txt"}
    files = [p for p in FOLDER.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    assert {p.relative_to(FOLDER).as_posix() for p in files} == written | set(script.pictures()) | set(script.texts())


def test_the_mini_data_is_small() -> None:
    assert sum(p.stat().st_size for p in FOLDER.rglob("*") if p.is_file()) < 5_000_000


def test_texts_are_complete(script: ModuleType, tmp_path: Path) -> None:
    assert script.texts_missing(FOLDER) == []
    confaide = tmp_path / "privacy" / "confaide"
    confaide.mkdir(parents=True)
    (confaide / "prompts.txt").write_text("a\nb\n")
    (confaide / "labels.txt").write_text("1\n")
    said = script.texts_missing(tmp_path)
    assert said[0] == "MINIDATA is missing"
    assert "do not match" in said[-1]


def test_pictures_are_all_different_and_small(script: ModuleType) -> None:
    pictures = script.pictures()
    assert len({image.convert("RGB").tobytes() for image in pictures.values()}) == len(pictures)
    files = [p for p in FOLDER.rglob("*") if p.is_file()]
    assert all(p.stat().st_size < 10_000 for p in files if p.suffix == ".png")


def test_colors_are_plain_and_noise_is_not() -> None:
    for path in (FOLDER / "unrelated_images").glob("*.png"):
        with Image.open(path) as image:
            colors = image.convert("RGB").getcolors(1 << 16)
        assert colors is not None
        assert (len(colors) == 1) == path.name.startswith("color"), path


def test_scenarios_come_in_pairs_of_a_topic() -> None:
    prompts = read_lines(FOLDER / "privacy" / "confaide" / "prompts.txt")
    labels = read_numbers(FOLDER / "privacy" / "confaide" / "labels.txt", -100, 100)
    assert len(prompts) == len(labels) == 28
    assert len(set(prompts)) == 28
    assert len(set(labels)) == 28
    assert all(line.count("\\n") == 1 for line in prompts)
    subjects = [re.sub(r"^(An?|The) ", "", line.split("\\n")[1]).split()[0] for line in prompts]
    same = [i for i in range(14) if subjects[i] == subjects[i + 14]]
    assert len(same) == 13  # a telephone and a gym both take a fingerprint
    assert min(labels) < -90
    assert max(labels) > 80
    assert sum(label > 0 for label in labels) >= 10
