"""How far several readers of the same answers agree: judges with each other, with themselves, and with people.

Sources: Cohen's kappa (Cohen 1960, Educ. Psychol. Meas. 20:37); Krippendorff's alpha with any number of readers and
missing values (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"; Hayes & Krippendorff 2007). Both are
functions of sums over units, so their intervals are the cluster bootstrap of `mmte.stats.intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmte.stats import intervals
from mmte.types import UNPARSED

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
Ballots: TypeAlias = Sequence[Any]

LEVELS: Final = ("nominal", "ordinal", "interval")
_TINY: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient over `n` units with its 95 % interval; None where undefined, or without a sensible interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str


def krippendorff_alpha(
    units: Iterable[Ballots], level: Level = "nominal", clusters: Sequence[int] | None = None, seed: int = 0
) -> Agreement:
    """Krippendorff's alpha: 1 is perfect agreement, 0 what chance would give, less is systematic disagreement.

    Args:
        units: of each unit what its readers said, in any order; None, NaN and `UNPARSED` are missing. Units with
            fewer than two values say nothing and are left out.
        level: whether values only differ (nominal), have an order, or distances (interval).
        clusters: cluster of each unit; None: units are independent.
        seed: of the bootstrap.

    Returns:
        `value` is None where all values are the same: there is no variation to agree about.

    Raises:
        ValueError: another level, or values without an order where one is needed.
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    kept, where = _pairable(units, clusters)
    if not kept:
        return Agreement(None, None, None, 0, "")
    rows, value = {"nominal": _nominal, "ordinal": _ordinal, "interval": _interval}[level](kept)
    return _with_interval(rows, value, where, seed, -math.inf)


def cohen_kappa(one: Ballots, other: Ballots, clusters: Sequence[int] | None = None, seed: int = 0) -> Agreement:
    """Cohen's kappa of two readers; rows where either says nothing are left out.

    Returns:
        `value` is None where both say one and the same value throughout.

    Raises:
        ValueError: columns of different lengths.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} values against {len(other)}")
    kept, where = _pairable(list(zip(one, other, strict=True)), clusters)
    if not kept:
        return Agreement(None, None, None, 0, "")
    number = _numbers(kept)
    size = len(number)
    rows = np.zeros((len(kept), 2 + 2 * size))
    for row, (a, b) in zip(rows, kept, strict=True):
        row[0], row[1] = 1.0, float(_key(a) == _key(b))
        row[2 + number[_key(a)]] = row[2 + size + number[_key(b)]] = 1.0

    def value(sums: Floats) -> Floats:
        n = sums[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            seen = sums[..., 1] / n
            chance = (sums[..., 2 : 2 + size] * sums[..., 2 + size :]).sum(axis=-1) / n**2
            return np.asarray(np.where(1 - chance > _TINY, (seen - chance) / (1 - chance), np.nan))

    return _with_interval(rows, value, where, seed, -1.0)


def observed_agreement(units: Iterable[Ballots], clusters: Sequence[int] | None = None) -> Agreement:
    """The share of equal pairs of values in a unit, averaged over the units with two values or more.

    Unlike the coefficients it is 1 where all values are the same, and chance is not taken out.
    """
    kept, where = _pairable(units, clusters)
    if not kept:
        return Agreement(None, None, None, 0, "")
    hits = np.array([_equal_pairs(unit) for unit in kept])
    binary = bool(((hits == 0) | (hits == 1)).all())
    interval, method = intervals.proportion(hits, where) if binary else intervals.mean(hits, where)
    low, high = (None, None) if interval is None else (max(0.0, interval[0]), min(1.0, interval[1]))
    return Agreement(float(hits.mean()), low, high, len(kept), method)


def said(value: Any) -> bool:
    """Whether a reader said something: not None, NaN or `UNPARSED`."""
    return value is not None and value is not UNPARSED and not (isinstance(value, Real) and bool(value != value))


# -- inside --------------------------------------------------------------------------------------
Value: TypeAlias = Callable[[Floats], Floats]


def _pairable(units: Iterable[Ballots], clusters: Sequence[int] | None) -> tuple[list[list[Any]], Ints]:
    """The values that were given in units with two or more of them, and the clusters of those units."""
    found = [[v for v in unit if said(v)] for unit in units]
    numbers = range(len(found)) if clusters is None else clusters
    pairs = [(unit, cluster) for unit, cluster in zip(found, numbers, strict=True) if len(unit) > 1]
    return [unit for unit, _ in pairs], np.array([cluster for _, cluster in pairs], dtype=np.int64)


def _key(value: Any) -> Hashable:
    """What makes two values the same: True is 1 and 1.0; lists are their contents."""
    return value if isinstance(value, Hashable) else repr(value)


def _numbers(units: Sequence[Sequence[Any]]) -> dict[Hashable, int]:
    return {key: n for n, key in enumerate(dict.fromkeys(_key(v) for unit in units for v in unit))}


def _equal_pairs(unit: Sequence[Any]) -> float:
    counts = np.array(list(_tally(unit).values()), dtype=np.float64)
    m = len(unit)
    return float((counts * (counts - 1)).sum() / (m * (m - 1)))


def _tally(unit: Sequence[Any]) -> dict[Hashable, int]:
    counts: dict[Hashable, int] = {}
    for value in unit:
        counts[_key(value)] = counts.get(_key(value), 0) + 1
    return counts


def _ratio(disagreement: Floats, n: Floats, chance: Floats) -> Floats:
    """1 - Do/De, with `chance` the sum over ordered pairs of all values; undefined where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(chance > _TINY, 1 - disagreement * (n - 1) / chance, np.nan))


