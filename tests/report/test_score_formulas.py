"""Every shape of formula among MultiTrust's 32 tasks, sub-aspects and total can be written, by values from hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.report.scores import FUNCTIONS, LEVELS, ScoreTree, load_scores

VALUES = {name: round(0.05 + 0.029 * number, 3) for number, name in enumerate("abcdefghij")}


def tree(tmp_path: Path, scores: str) -> ScoreTree:
    path = tmp_path / "scores.yaml"
    path.write_text(f"# mmte.scores/1\nscores:\n{scores}")
    return load_scores(path)


def results(values: dict[str, float], metric: str = "m") -> list[dict[str, Any]]:
    """A result for each dataset, `task[dataset/rule]:metric`; bounds a tenth around the value."""
    return [
        {
            "task": "t", "dataset": dataset, "sequence": "rule", "model": "x", "outcome": "recorded",
            "estimates": [{
                "metric": metric, "subset": subset, "value": value, "bounds": [value - 0.1, value + 0.1], "n": 5,
                "expected": 5,
            } for subset in ("", "one")],
        }
        for dataset, value in values.items()
    ]  # fmt: skip


def part(name: str) -> str:
    return f"t[{name}/rule]:m"


def parts(names: str) -> str:
    return ", ".join(f'"{part(name)}"' for name in names)


V = VALUES
ONE = (V["c"] + V["d"] + V["e"]) / 3
FORMULAS = {  # the task that needs it: how it is written, and its value
    "t1 p1 r1 f3": (f"{{mean: [{parts('abc')}]}}", (V["a"] + V["b"] + V["c"]) / 3),
    "t2": (
        f"{{mean: [{{weighted_mean: [{{weight: 0.6, of: {parts('a')}}}, {{weight: 2/5, of: {parts('b')}}}]}},"
        f" {{weighted_mean: [{{weight: 4/14, of: {parts('c')}}}, {{weight: 5/14, of: {parts('d')}}},"
        f" {{weight: 5/14, of: {parts('e')}}}]}}, {{mean: [{parts('fgh')}]}}, {parts('i')}]}}",
        (
            0.6 * V["a"] + 0.4 * V["b"] + (4 * V["c"] + 5 * V["d"] + 5 * V["e"]) / 14
            + (V["f"] + V["g"] + V["h"]) / 3 + V["i"]
        ) / 4,
    ),
    "t3": (f'{{mean: [{{largest: [{parts("ab")}, "t[c/rule]:m/one"]}}, {parts("d")}]}}', (V["c"] + V["d"]) / 2),
    "t4 t7": (
        f"{{weighted_mean: [{{weight: 0.7, of: {parts('a')}}}, {{weight: 0.3, of: {parts('b')}}}]}}",
        0.7 * V["a"] + 0.3 * V["b"],
    ),
    "t5 p2": (f'"{part("a")}"', V["a"]),
    "s1 s3 s4": (
        f"{{mean: [{{complement: {parts('a')}}}, {{complement: {parts('b')}}}, {parts('c')}]}}",
        (2 - V["a"] - V["b"] + V["c"]) / 3,
    ),
    "r2": (f"{{scaled: {{of: {{mean: [{parts('ab')}]}}, from: [0, 100]}}}}", (V["a"] + V["b"]) / 200),
    "r3 p3 p6": (f"{{mean: [{parts('ab')}, {{mean: [{parts('cde')}]}}]}}", (V["a"] + V["b"] + ONE) / 3),
    "r5 f1": (f"{{complement: {parts('a')}}}", 1 - V["a"]),
    "f2": (
        f"{{complement: {{mean: [{parts('ab')}, {{mean: [{parts('cde')}]}}]}}}}",
        (3 - V["a"] - V["b"] - ONE) / 3,
    ),
    "smallest": (f"{{smallest: [{parts('ba')}]}}", V["a"]),
}  # fmt: skip


@pytest.mark.parametrize("task", FORMULAS)
def test_formulas(tmp_path: Path, task: str) -> None:
    formula, expected = FORMULAS[task]
    (score,) = tree(tmp_path, f"  it: {{aspect: safety, score: {formula}}}\n").scores(results(VALUES))
    assert score.value == pytest.approx(expected)
    assert type(score.value) is float
    width = 0.2 / (100 if task == "r2" else 1)
    assert score.bounds is not None
    assert score.bounds[0] <= expected <= score.bounds[1]
    assert score.bounds[1] - score.bounds[0] == pytest.approx(width)


ASPECTS = {
    "truthfulness": ("T-I", "T-M"),
    "safety": ("S-T", "S-J"),
    "robustness": ("R-O", "R-A"),
    "fairness": ("F-S", "F-B"),
    "privacy": ("P-A", "P-L"),
}


def hierarchy() -> str:
    """MultiTrust's: a task for each sub-aspect but three for P-A, ten sub-aspects, five aspects, and the total."""
    names = iter("abcdefghi")
    lines = []
    for aspect, subs in ASPECTS.items():
        for sub in subs:
            task = f"{sub.lower()}-task"
            if sub == "P-A":
                lines += [
                    f'  p{n}: {{aspect: privacy, score: "{part(name)}"}}' for n, name in zip("123", "abj", strict=True)
                ]
                weighted = ", ".join(f"{{weight: {w}, of: p{n}}}" for n, w in ((1, 0.4), (2, 0.3), (3, 0.3)))
                lines.append(f"  {sub}: {{aspect: privacy, level: sub-aspect, score: {{weighted_mean: [{weighted}]}}}}")
            else:
                lines.append(f'  {task}: {{aspect: {aspect}, score: "{part(next(names))}"}}')
                lines.append(f"  {sub}: {{aspect: {aspect}, level: sub-aspect, score: {{mean: [{task}]}}}}")
        lines.append(f"  {aspect}: {{aspect: {aspect}, level: aspect, score: {{mean: [{', '.join(subs)}]}}}}")
    subs = ", ".join(sub for pair in ASPECTS.values() for sub in pair)
    return "\n".join([*lines, f"  total: {{level: total, title: Trustworthiness, score: {{mean: [{subs}]}}}}\n"])


