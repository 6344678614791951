"""One line on the terminal in the middle of a test."""

from __future__ import annotations

from contextlib import nullcontext

import pytest


def show(config: pytest.Config, line: str) -> None:
    """Write a line of its own, past the capture of the running test."""
    reporter, capture = (config.pluginmanager.getplugin(n) for n in ("terminalreporter", "capturemanager"))
    if reporter is None:
        return
    with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
        reporter.ensure_newline()
        reporter.write_line(f"  ... {line}", cyan=True)
