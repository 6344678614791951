"""Jailbreaks by pictures (s5) and beside pictures (s6): MultiTrust's layouts, the mini data and broken copies of it."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets import typographic
from mmte.datasets.crossmodal import EACH, CrossModalJailbreakDataset
from mmte.datasets.crossmodal import FOLDER as CROSSMODAL
from mmte.datasets.multimodal_jailbreak import (
    MM_SAFETY,
    OPTIMIZED,
    SAFEBENCH,
    MMSafetyBenchDataset,
    OptimizedJailbreakDataset,
    SafeBenchDataset,
)
from mmte.datasets.root import DataMissing, DataRoot, RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "safety"
OPTIMIZED_ID = "optimized-jailbreak-graphic"
TEXT, UNRELATED, POS, NEG = CrossModalJailbreakDataset.dataset_ids
TABLES = {
    OPTIMIZED_ID: f"{typographic.FOLDER}/behavior_graph.csv",
    "safebench": f"{SAFEBENCH}/safebench_selected.csv",
    TEXT: f"{CROSSMODAL}/text_jailbreak.csv",
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for folder in (typographic.FOLDER, SAFEBENCH, MM_SAFETY, CROSSMODAL, "unrelated_images"):
        shutil.copytree(DataRoot().folder / folder, tmp_path / "copy" / folder)
    return tmp_path / "copy"


def made(name: str, root: Path | None = None) -> RootDataset:
    data = registry.get_dataset_class(name)(name, data_root=root)
    assert isinstance(data, RootDataset)
    return data


def broken(name: str, root: Path) -> str:
    with pytest.raises(MmteError) as caught:
        made(name, root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def edited(root: Path, name: str, *rows: dict[str, str], **values: str) -> None:
    """Change the third row of a table, and put rows behind the last one."""
    path = root / TABLES[name]
    with path.open(newline="") as file:
        records = list(csv.DictReader(file))
    records[2].update(values)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows([*records, *rows])


# -- s5 ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [OPTIMIZED_ID, "safebench", "mm-safety-bench"])
def test_mini_data(name: str) -> None:
    data = made(name)
    assert len(data) == len({s.id for s in data}) == len({s.image_path for s in data}) == 12
    assert len({s.cluster for s in data}) == 12
    assert {type(s) for s in data} == {ImageTxtSample}
    assert all(Path(s.image_path).is_file() and s.target for s in data)
    assert not any(s.target in s.text for s in data)
    assert [s.to_dict() for s in data] == [s.to_dict() for s in made(name)]


def test_the_published_spelling_is_the_same_dataset() -> None:
    right, published = (made(name) for name in OptimizedJailbreakDataset.dataset_ids)
    assert published.dataset_id == "opimized-jailbreak-graphic"
    assert [s.to_dict() for s in right] == [s.to_dict() for s in published]
    assert right.digest() == published.digest()


def test_optimised_ones_are_the_pictures_of_typographic_behaviour_without_a_framing() -> None:
    other = typographic.TypographicDataset("typographic-behavior")
    data = OptimizedJailbreakDataset(OPTIMIZED_ID)
    assert {s.image_path for s in data} == {s.image_path for s in other}
    assert {s.target for s in data} == {s.target for s in other}
    assert {s.text for s in data} == {OPTIMIZED}
    assert {s.text for s in SafeBenchDataset("safebench")} == {typographic.FIGSTEP}


def test_the_optimised_set_needs_no_framing_column(copy: Path) -> None:
    path = copy / TABLES[OPTIMIZED_ID]
    path.write_text("id,image_path,question\n0,0.png,Do it\n")
    (sample,) = made(OPTIMIZED_ID, copy)
    assert "None" not in sample.text
    assert sample.target == "Do it"


def test_prompts_of_mm_safety_bench_are_used_as_they_are(copy: Path) -> None:
    path = copy / MM_SAFETY / "mm-safety-bench-selected.json"
    record = {"Question": "Q {x}", "Prompt": "P {0}", "Image": "3.png"}
    path.write_text(json.dumps({"7": record, "9": {**record, "Image": "4.png"}}))
    one, other = made("mm-safety-bench", copy)
    assert (one.text, one.target, Path(one.image_path).name) == ("P {0}", "Q {x}", "3.png")
    assert one.id != other.id
    assert one.cluster == other.cluster


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"Question": ""}, "record 1: 'Question' must be a text, not ''"),
        ({"Prompt": None}, "record 1: 'Prompt' must be a text, not None"),
        ({"Image": "x.png"}, f"record 1: mm-safety-bench: needs {MM_SAFETY}/x.png"),
        ({"Image": "../x.png"}, "record 1: data file name"),
    ],
)
def test_a_bad_record_of_mm_safety_bench_is_named(copy: Path, values: dict[str, Any], said: str) -> None:
    path = copy / MM_SAFETY / "mm-safety-bench-selected.json"
    path.write_text(json.dumps({"0": {"Question": "Q", "Prompt": "P", "Image": "0.png", **values}}))
    message = broken("mm-safety-bench", copy)
    assert "mm-safety-bench-selected.json" in message
    assert said in message
    path.write_text(json.dumps({"0": {"Question": "Q", "Image": "0.png"}}))
    assert "no key 'Prompt'" in broken("mm-safety-bench", copy)


@pytest.mark.parametrize("name", [OPTIMIZED_ID, "safebench"])
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"question": " "}, "record 3: 'question' must be a text, not ' '"),
        ({"image_path": "77.png"}, "77.png"),
        ({"id": ""}, "record 3: 'id' must be a text, not ''"),
    ],
)
def test_a_bad_row_is_named(copy: Path, name: str, values: dict[str, str], said: str) -> None:
    edited(copy, name, **values)
    assert said in broken(name, copy)


@pytest.mark.parametrize("name", TABLES)
def test_a_header_in_the_middle_is_no_row_and_equal_ids_are(copy: Path, name: str) -> None:
    """The tables look joined: MultiTrust skips rows whose id is `id`."""
    with (copy / TABLES[name]).open(newline="") as file:
        first = next(csv.DictReader(file))
    before = made(name, copy)
    edited(copy, name, {key: key for key in first}, {**first, "question": "Another request"}, dict(first))
    data = made(name, copy)
    assert len(data) == len({s.id for s in data}) == len(before) + 2
    assert len({s.cluster for s in data}) == len({s.cluster for s in before}) + 1
    assert "id" not in {s.target for s in data} | {s.text for s in data}


@pytest.mark.parametrize("name", [OPTIMIZED_ID, "safebench", "mm-safety-bench", TEXT])
def test_absent_data(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataMissing, match=f"{name}: needs safety/"):
        made(name, tmp_path)


# -- s6 ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "each"), [(TEXT, 1), (UNRELATED, 9), (POS, 2), (NEG, 2)])
def test_every_jailbreak_is_asked_with_every_picture(name: str, each: int) -> None:
    data = made(name)
    assert len(data) == len({s.id for s in data}) == 12 * each
    assert Counter(s.group for s in data) == dict.fromkeys((s.id for s in made(TEXT)), each)
    assert {type(s) for s in data} == {TxtSample if name == TEXT else ImageTxtSample}
    assert all(s.target in s.text for s in data)


@pytest.mark.parametrize(("name", "each"), [(TEXT, 1), (UNRELATED, 9), (POS, 2), (NEG, 2)])
def test_all_rows_are_asked_and_not_the_first_ten_samples(copy: Path, name: str, each: int) -> None:
    """B-01: MultiTrust keeps ten samples of each dataset."""
    with (copy / TABLES[TEXT]).open("a", newline="") as file:
        csv.writer(file).writerows((100 + n, f"Request {n}", f"Please: request {n}") for n in range(28))
    data = made(name, copy)
    assert len(data) == 40 * each
    assert len({s.target for s in data}) == 40
    assert data[len(data) - 1].text == "Please: request 27"


def test_unrelated_pictures_are_three_of_each_kind() -> None:
    data = made(UNRELATED)
    assert Counter(s.subset for s in data) == {"color": 36, "nature": 36, "noise": 36}
    for group in {s.group for s in data}:
        pictures = [Path(s.image_path).name for s in data if s.group == group]
        assert len(set(pictures)) == 9
        assert Counter(name.partition("_")[0] for name in pictures) == {"color": 3, "nature": 3, "noise": 3}
    assert len({frozenset(s.image_path for s in data if s.group == g) for g in {s.group for s in data}}) > 3


def test_too_few_unrelated_pictures(copy: Path) -> None:
    for number in (0, 1):
        (copy / "unrelated_images" / f"noise_{number}.png").unlink()
    assert f"needs {EACH} images with 'noise' in their names" in broken(UNRELATED, copy)
    shutil.rmtree(copy / "unrelated_images")
    with pytest.raises(DataMissing, match="needs unrelated_images"):
        made(UNRELATED, copy)


@pytest.mark.parametrize(("name", "folder"), [(POS, "jailbreak_pos"), (NEG, "jailbreak_neg")])
def test_folders_of_pictures(copy: Path, name: str, folder: str) -> None:
    assert {Path(s.image_path).parent.name for s in made(name)} == {folder}
    (copy / CROSSMODAL / folder / "a.txt").write_text("")
    assert "a.txt is no image" in broken(name, copy)
    shutil.rmtree(copy / CROSSMODAL / folder)
    with pytest.raises(DataMissing, match=f"{name}: needs {CROSSMODAL}/{folder}"):
        made(name, copy)


@pytest.mark.parametrize("column", ["id", "question", "jailbreak"])
def test_a_blank_field_is_named(copy: Path, column: str) -> None:
    edited(copy, TEXT, **{column: ""})
    for name in (TEXT, UNRELATED, POS, NEG):
        assert f"text_jailbreak.csv, record 3: '{column}' must be a text, not ''" in broken(name, copy)


def test_jailbreaks_of_one_request_are_one_cluster(copy: Path) -> None:
    (copy / TABLES[TEXT]).write_text("id,question,jailbreak\n0,Do it,Rook does it\n1,Do it,A form does it\n2,Not,No\n")
    assert [len({getattr(s, key) for s in made(POS, copy)}) for key in ("cluster", "group")] == [2, 3]


# -- the task files --------------------------------------------------------------------------------
def test_the_tasks_name_these_datasets() -> None:
    tasks = {
        name: yaml.safe_load((BENCHMARKS / f"{name}.yaml").read_text())
        for name in ("s5-multimodal-jailbreak", "s6-crossmodal-jailbreak")
    }
    classes = [[registry.get_dataset_class(d) for d in task["datasets"]] for task in tasks.values()]
    assert classes == [
        [OptimizedJailbreakDataset, MMSafetyBenchDataset, SafeBenchDataset],
        [CrossModalJailbreakDataset] * 4,
    ]
    for task in tasks.values():
        assert list(task["evaluators"]) == ["refusal", "harm", "safe"]
        assert task["evaluators"]["harm"]["direction"] == {"pred_mean": "down"}
        assert task["generation_kwargs"]["max_new_tokens"] == 512
