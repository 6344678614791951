"""Errors that speak to the user: one line that says what was wrong and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class MmteError(Exception):
    """A mistake that one line explains (bad option, file, name); never shown with a traceback."""


class MissingExtra(MmteError):
    """A feature needs a package that is not installed."""

    def __init__(self, what: str, extra: str, missing: str) -> None:
        super().__init__(what, extra, missing)

    def __str__(self) -> str:
        what, extra, missing = self.args
        return f"{what} needs {missing}, which is not installed: pip install 'mmte[{extra}]'"


class Unavailable(MmteError):
    """An item cannot run here for a reason that is no fault: it is skipped; the message names the option that helps."""


class ModelGone(MmteError):
    """A model cannot be asked any more (endpoint dead, weights missing); its items fail at once."""


class CacheError(MmteError):
    """The answer cache cannot be used; what was measured so far stays valid."""


def near(name: object, known: Iterable[str], *, cutoff: float = 0.55) -> str:
    """A sentence with the closest known names, or all of a few; empty when nothing helps.

    >>> near("pearson_cor", ["pearson_corr", "failure"])
    " Did you mean 'pearson_corr'?"
    """
    names = sorted({str(k) for k in known})
    if not names:
        return ""
    lowered = {n.casefold(): n for n in names}
    hits = difflib.get_close_matches(str(name).casefold(), list(lowered), n=3, cutoff=cutoff)
    if hits:
        return f" Did you mean {' or '.join(repr(lowered[h]) for h in hits)}?"
    return f" Known: {', '.join(names)}." if len(names) <= 12 else ""
