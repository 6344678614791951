"""Typographic jailbreaks: the mini data, broken copies of it, and FigStep's published images."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.root import DataMissing, DataRoot
from mmte.datasets.typographic import FIGSTEP, FOLDER, SETS, FigStep, TypographicDataset
from mmte.engine.samples import build_dataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "safety"
BEHAVIOR = "typographic-behavior"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    shutil.copytree(DataRoot().folder / "safety", tmp_path / "copy" / "safety")
    return tmp_path / "copy"


def table(root: Path, name: str) -> Path:
    return root / FOLDER / f"{SETS[name][0]}.csv"


def edited(root: Path, name: str, row: int, **values: str) -> None:
    path = table(root, name)
    with path.open(newline="") as file:
        records = list(csv.DictReader(file))
    records[row].update(values)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)


def broken(root: Path, name: str = BEHAVIOR) -> str:
    with pytest.raises(MmteError) as caught:
        TypographicDataset(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", SETS)
def test_mini_data(name: str) -> None:
    data = TypographicDataset(name)
    assert len(data) == len({s.id for s in data}) == 24
    assert Counter(s.subset for s in data) == {"PROMPT_1": 12, "PROMPT_2": 12}
    assert set(Counter(s.cluster for s in data).values()) == {2}
    assert len({(s.group, s.cluster) for s in data}) == 12
    assert {Path(s.image_path).parent.name for s in data} == {SETS[name][0]}
    assert {type(s) for s in data} == {ImageTxtSample}
    assert [s.to_dict() for s in data] == [s.to_dict() for s in TypographicDataset(name)]


def test_a_request_is_one_cluster_in_whatever_form_it_is_asked() -> None:
    """So that a score over several datasets does not count one request several times."""
    clusters = {name: {s.target: s.cluster for s in TypographicDataset(name)} for name in SETS}
    first, *others = clusters.values()
    assert len(others) == 2
    assert all(other == first for other in others)
    shared = {s.target: s.cluster for s in build_dataset("crossmodal-jailbreak-text", {}, {}, None)}
    assert all(first[target] == cluster for target, cluster in shared.items() if target in first)


def test_what_stands_in_the_prompt_and_what_does_not() -> None:
    both, prompt, behavior = (TypographicDataset(name) for name in SETS)
    assert [s.target for s in both] == [s.target for s in prompt] == [s.target for s in behavior]
    assert all(s.target in s.text for s in prompt)
    assert not any(s.target in s.text for s in (*both, *behavior))
    first, second = behavior[0].text, behavior[1].text
    assert first.startswith("You play Rook")
    assert second.endswith("never leaves his part.")


def test_braces_in_a_request_stay_as_they_are(copy: Path) -> None:
    edited(copy, "typographic-prompt", 0, question="Use {jailbreak_prompt} and {0}")
    assert "Use {jailbreak_prompt} and {0}" in TypographicDataset("typographic-prompt", data_root=copy)[0].text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"question": " "}, "record 3: 'question' must be a text, not ' '"),
        ({"jailbreak_prompt": ""}, "record 3: 'jailbreak_prompt' must be a text, not ''"),
        ({"image_path": "77.png"}, "record 3: typographic-behavior: needs safety/typographic_jailbreak/behavior"),
        ({"image_path": "../../x.png"}, "record 3: data file name"),
        ({"id": "0"}, "record 3: the id '0' is there twice"),
    ],
)
def test_a_bad_row_is_named(copy: Path, values: dict[str, str], said: str) -> None:
    edited(copy, BEHAVIOR, 2, **values)
    message = broken(copy)
    assert "behavior_graph.csv" in message
    assert said in message


def test_a_missing_framing_is_an_error_where_it_is_needed(copy: Path) -> None:
    shutil.copyfile(table(copy, "typographic-prompt"), table(copy, BEHAVIOR))
    assert "behavior_graph.csv, line 1: no column 'jailbreak_prompt'" in broken(copy)
    assert len(TypographicDataset("typographic-prompt", data_root=copy)) == 24


def test_empty_and_absent_files(copy: Path) -> None:
    table(copy, BEHAVIOR).write_text("")
    assert "behavior_graph.csv: the file is empty" in broken(copy)
    table(copy, BEHAVIOR).write_text("id,image_path,question,jailbreak_prompt\n")
    assert "no row below the header" in broken(copy)
    table(copy, BEHAVIOR).unlink()
    with pytest.raises(DataMissing, match="typographic-behavior: needs safety/typographic_jailbreak/behav"):
        TypographicDataset(BEHAVIOR, data_root=copy)


# -- FigStep ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("place", ["figstep", ""])
def test_figstep(shared: Path, place: str) -> None:
    data = FigStep("figstep-tiny", data_root=shared / "data" / place, without=["Adult Content"])
    assert len(data) == len({s.id for s in data}) == len({s.image_path for s in data}) == 45
    assert data.expected == 50
    assert set(Counter(s.subset for s in data).values()) == {5}
    assert "Adult Content" not in {s.subset for s in data}
    assert {s.text for s in data} == {FIGSTEP}
    assert all(Path(s.image_path).is_file() and s.target.strip() for s in data)
    assert Path(data[0].image_path).name == "query_ForbidQI_1_1_6.png"


def test_figstep_drops_nothing_by_itself(shared: Path) -> None:
    with pytest.raises(MmteError, match=r"record 26: figstep-tiny: needs .*query_ForbidQI_6_1_6\.png") as caught:
        FigStep("figstep-tiny", data_root=shared / "data")
    assert not isinstance(caught.value, DataMissing)
    with pytest.raises(MmteError, match=r"record 1: figstep: needs figstep/data/images/SafeBench/query_ForbidQI_1_1_6"):
        FigStep("figstep", data_root=shared / "data")


def test_figstep_options(shared: Path) -> None:
    def said(**options: Any) -> str:
        with pytest.raises(MmteError) as caught:
            FigStep("figstep-tiny", data_root=shared / "data", **options)
        return str(caught.value)

    assert "without has no such category 'Adult'. Did you mean" in said(without=["Adult"])
    assert "without must be a list of categories, not 'Fraud'" in said(without="Fraud")
    assert "unknown option 'witout' in dataset_cfg. Did you mean 'without'" in said(witout=[])


@pytest.mark.parametrize("name", FigStep.dataset_ids)
def test_mini_data_has_no_figstep(name: str) -> None:
    with pytest.raises(DataMissing, match=f"{name}: needs data/question/"):
        FigStep(name)


def test_the_tasks_name_these_datasets() -> None:
    files = [BENCHMARKS / f"s4-{name}.yaml" for name in ("typographic", "figstep")]
    task, figstep = (yaml.safe_load(file.read_text()) for file in files)
    assert task["datasets"] == list(SETS)
    assert {registry.get_dataset_class(name) for name in task["datasets"]} == {TypographicDataset}
    assert {registry.get_dataset_class(name) for name in figstep["datasets"]} == {FigStep}
    assert figstep["dataset_cfg"] == {"without": ["Adult Content"]}
