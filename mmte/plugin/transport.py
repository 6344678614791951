"""Records on their way from an xdist worker to the controller: a large one travels as a file of the run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mmte.plugin.options import run_info

MOST = 1900
"""Bytes of a record and its properties, as JSON, that a report may carry."""


class Outgoing:
    """In a worker: leaves a stub on the report where a record is large."""

    def __init__(self, config: pytest.Config) -> None:
        self._folder = Path(run_info(config)["folder"]) / "samples"
        self._put_aside = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(self, report: Any) -> Any:
        """Shorten what pytest made of the report."""
        data = yield
        record = getattr(report, "mmte", None)
        if data and record is not None and _size([record, report.user_properties]) > MOST:
            name = re.sub(r"[^]\w.+[-]", "~", record["case"])
            file = self._folder / f"{name}.estimates.json"
            if _written(file, {"record": record, "properties": report.user_properties}):
                data["mmte"] = {"case": record["case"], "estimates": [], "file": str(file)}
                self._put_aside = report.nodeid
        if data and self._put_aside == report.nodeid:  # the teardown's report carries the properties once more
            data["user_properties"] = []
        return data


class Incoming:
    """In the controller: puts back what a worker left in a file."""

    def __init__(self) -> None:
        self._properties: dict[str, Any] = {}

    @pytest.hookimpl(tryfirst=True)  # before anybody reads the report
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Complete a report that carries a stub."""
        record = getattr(report, "mmte", None)
        if record is not None and "file" in record:
            try:
                whole = json.loads(Path(record["file"]).read_text("utf-8"))
                report.mmte, self._properties[report.nodeid] = whole["record"], whole["properties"]
            except (OSError, ValueError) as error:  # a worker on another machine, or a full disk
                problem = f"its results cannot be read: {error}"
                report.mmte = {"case": record["case"], "estimates": [], "problem": problem}
                report.outcome, report.longrepr = "failed", problem
        if report.nodeid in self._properties:
            report.user_properties = [tuple(p) for p in self._properties[report.nodeid]]
            if report.when == "teardown":
                del self._properties[report.nodeid]


def _written(file: Path, data: Any) -> bool:
    from mmte.report.files import write_atomic

    try:
        write_atomic(file, json.dumps(data))
    except OSError:  # a full disk: then it travels whole
        return False
    return True


def _size(data: Any) -> int:
    return len(json.dumps(data, separators=(",", ":")))
