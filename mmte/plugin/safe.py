"""Reports of tests without control characters: what a model said may stand in a traceback, or have been printed."""

from __future__ import annotations

from typing import Any


def clean_report(report: Any) -> None:
    """Make what a report would show safe, in place: its failure, and what was captured."""
    if not report.sections and report.longrepr is None:
        return
    from mmte.report.text import clean

    report.sections = [(title, clean(text, keep_lines=True)) for title, text in report.sections]
    longrepr = report.longrepr
    if isinstance(longrepr, str):
        report.longrepr = clean(longrepr, keep_lines=True)
    elif isinstance(longrepr, tuple):  # of a skipped test: file, line, reason
        report.longrepr = (*longrepr[:2], clean(longrepr[2], keep_lines=True))
    elif hasattr(longrepr, "reprtraceback"):
        chain = getattr(longrepr, "chain", None) or [(longrepr.reprtraceback, longrepr.reprcrash, None)]
        for traceback, crash, _ in chain:
            for entry in traceback.reprentries:
                _clean_entry(entry)
            if crash is not None:
                crash.message = clean(crash.message, keep_lines=True)
    elif longrepr is not None:
        report.longrepr = clean(str(longrepr), keep_lines=True)


def _clean_entry(entry: Any) -> None:
    """One frame of a traceback: its source and error lines, its arguments, its variables."""
    from mmte.report.text import clean

    entry.lines[:] = [clean(line, keep_lines=True) for line in entry.lines]
    if (found := getattr(entry, "reprlocals", None)) is not None:
        found.lines[:] = [clean(line, keep_lines=True) for line in found.lines]
    if (found := getattr(entry, "reprfuncargs", None)) is not None:
        found.args = [(name, clean(text)) for name, text in found.args]
