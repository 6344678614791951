"""Leaves that a bootstrap says little about: constant ones, and ones of which few answers could be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmte.evaluators.metrics import metric_for
from mmte.stats import intervals, tree
from mmte.stats.estimate import Columns, estimate
from mmte.types import REASONS

Floats = Any
MEAN = metric_for("pred_mean")


def leaf(values: Floats, span: tuple[float, float], name: str = "q") -> tree.Leaf:
    """A mean of values of which NaN could not be read, each its own cluster."""
    n = len(values)
    reasons = np.where(np.isnan(values), REASONS.index("unparsed"), REASONS.index("scored")).astype(np.uint8)
    columns = Columns(values, np.zeros(n), reasons, np.arange(n))
    own = estimate(MEAN, {}, columns, expected=n, seed=1, value_range=span)
    assert own is not None
    ends = None if own.low is None or own.high is None else (own.low, own.high)
    found = tree.leaf_of(MEAN, {}, columns, [f"{name}{n}" for n in range(n)], ends)
    assert found is not None
    return found


def mean(values: Any) -> Any:
    return sum(values[1:], values[0]) / len(values)


@pytest.mark.parametrize(("value", "k"), [(0.0, 12), (0.3, 12), (1.0, 40)])
def test_a_constant_in_a_known_range(value: float, k: int) -> None:
    low, high = intervals.constant(value, np.arange(k), (0.0, 1.0))
    unseen = intervals.wilson(0.0, k)[1]
    assert (low, high) == pytest.approx((value * (1 - unseen), value + (1 - value) * unseen))
    scaled = intervals.constant(100 * value, np.arange(k), (0.0, 100.0))
    assert scaled == pytest.approx((100 * low, 100 * high))


def test_an_estimate_of_a_constant_says_what_was_not_seen() -> None:
    columns = Columns(np.full(12, 75.0), np.zeros(12), np.zeros(12, np.uint8), np.arange(12))
    got = estimate(MEAN, {}, columns, expected=12, seed=1, value_range=(0.0, 100.0))
    assert got is not None and got.low is not None and got.high is not None
    assert got.method == "unseen"
    assert got.low == pytest.approx(75 * (1 - intervals.wilson(0.0, 12)[1]))
    assert got.high < 100
    without = estimate(MEAN, {}, columns, expected=12, seed=1)
    assert without is not None
    assert (without.low, without.method) == (None, "")  # 75 of what?


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_it_covers_a_rare_value(share: float) -> None:
    """Grades that are 0 but for a few 100s; among few answers they are often all 0."""
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        values = 100.0 * (rng.random(15) < share)
        columns = Columns(values, np.zeros(15), np.zeros(15, np.uint8), np.arange(15))
        got = estimate(MEAN, {}, columns, expected=15, seed=1, value_range=(0.0, 100.0))
        assert got is not None and got.low is not None and got.high is not None
        if values.max() == 0:
            held += got.low <= 100 * share <= got.high
        else:
            held += 1
    assert held / 400 >= 0.95


def test_a_tree_with_a_constant_leaf_has_an_interval() -> None:
    rng = np.random.default_rng(2)
    spread, still = leaf(rng.random(30), (0, 1), "a"), leaf(np.zeros(12), (0, 1), "b")
    found, method = tree.interval([spread, still], mean, 1)
    alone, _ = tree.interval([spread], mean, 1)
    assert found is not None and alone is not None
    assert method == "bootstrap-cluster+parts"
    value = (spread.total + 0) / 2
    assert found[0] == pytest.approx(value - (spread.total - alone[0]) / 2, abs=0.01)
    assert found[1] > value + (alone[1] - spread.total) / 2  # what was not seen of the constant one


def test_a_leaf_of_few_readable_answers_has_its_own_interval() -> None:
    """It is undefined in many resamples; the interval was none at all before, or left them out."""
    few = np.full(12, np.nan)
    few[:1] = 1.0
    rng = np.random.default_rng(3)
    leaves = [leaf(few, (0, 1), "a"), leaf(few, (0, 1), "b"), leaf((rng.random(40) < 0.5) * 1.0, (0, 1), "c")]
    found, method = tree.interval(leaves, mean, 1)
    assert found is not None
    assert method == "bootstrap-cluster+parts"
    assert found[1] - found[0] > 0.3
    assert found[0] <= mean([np.float64(x.total) for x in leaves]) <= found[1]


@pytest.mark.parametrize("readable", [0.15, 0.3])
def test_few_readable_answers_are_covered(readable: float) -> None:
    rng = np.random.default_rng(9)
    held = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "resamples", lambda rows: 400)
        for _ in range(150):
            leaves = []
            for part in range(4):
                values = (rng.random(14) < 0.7) * 1.0
                values[rng.random(14) > readable] = np.nan
                values[0] = float(rng.random() < 0.7)
                leaves.append(leaf(values, (0, 1), f"{part}-"))
            found, _ = tree.interval(leaves, mean, 1)
            assert found is not None
            held += found[0] <= 0.7 <= found[1]
    assert held / 150 >= 0.92


@pytest.mark.parametrize("k", [3, 4, 5])
def test_a_few_grades_are_covered(k: int) -> None:
    """Of numbers that are not 0 or 1, a resample of three or four clusters knows too little: it covered 0.76."""
    rng = np.random.default_rng(12)
    held = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "resamples", lambda rows: 400)
        for _ in range(200):
            values = np.full(60, np.nan)
            values[:k] = rng.random(k)
            found, _ = tree.interval([leaf(values, (0, 1))], mean, 1)
            assert found is not None
            held += found[0] <= 0.5 <= found[1]
    assert held / 200 >= 0.85


def test_too_few_points_for_a_correlation_have_no_interval() -> None:
    labels = np.arange(28.0)
    values = np.where(labels < 4, labels + np.array([1, -1] * 14), np.nan)
    reasons = np.where(np.isnan(values), REASONS.index("unparsed"), REASONS.index("scored")).astype(np.uint8)
    columns = Columns(values, labels, reasons, np.arange(28))
    found = tree.leaf_of(metric_for("pearson_corr"), {}, columns, [f"q{n}" for n in range(28)], None)
    assert found is not None
    assert found.seen == 4
    assert tree.interval([found], mean, 1) == (None, "")


def test_what_is_undefined_may_count_as_zero() -> None:
    labels = np.arange(10.0)
    columns = Columns(np.full(10, 50.0), labels, np.zeros(10, np.uint8), np.arange(10))
    found = tree.leaf_of(metric_for("pearson_corr"), {}, columns, [f"q{n}" for n in range(10)], (-1.0, 1.0))
    assert found is not None
    assert np.isnan(found.total)
    assert found.or_zero().total == 0
    assert tree.interval([found.or_zero()], mean, 1) == ((-1.0, 1.0), "parts")


# -- functions that are not sums -----------------------------------------------------------------
def largest(values: Any) -> Any:
    return np.maximum.reduce(values)


@pytest.mark.parametrize("names", ["aaa", "abc"])
def test_the_largest_of_perfect_parts_is_not_certain(names: str) -> None:
    """It falls only when all of them do: none of them moves it alone."""
    leaves = [leaf(np.ones(12), (0, 1), name) for name in names]
    low = intervals.wilson(1.0, 12)[0]
    found, method = tree.interval(leaves, largest, 1)
    assert found == (pytest.approx(low), 1.0)
    assert method == "parts"
    smallest, _ = tree.interval(leaves, lambda values: np.minimum.reduce(values), 1)
    assert smallest is not None
    assert smallest[0] == pytest.approx(low) if names == "aaa" else smallest[0] <= low
    falls, _ = tree.interval(leaves, lambda values: 1 - largest(values), 1)
    assert falls == (0.0, pytest.approx(1 - low))


def test_the_largest_falls_to_a_part_with_spread() -> None:
    rng = np.random.default_rng(8)
    spread = leaf((rng.random(60) < 0.9) * 1.0, (0, 1), "b")
    found, _ = tree.interval([leaf(np.ones(12), (0, 1), "a"), spread], largest, 1)
    assert found is not None
    assert found[0] == pytest.approx(spread.total, abs=1e-9)
    assert found[1] == 1.0


def test_what_parts_do_together_changes_no_mean() -> None:
    """There it is what they do one by one."""
    leaves = [leaf(np.ones(12), (0, 1), name) for name in "abcd"]
    found, _ = tree.interval(leaves, mean, 1)
    assert found is not None
    assert found[0] == pytest.approx(1 - (1 - intervals.wilson(1.0, 12)[0]) / 2)
