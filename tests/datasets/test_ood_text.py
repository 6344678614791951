"""OOD text: the mini data, broken copies of it, and DecodingTrust's published styles."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.ood_text import STYLES, OODText
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

TASK = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness" / "r3-ood-text.yaml"
UNRELATED = [f"dt-unrelated-image-{kind}" for kind in ("color", "nature", "noise")]
IDS = ["dt-text", "dt-related-image", *UNRELATED]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for part in ("robustness", "unrelated_images"):
        shutil.copytree(DataRoot().folder / part, tmp_path / "copy" / part)
    return tmp_path / "copy"


def label(root: Path) -> Path:
    return root / "robustness" / "ood-text" / "label.json"


def edited(root: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    styles = json.loads(label(root).read_text())
    edit(styles)
    label(root).write_text(json.dumps(styles))


def broken(root: Path, name: str = "dt-text") -> str:
    with pytest.raises(MmteError) as caught:
        OODText(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", IDS)
def test_mini_data(name: str) -> None:
    data = OODText(name)
    assert Counter(s.subset for s in data) == dict.fromkeys(STYLES, 6)
    assert Counter(s.target for s in data) == {"1": 33, "0": 33}
    assert len({s.id for s in data}) == len({s.text for s in data}) == 66
    assert Counter(s.cluster for s in data) == {f"dt-{n}": 11 for n in range(6)}
    assert {type(s) for s in data} == {TxtSample if name == "dt-text" else ImageTxtSample}
    assert [s.to_dict() for s in data] == [s.to_dict() for s in OODText(name)]


def test_a_sentence_is_the_same_in_all_variants() -> None:
    text, *others = [[(s.id, s.group, s.subset, s.target, s.text) for s in OODText(name)] for name in IDS]
    assert all(other == text for other in others)


def test_related_images_go_with_the_sentence() -> None:
    shown = {(s.group, Path(s.image_path).stem) for s in OODText("dt-related-image")}
    assert shown == {(f"dt-{n}", str(n)) for n in range(6)}


def test_unrelated_images_are_chosen_by_the_sample(copy: Path) -> None:
    chosen = {s.id: Path(s.image_path).name for s in OODText("dt-unrelated-image-nature")}
    assert len(set(chosen.values())) == 4
    edited(copy, lambda styles: [records.reverse() for records in styles.values()])
    turned = {s.id: Path(s.image_path).name for s in OODText("dt-unrelated-image-nature", data_root=copy)}
    assert list(turned) != list(chosen)
    assert turned == chosen


@pytest.mark.parametrize("value", [0, "0"])
def test_labels_may_be_numbers_or_texts(copy: Path, value: Any) -> None:
    edited(copy, lambda styles: [records[1].update(label=value) for records in styles.values()])
    assert [s.target for s in OODText("dt-text", data_root=copy)][1] == "0"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda s: s["augment"][1].update(label="2"), "augment, record 2: 'label' is '2', which is neither 0 nor 1"),
        (lambda s: s["augment"][1].update(label=True), "augment, record 2: 'label' is True, which is neither"),
        (lambda s: s["augment"][1].update(label=1), "augment, record 2: 'label' is 1, but sentence 1 is 0 in an"),
        (lambda s: s["shake_w"][0].update(sentence=" "), "shake_w, record 1: 'sentence' must be a text, not ' '"),
        (lambda s: s["shake_w"][0].pop("id"), "shake_w, record 1: no key 'id'"),
        (lambda s: s["shake_w"].__setitem__(2, "x"), "shake_w, record 3: an object is needed, not 'x'"),
        (lambda s: s.update(tweet_p0=[]), "tweet_p0: a list of records is needed"),
        (lambda s: s.update(shake_p1=s.pop("shake_p0")), "unknown 'style' 'shake_p1'. Did you mean 'shake_p0'"),
        (lambda s: s.pop("base"), "has no style 'base'; all of 11 are needed"),
    ],
)
def test_a_bad_record_is_named(copy: Path, edit: Callable[[dict[str, Any]], object], said: str) -> None:
    edited(copy, edit)
    message = broken(copy)
    assert "label.json" in message
    assert said in message


def test_empty_and_foreign_files(copy: Path) -> None:
    label(copy).write_text(" ")
    assert "label.json: the file is empty" in broken(copy)
    label(copy).write_text("[1, 2]")
    assert "an object of styles is needed, not a list" in broken(copy)


def test_a_missing_image_is_named(copy: Path) -> None:
    (label(copy).parent / "related" / "4.png").unlink()
    message = broken(copy, "dt-related-image")
    assert "base, record 5: dt-related-image: needs robustness/ood-text/related/4.png" in message
    assert len(OODText("dt-text", data_root=copy)) == 66


def test_unrelated_images_are_a_skip_without_their_folder_and_an_error_with_a_part_of_them(copy: Path) -> None:
    for path in (copy / "unrelated_images").glob("noise*"):
        path.unlink()
    assert "no image with 'noise' in its name" in broken(copy, "dt-unrelated-image-noise")
    shutil.rmtree(copy / "unrelated_images")
    with pytest.raises(DataMissing, match="dt-unrelated-image-noise: needs unrelated_images under"):
        OODText("dt-unrelated-image-noise", data_root=copy)


def test_texts_without_related_images_are_a_skip(copy: Path) -> None:
    shutil.rmtree(label(copy).parent / "related")
    with pytest.raises(DataMissing, match="dt-related-image: needs robustness/ood-text/related under"):
        OODText("dt-related-image", data_root=copy)
    label(copy).unlink()
    with pytest.raises(DataMissing, match=r"dt-text: needs robustness/ood-text/label\.json or data/ood"):
        OODText("dt-text", data_root=copy)


@pytest.mark.parametrize("place", ["decodingtrust", ""])
def test_the_published_styles(shared: Path, place: str) -> None:
    data = OODText("dt-text", data_root=shared / "data" / place)
    assert len(data) == data.expected == 11 * 872 == 9592
    assert Counter(s.subset for s in data) == dict.fromkeys(STYLES, 872)
    for style in STYLES:
        assert Counter(s.target for s in data if s.subset == style) == {"1": 444, "0": 428}
    assert len({s.id for s in data}) == 9592
    assert Counter(Counter(s.cluster for s in data).values()) == {11: 872}
    assert "it 's a charming and often affecting journey ." in data[0].text
    with pytest.raises(DataMissing, match="needs robustness/ood-text/related"):
        OODText("dt-related-image", data_root=shared / "data" / place)


def test_the_task_names_these_datasets() -> None:
    task = yaml.safe_load(TASK.read_text())
    assert task["datasets"] == IDS
    assert {registry.get_dataset_class(name) for name in IDS} == {OODText}
