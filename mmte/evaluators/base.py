"""What an evaluator is: it reads answers and turns them, stage by stage, into numbers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
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
        judge_spec: an example of a SPEC for the judge, shown where `--judge` lacks it.

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
    judge_spec: ClassVar[str] = "SPEC"
    model: str | None = None

    def __init__(self, evaluator_id: str, metrics_cfg: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        if evaluator_id not in self.evaluator_ids:
            raise MmteError(
                f"{type(self).__name__} has no evaluator '{evaluator_id}'.{near(evaluator_id, self.evaluator_ids)}"
            )
        if kwargs:
            unknown = next(iter(kwargs))
            hint = near(unknown, _options(type(self)))
            raise MmteError(f"evaluator '{evaluator_id}' has no option '{unknown}'.{hint}")
        self.evaluator_id = evaluator_id
        self.metrics_cfg = {name: dict(cfg or {}) for name, cfg in (metrics_cfg or {}).items()}
        for name in self.metrics_cfg:
            metric_for(name)

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """Columns in, columns of the same length out: `(preds, labels, extras)` or `(preds, labels)`."""
        return preds, labels, extras

    def reason(self, pred: Any) -> str:
        """Why `process` makes of this value what it makes of it, in one line, for `mmte show`; "": it cannot say."""
        return ""

    def requests(self, trial: Trial) -> Sequence[Request]:
        """What to ask `self.model` about a trial; nothing asked: `read` decides alone."""
        return ()

    def read(self, trial: Trial, replies: Sequence[Response]) -> Any:
        """The value of a trial from the judge's replies, in the order of `requests`."""
        raise NotImplementedError(f"{type(self).__name__} sets `model`, so it must implement read()")

    def eval(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> dict[str, Any]:
        """Process columns and apply each configured metric: `{metric: value}`."""
        preds, labels, _ = process_columns(self, preds, labels, extras)
        return {name: metric_for(name)(labels, preds, **cfg) for name, cfg in self.metrics_cfg.items()}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.eval(*args, **kwargs)


def process_columns(evaluator: BaseEvaluator, preds: Any, labels: Any, extras: Any) -> tuple[Any, Any, Any]:
    """What `process` makes of columns: `(preds, labels, extras)`, though it may take or return no extras.

    Raises:
        TypeError: something else came back, or columns of another length; the class is named.
    """
    given = (preds, labels, extras)[: _columns_taken(type(evaluator).process)]
    out = evaluator.process(*given)
    who = f"{type(evaluator).__name__}.process"
    if not isinstance(out, (tuple, list)) or len(out) not in (2, 3):
        raise TypeError(f"{who} must return (preds, labels) or (preds, labels, extras), not a {type(out).__name__}")
    for what, column in zip(("values", "labels", "extras"), out, strict=False):
        if column is None and what != "values":
            continue
        if not hasattr(column, "__len__") or isinstance(column, str):
            raise TypeError(f"{who} returned a {type(column).__name__} where the column of {what} belongs")
        if len(column) != len(preds):
            raise TypeError(f"{who} returned {len(column)} {what} for {len(preds)} answers")
    new_labels = labels if out[1] is None else out[1]
    return out[0], new_labels, extras if len(out) == 2 or out[2] is None else out[2]


@cache
def _columns_taken(process: Any) -> int:
    """How many of preds, labels and extras a `process` takes, `self` not counted."""
    parameters = list(inspect.signature(process).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 3
    return min(3, sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters))


def _options(cls: type) -> list[str]:
    """The options that a class's constructor takes, those of its base classes too."""
    names = [name for base in cls.__mro__ if "__init__" in vars(base) for name in inspect.signature(base).parameters]
    return [name for name in names if name not in ("self", "args", "kwargs", "evaluator_id")]


def __getattr__(name: str) -> Any:
    """`SequentialEvaluator` where MMTrustEval's users import it from, without an import circle."""
    if name == "SequentialEvaluator":
        from mmte.evaluators.sequence import SequentialEvaluator

        return SequentialEvaluator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
