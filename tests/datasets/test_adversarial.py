"""Attacked images: the mini data, broken copies of it, and the pairs of the NIPS 2017 competition."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image, ImageChops

from mmte.datasets.adversarial import SETS, AdvImages
from mmte.datasets.artistic import DESCRIBE
from mmte.datasets.nips17 import Nips17, imagenet_names
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.registry import registry

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness"
PAIR = ("nips17-clean", "nips17-ssa-cwa")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    shutil.copytree(DataRoot().folder / "robustness" / "adv_nips", tmp_path / "copy/robustness/adv_nips")
    return tmp_path / "copy"


def edited(root: Path, **changes: Any) -> None:
    path = root / "robustness/adv_nips/label.json"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records[2] = {key: value for key, value in (records[2] | changes).items() if value is not ...}
    path.write_text("\n".join(map(json.dumps, records)))


def furthest(one: str, two: str) -> int:
    """The largest difference of a value of a pixel."""
    with Image.open(one) as a, Image.open(two) as b:
        return max(ImageChops.difference(a.convert("RGB"), b.convert("RGB")).tobytes())


@pytest.mark.parametrize("name", SETS)
def test_mini_data(name: str) -> None:
    data = AdvImages(name)
    assert len(data) == len({s.id for s in data}) == len({s.cluster for s in data}) == 12
    assert {s.text for s in data} == {DESCRIBE}
    assert {Path(s.image_path).parent.name for s in data} == {SETS[name].folder}
    assert [s.to_dict() for s in data] == [s.to_dict() for s in AdvImages(name)]


def test_the_three_versions_of_a_picture_belong_together() -> None:
    clean, untarget, target = (AdvImages(name) for name in SETS)
    assert [s.id for s in clean] == [s.id for s in untarget] == [s.id for s in target]
    assert [s.group for s in clean] == [s.group for s in target]
    assert [s.target for s in clean] == [s.target for s in untarget]
    assert not any(one.target == two.target for one, two in zip(clean, target, strict=True))
    assert (clean[0].target, target[0].target) == ("apple", "clock")


def test_mini_noise_is_small_and_lossless() -> None:
    clean = AdvImages("adv-clean")
    for name in ("adv-untarget", "adv-target"):
        for one, two in zip(clean, AdvImages(name), strict=True):
            assert furthest(one.image_path, two.image_path) == 16
    assert all(s.image_path.endswith(".png") for s in clean)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("adv-clean", {"untarget": ...}, "line 3: no key 'untarget'"),
        ("adv-target", {"target": []}, "record 3: 'target' must be a list of texts, not []"),
        ("adv-untarget", {"untarget": [""]}, "record 3: 'untarget' must be a text, not ''"),
        (
            "adv-target",
            {"image_name": "none.png"},
            "record 3: adv-target: needs robustness/adv_nips/source/target/none",
        ),
        ("adv-clean", {"image_name": "1.png"}, "record 3: the image '1.png' is there twice"),
    ],
)
def test_a_bad_record_is_named(copy: Path, name: str, changes: dict[str, Any], said: str) -> None:
    edited(copy, **changes)
    with pytest.raises(MmteError) as caught:
        AdvImages(name, data_root=copy)
    assert not isinstance(caught.value, DataMissing)
    assert "label.json" in str(caught.value)
    assert said in str(caught.value)


def test_labels_of_another_task_are_not_asked_for(copy: Path) -> None:
    edited(copy, target=...)
    assert len(AdvImages("adv-clean", data_root=copy)) == 12


@pytest.mark.parametrize("name", SETS)
def test_attacked_images_are_read_and_not_made(name: str) -> None:
    assert len(AdvImages(name, generate_image=False)) == 12
    with pytest.raises(MmteError, match=f"{name}: generate_image: attacked images are not made here; put them into"):
        AdvImages(name, generate_image=True)


def test_absent_labels_are_a_skip(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"adv-clean: needs robustness/adv_nips/label\.json"):
        AdvImages("adv-clean", data_root=tmp_path)


# -- NIPS 2017 -------------------------------------------------------------------------------------
@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """The competition in small."""
    rows = ["ImageId,TrueLabel", "cc,1000", "aa,1", "bb,389"]
    (tmp_path / "dev_dataset.csv").write_text("\n".join(rows))
    for folder in ("NIPS17", "ssa-cwa-200"):
        (tmp_path / folder).mkdir()
        for n in range(3):
            (tmp_path / folder / f"{n}.png").write_bytes(b"x")
    return tmp_path


@pytest.mark.parametrize("place", ["nips17_adv", ""])
@pytest.mark.parametrize("name", PAIR)
def test_the_published_pairs(shared: Path, name: str, place: str) -> None:
    data = Nips17(name, data_root=shared / "data" / place)
    assert (len(data), data.expected) == (16, 200)
    assert data[0].target == ["giant panda", "panda", "panda bear", "coon bear", "Ailuropoda melanoleuca"]
    assert data[9].target == ["espresso"]
    assert "ostrich" in data[6].target
    assert {Path(s.image_path).parent.name for s in data} == {"clean" if name == "nips17-clean" else "ssa-cwa-200"}
    with (shared / "data" / "nips17_adv" / "index.csv").open(newline="", encoding="utf-8") as file:
        table = [(r["file"], r["ImageId"], int(r["TrueLabel"]) - 1) for r in csv.DictReader(file)]
    assert [(Path(s.image_path).name, s.extra["image_id"], s.extra["class"]) for s in data] == table


def test_the_published_attack_is_small(shared: Path) -> None:
    clean, attacked = (Nips17(name, data_root=shared / "data") for name in PAIR)
    assert [s.id for s in clean] == [s.id for s in attacked]
    assert {furthest(a.image_path, b.image_path) for a, b in zip(clean, attacked, strict=True)} == {17}


def test_images_go_with_the_ids_in_sorted_order(pairs: Path) -> None:
    data = Nips17("nips17-clean", data_root=pairs)
    assert [(s.extra["image_id"], s.extra["class"], s.target[0]) for s in data] == [
        ("aa", 0, "tench"), ("bb", 388, "giant panda"), ("cc", 999, "toilet tissue"),
    ]  # fmt: skip
    (pairs / "ssa-cwa-200" / "1.png").unlink()
    fewer = Nips17("nips17-clean", data_root=pairs)
    assert [s.extra["image_id"] for s in fewer] == ["aa", "cc"]
    assert fewer.digest() != data.digest()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("ImageId,TrueLabel\naa,0\n", "record 1: 'TrueLabel': 0 is not within 1..1000"),
        ("ImageId,TrueLabel\naa,1.5\n", "record 1: 'TrueLabel' is no whole number"),
        ("ImageId,TrueLabel\naa,1\naa,2\n", "record 2: the image 'aa' is there twice"),
        ("ImageId,Label\naa,1\n", "no column 'TrueLabel'"),
        ("ImageId,TrueLabel\naa,1\nbb,2\n", "2.png is not called 0.png to 1.png"),
    ],
)
def test_a_bad_table_is_named(pairs: Path, rows: str, said: str) -> None:
    (pairs / "dev_dataset.csv").write_text(rows)
    with pytest.raises(MmteError) as caught:
        Nips17("nips17-clean", data_root=pairs)
    assert said in str(caught.value)


def test_a_clean_image_missing_is_an_error_and_no_attacked_ones_a_skip(pairs: Path) -> None:
    (pairs / "NIPS17" / "2.png").unlink()
    assert len(Nips17("nips17-ssa-cwa", data_root=pairs)) == 3
    with pytest.raises(MmteError, match=r"image cc: nips17-clean: needs NIPS17/2\.png"):
        Nips17("nips17-clean", data_root=pairs)
    shutil.rmtree(pairs / "ssa-cwa-200")
    with pytest.raises(DataMissing, match="nips17-clean: needs ssa-cwa-200"):
        Nips17("nips17-clean", data_root=pairs)
    (pairs / "ssa-cwa-200").mkdir()
    with pytest.raises(MmteError, match="no image in"):
        Nips17("nips17-clean", data_root=pairs)


def test_names_of_the_classes() -> None:
    names = imagenet_names()
    assert len(names) == 1000
    assert all(isinstance(name, str) and name == name.strip() and name for names_ in names for name in names_)
    assert [names[at][0] for at in (0, 9, 388, 579, 967, 999)] == [
        "tench", "ostrich", "giant panda", "grand piano", "espresso", "toilet tissue",
    ]  # fmt: skip


def test_the_tasks_name_these_datasets() -> None:
    named = {}
    for file in ("r4-untargeted", "r5-targeted", "r4-nips17"):
        named[file] = yaml.safe_load((BENCHMARKS / f"{file}.yaml").read_text())["datasets"]
    assert [*named["r4-untargeted"], *named["r5-targeted"]] == list(SETS)
    assert named["r4-nips17"] == list(PAIR)
    assert {registry.get_dataset_class(name) for name in SETS} == {AdvImages}
    assert {registry.get_dataset_class(name) for name in PAIR} == {Nips17}
