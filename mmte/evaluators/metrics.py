"""Metrics: columns of labels and answers in, one number out.

A metric is a plain function `fn(labels, preds, **options) -> float`; `Metric` adds what is needed to
put an interval and bounds around its value (`mmte.stats`). A function of one's own is plugged in with
`_supported_metrics["mine"] = fn`. NaN, None and `UNPARSED` all mean "no value".
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mmte.errors import MmteError, near
from mmte.types import UNPARSED, Direction

if TYPE_CHECKING:
    from numpy import bool_, float64
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[float64]
    Flags: TypeAlias = NDArray[bool_]

Column: TypeAlias = Any  # a sequence or an array: what a port's `process` returns
Average = Literal["binary", "micro", "macro", "weighted"]


@dataclass(frozen=True)
class Sums:
    """A statistic that depends on sums over rows only, so that it can be resampled by counting.

    Attributes:
        rows: `(labels, preds, **options)` to the summands, shape (rows, terms).
        value: sums, shape (..., terms), to values, shape (...); NaN where undefined.
        verdict: the value is that of a decision: where all resamples agree on it, it is certain.
    """

    rows: Callable[..., Floats]
    value: Callable[[Floats], Floats]
    verdict: bool = False


@dataclass(frozen=True)
class Metric:
    """A function of two columns with what an honest report of its value needs.

    Attributes:
        fn: `(labels, preds, **options) -> float`, NaN where undefined.
        direction: which way is better.
        unscored: what an unparsed answer means: left out, a wrong answer (a 0 among `hits`; `fn`
            gets NaN where there are `hits`, else 0), or handed to `fn` as NaN.
        kind: a mean of hits that are 0 or 1, a mean, any other number, or a column (no number).
        low, high: the range of the values, where it is known.
        hits: `(labels, preds, **options)` to one number a row, whose mean is the value; NaN where a
            row does not count. None instead of an array: these options have no such form.
            Proportions and means without it take the answers themselves.
        link: from the mean of the hits to the value, where that is not the value itself; monotone.
        sums: for other statistics, the form that can be resampled fast.
    """

    name: str
    fn: Callable[..., Any]
    direction: Direction = "up"
    unscored: Literal["drop", "wrong", "keep"] = "drop"
    kind: Literal["proportion", "mean", "statistic", "column"] = "statistic"
    low: float | None = None
    high: float | None = None
    hits: Callable[..., Floats | None] | None = None
    link: Callable[[float], float] | None = None
    sums: Sums | None = None

    def __call__(self, labels: Column, preds: Column, **kwargs: Any) -> Any:
        return self.fn(labels, preds, **kwargs)

    def check(self, kwargs: Mapping[str, Any]) -> None:
        """Raise MmteError when `fn` does not take these options."""
        try:
            parameters = inspect.signature(self.fn).parameters
        except (TypeError, ValueError):  # some compiled functions do not say what they take
            return
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            return
        known = list(parameters)[2:]
        for name in kwargs:
            if name not in known:
                hint = near(name, known) or " It takes none."
                raise MmteError(f"metric '{self.name}' has no option '{name}'.{hint}")

    def unscored_with(self, kwargs: Mapping[str, Any]) -> Literal["drop", "wrong", "keep"]:
        """`unscored` under these options: with `nan_to_num`, unparsed answers go into the value."""
        return "keep" if kwargs.get("nan_to_num") is not None else self.unscored


def floats(column: Column, name: str = "metric") -> Floats:
    """A column as float64; no value becomes NaN. Texts are not read as numbers.

    Raises:
        MmteError: something in the column is no number.
    """
    import numpy as np

    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        return column.astype(np.float64, copy=False)
    return np.array([_number(value, name) for value in column], dtype=np.float64)


def _number(value: Any, name: str) -> float:
    if value is None or value is UNPARSED:
        return math.nan
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise MmteError(
            f"metric '{name}' needs numbers, not {repr(value)[:40]}; let an evaluator turn it into one first"
        )
    return float(value)


# -- means ---------------------------------------------------------------------------------------
def pred_no_op(labels: Column, preds: Column) -> Column:
    """The answers as they are, for stages whose output is looked at and not measured."""
    return preds


def pred_sum(labels: Column, preds: Column) -> float:
    """The sum of the answers that have a value; NaN when none has."""
    values = _finite(floats(preds, "pred_sum"))
    return float(values.sum()) if len(values) else math.nan


def pred_mean(labels: Column, preds: Column) -> float:
    """The mean of the answers that have a value; NaN when none has."""
    values = _finite(floats(preds, "pred_mean"))
    return float(values.mean()) if len(values) else math.nan


def failure(labels: Column, preds: Column, fails_num: float = math.nan) -> float:
    """The share of answers without a value, or with the value `fails_num`."""
    return _mean(_failure_hits(labels, preds, fails_num))


def correct_rate(labels: Column, preds: Column) -> float:
    """The share of right answers, where an evaluator says 1 (right) or 0; one that could not be read is wrong."""
    hits = _correct_hits(labels, preds)
    return float(hits.mean()) if len(hits) else math.nan


def _correct_hits(labels: Column, preds: Column) -> Floats:
    import numpy as np

    return np.nan_to_num(floats(preds, "correct_rate"), nan=0.0)


def accuracy_score(labels: Column, preds: Column) -> float:
    """The share of answers that equal their label; one without a value is wrong, one without a label left out."""
    return _mean(_accuracy_hits(labels, preds))


def _finite(values: Floats) -> Floats:
    import numpy as np

    kept: Floats = values[~np.isnan(values)]
    return kept


def _mean(hits: Floats) -> float:
    return pred_mean(None, hits)


def _pred_rows(labels: Column, preds: Column) -> Floats:
    return floats(preds, "pred_sum")[:, None]


def _only(sums: Floats) -> Floats:
    only: Floats = sums[..., 0]
    return only


def _failure_hits(labels: Column, preds: Column, fails_num: float = math.nan) -> Floats:
    import numpy as np

    if isinstance(preds, np.ndarray) and preds.dtype.kind in "fiub":
        return np.where(np.isnan(preds) | (preds == fails_num), 1.0, 0.0)
    return np.array([has_no_value(v) or v == fails_num for v in preds], dtype=np.float64)


def has_no_value(value: Any) -> bool:
    """Whether a value means that there is none: None, `UNPARSED` or NaN."""
    return value is None or value is UNPARSED or (isinstance(value, float) and math.isnan(value))


def _accuracy_hits(labels: Column, preds: Column) -> Floats:
    import numpy as np

    if all(isinstance(c, np.ndarray) and c.dtype.kind in "fiub" for c in (labels, preds)):
        return np.where(np.isnan(labels), np.nan, labels == preds)
    pairs = zip(labels, preds, strict=True)
    return np.array([math.nan if has_no_value(a) else float(bool(a == b)) for a, b in pairs], dtype=np.float64)


# -- classification ------------------------------------------------------------------------------
def precision_score(labels: Column, preds: Column, average: Average = "binary", pos_label: float = 1) -> float:
    """The share of answers `pos_label` that are right; NaN (undefined, not 0) when there is none.

    `average` other than binary takes each class against the rest: "macro" is the mean over the
    classes, "weighted" by their share of the labels, "micro" pools them. Rows without a value or a
    label are left out.
    """
    return _averaged("precision_score", _precision, labels, preds, average, pos_label)


def recall_score(labels: Column, preds: Column, average: Average = "binary", pos_label: float = 1) -> float:
    """The share of labels `pos_label` that were answered so; NaN when there is none. See `precision_score`."""
    return _averaged("recall_score", _recall, labels, preds, average, pos_label)


def f1_score(labels: Column, preds: Column, average: Average = "binary", pos_label: float = 1) -> float:
    """The harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN); NaN when that is 0 / 0."""
    return _averaged("f1_score", _f1, labels, preds, average, pos_label)


def _averaged(
    name: str, of: Callable[[Flags, Flags], float], labels: Column, preds: Column, average: Average, pos_label: float
) -> float:
    import numpy as np

    truth, answers = floats(labels, name), floats(preds, name)
    seen = ~(np.isnan(truth) | np.isnan(answers))
    truth, answers = truth[seen], answers[seen]
    if average == "binary":
        return of(truth == pos_label, answers == pos_label)
    classes = np.unique(np.concatenate([truth, answers]))[:, None]
    if average == "micro":
        return of((truth == classes).ravel(), (answers == classes).ravel())
    each = np.array([of(truth == c, answers == c) for c in classes])
    if average == "macro":
        return float(each.mean()) if len(each) else math.nan
    if average == "weighted":
        shares = (truth == classes).sum(axis=1)
        counts = shares > 0
        return float(np.average(each[counts], weights=shares[counts])) if counts.any() else math.nan
    raise MmteError(f"metric '{name}': average must be binary, micro, macro or weighted, not {average!r}")


def _precision(truth: Flags, answers: Flags) -> float:
    return float(truth[answers].mean()) if answers.any() else math.nan


def _recall(truth: Flags, answers: Flags) -> float:
    return _precision(answers, truth)


def _f1(truth: Flags, answers: Flags) -> float:
    total = int(truth.sum()) + int(answers.sum())
    return 2 * int((truth & answers).sum()) / total if total else math.nan


def _hits_where(which: Literal["answers", "truth", "either"]) -> Callable[..., Floats | None]:
    """True positives among the rows that count: the proportion behind precision, recall and F1."""

    def hits(labels: Column, preds: Column, average: Average = "binary", pos_label: float = 1) -> Floats | None:
        import numpy as np

        if average != "binary":
            return None
        labels, preds = floats(labels, "labels"), floats(preds, "preds")
        truth, answers = labels == pos_label, preds == pos_label
        counts = {"answers": answers, "truth": truth, "either": truth | answers}[which]
        return np.where(counts & ~np.isnan(labels) & ~np.isnan(preds), truth & answers, np.nan)

    return hits


def _dice(jaccard: float) -> float:
    """F1 from the share of true positives among all rows where label or answer is positive."""
    return 2 * jaccard / (1 + jaccard)


# -- correlation ---------------------------------------------------------------------------------
def pearson_corr(labels: Column, preds: Column, nan_to_num: float | None = None) -> float:
    """Pearson's r of labels and answers; NaN with fewer than 2 points or a constant column.

    Answers without a value are left out, or are `nan_to_num` when that is given.
    """
    import numpy as np

    x, y = floats(labels, "pearson_corr"), _filled(floats(preds, "pearson_corr"), nan_to_num)
    seen = np.isfinite(x) & np.isfinite(y)
    x, y = x[seen], y[seen]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return math.nan
    x, y = _standard(x), _standard(y)
    spread = math.sqrt(float(x @ x) * float(y @ y))
    return float(np.clip(float(x @ y) / spread, -1.0, 1.0)) if spread > 0 else math.nan


def _filled(values: Floats, nan_to_num: float | None) -> Floats:
    import numpy as np

    return values if nan_to_num is None else np.where(np.isnan(values), nan_to_num, values)


def _standard(values: Floats) -> Floats:
    """Centred, and scaled so that no square overflows or vanishes."""
    import numpy as np

    values = values / (np.abs(values).max() or 1.0)
    values = values - values.mean()
    return values / (np.abs(values).max() or 1.0)


def _pearson_rows(labels: Column, preds: Column, nan_to_num: float | None = None) -> Floats:
    import numpy as np

    x, y = floats(labels, "pearson_corr"), _filled(floats(preds, "pearson_corr"), nan_to_num)
    seen = np.isfinite(x) & np.isfinite(y)
    rows = np.zeros((len(x), 6))
    if seen.any():
        a, b = _standard(x[seen]), _standard(y[seen])
        rows[seen] = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)
    return rows


def _pearson_value(sums: Floats) -> Floats:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        _, a, b, aa, bb, ab = np.moveaxis(sums / sums[..., :1], -1, 0)
        spread_a, spread_b = aa - a * a, bb - b * b
        defined = (spread_a > 1e-12 * aa) & (spread_b > 1e-12 * bb)  # less is the rounding error of a constant
        r = np.where(defined, (ab - a * b) / np.sqrt(spread_a * spread_b), np.nan)
    return np.clip(r, -1.0, 1.0)


# -- boxes ---------------------------------------------------------------------------------------
def iou_judge(labels: Column, preds: Column) -> float:
    """The percentage of answers whose box overlaps the label's by more than half of their union.

    Labels are boxes (JSON text or lists), answers texts with a box, or hits (0 or 1) that an evaluator found. An
    answer without exactly one box is a miss, as in MultiTrust, whose metric this is.

    Raises:
        MmteError: a label that is no box, or an answer that is neither text nor hit.
    """
    return _percent(_mean(_iou_hits(labels, preds)))


def _iou_hits(labels: Column, preds: Column) -> Floats:
    import numpy as np

    return np.array([_iou_hit(label, pred) for label, pred in zip(labels, preds, strict=True)], dtype=np.float64)


def _iou_hit(label: Any, pred: Any) -> float:
    from mmte.evaluators.boxes import iou, label_box, read_box

    if isinstance(pred, (list, tuple)) and len(pred) == 1:
        pred = pred[0]
    if not isinstance(pred, str):
        hit = 0.0 if has_no_value(pred) else _number(pred, "iou_judge")
        if hit not in (0.0, 1.0):
            raise MmteError(f"metric 'iou_judge' needs texts or hits of 0 and 1, not {hit:g}; see rule_iou_eval")
        return hit
    truth = label_box(label)
    if truth is None:
        raise MmteError(f"metric 'iou_judge' needs labels that are boxes in JSON, not {repr(label)[:40]}")
    box = read_box(pred)
    return 0.0 if box is None else float(iou(truth, box) > 0.5)


def _percent(share: float) -> float:
    return 100.0 * share


# -- by name -------------------------------------------------------------------------------------
_supported_metrics: dict[str, Metric | Callable[..., Any]] = {
    metric.name: metric
    for metric in (
        Metric("pred_no_op", pred_no_op, kind="column"),
        Metric("pred_sum", pred_sum, sums=Sums(_pred_rows, _only)),
        Metric("pred_mean", pred_mean, kind="mean"),
        Metric("correct_rate", correct_rate, "up", "wrong", "proportion", 0.0, 1.0, _correct_hits),
        Metric("accuracy_score", accuracy_score, "up", "wrong", "proportion", 0.0, 1.0, _accuracy_hits),
        Metric("precision_score", precision_score, "up", "drop", "proportion", 0.0, 1.0, _hits_where("answers")),
        Metric("recall_score", recall_score, "up", "drop", "proportion", 0.0, 1.0, _hits_where("truth")),
        Metric("f1_score", f1_score, "up", "drop", "proportion", 0.0, 1.0, _hits_where("either"), _dice),
        Metric("pearson_corr", pearson_corr, low=-1.0, high=1.0, sums=Sums(_pearson_rows, _pearson_value)),
        Metric("failure", failure, "down", "keep", "proportion", 0.0, 1.0, _failure_hits),
        # no range: that of a metric with a link is of its hits, and would cap its interval at 1 %
        Metric("iou_judge", iou_judge, "up", "wrong", "proportion", hits=_iou_hits, link=_percent),
    )
}
"""Metrics by name; a bare function counts as a statistic whose unparsed answers are left out."""


def metric_for(name: str) -> Metric:
    """The metric of a name.

    Raises:
        MmteError: no metric of this name, with near ones.
    """
    found = _supported_metrics.get(name)
    if found is None:
        raise MmteError(f"unknown metric '{name}'.{near(name, _supported_metrics)}")
    if not isinstance(found, Metric):
        return Metric(name, found)
    return found if found.name == name else replace(found, name=name)


def known_metrics() -> Sequence[str]:
    """The names of all metrics, sorted."""
    return sorted(_supported_metrics)


from mmte.evaluators import independence as _independence  # noqa: E402, F401 - adds its metrics to the table
