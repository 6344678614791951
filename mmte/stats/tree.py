"""The interval of a score that is made of several metrics: one bootstrap over clusters, through the whole tree.

A score's parts are not independent: the same scenario is asked in words and with pictures, so that a hard one pulls
several parts down together. Parts that share clusters are therefore resampled together, and others apart from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmte.evaluators.metrics import Metric
from mmte.stats.estimate import Columns, hits_of, used_rows
from mmte.stats.intervals import MAX_UNITS, MIN_CLUSTERS, Interval, bca, resamples

Floats: TypeAlias = NDArray[np.float64]
Combine: TypeAlias = Callable[[Sequence[Floats]], Floats]
_CHUNK = 1_000_000
_ROUNDING = 1e-9
_UNDEFINED = 0.05
"""A leaf that is undefined in a larger share of resamples (as where few answers could be read) has its own interval."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A metric of a result, as sums over the clusters of its samples.

    Attributes:
        clusters: their names, each once; those of samples without a value too.
        sums: float64, shape (clusters, terms).
        value: sums of shape (..., terms) to values of shape (...), NaN where undefined.
        own: the metric's own 95 % interval; used where its clusters show no spread, are too few to resample, or have a
            value in too few resamples.
        binary: it is a mean of hits that are 0 or 1.
    """

    clusters: tuple[str, ...]
    sums: Floats
    value: Callable[[Floats], Floats]
    own: Interval | None = None
    binary: bool = False

    def or_zero(self) -> Leaf:
        """The same, 0 where it is undefined."""
        value = self.value
        return replace(self, value=lambda sums: np.nan_to_num(value(sums), nan=0.0))

    @property
    def seen(self) -> int:
        """How many clusters say anything of the value."""
        return int((self.sums != 0).any(axis=1).sum())

    @property
    def total(self) -> float:
        """The metric's value."""
        return float(self.value(self.sums.sum(axis=0)))


def leaf_of(
    metric: Metric, kwargs: Mapping[str, Any], columns: Columns, clusters: Sequence[str], own: Interval | None
) -> Leaf | None:
    """A metric of columns as a leaf; None where it has, with these options, no form as sums over rows.

    Args:
        metric: from `metric_for`.
        kwargs: the metric's options.
        columns: one row a sample; `columns.clusters` numbers `clusters`.
        clusters: the name of each cluster.
        own: the metric's own interval.
    """
    whole, counts = used_rows(metric, kwargs, columns)
    used = whole.take(counts)
    hits = hits_of(metric, kwargs, used)
    if hits is not None:
        seen = ~np.isnan(hits)
        rows: Floats = np.stack([np.where(seen, hits, 0.0), seen.astype(np.float64)], axis=1)
        value = _linked(metric)
    elif metric.sums is not None:
        rows, value = metric.sums.rows(used.labels, used.values, **kwargs), metric.sums.value
    else:
        return None
    by_cluster = [np.bincount(used.clusters, weights=column, minlength=len(clusters)) for column in rows.T]
    binary = hits is not None and bool(np.isin(hits[seen], (0.0, 1.0)).all())
    return Leaf(tuple(clusters), np.stack(by_cluster, axis=1), value, own, binary)


