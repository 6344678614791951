import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators import metrics
from mmte.evaluators.metrics import Metric, metric_for
from mmte.stats import intervals
from mmte.stats.bounds import pearson_bounds
from mmte.stats.estimate import Columns, estimate
from mmte.types import REASONS, Estimate

NAN = math.nan
CODE = {reason: i for i, reason in enumerate(REASONS)}
NUMBERS = ["pred_sum", "pred_mean", "accuracy_score", "precision_score", "recall_score", "f1_score", "pearson_corr"]
NUMBERS += ["failure"]


def columns(values, labels=None, reasons=None, clusters=None):
    """Columns from plain lists; a row without a value is unparsed unless `reasons` says otherwise."""
    array = np.array(values, dtype=float)
    reasons = reasons or ["unparsed" if np.isnan(v) else "scored" for v in array]
    return Columns(
        array,
        np.array(labels if labels is not None else [0.0] * len(array), dtype=float),
        np.array([CODE[r] for r in reasons], dtype=np.uint8),
        np.array(clusters if clusters is not None else range(len(array)), dtype=np.int64),
    )


def of(name, cols, expected=None, **kwargs):
    options = {k: kwargs.pop(k) for k in list(kwargs) if k not in ("value_range", "subset", "direction")}
    return estimate(metric_for(name), options, cols, expected=expected or len(cols), seed=1, **kwargs)


# -- what counts ---------------------------------------------------------------------------------
def test_unparsed_answers_are_wrong_left_out_or_failures():
    cols = columns([1, 1, 0, NAN], [1, 1, 1, 1])
    accuracy, mean, failure = (of(name, cols) for name in ("accuracy_score", "pred_mean", "failure"))
    assert (accuracy.value, accuracy.n) == (0.5, 4)
    assert (mean.value, mean.n) == (2 / 3, 3)
    assert (failure.value, failure.n) == (0.25, 4)


@pytest.mark.parametrize("reason", ["empty", "filtered", "cut", "error", "judge"])
def test_answers_that_are_none_are_never_in_the_value(reason):
    cols = columns([1, 0, NAN, NAN], [1, 1, 1, 1], ["scored", "scored", reason, reason])
    for name in ("accuracy_score", "pred_mean"):
        found = of(name, cols)
        assert (found.value, found.n, found.expected, found.bounds) == (0.5, 2, 4, (0.25, 0.75))
    failure = of("failure", cols)
    assert (failure.value, failure.n, failure.bounds) == (0.0, 2, (0.0, 0.5))


def test_a_left_over_value_of_an_unscored_row_is_not_used():
    cols = columns([1, 1, 1], [1, 1, 1], ["scored", "unparsed", "error"])
    assert of("accuracy_score", cols).value == 0.5
    assert of("failure", cols).value == 0.5
    assert of("pred_sum", cols).value == 1.0


def test_a_scored_row_without_a_value_is_unparsed():
    cols = columns([1, NAN], [1, 1], ["scored", "scored"])
    assert of("failure", cols).value == 0.5 and of("accuracy_score", cols).value == 0.5


def test_samples_without_a_row_are_in_the_bounds_only():
    found = of("accuracy_score", columns([1, 1], [1, 0]), expected=4)
    assert (found.value, found.n, found.expected, found.bounds) == (0.5, 2, 4, (0.25, 0.75))
    with pytest.raises(ValueError, match="2 rows of 1 expected"):
        of("accuracy_score", columns([1, 1], [1, 0]), expected=1)


@pytest.mark.parametrize("name", NUMBERS)
def test_nothing_scored_has_no_value(name):
    for cols in (columns([]), columns([NAN, NAN], [1, 2], ["error", "judge"])):
        found = of(name, cols, expected=4)
        assert (found.value, found.low, found.high, found.n, found.method) == (None, None, None, 0, "")


def test_an_undefined_value_is_none():
    found = of("pearson_corr", columns([5, 5, 5], [1, 2, 3]))
    assert (found.value, found.low, found.high, found.n, found.bounds) == (None, None, None, 3, None)
    assert of("precision_score", columns([0, 0], [1, 0])).value is None


