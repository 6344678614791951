"""What the terminal (and the summary page of a CI job) says at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmte.plugin.exitstatus import ExitStatus
from mmte.plugin.journal import Journal
from mmte.plugin.options import gates, judges, models, overrides


class Summary:
    """The table of scores, where the report is, and which options had no effect."""

    def __init__(self, config: pytest.Config, journal: Journal, status: ExitStatus) -> None:
        self.config, self.journal, self.status = config, journal, status

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """Written when items of ours ran; that gates had nothing to do in any case."""
        rows = list(self.journal.rows.values())
        if rows:
            self._tell(terminalreporter, rows)
        if exitstatus != pytest.ExitCode.USAGE_ERROR and (idle := self._ungated(rows)):
            terminalreporter.write_line(idle, red=True, bold=True)

    def _tell(self, terminalreporter: Any, rows: list[dict[str, Any]]) -> None:
        from mmte.report.score_table import begun, score_lines, score_markdown
        from mmte.report.table import markdown, table_lines
        from mmte.report.text import clean

        terminalreporter.write_sep("=", "trust scores")
        for line, style in table_lines(rows):
            terminalreporter.write_line(line, **style)
        scores = begun(self.journal.scores, rows)
        if scores:
            terminalreporter.write_sep("-", "task scores")
        for line, style in score_lines(scores):
            terminalreporter.write_line(line, **style)
        if self.journal.scores_problem:
            terminalreporter.write_line(f"mmte: {clean(self.journal.scores_problem)}", red=True)
        for line in self._idle(rows):
            terminalreporter.write_line(line, yellow=True)
        if self.status.nothing_measured:
            terminalreporter.write_line("mmte: nothing was measured, so the exit status is 1", red=True)
        shown = self.journal.folder / "report.json"
        if shown.is_relative_to(Path.cwd()):
            shown = shown.relative_to(Path.cwd())
        terminalreporter.write_line(f"report: {shown}")
        if page := os.environ.get("GITHUB_STEP_SUMMARY"):
            with Path(page).open("a", encoding="utf-8") as file:
                file.write(markdown(rows) + score_markdown(scores))

    def _idle(self, rows: list[dict[str, Any]]) -> Iterator[str]:
        """Options that speak of nothing in this run: a typing mistake, or the selection."""
        for gate in gates(self.config):
            if not any(gate.covers(row["case"]) for row in rows):
                yield f"--mmte-gates: no item of this run is '{gate.case}' ({gate.metric} {gate.limit})"
        tasks = {row["task"] for row in rows}
        for override in overrides(self.config):
            if override.task and override.task not in tasks:
                yield f"--mmte-set {override.text}: no item of this run is of task '{override.task}'"
        yield from self._idle_judges()

    def _idle_judges(self) -> Iterator[str]:
        from mmte.errors import near

        asked = self.journal.workers.judges
        given = {name.partition("#")[0] for name in judges(self.config)}
        waiting = asked - given - set(models(self.config))
        for name in sorted(given - asked):
            yield f"--judge {name}: no item of this run asks a judge of that name.{near(name, waiting or asked)}"

    def _ungated(self, rows: list[dict[str, Any]]) -> str:
        """That nothing was held against the limits of the gates file: a job that relies on it must not look fine."""
        if not self.config.option.mmte_gates:
            return ""
        found = gates(self.config)
        if any(gate.covers(row["case"]) for gate in found for row in rows if "gated" in row):
            return ""
        why = "no result of this run was held against a limit of it" if found else "there is no [[gate]] in it"
        return f"WARNING: --mmte-gates={self.config.option.mmte_gates}: {why}, so nothing was gated"
