"""Between pytest and the engine: the runtime of a process, and one item measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pytest

from mmte.engine.runtime import Runtime
from mmte.errors import MmteError, Unavailable
from mmte.plugin.collect import case_of
from mmte.plugin.options import DEFAULT_MODEL, models, settings
from mmte.plugin.progress import Counter, reporter
from mmte.plugin.recording import RECORD, plain
from mmte.report.text import clean
from mmte.types import Case, Result


def model_names(config: pytest.Config) -> list[str]:
    """The names of `--model`, or the default model's."""
    from mmte.models.spec import parse_model

    return list(models(config)) or [parse_model(DEFAULT_MODEL).name]


def build_runtime(config: pytest.Config, items: Sequence[pytest.Item]) -> Runtime:
    """A runtime that has planned the selected items.

    Raises:
        MmteError: a model's name or options are wrong.
    """
    cases = [case for item in items if (case := case_of(item)) is not None]
    told = models(config) or ([] if cases else model_names(config))
    names = dict.fromkeys([*(c.model for c in cases), *told])
    runtime = Runtime(settings(config, list(names)), cases)
    runtime.progress = reporter(config)
    return runtime


def measure(item: pytest.Item, runtime: Runtime, case: Case) -> Result:
    """Measure a case; skips, fails or records as the outcome demands."""
    item.stash[RECORD] = _record(case, None)
    problem: MmteError | None = None
    try:
        result = runtime.ensure(case)
    except MmteError as error:
        problem = error
    finally:
        if isinstance(runtime.progress, Counter):
            runtime.progress.stop()
    # Told outside of the handler, so that pytest shows no chain of exceptions behind the one line.
    if isinstance(problem, Unavailable):
        pytest.skip(clean(str(problem)))
    if problem is not None:
        item.stash[RECORD]["problem"] = clean(str(problem))
        pytest.fail(clean(str(problem)), pytrace=False)
    record = item.stash[RECORD] = _record(case, result)
    if record["problem"]:
        pytest.fail(record["problem"], pytrace=False)
    return result


def record_numbers(item: pytest.Item, metrics: Mapping[str, Any], n: int | None) -> None:
    """Numbers of a test in Python: estimates without interval.

    Raises:
        TypeError: something that is no number.
    """
    record = item.stash.get(RECORD, None)
    if record is None:
        record = item.stash[RECORD] = _record(_python_case(item), None)
    for name, value in plain(dict(metrics)).items():
        if isinstance(value, bool) or not isinstance(value, (int, float, type(None))):
            raise TypeError(f"mmte_record: {name} must be a number, not {value!r}")
        record["estimates"] = [e for e in record["estimates"] if e["metric"] != name]
        record["estimates"].append({
            "metric": name, "value": value, "low": None, "high": None, "n": n, "expected": n, "bounds": None,
            "method": "given", "direction": "up", "subset": "",
        })  # fmt: skip


def _python_case(item: pytest.Item) -> Case:
    """The case of a test in Python is named after its file and itself; its aspect is the mark that it has."""
    from mmte.types import ASPECTS

    path, _, name = item.nodeid.partition("::")
    aspect = next((a for a in ASPECTS if item.get_closest_marker(a) is not None), "")
    model = getattr(item, "callspec", None) and item.callspec.params.get("mmte_model")  # type: ignore[attr-defined]
    return Case(f"{path.rpartition('/')[2]}::{name}", name.partition("[")[0], aspect, "", "", model or "")


def _record(case: Case, result: Result | None) -> dict[str, Any]:
    c = case.config
    about = {
        "case": case.id, "task": case.task, "aspect": case.aspect, "sub_aspect": c.get("sub_aspect", ""),
        "dataset": case.dataset, "sequence": case.sequence, "model": case.model, "language": c.get("language", ""),
        "thresholds": dict(c.get("thresholds") or {}), "estimates": [],
    }  # fmt: skip
    if result is None:
        return about
    measured = {k: v for k, v in asdict(result).items() if k != "case"}
    record: dict[str, Any] = _clean(plain(about | measured))
    return record


def _clean(value: Any) -> Any:
    """Every text safe to show: names of subsets and messages of servers come from elsewhere."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(k): _clean(v) for k, v in value.items()}
    return [_clean(v) for v in value] if isinstance(value, list) else value
