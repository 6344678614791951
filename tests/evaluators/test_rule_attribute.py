"""The attribute of a sample as the label beside its answer."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mmte.errors import MmteError
from mmte.evaluators.rule_attribute import AttributeLabels
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.types import Response, Sample, Trial

EXTRAS = [{"gender": "male", "age": "older"}, {"gender": None, "age": "young"}]


def test_one_attribute_or_a_list_of_them() -> None:
    one = AttributeLabels("rule_attribute_eval", attribute="gender")
    assert one.process([1.0, 0.0], ["x", "y"], EXTRAS) == ([1.0, 0.0], ["male", None], EXTRAS)
    both = AttributeLabels("rule_attribute_eval", attribute=["age", "gender"])
    assert both.process([1.0, 0.0], None, EXTRAS)[1] == [["older", "male"], ["young", None]]


@pytest.mark.parametrize("attribute", [None, "", [], ["age", "age"], ["age", 3], 7, {"age": 1}])
def test_what_is_no_attribute(attribute: Any) -> None:
    with pytest.raises(MmteError, match="'attribute' must be a key of the samples' extra"):
        AttributeLabels("rule_attribute_eval", attribute=attribute)


def test_samples_that_lack_it() -> None:
    evaluator = AttributeLabels("rule_attribute_eval", attribute="genders")
    with pytest.raises(MmteError, match="sample 1 of this batch has no 'genders' in its extra. Did you mean 'gender'"):
        evaluator.process([1.0, 0.0], None, EXTRAS)
    for extras in (None, [None, None], ["x", "y"]):
        with pytest.raises(MmteError, match="has no 'genders'"):
            evaluator.process([1.0, 0.0], None, extras)


def test_in_a_chain_only_answers_that_were_read_count() -> None:
    chain = SequentialEvaluator(
        {
            "rule_yes_or_no_eval": {},
            "rule_attribute_eval": {"attribute": "gender", "metrics_cfg": {"cramers_v": {}}},
        }
    )
    answers = ["yes", "I cannot tell.", "No."]
    genders = ["male", "female", None]
    trials = [
        Trial(Sample(str(n), ()), Response("m", text), text, extra={"gender": gender})
        for n, (text, gender) in enumerate(zip(answers, genders, strict=True))
    ]
    assert chain.run(trials, None)
    assert [(t.value, t.reason, t.target) for t in trials] == [
        (1.0, "scored", "male"),
        (None, "unparsed", None),
        (0.0, "scored", None),
    ]


def test_columns_as_mmtrusteval_gives_them() -> None:
    extras = [{"gender": "male" if n < 20 else "female"} for n in range(40)]
    evaluator = AttributeLabels("rule_attribute_eval", {"cramers_v": {}, "chi2_p": {}}, attribute="gender")
    same = evaluator.eval([float(n % 2) for n in range(40)], None, extras)
    assert (same["cramers_v"], same["chi2_p"]) == (0.0, 1.0)
    apart = evaluator.eval([float(n < 20) for n in range(40)], None, extras)
    assert apart["cramers_v"] > 0.95
    assert apart["chi2_p"] < 1e-6
    assert all(math.isnan(value) for value in evaluator.eval([1.0] * 40, None, extras).values())
