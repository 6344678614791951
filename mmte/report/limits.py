"""A limit on a metric: `>= 0.8`, `< 0.1`, or `>= 0.8 (interval)`."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Any

from mmte.errors import MmteError

_OPS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_LIMIT = re.compile(r"\s*([<>]=?)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\(interval\))?\s*")


@dataclass(frozen=True, slots=True)
class Limit:
    """What a metric's value must be.

    With `interval`, the whole 95 % interval must lie beyond the limit for it to be violated: the
    measurement has to show that the limit is missed, which a value just below it does not.
    """

    op: str
    bound: float
    interval: bool = False

    @classmethod
    def parse(cls, rule: Any) -> Limit:
        """Read `OP NUMBER` with OP one of >= <= > <, and `(interval)` behind it, perhaps.

        Raises:
            MmteError: it is something else.
        """
        match = _LIMIT.fullmatch(rule) if isinstance(rule, str) else None
        if not match:
            raise MmteError(f"{rule!r} is no limit: write e.g. '>= 0.8', '< 0.1' or '>= 0.8 (interval)'")
        return cls(match[1], float(match[2]), bool(match[3]))

    def __str__(self) -> str:
        return f"{self.op} {self.bound:g}" + (" (interval)" if self.interval else "")

    def violated(self, value: float | None, low: float | None, high: float | None) -> str:
        """What is wrong, or nothing. No value is a violation: it was not shown that the limit holds."""
        if value is None:
            return f"has no value where {self} is required"
        if self.interval and low is not None and high is not None:
            best = high if self.op in (">=", ">") else low
            if not _OPS[self.op](best, self.bound):
                return f"= {value:.4g} [{low:.4g}, {high:.4g}] is not {self}"
            return ""
        return "" if _OPS[self.op](value, self.bound) else f"= {value:.4g} is not {self}"
