"""Chains and joins of evaluators: what each stage sees, and what an answer without a value becomes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError
from mmte.evaluators.base import UNPARSED, BaseEvaluator
from mmte.evaluators.sequence import SequentialEvaluator, joined
from mmte.models.spec import parse_model
from mmte.registry import registry
from mmte.types import Request, Response, Sample, Trial

SEEN: list[tuple[str, list[Any]]] = []


@registry.register_evaluator()
class Table(BaseEvaluator):
    """Looks an answer up: `sq-a`, `sq-b` and `sq-c` each have a table of their own."""

    evaluator_ids = ("sq-a", "sq-b", "sq-c")

    def __init__(self, evaluator_id: str, table: dict[str, Any] | None = None, metrics_cfg: Any = None) -> None:
        super().__init__(evaluator_id, metrics_cfg)
        self.table = table or {}

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        SEEN.append((self.evaluator_id, list(preds)))
        return [self.table.get(p, p) for p in preds], labels, extras


@registry.register_evaluator()
class Whole(Table):
    evaluator_ids = ("sq-whole",)
    reads_cut = False


@registry.register_evaluator()
class Returns(BaseEvaluator):
    evaluator_ids = ("sq-returns",)
    chunk = 7

    def __init__(self, evaluator_id: str, what: Any = None, metrics_cfg: Any = None) -> None:
        super().__init__(evaluator_id, metrics_cfg)
        self.what = what

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> Any:
        return self.what(preds, labels, extras)


@registry.register_evaluator()
class Shouts(BaseEvaluator):
    """Takes no extras and returns none, as an old port does."""

    evaluator_ids = ("sq-two",)

    def process(self, preds, labels):  # type: ignore[no-untyped-def, override]
        return [p.upper() for p in preds], [f"{label}!" for label in labels]


@registry.register_evaluator()
class Judge(BaseEvaluator):
    """Asks a judge twice about each answer, and not at all where it is "easy"."""

    evaluator_ids = ("sq-judge",)
    model = "sq-judge-model"

    def requests(self, trial: Trial) -> Sequence[Request]:
        if trial.value == "easy":
            return ()
        return [Request(({"role": "user", "content": f"{side}: {trial.value}"},)) for side in ("pro", "contra")]

    def read(self, trial: Trial, replies: Sequence[Response]) -> Any:
        return "|".join(r.content for r in replies) if replies else "unasked"


def trials(*contents: Any, cut: bool = False) -> list[Trial]:
    return [
        Trial(Sample(f"s{n}", ()), Response("m", content, cut=cut), content, "scored", f"t{n}", {"n": n})
        for n, content in enumerate(contents)
    ]


def run(chain: Any, *contents: Any, cut: bool = False) -> list[tuple[Any, str]]:
    made = trials(*contents, cut=cut)
    assert SequentialEvaluator(chain).run(made, None)
    return [(t.value, t.reason) for t in made]


@pytest.fixture(autouse=True)
def nothing_seen() -> Iterator[None]:
    SEEN.clear()
    yield


# -- chains ----------------------------------------------------------------------------------------
def test_each_stage_reads_what_the_one_before_returned() -> None:
    sequence = SequentialEvaluator({"sq-a": {"table": {"x": "y"}}, "sq-b": {"table": {"y": 1}}})
    made = trials("x", "other")
    assert sequence.run(made, None)
    assert [t.value for t in made] == [1, "other"]
    assert made[0].steps == {"sq-a:pred_no_op": "y"}
    assert sequence.keyname_prefix_seq == ["sq-a", "sq-a->sq-b"]
    assert sequence.key == "sq-a->sq-b"


def test_a_list_names_an_evaluator_twice() -> None:
    chain = [{"sq-a": {"table": {"x": "y"}}}, {"sq-a": {"table": {"y": 5}, "metrics_cfg": {"pred_mean": {}}}}]
    sequence = SequentialEvaluator(chain)
    assert sequence.key == "sq-a->sq-a"
    assert run(chain, "x") == [(5, "scored")]
    assert sequence.eval(["x"], [None]) == {"sq-a:pred_no_op": ["y"], "sq-a->sq-a:pred_mean": 5.0}


def test_columns_give_the_cumulative_keys_of_mmtrusteval() -> None:
    sequence = SequentialEvaluator(
        {"sq-two": {}, "sq-b": {"table": {"X": 1, "Y": 0}, "metrics_cfg": {"pred_no_op": {}, "pred_mean": {}}}}
    )
    assert sequence(["x", "y"], ["a", "b"], [None, None]) == {
        "sq-two:pred_no_op": ["X", "Y"],
        "sq-two->sq-b:pred_no_op": [1, 0],
        "sq-two->sq-b:pred_mean": 0.5,
    }


@pytest.mark.parametrize("nothing", [None, UNPARSED, math.nan, np.float32("nan"), np.float64("nan")], ids=repr)
def test_what_cannot_be_read_is_unparsed_and_goes_no_further(nothing: Any) -> None:
    chain = {"sq-a": {"table": {"x": nothing}}, "sq-b": {}}
    assert run(chain, "x", "y") == [(None, "unparsed"), ("y", "scored")]
    assert SEEN[-1] == ("sq-b", ["y"])


@pytest.mark.parametrize("value", [0, 0.0, False, "", [], np.float64(0), -1])
def test_a_small_value_is_a_value(value: Any) -> None:
    assert run({"sq-a": {"table": {"x": value}}}, "x") == [(value, "scored")]


@pytest.mark.parametrize("reason", ["error", "empty", "filtered"])
def test_evaluators_see_answers_only(reason: Any) -> None:
    made = trials("x", "y")
    made[0].value, made[0].reason = None, reason
    assert SequentialEvaluator({"sq-a": {}}).run(made, None)
    assert SEEN == [("sq-a", ["y"])]
    assert (made[0].value, made[0].reason) == (None, reason)


def test_no_evaluator_is_called_without_answers() -> None:
    made = trials("x")
    made[0].value, made[0].reason = None, "error"
    assert SequentialEvaluator({"sq-a": {}}).run(made, None)
    assert SEEN == []


def test_cut_answers_where_an_evaluator_does_not_read_them() -> None:
    assert run({"sq-a": {}, "sq-whole": {}, "sq-b": {}}, "x", cut=True) == [(None, "cut")]
    assert [name for name, _ in SEEN] == ["sq-a"]
    assert run({"sq-a": {}}, "x", cut=True) == [("x", "scored")]
    assert run({"sq-whole": {}}, "x") == [("x", "scored")]


def test_targets_and_extras_change_where_an_evaluator_says_so() -> None:
    made = trials("x", "y")
    assert SequentialEvaluator({"sq-two": {}}).run(made, None)
    assert [(t.value, t.target, t.extra) for t in made] == [("X", "t0!", {"n": 0}), ("Y", "t1!", {"n": 1})]
    made = trials("x")
    assert SequentialEvaluator({"sq-returns": {"what": lambda p, lab, e: (p, None, None)}}).run(made, None)
    assert (made[0].target, made[0].extra) == ("t0", {"n": 0})


WRONG = {
    "too few values": (lambda p, lab, e: (p[1:], lab, e), "returned 1 values for 2 answers"),
    "too many labels": (lambda p, lab, e: (p, [*lab, 1]), "returned 3 labels for 2 answers"),
    "too few extras": (lambda p, lab, e: (p, lab, []), "returned 0 extras for 2 answers"),
    "no tuple": (lambda p, lab, e: "ab", "not a str"),
    "nothing": (lambda p, lab, e: None, "not a NoneType"),
    "one column": (lambda p, lab, e: (p,), "must return"),
    "a generator": (lambda p, lab, e: ((x for x in p), lab), "returned a generator where the column of values"),
    "no values": (lambda p, lab, e: (None, lab), "returned a NoneType where the column of values"),
}


@pytest.mark.parametrize(("what", "expected"), WRONG.values(), ids=WRONG.keys())
def test_wrong_columns_name_the_class(what: Any, expected: str) -> None:
    sequence = SequentialEvaluator({"sq-returns": {"what": what}})
    with pytest.raises(TypeError, match=r"^Returns\.process .*" + expected):
        sequence.run(trials("x", "y"), None)
    with pytest.raises(TypeError, match=r"^Returns\.process"):
        sequence.eval(["x", "y"], [1, 2], [None, None])


def test_columns_may_be_arrays() -> None:
    made = trials("x", "y")
    SequentialEvaluator({"sq-returns": {"what": lambda p, lab, e: (np.array([1.0, np.nan]), lab)}}).run(made, None)
    assert [t.reason for t in made] == ["scored", "unparsed"]


def test_a_chain_takes_as_many_at_once_as_every_stage_allows() -> None:
    assert SequentialEvaluator({"sq-returns": {}}).chunk == 7
    assert SequentialEvaluator({"sq-a": {}, "sq-returns": {}}).chunk is None
    both = {"any": [{"sq-returns": {}}, {"sq-returns": {}}]}
    assert SequentialEvaluator(both).chunk == 1024
    assert SequentialEvaluator({"any": [{"sq-returns": {}}, {"sq-a": {}}]}).chunk is None
    assert SequentialEvaluator(both).chunk == 1024


# -- joins -----------------------------------------------------------------------------------------
def said(value: bool | None, reason: Any = "unparsed") -> Trial:
    decided = value is not None
    return Trial(Sample("s", ()), Response(), float(value) if decided else None, "scored" if decided else reason)


SAYS = st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=5)


def both_ways(says: list[bool | None]) -> Iterator[list[bool]]:
    """All the ways in which what is open could have been decided."""
    return (list(way) for way in itertools.product(*([True, False] if s is None else [s] for s in says)))


RULES = {"any": any, "all": all, "unless": lambda way: way[0] and not any(way[1:])}


@given(st.sampled_from(sorted(RULES)), SAYS)
def test_a_join_has_a_value_where_every_way_of_filling_the_gaps_leads_to_it(how: str, says: list[bool | None]) -> None:
    value, reason = joined(how, [said(s) for s in says])
    outcomes = {bool(RULES[how](way)) for way in both_ways(says)}  # type: ignore[operator]
    if len(outcomes) == 1:
        assert (value, reason) == (float(outcomes.pop()), "scored")
    else:
        assert (value, reason) == (None, "unparsed")


TABLES = {
    "any": {"11": 1, "10": 1, "01": 1, "00": 0, "1?": 1, "?1": 1, "0?": None, "?0": None, "??": None},
    "all": {"11": 1, "10": 0, "01": 0, "00": 0, "1?": None, "?1": None, "0?": 0, "?0": 0, "??": None},
    "unless": {"11": 0, "10": 1, "01": 0, "00": 0, "1?": None, "?1": 0, "0?": 0, "?0": None, "??": None},
}


@pytest.mark.parametrize("how", TABLES)
def test_three_valued_logic(how: str) -> None:
    table = {"0": 0, "1": 1, "?": None}
    contents = list(TABLES[how])
    first, second = ({"table": {c: table[c[n]] for c in contents}} for n in (0, 1))
    got = run({how: [{"sq-a": first}, {"sq-b": second}]}, *contents)
    assert dict(zip(contents, got, strict=True)) == {
        c: (None, "unparsed") if v is None else (float(v), "scored") for c, v in TABLES[how].items()
    }


def test_a_join_keeps_the_reason_and_what_each_chain_said() -> None:
    sequence = SequentialEvaluator({"any": [{"sq-whole": {"table": {"x": 0}}}, {"sq-a": {"table": {"x": 0}}}]})
    made = trials("x", cut=True)
    assert sequence.run(made, None)
    assert (made[0].value, made[0].reason) == (None, "cut")
    assert made[0].steps == {"sq-whole": None, "sq-a": 0}
    assert sequence.key == "any(sq-whole,sq-a)"
    assert sequence.value_range == (0.0, 1.0)


def test_joins_within_joins_and_chains() -> None:
    inner = {"unless": [{"sq-a": {"table": {"x": 1, "y": 1}}}, {"sq-b": {"table": {"x": 0, "y": 1}}}]}
    chain = [{"any": [inner, {"sq-c": {"table": {"x": 0, "y": 0}}}]}, {"sq-a": {"table": {1.0: "yes", 0.0: "no"}}}]
    assert run(chain, "x", "y") == [("yes", "scored"), ("no", "scored")]
    assert SequentialEvaluator(chain).key == "any(unless(sq-a,sq-b),sq-c)->sq-a"


def test_a_join_in_a_list_keeps_its_metrics() -> None:
    join = {"any": [{"sq-a": {}}, {"sq-b": {}}], "metrics_cfg": {"pred_mean": {}}}
    assert list(SequentialEvaluator([{"sq-c": {}}, join]).metrics_cfg) == ["pred_mean"]


def test_targets_of_a_chain_stay_in_the_chain() -> None:
    made = trials("x")
    other = {"sq-returns": {"what": lambda p, lab, e: ([1] * len(p), ["other"] * len(p))}}
    assert SequentialEvaluator({"any": [other, {"sq-a": {"table": {"x": 0}}}]}).run(made, None)
    assert (made[0].value, made[0].target) == (1.0, "t0")


@pytest.mark.parametrize("value", ["No", 0.5, 2, [1]])
def test_a_join_needs_yes_or_no(value: Any) -> None:
    with pytest.raises(MmteError, match="'sq-a' returned .* where the join 'any' needs 0 or 1"):
        run({"any": [{"sq-a": {"table": {"x": value}}}, {"sq-b": {"table": {"x": 1}}}]}, "x")


def test_a_join_does_not_work_on_columns() -> None:
    with pytest.raises(MmteError, match="a join works on trials"):
        SequentialEvaluator({"any": [{"sq-a": {}}, {"sq-b": {}}]}).eval(["x"])


MALFORMED = {
    "nothing": ({}, "needs at least one evaluator"),
    "a text": ("sq-a", "is a mapping of evaluators"),
    "only settings": ({"metrics_cfg": {}}, "needs at least one evaluator"),
    "unknown": ({"sq-aa": {}}, "unknown evaluator 'sq-aa'. Did you mean 'sq-a'"),
    "nearly a join": ({"unles": {}}, "Did you mean 'unless'"),
    "options": ({"sq-a": [1]}, "its options must be a mapping"),
    "unknown option": ({"sq-judge": {"modle": 1}}, "has no option 'modle'"),
    "option of a closed signature": ({"sq-a": {"tabel": {}}}, "'sq-a': .*unexpected .*'tabel'"),
    "unknown metric": ({"sq-a": {"metrics_cfg": {"pred_men": {}}}}, "Did you mean 'pred_mean'"),
    "join of one": ({"all": [{"sq-a": {}}]}, "a join 'all' needs a list of at least two"),
    "join of a mapping": ({"all": {"sq-a": {}, "sq-b": {}}}, "a join 'all' needs a list"),
    "unknown metric of a join": ({"all": [{"sq-a": {}}, {"sq-b": {}}], "metrics_cfg": {"nix": {}}}, "unknown metric"),
}


@pytest.mark.parametrize(("chain", "expected"), MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_sequences_are_one_line(chain: Any, expected: str) -> None:
    with pytest.raises(MmteError, match=expected) as caught:
        SequentialEvaluator(chain)
    assert "\n" not in str(caught.value)


def test_identities_follow_evaluators_and_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = {"any": [{"sq-a": {}, "sq-b": {}}, {"sq-c": {}}]}
    before = SequentialEvaluator(chain).identity()
    assert SequentialEvaluator(chain).identity() == before
    assert SequentialEvaluator({"all": chain["any"]}).identity() != before
    monkeypatch.setattr(Table, "version", 2)
    assert SequentialEvaluator(chain).identity() != before


def test_it_can_be_imported_as_mmtrusteval_s_users_do() -> None:
    from mmte.evaluators.base import SequentialEvaluator as Theirs

    assert Theirs is SequentialEvaluator
    with pytest.raises(ImportError):
        exec("from mmte.evaluators.base import Nothing", {})


# -- judges ----------------------------------------------------------------------------------------
@pytest.fixture
def judged(tmp_path: Any) -> Any:
    """Runs a chain over contents with a scripted judge; the answers that it was asked for are counted."""
    made: list[Runtime] = []

    def make(chain: Any, spec: str, *contents: str, allowed: set[str] | None = None) -> tuple[list[Trial], bool, int]:
        models = {"sq-judge-model": parse_model(f"sq-judge-model={spec}", "--judge")}
        runtime = Runtime(Settings(judges=models, cache=tmp_path / "cache.sqlite"))
        made.append(runtime)
        runtime.answers.allowed = allowed
        column = trials(*contents)
        complete = SequentialEvaluator(chain).run(column, runtime.answers)
        return column, complete, runtime.answers.asked

    yield make
    for runtime in made:
        runtime.close()


def test_a_judge_is_asked_through_the_cache(judged: Any) -> None:
    column, complete, asked = judged({"sq-judge": {}}, "scripted:echo", "one", "two", "easy")
    assert (complete, asked) == (True, 4)
    assert [t.value for t in column] == ['["pro: one"]|["contra: one"]', '["pro: two"]|["contra: two"]', "unasked"]
    again, _, asked = judged({"sq-judge": {}}, "scripted:echo", "two", "three")
    assert asked == 2
    assert again[0].value == column[1].value


@pytest.mark.parametrize("fault", ["fail=1", "empty=1", "filtered=1"])
def test_a_judge_that_gives_no_answer_leaves_the_trial_open(judged: Any, fault: str) -> None:
    column, complete, _ = judged({"sq-judge": {}, "sq-a": {}}, f"scripted:Yes?{fault}", "one", "easy")
    assert complete
    assert [(t.value, t.reason) for t in column] == [(None, "judge"), ("unasked", "scored")]
    assert SEEN == [("sq-a", ["unasked"])]


def test_a_judge_in_a_join(judged: Any) -> None:
    asks = {"sq-judge": {}, "sq-b": {"table": {"1|1": 1, "0|0": 0}}}
    chain = {"any": [{"sq-a": {"table": {"yes": 1, "no": 0}}}, asks]}
    column, _, _ = judged(chain, "scripted:0", "yes", "no")
    assert [(t.value, t.reason) for t in column] == [(1.0, "scored"), (0.0, "scored")]
    column, _, _ = judged(chain, "scripted:x?fail=1", "yes", "no")
    assert [(t.value, t.reason) for t in column] == [(1.0, "scored"), (None, "judge")]
    assert SequentialEvaluator(chain).judges == ["sq-judge-model"]


@pytest.mark.parametrize("chain", [{"sq-judge": {}}, {"any": [{"sq-a": {"table": {"one": 1}}}, {"sq-judge": {}}]}])
def test_out_of_its_phase_a_judge_is_not_asked(judged: Any, chain: Any) -> None:
    _, complete, asked = judged(chain, "scripted:1", "one", allowed=set())
    assert (complete, asked) == (False, 0)
    assert not SequentialEvaluator(chain).run(trials("one"), None)
