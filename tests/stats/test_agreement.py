"""Agreement coefficients: textbook values, definitions spelled out, and what must not change them."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from mmte.stats.agreement import cohen_kappa, krippendorff_alpha, observed_agreement
from mmte.types import UNPARSED

# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
OBSERVERS = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
UNITS = list(zip(*([None if v == "." else int(v) for v in row.split()] for row in OBSERVERS), strict=True))

values = st.one_of(st.none(), st.integers(0, 4))
tables = st.lists(st.lists(values, min_size=2, max_size=4), min_size=1, max_size=12)


def brute(units: Any, level: str) -> float:
    """Alpha by its definition, pair by pair."""
    kept = [[v for v in unit if v is not None] for unit in units]
    kept = [unit for unit in kept if len(unit) > 1]
    everything = [v for unit in kept for v in unit]
    n, counts = len(everything), Counter(everything)

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        between = sum(counts[v] for v in counts if min(a, b) <= v <= max(a, b))
        return 0.0 if a == b else (between - (counts[a] + counts[b]) / 2) ** 2

    observed = sum(distance(a, b) / (len(u) - 1) for u in kept for a, b in itertools.permutations(u, 2)) / max(n, 1)
    expected = sum(distance(a, b) for a, b in itertools.permutations(everything, 2)) / max(n * (n - 1), 1)
    return 1 - observed / expected if expected else math.nan


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_example_of_krippendorff(level: Any, alpha: float) -> None:
    found = krippendorff_alpha(UNITS, level)
    assert found.value == pytest.approx(alpha, abs=5e-4)
    assert found.n == 11  # the last unit has one value
    assert found.low is not None
    assert found.high is not None
    assert found.low < alpha < found.high <= 1


def test_two_observers_of_the_same_paper() -> None:
    binary = zip([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0], strict=True)
    assert krippendorff_alpha(list(binary)).value == pytest.approx(0.095, abs=5e-4)
    nominal = zip("aabbdcccedda", "babbbcccedd" + "d", strict=True)
    assert krippendorff_alpha(list(nominal)).value == pytest.approx(0.692, abs=5e-4)


def test_kappa_of_a_table_done_by_hand() -> None:
    """20 and 15 agree of 50; chance 0.5 * 0.6 + 0.5 * 0.4: (0.7 - 0.5) / 0.5."""
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = cohen_kappa(one, other)
    assert found.value == pytest.approx(0.4)
    assert found.n == 50
    assert found.low is not None
    assert found.high is not None
    assert 0.1 < found.low < 0.4 < found.high < 0.7  # the usual large-sample interval is 0.15 to 0.65


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    one, other = zip(*pairs, strict=True)
    assume(len({*one, *other}) > 1)
    assert cohen_kappa(one, other).value == pytest.approx(cohen_kappa_score(one, other))


@settings(deadline=None)
@given(tables, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_its_definition(units: Any, level: Any) -> None:
    expected, found = brute(units, level), krippendorff_alpha(units, level).value
    if math.isnan(expected):
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(tables, st.randoms(use_true_random=False), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_neither_the_order_of_units_nor_of_readers_counts(units: Any, rng: random.Random, level: Any) -> None:
    other = [rng.sample(unit, len(unit)) for unit in rng.sample(units, len(units))]
    one, two = krippendorff_alpha(units, level), krippendorff_alpha(other, level)
    assert one.n == two.n
    assert (one.value is None) == (two.value is None)
    if one.value is not None:
        assert two.value == pytest.approx(one.value)


@given(tables)
def test_names_of_values_do_not_count_where_they_have_no_order(units: Any) -> None:
    renamed = [[None if v is None else f"v{9 - v}" for v in unit] for unit in units]
    one, two = krippendorff_alpha(units), krippendorff_alpha(renamed)
    assert (one.value is None) == (two.value is None)
    if one.value is not None:
        assert two.value == pytest.approx(one.value)


@given(tables, st.floats(0.01, 1000), st.floats(-1000, 1000))
def test_units_of_measurement_do_not_count_where_there_are_distances(units: Any, a: float, b: float) -> None:
    scaled = [[None if v is None else a * v + b for v in unit] for unit in units]
    one, two = krippendorff_alpha(units, "interval"), krippendorff_alpha(scaled, "interval")
    assert (one.value is None) == (two.value is None)
    if one.value is not None:
        assert two.value == pytest.approx(one.value, abs=1e-6)


def test_missing_is_missing_however_it_is_written() -> None:
    units = [[1.0, 0.0, None], [1.0, 1.0, math.nan], [0.0, 0.0, UNPARSED], [1.0, None, None]]
    assert krippendorff_alpha(units) == krippendorff_alpha([u[:2] for u in units])
    assert krippendorff_alpha(units).n == 3


def test_nothing_varies() -> None:
    same = [[1.0, 1.0]] * 8
    assert krippendorff_alpha(same).value is None
    assert cohen_kappa([1] * 8, [1] * 8).value is None
    observed = observed_agreement(same)
    assert (observed.value, observed.high, observed.n) == (1.0, 1.0, 8)
    assert observed.low is not None
    assert observed.low < 0.8  # eight units prove little


def test_nothing_at_all() -> None:
    for found in (krippendorff_alpha([]), observed_agreement([[1]]), cohen_kappa([], [])):
        assert (found.value, found.low, found.n) == (None, None, 0)


def test_observed_agreement_counts_pairs() -> None:
    assert observed_agreement([[1, 1, 0], [1, 1, 1]]).value == pytest.approx((1 / 3 + 1) / 2)


def test_dependent_units_make_the_interval_wider() -> None:
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2, 40)
    noisy = [[int(v), int(v) if rng.random() < 0.8 else 1 - int(v)] for v in base]
    units = [unit for unit in noisy for _ in range(5)]
    alone = krippendorff_alpha(units, seed=1)
    together = krippendorff_alpha(units, clusters=[n // 5 for n in range(len(units))], seed=1)
    assert alone.value == together.value
    assert None not in (alone.low, alone.high, together.low, together.high)
    assert (alone.method, together.method) == ("bootstrap", "bootstrap-cluster")
    assert together.high - together.low > 1.5 * (alone.high - alone.low)  # type: ignore[operator]


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="level must be one of"):
        krippendorff_alpha(UNITS, "ratio")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has no order"):
        krippendorff_alpha([["a", "b"]], "interval")
    with pytest.raises(ValueError, match="2 values against 1"):
        cohen_kappa([1, 2], [1])
