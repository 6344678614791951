"""The answer cache as the engine sees it: a cache file that may fail, and a place of this run beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mmte.engine.store import Store
from mmte.errors import CacheError
from mmte.types import Response


class AnswerCache:
    """Reads the cache file, writes to it, and goes on without it when it cannot be used.

    What the cache file does not take is kept in `overlay`, a file of this run that its processes share
    (in memory without one), so that the run's scores are still reported. `problem` is the one line
    that says what happened. With `refresh`, only answers of this run count.
    """

    def __init__(self, path: Path | None, overlay: Path | None, *, refresh: bool = False) -> None:
        self.problem = ""
        self._overlay_path = overlay
        self._overlay: Store | None = None
        self._refresh = refresh
        self._main: Store | None = None
        self._writable = path is not None
        if path is not None:
            self._open(path)
        if refresh or not self._writable:
            self._beside()

    def _open(self, path: Path) -> None:
        try:
            self._main = Store(path)
        except CacheError as error:
            self._lost(error)
            try:
                self._main = Store(path, read_only=True)
            except CacheError:
                self._main = None

    def _lost(self, error: CacheError) -> None:
        self._writable = False
        self.problem = self.problem or f"{error}; the answers of this run are not kept"

    def _beside(self) -> Store:
        if self._overlay is None:
            try:
                self._overlay = Store(self._overlay_path or ":memory:", durable=False)
            except CacheError:  # the disk is full for the overlay, too
                self._overlay = Store(":memory:")
        return self._overlay

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Response]:
        """The answers that are there, by key."""
        found: dict[bytes, Response] = {}
        if self._main is not None and not self._refresh:
            try:
                found = self._main.get(keys)
            except CacheError as error:
                self._lost(error)
                self._main = None
        if len(found) < len(keys) and self._overlay is not None:
            found |= self._overlay.get([k for k in keys if k not in found])
        return found

    def has(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which keys are there."""
        try:
            return self._main.has(keys) if self._main is not None and not self._refresh else set()
        except CacheError as error:
            self._lost(error)
            return set()

    def put(self, rows: Sequence[tuple[bytes, Response]]) -> None:
        """Keep answers; durable when it returns, as far as the disk allows."""
        if self._main is not None and self._writable:
            try:
                self._main.put(rows)
                if not self._refresh:
                    return
            except CacheError as error:
                self._lost(error)
        try:
            self._beside().put(rows)
        except CacheError:
            self._overlay, kept = Store(":memory:"), self._overlay
            if kept is not None:
                kept.close()
            self._overlay.put(rows)

    def close(self) -> None:
        """Close the files."""
        for store in (self._main, self._overlay):
            if store is not None:
                store.close()
