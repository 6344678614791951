"""Limits on metrics: `>= 0.8`, `< 0.1 (interval)`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.report.limits import Limit

OPS = st.sampled_from([">=", "<=", ">", "<"])
NUMBERS = st.floats(-1000, 1000).map(lambda x: round(x, 4))


@pytest.mark.parametrize(
    ("rule", "limit"),
    [
        (">= 0.8", Limit(">=", 0.8)),
        (" <0.1 ", Limit("<", 0.1)),
        (">-.5", Limit(">", -0.5)),
        ("<= 1e-3", Limit("<=", 0.001)),
        (">= 0.8 (interval)", Limit(">=", 0.8, True)),
        ("<2.(interval)", Limit("<", 2.0, True)),
        ("> +3", Limit(">", 3.0)),
    ],
)
def test_rules(rule: str, limit: Limit) -> None:
    assert Limit.parse(rule) == limit


@pytest.mark.parametrize(
    "rule",
    ["", "0.8", 0.8, None, "= 0.8", "=> 0.8", ">= eighty", ">= 0.8 %", ">= nan", ">= inf", ">= 0,8", ["> 1"], "> 1 2"],
)
def test_what_is_no_rule(rule: Any) -> None:
    with pytest.raises(MmteError, match=r"is no limit: write e\.g\. '>= 0\.8'"):
        Limit.parse(rule)


@given(OPS, NUMBERS, st.booleans())
def test_a_limit_reads_what_it_writes(op: str, bound: float, interval: bool) -> None:
    limit = Limit(op, float(f"{bound:g}"), interval)
    assert Limit.parse(str(limit)) == limit


@pytest.mark.parametrize(
    ("rule", "value", "holds"),
    [
        (">= 0.8", 0.8, True), (">= 0.8", 0.79, False), ("> 0.8", 0.8, False), ("> 0.8", 0.81, True),
        ("<= 0.1", 0.1, True), ("<= 0.1", 0.11, False), ("< 0.1", 0.1, False), ("< 0.1", 0.0, True),
    ],
)  # fmt: skip
def test_a_value_against_a_limit(rule: str, value: float, holds: bool) -> None:
    said = Limit.parse(rule).violated(value, 0.0, 1.0)
    assert (said == "") is holds
    assert holds or said == f"= {value:.4g} is not {rule}"


@pytest.mark.parametrize(
    ("rule", "low", "high", "holds"),
    [
        (">= 0.8 (interval)", 0.5, 0.79, False),
        (">= 0.8 (interval)", 0.5, 0.8, True),
        ("> 0.8 (interval)", 0.5, 0.8, False),
        ("<= 0.1 (interval)", 0.11, 0.3, False),
        ("<= 0.1 (interval)", 0.1, 0.3, True),
        ("< 0.1 (interval)", 0.1, 0.3, False),
    ],
)
def test_an_interval_must_lie_beyond_its_limit(rule: str, low: float, high: float, holds: bool) -> None:
    said = Limit.parse(rule).violated((low + high) / 2, low, high)
    assert (said == "") is holds
    assert holds or f"[{low:.4g}, {high:.4g}] is not {rule}" in said


def test_without_an_interval_the_value_counts() -> None:
    limit = Limit.parse(">= 0.8 (interval)")
    assert limit.violated(0.7, None, None)
    assert not limit.violated(0.8, None, None)


@given(OPS, NUMBERS, st.booleans())
def test_no_value_never_holds(op: str, bound: float, interval: bool) -> None:
    assert "has no value where" in Limit(op, bound, interval).violated(None, None, None)


@given(OPS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_an_interval_forgives_and_never_accuses(op: str, bound: float, a: float, b: float, c: float) -> None:
    low, value, high = sorted([a, b, c])
    if Limit(op, bound, True).violated(value, low, high):
        assert Limit(op, bound).violated(value, low, high)
