"""Readings of answers: which evaluators and metrics the names in a chain stand for.

`strict` is ours and the default. `mmte.compat` has another one, `multitrust`, with the original's own algorithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.metrics import Metric, metric_for
from mmte.registry import registry

if TYPE_CHECKING:
    from mmte.compat.literals import Literals

READINGS: Final = ("strict", "multitrust")
OVERRIDE: Final = "multitrust"
"""The key beside the evaluators of a sequence: the chain of this reading, or a text: why it has none."""


class Scoring:
    """The strict reading; another one overrides what it does differently.

    Class attributes:
        name: as `--mmte-scoring` calls it.
        note: what stands beside every number that was read so.
        reads_all: whether empty and cut answers are read whatever an evaluator says about them.
    """

    name: ClassVar[str] = "strict"
    note: ClassVar[str] = ""
    reads_all: ClassVar[bool] = False

    def chain(self, cfg: Any) -> Any:
        """The chain of this reading in the configuration of a sequence."""
        return without_override(cfg)

    def evaluator(self, name: str) -> Callable[..., BaseEvaluator]:
        """What builds the evaluator of a name from the name and its options.

        Raises:
            MmteError: no such evaluator.
            Unavailable: it has no counterpart in this reading.
        """
        found: Callable[..., BaseEvaluator] = registry.get_evaluator_class(name)
        return found

    def metric(self, name: str) -> Metric:
        """The metric of a name; MmteError where there is none."""
        return metric_for(name)

    def identity(self) -> list[Any]:
        """The reading's part of a result's identity."""
        return []


STRICT: Final = Scoring()


def scoring_for(name: str, literals: Literals | None = None) -> Scoring:
    """The reading of a name; multitrust needs the original's lists.

    Raises:
        MmteError: multitrust without lists.
    """
    if name == STRICT.name:
        return STRICT
    from mmte.compat.reading import MultiTrust

    return MultiTrust(literals)


def without_override(cfg: Any) -> Any:
    """The configuration of a sequence without what it says about the other reading."""
    if isinstance(cfg, (list, tuple)):
        return [without_override(part) for part in cfg]
    return {k: v for k, v in cfg.items() if k != OVERRIDE} if isinstance(cfg, Mapping) else cfg


def overridden(cfg: Any) -> Any:
    """What the configuration of a sequence says about the other reading; None: nothing."""
    if isinstance(cfg, Mapping):
        return cfg.get(OVERRIDE)
    parts = cfg if isinstance(cfg, (list, tuple)) else ()
    return next((found for part in parts if (found := overridden(part)) is not None), None)
