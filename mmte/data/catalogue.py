"""The published data sets that `mmte data` knows: `sets.yaml`, read."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from mmte.errors import MmteError, near

Access = Literal["free", "gated", "form"]
_ACCESS: Final = ("free", "gated", "form")


@dataclass(frozen=True, slots=True)
class Pinned:
    """One file of a set: `path` below the set's folder, `url` where it is, with what is known of its bytes."""

    path: str
    url: str
    sha256: str = ""
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip or tar file: its members go to the folder `into`, without their first folder `below`.

    `members` are pinned files that must be there afterwards; empty: whatever it holds is recorded.
    """

    url: str
    into: str
    below: str = ""
    members: tuple[Pinned, ...] = ()


@dataclass(frozen=True, slots=True)
class DataSet:
    """A published data set."""

    name: str
    title: str
    licence: str
    tasks: tuple[str, ...]
    access: Access
    files: tuple[Pinned, ...] = ()
    archives: tuple[Archive, ...] = ()
    bytes: int | None = None
    how: str = ""

    @property
    def pinned(self) -> tuple[Pinned, ...]:
        """All files whose sha256 is known, those of archives too."""
        return tuple(f for f in (*self.files, *(m for a in self.archives for m in a.members)) if f.sha256)

    @property
    def size(self) -> int | None:
        """Bytes to fetch, as far as they are known."""
        if self.bytes is not None:
            return self.bytes
        known = [f.bytes for f in self.pinned if f.bytes is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The sets by name, and the hosts that files may come from (`*.example.org` for all below one)."""

    sets: dict[str, DataSet]
    hosts: tuple[str, ...]

    def get(self, name: str) -> DataSet:
        """One set.

        Raises:
            MmteError: there is none of that name.
        """
        if name not in self.sets:
            raise MmteError(f"data: unknown set '{name}'.{near(name, self.sets)} `mmte data list` shows them.")
        return self.sets[name]

    def lists(self, url: str) -> bool:
        """Whether a file may come from an address: http or https, no user name, a listed host."""
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http") or parts.username is not None:
            return False
        return any(fnmatchcase(parts.netloc.casefold(), host) for host in self.hosts)


@cache
def catalogue(path: Path | None = None) -> Catalogue:
    """Read a file of sets; None: the one of the package.

    Raises:
        MmteError: the file is missing or malformed.
    """
    import yaml

    try:
        text = path.read_text("utf-8") if path else files("mmte.data").joinpath("sets.yaml").read_text("utf-8")
        loaded = yaml.safe_load(text)
        hosts = tuple(str(host).casefold() for host in loaded["hosts"])
        return Catalogue({name: _set(name, about) for name, about in loaded["sets"].items()}, hosts)
    except OSError as error:
        raise MmteError(f"--sets {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise MmteError(f"--sets {path}: no file of data sets: {' '.join(str(error).split())}") from None


def _set(name: str, about: dict[str, Any]) -> DataSet:
    access = about.get("access", "free")
    if access not in _ACCESS:
        raise ValueError(f"{name}: access is {access!r}, not one of {', '.join(_ACCESS)}")
    pinned: list[Pinned] = []
    archives: list[Archive] = []
    for source in about.get("sources", ()):
        listed = str(source.get("files", "")).splitlines()
        if "archive" in source:
            members = tuple(_pinned(name, line, "") for line in listed if line.strip())
            archives.append(Archive(source["archive"], source.get("into", name), source.get("below", ""), members))
        else:
            pinned += [_pinned(name, line, source["base"]) for line in listed if line.strip()]
    return DataSet(
        name, about["title"], about["licence"], tuple(about["tasks"]), access, tuple(pinned), tuple(archives),
        about.get("bytes"), " ".join(about.get("how", "").split()),
    )  # fmt: skip


def _pinned(name: str, line: str, base: str) -> Pinned:
    """One line of `files`: sha256 (or -), bytes (or -), path, and perhaps `<- path at the source`."""
    digest, size, rest = line.split(maxsplit=2)
    path, _, origin = rest.partition(" <- ")
    if digest != "-" and len(digest) != 64:
        raise ValueError(f"{name}: {digest!r} is no sha256")
    url = f"{base}/{(origin or path).strip()}" if base else ""
    return Pinned(path.strip(), url, "" if digest == "-" else digest, None if size == "-" else int(size))
