"""Pools of unrelated images: order, what counts as an image, and an even choice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.datasets.root import DataMissing, DataRoot, FilesRead
from mmte.datasets.unrelated import UnrelatedImages, natural_key, pick, unrelated_pool
from mmte.errors import MmteError
from mmte.registry import registry


@pytest.mark.parametrize("kind", ["color", "nature", "noise"])
def test_mini_pools(kind: str) -> None:
    data = registry.get_dataset_class(f"unrelated-image-{kind}")(f"unrelated-image-{kind}")
    assert isinstance(data, UnrelatedImages)
    assert [Path(s.image_path).name for s in data.dataset] == [f"{kind}_{i}.png" for i in range(4)]
    assert {s.text for s in data.dataset} == {""}
    assert len({s.id for s in data.dataset}) == 4
    assert data.digest()


def test_natural_order_and_pixel_files_only(tmp_path: Path) -> None:
    folder = tmp_path / "unrelated_images"
    folder.mkdir()
    for name in ("Color10.JPG", "color2.png", "color1.svg", "._color3.png", "color.txt", "nature1.png", "color1.webp"):
        (folder / name).touch()
    pool = unrelated_pool(FilesRead(DataRoot(tmp_path), "some-set"), "color")
    assert [p.name for p in pool] == ["color1.webp", "color2.png", "Color10.JPG"]


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match="unrelated-image-color: needs unrelated_images"):
        UnrelatedImages("unrelated-image-color", data_root=tmp_path)
    (tmp_path / "unrelated_images").mkdir()
    with pytest.raises(DataMissing, match="no image with 'color' in its name"):
        UnrelatedImages("unrelated-image-color", data_root=tmp_path)
    (tmp_path / "unrelated_images").rmdir()
    (tmp_path / "unrelated_images").touch()
    with pytest.raises(MmteError, match="is not a folder"):
        UnrelatedImages("unrelated-image-color", data_root=tmp_path)


@given(st.lists(st.text(), unique=True), st.randoms())
def test_natural_order_does_not_depend_on_the_listing(names: list[str], random: Random) -> None:
    ordered = sorted(names, key=natural_key)
    random.shuffle(names)
    assert sorted(names, key=natural_key) == ordered


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_natural_order_counts(one: int, other: int) -> None:
    assert (natural_key(f"img{one}.png") < natural_key(f"img{other}.png")) == (one < other)


def test_choices_are_even_and_differ_between_kinds() -> None:
    pool = [Path(str(i)) for i in range(4)]
    chosen = [pick(pool, f"sample-{i}", "color") for i in range(2000)]
    assert all(400 < count < 600 for count in Counter(chosen).values())
    assert chosen != [pick(pool, f"sample-{i}", "noise") for i in range(2000)]
