"""What a reader must know of a result's judges and scorers, from what evaluators leave in the steps of trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from mmte.evaluators.sequence import FAILED, PANEL, SCORES, SILENT, TIE
from mmte.models.text import one_line

_VERSIONS: Final = ("model", "service")  # of the notes that scorers give, those that name a version
_MOST: Final = 3  # versions shown
_MEMBERS: Final = 4  # members of panels shown
_WIDE: Final = 60  # characters of a version, which a service makes up


class Remarks:
    """Counts judges of panels that gave no verdict, and ties; collects the versions that scorers answered with."""

    def __init__(self) -> None:
        self._read = 0  # samples that a panel read
        self._failed: Counter[str] = Counter()
        self._silent: Counter[str] = Counter()
        self._ties: Counter[int] = Counter()
        self._versions: dict[str, None] = {}

    def add(self, steps: Mapping[str, Any] | None) -> None:
        """Take what the steps of one trial say."""
        if not steps:
            return
        self._read += any(name.startswith("agreement") for name in steps.get("ballots") or ())
        without: Mapping[str, Any] = steps.get(PANEL) or {}
        failed = without.get(FAILED, ())
        self._failed.update(failed)
        self._silent.update({*failed, *without.get(SILENT, ())})
        self._ties.update(without.get(TIE, ()))
        for key, scores in steps.items():
            if key.endswith(SCORES) and isinstance(scores, Mapping):
                self._note_versions(scores)

    def _note_versions(self, scores: Mapping[str, Any]) -> None:
        for name in _VERSIONS:
            told = scores.get(name)
            if isinstance(told, str) and told.strip() and len(self._versions) <= _MOST:
                self._versions[one_line(told, _WIDE)] = None

    @property
    def notes(self) -> list[str]:
        """The notes for `Result.notes`, a few short lines at most."""
        found = []
        members = sorted(self._silent, key=lambda member: (-self._silent[member], member))
        for member in members[:_MEMBERS]:
            failed = f" ({self._failed[member]} failed)" if self._failed[member] else ""
            found.append(f"panel: {member} gave no verdict on {self._silent[member]} of {self._read}{failed}")
        if len(members) > _MEMBERS:
            found.append(f"panel: {len(members) - _MEMBERS} more gave no verdict on some")
        for seats, n in sorted(self._ties.items()):
            found.append(f"panel of {seats}: {n} {'tie is' if n == 1 else 'ties are'} unparsed")
        if self._versions:
            shown = list(self._versions)
            found.append("scorer: " + ", ".join(shown[:_MOST] + ["..."] * (len(shown) > _MOST)))
        return found
