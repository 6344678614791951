"""Answers on disk: one SQLite file, content-addressed, never holding an error."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from mmte.errors import CacheError
from mmte.types import Response

APPLICATION_ID = 0x6D6D7465  # "mmte"
VERSION = 1
_MOST_VARIABLES = 900  # below SQLite's oldest limit for one statement

_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


def pack(response: Response) -> str:
    """A response as the text that is stored."""
    r = response
    row = [r.content, r.status, int(r.cut), r.finish_reason, r.model_id, r.reasoning, *r.usage, r.logprobs, r.error]
    return _encode(row)


def unpack(text: str) -> Response:
    """The response that `pack` stored."""
    content, status, cut, finish, model_id, reasoning, asked, told, logprobs, error = _decode(text)
    return Response(model_id, content, logprobs, finish, status, bool(cut), reasoning, (asked, told), error)


class Store:
    """Responses by key in one SQLite file that several processes may use at once.

    Raises:
        CacheError: one line that says what is wrong with the file; nothing is deleted.
    """

    def __init__(self, path: Path | str, *, read_only: bool = False, durable: bool = True) -> None:
        self.path = path
        memory = str(path) == ":memory:"
        try:
            if not memory and not read_only:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            if read_only:
                self._db = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
            else:
                self._db = sqlite3.connect(path, isolation_level=None, timeout=60)
            self._check(read_only)
            if not read_only:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute(f"PRAGMA synchronous={'NORMAL' if durable else 'OFF'}")
                self._db.execute(
                    "CREATE TABLE IF NOT EXISTS answers(key BLOB PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID"
                )
                # Taken and given back: a file that only reads is found out here, not after hours of asking.
                self._db.execute("BEGIN IMMEDIATE")
                self._db.execute("ROLLBACK")
        except (sqlite3.Error, OSError) as error:
            raise self._trouble(error) from error

    def _check(self, read_only: bool) -> None:
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        (app,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if not tables and not read_only:
            self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version={VERSION}")
        elif app != APPLICATION_ID:
            raise CacheError(f"{self.path} is an SQLite file of another program, not an answer cache")
        elif version > VERSION:
            raise CacheError(
                f"{self.path} was written by a newer mmte (cache version {version}, this one knows {VERSION})"
            )

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Response]:
        """The responses that are there, by key."""
        found: dict[bytes, Response] = {}
        try:
            for start in range(0, len(keys), _MOST_VARIABLES):
                part = keys[start : start + _MOST_VARIABLES]
                marks = ",".join("?" * len(part))
                for key, text in self._db.execute(f"SELECT key, v FROM answers WHERE key IN ({marks})", part):
                    found[key] = unpack(text)
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise self._trouble(error) from error
        return found

    def has(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which keys are there, without reading the answers."""
        found: set[bytes] = set()
        try:
            for start in range(0, len(keys), _MOST_VARIABLES):
                part = keys[start : start + _MOST_VARIABLES]
                marks = ",".join("?" * len(part))
                found.update(k for (k,) in self._db.execute(f"SELECT key FROM answers WHERE key IN ({marks})", part))
        except sqlite3.Error as error:
            raise self._trouble(error) from error
        return found

    def put(self, rows: Iterable[tuple[bytes, Response]]) -> None:
        """Store responses in one transaction; durable when it returns."""
        packed = [(key, pack(response)) for key, response in rows]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO answers VALUES(?, ?)", packed)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._trouble(error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _trouble(self, error: Exception) -> CacheError:
        if isinstance(error, CacheError):
            return error
        text = str(error)
        if "not a database" in text or "malformed" in text or isinstance(error, (ValueError, TypeError)):
            what, advice = "is damaged or no SQLite file", "move it away or name another with --mmte-cache=FILE"
        elif "full" in text or "disk I/O" in text:
            what, advice = "cannot be written (disk full?)", "make room or name another with --mmte-cache=FILE"
        elif (
            "readonly" in text
            or "read-only" in text.lower()
            or isinstance(error, PermissionError)
            or "unable to open" in text
        ):
            what, advice = (
                "cannot be opened for writing",
                "check its permissions or name another with --mmte-cache=FILE",
            )
        else:
            what, advice = "cannot be used", "name another with --mmte-cache=FILE"
        return CacheError(f"answer cache {self.path} {what}: {text}; nothing in it was changed; {advice}")
