"""Files of scores in the multitrust reading: the original's formula where there is one, and its rounding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmte.compat.score_tree import as_original
from mmte.errors import MmteError
from mmte.report.scores import Score, ScoreTree, load_scores

TREE = """# mmte.scores/1
scores:
  t:
    aspect: truthfulness
    score: {mean: ["t[a/r]:failure", "t[b/r]:failure"]}
  p:
    aspect: privacy
    score: {mean: ["t[a/r]:failure", {complement: "t[b/r]:failure"}]}
  best:
    aspect: truthfulness
    score: {largest: ["t[a/r]:failure", "t[b/r]:failure"]}
    multitrust: {largest_text: ["t[a/r]:failure", "t[b/r]:failure"]}
  zero:
    aspect: privacy
    score: {mean: ["t[a/r]:failure", "t[none/r]:failure"]}
    multitrust: {mean: [{zero_if_undefined: "t[{a,none}/r]:failure"}]}
  given:
    aspect: truthfulness
    score: {mean: ["t[a/r]:failure"]}
    multitrust: {printed: {of: {complement: "t[a/r]:failure"}, scale: 10, digits: 1}}
  ours:
    aspect: privacy
    score: {mean: [t, p]}
    multitrust: MultiTrust has none
  of-ours:
    aspect: privacy
    score: {mean: [ours]}
"""


def tree(tmp_path: Path, text: str = TREE) -> ScoreTree:
    path = tmp_path / "scores.yaml"
    path.write_text(text)
    return load_scores(path)


def results(**values: float | None) -> list[dict[str, Any]]:
    return [
        {"task": "t", "dataset": name, "sequence": "r", "model": "x", "outcome": "recorded", "estimates": [
            {"metric": "failure", "subset": "", "value": value, "bounds": None if value is None else [value, value],
             "n": 5, "expected": 5}]}
        for name, value in values.items()
    ]  # fmt: skip


def scores(tmp_path: Path, text: str = TREE, **values: float | None) -> dict[str, Score]:
    return {s.name: s for s in as_original(tree(tmp_path, text)).scores(results(**values))}


def test_numbers_are_rounded_as_they_are_printed(tmp_path: Path) -> None:
    found = scores(tmp_path, a=1 / 3, b=0.66666)
    assert found["t"].value == pytest.approx((33.33 + 66.67) / 200, abs=1e-12)
    assert found["p"].value == pytest.approx((0.3333 + 1 - 0.6667) / 2, abs=1e-12)
    assert found["given"].value == pytest.approx(0.67)
    strict = {s.name: s.value for s in tree(tmp_path).scores(results(a=1 / 3, b=0.66666))}
    assert strict["t"] == pytest.approx((1 / 3 + 0.66666) / 2)


@pytest.mark.parametrize(
    ("a", "b", "value"), [(1.0, 0.95, 0.95), (0.095, 0.12, 0.095), (0.2, 0.3, 0.3), (0.5, 0.5, 0.5)]
)
def test_the_largest_text(tmp_path: Path, a: float, b: float, value: float) -> None:
    found = scores(tmp_path, a=a, b=b)["best"]
    assert found.value == pytest.approx(value)
    assert found.bounds == pytest.approx((value, value))
    rows = results(a=a, b=b)
    rows[0]["estimates"][0]["bounds"] = [a - 0.05, a]
    (open_one,) = (s for s in as_original(tree(tmp_path)).scores(rows) if s.name == "best")
    assert open_one.bounds == pytest.approx((min(a - 0.05, b), max(a, b)))


def test_what_is_undefined_is_zero_but_what_is_missing_is_not(tmp_path: Path) -> None:
    undefined = scores(tmp_path, a=0.5, none=None)["zero"]
    assert undefined.value == pytest.approx(0.25)
    assert undefined.notes == ("1 of 2 parts are undefined and count as 0",)
    missing = scores(tmp_path, a=0.5)["zero"]
    assert missing.value is None
    assert missing.missing == ("t[none/r/x]:failure: not in the report",)
    rows = results(a=0.5, none=None)
    rows[1]["estimates"][0]["n"] = 0  # no answer could be read, which is as undefined as answers that are all the same
    (zero,) = (s for s in as_original(tree(tmp_path)).scores(rows) if s.name == "zero")
    assert zero.value == pytest.approx(0.25)
    rows = results(a=0.5, none=None)
    rows[1]["problem"] = "coverage"
    (zero,) = (s for s in as_original(tree(tmp_path)).scores(rows) if s.name == "zero")
    assert zero.value is None


def test_what_the_original_does_not_make_is_empty_with_what_is_made_of_it(tmp_path: Path) -> None:
    found = scores(tmp_path, a=0.5)
    assert set(as_original(tree(tmp_path)).nodes) == {"t", "p", "best", "zero", "given"}
    assert (found["ours"].value, found["ours"].missing) == (None, ("MultiTrust has none",))
    assert found["of-ours"].missing == ("is made of ours: MultiTrust has none",)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("multitrust: {printed: {of: t, scale: 100}}", "needs {of: PART, scale: NUMBER, digits: NUMBER}"),
        ("multitrust: {printed: {of: t, scale: 0, digits: 2}}", "must be a number above 0 and up to 1000"),
        ("multitrust: {mean: [mine]}", "leads back to itself: mine -> mine"),
        ("multitrust: {mean: [whole]}", "is of level task and made of 'whole' of level total"),
        ("multitrust: {largets_text: [t]}", "unknown function 'largets_text'. Did you mean 'largest"),
        ("multitrust: 5", "must be a part, the name of a score, or one function"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, wrong: str, said: str) -> None:
    text = f"{TREE}  whole: {{level: total, score: t}}\n  mine:\n    aspect: privacy\n    score: t\n    {wrong}\n"
    with pytest.raises(MmteError) as error:
        tree(tmp_path, text)
    assert said in str(error.value)
    assert ":32: " in str(error.value)


# -- the shipped tree ----------------------------------------------------------------------------
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def shipped(name: str, metric: str, values: list[float | None], bounds: Any = None) -> Score:
    """A score of the shipped tree, of these values of its parts in order."""
    tree = as_original(load_scores(BENCHMARKS / "scores.yaml"))
    rows = [
        {"task": part.task, "dataset": part.dataset, "sequence": part.sequence, "model": "x", "outcome": "recorded",
         "estimates": [{"metric": metric, "subset": part.subset, "value": value,
                        "bounds": bounds or [value, value], "n": 5, "expected": 5}]}
        for part, value in zip(tree.parts(name), values, strict=True)
    ]  # fmt: skip
    return next(s for s in tree.scores(rows) if s.name == name)


def test_f6_is_a_count_and_is_not_rounded() -> None:
    assert shipped("f6", "independence", [2 / 3, 1.0]).value == pytest.approx((6 - 1) / 6, abs=1e-12)


def test_p3_bounds_hold_the_zero_of_an_undefined_correlation() -> None:
    found = shipped("p3", "pearson_corr", [None] * 5, bounds=[0.7, 0.9])
    assert (found.value, found.bounds) == (0.0, (0.0, pytest.approx(0.9)))
    assert found.notes == ("5 of 5 parts are undefined and count as 0",)
    rounded = shipped("p3", "pearson_corr", [0.123456] * 5)
    assert rounded.value == pytest.approx(0.1235, abs=1e-12)
