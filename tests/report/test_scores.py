"""The score tree: values worked out by hand, missing parts, bounds, and files with mistakes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.report.scores import FUNCTIONS, HEAD, Part, Score, ScoreTree, load_scores
from mmte.tasks.config import load_task

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
TREE = """# mmte.scores/1
scores:
  one: {aspect: safety, title: One, score: {mean: ["a[x/rule]:m", {mean: ["a[y/rule]:m", "a[z/rule]:m"]}]}}
  rate: {aspect: safety, score: {complement: "a[x/rule]:m/low"}}
  all:
    aspect: safety
    score:
      weighted_mean:
        - {weight: 0.25, of: one}
        - {weight: 0.75, of: {largest: [rate, "a[x/rule]:m"]}}
"""


def tree(tmp_path: Path, text: str = TREE) -> ScoreTree:
    (tmp_path / "scores.yaml").write_text(text)
    return load_scores(tmp_path / "scores.yaml")


def estimate(value: float | None, subset: str = "", bounds: Any = None, n: int = 10) -> dict[str, Any]:
    return {"metric": "m", "subset": subset, "value": value, "bounds": bounds, "n": n, "expected": 10}


def row(dataset: str, *estimates: dict[str, Any], model: str = "x", **more: Any) -> dict[str, Any]:
    about = {"task": "a", "dataset": dataset, "sequence": "rule", "model": model, "outcome": "recorded"}
    return {**about, "estimates": list(estimates), **more}


def scored(found: ScoreTree, results: list[dict[str, Any]]) -> dict[str, Score]:
    return {score.name: score for score in found.scores(results)}


WHOLE = [row("x", estimate(0.5), estimate(0.2, "low")), row("y", estimate(1.0)), row("z", estimate(0.0, n=4))]


def test_values(tmp_path: Path) -> None:
    scores = scored(tree(tmp_path), WHOLE)
    assert scores["one"].value == pytest.approx((0.5 + (1 + 0) / 2) / 2)
    assert scores["rate"].value == pytest.approx(0.8)
    assert scores["all"].value == pytest.approx(0.25 * 0.5 + 0.75 * 0.8)
    assert (scores["one"].n, scores["one"].expected, scores["one"].missing) == (24, 30, ())
    assert scores["one"].parts == {"a[x/rule/x]:m": 0.5, "a[y/rule/x]:m": 1.0, "a[z/rule/x]:m": 0.0}
    assert (scores["one"].title, scores["rate"].title, scores["all"].aspect) == ("One", "rate", "safety")


def test_a_missing_part_empties_what_is_made_of_it_and_nothing_else(tmp_path: Path) -> None:
    scores = scored(tree(tmp_path), WHOLE[:2])
    for name in ("one", "all"):
        assert scores[name].value is None
        assert scores[name].bounds is None
        assert scores[name].missing == ("a[z/rule/x]:m: not in the report",)
    assert scores["rate"].value == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (row("z", outcome="skipped", reason="needs --mmte-data DIR"), "skipped: needs --mmte-data DIR"),
        (row("z", outcome="error", problem="the model is gone"), "error: the model is gone"),
        (row("z", estimate(None)), "has no value"),
        (row("z", estimate(None), problem="coverage 0.4"), "coverage 0.4"),
        (row("z", estimate(0.4, "low")), "has no such metric"),
    ],
)
def test_why_a_part_is_missing(tmp_path: Path, last: dict[str, Any], why: str) -> None:
    score = scored(tree(tmp_path), [*WHOLE[:2], last])["one"]
    assert score.value is None
    assert score.missing == (f"a[z/rule/x]:m: {why}",)
    assert score.parts["a[z/rule/x]:m"] is None


def test_every_missing_part_is_listed_once(tmp_path: Path) -> None:
    scores = scored(tree(tmp_path), [row("q", estimate(1.0))])
    assert scores["all"].missing == tuple(
        f"a[{part}: not in the report" for part in ("x/rule/x]:m", "y/rule/x]:m", "z/rule/x]:m", "x/rule/x]:m/low")
    )


def test_each_model_has_its_own_scores(tmp_path: Path) -> None:
    other = [row("x", estimate(1.0), estimate(1.0, "low"), model="y")]
    scores = tree(tmp_path).scores([*other, *WHOLE])
    assert [(s.model, s.name) for s in scores] == [(m, n) for m in "xy" for n in ("one", "rate", "all")]
    assert [s.value for s in scores if s.model == "y"] == [None, 0.0, None]


def test_bounds_go_through_and_turn_round_in_a_complement(tmp_path: Path) -> None:
    results = [
        row("x", estimate(0.5, bounds=[0.4, 0.7]), estimate(0.2, "low", bounds=[0.6, 0.1])),
        row("y", estimate(1.0, bounds=[0.8, 1.0])),
        row("z", estimate(0.0, bounds=[0.0, 0.2])),
    ]
    scores = scored(tree(tmp_path), results)
    assert scores["one"].bounds == pytest.approx(((0.4 + 0.4) / 2, (0.7 + 0.6) / 2))
    assert scores["rate"].bounds == pytest.approx((0.4, 0.9))
    assert scores["all"].bounds == pytest.approx((0.25 * 0.4 + 0.75 * 0.4, 0.25 * 0.65 + 0.75 * 0.9))
    results[1] = row("y", estimate(1.0, bounds=[None, 1.0]))
    assert scored(tree(tmp_path), results)["one"].bounds is None
    assert scored(tree(tmp_path), results)["one"].value is not None


@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=6), more=st.floats(0, 1))
def test_functions_grow_with_every_value(values: list[float], more: float) -> None:
    weights = [1 / len(values)] * len(values)
    for name, function in FUNCTIONS.items():
        numbers = {"scaled": (0.0, 1.0), "printed": (100.0, 15.0)}.get(name, weights)
        if name == "largest_text":  # 0.95 is larger than 1 there
            assert min(abs(function(values, numbers) - value) for value in values) <= 5.1e-5
            continue
        before = function(values, numbers)
        after = function([max(values[0], more), *values[1:]], numbers)
        assert (after <= before + 1e-12) if name == "complement" else (after >= before - 1e-12)
        assert -1e-9 <= after <= 1 + 1e-9


def test_notes_of_the_results_stay(tmp_path: Path) -> None:
    results = [{**found, "notes": ["mini data"]} for found in WHOLE]
    assert scored(tree(tmp_path), results)["one"].notes == ("mini data",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "a file of scores is a mapping"),
        ("scores: {}", "has no scores"),
        ("scroes: {}", "unknown key 'scroes'. Did you mean 'scores'"),
        ("scores: {a: {aspect: safty, score: 'a[x/r]:m'}}", "Did you mean 'safety'"),
        ("scores: {a: {aspect: safety, score: {maen: ['a[x/r]:m']}}}", "unknown function 'maen'. Did you mean 'mean'"),
        ("scores: {a: {aspect: safety, score: {mean: []}}}", "a.score.mean: "),
        ("scores: {ab: {aspect: safety, score: {mean: [abc]}}}", "'abc' is neither a part"),
        ("scores: {a: {aspect: safety, score: {mean: ['a[x]:m']}}}", "'a[x]:m' is neither a part"),
        ("scores: {a: {aspect: safety}}", "must be a part, the name of a score, or one function of a list, not None"),
        ("scores: {a: {aspect: safety, score: {mean: [a]}}}", "leads back to itself: a -> a"),
        ("scores: {a: {aspect: safety, score: b}, b: {aspect: safety, score: a}}", "leads back to itself: a -> b -> a"),
        ("scores: {a: {aspect: safety, score: {weighted_mean: ['a[x/r]:m']}}}", "needs a list of {weight: NUMBER"),
        (
            "scores: {a: {aspect: safety, score: {weighted_mean: [{weight: 0.5, of: 'a[x/r]:m'}]}}}",
            "the weights add up to 0.5, not to 1",
        ),
        (
            "scores: {a: {aspect: safety, score: {weighted_mean: [{weight: yes, of: 'a[x/r]:m'}]}}}",
            "must be a number above 0 and up to 1, as 0.4 or 2/5, not True",
        ),
        (
            "scores: {a: {aspect: safety, score: {weighted_mean: [{weight: 1/0, of: 'a[x/r]:m'}]}}}",
            "must be a number above 0 and up to 1, as 0.4 or 2/5, not '1/0'",
        ),
        ("scores: {a: {aspect: safety, score: {scaled: 'a[x/r]:m'}}}", "needs {of: PART, from: [LOW, HIGH]}"),
        (
            "scores: {a: {aspect: safety, score: {scaled: {of: 'a[x/r]:m', from: [1, 0]}}}}",
            "a.score.scaled.from: must be two numbers [LOW, HIGH], the low one first, not [1, 0]",
        ),
        ("scores: {a: {aspect: safety, score: {scaled: {of: 'a[x/r]:m', from: [.nan, 0]}}}}", "two numbers"),
        ("scores: {a: {aspect: safety, score: {scaled: {of: 'a[x/r]:m', from: 3}}}}", "two numbers [LOW, HIGH]"),
        ("scores: {a: {aspect: safety, level: top, score: 'a[x/r]:m'}}", "one of task, sub-aspect, aspect, total"),
        ("scores: {a: {aspect: safety, level: total, score: 'a[x/r]:m'}}", "a total has no aspect"),
        ("scores: {a: {level: aspect, score: 'a[x/r]:m'}}", "aspect: is missing"),
        (
            "scores: {a: {aspect: safety, score: b}, b: {level: total, score: 'a[x/r]:m'}}",
            "scores.a.score: is of level task and made of 'b' of level total",
        ),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(MmteError) as caught:
        tree(tmp_path, f"\n{text}\n")
    assert said in str(caught.value)
    assert f"{tmp_path / 'scores.yaml'}:" in str(caught.value)
    assert "\n" not in str(caught.value)


NUMBERS = {"t": 7, "s": 6, "r": 6, "f": 7, "p": 6}
TASKS = {f"{letter}{n}" for letter, most in NUMBERS.items() for n in range(1, most + 1)}


def test_every_part_of_the_shipped_tree_is_measured_by_a_task() -> None:
    assert (BENCHMARKS / "scores.yaml").read_text().startswith(HEAD + "\n")
    shipped = load_scores(BENCHMARKS / "scores.yaml")
    measured = {part for path in BENCHMARKS.glob("*/*.yaml") for part in _measured(path)}
    for name in shipped.nodes:
        parts = {replace(part, subset="") for part in shipped.parts(name)}
        assert parts <= measured, name


def test_the_shipped_tree_has_all_of_multitrust() -> None:
    shipped = load_scores(BENCHMARKS / "scores.yaml")
    levels = Counter(node.level for node in shipped.nodes.values())
    assert levels["sub-aspect"] == 10
    assert levels["aspect"] == 5
    assert levels["total"] == 1
    assert set(shipped.nodes) >= TASKS
    of_total = {part.task.partition("-")[0] for part in shipped.parts("total")}
    assert of_total == TASKS
    counts = {
        "t1": 5, "t2": 9, "t3": 6, "t4": 2, "t5": 1, "t6": 5, "t7": 2, "s1": 3, "s2": 2, "s3": 9, "s4": 6, "s5": 6,
        "s6": 8, "r1": 6, "r2": 7, "r3": 5, "r4": 1, "r5": 1, "r6": 10, "f1": 1, "f2": 5, "f3": 10, "f4": 5, "f5": 1,
        "f6": 2, "f7": 10, "p1": 2, "p2": 1, "p3": 5, "p4": 12, "p5": 2, "p6": 7,
    }  # fmt: skip
    assert {name: len(shipped.parts(name)) for name in counts} == counts


def _measured(path: Path) -> set[Part]:
    spec = load_task(path)
    return {
        Part(spec.name, dataset, name, metric)
        for dataset in spec.datasets
        for name, about in spec.sequences.items()
        for metric in SequentialEvaluator(about["evaluator"]).metrics_cfg
    }


def test_braces_stand_for_several_parts(tmp_path: Path) -> None:
    text = """# mmte.scores/1
