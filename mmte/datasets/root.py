"""The data root: where datasets find their files, and what they read of them."""

from __future__ import annotations

import hashlib
import inspect
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Final

from mmte.datasets.base import BaseDataset
from mmte.errors import MmteError, Unavailable, near

MARKER: Final = "MINIDATA"
OPTION: Final = "--mmte-data DIR"


class DataMissing(Unavailable):
    """A dataset is not under the data root at all; its items are skipped with this reason."""


class DataRoot:
    """A folder in the published MultiTrust layout (`truthfulness/`, `safety/`, ..., `unrelated_images/`).

    Args:
        path: the folder of `--mmte-data`; None is the mini data of the package.

    Raises:
        MmteError: `path` is not a folder.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        folder = _package_data() if path is None else Path(path).expanduser()
        if path == "" or not folder.is_dir():
            raise MmteError(f"--mmte-data: '{path}' is not a folder; name the folder that holds privacy/, safety/, ...")
        self.folder = folder.resolve()
        self._parents: dict[str, Path] = {}

    @property
    def is_mini(self) -> bool:
        """Whether the root carries the marker file of mini data, so that its numbers are labelled."""
        return (self.folder / MARKER).is_file()

    @property
    def label(self) -> str:
        """What reports call the data: `mini data`, or the folder's name."""
        return "mini data" if self.is_mini else self.folder.name or str(self.folder)

    def path(self, *relatives: str, dataset: str = "") -> Path:
        """The first of some names that is there, as a resolved path inside the root.

        Raises:
            DataMissing: none is there.
            MmteError: a name that is absolute, has `..`, or is a link that leaves the root.
        """
        for relative in relatives:
            if (found := self._resolve(relative)) is not None:
                return found
        raise DataMissing(self._absent(relatives, dataset))

    def part(self, relative: str, dataset: str = "") -> Path:
        """Like `path`, for a file without which a dataset that is there is broken.

        Raises:
            MmteError: it is missing (never `DataMissing`, so never a skip), or the name is bad.
        """
        try:
            return self.path(relative, dataset=dataset)
        except DataMissing as missing:
            raise MmteError(f"{missing} (the rest of the dataset is there, so put this file beside it)") from None

    def _absent(self, relatives: Sequence[str], dataset: str) -> str:
        who = f"{dataset}: " if dataset else ""
        where = "the mini data" if self.is_mini else f"--mmte-data {self.folder}"
        inner = self.folder / "data"
        if any((inner / relative).exists() for relative in relatives):
            return f"{who}needs {relatives[0]}, which is not under {where}; did you mean --mmte-data {inner}?"
        return f"{who}needs {' or '.join(relatives)} under {where}; name a folder that has it: {OPTION}"

    def _resolve(self, relative: str) -> Path | None:
        windows = PureWindowsPath(relative)
        if not relative or windows.anchor or windows.drive or ".." in windows.parts or "\0" in relative:
            raise MmteError(f"data file name '{relative}' must be relative and stay inside the data root")
        name = PurePosixPath(relative)
        try:
            # Parents are resolved once: thousands of images lie in one folder.
            head = str(name.parent)
            if (parent := self._parents.get(head)) is None:
                parent = self._parents.setdefault(head, self._inside((self.folder / head).resolve(), relative))
            target = parent / name.name
            if stat.S_ISLNK(target.lstat().st_mode):
                target = self._inside(target.resolve(strict=True), relative)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError, ValueError) as error:  # loops of links, names too long, no permission
            raise MmteError(f"data file '{relative}' cannot be reached under {self.folder}: {error}") from None
        return target

    def _inside(self, target: Path, relative: str) -> Path:
        if not target.is_relative_to(self.folder):
            raise MmteError(f"data file '{relative}' is a link that leaves the data root; put the file itself there")
        return target


class FilesRead:
    """The files of a root that a dataset read, for its digest.

    Text files count with their bytes. Images count at most with their names: their bytes are part of
    what a model is asked.
    """

    def __init__(self, root: DataRoot, dataset: str) -> None:
        self.root = root
        self.dataset = dataset
        self._seen: dict[str, str] = {}

    def text(self, *relatives: str, part: bool = False, name: str = "") -> Path:
        """The first of some text files that is there; its bytes count in the digest.

        Args:
            relatives: names below the root, the preferred one first.
            part: the file belongs to a dataset that is there, so that lacking it is no `DataMissing`.
            name: counted instead of the name found, where a dataset may lie in different folders.

        Raises:
            MmteError: see `DataRoot.path` and `DataRoot.part`, or the file cannot be read.
        """
        found = self.root.part(relatives[0], self.dataset) if part else self.root.path(*relatives, dataset=self.dataset)
        try:
            digest = hashlib.sha256(found.read_bytes()).hexdigest()
        except OSError as error:
            raise MmteError(f"{self.dataset}: {found} cannot be read: {error.strerror}") from None
        self._seen[name or found.relative_to(self.root.folder).as_posix()] = digest
        return found

    def image(self, relative: str) -> Path:
        """An image that a sample shows; not read.

        Raises:
            MmteError: it is missing, with its name, so that no sample is ever dropped.
        """
        return self.root.part(relative, self.dataset)

    def note(self, name: str) -> None:
        """Let a name count in the digest without the bytes behind it."""
        self._seen.setdefault(name, "")

    def digest(self) -> str:
        """sha256 over the sorted names with the sha256 of each file's bytes; empty: nothing was read."""
        if not self._seen:
            return ""
        lines = "".join(f"{name}\0{digest}\n" for name, digest in sorted(self._seen.items()))
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


class RootDataset(BaseDataset):
    """A dataset that is read from a data root: has `self.files`, a digest, and refuses unknown options.

    Raises:
        MmteError: an unknown `dataset_id` or option, or `data_root` is not a folder.
    """

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook)
        if unknown:
            option = next(iter(unknown))
            params = inspect.signature(type(self).__init__).parameters.values()
            known = [p.name for p in params if p.kind is inspect.Parameter.KEYWORD_ONLY]
            raise MmteError(f"{dataset_id}: unknown option '{option}' in dataset_cfg.{near(option, known)}")
        self.files = FilesRead(DataRoot(data_root), dataset_id)

    @property
    def is_mini(self) -> bool:
        """Whether the data root is mini data."""
        return self.files.root.is_mini

    def digest(self) -> str:
        """The digest of the files read (`FilesRead.digest`)."""
        return self.files.digest()


def _package_data() -> Path:
    from importlib.resources import files

    folder = files("mmte") / "minidata"
    if not isinstance(folder, Path):
        raise MmteError(f"mini data needs mmte unpacked on disk, not imported from an archive; name a folder: {OPTION}")
    return folder
