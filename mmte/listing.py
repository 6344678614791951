"""`mmte list`: the names that task files and options may use."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mmte.errors import MmteError

KINDS = ("tasks", "datasets", "evaluators", "methods", "models", "backends")


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser(
        "list", help="names of tasks, datasets, evaluators, methods, models, backends",
        description="What there is. What a run would ask: pytest benchmarks --collect-only -v",
    )  # fmt: skip
    parser.add_argument("kind", nargs="?", choices=KINDS, default="tasks", help="what to list (default: tasks)")
    parser.add_argument(
        "path", nargs="?", type=Path, help="task file or folder (default: benchmarks, or the tasks of the package)"
    )


def run(args: argparse.Namespace) -> int:
    """Write the list; 4 when a task file is broken (the others are listed)."""
    from mmte.report.text import clean

    if args.path is not None and args.kind != "tasks":
        raise MmteError(f"list {args.kind} takes no path")
    broken: list[str] = []
    lines = _tasks(args.path, broken) if args.kind == "tasks" else _names(args.kind)
    for line in lines:
        sys.stdout.write(clean(line) + "\n")
    for problem in broken:
        sys.stderr.write(f"mmte: {clean(problem)}\n")
    return 4 if broken else 0


def _tasks(path: Path | None, broken: list[str]) -> Iterator[str]:
    """Each task with its aspect, title, datasets and evaluator sequences; what is wrong goes to `broken`."""
    from mmte.tasks.config import load_task

    for file in task_files(path):
        try:
            spec = load_task(file)
        except MmteError as error:
            broken.append(str(error))
            continue
        yield f"{spec.name}  {spec.aspect}  {spec.title}".rstrip()
        yield f"    datasets: {', '.join(spec.datasets)}"
        yield f"    evaluators: {', '.join(spec.sequences)}"


def task_files(path: Path | None) -> list[Path]:
    """The task files of a folder, in the order of their paths.

    Raises:
        MmteError: there are none.
    """
    from mmte.plugin.mark import is_task_file

    root = path or (Path("benchmarks") if Path("benchmarks").is_dir() else shipped())
    found = [root] if root.is_file() else [p for p in sorted(root.rglob("*")) if p.suffix in (".yaml", ".yml")]
    ours = [p for p in found if is_task_file(p)]
    if not ours:
        raise MmteError(f"{root}: no task file there (their first line is '# mmte.task/1')")
    return ours


def shipped() -> Path:
    """The folder of the tasks that come with the package; MmteError where it has none."""
    from importlib.util import find_spec

    spec = find_spec("mmte.benchmarks")
    if spec is None or not spec.submodule_search_locations:
        raise MmteError("there is no folder 'benchmarks' here, and this install of mmte has no tasks: name a folder")
    return Path(next(iter(spec.submodule_search_locations)))


def _names(kind: str) -> Iterator[str]:
    """Each name with one line about it."""
    from mmte.registry import registry

    if kind == "models":
        yield from _models()
        return
    listed: dict[str, tuple[list[str], Callable[[str], type[Any]]]] = {
        "datasets": (registry.list_datasets(), registry.get_dataset_class),
        "evaluators": (registry.list_evaluators(), registry.get_evaluator_class),
        "methods": (registry.list_methods(), registry.get_method_class),
        "backends": (registry.list_backends(), registry.get_backend_class),
    }
    names, get = listed[kind]
    width = max(map(len, names), default=0)
    for name in names:
        yield f"{name.ljust(width)}  {_about(name, get)}".rstrip()


def _models() -> Iterator[str]:
    from mmte.models.spec import catalogue
    from mmte.registry import registry

    entries = {name: str(entry.get("about", "")) for name, entry in catalogue().items()}
    entries |= {name: _about(name, registry.get_chatmodel_class) for name in registry.list_chatmodels()}
    width = max(map(len, entries), default=0)
    for name, about in sorted(entries.items()):
        yield f"{name.ljust(width)}  {about}".rstrip()


def _about(name: str, get: Callable[[str], type[Any]]) -> str:
    try:
        return (get(name).__doc__ or "").strip().partition("\n")[0]
    except (MmteError, ImportError) as error:  # an extra that is not installed
        return f"({error})"
