"""`mmte import-logs`: MMTrustEval's own result files, re-scored in both readings, as a report."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mmte.compat.formulas import Original, original_scores
from mmte.compat.literals import Literals, load_literals
from mmte.compat.logs import Log, read_logs
from mmte.compat.published import as_published
from mmte.compat.rescore import rescored
from mmte.compat.strict_logs import MIN_COVERAGE, case_part, strict_rows
from mmte.compat.tasks import SUB_ASPECTS, TASKS
from mmte.errors import near

_TREE: Final = Path(__file__).with_name("logs_scores.yaml")


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser(
        "import-logs", help="re-score MMTrustEval's own result files in both readings",
        description="Re-scores MMTrustEval's result files (logs/<aspect>/<task>/<model>/<dataset>.json): by the"
        " original's formulas, which count errors as answers, and in the strict reading, which does not.",
    )  # fmt: skip
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help="the folder logs, or the one that it lies in")
    add("--to", type=Path, required=True, metavar="OUT", help="new folder for the report")
    add("--mmte-multitrust", metavar="DIR|FILE", help="a MMTrustEval checkout or a JSON file of its phrase lists, to"
        " apply its rules again (default: its numbers as they are in the files)")  # fmt: skip
    add("--judge", default="", metavar="NAME", help="the judge of the old run, which its files do not name")


def run(args: argparse.Namespace) -> int:
    """Read, score, write a report and show its scores.

    Raises:
        MmteError: no logs there, one that is not of their form, lists that cannot be read, or a folder that is there.
    """
    from mmte.report.text import clean

    lists = load_literals(args.mmte_multitrust) if args.mmte_multitrust else None
    report = import_logs(args.folder, args.to, lists, args.judge)
    for line in shown(report):
        sys.stdout.write(clean(line) + "\n")
    sys.stdout.write(f"report: {args.to / 'report.json'}\n")
    return 0


def import_logs(folder: Path, to: Path, lists: Literals | None, judge: str = "") -> dict[str, Any]:
    """The report of old logs, written to a new folder `to`; errors as in `run`."""
    from mmte.report.made import new_folder, write_report
    from mmte.report.scores import load_scores
    from mmte.report.scoring import score_section

    logs, left_out = read_logs(folder)
    by_folder = {name: task for task in TASKS.values() for name in task.folders}
    known = [log for log in logs if log.task in by_folder]
    left_out += [
        f"{name}: no task of MultiTrust.{near(name, by_folder)}"
        for name in dict.fromkeys(log.task for log in logs if log.task not in by_folder)
    ]
    new_folder(to, "--to")
    rows = [row for log in known for row in strict_rows(log, by_folder[log.task], to / "samples")]
    told = None if lists is None else _lists(lists)
    settings: dict[str, Any] = {
        "data": "given", "limit": None, "repeats": 1, "offline": True, "min_coverage": MIN_COVERAGE, "set": [],
        "scoring": "strict", "imported": {"from": "MMTrustEval", "judge": judge, "lists": told},
    }  # fmt: skip
    scores = score_section([load_scores(_TREE)], rows, to, None)
    models = sorted({log.model for log in known})
    originals = [section for model in models for section in _of_model(model, known, lists)]
    return write_report(to, settings, rows, scores, {"multitrust": originals, "left_out": left_out})


def _lists(lists: Literals) -> dict[str, Any]:
    return {"version": lists.version, "sha256": lists.sha256, "as_published": as_published(lists)}


def _of_model(model: str, logs: Sequence[Log], lists: Literals | None) -> Iterator[dict[str, Any]]:
    """The original's scores of the files as they are, and with the rules applied again."""
    own = [log for log in logs if log.model == model]
    yield {"model": case_part(model), "rules": "as in the files", **_plain(original_scores(own), [])}
    if lists is not None:
        again = [rescored(log, lists) for log in own]
        changes = [line for _, lines in again for line in lines]
        found = original_scores(log for log, _ in again)
        yield {"model": case_part(model), "rules": f"lists '{lists.version}'", **_plain(found, changes)}


def _plain(found: Original, changes: Sequence[str]) -> dict[str, Any]:
    numbers = {
        task: {data: {k: None if math.isnan(v) else v for k, v in of.items()} for data, of in sets.items()}
        for task, sets in found.numbers.items()
    }
    return {
        "tasks": found.tasks, "sub_aspects": found.sub_aspects, "total": found.total, "numbers": numbers,
        "stops": found.stops, "notes": found.notes, "changes": list(changes),
    }  # fmt: skip


# -- on the terminal -----------------------------------------------------------------------------
def shown(report: Mapping[str, Any]) -> Iterator[str]:
    """Both readings of every model, task by task, from 0 to 100."""
    strict = {(score["model"], score["name"]): score for score in report["scores"]}
    sections = report["multitrust"]
    for model in dict.fromkeys(section["model"] for section in sections):
        own = [section for section in sections if section["model"] == model]
        heads = [f"multitrust, {section['rules']}" for section in own]
        width = max(24, *(len(head) for head in heads))
        yield f"{model:<46} {' '.join(f'{head:>{width}}' for head in heads)} {'strict':>8}  {'95 % interval':>16}"
        for name, title in _names():
            values = [_value(section, name) for section in own]
            score = strict[model, name]
            if any(v is not None for v in values) or score["n"] or name in own[0]["stops"]:
                cells = " ".join(f"{_number(v):>{width}}" for v in values)
                why = "" if score["value"] is not None else f"  {_why(score)}"
                yield f"{f'{name} {title}':<46} {cells} {_number(score['value'], 100):>8}  {_interval(score):>16}{why}"
        for section in own:
            stops = [f"{task}: the original's script stops: {why}" for task, why in section["stops"].items()]
            yield from (f"multitrust, {section['rules']}: {line}" for line in [*stops, *section["notes"]])
            yield from (f"changed: {line}" for line in section["changes"][:10])
            if len(section["changes"]) > 10:
                yield f"changed: {len(section['changes']) - 10} more in the report"
    yield from (f"left out: {line}" for line in report["left_out"])


def _names() -> list[tuple[str, str]]:
    tasks = [(name, task.title) for name, task in TASKS.items()]
    return [*tasks, *((name, title) for name, (title, _) in SUB_ASPECTS.items()), ("total", "")]


def _value(section: Mapping[str, Any], name: str) -> float | None:
    found = section["total"] if name == "total" else {**section["tasks"], **section["sub_aspects"]}.get(name)
    return None if found is None else float(found)


def _why(score: Mapping[str, Any]) -> str:
    first = score["missing"][0].partition(": ")[2] if score["missing"] else "has no value"
    return f"no score: {len(score['missing'])} of {len(score['parts'])} parts missing: {first[:90]}"


def _number(value: float | None, scale: float = 1.0) -> str:
    return "-" if value is None else f"{value * scale:.2f}"


def _interval(score: Mapping[str, Any]) -> str:
    return "-" if score["low"] is None else f"[{100 * score['low']:.1f}, {100 * score['high']:.1f}]"
