"""Results as a table: by aspect, with value, interval, n and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mmte.evaluators.card import brief
from mmte.report.text import clean
from mmte.types import ASPECTS, REASONS

Line = tuple[str, dict[str, bool]]
_HEAD = ("value", "95 % interval", "n", "coverage", "")


def table_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """Lines with their styles for pytest's terminal writer."""
    names = [row["case"] for row in rows] + [f"  {_metric(e)}" for row in rows for e in row["estimates"]]
    width = min(72, max((len(n) for n in names), default=0)) + 2
    known = [a for a in ASPECTS if any(row["aspect"] == a for row in rows)]
    others = sorted({row["aspect"] for row in rows} - set(known))
    for aspect in [*known, *others]:
        head = " {:>9} {:>19} {:>8} {:>8}  {}".format(*_HEAD)
        yield f"{(aspect or 'other').ljust(width)}{head}".rstrip(), {"bold": True}
        for row in sorted((r for r in rows if r["aspect"] == aspect), key=lambda r: str(r["case"])):
            yield from _row(row, width)


def _row(row: Mapping[str, Any], width: int) -> Iterator[Line]:
    note = "; ".join(filter(None, [_note(row), _unscored(row)]))
    if not row["estimates"]:
        yield f"{row['case'].ljust(width)} {note}", _style(row)
        return
    yield f"{row['case']}{'  (' + note + ')' if note else ''}", _style(row)
    for e in row["estimates"]:
        interval = "-" if e["low"] is None else f"[{e['low']:.3f}, {e['high']:.3f}]"
        value = "-" if e["value"] is None else f"{e['value']:.3f}"
        n = "-" if e["n"] is None else f"{e['n']}/{e['expected']}" if e["n"] != e["expected"] else str(e["n"])
        coverage = "" if e["subset"] or "coverage" not in row else f"{row['coverage']:.1%}"
        line = f"{('  ' + _metric(e)).ljust(width)} {value:>9} {interval:>19} {n:>8} {coverage:>8}  {_remark(e, row)}"
        yield line.rstrip(), _style(row)


def _remark(estimate: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Which way is better; or why there is no value."""
    if estimate["value"] is None and not row.get("problem"):
        return "undefined: too few answers, or all the same" if estimate["n"] else "no answer could be scored"
    return {"up": "higher is better", "down": "lower is better"}.get(estimate["direction"], "")


def _unscored(row: Mapping[str, Any]) -> str:
    """How many answers have no value, and why: `6 unparsed, 1 filtered`."""
    counts = row.get("counts") or {}
    return ", ".join(f"{counts[reason]} {reason}" for reason in REASONS if reason != "scored" and counts.get(reason))


def _metric(estimate: Mapping[str, Any]) -> str:
    return f"{estimate['metric']}{'/' + estimate['subset'] if estimate['subset'] else ''}"


def _note(row: Mapping[str, Any]) -> str:
    """What a reader of the numbers must know: mini data, a limit missed, why there is none, its evaluator's card."""
    notes = [*row.get("notes", ())]
    if row.get("violations"):
        notes += [f"GATE {v}" for v in row["violations"]]
    elif row.get("reason"):
        notes.append(f"{row['outcome']}: {row['reason']}")
    elif row["outcome"] in ("interrupted", "failed", "error"):
        notes.append(row["outcome"])
    notes += [brief(card) for card in row.get("cards", ())]
    return clean("; ".join(notes))


def _style(row: Mapping[str, Any]) -> dict[str, bool]:
    colour = {"recorded": "cyan", "passed": "green", "skipped": "yellow", "xfailed": "yellow", "interrupted": "yellow"}
    return {colour.get(row["outcome"], "red"): True}


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table for a CI's summary page."""
    lines = ["| item | metric | value | 95 % interval | n | |", "|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda r: (str(r["aspect"]), str(r["case"]))):
        note, case = (text.replace("|", "\\|") for text in (_note(row), clean(row["case"])))
        if not row["estimates"]:
            lines.append(f"| `{case}` | | | | | {note} |")
        for e in row["estimates"]:
            value = "-" if e["value"] is None else f"{e['value']:.3f}"
            interval = "" if e["low"] is None else f"{e['low']:.3f} to {e['high']:.3f}"
            n = "" if e["n"] is None else e["n"]
            lines.append(f"| `{case}` | {_metric(e)} | {value} | {interval} | {n} | {note} |")
    return "\n".join(lines) + "\n\n"