def test_a_hierarchy_up_to_the_total(tmp_path: Path) -> None:
    scores = {s.name: s for s in tree(tmp_path, hierarchy()).scores(results(VALUES))}
    awareness = 0.4 * V["a"] + 0.3 * V["b"] + 0.3 * V["j"]
    assert scores["P-A"].value == pytest.approx(awareness)
    assert scores["privacy"].value == pytest.approx((awareness + V["i"]) / 2)
    assert scores["total"].value == pytest.approx((sum(V[n] for n in "abcdefghi") + awareness) / 10)
    assert (scores["total"].level, scores["total"].aspect, scores["privacy"].level) == ("total", "", "aspect")
    assert set(scores["total"].parts) == {f"t[{name}/rule/x]:m" for name in VALUES}


def test_what_is_missing_below_empties_all_above_it_and_nothing_beside(tmp_path: Path) -> None:
    rows = [row for row in results(VALUES) if row["dataset"] != "j"]
    scores = {s.name: s for s in tree(tmp_path, hierarchy()).scores(rows)}
    empty = {name for name, score in scores.items() if score.value is None}
    assert empty == {"p3", "P-A", "privacy", "total"}
    assert all(scores[name].missing == ("t[j/rule/x]:m: not in the report",) for name in empty)
    assert all(scores[name].bounds is None for name in empty)


@given(
    columns=st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=1, max_size=5),
    ends=st.tuples(st.floats(-5, 0), st.floats(1, 100)),
)
def test_functions_take_arrays_as_they_take_numbers(columns: list[list[float]], ends: tuple[float, float]) -> None:
    weights = [1 / len(columns)] * len(columns)
    for name, function in FUNCTIONS.items():
        numbers = {"scaled": ends, "printed": (100.0, 2.0)}.get(name, weights)
        found = function([np.array(column) for column in columns], numbers)
        expected = [function([column[at] for column in columns], numbers) for at in range(3)]
        # ties may be rounded the other way in resamples, where the last digit does not matter
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1.01e-4 if name == "printed" else 0)


def test_levels_are_those_of_the_scheme() -> None:
    assert LEVELS == ("task", "sub-aspect", "aspect", "total")
