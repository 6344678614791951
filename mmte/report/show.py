"""`mmte show`: questions, answers and verdicts of a run, safe to print."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from pathlib import Path
from re import compile as pattern
from typing import Any

from mmte.errors import MmteError, near
from mmte.evaluators.reasons import Reasons
from mmte.report.files import read_jsonl
from mmte.report.score_table import begun, score_details, score_lines
from mmte.report.text import clean
from mmte.types import REASONS

LATEST = Path("reports/latest")


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser("show", help="questions, answers and verdicts of a run", description=__doc__)
    add = parser.add_argument
    add("case", nargs="?", help="case id, e.g. 'p3[confaide-text/rule/x]'; * and ? are wildcards; or the name of a task"
        " score, e.g. p3 (default: list them)")  # fmt: skip
    add("--run", type=Path, default=LATEST, metavar="DIR", help=f"folder of the report (default: {LATEST})")
    add("--reason", help=f"only samples with this verdict: {', '.join(REASONS)} (default: all)")
    add("-n", type=int, default=5, metavar="N", help="samples shown of each case (default: 5)")
    add("--json", action="store_true", help="the samples as JSON lines, nothing else (default: as text)")


def run(args: argparse.Namespace) -> int:
    """Write what was asked for.

    Raises:
        MmteError: no such run, case or reason.
    """
    if args.reason is not None and args.reason not in REASONS:
        raise MmteError(f"--reason={args.reason}: no verdict is called so.{near(args.reason, REASONS, cutoff=0.7)}")
    if args.n < 1:
        raise MmteError(f"-n {args.n}: must be at least 1")
    rows, scores = load_rows(args.run), load_scores(args.run)
    named = [score for score in scores if score["name"] == args.case]
    if args.case is None:
        lines = _overview(rows, scores)
    elif named and not args.json:
        lines = (line for score in named for line in score_details(score))
    else:
        lines = _samples(args, chosen(rows, args.case))
    for line in lines:
        sys.stdout.write(line + "\n")
    return 0


def load_rows(folder: Path) -> list[dict[str, Any]]:
    """The results of a run by case id; of one that was killed, what its journal has.

    Raises:
        MmteError: the folder holds no report.
    """
    try:
        if (folder / "report.json").is_file():
            rows = json.loads((folder / "report.json").read_text("utf-8"))["results"]
        elif (folder / "results.jsonl").is_file():
            rows = list({row["node"]: row for row in read_jsonl(folder / "results.jsonl")}.values())
        else:
            raise MmteError(f"{folder}: no report there; run pytest first, or name its folder with --run DIR")
        return sorted(rows, key=lambda row: str(row["case"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise MmteError(f"{folder}: its report cannot be read: {error}") from None


def load_scores(folder: Path) -> list[dict[str, Any]]:
    """The task scores of a run; none of one that was killed, or that had no file of scores.

    Raises:
        MmteError: the report cannot be read.
    """
    try:
        report = json.loads((folder / "report.json").read_text("utf-8"))
        return list(report.get("scores", ()))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, AttributeError) as error:
        raise MmteError(f"{folder}: its report cannot be read: {error}") from None


def _overview(rows: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from case_lines(rows)
    shown = begun(scores, rows)
    if shown:
        yield ""
    for line, _ in score_lines(shown):
        yield line


def chosen(rows: Sequence[Mapping[str, Any]], case: str) -> list[Mapping[str, Any]]:
    """The rows that a case id or a wildcard names.

    Raises:
        MmteError: none; near names are in the message.
    """
    matches = pattern(translate(case.replace("[", "[[]"))).fullmatch
    found = [row for row in rows if row["case"] == case] or [row for row in rows if matches(row["case"])]
    if not found:
        raise MmteError(f"the run has no case '{case}'.{near(case, (row['case'] for row in rows), cutoff=0.4)}")
    return found


def case_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each case: outcome, and how many samples ended how."""
    width = max((len(clean(row["case"])) for row in rows), default=0)
    for row in rows:
        counts = _summary({k: v for k, v in row.get("counts", {}).items() if k in REASONS})
        yield f"{clean(row['case']).ljust(width)}  {row['outcome']}{'  ' + counts if counts else ''}"


def _samples(args: argparse.Namespace, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        file = _samples_file(args.run, row)
        if file is None:
            if not args.json:
                why = f": {clean(row['reason'])}" if row.get("reason") else ""
                yield f"{clean(row['case'])}: {row['outcome']}, no samples{why}"
            continue
        shown, counts, reasons = 0, Counter[str](), Reasons(file)
        for sample in read_jsonl(file):
            counts[sample["reason"]] += 1
            if shown < args.n and args.reason in (None, sample["reason"]):
                shown += 1
                told = reasons.of(sample)
                if args.json:
                    yield json.dumps({"case": row["case"], **sample, **({"why": told} if told else {})})
                else:
                    yield from sample_lines(row["case"], sample, told)
        if not args.json:
            yield f"{clean(row['case'])}: {shown} of {counts.total()} samples shown ({_summary(counts)})"


def sample_lines(case: str, sample: Mapping[str, Any], why: Mapping[str, str]) -> Iterator[str]:
    """A question with its answer, the verdict and its reasons, as indented lines; every text of others made safe."""
    yield f"{clean(case)}  {clean(sample['id'])}{'  (' + clean(sample['subset']) + ')' if sample['subset'] else ''}"
    for message in sample["messages"]:
        content = message["content"]
        yield f"  {clean(str(message['role']))}:"
        if not isinstance(content, str):
            yield f"    (image {clean(str(content.get('image_path')))})"
            content = content.get("text") or ""
        yield from _indented(content)
    if sample.get("reasoning"):
        yield "  reasoning:"
        yield from _indented(sample["reasoning"])
    yield f"  answer ({sample['status']}{', cut' if sample['cut'] else ''}):"
    yield from _indented(sample.get("error") or sample["content"])
    verdict = f"scored {sample['value']!r}" if sample["reason"] == "scored" else sample["reason"]
    yield f"  target: {clean(str(sample['target']))}"
    yield f"  verdict: {clean(verdict)}"
    for stage, reason in why.items():
        yield f"  why ({clean(stage)}): {clean(reason)}"
    for stage, value in (sample.get("steps") or {}).items():
        yield f"    {clean(stage)}: {clean(str(value))}"
    yield ""


def _samples_file(folder: Path, row: Mapping[str, Any]) -> Path | None:
    name = str(row.get("samples_file") or "")
    if not name:
        return None
    if Path(name).name != name:
        raise MmteError(f"{folder}: the samples of {row['case']} are outside of the report")
    return folder / "samples" / name


def _indented(text: str) -> Iterator[str]:
    for line in clean(text, keep_lines=True).split("\n"):
        yield f"    {line}".rstrip()


def _summary(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[reason]} {reason}" for reason in REASONS if counts.get(reason))
