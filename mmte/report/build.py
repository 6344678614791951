"""report.json: one run, whole, with a version and a JSON Schema (schema.json beside this file)."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from mmte import __version__

SCHEMA = "mmte.report/1"
_PACKAGES = ("pytest", "pytest-xdist", "numpy", "torch", "transformers", "xllamacpp")
VOLATILE = ("effort", "duration", "worker", "node")
"""Keys of a result that may differ between two runs that measured the same."""


def build_report(
    config: pytest.Config,
    run: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
    exit_status: int | None,
    seconds: float,
    scores: Sequence[Mapping[str, Any]] = (),
    models: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The report of a run: settings, models, results in the order of their case ids, how many ended how, and scores."""
    from mmte.plugin.options import literals

    option, lists = config.option, literals(config)
    return {
        "schema": SCHEMA,
        "run": {
            "id": run["id"],
            "started": run["started"],
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(seconds, 3),
            "exit": exit_status,
            "mmte": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        },
        "settings": {
            "data": "given" if option.mmte_data else "mini",
            "limit": option.mmte_limit,
            "repeats": option.mmte_repeats,
            "judge_repeats": option.mmte_judge_repeats,
            "offline": option.mmte_offline,
            "min_coverage": option.mmte_min_coverage,
            "set": list(option.mmte_set),
            "controls": list(dict.fromkeys(option.mmte_control)),
            "scoring": option.mmte_scoring,
            **({"multitrust": {"version": lists.version, "sha256": lists.sha256}} if lists else {}),
        },
        "models": dict(models or {}),
        "summary": dict(sorted(Counter(row["outcome"] for row in rows).items())),
        "results": sorted((dict(row) for row in rows), key=lambda row: (row["case"], row.get("node", ""))),
        "scores": [dict(score) for score in scores],
    }


def comparable(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without what may differ between two runs that measured the same."""
    results = [{k: v for k, v in row.items() if k not in VOLATILE} for row in report["results"]]
    return {k: v for k, v in {**report, "results": results}.items() if k != "run"}


def point_latest(folder: Path) -> None:
    """Let `latest` beside a run's folder lead to it."""
    link = folder.parent / "latest"
    try:
        if link.is_symlink() or not link.exists():
            temporary = folder.parent / f".latest-{folder.name}"
            temporary.symlink_to(folder.name)
            temporary.replace(link)
    except OSError:  # a file system without links: the report is named on the terminal
        return


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