def test_a_column_is_no_number():
    assert of("pred_no_op", columns([1, 2])) is None


def test_nan_to_num_puts_unparsed_answers_into_the_correlation():
    cols = columns([5, NAN, 7, 9], [1, 2, 3, 4])
    found = of("pearson_corr", cols, nan_to_num=0)
    assert (found.value, found.n) == (pytest.approx(np.corrcoef([1, 2, 3, 4], [5, 0, 7, 9])[0, 1]), 4)
    assert of("pearson_corr", cols).n == 3


def test_objects_work_where_the_metric_takes_them():
    reasons = np.array([0, 0, CODE["unparsed"], CODE["error"]], dtype=np.uint8)
    cols = Columns(["cat", "dog", None, None], ["cat", "cat", "dog", "dog"], reasons, np.arange(4))
    accuracy = of("accuracy_score", cols)
    assert (accuracy.value, accuracy.n, accuracy.bounds) == (pytest.approx(1 / 3), 3, (0.25, 0.75))
    with pytest.raises(MmteError, match="'pred_mean' needs numbers, not 'cat'"):
        of("pred_mean", cols)


def test_direction_and_subset_are_recorded():
    found = of("pred_mean", columns([1, 0]), direction="down", subset="tier_2a")
    assert (found.direction, found.subset) == ("down", "tier_2a")
    assert of("failure", columns([1, 0])).direction == "down"


def test_an_unknown_option_is_one_line():
    with pytest.raises(MmteError, match="'pearson_corr' has no option 'nan_to_nu'. Did you mean 'nan_to_num'?"):
        of("pearson_corr", columns([1, 0]), nan_to_nu=0)


def test_columns_of_different_lengths():
    with pytest.raises(ValueError, match="differ in length"):
        Columns(np.zeros(2), np.zeros(3), np.zeros(2, np.uint8), np.zeros(2, np.int64))


# -- intervals -----------------------------------------------------------------------------------
def test_methods_of_the_intervals():
    values = [0.0, 1, 1, 0, 1, 1, 0, 1, 1, 1]
    pairs = np.repeat(range(5), 2)
    assert of("pred_mean", columns(values)).method == "wilson"
    assert of("pred_mean", columns(values, clusters=pairs)).method == "wilson-cluster"
    assert of("pred_mean", columns([v / 2 for v in values])).method == "t"
    assert of("pred_mean", columns([v / 2 for v in values], clusters=pairs)).method == "t-cluster"
    assert of("pred_mean", columns(values), value_range=(1.0, 10.0)).method == "t"
    assert of("pearson_corr", columns(values, range(10))).method == "bootstrap"
    assert of("pearson_corr", columns(values, range(10), clusters=pairs)).method == "bootstrap-cluster"
    assert of("f1_score", columns(values, values[::-1])).method == "wilson"
    assert of("f1_score", columns(values, values[::-1]), average="macro").method == "bootstrap"


def test_f1_is_an_interval_of_the_share_behind_it():
    preds, labels = [1, 1, 1, 0, 0, 1], [1, 1, 0, 1, 0, 1]
    found = of("f1_score", columns(preds, labels))
    low, high = intervals.wilson(3 / 5, 5)
    assert (found.value, found.low, found.high) == pytest.approx((0.75, 2 * low / (1 + low), 2 * high / (1 + high)))


def test_filtering_leaves_clusters_of_one():
    cols = columns([1, NAN, 0, NAN, 1, NAN], clusters=[0, 0, 1, 1, 2, 2])
    assert of("pred_mean", cols).method == "wilson"


def test_the_same_seed_gives_the_same_interval():
    rng = np.random.default_rng(0)
    cols = columns(rng.normal(size=50), rng.normal(size=50))
    assert of("pearson_corr", cols) == of("pearson_corr", cols)
    other = estimate(metric_for("pearson_corr"), {}, cols, expected=50, seed=2)
    assert other.value == of("pearson_corr", cols).value and other.low != of("pearson_corr", cols).low


