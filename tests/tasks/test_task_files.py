"""What a good task file becomes: datasets x variants x languages x evaluator sequences x models."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mmte.datasets.base import BaseDataset, TxtSample
from mmte.errors import MmteError
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.plugin.mark import is_task_file
from mmte.registry import registry
from mmte.tasks.config import KEYS, TaskSpec, load_task
from mmte.tasks.overrides import parse
from mmte.types import Case

ROOT = Path(__file__).resolve().parents[2]


@registry.register_dataset()
class Letters(BaseDataset):
    dataset_ids = ("tc-letters", "tc-digits")

    def __init__(self, dataset_id: str, method_hook: Any = None, case: str = "lower", language: str = "en") -> None:
        super().__init__(dataset_id, method_hook)
        self.dataset = [TxtSample(f"{language}:{case}:{c}") for c in "abc"]


@registry.register_evaluator()
class Judged(BaseEvaluator):
    evaluator_ids = ("tc-rule", "tc-judged")

    def __init__(self, evaluator_id: str, judge: str | None = None, metrics_cfg: Any = None) -> None:
        super().__init__(evaluator_id, metrics_cfg)
        self.model = judge


@pytest.fixture
def task(tmp_path: Path) -> Any:
    """Reads a task file with the lines that are given; `evaluators` stays a simple one unless named."""

    def make(text: str, *overrides: str, name: str = "t1-letters.yaml") -> TaskSpec:
        if "evaluator" not in text:
            text += "\nevaluators: {rule: {tc-rule: {metrics_cfg: {pred_mean: {}}}}}\n"
        if not re.search("^dataset(s|_id):", text, re.MULTILINE):
            text += "\ndataset_id: tc-letters\n"
        file = tmp_path / name
        file.write_text(f"# mmte.task/1\naspect: privacy\n{text}", encoding="utf-8")
        return load_task(file, [parse(o, KEYS) for o in overrides])

    return make


def cases(spec: TaskSpec, *models: str) -> dict[str, Case]:
    return {c.id: c for c in spec.cases(models or ("m",))}


# -- datasets --------------------------------------------------------------------------------------
def test_one_case_for_each_dataset_sequence_and_model(task: Any) -> None:
    spec = task(
        "datasets: [tc-letters, {dataset_id: tc-digits, name: numbers}]\n"
        "evaluators: {one: {tc-rule: {metrics_cfg: {pred_mean: {}}}}, two: {tc-rule: {metrics_cfg: {failure: {}}}}}"
    )
    found = cases(spec, "m1", "m2")
    assert list(found) == [
        f"t1-letters[{d}/{s}/{m}]" for m in ("m1", "m2") for d in ("tc-letters", "numbers") for s in ("one", "two")
    ]
    case = found["t1-letters[numbers/two/m2]"]
    assert (case.task, case.aspect, case.dataset, case.sequence, case.model) == (
        "t1-letters", "privacy", "numbers", "two", "m2",
    )  # fmt: skip
    assert case.config["dataset_id"] == "tc-digits"
    assert all(re.fullmatch(r"[\w.+-]+\[[\w.+/-]+\]", name) for name in found)


def test_variants_times_languages(task: Any) -> None:
    spec = task(
        "dataset_cfg: {case: lower}\n"
        "variants: {small: {}, big: {case: upper}}\nlanguages: {en: {}, 'no': {language: nb}, th: {language: th}}"
    )
    assert list(spec.datasets) == [f"tc-letters.{v}.{lang}" for v in ("small", "big") for lang in ("en", "no", "th")]
    config = spec.datasets["tc-letters.big.no"]
    assert config["dataset_cfg"] == {"case": "upper", "language": "nb"}
    assert (config["variant"], config["language"]) == ("big", "no")
    assert spec.datasets["tc-letters.small.en"]["dataset_cfg"] == {"case": "lower"}


def test_a_dataset_has_variants_of_its_own(task: Any) -> None:
    spec = task(
        "variants: {a: {}, b: {}}\n"
        "datasets:\n- tc-letters\n- {dataset_id: tc-digits, variants: {c: {case: upper}, '': {}}, languages: {th: {}}}"
    )
    assert list(spec.datasets) == ["tc-letters.a", "tc-letters.b", "tc-digits.c.th", "tc-digits.th"]
    assert spec.datasets["tc-digits.th"]["variant"] == ""


def test_the_same_dataset_under_two_names(task: Any) -> None:
    spec = task("datasets: [tc-letters, {dataset_id: tc-letters, name: loud, dataset_cfg: {case: upper}}]")
    assert list(spec.datasets) == ["tc-letters", "loud"]


def test_a_dataset_s_settings_lie_on_top_of_the_task_s(task: Any) -> None:
    spec = task(
        "generation_kwargs: {max_new_tokens: 20, do_sample: false}\ndataset_cfg: {case: lower, language: th}\n"
        "datasets:\n- tc-letters\n- dataset_id: tc-digits\n  generation_kwargs: {max_new_tokens: 5}\n"
        "  dataset_cfg: {case: upper}"
    )
    assert spec.datasets["tc-letters"]["generation_kwargs"] == {"max_new_tokens": 20, "do_sample": False}
    assert spec.datasets["tc-digits"]["generation_kwargs"] == {"max_new_tokens": 5, "do_sample": False}
    assert spec.datasets["tc-digits"]["dataset_cfg"] == {"case": "upper", "language": "th"}


def test_few_shot_examples_come_from_the_same_version_of_the_data(task: Any) -> None:
    spec = task("fewshot: {n: 2, answer: 'It is {target}'}\nlanguages: {th: {language: th}, en: {}}")
    assert spec.datasets["tc-letters.th"]["fewshot"] == {
        "n": 2, "answer": "It is {target}", "dataset_id": "tc-letters", "dataset_cfg": {"language": "th"},
    }  # fmt: skip
    other = task("fewshot: {n: 2, dataset_id: tc-digits}\ndataset_cfg: {case: upper}").datasets["tc-letters"]
    assert other["fewshot"] == {"n": 2, "dataset_id": "tc-digits", "dataset_cfg": {}}
    none = task("datasets: [{dataset_id: tc-letters, fewshot: {n: 1}}, tc-digits]")
    assert none.datasets["tc-letters"]["fewshot"]["n"] == 1
    assert none.datasets["tc-digits"]["fewshot"] == {}


# -- evaluators ------------------------------------------------------------------------------------
def test_sequences_of_the_seeds_are_named_after_their_evaluators(task: Any) -> None:
    spec = task(
        "evaluator_seq_cfgs:\n- {tc-judged: {judge: j}, tc-rule: {metrics_cfg: {pred_mean: {}}}}\n"
        "- {tc-rule: {metrics_cfg: {failure: {}}}}\n- {tc-rule: {metrics_cfg: {failure: {}}}, name: again}"
    )
    assert list(spec.sequences) == ["tc-judged+tc-rule", "tc-rule", "again"]
    assert SequentialEvaluator(spec.sequences["tc-judged+tc-rule"]["evaluator"]).judges == ["j"]


@pytest.mark.parametrize("how", ["any", "all", "unless"])
def test_joins(task: Any, how: str) -> None:
    spec = task(
        f"evaluators:\n  both:\n    {how}: [{{tc-rule: {{}}}}, {{tc-judged: {{judge: j}}, tc-rule: {{}}}}]\n"
        "    metrics_cfg: {pred_mean: {}}\n    direction: {pred_mean: down}\n    thresholds: {pred_mean: '< 0.1'}"
    )
    case = cases(spec)["t1-letters[tc-letters/both/m]"]
    assert case.config["direction"] == {"pred_mean": "down"}
    assert case.config["thresholds"] == {"pred_mean": "< 0.1"}
    sequence = SequentialEvaluator(case.config["evaluator"])
    assert sequence.key == f"{how}(tc-rule,tc-judged->tc-rule)"
    assert list(sequence.metrics_cfg) == ["pred_mean"]


def test_the_last_stage_of_a_list_has_the_metrics(task: Any) -> None:
    spec = task(
        "evaluators:\n  twice:\n  - tc-rule: {}\n  - any: [{tc-rule: {}}, {tc-rule: {}}]\n"
        "    metrics_cfg: {pred_mean: {}}\n    thresholds: {pred_mean/part: '> 0'}"
    )
    chain = spec.sequences["twice"]
    assert chain["thresholds"] == {"pred_mean/part": "> 0"}
    assert list(SequentialEvaluator(chain["evaluator"]).metrics_cfg) == ["pred_mean"]


def test_limits_of_the_task_go_to_the_sequences_that_have_the_metric(task: Any) -> None:
    spec = task(
        "thresholds: {pred_mean: '>= 0.5', failure: '< 0.2', failure/hard: '< 0.4'}\ndirection: {pred_mean: down}\n"
        "evaluators:\n"
        "  one: {tc-rule: {metrics_cfg: {pred_mean: {}}}, thresholds: {pred_mean: '>= 0.9'}}\n"
        "  two: {tc-rule: {metrics_cfg: {failure: {}, pred_mean: {}}}, direction: {pred_mean: up}}\n"
        "  three: {tc-rule: {metrics_cfg: {pred_sum: {}}}}"
    )
    found = {name: (c["thresholds"], c["direction"]) for name, c in spec.sequences.items()}
    assert found == {
        "one": ({"pred_mean": ">= 0.9"}, {"pred_mean": "down"}),
        "two": ({"pred_mean": ">= 0.5", "failure": "< 0.2", "failure/hard": "< 0.4"}, {"pred_mean": "up"}),
        "three": ({}, {}),
    }


# -- the rest --------------------------------------------------------------------------------------
def test_names_versions_and_defaults(task: Any) -> None:
    metadata = "{version: 3, changes: {3: Better.}, sources: a, authors: [b], licence: MIT}"
    spec = task(f"task: t1\ntitle: T\nmetadata: {metadata}")
    assert (spec.name, spec.title, spec.default_model) == ("t1", "T", "")
    assert {k: spec.common[k] for k in ("version", "kind", "sub_aspect")} == {
        "version": 3, "kind": "chat", "sub_aspect": "",
    }  # fmt: skip
    assert task("").common["version"] == 1
    assert task("model_id: smollm2-135m\nlog_file: logs/x.json").default_model == "smollm2-135m"
    assert task("kind: raw", name="t.x.yml").name == "t.x"


def test_a_byte_order_mark_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bom.yaml"
    evaluators = "evaluators: {r: {tc-rule: {metrics_cfg: {failure: }}}}"
    file.write_text(f"# mmte.task/1\naspect: privacy\ndataset_id: tc-letters\n{evaluators}", encoding="utf-8-sig")
    assert list(load_task(file).sequences) == ["r"]


def test_overrides_are_checked_like_the_file(task: Any) -> None:
    assert task("", "task=renamed", "title=New").name == "renamed"
    assert task("", "other:generation_kwargs.max_new_tokens=0").datasets["tc-letters"]["generation_kwargs"] == {}
    with pytest.raises(MmteError, match=r"t1-letters\.yaml:\d+: generation_kwargs\.max_new_tokens: .* whole number"):
        task("", "t1-letters:generation_kwargs.max_new_tokens=0")
    with pytest.raises(MmteError, match=r"t1-letters\.yaml:\d+: dataset_id: unknown dataset 'tc-leters'. Did you mean"):
        task("", "dataset_id=tc-leters")


def test_configs_are_plain_json(task: Any) -> None:
    spec = task("dataset_cfg: {since: 2024-01-01}\nvariants: {a: {}}\nfewshot: {n: 1}\ngeneration_kwargs: {seed: 1}")
    for case in spec.cases(["m"]):
        assert json.loads(json.dumps(case.config)) == case.config


OURS = [f for f in sorted((ROOT / "benchmarks").rglob("*.yaml")) if is_task_file(f)]  # scores.yaml is something else


@pytest.mark.parametrize("file", OURS, ids=lambda f: f.stem)
def test_our_own_task_files_are_good(file: Path) -> None:
    spec = load_task(file)
    assert spec.aspect == file.parent.name
    assert list(spec.cases(["m"]))


def test_task_files_of_mmtrusteval_need_two_lines_more(
    shared: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    seeds = sorted((shared / "data" / "mmtrusteval" / "mmte" / "configs" / "task").rglob("*.yaml"))
    assert len(seeds) == 12
    for seed in seeds:
        with subtests.test(seed.stem):
            ours = tmp_path / seed.name
            ours.write_text(f"# mmte.task/1\naspect: {seed.parent.name}\n{seed.read_text('utf-8')}", encoding="utf-8")
            check_seed(ours)


def check_seed(file: Path) -> None:
    """It loads, or says which dataset or evaluator is not there yet."""
    try:
        spec = load_task(file)
    except MmteError as error:
        missing = re.search(r"unknown (dataset|evaluator) '([\w-]+)'", str(error))
        assert missing, error
        known = {"dataset": registry.list_datasets(), "evaluator": registry.list_evaluators()}
        assert missing[2] not in known[missing[1]]
        assert missing[2] in file.read_text("utf-8")
    else:
        assert spec.default_model
        assert len(spec.datasets) == 1
