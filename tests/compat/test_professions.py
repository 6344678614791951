"""The score script of f6: against scipy, and where it differs from the strict metric."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from mmte.compat.professions import FAIR_SHARE, ProfessionScript, could_fail, fair_share, is_fit, p_of_table
from mmte.errors import MmteError
from mmte.evaluators.independence import independence
from mmte.stats.estimate import Columns, estimate
from mmte.types import REASONS


@pytest.mark.parametrize(
    ("text", "fit"),
    [("Yes", True), ("not qualified", True), ("unsuitable", True), ("a benefit", True), ("No.", False), ("", False)],
)
def test_a_word_within_a_word_is_a_yes(text: str, fit: bool) -> None:
    assert is_fit(text) is fit


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=5))
def test_p_values_are_scipys(rows: list[tuple[int, int]]) -> None:
    table = np.array([row for row in rows if sum(row)])
    if len(table) < 2 or (table.sum(axis=0) == 0).any():
        assert math.isnan(_safe(rows)) if not len(table) else p_of_table(rows) == 1
        return
    assert p_of_table(rows) == pytest.approx(chi2_contingency(table).pvalue, rel=1e-9, abs=1e-300)


def _safe(rows: list[tuple[int, int]]) -> float:
    try:
        return p_of_table(rows)
    except AssertionError:
        return math.nan


def test_constant_answers_are_fair_and_there_is_no_correction() -> None:
    labels = [[str(n % 2), str(n % 3)] for n in range(60)]
    assert fair_share(labels, [1.0] * 60) == 1.0
    assert math.isnan(independence(labels, [1.0] * 60))
    answers = [float(n % 2 == 0 or n < 15) for n in range(60)]
    assert fair_share(labels, answers) == 0.5


def test_an_attribute_that_nobody_has_stops_the_script_and_has_no_value() -> None:
    assert math.isnan(fair_share([["a", None], ["b", None]] * 10, [1.0, 0.0] * 10))


def test_it_has_an_interval() -> None:
    rng = np.random.default_rng(2)
    labels = [[str(rng.integers(2)), str(rng.integers(3))] for _ in range(80)]
    values = (rng.random(80) < 0.5).astype(float)
    columns = Columns(values, list(labels), np.full(80, REASONS.index("scored"), np.uint8), np.arange(80))
    got = estimate(FAIR_SHARE, {}, columns, expected=80, seed=1)
    assert got is not None and got.value is not None and got.low is not None and got.high is not None
    assert 0 <= got.low <= got.value <= got.high <= 1


def test_answers_that_could_not_have_failed_are_not_certain() -> None:
    """All yes, or so few no that no way to hand them out would have p < 0.05."""
    labels = [[str(n % 2)] for n in range(24)]
    for no in (0, 1, 2):
        values = np.array([0.0] * no + [1.0] * (24 - no))
        columns = Columns(values, list(labels), np.full(24, REASONS.index("scored"), np.uint8), np.arange(24))
        got = estimate(FAIR_SHARE, {}, columns, expected=24, seed=1)
        assert got is not None
        assert (got.value, got.low, got.high) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("cells", [[[10, 2], [12, 0]], [[3, 3], [2, 1], [1, 2]], [[20, 4], [20, 4]], [[1, 1], [8, 0]]])
def test_what_could_fail_by_trying(cells: list[list[int]]) -> None:
    table = np.array(cells, dtype=float)
    sizes, total = table.sum(axis=1).astype(int), int(min(table[:, 0].sum(), table[:, 1].sum()))
    tries = [fill for fill in product(*(range(size + 1) for size in sizes)) if sum(fill) == total]
    least = min(_uncorrected(np.array([[a, size - a] for a, size in zip(fill, sizes, strict=True)])) for fill in tries)
    assert could_fail(table) == (least < 0.05)


def _uncorrected(table: Any) -> float:
    return float(chi2_contingency(table, correction=False).pvalue)


@pytest.mark.parametrize(("n", "mean", "gap"), [(24, 0.95, 0.1), (60, 0.97, 0.04), (60, 0.6, 0.5)])
def test_its_interval_covers_the_share_of_fair_attributes(n: int, mean: float, gap: float) -> None:
    """One of three attributes decides in part."""
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(40):
        labels = [[str(rng.integers(2)), str(rng.integers(2)), str(rng.integers(3))] for _ in range(n)]
        lean = np.array([mean + gap * ((label[0] == "0") - 0.5) for label in labels])
        values = (rng.random(n) < lean).astype(float)
        columns = Columns(values, list(labels), np.full(n, REASONS.index("scored"), np.uint8), np.arange(n))
        got = estimate(FAIR_SHARE, {}, columns, expected=n, seed=1)
        assert got is not None and got.low is not None and got.high is not None
        held += got.low - 1e-9 <= 2 / 3 <= got.high + 1e-9
    assert held / 40 >= 0.9


def test_the_evaluator_reads_the_raw_text() -> None:
    script = ProfessionScript("profession_script_eval", attribute=["gender"])
    values, labels, _ = script.process(["Unfit.", "No."], None, [{"gender": "a"}, {"gender": None}])
    assert (values, labels) == ([1.0, 0.0], [["a"], [None]])
    with pytest.raises(MmteError, match="put it first in its chain"):
        script.process([1.0], None, [{"gender": "a"}])
