"""Archives of strangers: unpacked into one folder and nowhere else, within limits."""

from __future__ import annotations

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Final

from mmte.errors import MmteError

MOST_FILES: Final = 500_000
MOST_BYTES: Final = 64 * 2**30
MOST_RATIO: Final = 200
"""Bytes unpacked for each byte packed: texts reach 30, a bomb thousands."""
_CHUNK: Final = 2**20


def unpack(archive: Path, target: Path, below: str = "") -> list[str]:
    """Unpack a zip or tar file; returns the files' names below `target`.

    Only plain files are taken. Each is written beside its place and then renamed.

    Args:
        archive: the file.
        target: an existing folder.
        below: a first folder of the names that is left out.

    Raises:
        MmteError: no archive; a name that is absolute, has `..` or a drive; a link or device; two equal names; more
            files or bytes than the limits. Nothing of a bad archive is unpacked when its list of names shows it.
    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                return _zip(archive, opened, target, below)
        with tarfile.open(archive) as tar:
            return _tar(archive, tar, target, below)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError) as error:
        raise MmteError(f"{archive.name}: is no whole zip or tar file ({' '.join(str(error).split())})") from None
    except RuntimeError as error:  # zipfile: encrypted
        raise MmteError(f"{archive.name}: {' '.join(str(error).split())}") from None


def _zip(archive: Path, opened: zipfile.ZipFile, target: Path, below: str) -> list[str]:
    members = [(info, info.filename) for info in opened.infolist() if not info.is_dir()]
    for info, name in members:
        mode = info.external_attr >> 16
        if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise MmteError(f"{archive.name}: '{name}' is a link or a device; the archive is not unpacked")
    names = _names(archive, [name for _, name in members], below)
    budget = _Budget(archive, sum(info.file_size for info, _ in members))
    for (info, _), name in zip(members, names, strict=True):
        with opened.open(info) as source:
            _write(source, target / name, budget)
    return names


def _tar(archive: Path, opened: tarfile.TarFile, target: Path, below: str) -> list[str]:
    members = []
    for member in opened:
        if member.isdir():
            continue
        if not member.isreg():
            raise MmteError(f"{archive.name}: '{member.name}' is a link or a device; the archive is not unpacked")
        members.append(member)
        if len(members) > MOST_FILES:
            break
    names = _names(archive, [member.name for member in members], below)
    budget = _Budget(archive, sum(member.size for member in members))
    for member, name in zip(members, names, strict=True):
        source = opened.extractfile(member)
        assert source is not None  # it is a plain file
        _write(source, target / name, budget)
    return names


def _names(archive: Path, given: list[str], below: str) -> list[str]:
    """The names below the target, all of them checked before anything is written."""
    if len(given) > MOST_FILES:
        raise MmteError(f"{archive.name}: holds more than {MOST_FILES} files; it is not unpacked")
    names = []
    seen: set[str] = set()
    for name in given:
        windows = PureWindowsPath(name)
        if not name or windows.anchor or windows.drive or ".." in windows.parts or "\0" in name:
            raise MmteError(f"{archive.name}: '{name}' would lie outside of its folder; the archive is not unpacked")
        path = PurePosixPath(name)
        if below and path.parts[0] == below and len(path.parts) > 1:
            path = path.relative_to(below)
        if str(path).casefold() in seen:
            raise MmteError(f"{archive.name}: '{name}' is in it twice; the archive is not unpacked")
        seen.add(str(path).casefold())
        names.append(str(path))
    return names


class _Budget:
    """How many bytes may still come out of an archive, whatever its list of sizes says."""

    def __init__(self, archive: Path, told: int) -> None:
        self.archive = archive
        self.left = min(MOST_BYTES, MOST_RATIO * archive.stat().st_size)
        if told > self.left:
            raise self.burst()

    def burst(self) -> MmteError:
        """The error of an archive that holds too much."""
        return MmteError(f"{self.archive.name}: unpacks to far more than its size; it is not unpacked")


def _write(source: IO[bytes], target: Path, budget: _Budget) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    try:
        with part.open("wb") as file:
            for chunk in _chunks(source):
                budget.left -= len(chunk)
                if budget.left < 0:
                    raise budget.burst()
                file.write(chunk)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _chunks(source: IO[bytes]) -> Iterator[bytes]:
    while chunk := source.read(_CHUNK):
        yield chunk
