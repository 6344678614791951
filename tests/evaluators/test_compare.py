"""Two answers compared by a judge in both orders: what it is asked, and what its verdicts come to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError
from mmte.evaluators import compare
from mmte.evaluators.asking import defused
from mmte.evaluators.compare import ChatCompare, verdict
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.models.base import BaseChat
from mmte.types import UNPARSED, Request, Response, Sample, Trial

FENCE = re.compile(r"<(answer-[0-9a-f]{16})>\n(.*?)\n</\1>", re.S)


def trial(value: Any = "a cat", target: Any = "a dog", extra: Any = None) -> Trial:
    sample = Sample("s-1", ({"role": "user", "content": "What is it?"},), target, extra)
    return Trial(sample, Response("m", str(value)), value, "scored", target, extra)


def comparer(**options: Any) -> ChatCompare:
    return ChatCompare("chatmodel_compare", **options)


def asked(t: Trial, **options: Any) -> list[str]:
    return [str(r.messages[0]["content"]) for r in comparer(**options).requests(t)]


def read(first: str, second: str, **options: Any) -> tuple[Any, Trial]:
    t = trial()
    return comparer(**options).read(t, [Response("judge", first), Response("judge", second)]), t


class Judge(BaseChat):
    """Judges by a function of the two quoted answers."""

    device = "none"

    def __init__(self, prefers: Callable[[str, str], str]) -> None:
        super().__init__("judge")
        self.prefers = prefers

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        for r in requests:
            (_, one), (_, two) = FENCE.findall(r.messages[0]["content"])
            yield [(r, Response("judge", f"VERDICT: {self.prefers(one, two)}"))]


# -- what is asked -------------------------------------------------------------------------------
def test_both_orders_differ_in_the_order_only() -> None:
    one, two = asked(trial())
    assert [text for _, text in FENCE.findall(one)] == ["a cat", "a dog"]
    assert [text for _, text in FENCE.findall(two)] == ["a dog", "a cat"]
    assert FENCE.sub("X", one) == FENCE.sub("X", two)
    assert "Question:\nWhat is it?" in one


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_answer_gets_out_of_its_quote(answer: str, reference: str) -> None:
    t = trial(answer, reference)
    if not reference.strip():
        return
    prompts = asked(t)
    if defused(answer).strip() == defused(reference).strip():
        assert prompts == []
        return
    for prompt, pair in zip(prompts, ((answer, reference), (reference, answer)), strict=True):
        (tag,) = {found[1] for found in re.finditer(r"<(answer-[0-9a-f]{16})> and a line", prompt)}
        assert prompt.count(f"<{tag}>") == 3  # in the guard, and around either answer
        assert prompt.count(f"</{tag}>") == 3
        for text in pair:
            assert f"<{tag}>\n{defused(text)}\n</{tag}>" in prompt


def test_the_reference_may_stand_in_the_extra() -> None:
    one, _ = asked(trial(target=None, extra={"gold": ["a fox", "a wolf"]}), reference="gold")
    assert FENCE.findall(one)[1][1] == "a fox"


def test_the_same_answer_is_a_tie_unasked() -> None:
    assert asked(trial("a dog ")) == []
    assert comparer().read(trial("a dog "), []) == 0.5


@pytest.mark.parametrize("target", [None, 3, "", " "])
def test_a_sample_without_a_reference_answer(target: Any) -> None:
    with pytest.raises(MmteError, match="evaluator 'chatmodel_compare': the label of the sample 's-1' is .* reference"):
        asked(trial(target=target))


def test_another_question() -> None:
    (one, two) = asked(trial(extra={"RULE": "be brief"}), prompt_template="{RULE}: {first} or {second}?")
    assert one.endswith("</" + FENCE.findall(one)[0][0] + ">?")
    assert "be brief: <answer-" in two


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"prompt_template": "{first} {question}"}, "'prompt_template' has no {second}"),
        ({"prompt_template": "{frist} {second}"}, "unknown field 'frist'. Did you mean 'first'"),
        ({"contradiction": "ties"}, "'contradiction' is 'ties', not tie or unscored. Did you mean 'tie'"),
        ({"reference": 3}, "'reference' must be a key"),
        ({"generation_kwargs": 3}, "'generation_kwargs' must be a mapping"),
    ],
)
def test_wrong_options(options: dict[str, Any], says: str) -> None:
    with pytest.raises(MmteError, match=re.escape(says)):
        comparer(**options)


# -- what the replies come to --------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("VERDICT: A", "A"), ("verdict: b.", "B"), ("**Verdict:** TIE", "TIE"), ("A", "A"), ("B.", "B"), ("Tie", "TIE"),
        ("The verdict hangs on the facts. A is right.\nVERDICT: A", "A"), ("VERDICT: A\nVERDICT: A", "A"),
        ("VERDICT: A\nVERDICT: B", None), ("VERDICT: A or B", None), ("a", None), ("Answer A is better", None),
        ("VERDICT: C", None), ("", None), ("My verdict: A", None), ("VERDICT: A, but B is close", None),
    ],
)  # fmt: skip
def test_verdicts_are_read_strictly(reply: str, said: str | None) -> None:
    assert verdict(reply) == said


@given(st.text())
def test_any_reply_can_be_read(reply: str) -> None:
    assert verdict(reply) in ("A", "B", "TIE", None)


@pytest.mark.parametrize(
    ("first", "second", "value", "orders"),
    [
        ("A", "B", 1.0, [1.0, 1.0]), ("B", "A", 0.0, [0.0, 0.0]), ("TIE", "TIE", 0.5, [0.5, 0.5]),
        ("A", "A", 0.5, [1.0, 0.0]), ("B", "B", 0.5, [0.0, 1.0]), ("A", "TIE", 0.5, [1.0, 0.5]),
        ("A", "both", UNPARSED, [1.0, None]), ("hm", "hm", UNPARSED, [None, None]),
    ],
)  # fmt: skip
def test_only_a_win_in_both_orders_is_one(first: str, second: str, value: Any, orders: list[Any]) -> None:
    found, t = read(first, second)
    assert found == value
    assert t.steps is not None
    assert t.steps["ballots"] == {"orders": orders}
    kept = value if orders[0] == orders[1] else UNPARSED
    assert read(first, second, contradiction="unscored")[0] == kept


@pytest.mark.parametrize(
    ("prefers", "value", "contradicts"),
    [
        (lambda one, two: "A" if len(one) > len(two) else "B", 1.0, False),
        (lambda one, two: "A" if "dog" in one else "B", 0.0, False),
        (lambda one, two: "A", 0.5, True),
        (lambda one, two: "TIE", 0.5, False),
    ],
)
def test_a_judge_that_goes_by_place_prefers_nothing(prefers: Any, value: float, contradicts: bool) -> None:
    run = Runtime(Settings())
    run.pool.add("judge", Judge(prefers))
    t = trial("a very long cat")
    assert SequentialEvaluator({"chatmodel_compare": {"metrics_cfg": {"pred_mean": {}}}}).run([t], run.answers)
    assert (t.value, t.reason) == (value, "scored")
    assert t.steps is not None
    one, two = t.steps["ballots"]["orders"]
    assert (one != two) == contradicts
    run.close()


def test_a_changed_wording_needs_a_new_version() -> None:
    seal = hashlib.sha256((compare.GUARD + compare.PROMPT).encode()).hexdigest()[:12]
    assert (ChatCompare.version, seal) == (1, "39c4400475dd")
