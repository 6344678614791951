"""The difference of a metric between two runs over the same samples, paired by sample and cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmte.evaluators.metrics import Metric
from mmte.stats import intervals
from mmte.stats.estimate import Columns, estimate, pick, used_rows
from mmte.types import Estimate


def contrast(
    metric: Metric,
    kwargs: Mapping[str, Any],
    one: Columns,
    other: Columns,
    *,
    expected: int,
    seed: int,
    against: str,
    subset: str = "",
    value_range: tuple[float, float] | None = None,
) -> Estimate | None:
    """`metric(one) - metric(other)` with a bootstrap interval over clusters; None for a metric that is a column.

    Row `i` of both columns is the same sample. Each side leaves out what the metric leaves out, so that the value
    is the difference of the two numbers shown. A resample draws clusters, and both sides get the same ones.

    Args:
        metric, kwargs, expected, subset, value_range: as for `estimate`.
        one, other: rows of the same samples in the same order.
        seed: of the bootstrap.
        against: what `other` is; part of the estimate's name.

    Returns:
        `n` is the number of samples that count on both sides; `bounds` come from those of both sides. Its direction is
        "none": what is added is neither good nor bad by itself.

    Raises:
        ValueError: columns of different lengths.
        MmteError: see `estimate`.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} samples against {len(other)}")
    options: dict[str, Any] = {
        "expected": expected, "seed": seed, "subset": subset, "value_range": value_range,
    }  # fmt: skip
    first, second = (estimate(metric, kwargs, side, **options) for side in (one, other))
    if first is None or second is None:
        return None
    value = None if first.value is None or second.value is None else first.value - second.value
    sides = [used_rows(metric, kwargs, side) for side in (one, other)]
    low = high = None
    method = ""
    if value is not None:
        interval, method = _interval(metric, kwargs, one, [(s, m) for s, m in sides], value, seed)
        low, high = (min(interval[0], value), max(interval[1], value)) if interval else (None, None)
    bounds = None
    if first.bounds and second.bounds and None not in (*first.bounds, *second.bounds):
        bounds = first.bounds[0] - second.bounds[1], first.bounds[1] - second.bounds[0]
    return replace(
        first, metric=f"{metric.name}.vs.{against}", value=value, low=low, high=high, method=method, bounds=bounds,
        n=int((sides[0][1] & sides[1][1]).sum()), direction="none",
    )  # fmt: skip


def _interval(
    metric: Metric,
    kwargs: Mapping[str, Any],
    rows: Columns,
    sides: list[tuple[Columns, NDArray[np.bool_]]],
    value: float,
    seed: int,
) -> tuple[tuple[float, float] | None, str]:
    order = np.argsort(rows.clusters, kind="stable")

    def difference(drawn: NDArray[np.int64]) -> float:
        taken = order[drawn]
        got = []
        for columns, counts in sides:
            kept = taken[counts[taken]]
            if not len(kept):
                return math.nan
            got.append(float(metric(pick(columns.labels, kept), pick(columns.values, kept), **kwargs)))
        return got[0] - got[1]

    return intervals.bootstrap(difference, rows.clusters[order], value, seed)
