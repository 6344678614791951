"""Puts what is known of a sample beside its answer, so that metrics can ask whether the two go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmte.errors import MmteError, near
from mmte.evaluators.base import BaseEvaluator
from mmte.registry import registry


@registry.register_evaluator()
class AttributeLabels(BaseEvaluator):
    """Leaves the values as they are and makes an attribute of the sample their label.

    Stands behind an evaluator that reads the answers, e.g. `rule_yes_or_no_eval`, with the metrics of
    `mmte.evaluators.independence`. The attribute comes from the sample's extra; where it is None there, it is unknown,
    and so is the label.

    Args:
        evaluator_id: `rule_attribute_eval`.
        metrics_cfg: see `BaseEvaluator`.
        attribute: a key of the samples' extra, or a list of them: then a label is the list of their values.

    Raises:
        MmteError: no attribute, one twice, or a sample whose extra does not have it.
    """

    evaluator_ids = ("rule_attribute_eval",)
    version = 1
    chunk = 1024
    reads_cut = True

    def __init__(
        self,
        evaluator_id: str,
        metrics_cfg: Mapping[str, Any] | None = None,
        attribute: str | Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(evaluator_id, metrics_cfg, **kwargs)
        listed = [attribute] if isinstance(attribute, str) else attribute
        if (
            not isinstance(listed, (list, tuple))
            or not listed
            or not all(isinstance(name, str) and name for name in listed)
            or len(set(listed)) < len(listed)
        ):
            raise MmteError(
                f"evaluator '{evaluator_id}': 'attribute' must be a key of the samples' extra, or a list of different"
                f" ones, not {attribute!r:.60}"
            )
        self.attributes = tuple(listed)
        self.single = isinstance(attribute, str)

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """The values, with the attributes as labels."""
        known = [self._known(None if extras is None else extras[row], row) for row in range(len(preds))]
        return preds, known, extras

    def _known(self, extra: Any, row: int) -> Any:
        have = extra if isinstance(extra, Mapping) else {}
        for name in self.attributes:
            if name not in have:
                raise MmteError(
                    f"evaluator '{self.evaluator_id}': sample {row + 1} of this batch has no '{name}' in its extra."
                    f"{near(name, map(str, have))}"
                )
        return have[self.attributes[0]] if self.single else [have[name] for name in self.attributes]