def test_a_plugged_in_function_gets_an_interval_and_no_bounds(monkeypatch):
    monkeypatch.setitem(metrics._supported_metrics, "spread", lambda labels, preds: float(np.ptp(preds)))
    found = of("spread", columns([1, 5, 2, 9, 3, NAN]))
    assert (found.value, found.n, found.method, found.bounds) == (8.0, 5, "bootstrap", None)
    assert found.low <= 8.0 <= found.high
    assert of("spread", columns([1, 5, 2, 9, 3])).bounds == (8.0, 8.0)


def test_a_plugged_in_function_that_fails_is_named(monkeypatch):
    monkeypatch.setitem(metrics._supported_metrics, "bad", lambda labels, preds: preds["x"])
    with pytest.raises(MmteError, match="metric 'bad' failed: IndexError"):
        of("bad", columns([1, 2]))


def test_unparsed_counts_as_zero_in_a_plugged_in_mean_that_says_so():
    metric = Metric("mine", lambda labels, preds: float(np.mean(preds)), unscored="wrong", kind="mean")
    found = estimate(metric, {}, columns([1, 0.5, NAN, NAN]), expected=4, seed=0)
    assert (found.value, found.n, found.bounds) == (0.375, 4, (0.375, 0.875))


def test_hits_of_a_plugged_in_metric():
    metric = Metric(
        "close",
        lambda labels, preds: float(np.nanmean(np.abs(preds - labels) < 2)),
        kind="proportion",
        hits=lambda labels, preds: (np.abs(preds - labels) < 2).astype(float),
    )
    found = estimate(metric, {}, columns([1, 5, 3, NAN], [1, 1, 2, 2]), expected=4, seed=0)
    assert (found.value, found.method, found.bounds) == (pytest.approx(2 / 3), "wilson", (0.5, 0.75))


# -- bounds --------------------------------------------------------------------------------------
def test_bounds_of_a_mean_need_a_range():
    cols = columns([2, 8, NAN, NAN])
    assert of("pred_mean", cols).bounds is None
    assert of("pred_mean", cols, value_range=(0.0, 10.0)).bounds == (2.5, 7.5)
    assert of("pred_mean", columns([0.2, 0.8, NAN, NAN])).bounds == (0.25, 0.75)
    assert of("pred_sum", cols, value_range=(-1.0, 10.0)).bounds == (8.0, 30.0)


def test_bounds_of_classification_are_reached():
    cols = columns([1, 0, 1, NAN], [1, 1, 0, NAN], ["scored", "scored", "scored", "error"])
    for name in ("precision_score", "recall_score", "f1_score"):
        outcomes = [metric_for(name)([1, 1, 0, a], [1, 0, 1, b]) for a in (0, 1) for b in (0, 1)]
        assert of(name, cols).bounds == pytest.approx((min(outcomes), max(outcomes)))


def test_bounds_of_a_correlation_use_the_labels_and_the_range():
    labels, values = [1.0, 2, 3, 4, 5, 6], [-50, 0, 0, 50, 100, NAN]
    cols = columns(values, labels, ["scored"] * 5 + ["error"])
    known = [np.array(c, dtype=float) for c in (labels[:5], values[:5], labels[5:])]
    assert of("pearson_corr", cols).bounds == pytest.approx(pearson_bounds(*known, -50, 100))
    wide = of("pearson_corr", cols, value_range=(-100.0, 100.0)).bounds
    assert wide == pytest.approx(pearson_bounds(*known, -100, 100)) and wide[0] < of("pearson_corr", cols).bounds[0]


def test_bounds_of_a_correlation_without_the_label():
    assert of("pearson_corr", columns([1, 2, 3, 5], [1, 2, 4, 4]), expected=5).bounds == (-1.0, 1.0)
    assert of("pearson_corr", columns([1, 2, 3, NAN], [1, 2, 4, NAN])).bounds == (-1.0, 1.0)


