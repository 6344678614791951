"""Attacked texts: the mini data, broken copies of it, and AdvGLUE's published file."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.adv_text import TASKS, AdvText
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.evaluators.rule_contain import TASKS as ANSWERS
from mmte.evaluators.rule_contain import ContainAdvEvaluator
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

TASK = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness" / "r6-textual-attack.yaml"
VARIANTS = ("text", "related-image", *(f"unrelated-image-{kind}" for kind in ("color", "nature", "noise")))
IDS = [f"{data}-{variant}" for data in ("advglue", "advglue-plus") for variant in VARIANTS]
WORDS = {"mnli": "yes maybe no", "mnli-mm": "yes maybe no", "qnli": "yes no", "qqp": "no yes", "rte": "yes no",
         "sst2": "negative positive"}  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for part in ("robustness/advglue", "robustness/advglue_plus", "unrelated_images"):
        shutil.copytree(DataRoot().folder / part, tmp_path / "copy" / part)
    return tmp_path / "copy"


def edited(root: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    path = root / "robustness" / "advglue" / "label.json"
    tasks = json.loads(path.read_text())
    edit(tasks)
    path.write_text(json.dumps(tasks))


def broken(root: Path, name: str = "advglue-text") -> str:
    with pytest.raises(MmteError) as caught:
        AdvText(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", IDS)
def test_mini_data(name: str) -> None:
    data = AdvText(name)
    assert Counter(s.subset for s in data) == dict.fromkeys(TASKS, 3)
    assert len({s.id for s in data}) == len({s.text for s in data}) == len({s.cluster for s in data}) == 18
    assert {type(s) for s in data} == {TxtSample if name.endswith("text") else ImageTxtSample}
    assert {(s.subset, s.target) for s in data} >= {("mnli", "0"), ("mnli", "1"), ("mnli", "2"), ("sst2", "0")}
    assert [s.to_dict() for s in data] == [s.to_dict() for s in AdvText(name)]


@pytest.mark.parametrize("data", ["advglue", "advglue-plus"])
def test_a_question_is_the_same_in_all_variants(data: str) -> None:
    text, *others = [
        [(s.id, s.group, s.target, s.text, s.extra) for s in AdvText(f"{data}-{variant}")] for variant in VARIANTS
    ]
    assert all(other == text for other in others)


def test_the_two_attacks_are_on_the_same_texts() -> None:
    one, two = AdvText("advglue-text"), AdvText("advglue-plus-text")
    assert [(s.subset, s.target) for s in one] == [(s.subset, s.target) for s in two]
    assert not {s.text for s in one} & {s.text for s in two}
    assert two[0].extra == {"task": "mnli", "original": {"premise": "She put three red apples into the basket."}}
    assert one[0].extra == {"task": "mnli"}


@pytest.mark.parametrize("task", TASKS)
def test_the_answers_of_a_task_are_its_classes(task: str) -> None:
    """Each word that the prompt asks for is read as its class, and only that class is right."""
    words = WORDS[task].split()
    assert {word: ANSWERS[task][word] for word in words} == {word: at for at, word in enumerate(words)}
    prompt = TASKS[task].prompt.casefold()
    assert all(word in prompt for word in words)
    assert TASKS[task].labels == tuple(range(len(words)))
    evaluator = ContainAdvEvaluator("rule_contain_adv_eval")
    sample = next(s for s in AdvText("advglue-text") if s.subset == task)
    replies = [word.capitalize() + "." for word in words]
    hits, _, _ = evaluator.process(replies, [sample.target] * len(words), [sample.extra] * len(words))
    assert hits == [float(str(at) == sample.target) for at in range(len(words))]


def test_related_images_go_with_the_item(copy: Path) -> None:
    for name, folder in (("advglue", "advglue"), ("advglue-plus", "advglue_plus")):
        data = AdvText(f"{name}-related-image")
        found = {s.group: Path(s.image_path).relative_to(DataRoot().folder).as_posix() for s in data}
        assert found[f"{name}-qqp-2"] == f"robustness/{folder}/related/qqp/2.png"
    (copy / "robustness/advglue/related/rte/1.png").unlink()
    assert "rte, record 2: advglue-related-image: needs robustness/advglue/related/rte/1.png" in broken(
        copy, "advglue-related-image"
    )


def test_unrelated_images_are_chosen_by_the_sample(copy: Path) -> None:
    chosen = {s.id: Path(s.image_path).name for s in AdvText("advglue-unrelated-image-nature")}
    assert len(set(chosen.values())) == 4
    edited(copy, lambda tasks: [records.reverse() for records in tasks.values()])
    turned = {s.id: Path(s.image_path).name for s in AdvText("advglue-unrelated-image-nature", data_root=copy)}
    assert list(turned) != list(chosen)
    assert turned == chosen


def test_index_and_idx_and_labels_as_texts_are_read(copy: Path) -> None:
    before = [s.to_dict() for s in AdvText("advglue-text")]

    def other(tasks: dict[str, Any]) -> None:
        for records in tasks.values():
            for record in records:
                record["index"] = record.pop("idx")
                record["label"] = str(record["label"])

    edited(copy, other)
    assert [s.to_dict() for s in AdvText("advglue-text", data_root=copy)] == before


def test_attacks_on_one_item_share_its_cluster(copy: Path) -> None:
    edited(copy, lambda tasks: tasks["sst2"].append({"sentence": "a brigt film .", "label": 1, "idx": 0}))
    data = [s for s in AdvText("advglue-text", data_root=copy) if s.cluster == "advglue-sst2-0"]
    assert len(data) == len({s.id for s in data}) == 2


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda t: t["mnli"][1].update(label=3), "mnli, record 2: 'label' is 3, but mnli has 0, 1, 2"),
        (lambda t: t["rte"][1].update(label=2), "rte, record 2: 'label' is 2, but rte has 0, 1"),
        (lambda t: t["rte"][1].update(label=True), "rte, record 2: 'label' is True"),
        (lambda t: t["qqp"][0].pop("label"), "qqp, record 1: 'label' is None"),
        (lambda t: t["qqp"][0].pop("question2"), "qqp, record 1: 'question2' must be a text, not None"),
        (lambda t: t["sst2"][2].update(sentence=" "), "sst2, record 3: 'sentence' must be a text, not ' '"),
        (lambda t: t["sst2"][2].pop("idx"), "sst2, record 3: 'idx' (or 'index') must be a number or a text"),
        (lambda t: t["qnli"].__setitem__(1, 7), "qnli, record 2: an object is needed, not 7"),
        (lambda t: t.update(qnli=[]), "qnli: a list of records is needed"),
        (lambda t: t.update(mnli_mm=t.pop("mnli-mm")), "unknown 'task' 'mnli_mm'. Did you mean 'mnli-mm'"),
        (lambda t: t.pop("rte"), "has no task 'rte'; all of 6 are needed"),
    ],
)
def test_a_bad_record_is_named(copy: Path, edit: Callable[[dict[str, Any]], object], said: str) -> None:
    edited(copy, edit)
    message = broken(copy)
    assert "label.json" in message
    assert said in message


def test_a_list_is_refused_and_absent_texts_are_a_skip(copy: Path) -> None:
    path = copy / "robustness/advglue/label.json"
    path.write_text("[1]")
    assert "an object of tasks is needed, not a list" in broken(copy)
    path.unlink()
    with pytest.raises(DataMissing, match=r"advglue-text: needs robustness/advglue/label\.json or dev\.json"):
        AdvText("advglue-text", data_root=copy)
    with pytest.raises(MmteError, match="unknown option 'generate_imag' in dataset_cfg. Did you mean 'generate_image'"):
        AdvText("advglue-text", data_root=copy, generate_imag=True)


@pytest.mark.parametrize("place", ["advglue", ""])
def test_the_published_file(shared: Path, place: str) -> None:
    data = AdvText("advglue-text", data_root=shared / "data" / place)
    assert len(data) == data.expected == 738
    counts = {"mnli": 121, "mnli-mm": 162, "qnli": 148, "qqp": 78, "rte": 81, "sst2": 148}
    assert Counter(s.subset for s in data) == counts
    labels = Counter((s.subset, s.target) for s in data)
    assert (labels["sst2", "1"], labels["qqp", "0"], labels["rte", "0"], labels["mnli", "2"]) == (76, 46, 35, 50)
    assert len({s.id for s in data}) == len({s.cluster for s in data}) == 738
    found = {s.cluster: s for s in data}
    assert "an uneven treat that bores fun at the democratic exercise" in found["advglue-sst2-0"].text
    assert found["advglue-sst2-0"].target == "1"
    assert "We have plenty of space in the landfill ." in found["advglue-mnli-0"].text
    assert found["advglue-mnli-0"].target == "2"
    assert found["advglue-rte-0"].target == "0"
    with pytest.raises(DataMissing, match="needs robustness/advglue/related .*generate_image: true"):
        AdvText("advglue-related-image", data_root=shared / "data" / place)


def test_the_task_names_these_datasets() -> None:
    task = yaml.safe_load(TASK.read_text())
    assert task["datasets"] == IDS
    assert {registry.get_dataset_class(name) for name in IDS} == {AdvText}
