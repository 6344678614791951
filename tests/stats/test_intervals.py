import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mmte.evaluators.metrics import metric_for, pearson_corr
from mmte.stats import intervals


@pytest.mark.parametrize("df", [*range(1, 40), 97, 1000, 10**6])
def test_quantiles_of_students_t_are_those_of_scipy(df):
    assert intervals.t975(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-5)


@given(st.integers(1, 500), st.data())
def test_wilson_is_scipys(n, data):
    hits = data.draw(st.integers(0, n))
    expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
    assert intervals.wilson(hits / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_cluster_of_copies_counts_as_one_answer():
    hits = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    copied, clusters = np.repeat(hits, 6), np.repeat(np.arange(8), 6)
    interval, method = intervals.proportion(copied, clusters)
    assert method == "wilson-cluster"
    p, k = hits.mean(), len(hits)
    assert interval == pytest.approx(
        intervals.wilson(p, k - 1, intervals.t975(k - 1))
    )  # k - 1: the variance is unbiased


def test_dependence_never_makes_an_interval_narrower_than_independence_would():
    hits = np.tile([1.0, 0.0], 30)  # each cluster has exactly one hit and one miss: no variance between them
    clusters = np.repeat(np.arange(30), 2)
    (low, high), _ = intervals.proportion(hits, clusters)
    plain_low, plain_high = intervals.wilson(0.5, 60)
    assert low <= plain_low and high >= plain_high


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_nothing_but_hits_or_misses_counts_clusters_not_rows(share):
    interval, _ = intervals.proportion(np.full(60, share), np.repeat(np.arange(10), 6))
    assert interval == pytest.approx(intervals.wilson(share, 10, intervals.t975(9)))
    assert intervals.proportion(np.full(6, share), np.zeros(6, int))[0] == pytest.approx(intervals.wilson(share, 1))


def test_mean_of_independent_answers_is_the_t_interval():
    values = np.array([3.0, 4.5, 9.0, 1.0, 2.5])
    interval, method = intervals.mean(values, np.arange(5))
    expected = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert method == "t" and interval == pytest.approx(expected, rel=1e-5)


def test_mean_of_equal_clusters_is_the_t_interval_of_their_means():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(9, 4)) + rng.normal(size=(9, 1))
    interval, method = intervals.mean(values.ravel(), np.repeat(np.arange(9), 4))
    means = values.mean(axis=1)
    expected = stats.t.interval(0.95, 8, means.mean(), stats.sem(means))
    assert method == "t-cluster" and interval == pytest.approx(expected, rel=1e-5)


def test_no_spread_is_no_interval():
    assert intervals.mean(np.full(7, 0.3), np.arange(7)) == (None, "")
    assert intervals.mean(np.array([0.3]), np.arange(1)) == (None, "")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(12, 40), st.booleans())
def test_both_bootstraps_estimate_the_same_interval(seed, n, clustered):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n * 3)
    y = x + rng.normal(size=n * 3)
    clusters = np.repeat(np.arange(n), 3) if clustered else np.arange(3 * n)
    sums = metric_for("pearson_corr").sums
    fast, method = intervals.bootstrap_sums(sums.rows(x, y), clusters, sums.value, seed)
    slow, same = intervals.bootstrap(lambda i: pearson_corr(x[i], y[i]), clusters, pearson_corr(x, y), seed + 1)
    assert method == same == ("bootstrap-cluster" if clustered else "bootstrap")
    width = max(fast[1] - fast[0], slow[1] - slow[0])
    assert abs(fast[0] - slow[0]) < 0.35 * width and abs(fast[1] - slow[1]) < 0.35 * width


def test_bca_is_scipys():
    rng = np.random.default_rng(5)
    x = rng.normal(size=60)
    y = 0.8 * x + rng.normal(size=60)
    sums = metric_for("pearson_corr").sums
    ours, _ = intervals.bootstrap_sums(sums.rows(x, y), np.arange(60), sums.value, 1)
    theirs = stats.bootstrap(
        (x, y), lambda a, b: stats.pearsonr(a, b).statistic, paired=True, vectorized=False, n_resamples=4000, rng=rng
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_order_of_rows_and_names_of_clusters_do_not_matter():
    rng = np.random.default_rng(8)
    x, y, clusters = rng.normal(size=90), rng.normal(size=90), np.repeat(np.arange(30), 3)
    sums = metric_for("pearson_corr").sums
    rows = sums.rows(x, y)
    first, _ = intervals.bootstrap_sums(rows, clusters, sums.value, 4)
    order, names = rng.permutation(90), rng.permutation(30)
    again, _ = intervals.bootstrap_sums(rows[order], names[clusters][order], sums.value, 4)
    other_seed, _ = intervals.bootstrap_sums(rows, clusters, sums.value, 5)
    assert again == pytest.approx(first, abs=1e-12) and other_seed != first


def test_grouping_many_clusters_keeps_the_interval(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.normal(size=4000)
    y = x + rng.normal(size=4000)
    sums = metric_for("pearson_corr").sums
    ungrouped, _ = intervals.bootstrap_sums(sums.rows(x, y), np.arange(4000), sums.value, 0)
    monkeypatch.setattr(intervals, "MAX_UNITS", 400)
    grouped, _ = intervals.bootstrap_sums(sums.rows(x, y), np.arange(4000), sums.value, 0)
    assert grouped == pytest.approx(ungrouped, abs=0.15 * (ungrouped[1] - ungrouped[0]))


def test_a_resample_without_a_value_is_dropped_and_too_many_of_them_are_no_interval():
    def sometimes(rows):
        return math.nan if 0 not in rows else float(rows.mean())

    def fails(rows):
        raise ZeroDivisionError

    assert intervals.bootstrap(sometimes, np.arange(9), 4.0, 0)[1] == "bootstrap"
    assert intervals.bootstrap(fails, np.arange(9), 4.0, 0) == (None, "")
    assert intervals.bootstrap(lambda rows: 4.0, np.arange(9), 4.0, 0) == (None, "")
    assert intervals.bootstrap(lambda rows: float(rows.mean()), np.arange(4), 1.5, 0) == (None, "")


@given(st.integers(0, 10**9))
def test_number_of_resamples_stays_within_the_work_allowed(rows):
    times = intervals.resamples(rows)
    assert 200 <= times <= 2000 and (times == 200 or times * rows <= 20_000_000)
