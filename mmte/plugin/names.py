"""Names in `--mmte-gates` and `--mmte-set` that nothing has: a mistake that is told before the first item runs.

A name that this run does not collect is none: one file of gates serves runs of parts, so names are looked up in all
task files around, too. What cannot be known (a broken file, a test in Python, a model of another run) passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mmte.plugin.options import gates, overrides, scoring
from mmte.plugin.taskfiles import arguments, files_below, files_of_root, given_task_files, other_task_files

if TYPE_CHECKING:
    from mmte.report.gates import Gate

_ANY = re.compile(r".*", re.DOTALL)
_MODEL = re.compile(r"[\w.+?*-]+[\]?*]|\*")  # what a pattern may have where a case id has "MODEL]"
_FIXTURE = b"mmte_"  # what a test in Python measures with
_TASK = re.compile(r"^task:[ \t]*[\"']?([\w.+-]+)", re.MULTILINE)


def check_names(config: pytest.Config) -> None:
    """Find tasks, cases and metrics in options that no task file has.

    Raises:
        pytest.UsageError: one line with the option, its file and line, and near names.
    """
    if not (config.option.mmte_gates or config.option.mmte_set):
        return
    if not all(path.exists() for path in arguments(config)):
        return  # pytest says so itself
    known = Known(config)
    for override in overrides(config):
        if override.task and (wrong := known.wrong_task(override.task)):
            raise pytest.UsageError(f"--mmte-set {override.text}: {wrong}")
    for gate in gates(config):
        if wrong := known.wrong_gate(gate):
            raise pytest.UsageError(f"{gate.place}: {wrong}")


@dataclass(frozen=True, slots=True)
class Task:
    """A task by name. `cases`: the ids up to the model's name, each with its metrics; None: not known."""

    name: str
    cases: dict[str, frozenset[str] | None] | None


class Known:
    """The tasks of the run's files, and those of the files around."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._files = given_task_files(config)
        self._given = {task.name: task for task in map(self._read, self._files)}

    @cached_property
    def _root(self) -> list[Path] | None:
        return files_of_root(self._config)

    @cached_property
    def _others(self) -> dict[str, Task]:
        files = other_task_files(self._config, self._files, self._root or ())
        return {task.name: task for task in map(self._read, files) if task.name not in self._given}

    @cached_property
    def _python(self) -> list[Path]:
        """The files that may have tests in Python."""
        below = [path for arg in arguments(self._config) for path in files_below(self._config, arg)]
        return [path for path in dict.fromkeys([*below, *(self._root or ())]) if path.suffix == ".py"]

    def _read(self, path: Path) -> Task:
        from mmte.tasks.config import load_task

        try:
            spec = load_task(path, overrides(self._config))
        except Exception:  # noqa: BLE001 - its item says what is wrong with it
            told = _TASK.search(path.read_text("utf-8", "replace"))
            return Task(told[1] if told else path.name.removesuffix(path.suffix), None)
        cases = {}
        for case in spec.cases(["x"]):
            cases[f"{case.task}[{case.dataset}/{case.sequence}/"] = self._metrics(case.config["evaluator"])
        return Task(spec.name, cases)

    def _metrics(self, chain: Any) -> frozenset[str] | None:
        """The metrics of a sequence in this run's reading and in the strict one."""
        from mmte.evaluators.scoring import STRICT
        from mmte.evaluators.sequence import SequentialEvaluator

        try:
            readings = (STRICT, scoring(self._config))
            return frozenset(name for one in readings for name in SequentialEvaluator(chain, one).metrics_cfg)
        except Exception:  # noqa: BLE001 - as above
            return None

    # -- one name ------------------------------------------------------------------------------
    def wrong_task(self, name: str) -> str:
        """What is wrong with the name of a task; empty: nothing."""
        if name in self._given or name in self._others or self._root is None:
            return ""
        return f"no task is called '{name}'.{self._near(name)}"

    def _near(self, name: str) -> str:
        from mmte.errors import near

        return near(name, [*self._given, *self._others]) or near(name, self._given)

    def wrong_gate(self, gate: Gate) -> str:
        """What is wrong with the case or the metric of a gate; empty: nothing."""
        covers = _matcher(gate.case, _MODEL)
        if found := _covered(self._given, covers):
            return self._wrong_metric(gate, covers, found)
        task = gate.case.partition("[")[0]
        if task in self._given and self._given[task].cases is not None:
            return self._unknown(gate.case)
        if task in self._others or self._root is None or _covered(self._others, covers) or self._may_be(gate.case):
            return ""
        return self._unknown(gate.case)

    def _wrong_metric(self, gate: Gate, covers: Callable[[str], bool], found: list[frozenset[str] | None]) -> str:
        from mmte.engine.agreement import is_of_judges
        from mmte.errors import near

        metric = gate.metric.partition(".vs.")[0]
        if None in found or is_of_judges(metric):
            return ""
        names = frozenset[str]().union(*(metrics or () for metrics in found))
        if metric in names or metric in frozenset[str]().union(*(m or () for m in _covered(self._others, covers))):
            return ""
        if self._may_be(gate.case):
            return ""
        return f"'{gate.case}' has no metric '{metric}'.{near(metric, names)}"

    def _may_be(self, case: str) -> bool:
        """Whether a case may be one of a file that cannot be read, or a test in Python."""
        begins = _matcher(case, _ANY)
        unread = (task.name for task in (*self._given.values(), *self._others.values()) if task.cases is None)
        if any(begins(f"{name}[") for name in unread):
            return True
        if case[:1] in ("*", "?") and not any(_FIXTURE in path.read_bytes() for path in self._python):
            return False  # it would speak of any test
        return any(begins(f"{path.name}::") for path in self._python)

    def _unknown(self, case: str) -> str:
        from mmte.errors import near

        task, bracket, _ = case.partition("[")
        if "::" in task:
            file = task.partition("::")[0]
            return f"no test file is called '{file}'.{near(file, (path.name for path in self._python))}"
        if task in self._given:
            if not bracket:
                return f"'{task}' is a task, not a case: write '{task}[*]'"
            return f"task '{task}' has no case '{case}'.{near(case, (f'{c}*]' for c in self._given[task].cases or ()))}"
        if bracket and not set(task) & set("*?"):
            return self.wrong_task(task)
        if name := task.strip("*?"):
            return f"no case is '{case}'.{self._near(name)}"
        return f"no case is '{case}'.{near(case, (f'{c}*]' for t in self._given.values() for c in t.cases or ()))}"


def _covered(tasks: Mapping[str, Task], covers: Callable[[str], bool]) -> list[frozenset[str] | None]:
    """The metrics of each case that is covered."""
    return [metrics for task in tasks.values() for case, metrics in (task.cases or {}).items() if covers(case)]


def _matcher(pattern: str, rest: re.Pattern[str]) -> Callable[[str], bool]:
    """Whether a pattern with `*` and `?` covers something that begins with a text and goes on with `rest`."""
    heads = []
    for end in range(len(pattern) + 1):
        head, tail = pattern[:end], pattern[end:]
        if rest.fullmatch("*" + tail if head.endswith("*") else tail):  # what a star covers may go on in the rest
            heads.append(re.compile(translate(head.replace("[", "[[]"))))
    return lambda text: any(head.fullmatch(text) for head in heads)
