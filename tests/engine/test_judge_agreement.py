"""From ballots in the steps of trials to estimates of agreement."""

from __future__ import annotations

from typing import Any

import pytest

from mmte.engine.agreement import Ballots


def estimates(ballots: list[Any], level: str = "", clusters: list[int] | None = None) -> dict[str, Any]:
    found = Ballots()
    for row, said in enumerate(ballots):
        found.add(row, None if said is None else {"ballots": said})
    numbers = list(range(len(ballots))) if clusters is None else clusters
    return {e.metric: e for e in found.estimates(numbers, len(ballots), "t1[d/judge/x]", level)}


def test_no_ballots_no_estimates() -> None:
    assert estimates([None, {}]) == {}


def test_two_judges() -> None:
    """Forty agree on 1, forty on 0, twenty do not agree: kappa is (0.8 - 0.5) / 0.5."""
    rows: list[Any] = [[1.0, 1.0]] * 40 + [[0.0, 0.0]] * 40 + [[1.0, 0.0]] * 10 + [[0.0, 1.0]] * 10
    found = estimates([{"agreement": pair} for pair in rows])
    assert set(found) == {"judge_agreement", "judge_alpha", "judge_kappa"}
    assert found["judge_agreement"].value == pytest.approx(0.8)
    assert found["judge_kappa"].value == pytest.approx(0.6)
    assert found["judge_alpha"].value == pytest.approx(0.6, abs=0.01)
    for e in found.values():
        assert e.low < e.value < e.high
        assert (e.n, e.expected, e.direction, e.bounds) == (100, 100, "up", None)


def test_three_judges_have_no_kappa_and_grades_have_distances() -> None:
    rows = [{"agreement": [0.0, 25.0, 25.0]}, {"agreement": [100.0, 75.0, 100.0]}] * 10
    assert set(estimates(rows)) == {"judge_agreement", "judge_alpha"}
    near = estimates(rows, "interval")["judge_alpha"].value
    assert near > 0.8 > estimates(rows)["judge_alpha"].value


def test_a_judge_that_always_says_the_same_agrees_with_itself_and_that_proves_nothing() -> None:
    found = estimates([{"self": [1.0, 1.0, 1.0]}] * 20)
    assert (found["judge_self_agreement"].value, found["judge_self_alpha"].value) == (1.0, None)


def test_each_judge_and_each_chain_of_a_join_has_its_own() -> None:
    found = estimates([{"self.judge#2": [1.0, 0.0], "agreement.1": [1.0, None, 1.0], "orders.judge#2": [1.0, 1.0]}] * 6)
    assert set(found) == {
        "judge_self_agreement.judge#2", "judge_self_alpha.judge#2", "judge_agreement.1", "judge_alpha.1",
        "judge_contradiction.judge#2",
    }  # fmt: skip


def test_contradictions_are_a_share_and_fewer_are_better() -> None:
    found = estimates([{"orders": [1.0, 0.0]}] * 5 + [{"orders": [0.5, 0.5]}] * 15 + [{"orders": [1.0, None]}] * 3)
    (e,) = found.values()
    assert (e.metric, e.value, e.n, e.expected, e.direction) == ("judge_contradiction", 0.25, 20, 23, "down")
    assert e.low < 0.25 < e.high


def test_dependent_samples_count_less() -> None:
    rows = [{"agreement": [1.0, 1.0] if n % 8 < 4 else [1.0, 0.0]} for n in range(80)]
    alone, together = estimates(rows), estimates(rows, clusters=[n // 4 for n in range(80)])
    one, two = alone["judge_agreement"], together["judge_agreement"]
    assert (one.method, two.method) == ("wilson", "wilson-cluster")
    assert two.high - two.low > 1.5 * (one.high - one.low)
