"""What the processes of one run tell each other: failures, leases, dead models; gone with the run."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from mmte.engine.store import pack, unpack
from mmte.types import Response

_TABLES = """
CREATE TABLE IF NOT EXISTS failures(key BLOB PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases(key BLOB PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS gone(model TEXT PRIMARY KEY, why TEXT NOT NULL);
"""


class RunState:
    """Failures, leases and dead models of this run, shared through `folder`; in memory without one.

    A lease says that its owner is about to ask. An owner holds a lock file for as long as it lives, so
    that the leases of a killed worker can be taken over.
    """

    def __init__(self, folder: Path | None, worker: str | None) -> None:
        self.alone = worker is None or folder is None
        self._owner = worker or "main"
        self._folder = folder
        self._known: dict[bytes, Response] = {}
        self._gone: dict[str, str] = {}
        if self.alone:
            return
        assert folder is not None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it may hold answers, and /tmp is everybody's
        self._alive = FileLock(folder / f"{self._owner}.alive")
        self._alive.acquire()
        with FileLock(folder / "open.lock"):  # SQLite does not wait when two processes switch a new file to WAL
            self._db = sqlite3.connect(folder / "run.sqlite", isolation_level=None, timeout=60)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=OFF")
            self._db.executescript(_TABLES)

    # -- failures ------------------------------------------------------------------------------
    def failed(self, keys: Sequence[bytes]) -> dict[bytes, Response]:
        """This run's failures among the keys: they are not asked again."""
        if not self.alone:
            for start in range(0, len(keys), 900):
                part = keys[start : start + 900]
                marks = ",".join("?" * len(part))
                for key, text in self._db.execute(f"SELECT key, v FROM failures WHERE key IN ({marks})", part):
                    self._known[key] = unpack(text)
        if not self._known:
            return {}
        return {key: self._known[key] for key in keys if key in self._known}

    def fail(self, rows: Sequence[tuple[bytes, Response]]) -> None:
        """Remember failures, for this process and the others."""
        self._known.update(rows)
        if not self.alone and rows:
            self._db.executemany("INSERT OR REPLACE INTO failures VALUES(?, ?)", [(k, pack(r)) for k, r in rows])

    # -- leases --------------------------------------------------------------------------------
    def lease(self, keys: Sequence[bytes]) -> set[bytes]:
        """The keys that this process may ask now."""
        if self.alone:
            return set(keys)
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR IGNORE INTO leases VALUES(?, ?)", [(k, self._owner) for k in keys])
        mine = {k for k in keys if self._owner_of(k) == self._owner}
        self._db.execute("COMMIT")
        return mine

    def release(self, keys: Sequence[bytes]) -> None:
        """Give leases back, answered or not."""
        if not self.alone:
            self._db.executemany("DELETE FROM leases WHERE key = ? AND owner = ?", [(k, self._owner) for k in keys])

    def take_over(self, keys: Sequence[bytes]) -> None:
        """Drop the leases on `keys` whose owners are dead."""
        for owner in {self._owner_of(k) for k in keys} - {self._owner, None}:
            assert self._folder is not None
            probe = FileLock(self._folder / f"{owner}.alive")
            try:
                probe.acquire(timeout=0)
            except Timeout:
                continue
            self._db.execute("DELETE FROM leases WHERE owner = ?", (owner,))
            probe.release()

    def _owner_of(self, key: bytes) -> str | None:
        row = self._db.execute("SELECT owner FROM leases WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    # -- dead models ---------------------------------------------------------------------------
    def bury(self, model: str, why: str) -> None:
        """Remember that a model cannot be asked any more."""
        self._gone[model] = why
        if not self.alone:
            self._db.execute("INSERT OR IGNORE INTO gone VALUES(?, ?)", (model, why))

    def why_gone(self, model: str) -> str | None:
        """Why a model cannot be asked any more, if so."""
        if model not in self._gone and not self.alone:
            row = self._db.execute("SELECT why FROM gone WHERE model = ?", (model,)).fetchone()
            if row:
                self._gone[model] = row[0]
        return self._gone.get(model)

    def close(self) -> None:
        """Give up the lock and the file."""
        if not self.alone:
            self._db.close()
            self._alive.release()
