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
from mmte.report.cards import card_lines, card_mark
from mmte.report.files import read_jsonl
from mmte.report.score_table import begun, score_details, score_id, score_lines
from mmte.report.stored import stored_rows, stored_sample, stored_scores
from mmte.report.text import clean
from mmte.types import REASONS

LATEST = Path("reports/latest")


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser("show", help="questions, answers and verdicts of a run", description=__doc__)
    add = parser.add_argument
    add("case", nargs="?", help="case id, e.g. 'p3[confaide-text/rule/x]'; * and ? are wildcards; or the name of a task"
        " score, e.g. p3 or 'p3[x]', whose parts are shown as a tree (default: list them)")  # fmt: skip
    add("--run", type=Path, default=LATEST, metavar="DIR", help=f"folder of the report (default: {LATEST})")
    add("--reason", help=f"only samples with this verdict: {', '.join(REASONS)} (default: all)")
    add("-n", type=int, default=5, metavar="N", help="samples shown of each case (default: 5)")
    add("--json", action="store_true", help="JSON lines and nothing else: the samples; without a case the results; of a"
        " task score the scores (default: as text)")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Write what was asked for.

    Raises:
        MmteError: no such run, case or reason.
    """
    if args.reason is not None and args.reason not in REASONS:
        raise MmteError(f"--reason={args.reason}: no verdict is called so.{near(args.reason, REASONS, cutoff=0.7)}")
    if args.n < 1:
        raise MmteError(f"-n {args.n}: must be at least 1")
    rows, scores = stored_rows(args.run), stored_scores(args.run)
    named = [score for score in scores if args.case in (score["name"], score_id(score))]
    lines: Iterator[str]
    if args.json and (named or args.case is None):
        lines = (json.dumps(found) for found in named or rows)
    elif args.case is None:
        lines = _overview(rows, scores)
    elif named:
        lines = (line for score in named for line in score_details(score, scores, rows))
    else:
        names = [name for score in scores for name in (score["name"], score_id(score))]
        lines = _samples(args, chosen(rows, args.case, names))
    for line in lines:
        sys.stdout.write(line + "\n")
    return 0


def _overview(rows: Sequence[Mapping[str, Any]], scores: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from case_lines(rows)
    shown = begun(scores, rows)
    if shown:
        yield ""
    for line, _ in score_lines(shown):
        yield line


def chosen(rows: Sequence[Mapping[str, Any]], case: str, scores: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """The rows that a case id or a wildcard names; `scores` are names that could have been meant, too.

    Raises:
        MmteError: none; near names are in the message.
    """
    matches = pattern(translate(case.replace("[", "[[]"))).fullmatch
    found = [row for row in rows if row["case"] == case] or [row for row in rows if matches(row["case"])]
    if not found:
        what = "case or score" if scores else "case"
        hint = near(case, [*scores, *(row["case"] for row in rows)], cutoff=0.4)
        raise MmteError(f"the run has no {what} '{case}'.{hint}")
    return found


def case_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each case: outcome, how many samples ended how, and its evaluators' cards."""
    width = max((len(clean(row["case"])) for row in rows), default=0)
    for row in rows:
        counts = _summary({k: v for k, v in (row.get("counts") or {}).items() if k in REASONS})
        yield "  ".join(filter(None, [clean(row["case"]).ljust(width), row["outcome"], counts, card_mark(row)]))


def _samples(args: argparse.Namespace, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        file = _samples_file(args.run, row)
        if file is None:
            if not args.json:
                why = f": {clean(row['reason'])}" if row.get("reason") else ""
                yield f"{clean(row['case'])}: {row['outcome']}, no samples{why}"
                yield from card_lines(row)
            continue
        shown, counts, reasons = 0, Counter[str](), Reasons(file)
        for number, line in enumerate(read_jsonl(file), 1):
            sample = stored_sample(file, number, line)
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
            yield from card_lines(row)


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
