"""Runs where tests run: what an item measured goes on its report, judged against its limits."""

from __future__ import annotations

from typing import Any

import pytest

from mmte.plugin.collect import TaskFile
from mmte.plugin.options import gates
from mmte.plugin.safe import clean_report

RECORD = pytest.StashKey[dict[str, Any]]()
"""On an item: what it measured, as plain JSON data, and the limits that it is held against."""


def plain(value: Any) -> Any:
    """JSON- and execnet-safe: numpy scalars become numbers, NaN becomes None; lone surrogates are replaced.

    Raises:
        TypeError: a value that cannot be recorded.
    """
    if hasattr(value, "item") and callable(value.item):
        value = value.item()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(v) for v in value]
    raise TypeError(f"cannot record a {type(value).__name__}: {value!r}")


class Recording:
    """Puts records on reports and turns violated limits into failures."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._gates: list[Any] | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Add the record of an item to its report; what models said is shown safely."""
        report = yield
        record = item.stash.get(RECORD, None)
        ours = isinstance(item.parent, TaskFile)
        if ours or record is not None or "mmte_model" in getattr(item, "fixturenames", ()):
            clean_report(report)
        if ours and report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (str(item.path), 1, report.longrepr[2])
        if record is None or call.when != "call":
            return report
        report.mmte = record
        if ours and report.failed and call.excinfo is not None:
            from mmte.report.text import clean

            record.setdefault("problem", clean(call.excinfo.exconly())[:500])
        item.user_properties[:] = dict([*item.user_properties, *_properties(record)]).items()
        report.user_properties = list(item.user_properties)
        if report.passed:
            self._judge(report, record)
        return report

    def _judge(self, report: Any, record: dict[str, Any]) -> None:
        from mmte.report.gates import gates_of, violations

        if self._gates is None:
            self._gates = gates(self.config)
        limits = gates_of(record, self._gates)
        bad = violations(record["estimates"], limits)
        record["gated"] = len(limits)
        record["violations"] = [text for text, known in bad if not known]
        known = [f"{text} ({why})" for text, why in bad if why]
        if record["violations"]:
            report.outcome = "failed"
            report.longrepr = "\n".join(f"gate: {text}" for text in record["violations"])
        elif known:
            report.outcome = "skipped"
            report.wasxfail = report.longrepr = "; ".join(known)

    def pytest_report_teststatus(self, report: Any) -> Any:
        """Words and letters for measured items; silence for everybody else's."""
        record = getattr(report, "mmte", None)
        if record is None or report.when != "call" or hasattr(report, "wasxfail"):
            return None
        if report.failed and record.get("violations"):
            return "failed", "G", ("GATE", {"red": True})
        if report.failed and record.get("problem"):
            return "error", "E", ("ERROR", {"red": True})
        if report.passed:
            shown = " ".join(_shown(e) for e in record["estimates"] if not e["subset"])
            notes = record.get("notes", ())
            shown += "".join(f" ({note})" for note in ("mini data", "multitrust reading") if note in notes)
            if record.get("gated"):
                return "passed", ".", (f"PASSED {shown}", {"green": True})
            return "recorded", "r", (f"RECORDED {shown}", {"cyan": True})
        return None


def _properties(record: dict[str, Any]) -> list[tuple[str, Any]]:
    """For JUnit XML and other reporters: every number, and what must be known of them; one withheld is not there."""
    measured = [e for e in record["estimates"] if e["value"] is not None]
    numbers = [(f"{e['metric']}{'/' + e['subset'] if e['subset'] else ''}", e["value"]) for e in measured]
    return [*numbers, ("notes", "; ".join(record["notes"]))] if measured and record.get("notes") else numbers


def _shown(estimate: dict[str, Any]) -> str:
    value = estimate["value"]
    return f"{estimate['metric']}={'-' if value is None else format(value, '.3g')}"
