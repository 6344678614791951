"""Where task files lie: below the arguments of pytest, around those, and in the package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

import pytest

from mmte.plugin.mark import is_task_file

_YAML = (".yaml", ".yml")
_FOLDERS = 10_000
"""So many folders below the root folder are looked into, as that may be a home folder."""


def arguments(config: pytest.Config) -> list[Path]:
    """The files and folders that pytest was given, packages of `--pyargs` too; some may not exist."""
    found = []
    for arg in config.args:
        name = arg.partition("::")[0]
        package = _package(name) if config.option.pyargs else None
        found.append(package or config.invocation_params.dir / name)
    return found


def _package(name: str) -> Path | None:
    """The folder or file of a package or module."""
    from importlib.util import find_spec

    try:
        spec = find_spec(name)
    except (AttributeError, ImportError, ValueError):
        return None
    places = [] if spec is None else list(spec.submodule_search_locations or [spec.origin or ""])
    return Path(places[0]) if places and places[0] else None


def given_task_files(config: pytest.Config) -> list[Path]:
    """The task files below the arguments."""
    return _ours(path for arg in arguments(config) for path in files_below(config, arg))


def other_task_files(config: pytest.Config, given: Iterable[Path], near: Iterable[Path]) -> list[Path]:
    """The task files that are not among `given`: those of `near`, those beside `given`, and the package's."""
    from mmte.errors import MmteError
    from mmte.listing import shipped

    known = {path.resolve() for path in given}
    found = [*near]
    for above in dict.fromkeys(path.parent.parent for path in given):
        found += sorted([*above.glob("*.y*ml"), *above.glob("*/*.y*ml")])
    with suppress(MmteError):  # an install without tasks
        found += sorted(shipped().rglob("*.y*ml"))
    return _ours(path for path in found if path.resolve() not in known)


def _ours(paths: Iterable[Path]) -> list[Path]:
    return [path for path in dict.fromkeys(paths) if path.suffix in _YAML and is_task_file(path)]


def files_below(config: pytest.Config, folder: Path, limit: int | None = None) -> Iterator[Path]:
    """The YAML and Python files where pytest would look; a file stands for itself.

    Raises:
        LookupError: there are more than `limit` folders.
    """
    if folder.is_file():
        yield folder
        return
    ignored = config.getini("norecursedirs")
    for number, (at, folders, files) in enumerate(os.walk(folder)):
        if limit is not None and number >= limit:
            raise LookupError(f"more than {limit} folders")
        folders[:] = sorted(name for name in folders if not _skipped(Path(at, name), ignored))
        yield from (Path(at, name) for name in sorted(files) if name.endswith((*_YAML, ".py")))


def files_of_root(config: pytest.Config) -> list[Path] | None:
    """The YAML and Python files below the root folder; None where it is too large to say."""
    try:
        return list(files_below(config, config.rootpath, _FOLDERS))
    except LookupError:
        return None


def _skipped(folder: Path, ignored: Iterable[str]) -> bool:
    name = folder.name
    return name == "__pycache__" or any(fnmatch(name, rule) for rule in ignored) or (folder / "pyvenv.cfg").is_file()
