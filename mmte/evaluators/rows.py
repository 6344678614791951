"""Rules that read each answer for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmte.evaluators.base import BaseEvaluator


def label_at(labels: Any, row: int) -> Any:
    """The label of a row; None where there are no labels."""
    return None if labels is None else labels[row]


def extra_at(extras: Any, row: int) -> Any:
    """The extra of a row; None where there are none."""
    return None if extras is None else extras[row]


class RowEvaluator(BaseEvaluator):
    """Base class of rules that look at one answer at a time: a subclass implements `value_of`.

    Such a rule takes answers in chunks, reads cut ones too (a subclass says why that is right), and gives 0 to 1.
    """

    version = 1
    chunk = 1024
    reads_cut = True
    value_range: tuple[float, float] | None = (0.0, 1.0)

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """Answers to values; labels and extras stay."""
        rows = range(len(preds))
        values = [self.value_of(preds[row], label_at(labels, row), extra_at(extras, row), row) for row in rows]
        return values, labels, extras

    def value_of(self, pred: Any, label: Any, extra: Any, row: int) -> Any:
        """The value of one answer, or UNPARSED; `row` is its place in the chunk, for errors.

        Raises:
            MmteError: a label or extra that the rule cannot work with.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement value_of()")
