"""The reading `multitrust`: the original's evaluators where it has one, and its way with empty and cut answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final

from mmte.compat.asked import ASKED
from mmte.compat.boxes import IOU_JUDGE
from mmte.compat.literals import NEEDS, Literals
from mmte.compat.multitrust import ORIGINALS
from mmte.compat.professions import FAIR_SHARE, ProfessionScript
from mmte.errors import MmteError, Unavailable
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.metrics import Metric, metric_for
from mmte.evaluators.scoring import Scoring, overridden

_MODELS: Final = frozenset({
    "chatmodel_eval", "google_perspective_api_eval", "openai_moderation_api_eval",
})  # fmt: skip
"""The original's evaluators that ask another model as in the strict reading."""


OWN: Final = {**ASKED, **dict.fromkeys(ProfessionScript.evaluator_ids, ProfessionScript)}
"""Those that read a model's reply in their own way, and those of score scripts."""


def original_metric(name: str) -> Metric:
    """The original's metric of a name; ours where it does not differ."""
    own = {metric.name: metric for metric in (IOU_JUDGE, FAIR_SHARE)}
    return own[name] if name in own else metric_for(name)


class MultiTrust(Scoring):
    """MultiTrust's reading of answers.

    Rules are the original's (`mmte.compat.multitrust`), `iou_judge` is (`mmte.compat.boxes`). An empty answer is read
    as the text "", and a cut one like any other. An error is no answer here either: the original took the text of
    the exception for one. A judge that answers nothing leaves its sample without a value, and so does a scoring service
    that takes no empty text; the original sent "No response" in its place.

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
        if name in OWN:
            return OWN[name]
        found = super().evaluator(name)
        if name not in _MODELS:
            why = f"MultiTrust has no evaluator '{name}'"
            raise Unavailable(f"no multitrust reading ({why}): use --mmte-scoring=strict")
        return found

    def metric(self, name: str) -> Metric:
        """The original's metric where it differs."""
        return original_metric(name)

    def identity(self) -> list[Any]:
        """The reading and its lists."""
        return [self.name, self.literals.sha256]