def _linked(metric: Metric) -> Callable[[Floats], Floats]:
    def value(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Floats = sums[..., 0] / sums[..., 1]
        return means if metric.link is None else np.vectorize(metric.link, otypes=[float])(means)

    return value


def interval(leaves: Sequence[Leaf], combine: Combine, seed: int) -> tuple[Interval | None, str]:
    """The 95 % interval of `combine(values of the leaves)`, and its method.

    BCa bootstrap (Efron 1987). One cluster less than there are is drawn, which makes the variance of a mean the
    unbiased one (McCarthy & Snowden 1985). A leaf whose clusters show no spread, as where every answer is right,
    adds the distances of its own interval's ends: squared and summed over leaves that share no clusters, as in
    MOVER (Zou & Donner 2008, Stat Med 27:1693), and all at once over those that do. What all such leaves do together
    beyond that (the largest of perfect parts falls only when all of them do) counts, too.

    Args:
        combine: arrays of the leaves' values, in their order and of equal shape, to the score's values.
        seed: of the resampling; the order of leaves and clusters has no influence.

    Returns:
        No interval where a leaf without spread has none of its own, or most resamples are undefined. The method is
        "bootstrap-cluster", "parts" (the parts' own intervals) or "bootstrap-cluster+parts".
    """
    totals = np.array([leaf.total for leaf in leaves])
    value = float(combine(list(totals)))
    families = [_Family(leaves, members) for members in _families(leaves)]
    times = resamples(max(family.units for family in families))
    drawn: list[Floats] = [np.full(times, total) for total in totals]
    for number, family in enumerate(families):
        family.draw(drawn, times, np.random.default_rng([seed, number]))
    for leaf, values in zip(leaves, drawn, strict=True):
        few = leaf.seen < MIN_CLUSTERS and not leaf.binary  # of hits, even three or four clusters are resampled well
        if few or (leaf.own is not None and np.isnan(values).mean() > _UNDEFINED):
            values[:] = leaf.total
    still = [_spread(values) == 0 for values in drawn]
    if not math.isfinite(value) or any(s and leaf.own is None for s, leaf in zip(still, leaves, strict=True)):
        return None, ""
    low = high = value
    if not all(still):
        around = _resampled(families, drawn, totals, combine, value)
        if around is None:
            return None, ""
        low, high = around
    below, above = _own_ends(families, leaves, still, totals, combine, value)
    low, high = value - math.hypot(value - low, *below), value + math.hypot(high - value, *above)
    method = "+".join(["bootstrap-cluster"] * (not all(still)) + ["parts"] * any(still))
    return (low, high), method


class _Family:
    """Leaves that share clusters, one row of sums a cluster (or random group of clusters, where there are many)."""

    def __init__(self, leaves: Sequence[Leaf], members: Sequence[int]) -> None:
        self.members = members
        self._values = [leaves[m].value for m in members]
        names = sorted({name for m in members for name in leaves[m].clusters})
        place = {name: number for number, name in enumerate(names)}
        widths = [leaves[m].sums.shape[1] for m in members]
        self._cuts = np.cumsum(widths)[:-1]
        self._sums = np.zeros((len(names), sum(widths)))
        for m, at in zip(members, [0, *self._cuts], strict=True):
            leaf = leaves[m]
            self._sums[[place[name] for name in leaf.clusters], at : at + leaf.sums.shape[1]] = leaf.sums
        self.units = len(names)

    def draw(self, drawn: list[Floats], times: int, rng: np.random.Generator) -> None:
        """Replace its leaves' values with those of resamples, if it has enough clusters."""
        if self.units < MIN_CLUSTERS:
            return
        if self.units > MAX_UNITS:
            starts = np.arange(MAX_UNITS) * self.units // MAX_UNITS
            self._sums, self.units = np.add.reduceat(rng.permutation(self._sums), starts), MAX_UNITS
        sums = np.concatenate([counts @ self._sums for counts in _counts(self.units, times, rng)])
        for member, values in zip(self.members, self._of(sums), strict=True):
            drawn[member] = values

    def without(self, totals: Floats, combine: Combine) -> Floats:
        """The score without each cluster in turn."""
        values = [np.full(self.units, total) for total in totals]
        for member, some in zip(self.members, self._of(self._sums.sum(axis=0) - self._sums), strict=True):
            values[member] = some
        return combine(values)

    def _of(self, sums: Floats) -> Iterator[Floats]:
        parts = np.split(sums, self._cuts, axis=1)
        return (value(part) for value, part in zip(self._values, parts, strict=True))


def _families(leaves: Sequence[Leaf]) -> list[list[int]]:
    """The leaves that are linked by shared clusters, as numbers."""
    found: list[tuple[set[str], list[int]]] = []
    for number, leaf in enumerate(leaves):
        names, members = set(leaf.clusters), [number]
        apart = []
        for others, linked in found:
            if names.isdisjoint(others):
                apart.append((others, linked))
            else:
                names |= others
                members = linked + members
        found = [*apart, (names, members)]
    return [sorted(members) for _, members in sorted(found, key=lambda f: min(f[0], default=""))]


def _counts(k: int, times: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each of `k` units is among `k - 1` drawn ones, scaled to the size of the whole, in chunks."""
    step = max(1, _CHUNK // k)
    for start in range(0, times, step):
        some = min(step, times - start)
        picked = rng.integers(0, k, size=(some, k - 1)) + (np.arange(some) * k)[:, None]
        counts: Floats = np.bincount(picked.ravel(), minlength=some * k).reshape(some, k) * np.float64(k / (k - 1))
        yield counts


def _resampled(
    families: Sequence[_Family], drawn: Sequence[Floats], totals: Floats, combine: Combine, value: float
) -> Interval | None:
    scores = combine(drawn)
    if 2 * np.isfinite(scores).sum() >= len(scores) and _spread(scores) == 0:
        return value, value  # the part that decides (the largest, say) is one without spread
    left_out = [family.without(totals, combine) for family in families if family.units >= MIN_CLUSTERS]
    centred = [some - np.nanmean(some) for some in left_out if np.isfinite(some).any()]
    return bca(value, scores, np.concatenate(centred) if centred else np.empty(0), "")[0]


def _own_ends(
    families: Sequence[_Family],
    leaves: Sequence[Leaf],
    still: Sequence[bool],
    totals: Floats,
    combine: Combine,
    value: float,
) -> tuple[list[float], list[float]]:
    """How far the leaves without spread may pull the score down and up: a number for each family, and one for all.

    The last is what all of them do together beyond what they do one by one, as where the largest of several perfect
    parts falls only when all of them do.
    """
    moves = _Moves(leaves, still, totals, combine, value)
    all_members = [member for family in families for member in family.members]

    def ends(up: bool) -> list[float]:
        each = [max([moves.of(f.members, up), *(moves.of([m], up) for m in f.members)]) for f in families]
        beyond = moves.of(all_members, up) - sum(each)
        return [*each, beyond if beyond > _ROUNDING else 0.0]

    return ends(up=False), ends(up=True)


class _Moves:
    """What the score does when leaves without spread go to the ends of their own intervals."""

    def __init__(
        self, leaves: Sequence[Leaf], still: Sequence[bool], totals: Floats, combine: Combine, value: float
    ) -> None:
        self._ends = {n: leaf.own for n, leaf in enumerate(leaves) if still[n] and leaf.own is not None}
        self._totals, self._combine, self._value = totals, combine, value
        self._rises = {member: self._sign(member) >= 0 for member in self._ends}

    def of(self, members: Sequence[int], up: bool) -> float:
        """How far these leaves at once move the score up, or down."""
        moved = self._totals.copy()
        for member in members:
            if member in self._ends:
                moved[member] = self._ends[member][int(self._rises[member] == up)]
        change = float(self._combine(list(moved))) - self._value
        return max(change if up else -change, 0.0)

    def _sign(self, member: int) -> float:
        """Whether the score grows with a leaf (> 0) or falls, wherever the other ones are."""
        for side in (None, 0, 1):
            at = self._totals.copy()
            for other, ends in self._ends.items():
                if side is not None:
                    at[other] = ends[side]
            low, high = at.copy(), at.copy()
            low[member], high[member] = self._ends[member]
            grows = float(self._combine(list(high))) - float(self._combine(list(low)))
            if grows:
                return grows
        return 0.0


def _spread(values: Floats) -> float:
    """How far the values that are defined lie apart; rounding errors do not count."""
    seen = values[np.isfinite(values)]
    apart = float(np.ptp(seen)) if len(seen) else 0.0
    return apart if len(seen) and apart > 1e-12 * float(np.abs(seen).max()) else 0.0
