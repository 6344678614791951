"""Things in artistic styles: the mini data, broken copies of it, and the published cue-conflict images."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.artistic import DESCRIBE, STYLES, OODArtistic
from mmte.datasets.cue_conflict import THINGS, CueConflict
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.evaluators.rule_contain import ContainOrNotEvaluator
from mmte.registry import registry
from mmte.types import UNPARSED

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness"
IDS = [f"coco-o-{style}" for style in STYLES]
STIMULI = "stimuli/style-transfer-preprocessed-512"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    shutil.copytree(DataRoot().folder / "robustness" / "ood-artistic", tmp_path / "copy/robustness/ood-artistic")
    return tmp_path / "copy"


def label(root: Path, name: str = "sketch") -> Path:
    return root / "robustness" / "ood-artistic" / "label" / f"{name}.json"


def edited(root: Path, **changes: Any) -> None:
    records = [json.loads(line) for line in label(root).read_text().splitlines()]
    records[2] = {key: value for key, value in (records[2] | changes).items() if value is not ...}
    label(root).write_text("\n".join(map(json.dumps, records)))


def broken(root: Path) -> str:
    with pytest.raises(MmteError) as caught:
        OODArtistic("coco-o-sketch", data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", IDS)
def test_mini_data(name: str) -> None:
    data = OODArtistic(name)
    assert len(data) == 12
    assert data.is_mini
    assert len({s.id for s in data}) == len({s.cluster for s in data}) == len({s.image_path for s in data}) == 12
    assert {s.text for s in data} == {DESCRIBE}
    assert all(Path(s.image_path).stem.endswith(f"_{s.target}") for s in data)
    assert [s.to_dict() for s in data] == [s.to_dict() for s in OODArtistic(name)]


def test_both_spellings_are_the_same_data(copy: Path) -> None:
    right, wrong = OODArtistic("coco-o-handmade"), OODArtistic("coco-o-handmake")
    assert [s.to_dict() for s in right] == [s.to_dict() for s in wrong]
    assert right.digest() == wrong.digest()
    label(copy, "handmake").rename(label(copy, "handmade"))
    assert [s.id for s in OODArtistic("coco-o-handmake", data_root=copy)] == [s.id for s in right]
    assert registry.get_dataset_class("coco-o-handmake") is OODArtistic


def test_the_first_label_is_the_target(copy: Path) -> None:
    edited(copy, gt_label=[" boat ", "sail"])
    sample = OODArtistic("coco-o-sketch", data_root=copy)[2]
    assert (sample.target, sample.extra) == ("boat", {"labels": ["boat", "sail"]})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gt_label": []}, "record 3: 'gt_label' must be a list of texts, not []"),
        ({"gt_label": "boat"}, "record 3: 'gt_label' must be a list of texts, not 'boat'"),
        ({"gt_label": [3]}, "record 3: 'gt_label' must be a text, not 3"),
        ({"gt_label": ...}, "line 3: no key 'gt_label'"),
        ({"image_name": "none.png"}, "record 3: coco-o-sketch: needs robustness/ood-artistic/source/none.png"),
        ({"image_name": "../../x.png"}, "record 3: data file name"),
    ],
)
def test_a_bad_record_is_named(copy: Path, changes: dict[str, Any], said: str) -> None:
    edited(copy, **changes)
    message = broken(copy)
    assert "sketch.json" in message
    assert said in message


def test_empty_and_absent_labels(copy: Path) -> None:
    label(copy).write_text("")
    assert "sketch.json: the file is empty" in broken(copy)
    label(copy).unlink()
    with pytest.raises(DataMissing, match=r"coco-o-sketch: needs robustness/ood-artistic/label/sketch\.json"):
        OODArtistic("coco-o-sketch", data_root=copy)


def test_the_task_names_these_datasets() -> None:
    task = yaml.safe_load((BENCHMARKS / "r1-artistic.yaml").read_text())
    assert task["datasets"] == IDS
    assert {registry.get_dataset_class(name) for name in IDS} == {OODArtistic}


# -- cue conflict ----------------------------------------------------------------------------------
@pytest.mark.parametrize("place", ["cue_conflict", ""])
def test_the_published_images_that_are_here(shared: Path, place: str) -> None:
    data = CueConflict("cue-conflict-shape", data_root=shared / "data" / place)
    assert (len(data), data.expected) == (15, 1280)
    assert Counter(s.subset for s in data) == {"conflict": 13, "same": 2}
    assert {s.target for s in data} == set(THINGS) - {"knife"}
    found = {s.id: s for s in data}
    sample = found["cue-conflict-cat1-car2"]
    assert (sample.target, sample.extra["texture"], sample.cluster) == ("cat", "car", "cue-conflict-cat1")
    assert found["cue-conflict-clock1-clock2"].subset == "same"
    assert found["cue-conflict-airplane1-elephant1"].image_path.endswith("airplane/airplane1-elephant1.png")


def test_the_answer_is_one_of_sixteen_things(shared: Path) -> None:
    sample = CueConflict("cue-conflict-shape", data_root=shared / "data")[0]
    evaluator = ContainOrNotEvaluator("rule_contain_eval")
    replies = ["Airplane.", "a plane", "elephant", "An airplane or an elephant", "a carpet"]
    hits, _, _ = evaluator.process(replies, [sample.target] * 5, [sample.extra] * 5)
    assert hits == [1.0, 1.0, 0.0, UNPARSED, UNPARSED]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cat/dog1-car2.png", "cat/dog1-car2.png is not called catN-<texture>M.png"),
        ("cat/cat1.png", "cat/cat1.png is not called catN"),
        ("cat/cat1-care2.png", "unknown thing 'care'. Did you mean 'car'"),
        ("caat/caat1-car2.png", "unknown thing 'caat'. Did you mean 'cat'"),
        ("", "no image in"),
    ],
)
def test_a_file_of_another_name_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / STIMULI).mkdir(parents=True)
    if name:
        (tmp_path / STIMULI / name).parent.mkdir()
        (tmp_path / STIMULI / name).write_bytes(b"x")
    with pytest.raises(MmteError) as caught:
        CueConflict("cue-conflict-shape", data_root=tmp_path)
    assert said in str(caught.value)


def test_without_the_stimuli_it_is_a_skip_and_more_of_them_are_other_data(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=f"cue-conflict-shape: needs {STIMULI}"):
        CueConflict("cue-conflict-shape", data_root=tmp_path)
    folder = tmp_path / "texture-vs-shape" / STIMULI / "cat"
    folder.mkdir(parents=True)
    (folder / "cat10-car2.png").write_bytes(b"x")
    one = CueConflict("cue-conflict-shape", data_root=tmp_path)
    (folder / "cat9-car2.png").write_bytes(b"x")
    (folder / ".hidden").write_bytes(b"x")
    two = CueConflict("cue-conflict-shape", data_root=tmp_path)
    assert one.digest() != two.digest()
    assert [s.cluster for s in two] == ["cue-conflict-cat9", "cue-conflict-cat10"]
