"""MultiTrust's metric of boxes, in its own way of reading them.

Source: `iou_judge` of MMTrustEval (Zhang et al. 2024, arXiv:2406.07057), the algorithm only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mmte.errors import MmteError
from mmte.evaluators.boxes import Box, label_box
from mmte.evaluators.metrics import Column, Metric, metric_for

if TYPE_CHECKING:
    from mmte.evaluators.metrics import Floats


def read_box(text: str) -> Box | None:
    """The box that the original sees in an answer; None: it sees none.

    Three single quotes in a row, line breaks and outer square brackets go. What stands between commas is a number or
    a fraction; anything else is passed over. Four numbers are a box, whatever their order: backticks of a code
    block, for one, cost the numbers beside them. The original breaks off at a division by zero; here it is no box.
    """
    numbers: list[float] = []
    for part in text.replace("'''", "").replace("\n", "").strip("[]").split(","):
        try:
            above, *below = part.split("/")
            if len(below) < 2:
                numbers.append(float(above) / float(below[0]) if below else float(above))
        except ZeroDivisionError:
            return None
        except ValueError:
            continue
    return (numbers[0], numbers[1], numbers[2], numbers[3]) if len(numbers) == 4 else None


def overlap(one: Box, other: Box) -> float:
    """Intersection over union as the original has it: boxes that are turned around have a negative area."""
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    shared = width * height
    union = _area(one) + _area(other) - shared
    return shared / union if shared and union else 0.0


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def iou_judge(labels: Column, preds: Column) -> float:
    """The percentage of answers whose box overlaps the label's by more than half.

    Raises:
        MmteError: a label that is no box, or an answer that is neither text nor hit.
    """
    hits = iou_hits(labels, preds)
    return 100.0 * float(hits.mean()) if len(hits) else float("nan")


def iou_hits(labels: Column, preds: Column) -> Floats:
    """1 for each answer that hits, 0 for each other one."""
    import numpy as np

    return np.array([_hit(label, pred) for label, pred in zip(labels, preds, strict=True)], dtype=np.float64)


def _hit(label: Any, pred: Any) -> float:
    if isinstance(pred, Sequence) and not isinstance(pred, str) and len(pred) == 1:
        pred = pred[0]
    if not isinstance(pred, str):  # a hit that an evaluator found, or no answer
        return float(metric_for("iou_judge").fn([label], [pred])) / 100.0
    truth = label_box(label)
    if truth is None:
        raise MmteError(f"metric 'iou_judge' needs labels that are boxes in JSON, not {repr(label)[:40]}")
    box = read_box(pred)
    return 0.0 if box is None else float(overlap(truth, box) > 0.5)


IOU_JUDGE: Metric = replace(metric_for("iou_judge"), fn=iou_judge, hits=iou_hits)
