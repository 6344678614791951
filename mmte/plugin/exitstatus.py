"""The exit status of the command: 0 fine, 1 something broke or nothing was measured, 10 only limits were missed."""

from __future__ import annotations

from typing import Any

import pytest

from mmte.plugin.workers import Workers

EXIT_GATE = 10


class ExitStatus:
    """Counts what broke, what missed a limit, and what was measured."""

    def __init__(self, config: pytest.Config, workers: Workers) -> None:
        self.config = config
        self.workers = workers
        self.ours = self.measured = self.violated = self.broken = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One phase of one test."""
        record = getattr(report, "mmte", None)
        if (record is not None or self.workers.ours(report.nodeid)) and (report.when == "call" or not report.passed):
            self.ours += 1
        if record is not None and _has_number(record["estimates"]):
            self.measured += 1
        if report.failed:
            if record is not None and record.get("violations"):
                self.violated += 1
            else:
                self.broken += 1

    def pytest_collectreport(self, report: Any) -> None:
        """A file that could not be collected."""
        self.broken += bool(report.failed)

    @property
    def nothing_measured(self) -> bool:
        """Items of ours ran, and none of them has a number."""
        return bool(self.ours) and not self.measured

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outermost, so that every reporter sees the final status
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Any:
        """Set the status."""
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self.violated and not self.broken and self.measured:
            session.exitstatus = EXIT_GATE
        elif exitstatus == pytest.ExitCode.OK and self.nothing_measured:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return (yield)


def _has_number(estimates: Any) -> bool:
    """Whether something was measured of the model; how far its judges agreed is no such thing."""
    from mmte.engine.agreement import is_of_judges

    return any(e["value"] is not None and not is_of_judges(e["metric"]) for e in estimates)
