"""From columns of scored and unscored answers to one `Estimate`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmte.errors import MmteError
from mmte.evaluators.metrics import Metric, floats, has_no_value, pearson_corr, pred_sum
from mmte.stats import bounds as limits
from mmte.stats import intervals
from mmte.types import REASONS, Direction, Estimate

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Range: TypeAlias = tuple[float, float]

_SCORED = REASONS.index("scored")
_UNPARSED = REASONS.index("unparsed")


@dataclass
class Columns:
    """What a sequence of evaluators made of a data set: one row a sample.

    Attributes:
        values: float64, NaN where there is none; or a list of objects, None where there is none.
        labels: float64, NaN where there is none; or a list of objects.
        reasons: uint8, index into `mmte.types.REASONS`.
        clusters: int64 >= 0, the same for rows that depend on each other.

    Raises:
        ValueError: columns of different lengths.
    """

    values: Floats | list[Any]
    labels: Floats | list[Any]
    reasons: NDArray[np.uint8]
    clusters: NDArray[np.int64]

    def __post_init__(self) -> None:
        if len({len(self.values), len(self.labels), len(self.reasons), len(self.clusters)}) != 1:
            raise ValueError("columns differ in length")

    def __len__(self) -> int:
        return len(self.reasons)

    def take(self, rows: NDArray[Any]) -> Columns:
        """The rows of a mask or of indices, in that order; a copy."""
        return Columns(pick(self.values, rows), pick(self.labels, rows), self.reasons[rows], self.clusters[rows])

    def with_reason(self, *reasons: int) -> Flags:
        """Which rows have one of these reasons; a scored row without a value counts as unparsed."""
        actual = np.where((self.reasons == _SCORED) & self._valueless(), _UNPARSED, self.reasons)
        return np.isin(actual, reasons)

    def without_unscored(self) -> Columns:
        """The same rows, with no value wherever the reason is not "scored"."""
        scored = self.reasons == _SCORED
        if isinstance(self.values, np.ndarray):
            return replace(self, values=np.where(scored, self.values, np.nan))
        return replace(self, values=[v if ok else None for v, ok in zip(self.values, scored, strict=True)])

    def _valueless(self) -> Flags:
        if isinstance(self.values, np.ndarray):
            return np.isnan(self.values)
        return np.fromiter(map(has_no_value, self.values), dtype=np.bool_, count=len(self))


def pick(column: Floats | list[Any], rows: NDArray[Any]) -> Any:
    """The values of a mask or of indices, as the same kind of column."""
    if isinstance(column, np.ndarray):
        return column[rows]
    return [column[i] for i in (np.flatnonzero(rows) if rows.dtype == np.bool_ else rows)]


def estimate(
    metric: Metric,
    kwargs: Mapping[str, Any],
    columns: Columns,
    *,
    expected: int,
    seed: int,
    subset: str = "",
    direction: Direction | None = None,
    value_range: Range | None = None,
) -> Estimate | None:
    """The value of a metric with its interval and bounds; None for a metric that is a column.

    Args:
        metric: from `metric_for`.
        kwargs: the metric's options.
        columns: one row a sample, those without a value too.
        expected: how many samples there are; those without a row are missing like rows without value.
        seed: of the bootstrap.
        subset: the part of the data that the columns are, for the record.
        direction: if it is not the metric's own.
        value_range: the range of what the evaluator may return, for the bounds.

    Returns:
        `value` is None where it is undefined; `low`/`high` where there is no sensible interval (fewer
        than `intervals.MIN_CLUSTERS` clusters for a bootstrap, no spread); `method` is then "".
        `bounds` is (lowest, highest) whatever the direction, None where nothing is known.

    Raises:
        MmteError: an option that the metric does not have, or a metric that fails on these columns.
    """
    if metric.kind == "column":
        return None
    if expected < len(columns):
        raise ValueError(f"{len(columns)} rows of {expected} expected samples")
    metric.check(kwargs)
    whole, counts = used_rows(metric, kwargs, columns)
    used = whole.take(counts)
    value = _value(metric, kwargs, used)
    low = high = None
    method = ""
    if value is not None:
        interval, method = _interval(metric, kwargs, used, value, value_range, seed)
        low, high = _around(value, interval, metric, value_range) if interval else (None, None)
    return Estimate(
        metric=metric.name,
        value=value,
        low=low,
        high=high,
        n=len(used),
        expected=int(expected),
        bounds=_bounds(metric, kwargs, columns, used, value, int(expected), value_range),
        method=method,
        direction=direction or metric.direction,
        subset=subset,
    )


def used_rows(metric: Metric, kwargs: Mapping[str, Any], columns: Columns) -> tuple[Columns, Flags]:
    """The columns as the metric gets them, and which of their rows it gets."""
    unscored = metric.unscored_with(kwargs)
    counts = columns.with_reason(*([_SCORED] if unscored == "drop" else [_SCORED, _UNPARSED]))
    used = columns.without_unscored()
    if unscored == "wrong" and metric.hits is None:
        zeros = np.zeros(len(columns))
        zeros[counts] = np.nan_to_num(floats(pick(used.values, counts), metric.name), nan=0.0)
        used.values = zeros
    return used, counts


def _value(metric: Metric, kwargs: Mapping[str, Any], used: Columns) -> float | None:
    if not len(used):
        return None
    try:
        value = float(metric(used.labels, used.values, **kwargs))
    except MmteError:
        raise
    except Exception as error:  # a plugged-in function may raise anything; it is named, and its item fails alone
        raise MmteError(f"metric '{metric.name}' failed: {type(error).__name__}: {error}") from error
    return value if math.isfinite(value) else None


def hits_of(metric: Metric, kwargs: Mapping[str, Any], used: Columns) -> Floats | None:
    """One number a row whose mean the metric is, NaN where a row does not count; None where it is no mean."""
    if metric.kind not in ("proportion", "mean"):
        return None
    if metric.hits is None:
        return floats(used.values, metric.name)
    hits = metric.hits(used.labels, used.values, **kwargs)
    if hits is not None and metric.unscored == "wrong":
        hits = np.where(used.with_reason(_UNPARSED), 0.0, hits)
    return hits


def _interval(
    metric: Metric,
    kwargs: Mapping[str, Any],
    used: Columns,
    value: float,
    value_range: Range | None,
    seed: int,
) -> tuple[Range | None, str]:
    hits = hits_of(metric, kwargs, used)
    if hits is not None:
        counts = ~np.isnan(hits)
        hits, clusters = hits[counts], used.clusters[counts]
        if not len(hits):
            return None, ""
        binary = bool(((hits == 0) | (hits == 1)).all()) and _range(metric, hits, value_range) == (0.0, 1.0)
        interval, method = intervals.proportion(hits, clusters) if binary else intervals.mean(hits, clusters)
        span = value_range if metric.hits is None and value_range else (metric.low, metric.high)
        if interval is None and span[0] is not None and span[1] is not None and hits.min() == hits.max():
            interval, method = intervals.constant(value, clusters, (span[0], span[1])), "unseen"
        if interval and metric.link:
            interval = metric.link(interval[0]), metric.link(interval[1])
        return interval, method
    if metric.sums is not None:
        rows = metric.sums.rows(used.labels, used.values, **kwargs)
        return intervals.bootstrap_sums(rows, used.clusters, metric.sums.value, seed, metric.sums.verdict)
    ordered = used.take(_order(used))

    def statistic(rows: NDArray[np.int64]) -> float:
        return float(metric(pick(ordered.labels, rows), pick(ordered.values, rows), **kwargs))

    return intervals.bootstrap(statistic, ordered.clusters, value, seed)


def _order(used: Columns) -> NDArray[np.int64]:
    """An order of the rows that does not depend on the one they came in, as far as they can be sorted."""
    keys = [c for c in (used.values, used.labels) if isinstance(c, np.ndarray)]
    return np.lexsort([*keys, used.clusters])


def _around(value: float, interval: Range, metric: Metric, value_range: Range | None) -> Range:
    """The interval within the range of what is possible, and around the value, which a skewed bootstrap may miss."""
    of_answers = value_range if value_range and metric.hits is None and metric.kind in ("proportion", "mean") else None
    least, most = of_answers or (metric.low, metric.high)
    low = interval[0] if least is None else max(interval[0], least)
    high = interval[1] if most is None else min(interval[1], most)
    return float(min(low, value)), float(max(high, value))


def _range(metric: Metric, hits: Floats, value_range: Range | None) -> Range | None:
    """The range of one row's number: declared, or 0 to 1 where nothing else was seen."""
    declared = value_range if metric.hits is None and value_range else (metric.low, metric.high)
    low, high = declared
    if low is None or high is None:
        low, high = 0.0, 1.0
        return (low, high) if not len(hits) or (hits.min() >= 0 and hits.max() <= 1) else None
    if len(hits):
        low, high = min(low, hits.min()), max(high, hits.max())
    return float(low), float(high)


