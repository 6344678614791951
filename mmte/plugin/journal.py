"""Runs where reports arrive: every finished item is a line of results.jsonl at once; report.json follows at the end."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any, TextIO

import pytest

from mmte.plugin.collect import ASPECTS
from mmte.plugin.options import run_info
from mmte.plugin.scores import score_trees, scores_of
from mmte.plugin.show import show
from mmte.plugin.workers import Workers


class Journal:
    """The only writer of a run's results; wakes up at the first item that is ours."""

    def __init__(self, config: pytest.Config, workers: Workers) -> None:
        self.config = config
        self.workers = workers
        self.rows: dict[str, dict[str, Any]] = {}
        self.begun: dict[str, float] = {}
        self.scores: list[dict[str, Any]] = []
        self.scores_problem = ""
        self.folder = Path()
        self._trees: list[Any] = []
        self._file: TextIO | None = None
        self._clock = time.monotonic()
        self._signal: Any = None
        self._session: pytest.Session | None = None
        workers.line = lambda worker, line: show(config, f"[{worker}] {line}")
        workers.begun = self._begin

    # -- waking up -----------------------------------------------------------------------------
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Its exit status is wanted when another reporter asks for ours."""
        self._session = session

    def pytest_collection_finish(self) -> None:
        """The only process has collected; in the controller there is nothing to see."""
        if self.workers.files:
            self._wake()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """A worker has collected, and told which files are ours."""
        if self.workers.files:
            self._wake()

    def _wake(self) -> None:
        if self._file is not None:
            return
        self._trees = self._load_scores()
        self.folder = Path(run_info(self.config)["folder"])
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = (self.folder / "results.jsonl").open("w", encoding="ascii", buffering=1)
        except OSError as error:
            raise pytest.UsageError(f"--mmte-report={self.folder}: cannot be written: {error.strerror}") from None
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # a cancelled CI job still gets its report
            self._signal = signal.signal(signal.SIGTERM, _interrupt)

    def _load_scores(self) -> list[Any]:
        """The scores that the task files' folders define; a mistake ends the run before it starts."""
        if not self.workers.files:
            return []
        from mmte.errors import MmteError

        try:
            return score_trees(self.config, self.workers.scores)
        except MmteError as error:
            raise pytest.UsageError(str(error)) from None

    # -- while it runs -------------------------------------------------------------------------
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """An item begins in the only process."""
        if self.workers.ours(nodeid) and not self.workers.remote:
            self._begin(nodeid)

    def _begin(self, nodeid: str) -> None:
        self.begun[nodeid] = time.monotonic()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """An item's outcome: journalled at once."""
        record = getattr(report, "mmte", None)
        known = record is not None or report.nodeid in self.rows or self.workers.ours(report.nodeid)
        if not known or (report.when != "call" and report.passed):
            return
        self._wake()
        category = self.config.hook.pytest_report_teststatus(report=report, config=self.config)[0] or report.outcome
        row = {**_bare(report.nodeid), **(record or {}), "outcome": category, "node": report.nodeid}
        if report.when == "teardown" and report.nodeid in self.rows:
            row = {**self.rows[report.nodeid], "outcome": category}
        row["duration"] = round(getattr(report, "duration", 0.0), 3)
        row["worker"] = getattr(report, "worker_id", "main")
        if reason := _reason(report, row):
            row["reason"] = reason
        self.rows[report.nodeid] = row
        self.begun.pop(report.nodeid, None)
        assert self._file is not None
        self._file.write(json.dumps(row, allow_nan=False) + "\n")

    # -- at the end ----------------------------------------------------------------------------
    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Workers may begin more items while they are told to stop; those do not count."""
        self.workers.begun = lambda nodeid: None

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Write report.json, whatever ended the run."""
        result = yield
        if self._file is not None:
            from mmte.report.build import point_latest
            from mmte.report.files import write_atomic

            self._file.close()
            write_atomic(self.folder / "report.json", json.dumps(self._report(), indent=1, allow_nan=False) + "\n")
            if self.config.option.mmte_report is None:
                point_latest(self.folder)
            if self._signal is not None:
                signal.signal(signal.SIGTERM, self._signal)
        return result

    def _report(self) -> dict[str, Any]:
        """The report as of now; items that began and did not end are called interrupted."""
        from mmte.engine.identities import identities_in
        from mmte.report.build import build_report

        for nodeid in list(self.begun):
            self.rows.setdefault(nodeid, {**_bare(nodeid), "outcome": "interrupted", "node": nodeid})
        status = int(self._session.exitstatus) if self._session is not None else None
        seconds = time.monotonic() - self._clock
        rows = list(self.rows.values())
        if not self.scores and self._trees:
            self.scores, self.scores_problem = scores_of(self._trees, rows, self.folder, self.config.option)
        models = identities_in(self.folder)
        return build_report(self.config, run_info(self.config), rows, status, seconds, self.scores, models)

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        """Mirror our report in pytest-json-report's file, and call what never finished by its name."""
        if self._file is None:
            return
        json_report["mmte"] = self._report()
        unfinished = [t for t in json_report.get("tests", ()) if "call" not in t and t["outcome"] == "passed"]
        for test in unfinished:
            test["outcome"] = "interrupted"
        if unfinished:
            summary = json_report["summary"]
            summary["interrupted"] = len(unfinished)
            summary["passed"] -= len(unfinished)


def _bare(nodeid: str) -> dict[str, Any]:
    """What is known of an item that recorded nothing."""
    path, _, case = nodeid.partition("::")
    task, _, inside = case.partition("[")
    dataset, _, rest = inside.removesuffix("]").partition("/")
    sequence, _, model = rest.partition("/")
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return {
        "case": case, "task": task, "aspect": folder if folder in ASPECTS else "", "dataset": dataset,
        "sequence": sequence, "model": model, "estimates": [],
    }  # fmt: skip


def _reason(report: Any, row: dict[str, Any]) -> str:
    """Why an item was skipped or failed, in one line."""
    from mmte.report.text import clean

    if report.skipped:
        longrepr = report.longrepr
        text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
        return clean(text.removeprefix("Skipped: "))[:500]
    if report.failed:
        lines = [line for line in report.longreprtext.splitlines() if line.strip()]
        told = row.get("problem") or "; ".join(row.get("violations") or ()) if report.when == "call" else ""
        return clean(told or (lines[-1] if lines else ""))[:500]
    return ""


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt(f"signal {number}")
