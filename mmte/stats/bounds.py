"""How low or high a value could be, had the answers without one been scored.

No assumption about why they are missing (Manski 2003, "Partial Identification of Probability
Distributions"): a model that fails on the hard questions gets no better bounds for it.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Range: TypeAlias = tuple[float, float]


def mean_bounds(total: float, count: int, missing: int, low: float, high: float) -> Range | None:
    """Lowest and highest mean of `count` values that sum to `total` and `missing` ones in [low, high]."""
    n = count + missing
    return ((total + missing * low) / n, (total + missing * high) / n) if n else None


def pearson_bounds(labels: Floats, preds: Floats, open_labels: Floats, low: float, high: float) -> Range | None:
    """Lowest and highest Pearson correlation, when each open answer may be anything in [low, high].

    Args:
        labels, preds: the scored answers.
        open_labels: the labels of those without a value.
        low, high: the range of possible values.

    Returns:
        None where the labels are constant, so that there never is a correlation. The upper bound
        is attained to about 1e-9, and never below what can be attained.
    """
    top = _highest(labels, preds, open_labels, low, high)
    bottom = _highest(-labels, preds, -open_labels, low, high)
    return None if top is None or bottom is None else (min(max(-bottom, -1.0), 1.0), max(min(top, 1.0), -1.0))


def _highest(x: Floats, y: Floats, x_open: Floats, low: float, high: float) -> float | None:
    """The highest correlation of x and y over a box of the open y.

    With x centred, r = x.y / (|x| |y - mean|): linear over convex. Where some y makes it positive, it
    is pseudo-concave there, so that every stationary point is the maximum. Else it is quasi-convex,
    and the maximum is at a corner of the box: the k largest x get `high`, the others `low`.
    """
    x_all = np.concatenate([x, x_open])
    centred = x_all - x_all.mean() if len(x_all) else x_all
    length = float(np.linalg.norm(centred))
    if len(x_all) < 2 or length <= 1e-12 * np.abs(x_all).max():
        return None
    centred = centred / length
    unit = high - low if high > low else 1.0
    y = (y - low) / unit
    x_open = np.sort(centred[len(x) :])[::-1]
    fixed = centred[: len(x)]
    ones = np.arange(len(x_open) + 1) if high > low else np.zeros(1)
    gains = np.concatenate([[0.0], np.cumsum(x_open)])[: len(ones)]
    numerator = float(fixed @ y) + gains
    spread = float(y @ y) + ones - (float(y.sum()) + ones) ** 2 / len(x_all)
    defined = spread > 1e-12 * (float(y @ y) + 1)
    if not defined.any():
        return None
    corners = np.where(defined, numerator / np.sqrt(np.where(defined, spread, 1.0)), -np.inf)
    best = int(np.argmax(corners))
    if corners[best] <= 0 or high <= low:
        return float(corners[best])
    y_open = (np.arange(len(x_open)) < best).astype(np.float64)
    return _climb(fixed, y, x_open, y_open)


def _climb(x: Floats, y: Floats, x_open: Floats, y_open: Floats) -> float:
    """From a corner with a positive correlation to the maximum over open y in [0, 1].

    Alternating least squares of the regression of x on y, with the open y as parameters: the
    optimal ones are on the regression line, cut off at 0 and 1. Each step raises r.
    """
    groups, inverse, counts = np.unique(x_open, return_inverse=True, return_counts=True)
    w = np.concatenate([np.ones(len(x)), counts])
    xs = np.concatenate([x, groups])
    ys = np.concatenate([y, np.bincount(inverse, weights=y_open) / counts])
    n, k = w.sum(), len(x)
    r, rise = -1.0, 1.0
    for _ in range(max(30, min(2000, 4_000_000 // len(ys)))):
        middle = (w @ ys) / n
        spread, shared = w @ (ys - middle) ** 2, (w * xs) @ ys
        rise, r = float(shared / math.sqrt(spread)) - r, float(shared / math.sqrt(spread))
        if rise <= 1e-13:
            break
        ys[k:] = np.clip(middle + spread / shared * groups, 0.0, 1.0)
    return min(1.0, r + max(1e-9, _slack(r, xs, ys, w, k, converged=rise <= 1e-13)))


def _slack(r: float, xs: Floats, ys: Floats, w: Floats, k: int, *, converged: bool) -> float:
    """How far above `r` the maximum may still be.

    For the direction u of the centred y, x.y - r |y - mean| <= (x - r u).y, which is linear in the open y, so
    that its maximum over the box is at a corner; the spread of the known y bounds |y - mean| below.
    """
    known = float(np.linalg.norm(ys[:k] - ys[:k].mean())) if k else 0.0
    if known < 1e-6:
        return 0.0 if converged else 1.0
    away = ys - (w @ ys) / w.sum()
    slope = w * (xs - r * away / math.sqrt(w @ away**2))
    return float(slope[:k] @ ys[:k] + np.maximum(slope[k:], 0).sum()) / known
