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
from mmte.tasks.checks import Checks
from mmte.tasks.yamlfile import Where

Access = Literal["free", "gated", "form"]
_ACCESS: Final = ("free", "gated", "form")
KEYS: Final = ("title", "licence", "tasks", "access", "sources", "bytes", "how")
SOURCE_KEYS: Final = ("base", "archive", "into", "below", "files")


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
        MmteError: the file is missing or malformed; one line with file, line and key.
    """
    from mmte.tasks import yamlfile

    try:
        if path is None:
            text = files("mmte.data").joinpath("sets.yaml").read_text("utf-8")
            return _Reader(yamlfile.parse(text, Path("sets.yaml"))).read()
        return _Reader(yamlfile.load(path)).read()
    except MmteError as error:
        raise MmteError(f"--sets {error}" if path else str(error)) from None


class _Reader(Checks):
    """Checks a file of sets, key by key."""

    def read(self) -> Catalogue:
        if not isinstance(self.data, dict):
            raise self.doc.error((), "a file of data sets is a mapping with 'hosts' and 'sets'")
        self.known((), self.data, ("hosts", "sets"))
        hosts = self._texts(("hosts",), self.data.get("hosts"), "host")
        sets = self.mapping(("sets",), self.data.get("sets"), "a mapping of names to data sets")
        if not sets:
            raise self.doc.error(("sets",), "must have at least one data set")
        read = {self.name(("sets", str(name)), name): self._set(name, about) for name, about in sets.items()}
        return Catalogue(read, tuple(host.casefold() for host in hosts))

    def _texts(self, where: Where, value: Any, what: str) -> tuple[str, ...]:
        listed = self.items(where, value, what)
        self.texts(where, listed)
        return tuple(listed)

    def _need(self, where: Where, about: dict[Any, Any], key: str, default: str | None = None) -> str:
        value = about.get(key, default)
        if value is None:
            raise self.doc.error(where, f"'{key}' is missing")
        self.text((*where, key), value)
        return str(value)

    def _set(self, name: str, about: Any) -> DataSet:
        at: Where = ("sets", str(name))
        about = self.mapping(at, about, f"a mapping of {', '.join(KEYS)}")
        self.known(at, about, KEYS)
        size = about.get("bytes")
        if size is not None and type(size) is not int:
            raise self.doc.error((*at, "bytes"), f"must be a whole number, not {size!r}")
        pinned: list[Pinned] = []
        archives: list[Archive] = []
        listed = about.get("sources")
        for number, source in enumerate([] if listed is None else self.items((*at, "sources"), listed, "source")):
            self._source((*at, "sources", number), name, source, pinned, archives)
        return DataSet(
            name, self._need(at, about, "title"), self._need(at, about, "licence"),
            self._texts((*at, "tasks"), about.get("tasks"), "task"),
            self.one_of((*at, "access"), about.get("access", "free"), _ACCESS), tuple(pinned), tuple(archives),
            size, " ".join(self._need(at, about, "how", "").split()),
        )  # fmt: skip

    def _source(self, at: Where, name: str, source: Any, pinned: list[Pinned], archives: list[Archive]) -> None:
        source = self.mapping(at, source, f"a mapping of {', '.join(SOURCE_KEYS)}")
        self.known(at, source, SOURCE_KEYS)
        lines = [line for line in self._need(at, source, "files", "").splitlines() if line.strip()]
        if "archive" in source:
            members = tuple(self._pinned((*at, "files"), line, "") for line in lines)
            into, below = self._need(at, source, "into", name), self._need(at, source, "below", "")
            archives.append(Archive(self._need(at, source, "archive"), into, below, members))
        else:
            base = self._need(at, source, "base")
            pinned += [self._pinned((*at, "files"), line, base) for line in lines]

    def _pinned(self, at: Where, line: str, base: str) -> Pinned:
        """One line of `files`: sha256 (or -), bytes (or -), path, and perhaps `<- path at the source`."""
        parts = line.split(maxsplit=2)
        if len(parts) < 3 or not (parts[1] == "-" or (parts[1].isascii() and parts[1].isdigit())):
            raise self.doc.error(at, f"{line.strip()!r:.100} is no line 'SHA256 BYTES PATH' (- for what is not known)")
        digest, size, rest = parts
        path, _, origin = rest.partition(" <- ")
        if digest != "-" and len(digest) != 64:
            raise self.doc.error(at, f"{digest!r} is no sha256")
        url = f"{base}/{(origin or path).strip()}" if base else ""
        return Pinned(path.strip(), url, "" if digest == "-" else digest, None if size == "-" else int(size))