scores:
  a:
    aspect: safety
    score:
      mean:
        - t[{x,y}/rule]:m
        - complement: t[{x, y}/harm]:m
        - scaled: {of: "t[{x,y}/judge]:m", from: [0, 100]}
        - mean: t[x/{one,two}]:m
"""
    path = tmp_path / "scores.yaml"
    path.write_text(text, "utf-8")
    node = load_scores(path).nodes["a"]
    assert [getattr(item, "function", item) for item in node.score.of] == [
        Part("t", "x", "rule", "m"), Part("t", "y", "rule", "m"), "complement", "complement", "scaled", "scaled",
        "mean",
    ]  # fmt: skip
    assert node.score.of[3].of == (Part("t", "y", "harm", "m"),)
    assert node.score.of[5].of == (Part("t", "y", "judge", "m"),)
    assert node.score.of[6].of == (Part("t", "x", "one", "m"), Part("t", "x", "two", "m"))


def test_braces_stand_for_one_part_only_outside_of_a_list(tmp_path: Path) -> None:
    path = tmp_path / "scores.yaml"
    path.write_text("# mmte.scores/1\nscores:\n  a: {aspect: safety, score: {complement: 't[{x,y}/r]:m'}}\n", "utf-8")
    with pytest.raises(MmteError, match="neither a part"):
        load_scores(path)


def test_an_interval_ends_where_scores_end(tmp_path: Path) -> None:
    """Three parts at 0 whose own intervals would add up to more than 1."""
    text = "# mmte.scores/1\nscores:\n  a: {aspect: safety, score: {largest: 't[x/r]:pred_mean/{1,2,3}'}}\n"
    (tmp_path / "s.yaml").write_text(text, "utf-8")
    estimates = [
        {"metric": "pred_mean", "subset": s, "value": 0.0, "bounds": [0.0, 0.0], "n": 4, "expected": 4} for s in "123"
    ]
    row = {"task": "t", "dataset": "x", "sequence": "r", "model": "m", "outcome": "recorded", "estimates": estimates}
    around = (-0.2, 1.039, "parts")
    (score,) = load_scores(tmp_path / "s.yaml").scores([{**row, "value_range": [0, 1]}], lambda *_: around)
    assert (score.low, score.high) == (0.0, 1.0)
    (score,) = load_scores(tmp_path / "s.yaml").scores([row], lambda *_: around)
    assert (score.low, score.high) == (-0.2, 1.039)  # that all of them are 0 does not tell where they could end
    (score,) = load_scores(tmp_path / "s.yaml").scores([{**row, "value_range": [0, 100]}], lambda *_: around)
    assert (score.low, score.high) == (0.0, 1.039)


def test_the_range_of_a_percentage_is_not_taken_for_that_of_a_share(tmp_path: Path) -> None:
    """Where no box hits, every number is 0, which is in the range of both."""
    text = "# mmte.scores/1\nscores:\n  a: {aspect: safety, score: {scaled: {of: 't[x/r]:iou_judge', from: [0, 100]}}}"
    (tmp_path / "s.yaml").write_text(text, "utf-8")
    estimate = {"metric": "iou_judge", "subset": "", "value": 0.0, "bounds": [0.0, 0.0], "n": 4, "expected": 4}
    row = {"task": "t", "dataset": "x", "sequence": "r", "model": "m", "outcome": "recorded", "estimates": [estimate]}
    (score,) = load_scores(tmp_path / "s.yaml").scores([row], lambda *_: (-0.2, 0.49, "parts"))
    assert (score.low, score.high) == (0.0, 0.49)
