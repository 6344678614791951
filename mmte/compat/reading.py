"""The reading `multitrust`: the original's evaluators where it has one, and its way with empty and cut answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from mmte.compat.boxes import IOU_JUDGE
from mmte.compat.literals import NEEDS, Literals
from mmte.compat.multitrust import ORIGINALS
from mmte.errors import MmteError, Unavailable
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.metrics import Metric
from mmte.evaluators.scoring import Scoring, overridden

_MODELS: Final = frozenset({
    "chatmodel_eval", "chatmodel_score", "classifer_reject_eval", "classifer_follow_instruction_eval",
    "classifier_reject_eval", "classifier_follow_instruction_eval", "harmbenchmodel_eval",
    "google_perspective_api_eval", "openai_moderation_api_eval",
})  # fmt: skip
"""The original's evaluators that ask another model; these are asked as in the strict reading."""


class MultiTrust(Scoring):
    """MultiTrust's reading of answers.

    Rules are the original's (`mmte.compat.multitrust`), `iou_judge` is (`mmte.compat.boxes`). An empty answer is read
    as the text "", and a cut one like any other. An error is no answer here either: the original took the text of
    the exception for one. A judge that answers nothing leaves its sample without a value.

    Args:
        literals: the lists.

    Raises:
        MmteError: no lists.
    """

    name: ClassVar[str] = "multitrust"
    note: ClassVar[str] = "multitrust reading"
    reads_all: ClassVar[bool] = True

    def __init__(self, literals: Literals | None) -> None:
        if literals is None:
            raise MmteError(NEEDS)
        self.literals = literals

    def chain(self, cfg: Any) -> Any:
        """The sequence's own chain for this reading, where it has one.

        Raises:
            Unavailable: the sequence says why it has none.
        """
        own = overridden(cfg)
        if isinstance(own, str):
            raise Unavailable(f"no multitrust reading ({own}): use --mmte-scoring=strict")
        return super().chain(cfg) if own is None else own

    def evaluator(self, name: str) -> Callable[..., BaseEvaluator]:
        """The original's evaluator.

        Raises:
            Unavailable: the original has none of this name.
        """
        if name in ORIGINALS:
            return partial(ORIGINALS[name], literals=self.literals)
        found = super().evaluator(name)
        if name not in _MODELS:
            why = f"MultiTrust has no evaluator '{name}'"
            raise Unavailable(f"no multitrust reading ({why}): use --mmte-scoring=strict")
        return found

    def metric(self, name: str) -> Metric:
        """The original's metric where it differs."""
        return IOU_JUDGE if name == IOU_JUDGE.name else super().metric(name)

    def identity(self) -> list[Any]:
        """The reading and its lists."""
        return [self.name, self.literals.sha256]
