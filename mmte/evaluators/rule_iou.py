"""Whether the box that an answer gives overlaps the right one by more than half of their union.

Source: intersection over union above 0.5 as in PASCAL VOC (Everingham et al. 2010); task T.1, grounding, of MultiTrust
(Zhang et al. 2024, arXiv:2406.07057), whose box parser this replaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmte.errors import MmteError, near
from mmte.evaluators.boxes import UNITS, Units, iou, label_box, read_box
from mmte.evaluators.reading import label_error, text_of
from mmte.evaluators.rows import RowEvaluator
from mmte.registry import registry
from mmte.types import UNPARSED


@registry.register_evaluator()
class IouEvaluator(RowEvaluator):
    """Whether an answer's box hits its label: 1.0, 0.0, or UNPARSED where there is not exactly one box.

    The label is the JSON text or the list of `[left, top, right, bottom]`, in parts of the picture's width and height.

    An answer that was cut at max_new_tokens is read too: a box in brackets that was cut lacks its end and is
    UNPARSED; only the last of four bare numbers may lack digits, which moves one edge by less than a tenth.

    Args:
        evaluator_id: `rule_iou_eval`.
        metrics_cfg: see `BaseEvaluator`.
        threshold: the overlap that a hit exceeds, from 0 to below 1.
        units: what the answer's numbers count: "parts" of the picture (0 to 1), "pixels" (needs the sample's
            `extra["img_size"]`, width and height), or "thousandths" of it. The numbers alone cannot tell.

    Raises:
        MmteError: an option of another form, a label that is no box, or pixels without the size.
    """

    evaluator_ids = ("rule_iou_eval",)

    def __init__(
        self,
        evaluator_id: str,
        metrics_cfg: Mapping[str, Any] | None = None,
        threshold: float = 0.5,
        units: Units = "parts",
        **kwargs: Any,
    ) -> None:
        super().__init__(evaluator_id, metrics_cfg, **kwargs)
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not 0 <= threshold < 1:
            raise MmteError(
                f"evaluator '{evaluator_id}': threshold must be a number from 0 to below 1, not {threshold!r:.40}"
            )
        if units not in UNITS:
            raise MmteError(f"evaluator '{evaluator_id}': unknown units {units!r:.40}.{near(units, UNITS)}")
        self.threshold = float(threshold)
        self.units: Units = units

    def value_of(self, pred: Any, label: Any, extra: Any, row: int) -> Any:
        """1.0 for a hit."""
        truth = label_box(label)
        if truth is None:
            raise label_error(self.evaluator_id, row, label, "the JSON text of a box [left, top, right, bottom]")
        text = text_of(pred)
        box = None if text is None else read_box(text, self.units, self._size(extra, row))
        return UNPARSED if box is None else float(iou(truth, box) > self.threshold)

    def _size(self, extra: Any, row: int) -> Sequence[float] | None:
        if self.units != "pixels":
            return None
        size = extra.get("img_size") if isinstance(extra, Mapping) else None
        if not isinstance(size, (list, tuple)) or len(size) != 2 or not all(isinstance(v, (int, float)) for v in size):
            raise MmteError(
                f"evaluator '{self.evaluator_id}': units 'pixels' needs extra['img_size'] (width, height), which "
                f"sample {row + 1} of this batch lacks; use other units or a dataset that gives it"
            )
        return size
