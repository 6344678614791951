"""Panels of judges: whose vote counts, when there is no majority, and what is kept of every vote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError
from mmte.evaluators.panel import Panels, majority
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.models.base import BaseChat
from mmte.models.spec import parse_model, seats
from mmte.types import Generation, Request, Response, Sample, Trial

YES_NO: dict[str, Any] = {
    "chatmodel_eval": {"prompt_template": "Is this right? {pred}"},
    "rule_yes_or_no_eval": {"metrics_cfg": {"pred_mean": {}}},
}
GRADES: dict[str, Any] = {
    "chatmodel_eval": {"prompt_template": "Grade this: {pred}"},
    "rule_score_eval": {"metrics_cfg": {"pred_mean": {}}},
}


class Moody(BaseChat):
    """Says the n-th of its answers to the n-th repetition of any question; notes what it was asked."""

    kinds = frozenset({"chat", "raw", "classify"})
    device = "none"

    def __init__(self, *says: str) -> None:
        super().__init__("moody")
        self.says, self.asked = says, list[tuple[str, int]]()

    def identity(self) -> dict[str, Any]:
        return {"says": self.says}

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        for request in requests:
            repeat = request.generation.repeat
            self.asked.append((request.messages[0]["content"], repeat))
            said = self.says[repeat % len(self.says)]
            failed = Response.failed("told to fail", model_id="moody")
            yield [(request, failed if said == "FAIL" else Response("moody", said))]


def trials(*answers: str, target: Any = None) -> list[Trial]:
    samples = [Sample(f"s{n}", ({"role": "user", "content": "What is it?"},), target) for n, _ in enumerate(answers)]
    return [Trial(s, Response("m", a), a, "scored", target) for s, a in zip(samples, answers, strict=True)]


def judged(chain: Any, *judges: Moody, repeats: int = 1, answers: tuple[str, ...] = ("a cat",)) -> list[Trial]:
    """Trials that a panel of these judges has read."""
    names = tuple(f"judge#{n}" for n in range(1, len(judges) + 1)) if len(judges) > 1 else ("judge",)
    run = Runtime(Settings(panels={"judge": names} if len(judges) > 1 else {}, judge_repeats=repeats))
    for name, model in zip(names, judges, strict=True):
        run.pool.add(name, model)
    found = trials(*answers)
    assert SequentialEvaluator(chain, run.scoring, run.panels).run(found, run.answers)
    run.close()
    return found


# -- the vote ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        (["Yes", "Yes", "No"], (1.0, "scored")),
        (["No", "Yes", "No"], (0.0, "scored")),
        (["Yes", "No"], (None, "unparsed")),
        (["Yes", "hm", "Yes"], (1.0, "scored")),
        (["Yes", "hm", "No"], (None, "unparsed")),
        (["Yes", "hm", "hm"], (None, "unparsed")),
        (["hm", "hm", "hm"], (None, "unparsed")),
        (["Yes", "Yes", "FAIL"], (1.0, "scored")),
        (["Yes", "No", "FAIL"], (None, "judge")),
        (["Yes", "FAIL"], (None, "judge")),
        (["FAIL", "FAIL"], (None, "judge")),
        (["hm", "hm", "hm", "FAIL"], (None, "unparsed")),
    ],
)
def test_more_than_half_of_the_judges_decide(says: list[str], verdict: tuple[Any, str]) -> None:
    (trial,) = judged(YES_NO, *map(Moody, says))
    assert (trial.value, trial.reason) == verdict


@given(st.lists(st.sampled_from([(1.0, "scored"), (0.0, "scored"), (None, "unparsed"), (None, "judge")]), min_size=1))
def test_a_verdict_stands_whatever_the_others_had_said(verdicts: Any) -> None:
    """Neither a failure that turns into any verdict nor the order changes a decided vote."""
    value, reason = majority(verdicts)
    assert majority(verdicts[::-1]) == (value, reason)
    if reason != "scored":
        assert value is None
        return
    for said in (0.0, 1.0):
        changed = [(said, "scored") if r != "scored" else (v, r) for v, r in verdicts]
        assert majority(changed) == (value, "scored")


@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        (["25", "75", "100"], (75.0, "scored")),
        (["50", "100"], (75.0, "scored")),
        (["25", "hm", "75"], (50.0, "scored")),
        (["25", "hm"], (None, "unparsed")),
        (["25", "FAIL"], (None, "judge")),
    ],
)
def test_grades_have_a_median(says: list[str], verdict: tuple[Any, str]) -> None:
    (trial,) = judged(GRADES, *map(Moody, says))
    assert (trial.value, trial.reason) == verdict


# -- what is kept --------------------------------------------------------------------------------
def test_every_judge_stands_beside_the_value() -> None:
    (trial,) = judged(YES_NO, Moody("Yes"), Moody("No, never"), Moody("Yes!"))
    assert trial.steps == {
        "judge#1: chatmodel_eval:pred_no_op": "Yes",
        "judge#1: chatmodel_eval->rule_yes_or_no_eval": 1.0,
        "judge#2: chatmodel_eval:pred_no_op": "No, never",
        "judge#2: chatmodel_eval->rule_yes_or_no_eval": 0.0,
        "judge#3: chatmodel_eval:pred_no_op": "Yes!",
        "judge#3: chatmodel_eval->rule_yes_or_no_eval": 1.0,
        "ballots": {"agreement": [1.0, 0.0, 1.0]},
    }


def test_names_of_results_are_those_of_the_chain() -> None:
    chain = SequentialEvaluator(YES_NO, panels=Panels({"judge": ("judge#1", "judge#2")}))
    assert chain.key == SequentialEvaluator(YES_NO).key
    assert chain.metrics_cfg == {"pred_mean": {}}
    assert chain.judges == ["judge#1", "judge#2"]
    assert chain.judge_specs["judge#2"] == "openai:MODEL@URL"
    assert (chain.chunk, chain.value_range) == (1024, (0.0, 1.0))


def test_one_judge_asked_once_is_no_panel() -> None:
    alone = SequentialEvaluator(YES_NO, panels=Panels())
    assert alone.identity() == SequentialEvaluator(YES_NO).identity()
    (trial,) = judged(YES_NO, Moody("Yes"))
    assert trial.steps == {"chatmodel_eval:pred_no_op": "Yes"}


def test_panels_and_repetitions_are_part_of_the_identity() -> None:
    seen = [
        SequentialEvaluator(YES_NO, panels=panels).identity()
        for panels in (Panels(), Panels(repeats=2), Panels(repeats=3), Panels({"judge": ("a", "b")}))
    ]
    assert all(one != other for n, one in enumerate(seen) for other in seen[:n])


# -- who gave no verdict -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("says", "repeats", "without"),
    [
        (["Yes", "Yes"], 1, None),
        (["Yes", "No"], 1, {"tie of": [2]}),
        (["Yes", "No", "hm"], 1, {"no verdict": ["judge#3"], "tie of": [3]}),
        (["Yes", "Yes", "hm", "FAIL"], 1, {"failed": ["judge#4"], "no verdict": ["judge#3"]}),
        (["Yes", "No", "FAIL"], 1, {"failed": ["judge#3"]}),  # whose vote would have decided
        (["Yes No"], 2, {"tie of": [2]}),
        (["Yes", "Yes No"], 2, {"tie of": [4]}),
        (["Yes", "Yes", "Yes No"], 2, None),
        (["hm"], 2, None),
    ],
)
def test_who_gave_no_verdict_stands_in_the_steps(says: list[str], repeats: int, without: Any) -> None:
    (trial,) = judged(YES_NO, *(Moody(*said.split()) for said in says), repeats=repeats)
    assert trial.steps is not None
    assert trial.steps.get("panel") == without


def test_grades_cannot_tie() -> None:
    (trial,) = judged(GRADES, Moody("25"), Moody("75"))
    assert trial.steps is not None
    assert "panel" not in trial.steps


# -- repetitions ---------------------------------------------------------------------------------
def test_each_repetition_is_asked_and_the_majority_counts() -> None:
    judge = Moody("Yes", "No", "No")
    (trial,) = judged(YES_NO, judge, repeats=3)
    assert (trial.value, trial.reason) == (0.0, "scored")
    assert [repeat for _, repeat in judge.asked] == [0, 1, 2]
    assert trial.steps is not None
    assert trial.steps["ballots"] == {"self": [1.0, 0.0, 0.0]}
    assert trial.steps["judge~1: chatmodel_eval:pred_no_op"] == "Yes"


def test_repetitions_of_several_judges_are_counted_per_judge_first() -> None:
    """Five of nine replies are Yes, and two of three judges say No."""
    judges = Moody("Yes", "Yes", "Yes"), Moody("Yes", "No", "No"), Moody("No", "Yes", "No")
    (trial,) = judged(YES_NO, *judges, repeats=3)
    assert trial.value == 0.0
    assert trial.steps is not None
    assert trial.steps["ballots"] == {
        "agreement": [1.0, 0.0, 0.0],
        "self.judge#1": [1.0, 1.0, 1.0],
        "self.judge#2": [1.0, 0.0, 0.0],
        "self.judge#3": [0.0, 1.0, 0.0],
    }


def test_a_classifier_is_not_asked_again_for_it_cannot_change_its_mind() -> None:
    chain = {"hf_classifier_eval": {"model": "judge", "labels": ["toxic"], "metrics_cfg": {"pred_mean": {}}}}
    panels = Panels(repeats=3)
    assert SequentialEvaluator(chain, panels=panels).identity() == SequentialEvaluator(chain).identity()


# -- chains --------------------------------------------------------------------------------------
def test_stages_before_the_judge_run_once() -> None:
    chain = [{"rule_yes_or_no_eval": {}}, *[{k: v} for k, v in YES_NO.items()]]
    judges = Moody("Yes"), Moody("No"), Moody("Yes")
    (trial,) = judged(chain, *judges, answers=("No.",))
    assert trial.value == 1.0
    assert trial.steps is not None
    assert trial.steps["rule_yes_or_no_eval:pred_no_op"] == 0.0
    assert "judge#2: rule_yes_or_no_eval->chatmodel_eval->rule_yes_or_no_eval" in trial.steps
    assert "Is this right? <answer-" in judges[0].asked[0][0]


def test_a_panel_inside_a_join_votes_before_the_join() -> None:
    first = {"chatmodel_eval": {"prompt_template": "First? {pred}"}, "rule_yes_or_no_eval": {}}
    chain = {"unless": [first, {"rule_yes_or_no_eval": {}}], "metrics_cfg": {"pred_mean": {}}}
    judges = Moody("Yes"), Moody("No"), Moody("Yes")
    found = judged(chain, *judges, answers=("No.", "Yes."))
    assert [t.value for t in found] == [1.0, 0.0]
    assert found[0].steps is not None
    assert found[0].steps["ballots"] == {"agreement": [1.0, 0.0, 1.0]}


def test_ballots_of_two_panels_of_a_join_are_told_apart() -> None:
    parts = [{"chatmodel_eval": {"prompt_template": f"{n}? {{pred}}"}, "rule_yes_or_no_eval": {}} for n in range(2)]
    (trial,) = judged({"any": parts, "metrics_cfg": {"pred_mean": {}}}, Moody("Yes"), Moody("Yes"))
    assert trial.steps is not None
    assert trial.steps["ballots"] == {"agreement.1": [1.0, 1.0], "agreement.2": [1.0, 1.0]}


def test_two_judges_with_names_of_their_own_meet_in_every_combination() -> None:
    chain = {"unless": [{**YES_NO}, {"harmbenchmodel_eval": {"model": "harm"}}], "metrics_cfg": {"pred_mean": {}}}
    panels = Panels({"judge": ("judge#1", "judge#2"), "harm": ("harm#1", "harm#2")})
    assert SequentialEvaluator(chain, panels=panels).judges == ["judge#1", "judge#2", "harm#1", "harm#2"]


def test_a_chain_waits_for_the_phase_of_each_judge(tmp_path: Path) -> None:
    models, panels = seats(parse_model(f"judge=scripted:{says}") for says in ("Yes", "No", "Yes!"))
    run = Runtime(Settings(judges=models, panels=panels, cache=tmp_path / "c.sqlite"))
    chain = SequentialEvaluator(YES_NO, run.scoring, run.panels)
    seen = []
    for allowed in ({"judge#1"}, {"judge#1", "judge#2"}, {"judge#1", "judge#2", "judge#3"}):
        run.answers.allowed = allowed
        found = trials("a cat")
        seen.append((chain.run(found, run.answers), found[0].value))
    assert [complete for complete, _ in seen] == [False, False, True]
    assert seen[-1][1] == 1.0
    assert run.answers.asked == 3
    run.close()


# -- who sits ------------------------------------------------------------------------------------
def test_the_same_name_again_is_a_panel_and_the_same_model_again_is_refused() -> None:
    specs = [parse_model(t) for t in ("judge=scripted:a", "other=scripted:b", "judge=scripted:c")]
    models, panels = seats(specs)
    assert {name: (spec.name, spec.target) for name, spec in models.items()} == {
        "judge#1": ("judge#1", "a"), "judge#2": ("judge#2", "c"), "other": ("other", "b"),
    }  # fmt: skip
    assert panels == {"judge": ("judge#1", "judge#2")}
    assert seats(specs[1:2]) == ({"other": specs[1]}, {})
    with pytest.raises(MmteError, match="judge: given twice with the same SPEC; a panel needs different judges"):
        seats([*specs, specs[0]])


def test_a_repetition_changes_nothing_but_its_number() -> None:
    judge = Moody("Yes")
    judged(YES_NO, judge, repeats=2)
    (first, _), (second, _) = judge.asked
    assert first == second
    assert Generation(repeat=1) == Generation().with_repeat(1)
