"""Questions that are answered by yes or no say so, so that their evaluator reads a verdict and not a word."""

from __future__ import annotations

import pytest

from mmte.datasets import rows
from mmte.engine.samples import build_dataset
from mmte.evaluators.sequence import SequentialEvaluator

YES_OR_NO = {"yes", "no"}


@pytest.mark.parametrize("answer", ["yes", "No", "No.", " Yes! "])
def test_yes_and_no_are_closed(answer: str) -> None:
    assert rows.closed_options(answer) == {"options": [["yes"], ["no"]]}


@pytest.mark.parametrize("answer", ["no entry", "", "2", "no, it is a dog", "none"])
def test_other_answers_are_open(answer: str) -> None:
    assert rows.closed_options(answer) == {}


@pytest.mark.parametrize("name", ["benchlmm-infrared", "benchlmm-mri", "benchlmm-driving", "risk-analysis"])
def test_a_reply_without_a_verdict_gets_nothing_for_its_no(name: str) -> None:
    chain = SequentialEvaluator({"rule_contain_eval": {"metrics_cfg": {"correct_rate": {}}}})
    samples = [s for s in build_dataset(name, {}, {}, None) if (s.extra or {}).get("options")]
    assert samples, name
    labels, extras = [s.target for s in samples], [s.extra for s in samples]
    reply = ["I have no idea."] * len(samples)
    assert chain.eval(reply, labels, extras)["rule_contain_eval:correct_rate"] == 0
    right = [s.target if isinstance(s.target, str) else s.target[0] for s in samples]
    assert {text.strip(" .").casefold() for text in right} <= YES_OR_NO
    assert chain.eval(right, labels, extras)["rule_contain_eval:correct_rate"] == 1