def _bounds(
    metric: Metric,
    kwargs: Mapping[str, Any],
    columns: Columns,
    used: Columns,
    value: float | None,
    expected: int,
    value_range: Range | None,
) -> Range | None:
    settled = used if metric.kind == "proportion" and metric.unscored == "keep" else None
    if settled is None:
        settled = columns.take(columns.with_reason(_SCORED))
    missing = expected - len(settled)
    if not missing:
        return None if value is None else (value, value)
    if metric.fn is pearson_corr:
        found = _pearson_bounds(columns, settled, expected, value_range)
    elif metric.kind in ("proportion", "mean") or metric.fn is pred_sum:
        found = _mean_bounds(metric, kwargs, settled, missing, value_range)
    else:
        found = None if metric.low is None or metric.high is None else (metric.low, metric.high)
    if found is None or not all(map(math.isfinite, found)):
        return None
    # Leaving them out is possible too: it is what the value does.
    low, high = found if value is None else (min(found[0], value), max(found[1], value))
    return float(low), float(high)


def _mean_bounds(
    metric: Metric, kwargs: Mapping[str, Any], settled: Columns, missing: int, value_range: Range | None
) -> Range | None:
    summed = metric.fn is pred_sum
    hits = floats(settled.values, metric.name) if summed else hits_of(metric, kwargs, settled)
    if hits is None:
        return None if metric.low is None or metric.high is None else (metric.low, metric.high)
    hits = hits[~np.isnan(hits)]
    span = value_range if summed and value_range else _range(metric, hits, value_range)
    if span is None:
        return None
    if summed:
        total = float(hits.sum())
        return total + missing * min(span[0], 0.0), total + missing * max(span[1], 0.0)
    found = limits.mean_bounds(float(hits.sum()), len(hits), missing, *span)
    return (metric.link(found[0]), metric.link(found[1])) if found and metric.link else found


def _pearson_bounds(columns: Columns, settled: Columns, expected: int, value_range: Range | None) -> Range | None:
    labels = floats(columns.labels, "pearson_corr")
    scored = columns.with_reason(_SCORED)
    if expected > len(columns) or not np.isfinite(labels[~scored]).all():
        return -1.0, 1.0
    x, y = floats(settled.labels, "pearson_corr"), floats(settled.values, "pearson_corr")
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    if value_range is None:
        if len(y) == 0 or y.min() == y.max():
            return -1.0, 1.0
        value_range = float(y.min()), float(y.max())
    return limits.pearson_bounds(x, y, labels[~scored], *value_range)