def _nominal(units: Sequence[Sequence[Any]]) -> tuple[Floats, Value]:
    number = _numbers(units)
    rows = np.zeros((len(units), 1 + len(number)))
    for row, unit in zip(rows, units, strict=True):
        row[0] = len(unit) * (1 - _equal_pairs(unit))
        for key, count in _tally(unit).items():
            row[1 + number[key]] = count

    def value(sums: Floats) -> Floats:
        counts = sums[..., 1:]
        n = counts.sum(axis=-1)
        return _ratio(sums[..., 0], n, n**2 - (counts**2).sum(axis=-1))

    return rows, value


def _interval(units: Sequence[Sequence[Any]]) -> tuple[Floats, Value]:
    middle, unit_size = _centre(units)
    rows = np.zeros((len(units), 4))
    for row, unit in zip(rows, units, strict=True):
        x = (_reals(unit) - middle) / unit_size
        m, total, squares = len(x), x.sum(), x @ x
        row[:] = 2 * (m * squares - total**2) / (m - 1), m, total, squares

    def value(sums: Floats) -> Floats:
        n, total, squares = sums[..., 1], sums[..., 2], sums[..., 3]
        chance = 2 * (n * squares - total**2)
        return _ratio(sums[..., 0], n, np.where(chance > 1e-9 * n * squares, chance, 0.0))

    return rows, value


def _ordinal(units: Sequence[Sequence[Any]]) -> tuple[Floats, Value]:
    """As interval, between the middles of the ranks that each resample gives its values."""
    values = np.unique(np.concatenate([_reals(unit) for unit in units]))
    size = len(values)
    first, second = np.triu_indices(size, 1)
    rows = np.zeros((len(units), size + len(first)))
    for row, unit in zip(rows, units, strict=True):
        counts = np.bincount(np.searchsorted(values, _reals(unit)), minlength=size).astype(np.float64)
        row[:size] = counts
        row[size:] = 2 * counts[first] * counts[second] / (len(unit) - 1)

    def value(sums: Floats) -> Floats:
        counts = sums[..., :size]
        n = counts.sum(axis=-1)
        middles = counts.cumsum(axis=-1) - counts / 2
        distance = (middles[..., first] - middles[..., second]) ** 2
        chance = 2 * (counts[..., first] * counts[..., second] * distance).sum(axis=-1)
        return _ratio((sums[..., size:] * distance).sum(axis=-1), n, chance)

    return rows, value


def _centre(units: Sequence[Sequence[Any]]) -> tuple[float, float]:
    """Where the values lie and how far apart, so that no square overflows or vanishes."""
    x = np.concatenate([_reals(unit) for unit in units])
    middle = float(x.mean())
    return middle, float(np.abs(x - middle).max()) or 1.0


def _reals(unit: Sequence[Any]) -> Floats:
    for value in unit:
        if not isinstance(value, Real):
            raise ValueError(f"{value!r:.40} has no order: use the level nominal")
    return np.array(unit, dtype=np.float64)


def _with_interval(rows: Floats, value: Value, clusters: Ints, seed: int, least: float) -> Agreement:
    whole = float(value(rows.sum(axis=0)))
    if not math.isfinite(whole):
        return Agreement(None, None, None, len(rows), "")
    found, method = intervals.bootstrap_sums(rows, clusters, value, seed)
    if found is None:
        return Agreement(whole, None, None, len(rows), "")
    low, high = max(least, min(found[0], whole)), min(1.0, max(found[1], whole))
    return Agreement(whole, low, high, len(rows), method)
