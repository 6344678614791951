"""How often 95 % intervals hold the truth, by simulation: seeded, and small enough to run each time."""

import numpy as np
import pytest

from mmte.evaluators.metrics import metric_for
from mmte.stats import intervals

WELL = (0.92, 0.985)
LEVELS = np.array([-100.0, -50.0, 0.0, 50.0, 100.0])


def covered(draw, interval, truth, times, seed):
    rng = np.random.default_rng(seed)
    found = [interval(*draw(rng)) for _ in range(times)]
    return float(np.mean([low <= truth <= high for low, high in found]))


def proportion(hits, clusters):
    return intervals.proportion(hits, clusters)[0]


def unclustered(hits, clusters):
    return intervals.proportion(hits, np.arange(len(hits)))[0]


def answers_per_image(p, icc, images=40, questions=6):
    """Beta-binomial hits: the correlation of two answers about one image is `icc`."""
    a, b = (1 - icc) / icc * np.array([p, 1 - p])

    def draw(rng):
        chance = np.repeat(rng.beta(a, b, size=images), questions)
        return (rng.random(images * questions) < chance).astype(float), np.repeat(np.arange(images), questions)

    return draw


@pytest.mark.parametrize(("p", "n"), [(0.5, 20), (0.9, 30), (0.98, 100), (0.3, 500)])
def test_independent_answers(p, n):
    def draw(rng):
        return (rng.random(n) < p).astype(float), np.arange(n)

    assert WELL[0] <= covered(draw, proportion, p, 2000, 1) <= WELL[1]


@pytest.mark.parametrize("p", [0.5, 0.8])
def test_dependent_answers_need_clusters(p):
    draw = answers_per_image(p, icc=0.5)
    assert WELL[0] <= covered(draw, proportion, p, 2000, 2) <= WELL[1]
    assert covered(draw, unclustered, p, 2000, 2) < 0.8


def test_a_mean_of_skewed_scores_of_few_clusters():
    def draw(rng):
        clusters = np.repeat(np.arange(12), 4)
        return np.repeat(rng.beta(1, 2, size=12), 4) * rng.uniform(0, 2, size=48), clusters

    assert 0.91 <= covered(draw, lambda v, c: intervals.mean(v, c)[0], 1 / 3, 2000, 3) <= WELL[1]


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_correlation_of_answers_on_five_levels(rho):
    """As P3 asks: labels are means over people, answers are one of five values, n = 98."""
    cuts = [-1.2, -0.4, 0.4, 1.2]

    def draw(rng, n=98):
        x = rng.standard_normal(n)
        return x, LEVELS[np.digitize(rho * x + np.sqrt(1 - rho**2) * rng.standard_normal(n), cuts)]

    truth = np.corrcoef(*draw(np.random.default_rng(9), 1_000_000))[0, 1]
    sums = metric_for("pearson_corr").sums

    def interval(x, y):
        return intervals.bootstrap_sums(sums.rows(x, y), np.arange(len(x)), sums.value, 7)[0]

    assert WELL[0] <= covered(draw, interval, truth, 300, 4) <= WELL[1]
