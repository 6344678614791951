"""Phases: who is loaded when, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mmte.datasets.base import BaseDataset, TxtSample
from mmte.engine.pool import Pool
from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError, ModelGone, Unavailable
from mmte.evaluators.base import UNPARSED, BaseEvaluator
from mmte.models.base import BaseChat
from mmte.models.spec import parse_model
from mmte.registry import registry
from mmte.types import Case, Request, Response, Trial


@registry.register_dataset()
class Phased(BaseDataset):
    dataset_ids: ClassVar[Sequence[str]] = ("phased",)

    def __init__(self, dataset_id: str, method_hook: Any = None, *, n: int = 30, word: str = "a") -> None:
        super().__init__(dataset_id, method_hook)
        self.dataset = [TxtSample(f"{word} {i}", 1.0) for i in range(n)]


@registry.register_evaluator()
class PhasedJudge(BaseEvaluator):
    evaluator_ids: ClassVar[Sequence[str]] = ("phased-judge",)
    chunk = 8

    def __init__(self, evaluator_id: str, judge: str, metrics_cfg: Any = None) -> None:
        super().__init__(evaluator_id, metrics_cfg)
        self.model = judge

    def requests(self, trial: Trial) -> Sequence[Request]:
        return [Request(({"role": "user", "content": f"{trial.sample.id}: is {trial.value!r} right?"},))]

    def read(self, trial: Trial, replies: Sequence[Response]) -> Any:
        return {"Yes": 1.0, "No": 0.0}.get(replies[0].content, UNPARSED)


def case(model: str, word: str, judges: Sequence[str] = (), n: int = 30) -> Case:
    metrics = {"pred_mean": {}}
    if judges:
        chain: Any = [{"phased-judge": {"judge": j, "metrics_cfg": metrics}} for j in judges]
    else:
        chain = {"rule_match_and_score_eval": {"metrics_cfg": {"failure": {}}}}
    name = "+".join(judges) or "rule"
    config = {"dataset_id": "phased", "dataset_cfg": {"word": word, "n": n}, "evaluator": chain}
    return Case(f"t[{word}/{name}/{model}]", "t", "safety", word, name, model, config)


def runtime(
    folder: Path, cases: Sequence[Case], judges: dict[str, str], worker: str | None = None, **models: str
) -> Runtime:
    def spec(name: str, text: str) -> Any:
        return parse_model(f"{name}=scripted:{text}{'&' if '?' in text else '?'}device=gpu&log={folder / 'log'}")

    settings = Settings(
        models={n: spec(n, t) for n, t in models.items()}, judges={n: spec(n, t) for n, t in judges.items()},
        cache=folder / "c.sqlite", state_dir=folder / "state", worker=worker,
    )  # fmt: skip
    return Runtime(settings, cases)


def test_every_model_is_loaded_once_whatever_reads_whose_answers(tmp_path: Path) -> None:
    cases = [case(m, w) for m in ("one", "two") for w in ("a", "b")]
    cases += [case(m, w, js) for m in ("one", "two") for w in ("b", "c") for js in (["j1"], ["j1", "j2"], ["j2"])]
    run = runtime(tmp_path, cases, {"j1": "Yes", "j2": "Yes|No"}, one="x|y", two="z")
    results = [run.ensure(c) for c in cases]
    assert run.pool.loads == ["one", "two", "j1", "j2"]
    assert all(r.counts["scored"] == 30 for r in results[4:])
    assert [r.case for r in results] == [c.id for c in cases]
    words = (tmp_path / "log").read_text().splitlines()
    assert len(words) == len(set(words)), "nothing is asked twice"
    run.close()


def test_a_chain_that_comes_back_to_a_judge_is_finished(tmp_path: Path) -> None:
    cases = [case("one", "a", ["j1", "j2", "j1"])]
    run = runtime(tmp_path, cases, {"j1": "Yes", "j2": "No"}, one="x")
    result = run.ensure(cases[0])
    assert result.counts["scored"] == 30
    assert result.estimates[0].value == 1.0
    run.close()


def test_a_judge_that_fails_leaves_its_trials_unscored_and_lowers_coverage(tmp_path: Path) -> None:
    cases = [case("one", "a", ["j1"], n=200)]
    run = runtime(tmp_path, cases, {"j1": "Yes?fail=0.1"}, one="x")
    result = run.ensure(cases[0])
    assert 5 < result.counts["judge"] < 40
    assert result.coverage == pytest.approx(1 - result.counts["judge"] / 200)
    assert "--mmte-min-coverage" in result.problem
    assert result.estimates[0].value is None
    assert result.estimates[0].bounds == pytest.approx((1 - result.counts["judge"] / 200, 1.0))
    run.close()


def test_a_judge_that_mumbles_is_unparsed_not_a_no(tmp_path: Path) -> None:
    cases = [case("one", "a", ["j1"])]
    run = runtime(tmp_path, cases, {"j1": "inconsistent, I think"}, one="x")
    result = run.ensure(cases[0])
    assert (result.counts["unparsed"], result.coverage, result.problem) == (30, 1.0, "")
    assert result.estimates[0].value is None
    run.close()


def test_a_missing_judge_skips_with_the_option(tmp_path: Path) -> None:
    cases = [case("one", "a", ["j1"])]
    run = runtime(tmp_path, cases, {}, one="x")
    with pytest.raises(Unavailable, match="--judge j1=SPEC"):
        run.ensure(cases[0])
    assert run.preview(cases[0]).skip
    assert not (tmp_path / "log").exists()
    run.close()


def test_a_dead_judge_fails_the_items_it_reads_and_no_others(tmp_path: Path) -> None:
    cases = [case("one", "a"), case("one", "a", ["j1"]), case("one", "a", ["j2"])]
    run = runtime(tmp_path, cases, {"j1": "No?gone=load", "j2": "Yes"}, one="x")
    assert run.ensure(cases[0]).problem == ""
    with pytest.raises(ModelGone, match="told to be gone"):
        run.ensure(cases[1])
    assert run.ensure(cases[2]).counts["scored"] == 30
    run.close()


def test_preview_counts_and_asks_nothing(tmp_path: Path) -> None:
    cases = [case("one", "a"), case("one", "b")]
    run = runtime(tmp_path, cases, {}, one="x")
    run.ensure(cases[0])
    before = (tmp_path / "log").read_text()
    assert (run.preview(cases[0]).cached, run.preview(cases[1]).to_ask) == (30, 30)
    assert (tmp_path / "log").read_text() == before
    run.close()


def test_one_model_on_a_device_at_a_time(tmp_path: Path) -> None:
    events: list[str] = []

    class Fake(BaseChat):
        def __init__(self, name: str, device: Any) -> None:
            super().__init__(name)
            self.device = device

        def load(self) -> None:
            events.append(f"+{self.model_id}")

        def close(self) -> None:
            events.append(f"-{self.model_id}")

    pool = Pool({})
    for name, device in (("a", "gpu"), ("b", "gpu"), ("c", "none"), ("d", "cpu")):
        pool.add(name, Fake(name, device))
    for name in "acdbca":
        pool.ready(name)
    pool.close()
    assert events[:7] == ["+a", "+c", "+d", "-a", "+b", "-b", "+a"]
    assert sorted(events[7:]) == ["-a", "-c", "-d"]


def test_workers_take_a_gpu_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("MMTE_GPUS", "0,1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    seen = []
    pools = []
    for number in range(2):
        pool = Pool({"m": parse_model(f"m=scripted:x?device=gpu&log={tmp_path / 'log'}")}, tmp_path)
        pool.ready("m")
        seen.append(os.environ["CUDA_VISIBLE_DEVICES"])
        pools.append(pool)
        assert len(pools) == number + 1
    assert seen == ["0", "1"]
    pools[0].close()
    third = Pool({"m": parse_model(f"m=scripted:x?device=gpu&log={tmp_path / 'log'}")}, tmp_path)
    third.ready("m")
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0"
    for pool in (pools[1], third):
        pool.close()


def test_a_model_nobody_named_is_an_error_with_near_names() -> None:
    with pytest.raises(MmteError, match="Did you mean 'qwen'"):
        Pool({"qwen": parse_model("qwen=scripted:x")}).model("qwem")
