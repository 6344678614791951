"""Intervals of scores over clusters: how often they hold the truth, what they depend on, and when there is none."""

from math import nan
from statistics import NormalDist

import numpy as np
import pytest

from mmte.evaluators.metrics import Metric, metric_for, pearson_corr
from mmte.stats import intervals, tree
from mmte.stats.estimate import Columns, estimate
from mmte.types import REASONS

NORMAL = NormalDist()


def mean(values):
    return sum(values) / len(values)


def leaf(values, clusters, metric="pred_mean", labels=None, own=True, reasons=None, **options):
    names, numbers = np.unique(np.array(clusters), return_inverse=True)
    n = len(numbers)
    columns = Columns(
        np.asarray(values, dtype=float), np.zeros(n) if labels is None else np.asarray(labels, dtype=float),
        np.zeros(n, np.uint8) if reasons is None else np.array([REASONS.index(r) for r in reasons], np.uint8),
        numbers.astype(np.int64),
    )  # fmt: skip
    found = metric if isinstance(metric, Metric) else metric_for(metric)
    e = estimate(found, options, columns, expected=n, seed=1, value_range=(0, 1)) if own else None
    return tree.leaf_of(
        found, options, columns, names.tolist(), None if e is None or e.low is None else (e.low, e.high)
    )


def names(n, prefix="q"):
    return [f"{prefix}{number}" for number in range(n)]


