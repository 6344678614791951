"""95 % intervals for proportions, means and any other statistic, with answers that depend on each other.

Questions about the same image are not independent; the unit of independence is the cluster, and all
intervals here are over clusters (Miller 2024, "Adding Error Bars to Evals", arXiv 2411.00640).
Where two methods were possible, simulated coverage decided (tests/stats/test_coverage.py).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Interval: TypeAlias = tuple[float, float]

Z = NormalDist().inv_cdf(0.975)
MIN_CLUSTERS = 5
"""With fewer there are less than 126 different resamples: a bootstrap interval would say nothing."""
MAX_UNITS = 10_000
_T_SMALL = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157)
_WORK = 20_000_000
_CHUNK = 1_000_000


def t975(df: int) -> float:
    """The 97.5 % quantile of Student's t (Abramowitz & Stegun 26.7.5 from 10 degrees of freedom on)."""
    if df <= len(_T_SMALL):
        return _T_SMALL[max(df, 1) - 1]
    z, v = Z, float(df)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * v**4)
    )


def wilson(p: float, n: float, z: float = Z) -> Interval:
    """The score interval of a proportion `p` of `n` independent answers (Wilson 1927, JASA 22:209)."""
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def proportion(hits: Floats, clusters: Ints) -> tuple[Interval, str]:
    """Interval and method of a mean of `hits` in [0, 1], one a row.

    Dependent rows count for as many as would give the same variance: n divided by the design effect,
    at most n; with nothing but hits or misses there is no variance to see, and each cluster counts
    once. The variance is estimated from the clusters, hence Student's t for z.
    """
    p, n = float(hits.mean()), len(hits)
    spread, k = _cluster_variance(hits, clusters)
    if k == n:
        return wilson(p, n), "wilson"
    if p in (0.0, 1.0) or k == 1:
        effective = float(k)
    else:
        effective = min(float(n), p * (1 - p) / spread) if spread > 0 else float(n)
    return wilson(p, effective, t975(k - 1) if k > 1 else Z), "wilson-cluster"


def mean(values: Floats, clusters: Ints) -> tuple[Interval | None, str]:
    """Student's t interval of a mean with cluster-robust variance; none where no spread was seen."""
    spread, k = _cluster_variance(values, clusters)
    centre = float(values.mean())
    if k < 2 or not spread > 1e-24 * centre * centre:
        return None, ""
    half = t975(k - 1) * math.sqrt(spread)
    return (centre - half, centre + half), "t" if k == len(values) else "t-cluster"


def constant(value: float, clusters: Ints, span: Interval) -> Interval:
    """The interval of a mean of values that are all the same, but could be anywhere from `span[0]` to `span[1]`.

    What was seen in none of k clusters may be a share of up to w, the upper end of Wilson's interval of 0 of k; if
    all of it lay at an end of the range, the mean would be that much nearer to it.
    """
    unseen = wilson(0.0, float(len(np.unique(clusters))))[1]
    return value - unseen * (value - span[0]), value + unseen * (span[1] - value)


def _cluster_variance(values: Floats, clusters: Ints) -> tuple[float, int]:
    """The variance of the mean, and the number of clusters."""
    sizes = np.bincount(clusters)
    sums = np.bincount(clusters, weights=values - values.mean())
    k, n = int(np.count_nonzero(sizes)), len(values)
    return (float(sums @ sums) * k / ((k - 1) * n * n) if k > 1 else math.inf), k


