"""`BaseTask(...).pipeline()`: the steps, limits, repetitions, few-shot examples, coverage and the log file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.datasets.base import BaseDataset, ImageTxtSample, TxtSample
from mmte.engine.runtime import Runtime
from mmte.engine.samples import Samples
from mmte.engine.settings import Settings
from mmte.errors import MmteError, Unavailable
from mmte.evaluators.base import BaseEvaluator
from mmte.methods.base import BaseMethod
from mmte.models.spec import parse_model
from mmte.registry import registry
from mmte.tasks.base import BaseTask
from mmte.types import Case, Generation, Request, Sample, Trial


@registry.register_dataset()
class Sums(BaseDataset):
    dataset_ids = ("bt-sums", "bt-pictures")

    def __init__(self, dataset_id: str, method_hook: Any = None, size: int = 12, picture: str = "") -> None:
        super().__init__(dataset_id, method_hook)
        texts = [f"How much is {n} + 1?" for n in range(size)]
        if dataset_id == "bt-pictures":
            self.dataset = [ImageTxtSample(picture, t, n + 1) for n, t in enumerate(texts)]
        else:
            self.dataset = [TxtSample(t, n + 1, {"subset": "ab"[n % 2]}) for n, t in enumerate(texts)]


@registry.register_evaluator()
class Number(BaseEvaluator):
    evaluator_ids = ("bt-number", "bt-length")

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        if self.evaluator_id == "bt-length":
            return [float(len(p)) for p in preds], labels, extras
        return [float(p) if p.isdigit() else None for p in preds], labels, extras


@registry.register_method()
class Politely(BaseMethod):
    method_ids = ("bt-politely",)

    def run(self, data: Any) -> Any:
        return TxtSample(f"Please: {data.text}", data.target, data.extra)


NUMBER = {"bt-number": {"metrics_cfg": {"pred_mean": {}, "accuracy_score": {}, "failure": {}}}}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "cache.sqlite"))


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Any]:
    """Makes a task with settings of the run, e.g. `task("scripted:1", limit=3, config={...})`."""
    made: list[Runtime] = []

    def make(spec: str = "scripted:1", *, config: Any = None, **settings: Any) -> BaseTask:
        told = {"models": {"m": parse_model(f"m={spec}")}, "cache": tmp_path / "cache.sqlite", **settings}
        whole = {"dataset_id": "bt-sums", "evaluator": NUMBER, **(config or {})}
        case = Case("t[d/s/m]", "t", "privacy", "d", "s", "m", whole)
        made.append(Runtime(Settings(**told), [case]))
        return BaseTask.from_case(case, made[-1])

    yield make
    for runtime in made:
        runtime.close()


def questions(task: BaseTask) -> list[str]:
    task.get_handlers()
    return [sample.messages[-1]["content"] for sample in task.samples]


# -- outside pytest --------------------------------------------------------------------------------
def test_a_task_of_a_few_lines(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "sums.json"
    task = BaseTask(
        dataset_id="bt-sums",
        model_id="scripted:1|2|x",
        log_file=log,
        dataset_cfg={"size": 30},
        generation_kwargs={"max_new_tokens": 5, "do_sample": False},
        evaluator_seq_cfgs=[{"bt-number": {"metrics_cfg": {"pred_mean": {}, "failure": {}}}}],
    )
    results = task.pipeline()
    written = json.loads(log.read_text())
    assert written["total_results"] == results["total_results"]
    rows = written["per_sample_results"]
    assert len(rows) == 30
    numbers = [float(row["content"]) for row in rows if row["content"] != "x"]
    assert results["total_results"]["bt-number:pred_mean"] == pytest.approx(sum(numbers) / len(numbers))
    assert results["total_results"]["bt-number:failure"] == pytest.approx(1 - len(numbers) / 30)
    assert {"bt-number:pred_mean_a", "bt-number:pred_mean_b"} <= set(results["total_results"])
    (result,) = task.results
    assert result.counts == {
        "expected": 30, "scored": len(numbers), "unparsed": 30 - len(numbers), "empty": 0, "filtered": 0, "cut": 0,
        "error": 0, "judge": 0, "answered": 30,
    }  # fmt: skip
    assert result.effort["asked"] == 30


def test_what_the_log_file_says_of_a_sample(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    BaseTask("bt-sums", "scripted:7", log, dataset_cfg={"size": 1}, evaluator_seq_cfgs=[NUMBER]).pipeline()
    (row,) = json.loads(log.read_text())["per_sample_results"]
    assert row["id"].startswith("x")
    assert row == {
        "id": row["id"], "subset": "a", "cluster": row["id"], "group": "",
        "messages": [{"role": "user", "content": "How much is 0 + 1?"}], "target": 1, "status": "ok", "content": "7",
        "cut": False, "value": 7.0, "reason": "scored",
    }  # fmt: skip


def test_several_sequences_share_the_answers(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    length = {"bt-length": {"metrics_cfg": {"pred_mean": {}}}}
    task = BaseTask("bt-sums", "scripted:123", log, evaluator_seq_cfgs=[NUMBER, length])
    totals = task.pipeline()["total_results"]
    assert (totals["bt-number:pred_mean"], totals["bt-length:pred_mean"]) == (123.0, 3.0)
    assert task.results[0].effort["asked"] == 12
    written = json.loads(log.read_text())["per_sample_results"]
    assert [[row["value"] for row in rows] for rows in written] == [[123.0] * 12, [3.0] * 12]


def test_nothing_is_written_without_a_log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    BaseTask("bt-sums", "scripted:1", evaluator_seq_cfgs=[NUMBER]).pipeline()
    assert {f.name.partition("-")[0] for f in tmp_path.iterdir()} <= {"cache.sqlite"}


def test_a_second_run_asks_nothing() -> None:
    for asked in (12, 0):
        task = BaseTask("bt-sums", "scripted:1", evaluator_seq_cfgs=[NUMBER])
        task.pipeline()
        assert (task.results[0].effort["asked"], task.results[0].effort["cached"]) == (asked, 12 - asked)


@pytest.mark.parametrize(
    ("kwargs", "expected"),
    [
        ({"dataset_id": "bt-sum"}, "unknown dataset 'bt-sum'. Did you mean 'bt-sums'"),
        ({"evaluator_seq_cfgs": [{"bt-numbr": {}}]}, "unknown evaluator 'bt-numbr'. Did you mean 'bt-number'"),
        ({"method_cfg": {"bt-polite": {}}}, "unknown method 'bt-polite'. Did you mean 'bt-politely'"),
        ({"dataset_cfg": {"sise": 1}}, "dataset 'bt-sums': .*unexpected keyword argument 'sise'"),
        ({"dataset_cfg": {"size": 0}}, "dataset 'bt-sums' is empty"),
        ({"generation_kwargs": {"max_tokens": 1}}, "unknown setting 'max_tokens'. Did you mean 'max_new_tokens'"),
        ({"model_id": "scriptd:1"}, "unknown backend 'scriptd'. Did you mean 'scripted'"),
    ],
)
def test_mistakes_are_one_line(kwargs: dict[str, Any], expected: str) -> None:
    told = {"dataset_id": "bt-sums", "model_id": "scripted:1", "evaluator_seq_cfgs": [NUMBER], **kwargs}
    with pytest.raises(MmteError, match=expected):
        BaseTask(**told).pipeline()


def test_every_step_can_be_overridden(tmp_path: Path) -> None:
    steps: list[str] = []

    class Mine(BaseTask):
        def get_handlers(self) -> None:
            super().get_handlers()
            steps.append("get_handlers")

        def get_dataloader(self) -> Iterable[list[Sample]]:
            steps.append("get_dataloader")
            return [chunk[:4] for chunk in super().get_dataloader()]

        @property
        def expected(self) -> int:
            return 4

        def request(self, sample: Sample, generation: Generation) -> Request:
            message = {"role": "user", "content": f"Sir: {sample.messages[-1]['content']}"}
            return Request((message,), generation)

        def generate(self, dataloader: Iterable[list[Sample]]) -> Iterator[list[Trial]]:
            steps.append("generate")
            for trials in super().generate(dataloader):
                for trial in trials:
                    trial.value = str(len(trial.response.content))
                yield trials

        def eval(self, responses: Iterable[list[Trial]]) -> dict[str, Any]:
            steps.append("eval")
            return {**super().eval(responses), "mine": True}

        def save_results(self, results: Any) -> None:
            steps.append("save_results")
            super().save_results({**results, "saved": 1})

    log = tmp_path / "log.json"
    task = Mine("bt-sums", "scripted:echo", log, evaluator_seq_cfgs=[NUMBER])
    results = task.pipeline()
    assert steps == ["get_handlers", "get_dataloader", "eval", "generate", "save_results"]
    assert results["mine"]
    assert results["total_results"]["bt-number:pred_mean"] == len('["Sir: How much is 0 + 1?"]')
    written = json.loads(log.read_text())
    assert (written["saved"], len(written["per_sample_results"])) == (1, 4)


# -- settings of a run -----------------------------------------------------------------------------
def test_repeats(task: Any) -> None:
    repeated = task("scripted:1|2|3", repeats=3)
    repeated.pipeline()
    (result,) = repeated.results
    assert (result.counts["expected"], result.counts["scored"], result.effort["asked"]) == (36, 36, 36)
    assert {r.generation.repeat for r in repeated.requests()} == {0, 1, 2}
    again = task("scripted:1|2|3", repeats=2)
    again.pipeline()
    assert again.results[0].effort["asked"] == 0


def test_less_than_the_least_coverage_is_no_score(task: Any) -> None:
    broken = task("scripted:1?fail=0.3")
    broken.pipeline()
    (result,) = broken.results
    answered = result.counts["answered"]
    assert 0 < answered < 12
    assert all(e.value is None and e.low is None for e in result.estimates)
    assert result.problem.startswith(f"{answered} of 12 answered: coverage {answered / 12:.3g} is under --mmte-min-cov")
    assert result.problem.endswith("first error: told to fail")
    allowed = task("scripted:1?fail=0.3", min_coverage=0.5)
    allowed.pipeline()
    assert allowed.results[0].problem == ""
    assert next(e for e in allowed.results[0].estimates if e.metric == "pred_mean").value == 1.0


@pytest.mark.parametrize("kind", ["empty", "filtered", "refuse"])
def test_answers_without_a_value_do_not_lower_the_coverage(task: Any, kind: str) -> None:
    odd = task(f"scripted:1?{kind}=1")
    odd.pipeline()
    (result,) = odd.results
    assert (result.coverage, result.problem, result.counts["scored"]) == (1.0, "", 0)
    assert next(e for e in result.estimates if e.metric == "pred_mean").value is None


def test_a_model_that_reads_text_only_is_no_fault(task: Any, tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    picture.write_bytes(b"picture")
    config = {"dataset_id": "bt-pictures", "dataset_cfg": {"picture": str(picture)}}
    with pytest.raises(Unavailable, match="model 'm' reads text only, and bt-pictures shows images"):
        task("scripted:1?modalities=text", config=config).pipeline()
    seeing = task("scripted:1", config=config)
    seeing.pipeline()
    assert seeing.results[0].counts["scored"] == 12
    assert len({sample.cluster for sample in seeing.samples}) == 1


def test_a_method_changes_what_is_asked(task: Any) -> None:
    plain = task()
    polite = task(config={"method_cfg": {"bt-politely": {}}})
    assert questions(polite) == [f"Please: {q}" for q in questions(plain)]
    assert [s.id for s in polite.samples] == [s.id for s in plain.samples]


# -- few-shot --------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", [{}, {"bt-politely": {}}])
@pytest.mark.parametrize("n", [1, 3, 11])
def test_no_question_is_shown_its_own_answer(task: Any, n: int, method: dict[str, Any]) -> None:
    fewshot = {"n": n, "dataset_id": "bt-sums", "dataset_cfg": {}, "answer": "It is {target}."}
    shot = task(config={"fewshot": fewshot, "method_cfg": method})
    shot.get_handlers()
    shown = set()
    for sample in shot.samples:
        *before, question = sample.messages
        assert [m["role"] for m in before] == ["user", "assistant"] * n
        asked = [m["content"] for m in before[::2]]
        assert len(set(asked)) == n
        assert question["content"].removeprefix("Please: ") not in asked
        assert all(a["content"] == f"It is {int(q.split()[3]) + 1}." for q, a in zip(asked, before[1::2], strict=True))
        shown.update(asked)
    assert len(shown) == n + 1


def test_few_shot_needs_enough_examples(task: Any) -> None:
    config = {"dataset_cfg": {"size": 3}, "fewshot": {"n": 4, "dataset_id": "bt-sums", "dataset_cfg": {"size": 3}}}
    with pytest.raises(MmteError, match="few-shot: dataset 'bt-sums' has 3 samples, 4 are asked for"):
        task(config=config).pipeline()


# -- limits ----------------------------------------------------------------------------------------
class Clustered(BaseDataset):
    dataset_ids = ("bt-clustered",)

    def __init__(self, rows: Sequence[tuple[int, int]]) -> None:
        super().__init__("bt-clustered")
        self.dataset = [
            TxtSample(str(n), id=f"i{n}", subset=f"s{subset}", cluster=f"s{subset}-c{cluster}")
            for n, (subset, cluster) in enumerate(rows)
        ]


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), min_size=1, max_size=60)


@given(ROWS, st.integers(1, 20), st.integers(0, 20))
def test_a_smaller_limit_selects_a_part_of_a_larger_one(rows: list[tuple[int, int]], limit: int, more: int) -> None:
    dataset = Clustered(rows)
    everything = list(Samples(dataset))
    small, large = (list(Samples(dataset, limit=n)) for n in (limit, limit + more))
    assert {s.id for s in small} <= {s.id for s in large}
    assert [s.id for s in small] == [s.id for s in everything if s in small]  # in the order of the data
    for subset in {s.subset for s in everything}:
        part = [s for s in everything if s.subset == subset]
        picked = [s for s in small if s.subset == subset]
        assert len(picked) >= min(limit, len(part))
        taken = {s.cluster for s in picked}
        assert [s for s in part if s.cluster in taken] == picked  # whole clusters
        sizes = [len([s for s in picked if s.cluster == cluster]) for cluster in taken]
        assert len(picked) - max(sizes) < limit  # and no more of them than the limit needs


@given(ROWS, st.integers(1, 9), st.randoms())
def test_a_limit_does_not_depend_on_the_order_of_the_data(rows: list[tuple[int, int]], limit: int, random: Any) -> None:
    dataset = Clustered(rows)
    before = {s.id for s in Samples(dataset, limit=limit)}
    random.shuffle(dataset.dataset)
    assert {s.id for s in Samples(dataset, limit=limit)} == before


def test_a_limit_counts_in_the_results(task: Any) -> None:
    limited = task(limit=3)
    limited.pipeline()
    assert (limited.results[0].counts["expected"], limited.results[0].counts["scored"]) == (6, 6)
    assert set(questions(limited)) < set(questions(task()))
