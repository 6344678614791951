"""Fetching a set into a folder, and checking what is there."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mmte.data.catalogue import Archive, Catalogue, DataSet, Pinned
from mmte.data.transfer import Progress, fetch
from mmte.data.unpack import unpack
from mmte.errors import MmteError
from mmte.report.files import write_atomic

RECORDS: Final = ".mmte-data"
"""Folder below DIR: what was fetched, with its sha256, and what is half there."""


@dataclass(frozen=True, slots=True)
class State:
    """One file of a set as it lies in a folder: `ok`, `missing` or `changed`; `pinned`: by us, not by the download."""

    path: str
    state: str
    pinned: bool


def prepare(
    catalogue: Catalogue, name: str, folder: Path, told: Callable[[str], Progress | None] = lambda path: None
) -> list[State]:
    """Fetch what is missing of a set into `folder`/`name`; what is there and right is left alone.

    Each file is whole or not there; a half one waits in `.mmte-data` for the next call. A file without a pinned sha256
    is recorded with the one that it has now, and shown as unpinned from then on.

    Args:
        catalogue: the sets.
        name: one of them.
        folder: what `--mmte-data` will be given.
        told: a function that gives each file its progress.

    Raises:
        MmteError: the set is gated (the message says how to ask for it), or a file cannot be had; files that were
            complete before stay.
    """
    about = catalogue.get(name)
    if about.access != "free":
        raise MmteError(f"data: {name} cannot be fetched by a program: {about.how}")
    work = folder / RECORDS
    try:
        work.mkdir(parents=True, exist_ok=True)
        for file in about.files:
            _file(catalogue, file, folder / name / file.path, work, told(file.path))
        for archive in about.archives:
            _archive(catalogue, about, archive, folder, told(archive.url.rpartition("/")[2]))
    except OSError as error:
        raise MmteError(f"data: {error.filename or folder}: {error.strerror}") from None
    return verify(catalogue, name, folder)


def _file(catalogue: Catalogue, file: Pinned, target: Path, work: Path, progress: Progress | None) -> None:
    if target.exists() and file.sha256 and _sha256(target) == file.sha256:
        return
    part = work / f"{hashlib.sha256(file.url.encode()).hexdigest()[:24]}.part"
    digest = fetch(catalogue, file.url, part, size=file.bytes, sha256=file.sha256, progress=progress)
    target.parent.mkdir(parents=True, exist_ok=True)
    part.replace(target)
    if not file.sha256:
        _record(work, file.url, {file.path: digest})


def _archive(
    catalogue: Catalogue, about: DataSet, archive: Archive, folder: Path, progress: Progress | None
) -> None:
    work, target = folder / RECORDS, folder / archive.into
    if all(s.state == "ok" for s in _archived(archive, target, work)) and _known(archive, work):
        return
    part = work / f"{hashlib.sha256(archive.url.encode()).hexdigest()[:24]}.part"
    fetch(catalogue, archive.url, part, size=None, sha256="", progress=progress)
    staged = part.with_suffix(".unpacked")
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    try:
        names = unpack(part, staged, archive.below)
        for member in archive.members:
            there = staged / member.path
            if there.exists() and _sha256(there) != member.sha256:
                raise MmteError(f"{archive.url}: '{member.path}' in it is not the pinned file; nothing was unpacked")
        digests = {name: _sha256(staged / name) for name in names}
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / name).replace(target / name)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    _record(work, archive.url, digests)
    part.unlink()


def verify(catalogue: Catalogue, name: str, folder: Path) -> list[State]:
    """Each file of a set: whether it is there with the bytes that it should have.

    Raises:
        MmteError: no such set, or one that is not fetched by us, or a file cannot be read.
    """
    about = catalogue.get(name)
    if about.access != "free":
        raise MmteError(f"data: {name} is {about.access}: there is nothing to compare its files with. {about.how}")
    work = folder / RECORDS
    states: list[State] = []
    for file in about.files:
        digest = file.sha256 or _recorded(work, file.url).get(file.path, "")
        states.append(State(f"{name}/{file.path}", _state(folder / name / file.path, digest), bool(file.sha256)))
    for archive in about.archives:
        states += _archived(archive, folder / archive.into, work)
    return states


def found(about: DataSet, folder: Path) -> int:
    """How many of a set's files are below a folder, by their names alone."""
    places = [folder / about.name / f.path for f in about.files]
    for archive in about.archives:
        names = [m.path for m in archive.members] or list(_recorded(folder / RECORDS, archive.url))
        places += [folder / archive.into / name for name in names]
    return sum(place.is_file() for place in places)


def _archived(archive: Archive, target: Path, work: Path) -> Iterator[State]:
    pinned = {member.path: member.sha256 for member in archive.members}
    recorded = _recorded(work, archive.url)
    for name, digest in (pinned | {n: d for n, d in recorded.items() if n not in pinned}).items():
        yield State(f"{archive.into}/{name}", _state(target / name, digest), name in pinned)


def _known(archive: Archive, work: Path) -> bool:
    return bool(archive.members or _recorded(work, archive.url))


def _state(path: Path, digest: str) -> str:
    if not path.is_file():
        return "missing"
    try:
        return "ok" if not digest or _sha256(path) == digest else "changed"
    except OSError as error:
        raise MmteError(f"data: {path} cannot be read: {error.strerror}") from None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _record(work: Path, url: str, digests: dict[str, str]) -> None:
    """Keep the sha256 that unpinned files had when they were fetched."""
    known = _read(work / "fetched.json")
    known[url] = digests
    write_atomic(work / "fetched.json", json.dumps(known, indent=1, sort_keys=True))


def _recorded(work: Path, url: str) -> dict[str, str]:
    entry = _read(work / "fetched.json").get(url, {})
    return dict(entry) if isinstance(entry, dict) else {}


def _read(path: Path) -> dict[str, Any]:
    try:
        loaded = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise MmteError(f"data: {path} cannot be read ({error}); delete it and prepare again") from None
    return loaded if isinstance(loaded, dict) else {}
