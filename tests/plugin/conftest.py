"""A folder with task files, and pytest run in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy.fft  # noqa: F401 - cannot be loaded twice in a process
import pytest

import mmte.datasets.confaide
import mmte.evaluators.rule_match
import mmte.models.scripted
import mmte.stats.estimate
import mmte.tasks.base
import mmte.tasks.config  # noqa: F401 - loaded here once: each in-process run forgets what it imported itself
from mmte.registry import registry

RATINGS = "scripted:-100|-50|0|50|100"
RULE = "{rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}, failure: {}}}}"


_QUICK = ("-p", "no:hypothesispytest", "-p", "no:anyio")
"""Plugins that no task needs, and whose import is a third of the time of a small run with workers."""


class Bench:
    """Task files in `benchmarks/` below a test's own folder, and runs of pytest there."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.cache = self.path / "answers.sqlite"
        self.log = self.path / "asked.log"

    def task(self, name: str = "t1", aspect: str = "privacy", datasets: str = "[confaide-text]", more: str = "",
             rule: str = RULE) -> Path:  # fmt: skip
        """Write a task file with one evaluator sequence, `rule`; `more` is YAML on top."""
        path = self.path / "benchmarks" / aspect / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        body = f"# mmte.task/1\naspect: {aspect}\ndatasets: {datasets}\nevaluators:\n  rule: {rule}\n{more}\n"
        path.write_text(body, "utf-8")
        return path

    def run(self, *args: str, model: str | None = f"x={RATINGS}", how: str = "inprocess") -> pytest.RunResult:
        """Run pytest; `model` is one `--model`, `how` is inprocess or subprocess."""
        told = [*_QUICK, *([f"--mmte-cache={self.cache}"] if self.cache else [])]
        told += [f"--model={model}"] if model else []
        run = getattr(self.pytester, f"runpytest_{how}")
        result: pytest.RunResult = run(*told, *args)
        return result

    @property
    def report(self) -> dict[str, Any]:
        """The report of the latest run."""
        loaded: dict[str, Any] = json.loads((self.path / "reports/latest/report.json").read_text("utf-8"))
        return loaded

    def results(self) -> dict[str, dict[str, Any]]:
        """The results of the latest run by case id."""
        return {row["case"]: row for row in self.report["results"]}

    def asked(self) -> list[str]:
        """The lines that a model with `?log=` left: LOAD, or a digest of a question; then worker and model."""
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def bench(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A fresh folder; nothing of the machine's settings gets in."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "PYTEST_ADDOPTS", "MMTE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    # What a run's conftest registers must not meet that of the next run in this process.
    monkeypatch.setattr(registry, "_classes", {kind: dict(found) for kind, found in registry._classes.items()})
    return Bench(pytester)


@pytest.fixture(params=[[], ["-n2"]], ids=["plain", "n2"])
def workers(request: pytest.FixtureRequest) -> list[str]:
    """Arguments for one process, then for two xdist workers: every promise holds in both."""
    args: list[str] = request.param
    return args


def node_ids(result: pytest.RunResult) -> list[str]:
    """The node ids that `--collect-only -q` printed."""
    return [line for line in result.outlines if "::" in line]
