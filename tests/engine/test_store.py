"""The cache file: what it keeps, and that every kind of trouble is one line and never a loss."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.engine.cache import AnswerCache
from mmte.engine.store import Store, pack, unpack
from mmte.errors import CacheError
from mmte.types import Response

texts = st.text(st.characters(codec=None), max_size=40)


@given(
    texts, texts, st.booleans(), st.sampled_from(["ok", "empty", "filtered"]), st.none() | st.floats(allow_nan=False)
)
def test_what_is_stored_comes_back(
    content: str, reasoning: str, cut: bool, status: str, logprobs: float | None
) -> None:
    response = Response("m", content, logprobs, "stop", status, cut, reasoning, (3, 4))  # type: ignore[arg-type]
    assert unpack(pack(response)) == response


def test_keeps_answers_between_opens_and_many_at_once(tmp_path: Path) -> None:
    rows = [(b"%032d" % n, Response("m", f"answer {n} \ud800 \x00")) for n in range(2500)]
    store = Store(tmp_path / "a.sqlite")
    store.put(rows)
    store.close()
    again = Store(tmp_path / "a.sqlite")
    assert again.get([k for k, _ in rows]) == dict(rows)
    assert again.has([b"%032d" % 7, b"none"]) == {b"%032d" % 7}
    again.close()


def _damaged(path: Path) -> None:
    path.write_bytes(b"this is no database at all, it is a text of some length " * 40)


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE notes(x)")
    db.close()


def _newer(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()


def _torn(path: Path) -> None:
    store = Store(path)
    store.put([(b"%032d" % n, Response("m", "x" * 500)) for n in range(500)])
    store.close()
    raw = bytearray(path.read_bytes())
    raw[4096 : len(raw) // 2] = os.urandom(len(raw) // 2 - 4096)
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_damaged, "damaged or no SQLite file"),
        (_foreign, "another program"),
        (_newer, "newer mmte"),
        (_torn, "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_left_alone_and_the_run_goes_on(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    path = tmp_path / "a.sqlite"
    spoil(path)
    before = path.read_bytes()
    cache = AnswerCache(path, tmp_path / "overlay.sqlite")
    key, answer = b"k" * 32, Response("m", "kept for this run")
    cache.get([b"%032d" % n for n in range(500)])
    cache.put([(key, answer)])
    assert cache.get([key]) == {key: answer}
    cache.close()
    assert path.read_bytes()[:4096] == before[:4096]
    if spoil is not _torn:
        assert path.read_bytes() == before
        assert says in cache.problem
        assert str(path) in cache.problem
        assert "\n" not in cache.problem


def test_a_full_disk_costs_the_cache_and_not_the_answers(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "a.sqlite", tmp_path / "overlay.sqlite")
    assert cache._main is not None
    pages = cache._main._db.execute("PRAGMA page_count").fetchone()[0]
    cache._main._db.execute(f"PRAGMA max_page_count={pages + 4}")  # SQLite then says that the disk is full
    rows = [(b"%032d" % n, Response("m", "x" * 2000)) for n in range(60)]
    for row in rows:
        cache.put([row])
    assert cache.get([k for k, _ in rows]) == dict(rows)
    assert "disk full" in cache.problem
    cache.close()
    kept = Store(tmp_path / "a.sqlite")
    assert kept.get([rows[0][0]]) == dict(rows[:1])  # what was written before stays
    kept.close()


def _as_nobody(check: Callable[[], None]) -> None:
    """Run a check without root's rights, to which no file is read-only."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.seteuid(65534)
            check()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_a_read_only_cache_is_read_and_the_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    for parent in (tmp_path, *(p for p in tmp_path.parents if p.name.startswith(("pytest-", "popen-")))):
        parent.chmod(0o755)
    store = Store(folder / "a.sqlite")
    old, new = (b"o" * 32, Response("m", "old")), (b"n" * 32, Response("m", "new"))
    store.put([old])
    store._db.execute("PRAGMA journal_mode=DELETE")
    store.close()
    (folder / "a.sqlite").chmod(0o444)
    folder.chmod(0o555)

    def check() -> None:
        cache = AnswerCache(folder / "a.sqlite", None)
        assert cache.get([old[0]]) == dict([old])
        cache.put([new])
        assert cache.get([old[0], new[0]]) == dict([old, new])
        assert "cannot be opened for writing" in cache.problem

    _as_nobody(check)
    folder.chmod(0o755)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"cannot be .*; nothing in it was changed"):
        Store(tmp_path / "file" / "a.sqlite")


def test_refresh_asks_again_once_and_replaces(tmp_path: Path) -> None:
    key = b"k" * 32
    first = AnswerCache(tmp_path / "a.sqlite", None)
    first.put([(key, Response("m", "old"))])
    first.close()
    fresh = AnswerCache(tmp_path / "a.sqlite", tmp_path / "o.sqlite", refresh=True)
    assert fresh.get([key]) == {}
    fresh.put([(key, Response("m", "new"))])
    assert fresh.get([key])[key].content == "new"
    other = AnswerCache(tmp_path / "a.sqlite", tmp_path / "o.sqlite", refresh=True)
    assert other.get([key])[key].content == "new", "another worker of the same run sees it"
    fresh.close()
    other.close()
    later = AnswerCache(tmp_path / "a.sqlite", None)
    assert later.get([key])[key].content == "new"
    later.close()
