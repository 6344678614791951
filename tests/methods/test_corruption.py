"""Corruptions: five severities, each worse than the one before, the same picture everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mmte.errors import MmteError
from mmte.methods import INDEX
from mmte.methods.corruption import Corruption
from mmte.methods.distortions import KINDS
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

NAMES = Corruption.method_ids
RANDOM = ("corrupt-gaussian-noise", "corrupt-shot-noise", "corrupt-impulse-noise", "corrupt-motion-blur")


def photo(path: Path, width: int = 230, height: int = 150, seed: int = 0) -> Path:
    """Slopes, waves and blobs, with few values at the ends of the range."""
    rng = np.random.RandomState(seed)
    y, x = np.mgrid[:height, :width]
    layers = [90 + 60 * np.sin((x * rng.uniform(-1, 1) + y * rng.uniform(-1, 1)) / (4 + 3 * c)) for c in range(3)]
    pixels = np.stack(layers, -1)
    for _ in range(12):
        row, column, radius = rng.uniform(0, height), rng.uniform(0, width), rng.uniform(4, 20)
        pixels[np.hypot(y - row, x - column) < radius] = rng.uniform(20, 200, 3)
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return path


def values(path: str | Path) -> Any:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(float)


def corrupted(name: str, severity: int, picture: Path, folder: Path, id: str = "s1") -> Any:
    sample = ImageTxtSample(str(picture), "?", id=id)
    return values(Corruption(name, str(folder), severity=severity).run(sample).image_path)


def psnr(one: Any, other: Any) -> float:
    return float(10 * np.log10(255**2 / np.mean((one - other) ** 2)))


@pytest.mark.parametrize("name", NAMES)
def test_each_severity_is_worse_than_the_one_before(name: str, tmp_path: Path) -> None:
    for seed in range(3):
        picture = photo(tmp_path / f"{seed}.png", seed=seed)
        clean = values(picture)
        rows = [corrupted(name, severity, picture, tmp_path / "out") for severity in range(1, 6)]
        assert all(row.shape == clean.shape for row in rows)
        ratios = [psnr(row, clean) for row in rows]
        assert ratios == sorted(ratios, reverse=True)
        assert ratios[0] - ratios[4] > 1.5
        assert 6 < ratios[4] < ratios[0] < 40


def test_all_kinds_are_registered() -> None:
    assert [name.removeprefix("corrupt-") for name in NAMES] == list(KINDS)
    assert {name for name, module in INDEX["method"].items() if module.endswith(".corruption")} == set(NAMES)
    assert set(NAMES) <= set(registry.list_methods())


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_and_the_severity_decide(name: str, tmp_path: Path) -> None:
    picture = photo(tmp_path / "a.png", 60, 40)
    one = corrupted(name, 2, picture, tmp_path / "one")
    assert (one == corrupted(name, 2, picture, tmp_path / "two")).all()
    assert (one != corrupted(name, 3, picture, tmp_path / "one")).any()
    assert (one != corrupted(name, 2, picture, tmp_path / "one", id="s2")).any() == (name in RANDOM)
    assert len(list((tmp_path / "one").iterdir())) == (3 if name in RANDOM else 2)


def test_every_process_makes_the_same_bytes(tmp_path: Path) -> None:
    picture = photo(tmp_path / "a.png", 60, 40)
    code = (
        "import sys; from mmte.methods.corruption import Corruption; from mmte.types import ImageTxtSample\n"
        "for name in Corruption.method_ids:\n"
        "    Corruption(name, sys.argv[1], severity=4).run(ImageTxtSample(sys.argv[2], '?', id='s1'))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "there"), str(picture)], check=True, timeout=60)
    for name in NAMES:
        corrupted(name, 4, picture, tmp_path / "here")
    there, here = ({p.name: p.read_bytes() for p in (tmp_path / d).iterdir()} for d in ("there", "here"))
    assert there == here
    assert len(here) == len(NAMES)


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (7, 3)])
@pytest.mark.parametrize("name", NAMES)
def test_tiny_pictures(name: str, size: tuple[int, int], tmp_path: Path) -> None:
    Image.new("RGB", size, (0, 90, 200)).save(tmp_path / "a.png")
    assert corrupted(name, 5, tmp_path / "a.png", tmp_path / "out").shape == (size[1], size[0], 3)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"corrupt-jpeg"}))
def test_a_larger_copy_is_corrupted_as_much(name: str, tmp_path: Path) -> None:
    """Twice the size, seen at the first size again: about the same is lost."""
    small = photo(tmp_path / "a.png", 300, 224)
    with Image.open(small) as image:
        image.resize((600, 448), Image.Resampling.BICUBIC).save(tmp_path / "b.png")
    one = psnr(corrupted(name, 3, small, tmp_path / "out"), values(small))
    large = corrupted(name, 3, tmp_path / "b.png", tmp_path / "out").astype(np.uint8)
    seen = np.asarray(Image.fromarray(large).resize((300, 224), Image.Resampling.BOX)).astype(float)
    assert abs(psnr(seen, values(small)) - one) < 2


def test_what_the_kinds_do(tmp_path: Path) -> None:
    picture = photo(tmp_path / "a.png")
    clean = values(picture)

    def mean(name: str) -> Any:
        return corrupted(name, 3, picture, tmp_path / "out")

    assert mean("corrupt-brightness").mean() > clean.mean() + 40
    assert mean("corrupt-contrast").std() < 0.4 * clean.std()
    for name in ("corrupt-defocus-blur", "corrupt-motion-blur"):
        assert (np.diff(mean(name), axis=1) ** 2).mean() < 0.3 * (np.diff(clean, axis=1) ** 2).mean()
        assert abs(mean(name).mean() - clean.mean()) < 2
    assert abs((np.diff(mean("corrupt-pixelate"), axis=1) == 0).all(axis=2).mean() - 0.6) < 0.1  # 4 edges in 10 pixels
    salt = mean("corrupt-impulse-noise")
    assert abs(((salt == 0) | (salt == 255)).mean() - 0.09) < 0.01


@pytest.mark.parametrize("severity", [0, 6, 2.5, True, "3"])
def test_a_wrong_severity(severity: Any, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="method_cfg of corrupt-jpeg: severity must be a whole number from 1 to 5, not"):
        Corruption("corrupt-jpeg", str(tmp_path), severity=severity)


def test_a_text_passes_as_it_is(tmp_path: Path) -> None:
    assert Corruption("corrupt-jpeg", str(tmp_path)).run(TxtSample("Hello?")) == TxtSample("Hello?")
