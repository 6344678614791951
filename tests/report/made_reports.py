"""Reports for tests: rows with their samples, and estimates made of them as a run makes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mmte.evaluators.metrics import metric_for
from mmte.stats.estimate import Columns, estimate
from mmte.types import REASONS

SETTINGS: dict[str, Any] = {
    "data": "mini", "limit": None, "repeats": 1, "offline": False, "min_coverage": 0.98, "set": [], "scoring": "strict",
}  # fmt: skip
IDENTITIES = {"model": "m", "generation": "g", "data": "d", "samples": "s", "evaluators": "e", "task_version": "1"}


def row(
    folder: Path, values: Sequence[float | None], *, task: str = "t1", dataset: str = "d", model: str = "x",
    metric: str = "pred_mean", labels: Sequence[float] | None = None, ids: Sequence[str] | None = None,
    direction: Any = None, **more: Any,
) -> dict[str, Any]:
    """A result of which sample `n` has `values[n]` (None: unparsed), its samples in `folder`."""
    case = f"{task}[{dataset}/rule/{model}]"
    ids = ids or [f"s{n}" for n in range(len(values))]
    targets = list(labels) if labels is not None else [None] * len(values)
    reasons = ["unparsed" if value is None else "scored" for value in values]
    samples = [
        {"id": name, "subset": "", "cluster": name, "group": "", "messages": [], "target": target, "status": "ok",
         "content": "", "cut": False, "value": value, "reason": reason}
        for name, value, target, reason in zip(ids, values, targets, reasons, strict=True)
    ]  # fmt: skip
    file = folder / "samples" / f"{case.replace('/', '~')}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(s) + "\n" for s in samples))
    columns = Columns(
        np.array([np.nan if v is None else v for v in values]),
        np.array([np.nan if t is None else t for t in targets]),
        np.array([REASONS.index(reason) for reason in reasons], dtype=np.uint8),
        np.arange(len(values)),
    )
    found = estimate(metric_for(metric), {}, columns, expected=len(values), seed=1, direction=direction)
    assert found is not None
    counts = {reason: reasons.count(reason) for reason in REASONS}
    return {
        "case": case, "task": task, "aspect": "privacy", "dataset": dataset, "sequence": "rule", "model": model,
        "estimates": [json.loads(json.dumps(asdict(found)))], "identities": dict(IDENTITIES), "samples_file": file.name,
        "counts": {"expected": len(values), "answered": len(values), **counts}, "coverage": 1.0, "outcome": "recorded",
        "node": case, **more,
    }  # fmt: skip


def report(folder: Path, *rows: Mapping[str, Any], run: str = "", **settings: Any) -> Path:
    """Write a report of these rows; returns its folder."""
    body = {
        "schema": "mmte.report/1",
        "run": {"id": run or folder.name, "started": "2026-01-01T00:00:00+00:00", "finished":
                "2026-01-01T00:00:01+00:00", "seconds": 1.0, "exit": 0, "mmte": "0", "python": "3", "platform": "x",
                "packages": {}},
        "settings": {**SETTINGS, **settings}, "summary": {"recorded": len(rows)} if rows else {}, "results": list(rows),
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(body))
    return folder
