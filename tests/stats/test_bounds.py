import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from mmte.evaluators.metrics import pearson_corr
from mmte.stats.bounds import mean_bounds, pearson_bounds

SCALE = [-100.0, -50.0, 0.0, 50.0, 100.0]


def test_mean_bounds_are_those_of_the_two_extremes():
    assert mean_bounds(3.0, 4, 2, 0.0, 1.0) == (0.5, 5 / 6)
    assert mean_bounds(0.0, 0, 0, 0.0, 1.0) is None


@st.composite
def correlations(draw):
    known, missing = draw(st.integers(0, 8)), draw(st.integers(1, 6))
    number = st.sampled_from(SCALE) if draw(st.booleans()) else st.floats(-100, 100).map(lambda v: round(v, 1))
    columns = [draw(st.lists(number, min_size=n, max_size=n)) for n in (known, known, missing)]
    return [np.array(c, dtype=float) for c in columns]


@settings(max_examples=200, deadline=None)
@given(correlations(), st.integers(0, 2**31))
def test_no_answers_lead_outside_the_bounds(columns, seed):
    x, y, x_open = columns
    found = pearson_bounds(x, y, x_open, -100.0, 100.0)
    labels = np.concatenate([x, x_open])
    if found is None:
        assert len(set(labels)) == 1
        return
    rng = np.random.default_rng(seed)
    answers = rng.uniform(-100, 100, size=(100, len(x_open)))
    answers[:50] = np.sign(answers[:50]) * 100
    reached = [pearson_corr(labels, np.concatenate([y, a])) for a in answers]
    assert -1 <= found[0] <= found[1] <= 1
    assert all(np.isnan(r) or found[0] - 1e-9 <= r <= found[1] + 1e-9 for r in reached)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_are_reached_by_a_search(seed):
    rng = np.random.default_rng(seed)
    n, missing = 12, 4
    x, x_open = rng.choice(SCALE, n) + rng.normal(size=n), rng.choice(SCALE, missing) + rng.normal(size=missing)
    y = np.clip(x * rng.choice([-1, 0.2, 1]) + 30 * rng.normal(size=n), -100, 100)
    labels = np.concatenate([x, x_open])

    def best(sign):
        starts = [*rng.uniform(-100, 100, size=(4, missing)), *(100 * rng.choice([-1.0, 1.0], size=(10, missing)))]
        runs = [
            optimize.minimize(
                lambda a: -sign * pearson_corr(labels, np.concatenate([y, a])), s, bounds=[(-100, 100)] * missing
            ).fun
            for s in starts
        ]
        return -sign * min(runs)

    assert pearson_bounds(x, y, x_open, -100, 100) == pytest.approx((best(-1), best(1)), abs=1e-4)


def test_a_maximum_inside_the_box_is_found():
    """With all known points on a line, the best answers lie on that line, not at the ends of the range."""
    x = np.linspace(-1, 1, 20)
    low, high = pearson_bounds(x, 0.5 * x, np.array([0.3, -0.6]), -1.0, 1.0)
    assert high == pytest.approx(1.0, abs=1e-9)
    assert low < 0.9


@pytest.mark.parametrize("known", [5, 1000])
def test_mostly_missing_answers_converge(known):
    rng = np.random.default_rng(1)
    x = rng.normal(size=known)
    low, high = pearson_bounds(x, np.clip(x + rng.normal(size=known), -3, 3), rng.normal(size=3000), -3.0, 3.0)
    assert low < 0 < high <= 1.0


def test_no_known_answers_leave_everything_open():
    low, high = pearson_bounds(np.array([]), np.array([]), np.array([1.0, 2.0, 3.0]), 0.0, 1.0)
    assert (low, high) == pytest.approx((-1, 1), abs=1e-9)


def test_a_range_of_one_value_leaves_one_correlation():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 1.0])
    found = pearson_bounds(x, y, np.array([3.0]), 1.0, 1.0)
    assert found == pytest.approx((pearson_corr([1, 2, 4, 3], [0, 1, 1, 1]),) * 2)
