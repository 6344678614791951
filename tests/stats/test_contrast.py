"""Differences between two runs over the same samples: their values, and how often their intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from mmte.evaluators.metrics import metric_for
from mmte.stats.contrast import contrast
from mmte.stats.estimate import Columns
from mmte.types import REASONS

SCORED, UNPARSED, ERROR = (REASONS.index(r) for r in ("scored", "unparsed", "error"))


def columns(values, clusters=None, reasons=None, labels=None):
    values = np.asarray(values, dtype=float)
    n = len(values)
    return Columns(
        values,
        np.ones(n) if labels is None else np.asarray(labels, dtype=float),
        np.full(n, SCORED, np.uint8) if reasons is None else np.asarray(reasons, dtype=np.uint8),
        np.arange(n) if clusters is None else np.asarray(clusters),
    )


def difference(one, other, metric="pred_mean", expected=None, **kwargs):
    return contrast(
        metric_for(metric), kwargs, one, other, expected=expected or len(one), seed=1, against="blank",
        value_range=(0.0, 1.0),
    )  # fmt: skip


def test_it_is_the_difference_of_the_two_numbers():
    got = difference(columns([1, 1, 1, 0, 1, 1]), columns([1, 0, 0, 0, 1, 0]))
    assert got.metric == "pred_mean.vs.blank"
    assert got.value == pytest.approx(5 / 6 - 2 / 6)
    assert got.low < got.value < got.high
    assert got.n == 6


def test_each_side_leaves_out_what_it_could_not_read():
    one = columns([1, np.nan, 1, 0, 1, 1], reasons=[SCORED, UNPARSED, *[SCORED] * 4])
    other = columns([0, 0, 0, 0, 1, np.nan], reasons=[*[SCORED] * 5, ERROR])
    got = difference(one, other)
    assert got.value == pytest.approx(4 / 5 - 1 / 5)
    assert got.n == 4
    low, high = got.bounds
    assert low == pytest.approx(4 / 6 - 2 / 6)
    assert high == pytest.approx(5 / 6 - 1 / 6)


def test_unparsed_is_wrong_where_the_metric_says_so():
    one = columns([1, 1, 1, 1, 1, 1])
    other = columns([1, np.nan, np.nan, 1, 1, 1], reasons=[SCORED, UNPARSED, UNPARSED, SCORED, SCORED, SCORED])
    assert difference(one, other, "accuracy_score").value == pytest.approx(2 / 6)


def test_no_answers_no_difference():
    none = columns([np.nan] * 6, reasons=[ERROR] * 6)
    got = difference(columns([1] * 6), none)
    assert (got.value, got.low, got.high) == (None, None, None)


def test_samples_must_be_the_same():
    with pytest.raises(ValueError, match="against"):
        difference(columns([1, 0]), columns([1]))


@pytest.mark.parametrize("effect", [0.0, 0.3])
def test_coverage_with_dependent_pairs(effect):
    """30 images with 4 questions each; both sides share what makes an image hard."""
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(30), 4)
    held = 0
    times = 150
    for _ in range(times):
        chance = np.repeat(rng.uniform(0.35, 0.65, 30), 4)
        one = columns(rng.random(120) < chance + effect, clusters)
        other = columns(rng.random(120) < chance, clusters)
        got = difference(one, other)
        held += got.low <= effect <= got.high
    assert held / times >= 0.89


def test_pairing_makes_the_interval_smaller_than_two_separate_ones():
    rng = np.random.default_rng(3)
    hard = rng.random(200) < 0.5
    other = columns(hard)
    one = columns(np.where(rng.random(200) < 0.1, 1, hard))
    got = difference(one, other)
    assert got.high - got.low < 0.12
    assert got.low > 0
