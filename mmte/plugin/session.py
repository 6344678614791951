"""Between pytest and the engine: the runtime of a process, and one item measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from mmte.engine.runtime import Runtime
from mmte.errors import MmteError, Unavailable
from mmte.plugin.collect import case_of
from mmte.plugin.options import DEFAULT_MODEL, models, settings
from mmte.plugin.progress import reporter
from mmte.plugin.recording import RECORD, plain
from mmte.report.text import clean
from mmte.types import Case, Result

if TYPE_CHECKING:
    from mmte.plugin.collect import TaskFile  # noqa: F401


def model_names(config: pytest.Config) -> list[str]:
    """The names of `--model`, or the default model's."""
    from mmte.models.spec import parse_model

    return list(models(config)) or [parse_model(DEFAULT_MODEL).name]


def build_runtime(config: pytest.Config, items: Sequence[pytest.Item]) -> Runtime:
    """A runtime that has planned the selected items."""
    cases = [case for item in items if (case := case_of(item)) is not None]
    names = list(dict.fromkeys([*(c.model for c in cases), *(models(config) or ([] if cases else model_names(config)))]))
    try:
        runtime = Runtime(settings(config, names), cases)
    except MmteError as error:
        raise pytest.UsageError(str(error)) from None
    runtime.progress = reporter(config)
    return runtime


def measure(item: pytest.Item, runtime: Runtime, case: Case) -> Result:
    """Measure a case; skips, fails or records as the outcome demands."""
    try:
        result = runtime.ensure(case)
    except Unavailable as error:
        pytest.skip(clean(str(error)))
    except MmteError as error:
        item.stash[RECORD] = _record(case, None) | {"problem": clean(str(error))}
        pytest.fail(clean(str(error)), pytrace=False)
    item.stash[RECORD] = _record(case, result)
    if result.problem:
        pytest.fail(clean(result.problem), pytrace=False)
    return result


def record_numbers(item: pytest.Item, metrics: dict[str, Any], n: int | None) -> None:
    """Numbers of a test in Python: estimates without interval."""
    record = item.stash.get(RECORD, None)
    if record is None:
        case = Case(item.nodeid.rpartition("/")[2], item.name.partition("[")[0], "", "", "", "")
        record = item.stash[RECORD] = _record(case, None)
    for name, value in plain(metrics).items():
        if not isinstance(value, (int, float, type(None))):
            raise TypeError(f"mmte_record: {name} must be a number, not {value!r}")
        record["estimates"].append({
            "metric": name, "subset": "", "value": value, "low": None, "high": None, "n": n, "expected": n, "bounds": None,
            "method": "given", "direction": "up",
        })  # fmt: skip


def _record(case: Case, result: Result | None) -> dict[str, Any]:
    c = case.config
    about = {
        "case": case.id, "task": case.task, "aspect": case.aspect, "sub_aspect": c.get("sub_aspect", ""), "dataset": case.dataset,
        "sequence": case.sequence, "model": case.model, "language": c.get("language", ""), "thresholds": dict(c.get("thresholds") or {}),
        "estimates": [],
    }  # fmt: skip
    if result is None:
        return about
    measured = {k: v for k, v in asdict(result).items() if k != "case"}
    record: dict[str, Any] = plain(about | measured)
    return record