def test_refusing_the_hard_questions_shows_in_the_bounds():
    """A model raises its correlation by leaving out what it would get wrong; not its lower bound."""
    labels = np.linspace(-100, 100, 40)
    wrong = np.where(np.arange(40) % 4 == 0, -labels, labels)
    honest = of("pearson_corr", columns(wrong, labels), value_range=(-100.0, 100.0))
    picky = of(
        "pearson_corr", columns(np.where(np.arange(40) % 4 == 0, NAN, labels), labels), value_range=(-100.0, 100.0)
    )
    assert picky.value > honest.value and picky.bounds[0] <= honest.value


# -- always --------------------------------------------------------------------------------------
rows = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 0.5]),
        st.sampled_from([0.0, 1.0]),
        st.sampled_from(["scored", "scored", "scored", *REASONS]),
        st.integers(0, 8),
    ),
    max_size=25,
)


def table(drawn):
    values = [v if reason == "scored" else NAN for v, _, reason, _ in drawn]
    return columns(values, [r[1] for r in drawn], [r[2] for r in drawn], [r[3] for r in drawn])


def is_plain(found: Estimate) -> bool:
    numbers = [found.value, found.low, found.high, *(found.bounds or ())]
    return all(n is None or type(n) is float for n in numbers) and type(found.n) is type(found.expected) is int


@settings(max_examples=150, deadline=None)
@given(rows, st.sampled_from(NUMBERS), st.integers(0, 3), st.booleans())
def test_an_estimate_is_sound(drawn, name, absent, ranged):
    cols = table(drawn)
    found = of(name, cols, expected=len(cols) + absent, value_range=(0.0, 1.0) if ranged else None)
    json.dumps(asdict(found), allow_nan=False)
    assert is_plain(found)
    assert 0 <= found.n <= len(cols)
    assert (found.low is None) == (found.high is None) == (found.method == "")
    if found.value is None:
        assert found.low is None
        return
    if found.low is not None:
        assert found.low <= found.value <= found.high
    if found.bounds is not None:
        assert found.bounds[0] <= found.value <= found.bounds[1]
    if found.n == found.expected and (name == "failure" or "unparsed" not in [r[2] for r in drawn]):
        assert found.bounds == (found.value, found.value)


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(NUMBERS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(drawn, name, random):
    shuffled = list(drawn)
    random.shuffle(shuffled)
    one, other = (asdict(of(name, table(d), expected=len(d))) for d in (drawn, shuffled))
    for key in ("value", "low", "high"):
        assert one[key] == pytest.approx(other[key], abs=1e-9)
    assert one["bounds"] == (None if other["bounds"] is None else pytest.approx(other["bounds"], abs=1e-7))
    assert (one["n"], one["method"]) == (other["n"], other["method"])


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(["accuracy_score", "pred_mean", "failure"]), st.data())
def test_scoring_the_missing_ones_ends_within_the_bounds(drawn, name, data):
    found = of(name, table(drawn), expected=len(drawn)) if drawn else None
    if found is None or found.bounds is None:
        return
    filled = [
        (data.draw(st.sampled_from([0.0, 1.0])), label, "scored", c)
        if reason != "scored" and not (name == "failure" and reason == "unparsed")
        else (v, label, reason, c)
        for v, label, reason, c in drawn
    ]
    value = of(name, table(filled)).value
    assert found.bounds[0] - 1e-12 <= value <= found.bounds[1] + 1e-12


def test_take_keeps_rows_together():
    cols = Columns(["a", "b", None], [1, 2, 3], np.array([0, 0, 1], dtype=np.uint8), np.arange(3))
    taken = cols.take(np.array([True, False, True]))
    assert (taken.values, taken.labels, taken.reasons.tolist(), taken.clusters.tolist()) == (
        ["a", None],
        [1, 3],
        [0, 1],
        [0, 2],
    )


def test_an_interval_stays_within_what_an_answer_can_be():
    columns = Columns(np.array([0.01, 0.02, 0.9]), np.zeros(3), np.zeros(3, np.uint8), np.arange(3))
    free = estimate(metric_for("pred_mean"), {}, columns, expected=3, seed=1)
    held = estimate(metric_for("pred_mean"), {}, columns, expected=3, seed=1, value_range=(0.0, 1.0))
    assert free.low < 0 and free.high > 1
    assert (held.low, held.high) == (0.0, 1.0)
