"""Runs where reports arrive: every finished item is a line of results.jsonl at once; report.json is made of it at the end."""

from __future__ import annotations

import json
import os
import signal

import time
from pathlib import Path
from typing import Any, TextIO

import pytest

from mmte.plugin.options import run_info
from mmte.plugin.progress import show
from mmte.plugin.workers import Workers


class Journal:
    """The only writer of a run's results; wakes up at the first item that is ours."""

    def __init__(self, config: pytest.Config, workers: Workers) -> None:
        self.config = config
        self.rows: dict[str, dict[str, Any]] = {}
        self.begun: dict[str, float] = {}
        self.folder = Path()
        self._file: TextIO | None = None
        self._clock = time.monotonic()
        self._signal: Any = None
        workers.hear = lambda worker, line: show(config, f"[{worker}] {line}")

    # -- waking up -----------------------------------------------------------------------------
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The only process has collected; in the controller there is nothing to see."""
        from mmte.plugin.collect import case_of

        if any(case_of(item) is not None for item in session.items):
            self._wake()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """A worker has collected."""
        if any(_ours(nodeid) for nodeid in ids):
            self._wake()

    def _wake(self) -> None:
        if self._file is not None:
            return
        self.folder = Path(run_info(self.config)["folder"])
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = (self.folder / "results.jsonl").open("w", encoding="ascii", buffering=1)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # a cancelled CI job still gets its report
            self._signal = signal.signal(signal.SIGTERM, _interrupt)

    # -- while it runs -------------------------------------------------------------------------
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """An item begins."""
        if _ours(nodeid):
            self.begun.setdefault(nodeid, time.monotonic())

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """An item's outcome: journalled at once."""
        record = getattr(report, "mmte", None)
        if record is None and not _ours(report.nodeid):
            return
        if report.when != "call" and report.passed:
            return
        self._wake()
        category = self.config.hook.pytest_report_teststatus(report=report, config=self.config)[0] or report.outcome
        before = self.rows.get(report.nodeid)
        row = {**(record or _bare(report.nodeid)), "outcome": category, "node": report.nodeid}
        if before is not None and report.when == "teardown":
            row = {**before, "outcome": category}
        row["duration"] = round(getattr(report, "duration", 0.0), 3)
        row["worker"] = getattr(report, "worker_id", "main")
        if reason := _reason(report):
            row["reason"] = reason
        self.rows[report.nodeid] = row
        self.begun.pop(report.nodeid, None)
        assert self._file is not None
        self._file.write(json.dumps(row, allow_nan=False) + "\n")

    # -- at the end ----------------------------------------------------------------------------
    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Write report.json, whatever ended the run."""
        result = yield
        if self._file is not None:
            self._file.close()
            self._write(int(session.exitstatus))
            if self._signal is not None:
                signal.signal(signal.SIGTERM, self._signal)
        return result

    def _write(self, exit_status: int) -> None:
        from mmte.report.build import build_report, point_latest
        from mmte.report.files import write_atomic

        for nodeid in self.begun:
            if nodeid not in self.rows:
                self.rows[nodeid] = {**_bare(nodeid), "outcome": "interrupted", "node": nodeid}
        self.report = build_report(self.config, run_info(self.config), list(self.rows.values()), exit_status, time.monotonic() - self._clock)
        write_atomic(self.folder / "report.json", json.dumps(self.report, indent=1, allow_nan=False))
        if self.config.option.mmte_report is None:
            point_latest(self.folder)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table of scores, and where the report is."""
        if not self.rows:
            return
        from mmte.report.table import table_lines

        terminalreporter.write_sep("=", "trust scores")
        for line, style in table_lines(list(self.rows.values())):
            terminalreporter.write_line(line, **style)
        shown = self.folder / "report.json"
        if shown.is_relative_to(Path.cwd()):
            shown = shown.relative_to(Path.cwd())
        terminalreporter.write_line(f"report: {shown}")
        if page := os.environ.get("GITHUB_STEP_SUMMARY"):
            from mmte.report.table import markdown

            with Path(page).open("a", encoding="utf-8") as file:
                file.write(markdown(list(self.rows.values())))

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        """Mirror our report in pytest-json-report's file, and call what never finished by its name."""
        if not self.rows:
            return
        from mmte.report.build import build_report

        seconds = time.monotonic() - self._clock
        json_report["mmte"] = build_report(self.config, run_info(self.config), list(self.rows.values()), None, seconds)
        for test in json_report.get("tests", []):
            if "call" not in test and test["outcome"] == "passed":
                test["outcome"] = "interrupted"


def _ours(nodeid: str) -> bool:
    return ".yaml::" in nodeid or ".yml::" in nodeid


def _bare(nodeid: str) -> dict[str, Any]:
    """What is known of an item that recorded nothing."""
    case = nodeid.rpartition("::")[2]
    task, _, inside = case.partition("[")
    dataset, _, rest = inside.removesuffix("]").partition("/")
    sequence, _, model = rest.partition("/")
    parts = nodeid.split("::")[0].split("/")
    return {
        "case": case, "task": task, "aspect": parts[-2] if len(parts) > 1 else "", "dataset": dataset, "sequence": sequence,
        "model": model, "estimates": [],
    }  # fmt: skip


def _reason(report: Any) -> str:
    """Why an item was skipped or failed: the last line, made safe."""
    from mmte.report.text import clean

    if report.skipped:
        longrepr = report.longrepr
        text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
        return clean(text.removeprefix("Skipped: "))[:500]
    if report.failed:
        lines = [line for line in report.longreprtext.splitlines() if line.strip()]
        return clean(lines[-1] if lines else "")[:500]
    return ""


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt(f"signal {number}")



