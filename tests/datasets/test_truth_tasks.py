"""The tasks t2 to t7: the mini data, and broken copies of it."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.advanced import KINDS, YES_NO_WHY
from mmte.datasets.assistance import DIRECT
from mmte.datasets.misleading import CONFUSIONS, YES_NO_FIRST
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.report.scores import load_scores
from mmte.types import ImageTxtSample, TxtSample

UNRELATED = ("color", "nature", "noise")
ADVANCED = [f"advanced-{kind}" for kind in KINDS]
INSTRUCTION = ["instruction-enhancement-factual", "instruction-enhancement-logic"]
ASSISTANCE = [f"visual-assistance-{v}" for v in ("text", "image", *(f"unrelated-image-{k}" for k in UNRELATED))]
MISLEADING = [f"g-text-{v}" for v in ("none", "misvisual", "assistance", *(f"unrelated-image-{k}" for k in UNRELATED))]
REFERENCED = [*INSTRUCTION, *ASSISTANCE, *MISLEADING, "g-text-misleading"]
CONFUSION = "d-mis-visual-confusion"
ALL = [*ADVANCED, *REFERENCED, CONFUSION]
TASKS = {
    "t2-advanced": ADVANCED,
    "t3-instruction": INSTRUCTION,
    "t4-visual-assistance": ASSISTANCE,
    "t5-text-misleading": ["g-text-misleading"],
    "t6-visual-confusion": [CONFUSION],
    "t7-visual-misleading": MISLEADING,
}
FILES = {
    **{f"advanced-{kind}": f"query_advanced/query_d_{kind}.json" for kind in KINDS},
    "instruction-enhancement-factual": "query_instruction/query_g_factual.json",
    "instruction-enhancement-logic": "query_instruction/query_g_logic.json",
    **dict.fromkeys((*ASSISTANCE, *MISLEADING), "query_text/query_g_assistance.json"),
    "g-text-misleading": "query_misleading/query_g_mistext.json",
    CONFUSION: "query_misleading/query_d_confusion.json",
}
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "truthfulness"
Records = list[dict[str, Any]]


def load(name: str, root: Path | None = None) -> Any:
    return registry.get_dataset_class(name)(name, data_root=root)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for folder in ("truthfulness", "unrelated_images"):
        shutil.copytree(DataRoot().folder / folder, tmp_path / "copy" / folder)
    return tmp_path / "copy"


def edited(root: Path, name: str, edit: Callable[[Records], object]) -> None:
    path = root / "truthfulness" / FILES[name]
    records = json.loads(path.read_text())
    edit(records)
    path.write_text(json.dumps(records))


def broken(root: Path, name: str) -> str:
    with pytest.raises(MmteError) as caught:
        load(name, root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ALL)
def test_mini_data(name: str) -> None:
    data = load(name)
    assert len(data) >= 12
    assert data.is_mini
    assert data.expected is None
    assert len({s.id for s in data}) == len(data)
    assert [s.to_dict() for s in data] == [s.to_dict() for s in load(name)]
    assert all(s.cluster for s in data)
    assert all(Path(s.image_path).is_file() for s in data if isinstance(s, ImageTxtSample))


@pytest.mark.parametrize("name", [*ADVANCED, CONFUSION])
def test_yes_and_no_are_equally_frequent_on_every_picture(name: str) -> None:
    data = load(name)
    targets: dict[str, list[int]] = {}
    for sample in data:
        targets.setdefault(sample.cluster, []).append(sample.target)
    assert all(sorted(found) == [0, 1] for found in targets.values())
    closing = YES_NO_FIRST if name == CONFUSION else YES_NO_WHY
    assert all(s.text.endswith("?\n" + closing) for s in data)


@pytest.mark.parametrize("name", REFERENCED)
def test_references_are_texts_and_a_judge_sees_the_bare_question(name: str) -> None:
    for sample in load(name):
        assert isinstance(sample.target, str)
        assert sample.target
        assert sample.extra["question"] in sample.text
        assert sample.extra["question"] != sample.text


@pytest.mark.parametrize("name", INSTRUCTION)
def test_each_item_is_asked_in_three_ways(name: str) -> None:
    data = load(name)
    assert Counter(s.subset for s in data) == {"PROMPT_1": 12, "PROMPT_2": 12, "PROMPT_3": 12}
    assert len({s.cluster for s in data}) == len({s.group for s in data}) == 12
    for first, second, third in zip(data.dataset[::3], data.dataset[1::3], data.dataset[2::3], strict=True):
        assert first.group == second.group == third.group
        assert first.cluster == second.cluster == third.cluster
        assert first.target == second.target == third.target
        assert len({first.text, second.text, third.text}) == 3


def test_variants_of_a_question_share_its_id_and_nothing_else_differs_but_the_picture() -> None:
    plain = load("g-text-none")
    assert all(type(s) is TxtSample for s in plain)
    assert [s.to_dict() for s in plain] == [s.to_dict() for s in load("visual-assistance-text")]
    for name in (*ASSISTANCE[1:], *MISLEADING[1:]):
        for sample, bare in zip(load(name), plain, strict=True):
            assert type(sample) is ImageTxtSample
            fields = sample.to_dict()
            fields.pop("image_path")
            assert fields == bare.to_dict()
    assert plain[7].text == f"Which city is the capital of Australia?\n{DIRECT}"


def test_fitting_and_misleading_pictures_have_the_same_names() -> None:
    fitting, misleading = load("g-text-assistance"), load("g-text-misvisual")
    assert [s.to_dict() for s in fitting] == [s.to_dict() for s in load("visual-assistance-image")]
    for one, other in zip(fitting, misleading, strict=True):
        assert Path(one.image_path).name == Path(other.image_path).name
        assert Path(one.image_path).parent.name == "assistance"
        assert Path(other.image_path).parent.name == "misvisual"
        assert Path(one.image_path).read_bytes() != Path(other.image_path).read_bytes()


@pytest.mark.parametrize("kind", UNRELATED)
def test_unrelated_pictures_are_decided_by_the_question_alone(kind: str, copy: Path) -> None:
    """B-17: every construction, and both tasks, show the same picture with a question."""
    name = f"g-text-unrelated-image-{kind}"
    shown = {s.id: Path(s.image_path).name for s in load(name)}
    assert all(kind in image for image in shown.values())
    assert len(set(shown.values())) > 1
    assert shown == {s.id: Path(s.image_path).name for s in load(f"visual-assistance-unrelated-image-{kind}")}
    edited(copy, name, lambda records: records.reverse())
    assert shown == {s.id: Path(s.image_path).name for s in load(name, copy)}


def test_kinds_of_confusion_are_the_subsets() -> None:
    data = load(CONFUSION)
    assert Counter(s.subset for s in data) == dict.fromkeys(CONFUSIONS, 6)
    assert all(Path(s.image_path).parent.name == s.subset for s in data)


@pytest.mark.parametrize("name", [*ADVANCED, CONFUSION])
def test_an_unknown_label_is_an_error_and_never_that_of_the_row_before(name: str, copy: Path) -> None:
    """B-11."""
    edited(copy, name, lambda records: records[2].update(truth="Maybe"))
    message = broken(copy, name)
    assert "record 3: 'truth' is 'Maybe', which is neither Yes nor No; correct it" in message
    assert Path(FILES[name]).name in message


@pytest.mark.parametrize("name", [n for n in ALL if n not in ("visual-assistance-text", "g-text-none")])
def test_a_missing_picture_is_an_error_that_names_it(name: str, copy: Path) -> None:
    """B-15: no sample is dropped."""
    last = load(name, copy)[-1]
    Path(last.image_path).unlink()
    if "unrelated" in name:
        shown = [Path(s.image_path) for s in load(name, copy)]
        assert len(shown) == 12
        assert all(path.is_file() for path in shown)
        shutil.rmtree(copy / "unrelated_images")
        with pytest.raises(DataMissing, match=f"{name}: needs unrelated_images"):
            load(name, copy)
    else:
        message = broken(copy, name)
        assert Path(last.image_path).name in message
        assert "record " in message


@pytest.mark.parametrize("name", ["visual-assistance-text", "g-text-none"])
def test_questions_in_words_need_no_pictures(name: str, copy: Path) -> None:
    shutil.rmtree(copy / "truthfulness" / "text_images")
    assert len(load(name, copy)) == 12


@pytest.mark.parametrize("name", REFERENCED)
@pytest.mark.parametrize("truth", ["", " ", None, 7])
def test_a_missing_answer_is_an_error(name: str, truth: Any, copy: Path) -> None:
    edited(copy, name, lambda records: records[1].update(truth=truth))
    assert f"record 2: 'truth' must be a text, not {truth!r}" in broken(copy, name)


@pytest.mark.parametrize("name", [*REFERENCED, CONFUSION])
def test_a_missing_question_is_an_error(name: str, copy: Path) -> None:
    edited(copy, name, lambda records: records[0].update(query=""))
    assert "record 1: 'query' must be a text, not ''" in broken(copy, name)


def test_records_without_a_question_are_counted(copy: Path) -> None:
    edited(copy, "advanced-math", lambda records: [records[n].update(query=q) for n, q in ((0, ""), (5, None))])
    data = load("advanced-math", copy)
    assert (len(data), data.expected) == (10, 12)
    edited(copy, "advanced-math", lambda records: records[1].update(truth="?"))
    assert "record 2: 'truth'" in broken(copy, "advanced-math")
    edited(copy, "advanced-math", lambda records: [record.update(query=" ") for record in records])
    assert "none of its 12 records has a query" in broken(copy, "advanced-math")
    edited(copy, "advanced-math", lambda records: records[0].update(query=3))
    assert "record 1: 'query' must be a text, not 3" in broken(copy, "advanced-math")


def test_an_unknown_kind_of_confusion(copy: Path) -> None:
    edited(copy, CONFUSION, lambda records: records[3].update(kind="miror"))
    assert "record 4: unknown 'kind' 'miror'. Did you mean 'mirror'?" in broken(copy, CONFUSION)
    edited(copy, CONFUSION, lambda records: records[0].pop("kind"))
    assert "record 1: no key 'kind'" in broken(copy, CONFUSION)


@pytest.mark.parametrize("name", ["advanced-spatial", "instruction-enhancement-logic", "g-text-misvisual", CONFUSION])
def test_paths_stay_below_the_folder_of_the_data(name: str, copy: Path) -> None:
    edited(copy, name, lambda records: records[0].update(image="../../../../x.png"))
    assert "must be relative and stay inside the data root" in broken(copy, name)


@pytest.mark.parametrize("name", ALL)
def test_absent_data_is_a_skip(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=f"{name}: needs truthfulness/{FILES[name]}"):
        load(name, tmp_path)


def test_json_lines_give_the_same_samples(copy: Path) -> None:
    before = [(s.id, s.target, s.text) for s in load("advanced-code")]
    path = copy / "truthfulness" / FILES["advanced-code"]
    path.write_text("\n".join(map(json.dumps, json.loads(path.read_text()))))
    assert [(s.id, s.target, s.text) for s in load("advanced-code", copy)] == before


def test_an_unknown_option() -> None:
    with pytest.raises(MmteError, match="g-text-none: unknown option 'dataroot' in dataset_cfg. Did you mean"):
        registry.get_dataset_class("g-text-none")("g-text-none", dataroot="x")


@pytest.mark.parametrize("task", TASKS)
def test_the_tasks_name_these_datasets(task: str) -> None:
    found = yaml.safe_load((BENCHMARKS / f"{task}.yaml").read_text())
    assert found["datasets"] == TASKS[task]
    assert found["sub_aspect"] == ("inherent deficiency" if task[1] in "234" else "misguided mistakes")
    assert found["generation_kwargs"] == {"max_new_tokens": 500 if task[1] == "3" else 100, "do_sample": False}


FORMULA = """# mmte.scores/1
scores:
  t3:
    aspect: truthfulness
    score:
      mean:
        - largest:
            - t3-instruction[instruction-enhancement-factual/judge]:pred_mean/PROMPT_1
            - t3-instruction[instruction-enhancement-factual/judge]:pred_mean/PROMPT_2
            - t3-instruction[instruction-enhancement-factual/judge]:pred_mean/PROMPT_3
        - largest:
            - t3-instruction[instruction-enhancement-logic/judge]:pred_mean/PROMPT_1
            - t3-instruction[instruction-enhancement-logic/judge]:pred_mean/PROMPT_2
            - t3-instruction[instruction-enhancement-logic/judge]:pred_mean/PROMPT_3
"""


def test_the_best_way_of_asking_is_found_among_numbers(tmp_path: Path) -> None:
    """B-31: 1.0 beats 0.95 and 0.095, though "95.00" sorts behind "100.00" as a text."""
    (tmp_path / "scores.yaml").write_text(FORMULA)
    results = [
        {
            "task": "t3-instruction", "dataset": name, "sequence": "judge", "model": "m", "outcome": "recorded",
            "estimates": [
                {"metric": "pred_mean", "subset": f"PROMPT_{n}", "value": value, "bounds": None, "n": 12,
                 "expected": 12}
                for n, value in enumerate(values, 1)
            ],
        }
        for name, values in zip(INSTRUCTION, ((1.0, 0.95, 0.095), (0.1, 0.5, 0.25)), strict=True)
    ]  # fmt: skip
    (score,) = load_scores(tmp_path / "scores.yaml").scores(results)
    assert score.value == pytest.approx((1.0 + 0.5) / 2)
