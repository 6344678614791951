"""A task file is a test module: one function, parametrised by dataset x evaluator sequence x model."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

ASPECTS = ("truthfulness", "safety", "robustness", "fairness", "privacy")
_MISTAKES = pytest.StashKey[list[str]]()
_TASKS = pytest.StashKey[dict[str, Path]]()  # on the config: the file of each task
_JUDGES = pytest.StashKey[dict[tuple[str, str], list[str]]]()  # on the config: those of each task and sequence
_MARKED = pytest.StashKey[bool]()


def register_markers(config: pytest.Config) -> None:
    """Make our markers known; not before they are needed, so that those of a host keep their meaning."""
    if config.stash.get(_MARKED, False):
        return
    config.stash[_MARKED] = True
    for aspect in ASPECTS:
        config.addinivalue_line("markers", f"{aspect}: {aspect} tasks of mmte")
    config.addinivalue_line("markers", "task(task, dataset, evaluator, model): what a benchmark item of mmte measures")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect YAML files whose first line is ours, and no others."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    from mmte.plugin.mark import is_task_file

    if not is_task_file(file_path):
        return None
    collector: pytest.Collector = TaskFile.from_parent(parent, path=file_path)
    return collector


def run_case(mmte_case: Any, mmte_measure: Callable[[Any], object]) -> None:
    """The body of every item."""
    mmte_measure(mmte_case)


class TaskFile(pytest.Module):
    """The `module` of a task file holds one function with the task's name; pytest's parametrisation does the rest."""

    def funcnamefilter(self, name: str) -> bool:
        """Whatever the task is called, its function is a test."""
        return True

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """The items of the file; a broken file is one item that fails and says why."""
        from mmte.errors import MmteError

        register_markers(self.config)
        name = self.path.name.removesuffix(self.path.suffix)
        try:
            spec = _load(self.path, self.config)
            _claim(spec.name, self.path, self.config)
            name, function = spec.name, _function(spec, self.config)
        except MmteError as error:  # a collection error would interrupt the whole run; a failing item does not
            function = _failing(name, self.path, str(error))
        except Exception as error:  # noqa: BLE001 - e.g. an evaluator of another package that fails to import
            function = _failing(name, self.path, f"{self.path}: {type(error).__name__}: {error}")
        function.__name__ = function.__qualname__ = name
        self.obj = types.ModuleType(name)
        setattr(self.obj, name, function)
        return super().collect()


def _load(path: Path, config: pytest.Config) -> Any:
    from mmte.errors import MmteError
    from mmte.plugin.options import overrides
    from mmte.tasks.config import load_task

    changes = overrides(config)
    try:
        return load_task(path, changes)
    except MmteError as error:
        if changes:
            _blame_option(path, str(error), config)
        raise


def check_changes(config: pytest.Config) -> None:
    """Find a mistake of `--mmte-set` where xdist's workers collect, which have no way to stop the run.

    Raises:
        pytest.UsageError: a task file below the arguments is good, but not with the changes.
    """
    from mmte.plugin.taskfiles import given_task_files

    for file in given_task_files(config):
        try:
            _load(file, config)
        except Exception:  # noqa: BLE001 - the item that stands for the file says what is wrong with it
            continue
    if config.stash.get(_MISTAKES, None):
        raise pytest.UsageError(config.stash[_MISTAKES][0])


def _blame_option(path: Path, error: str, config: pytest.Config) -> None:
    """Note a mistake that is in `--mmte-set`, as the file is good without it; all of the run is stopped for it."""
    from mmte.errors import MmteError
    from mmte.tasks.config import load_task

    try:
        load_task(path)
    except MmteError:
        return
    told = error if error.startswith("--mmte-set") else f"--mmte-set: {error}"
    config.stash.setdefault(_MISTAKES, []).append(told)


def _claim(task: str, path: Path, config: pytest.Config) -> None:
    """A task name is part of the case ids, so it belongs to one file."""
    first = config.stash.setdefault(_TASKS, {}).setdefault(task, path)
    if first != path:
        from mmte.errors import MmteError

        raise MmteError(f"{path}: task '{task}' is {first}, too: rename a file, or give one a 'task: NAME'")


def _function(spec: Any, config: pytest.Config) -> Any:
    from mmte.models.spec import parse_model
    from mmte.plugin.options import DEFAULT_MODEL, models
    from mmte.report.text import clean

    names = list(models(config)) or [parse_model(spec.default_model or DEFAULT_MODEL).name]
    code = run_case.__code__.replace(co_filename=str(spec.path), co_firstlineno=1)  # where pytest says that the test is
    function: Any = types.FunctionType(code, run_case.__globals__, spec.name)
    function.__doc__ = clean(spec.title)
    params = [
        pytest.param(
            case, id=f"{case.dataset}/{case.sequence}/{case.model}",
            marks=pytest.mark.task(task=case.task, dataset=case.dataset, evaluator=case.sequence, model=case.model),
        )
        for case in spec.cases(names)
    ]  # fmt: skip
    function.pytestmark = [getattr(pytest.mark, spec.aspect), pytest.mark.parametrize("mmte_case", params)]
    return function


def _failing(name: str, path: Path, why: str) -> Any:
    from mmte.plugin.recording import RECORD
    from mmte.report.text import clean

    why = clean(why)

    def broken(request: pytest.FixtureRequest) -> None:
        aspect = path.parent.name if path.parent.name in ASPECTS else ""
        request.node.stash[RECORD] = {
            "case": name, "task": name, "aspect": aspect, "dataset": "", "sequence": "", "model": "", "estimates": [],
            "problem": why,
        }  # fmt: skip
        pytest.fail(why, pytrace=False)

    return broken


def case_of(item: pytest.Item) -> Any:
    """The `Case` of an item; None for everybody else's items."""
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("mmte_case") if callspec is not None else None


def judges_of(session: pytest.Session) -> set[str]:
    """The judges that the selected items ask."""
    found = session.config.stash.get(_JUDGES, {})
    cases = (case for item in session.items if (case := case_of(item)) is not None)
    return {judge for case in cases for judge in found.get((case.task, case.sequence), ())}


def _judges(case: Any, reading: Any) -> list[str]:
    from mmte.errors import Unavailable
    from mmte.evaluators.sequence import SequentialEvaluator

    try:
        return SequentialEvaluator(case.config["evaluator"], reading).judges
    except Unavailable:
        return []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Our items by model, judged ones last, so that each model is loaded once; other items keep their places."""
    if config.stash.get(_MISTAKES, None) and not hasattr(config, "workerinput"):  # xdist has no way to hear of it
        raise pytest.UsageError(config.stash[_MISTAKES][0])
    places = [n for n, item in enumerate(items) if case_of(item) is not None]
    if not places:
        return
    from mmte.plugin.options import scoring

    reading = scoring(config)
    order: dict[str, int] = {}
    judges = config.stash.setdefault(_JUDGES, {})

    def rank(item: pytest.Item) -> tuple[bool, int]:
        case = case_of(item)
        key = (case.task, case.sequence)
        if key not in judges:
            judges[key] = _judges(case, reading)
        return bool(judges[key]), order.setdefault(case.model, len(order))

    ours = sorted((items[n] for n in places), key=rank)
    for place, item in zip(places, ours, strict=True):
        items[place] = item
