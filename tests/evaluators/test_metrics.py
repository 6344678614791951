import math
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from mmte.errors import MmteError
from mmte.evaluators import metrics
from mmte.evaluators.metrics import Metric, metric_for
from mmte.types import UNPARSED

NAN = math.nan
BUILT_IN = ["pred_no_op", "pred_sum", "pred_mean", "accuracy_score", "precision_score", "recall_score", "f1_score"]
BUILT_IN += ["pearson_corr", "failure"]

classes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
points = st.lists(st.tuples(st.integers(-100, 100), st.integers(-100, 100)), min_size=2, max_size=30)


@pytest.fixture
def plugged():
    """`_supported_metrics`, put back as it was afterwards."""
    before = dict(metrics._supported_metrics)
    yield metrics._supported_metrics
    metrics._supported_metrics.clear()
    metrics._supported_metrics.update(before)


def same(ours, theirs):
    return ours == pytest.approx(theirs, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", BUILT_IN)
def test_names_of_the_original(name):
    metric = metric_for(name)
    assert metric.name == name
    assert metric.direction == ("down" if name == "failure" else "up")


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(MmteError, match=r"unknown metric 'pearson'.*'pearson_corr'"):
        metric_for("pearson")


def test_a_bare_function_is_a_metric(plugged):
    plugged["mine"] = lambda labels, preds, power=1: sum(preds) ** power
    metric = metric_for("mine")
    assert (metric.name, metric.direction, metric.unscored, metric.kind) == ("mine", "up", "drop", "statistic")
    assert metric([0, 0], [1, 2], power=2) == 9
    metric.check({"power": 3})
    with pytest.raises(MmteError, match="metric 'mine' has no option 'powr'. Did you mean 'power'?"):
        metric.check({"powr": 3})


def test_a_metric_under_another_name_takes_it(plugged):
    plugged["hits"] = Metric("something", lambda labels, preds: 1.0, kind="proportion")
    assert metric_for("hits").name == "hits" and metric_for("hits").kind == "proportion"


def test_options_that_a_metric_does_not_have():
    with pytest.raises(MmteError, match="'pred_mean' has no option 'x'. It takes none."):
        metric_for("pred_mean").check({"x": 1})
    metric_for("failure").check({"fails_num": -1})


def test_importing_the_metrics_does_not_import_numpy():
    code = "import sys, mmte.evaluators.metrics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(classes, st.sampled_from(["binary", "micro", "macro", "weighted"]))
def test_classification_is_sklearns_where_it_is_defined(pairs, average):
    labels, preds = map(np.array, zip(*pairs, strict=True))
    if average == "binary":
        labels, preds = labels % 2, preds % 2
    for ours, theirs in (
        (metrics.precision_score, sk.precision_score),
        (metrics.recall_score, sk.recall_score),
        (metrics.f1_score, sk.f1_score),
    ):
        value = ours(labels, preds, average=average)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert math.isnan(value) or same(value, theirs(labels, preds, average=average, zero_division=0))
            if math.isnan(value):  # sklearn warns there, and takes what it is told
                assert theirs(labels, preds, average=average, zero_division=0) < theirs(
                    labels, preds, average=average, zero_division=1
                )


def test_undefined_is_not_zero():
    assert math.isnan(metrics.precision_score([1, 0], [0, 0]))
    assert math.isnan(metrics.recall_score([0, 0], [1, 0]))
    assert math.isnan(metrics.f1_score([0, 0], [0, 0]))
    assert metrics.f1_score([1, 0], [0, 0]) == 0
    assert math.isnan(metrics.pred_mean([], [])) and math.isnan(metrics.pred_sum([1], [NAN]))


def test_an_unknown_average():
    with pytest.raises(MmteError, match="average must be binary, micro, macro or weighted, not 'samples'"):
        metrics.f1_score([1], [1], average="samples")


@given(classes)
def test_hits_and_link_give_the_value(pairs):
    labels, preds = (np.array(c, dtype=float) for c in zip(*pairs, strict=True))
    for name in ("accuracy_score", "precision_score", "recall_score", "f1_score", "failure"):
        metric = metric_for(name)
        hits = metric.hits(labels, preds)
        mean = metrics.pred_mean(None, hits)
        assert same(metric(labels, preds), metric.link(mean) if metric.link and not math.isnan(mean) else mean)


@given(classes)
def test_accuracy_is_sklearns(pairs):
    labels, preds = zip(*pairs, strict=True)
    assert same(metrics.accuracy_score(labels, preds), sk.accuracy_score(labels, preds))
    assert same(metrics.accuracy_score(np.array(labels), np.array(preds)), sk.accuracy_score(labels, preds))


@pytest.mark.parametrize("unread", [NAN, None, UNPARSED])
def test_an_answer_without_a_value(unread):
    assert metrics.accuracy_score([1, 1], [1, unread]) == 0.5
    assert metrics.pred_mean([1, 1], [3, unread]) == 3 and metrics.pred_sum([1, 1], [3, unread]) == 3
    assert metrics.precision_score([1, 1], [1, unread]) == 1
    assert metrics.pearson_corr([1, 2, 5], [1, 2, unread]) == 1
    assert metrics.failure([1, 1, 1, 1], [1, unread, 2, 3]) == 0.25


def test_accuracy_of_texts():
    assert metrics.accuracy_score(["yes", "no", None], ["yes", "yes", "no"]) == 0.5
    assert metrics.accuracy_score(["1"], [1.0]) == 0  # no silent conversion


def test_texts_are_not_numbers():
    with pytest.raises(MmteError, match="metric 'pred_mean' needs numbers, not '0.5'"):
        metrics.pred_mean([1], ["0.5"])


@given(points)
def test_pearson_is_scipys(pairs):
    labels, preds = zip(*pairs, strict=True)
    value = metrics.pearson_corr(labels, preds)
    if len(set(labels)) == 1 or len(set(preds)) == 1:
        assert math.isnan(value)
    else:
        assert same(value, stats.pearsonr(labels, preds).statistic)
        assert -1 <= value <= 1


@given(points, st.sampled_from([1e-150, 1e-8, 1e150]), st.integers(-5, 5))
def test_pearson_does_not_depend_on_scale(pairs, factor, shift):
    labels, preds = (np.array(c, dtype=float) for c in zip(*pairs, strict=True))
    assume(np.ptp(labels) and np.ptp(preds))
    value = metrics.pearson_corr(labels, preds)
    assert same(metrics.pearson_corr(labels * factor, preds + shift), value)
    assert same(metrics.pearson_corr(-labels, preds), -value)


@given(points)
def test_pearson_from_sums(pairs):
    labels, preds = (np.array(c, dtype=float) for c in zip(*pairs, strict=True))
    sums = metric_for("pearson_corr").sums
    assert same(float(sums.value(sums.rows(labels, preds).sum(axis=0))), metrics.pearson_corr(labels, preds))


@pytest.mark.parametrize(
    ("labels", "preds"),
    [
        ([], []),
        ([1], [1]),
        ([1, 2], [NAN, 3]),
        ([1, 1, 1], [1, 2, 3]),
        ([1, 2, 3], [0.1, 0.1, 0.1]),
        ([1, 2], [NAN, NAN]),
    ],
)
def test_pearson_is_undefined_with_fewer_than_two_points_or_a_constant(labels, preds):
    assert math.isnan(metrics.pearson_corr(labels, preds))


def test_pearson_with_a_number_for_the_answers_without_value():
    assert same(metrics.pearson_corr([1, 2, 3], [5, NAN, 7], nan_to_num=0), np.corrcoef([1, 2, 3], [5, 0, 7])[0, 1])
    assert metric_for("pearson_corr").unscored_with({"nan_to_num": 0}) == "keep"
    assert metric_for("pearson_corr").unscored_with({"nan_to_num": None}) == "drop"


def test_failure_counts_nan_and_the_number_for_it():
    assert metrics.failure(None, np.array([1.0, NAN, -1, -1])) == 0.25
    assert metrics.failure(None, np.array([1.0, NAN, -1, -1]), fails_num=-1) == 0.75
    assert metrics.failure(None, ["a", None, "b", "-"], fails_num="-") == 0.5
    assert math.isnan(metrics.failure([], []))


def test_an_answer_that_could_not_be_read_is_not_right():
    correct = metric_for("correct_rate")
    assert correct(None, [1, 0, 1, UNPARSED]) == 0.5
    assert correct.unscored == "wrong"
    assert math.isnan(correct(None, []))
