"""What an evaluator is: it reads answers and turns them, stage by stage, into numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from mmte.errors import MmteError, near
from mmte.evaluators.metrics import metric_for
from mmte.types import UNPARSED, Request, Response, Trial

__all__ = ["UNPARSED", "BaseEvaluator"]


class BaseEvaluator:
    """Base class of evaluators.

    A rule implements `process`, which sees columns of answered samples only. A judge sets `model`
    and implements `requests` and `read`, both pure. An answer that cannot be read becomes
    `UNPARSED` (or NaN, or None): never a 0, a "No" or a refusal.

    Class attributes:
        version: raised when the same answers may get other values; part of a result's identity.
        chunk: how many samples `process` gets at once; None: all of them.
        reads_cut: whether an answer that was stopped at max_new_tokens may be read.

    Args:
        evaluator_id: one of `evaluator_ids`.
        metrics_cfg: `{metric: its arguments}`, for the last stage of a chain.

    Raises:
        MmteError: unknown evaluator id or metric.
    """

    evaluator_ids: ClassVar[Sequence[str]] = ()
    version: ClassVar[int] = 1
    chunk: ClassVar[int | None] = None
    reads_cut: ClassVar[bool] = True
    model: str | None = None

    def __init__(self, evaluator_id: str, metrics_cfg: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        if evaluator_id not in self.evaluator_ids:
            raise MmteError(
                f"{type(self).__name__} has no evaluator '{evaluator_id}'.{near(evaluator_id, self.evaluator_ids)}"
            )
        if kwargs:
            unknown = next(iter(kwargs))
            raise MmteError(f"evaluator '{evaluator_id}' has no option '{unknown}'")
        self.evaluator_id = evaluator_id
        self.metrics_cfg: dict[str, dict[str, Any]] = {name: dict(cfg or {}) for name, cfg in (metrics_cfg or {}).items()}
        for name in self.metrics_cfg:
            metric_for(name)

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """Columns in, columns of the same length out: `(preds, labels, extras)` or `(preds, labels)`."""
        return preds, labels, extras

    def requests(self, trial: Trial) -> Sequence[Request]:
        """What to ask `self.model` about a trial; nothing asked: `read` decides alone."""
        return ()

    def read(self, trial: Trial, replies: Sequence[Response]) -> Any:
        """The value of a trial from the judge's replies, in the order of `requests`."""
        raise NotImplementedError(f"{type(self).__name__} sets `model`, so it must implement read()")

    def eval(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> dict[str, Any]:
        """Process columns and apply each configured metric: `{metric: value}`."""
        out = self.process(preds, labels, extras)
        return {name: metric_for(name)(out[1], out[0], **cfg) for name, cfg in self.metrics_cfg.items()}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.eval(*args, **kwargs)


def __getattr__(name: str) -> Any:
    """`SequentialEvaluator` where MMTrustEval's users import it from, without an import circle."""
    if name == "SequentialEvaluator":
        from mmte.evaluators.sequence import SequentialEvaluator

        return SequentialEvaluator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
