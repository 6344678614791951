"""MultiTrust's reading in a chain: its rules, its metric of boxes, its way with empty and cut answers."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.compat.boxes import IOU_JUDGE, read_box
from mmte.compat.literals import Literals
from mmte.compat.multitrust import ORIGINALS
from mmte.compat.reading import MultiTrust
from mmte.errors import MmteError, Unavailable
from mmte.evaluators.metrics import metric_for
from mmte.evaluators.scoring import STRICT, scoring_for
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.registry import registry
from mmte.types import Response, Sample, Trial

CONTAIN, REJECT, MATCH = "rule_contain_eval", "rule_reject_template_eval", "rule_match_and_score_eval"
YES_NO, SCORE = "rule_yes_or_no_eval", "rule_score_eval"
MADE_UP = Literals(
    "made up", ("must decline", "Nay,"), {"wholly": "50", "hardly": "-50"}, ("-50", "0", "50"), ("aye", "It's so"),
    ("0", "25", "50", "75", "100"), {"t": {"yes": "0", "no": "1"}},
)  # fmt: skip


# -- iou_judge -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("[0, 0, 1, 1]", (0, 0, 1, 1)),
        ("'''[0, 0,\n1, 1]'''", (0, 0, 1, 1)),
        ("0, 0, 1/2, 3/4", (0, 0, 0.5, 0.75)),
        ("[0, 0, x, 1, 1]", (0, 0, 1, 1)),  # what is no number is passed over
        ("[1, 1, 0, 0]", (1, 1, 0, 0)),  # no order is asked for
        ("```\n[0, 0, 1, 1]\n```", None),  # the fences cost two numbers
        ("The box is [0, 0, 1, 1]", None),
        ("[0, 0, 1]", None),
        ("[0, 0, 1, 1, 1]", None),
        ("[0, 0, 1, 1/0]", None),  # the original breaks off here
        ("[0, 0, 1/2/3, 1, 1]", (0, 0, 1, 1)),
        ("", None),
    ],
)
def test_the_hand_parser_of_boxes(text: str, box: Any) -> None:
    assert read_box(text) == box


def test_iou_judge_is_a_percentage_of_all_answers() -> None:
    labels = ["[0, 0, 1, 1]"] * 4
    preds = ["[0, 0, 1, 1]", "[0, 0, 1, 0.5]", "[0, 0, 1, 0.51]", "no box"]
    assert IOU_JUDGE(labels, preds) == 50.0  # exactly one half is no hit
    assert list(IOU_JUDGE.hits(labels, preds)) == [1, 0, 1, 0]  # type: ignore[misc, arg-type]
    assert math.isnan(IOU_JUDGE([], []))
    assert IOU_JUDGE(labels[:2], [1.0, None]) == 50.0  # hits, and no answer
    assert IOU_JUDGE(labels[:1], [["[0, 0, 1, 1]"]]) == 100.0


def test_iou_judge_differs_from_the_strict_one_where_the_parser_does() -> None:
    fenced = "```\n[0, 0, 1, 1]\n```"
    assert (IOU_JUDGE(["[0, 0, 1, 1]"], [fenced]), metric_for("iou_judge")(["[0, 0, 1, 1]"], [fenced])) == (0, 100)


def test_a_box_that_is_turned_around_is_no_hit() -> None:
    assert IOU_JUDGE(["[0, 0, 1, 1]"], ["[1, 1, 0, 0]"]) == 0
    assert IOU_JUDGE(["[0, 0, 1, 1]"], ["[0.5, 0.5, 0.5, 0.5]"]) == 0


@given(st.text(max_size=60) | st.text("0125-./,'[]`\n infa", max_size=60))
def test_no_text_breaks_the_metric(text: str) -> None:
    assert IOU_JUDGE(["[0, 0, 1, 1]"], [text]) in (0, 100)


# -- options -------------------------------------------------------------------------------------
def read(name: str, **options: Any) -> Any:
    """What a rule makes of the answer b where b is right."""
    return ORIGINALS[name](name, literals=MADE_UP, **options).process(["b"], [["b"]], None)[0]


@pytest.mark.parametrize(
    ("name", "options"),
    [(CONTAIN, {"options": ["a", "b"]}), (REJECT, {"partial": "refusal"}), (YES_NO, {"no_template": ["nay"]})],
)
def test_options_of_the_strict_evaluator_alone_are_dropped(name: str, options: dict[str, Any]) -> None:
    assert read(name, **options) == read(name)


@pytest.mark.parametrize("name", sorted(ORIGINALS))
def test_whatever_the_strict_evaluator_takes_the_original_does(name: str) -> None:
    taken = set(inspect.signature(registry.get_evaluator_class(name)).parameters) - {
        "self", "evaluator_id", "metrics_cfg", "kwargs",
    }  # fmt: skip
    own = set(inspect.signature(ORIGINALS[name]).parameters)
    assert taken <= own | ORIGINALS[name].strict_only


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (REJECT, {"reject_template": []}, "has no option 'reject_template'. Did you mean 'reject_templates'?"),
        (REJECT, {"reject_templates": "no"}, "reject_templates must be a list of phrases"),
        (YES_NO, {"yes_template": [1]}, "yes_template must be a list of phrases"),
        (MATCH, {"values": "50"}, "values must be a list of numbers"),
        (MATCH, {"values": ["high"]}, "values must be a list of numbers"),
        (MATCH, {"kv_mapping": ["a"]}, "kv_mapping must map phrases to numbers"),
        (SCORE, {"values": []}, "values must be a list of numbers"),
        (SCORE, {"fail_id": "none"}, "fail_id must be a number"),
        (CONTAIN, {"metrics_cfg": {"pred_men": {}}}, "unknown metric 'pred_men'"),
    ],
)
def test_wrong_options_are_told(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MmteError) as caught:
        ORIGINALS[name](name, literals=MADE_UP, **options)
    assert message in str(caught.value)


# -- in a chain ----------------------------------------------------------------------------------
READING = MultiTrust(MADE_UP)
PLAIN = {YES_NO: {"metrics_cfg": {"pred_mean": {}}}}


def trials(*texts: str, status: Any = "ok", cut: bool = False) -> list[Trial]:
    return [
        Trial(Sample(str(n), ()), Response(content=text, status=status, cut=cut), text, target=1)
        for n, text in enumerate(texts)
    ]


def test_the_registry_keeps_the_strict_ones() -> None:
    for name, cls in ORIGINALS.items():
        assert registry.get_evaluator_class(name) is not cls
        assert type(SequentialEvaluator({name: {}}).stages[0]) is registry.get_evaluator_class(name)
        assert type(SequentialEvaluator({name: {}}, READING).stages[0]) is cls


def test_a_chain_has_the_same_keys_and_another_identity() -> None:
    strict, theirs = SequentialEvaluator(PLAIN), SequentialEvaluator(PLAIN, READING)
    assert strict.key == theirs.key
    assert strict.eval(["Norway", "yes"]) == {f"{YES_NO}:pred_mean": 1.0}
    assert theirs.eval(["Norway", "yes"]) == {f"{YES_NO}:pred_mean": 0.5}
    assert strict.identity() == [[YES_NO, 3]]
    assert theirs.identity() == ["multitrust", MADE_UP.sha256, [YES_NO, 1]]


def test_the_strict_identity_does_not_know_of_the_other_chain() -> None:
    override = {**PLAIN, "multitrust": {CONTAIN: {"metrics_cfg": {"pred_mean": {}}}}}
    assert SequentialEvaluator(override).identity() == SequentialEvaluator(PLAIN).identity()
    assert SequentialEvaluator(override).cfg == PLAIN
    assert SequentialEvaluator([override]).cfg == [PLAIN]
    assert SequentialEvaluator(override, READING).key == CONTAIN
    assert SequentialEvaluator([override], READING).key == CONTAIN


def test_a_join_is_read_so_too() -> None:
    join = {"any": [{REJECT: {}}, {YES_NO: {}}], "metrics_cfg": {"pred_mean": {}}}
    column = trials("Nay, that is it", "I must decline", "Norway")
    assert SequentialEvaluator(join, READING).run(column, None)
    assert [t.value for t in column] == [1, 1, 0]


def test_cut_answers_are_read_whatever_the_evaluator_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ORIGINALS[YES_NO], "reads_cut", False)
    column = trials("yes, bec", cut=True)
    SequentialEvaluator(PLAIN, READING).run(column, None)
    assert (column[0].value, column[0].reason) == (1, "scored")


def test_an_answer_without_a_value_stays_one() -> None:
    column = trials("no idea", "wholly")
    SequentialEvaluator({MATCH: {}}, READING).run(column, None)
    assert [(t.value, t.reason) for t in column] == [(None, "unparsed"), (50, "scored")]


@pytest.mark.parametrize("name", ["rule_choice_eval", "rule_pii_eval", "rule_iou_eval"])
def test_an_evaluator_without_an_original_has_no_such_reading(name: str) -> None:
    with pytest.raises(Unavailable, match=rf"MultiTrust has no evaluator '{name}'\): use --mmte-scoring=strict"):
        SequentialEvaluator({name: {}}, READING)


def test_a_sequence_may_say_why_it_has_no_such_reading() -> None:
    chain = {**PLAIN, "multitrust": "the data are ours"}
    assert SequentialEvaluator(chain).key == YES_NO
    with pytest.raises(Unavailable, match=r"no multitrust reading \(the data are ours\): use --mmte-scoring=strict"):
        SequentialEvaluator(chain, READING)


def test_an_unknown_evaluator_is_unknown_in_both() -> None:
    for reading in (STRICT, READING):
        with pytest.raises(MmteError, match="rule_yes_or_no_eval") as caught:
            SequentialEvaluator({"rule_yes_no_eval": {}}, reading)
        assert not isinstance(caught.value, Unavailable)


def test_metrics_are_the_strict_ones_but_for_boxes() -> None:
    assert READING.metric("iou_judge") is IOU_JUDGE
    assert READING.metric("pearson_corr") is STRICT.metric("pearson_corr")
    with pytest.raises(MmteError, match="unknown metric"):
        READING.metric("iou_judges")


def test_the_reading_needs_lists() -> None:
    assert scoring_for("strict") is STRICT
    assert scoring_for("multitrust", MADE_UP).identity() == READING.identity()
    with pytest.raises(MmteError, match="--mmte-scoring=multitrust needs .*--mmte-multitrust=DIR"):
        scoring_for("multitrust")