def covered(draw, truth, times=300, seed=1, combine=mean):
    """The share of intervals that hold the truth; of 500 resamples each, for time's sake."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "resamples", lambda rows: 500)
        found = [tree.interval(draw(rng), combine, 7)[0] for _ in range(times)]
    return float(np.mean([low <= truth <= high for low, high in found]))


# -- coverage ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("p", "n", "most"), [(0.5, 28, 0.985), (0.9, 28, 0.985), (0.9, 10, 0.995), (0.97, 28, 1.0)])
def test_independent_parts(p, n, most):
    def draw(rng):
        return [leaf(rng.random(n) < p, names(n, f"{number}-")) for number in range(5)]

    assert 0.91 <= covered(draw, p) <= most


def same_questions(p, n, shared, prefix=lambda number: ""):
    """Five parts that ask the same questions, `shared` the correlation of how hard one is in each."""

    def draw(rng):
        hard = rng.standard_normal(n)
        parts = []
        for number in range(5):
            latent = np.sqrt(shared) * hard + np.sqrt(1 - shared) * rng.standard_normal(n)
            parts.append(leaf(latent < NORMAL.inv_cdf(p), names(n, prefix(number))))
        return parts

    return draw


@pytest.mark.parametrize(("p", "n"), [(0.5, 28), (0.8, 60)])
def test_parts_that_share_clusters_are_resampled_together(p, n):
    assert 0.91 <= covered(same_questions(p, n, 0.9), p) <= 0.99
    apart = same_questions(p, n, 0.9, prefix=lambda number: f"{number}-")  # as if they were other questions
    assert covered(apart, p, times=150) < 0.8


def test_clusters_of_several_rows():
    a, b = 0.8, 0.8  # beta: the correlation of two answers about an image is 1 / (1 + a + b)

    def draw(rng):
        images = [np.repeat(rng.beta(a, b, size=30), 4) for _ in range(3)]
        return [leaf(rng.random(120) < p, np.repeat(names(30, f"{n}-"), 4)) for n, p in enumerate(images)]

    assert 0.91 <= covered(draw, 0.5) <= 0.985


def test_correlations_of_the_same_scenarios():
    def draw(rng):
        labels, noise = rng.standard_normal(60), rng.standard_normal(60)
        answers = [0.8 * labels + 0.5 * noise + 0.33 * rng.standard_normal(60) for _ in range(3)]
        return [leaf(a, names(60), "pearson_corr", labels) for a in answers]

    truth = 0.8 / np.sqrt(0.8**2 + 0.5**2 + 0.33**2)
    assert 0.91 <= covered(draw, truth, times=200) <= 0.99


def test_a_function_that_is_not_linear():
    def draw(rng):
        return [leaf(rng.random(60) < p, names(60, str(p))) for p in (0.4, 0.8)]

    assert 0.91 <= covered(draw, 0.2, combine=lambda values: 1 - np.maximum.reduce(values)) <= 0.985


# -- parts without spread ------------------------------------------------------------------------
def test_nothing_but_hits_is_not_certain():
    perfect = [leaf(np.ones(28), names(28)) for _ in range(3)]
    (low, high), method = tree.interval(perfect, mean, 1)
    assert method == "parts"
    assert (low, high) == (pytest.approx(intervals.wilson(1.0, 28)[0]), 1.0)  # the same questions: no more than one


def test_a_perfect_part_of_other_questions_adds_its_square():
    half = np.arange(40) % 2
    one, perfect = leaf(half, names(40, "a")), leaf(np.ones(20), names(20, "b"))
    alone, _ = tree.interval([one], mean, 1)
    (low, high), method = tree.interval([one, perfect], mean, 1)
    assert method == "bootstrap-cluster+parts"
    down = (1 - intervals.wilson(1.0, 20)[0]) / 2
    assert 0.75 - low == pytest.approx(np.hypot((0.5 - alone[0]) / 2, down), abs=0.01)
    assert high - 0.75 == pytest.approx((alone[1] - 0.5) / 2, abs=0.01)


def test_too_few_clusters_count_by_their_own_interval():
    few = leaf([1, 0, 1, 1], ["a", "a", "b", "b"])
    (low, high), method = tree.interval([few], mean, 1)
    assert method == "parts"
    assert (low, high) == pytest.approx(few.own)
    assert tree.interval([leaf([1, 0, 1, 1], ["a", "a", "b", "b"], own=False)], mean, 1) == (None, "")


def test_a_constant_that_hides_the_rest():
    spread, perfect = leaf(np.arange(20) % 2, names(20)), leaf(np.ones(20), names(20, "b"))
    (low, high), _ = tree.interval([spread, perfect], lambda v: np.maximum.reduce(v), 1)
    assert (low, high) == (pytest.approx(intervals.wilson(1.0, 20)[0]), 1.0)


# -- what it depends on --------------------------------------------------------------------------
def test_the_order_of_rows_and_parts_has_no_influence():
    rng = np.random.default_rng(3)
    hits, order = (rng.random((2, 50)) < 0.7).astype(float), rng.permutation(50)
    clusters = np.array(names(50))
    one = tree.interval([leaf(h, clusters) for h in hits], mean, 5)
    assert tree.interval([leaf(h[order], clusters[order]) for h in hits], mean, 5) == one
    swapped, _ = tree.interval([leaf(h, clusters) for h in hits[::-1]], mean, 5)
    assert swapped == pytest.approx(one[0])
    assert tree.interval([leaf(h, clusters) for h in hits], mean, 6) != one


def test_one_part_has_about_the_interval_of_its_metric():
    rng = np.random.default_rng(4)
    hits = rng.random(400) < 0.8
    part = leaf(hits, names(400))
    found, method = tree.interval([part], mean, 1)
    assert method == "bootstrap-cluster"
    assert found == pytest.approx(part.own, abs=0.01)


def test_values_are_those_of_the_metrics():
    clusters, values, labels = names(6), [1, 0, 1, nan, 1, 0], [1, 1, 1, 1, 0, 0]
    reasons = ["scored", "scored", "scored", "unparsed", "error", "scored"]
    assert leaf(values, clusters, "accuracy_score", labels, reasons=reasons).total == pytest.approx(3 / 5)
    assert leaf(values, clusters, "pred_mean", labels, reasons=reasons).total == pytest.approx(2 / 4)
    assert leaf(values, clusters, "failure", labels, reasons=reasons).total == pytest.approx(1 / 5)
    assert leaf(values, clusters, "f1_score", labels, reasons=reasons).total == pytest.approx(4 / 5)
    assert leaf(values, clusters, "pred_sum", labels, reasons=reasons).total == pytest.approx(2)
    assert leaf(values, clusters, "pearson_corr", labels, reasons=reasons).total == pytest.approx(
        pearson_corr([1, 1, 1, 0], [1, 0, 1, 0])
    )


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("failure", {"fails_num": 0}),
        ("pearson_corr", {"nan_to_num": 0}),
        ("pearson_corr", {"nan_to_num": -50.0}),
        ("f1_score", {"pos_label": 0}),
        ("f1_score", {"average": "binary", "pos_label": 2}),
        ("recall_score", {"pos_label": 2}),
        ("precision_score", {"pos_label": 0}),
    ],
)
def test_values_with_options_are_those_of_the_metric_with_them(metric, options):
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 3, size=90).astype(float)
    values = np.where(rng.random(90) < 0.6, labels, rng.integers(0, 3, size=90))
    reasons = rng.choice(["scored", "unparsed", "error"], size=90, p=[0.8, 0.15, 0.05])
    values[reasons != "scored"] = nan
    clusters = names(30) * 3
    asked, plain = (leaf(values, clusters, metric, labels, reasons=reasons, **o) for o in (options, {}))
    answered = reasons != "error"
    told = metric_for(metric)(labels[answered], values[answered], **options)
    assert asked.total == pytest.approx(told, abs=1e-12)
    assert asked.total != pytest.approx(plain.total, abs=1e-6)
    (low, high), _ = tree.interval([asked], mean, 1)
    assert low < told < high
    assert asked.own[0] < told < asked.own[1]
    assert (low, high) == pytest.approx(asked.own, abs=0.06)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("metric", ["f1_score", "recall_score", "precision_score"])
def test_no_leaf_where_these_options_have_no_form_as_sums(metric, average):
    values, labels = [1, 0, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]
    assert leaf(values, names(6), metric, labels, own=False) is not None
    assert leaf(values, names(6), metric, labels, own=False, average=average) is None


def test_a_sum_keeps_its_size_in_resamples():
    part = leaf(np.arange(12.0), names(12), "pred_sum")
    (low, high), _ = tree.interval([part], mean, 1)
    assert low < 66 < high
    assert (low + high) / 2 == pytest.approx(66, rel=0.1)


def test_no_interval_where_there_is_no_form_as_sums():
    assert leaf([1, 0, 1, 1, 0], names(5), Metric("mine", lambda labels, preds: 0.5), own=False) is None


def test_no_interval_where_a_part_without_spread_has_none():
    values = [nan] * 59 + [1.0]
    part = leaf(values, names(60), reasons=["unparsed"] * 59 + ["scored"], own=False)
    assert tree.interval([part], mean, 1) == (None, "")


def test_many_clusters_are_grouped():
    rng = np.random.default_rng(5)
    n = intervals.MAX_UNITS + 500
    found, _ = tree.interval([leaf(rng.random(n) < 0.5, names(n))], mean, 1)
    assert found[1] - found[0] == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(n), rel=0.1)