# -- bootstrap (Efron 1979); BCa (Efron 1987, JASA 82:171) ---------------------------------------
def resamples(rows: int, work: int = _WORK) -> int:
    """How many resamples `rows` rows get: 2000, less for many rows, at least 200."""
    return min(2000, max(200, work // max(rows, 1)))


def bootstrap_sums(
    rows: Floats, clusters: Ints, value: Callable[[Floats], Floats], seed: int, verdict: bool = False
) -> tuple[Interval | None, str]:
    """BCa interval of a statistic that is a function of sums over rows.

    Args:
        rows: summands, shape (rows, terms).
        clusters: cluster of each row.
        value: sums of shape (..., terms) to values of shape (...), NaN where undefined.
        seed: of the resampling; the order of rows and clusters has no influence.
        verdict: see `bca`.
    """
    sizes = np.bincount(clusters)
    by_cluster: Floats = np.stack([np.bincount(clusters, weights=column) for column in rows.T], axis=1)
    sums = by_cluster[sizes > 0]
    if len(sums) < MIN_CLUSTERS:
        return None, ""
    rng = np.random.default_rng(seed)
    sums = _grouped(sums[np.lexsort(sums.T)], rng)
    total = sums.sum(axis=0)
    drawn = [value(counts @ sums) for counts in _counts(len(sums), resamples(len(sums)), rng)]
    method = "bootstrap" if sizes.max() == 1 else "bootstrap-cluster"
    return bca(float(value(total)), np.concatenate(drawn), value(total - sums), method, verdict)


def _grouped(sums: Floats, rng: np.random.Generator) -> Floats:
    """At most `MAX_UNITS` units: random groups of clusters are as independent as the clusters."""
    if len(sums) <= MAX_UNITS:
        return sums
    starts = np.arange(MAX_UNITS) * len(sums) // MAX_UNITS
    grouped: Floats = np.add.reduceat(rng.permutation(sums), starts)
    return grouped


def _counts(k: int, times: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each of `k` units was drawn, in chunks of resamples."""
    step = max(1, _CHUNK // k)
    for start in range(0, times, step):
        some = min(step, times - start)
        drawn = rng.integers(0, k, size=(some, k)) + (np.arange(some) * k)[:, None]
        yield np.bincount(drawn.ravel(), minlength=some * k).reshape(some, k).astype(np.float64)


def bootstrap(
    statistic: Callable[[Ints], float], clusters: Ints, value: float, seed: int
) -> tuple[Interval | None, str]:
    """BCa interval of any statistic; `statistic` takes the indices of the rows that were drawn.

    It is called a few thousand times, so many rows get fewer resamples than in `bootstrap_sums`, and
    the plain percentile interval where leaving out each cluster in turn would cost too much.
    """
    order = np.argsort(clusters, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    k, n = len(members), len(clusters)
    if k < MIN_CLUSTERS:
        return None, ""
    rng = np.random.default_rng(seed)

    def rows_of(drawn: Ints) -> Ints:
        return order[drawn] if k == n else np.concatenate([members[i] for i in drawn])

    def safe(drawn: Ints) -> float:
        try:
            return float(statistic(rows_of(drawn)))
        except (ArithmeticError, ValueError):  # undefined here, as for a resample of equal values
            return math.nan

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        values = np.array([safe(rng.integers(0, k, size=k)) for _ in range(resamples(n, _WORK // 10))])
        without = [safe(np.delete(np.arange(k), i)) for i in range(k)] if k * n <= _WORK // 10 else []
    return bca(value, values, np.array(without), "bootstrap" if k == n else "bootstrap-cluster")


def bca(
    value: float, drawn: Floats, without: Floats, method: str, verdict: bool = False
) -> tuple[Interval | None, str]:
    """The BCa interval, or none where most resamples were undefined or all were the same.

    Args:
        value: of the whole sample.
        drawn: values of resamples, NaN where undefined.
        without: values without each unit in turn, for the acceleration.
        method: returned with an interval.
        verdict: the value is that of a decision, on which all resamples may agree: then it is certain. Without it,
            no spread means that too little was seen.
    """
    seen = drawn[np.isfinite(drawn)]
    if verdict and 2 * len(seen) >= len(drawn) and len(seen) and (seen == value).all():
        return (value, value), method
    if not math.isfinite(value) or 2 * len(seen) < len(drawn) or np.ptp(seen) <= 1e-12 * abs(value):
        return None, ""
    normal = NormalDist()
    below = float((seen < value).mean() + (seen == value).mean() / 2)
    bias = normal.inv_cdf(min(max(below, 0.5 / len(seen)), 1 - 0.5 / len(seen)))
    accel = _acceleration(without[np.isfinite(without)])
    ends = [normal.cdf(bias + (bias + z) / max(1 - accel * (bias + z), 1e-9)) for z in (-Z, Z)]
    low, high = np.quantile(seen, ends)
    return (float(low), float(high)), method


def _acceleration(without: Floats) -> float:
    if len(without) < 2:
        return 0.0
    away = without.mean() - without
    spread = float((away**2).sum()) ** 1.5
    return float((away**3).sum()) / (6 * spread) if spread > 0 else 0.0
