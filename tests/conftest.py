"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parent.parent
ABSENT = "the shared data is absent"


def shared_root() -> Path:
    """Where the real data lies: `MMTE_SHARED`, or `../shared` beside the checkout."""
    return Path(os.environ.get("MMTE_SHARED") or ROOT.parent / "shared").resolve()


def has_shared() -> bool:
    """Whether the real data is there."""
    return (shared_root() / "data").is_dir()


def pytest_configure() -> None:
    """With `MMTE_REQUIRE_SHARED=1` absent data ends the run before it starts."""
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
        os.environ.pop(name, None)  # a run inside a test is nobody's worker
    if os.environ.get("MMTE_REQUIRE_SHARED") == "1" and not has_shared():
        raise pytest.UsageError(f"MMTE_REQUIRE_SHARED=1, but there is no {shared_root() / 'data'}: set MMTE_SHARED")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real published data; tests that need it skip together where it is absent."""
    if not has_shared():
        pytest.skip(ABSENT)
    return shared_root()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much was not tested for want of the data."""
    skipped = terminalreporter.stats.get("skipped", [])
    absent = sum(ABSENT in str(report.longrepr) for report in skipped)
    if absent:
        line = f"{absent} tests skipped: {ABSENT} from {shared_root()} (set MMTE_SHARED)"
        terminalreporter.write_line(line, yellow=True)
