"""`mmte compare`: two reports sample by sample, or a report beside the published numbers."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError
from mmte.report.differences import Change, Flip, changes
from mmte.report.text import clean

_NAMED: Final = 3
_GROUPS: Final = ("worse", "better", "lost", "found")


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser(
        "compare", help="what changed between two reports; or a report beside the published numbers",
        description="Paired differences (second report minus first) of every metric, with 95 % intervals, and which"
        " samples flipped. Only cases whose data, samples, evaluators, generation and version agree are compared.",
    )  # fmt: skip
    add = parser.add_argument
    add("reports", type=Path, nargs="+", metavar="REPORT", help="the folder of a report; the earlier one first")
    add("--published", metavar="MODEL", help="show MultiTrust's published numbers of this model beside the report,"
        " where prompts, data, judge and scoring are the original's")  # fmt: skip
    add("--flips", action="store_true", help="list every sample that flipped")
    add("--json", action="store_true", help="the differences as JSON")


def run(args: argparse.Namespace) -> int:
    """Compare and show.

    Raises:
        MmteError: a report that cannot be read, a number of them that makes no sense, or an unknown model.
    """
    from mmte.report.made import load_report

    if args.published is not None:
        if len(args.reports) > 1 or args.flips or args.json:
            raise MmteError("compare --published MODEL takes one report and no other option")
        lines = published_lines(load_report(args.reports[0]), args.published)
    else:
        if len(args.reports) != 2:
            told = f"{len(args.reports)} {'was' if len(args.reports) == 1 else 'were'} given"
            raise MmteError(f"compare needs two reports, or one and --published MODEL; {told}")
        one, other = [(p.parent if p.is_file() else p, load_report(p)) for p in args.reports]
        found = changes(one, other)
        lines = iter([_as_json(found)]) if args.json else change_lines(found, every_flip=args.flips)
    for line in lines:
        sys.stdout.write(line + "\n")
    return 0


def _as_json(found: Sequence[Change]) -> str:
    return json.dumps([{**asdict(change), "verdict": change.verdict} for change in found], indent=1)


# -- two reports ---------------------------------------------------------------------------------
def change_lines(found: Sequence[Change], *, every_flip: bool = False) -> Iterator[str]:
    """The differences as lines; ids of others made safe."""
    shown = [change for change in found if not change.why]
    width = max((len(_name(change)) for change in found), default=0)
    if shown:
        head = f"{'before':>8} {'after':>8} {'change':>8} {'95 % interval':>18} {'n':>6}"
        yield f"{'(largest loss first)'.ljust(width)} {head}"
    for change in shown:
        yield f"{_name(change).ljust(width)} {_numbers(change)}"
        if change.note:
            yield f"    {clean(change.note)}"
        flips = [(name, getattr(change, name)) for name in _GROUPS if getattr(change, name)]
        if flips:
            yield "    flipped: " + "; ".join(_few(name, group) for name, group in flips)
        for name, group in flips if every_flip else ():
            yield from (f"      {name:<6} {clean(f.id)}: {_verdict(f.before)} -> {_verdict(f.after)}" for f in group)
    yield from (f"{_name(change).ljust(width)} {change.why}" for change in found if change.why)
    yield _summary(shown, len(found) - len(shown))


def _summary(shown: Sequence[Change], others: int) -> str:
    verdicts = [change.verdict for change in shown if change.verdict]
    parts = [f"{len(shown)} compared", f"{verdicts.count('worse')} worse", f"{verdicts.count('better')} better"]
    chance = f"; of {len(verdicts)} intervals, {len(verdicts) / 20:.1f} miss 0 by chance alone" if verdicts else ""
    return f"{', '.join(parts)}, {others} not comparable or without a score{chance}"


def _name(change: Change) -> str:
    return f"{change.case} {change.metric}".rstrip()


def _numbers(change: Change) -> str:
    interval = "-" if change.low is None else f"[{change.low:+.3f}, {change.high:+.3f}]"
    n = change.n or "-"
    line = f"{change.before:>8.3f} {change.after:>8.3f} {change.change:>+8.3f} {interval:>18} {n:>6}  {change.verdict}"
    line += " (interval not paired: nothing varies)" if change.method == "unpaired" else ""
    return line.rstrip()


def _few(name: str, flips: Sequence[Flip]) -> str:
    named = ", ".join(clean(flip.id) for flip in flips[:_NAMED])
    return f"{len(flips)} {name} ({named}{', ...' if len(flips) > _NAMED else ''})"


def _verdict(value: float | None) -> str:
    return "no value" if value is None else f"{value:g}"


# -- the published numbers -----------------------------------------------------------------------
def published_lines(report: Mapping[str, Any], name: str) -> Iterator[str]:
    """The published numbers of a model beside those of a report, or what keeps them apart."""
    from mmte.compat.published import differences, load_published

    publication = load_published()
    model = publication.of(name)
    apart = differences(report)
    if apart:
        yield f"not comparable: {clean('; '.join(apart))}"
        return
    sections = [s for s in report["multitrust"] if s["rules"] != "as in the files"]
    models = " ".join(f"{clean(section['model']):>16}" for section in sections)
    yield f"{'':<24} {'published':>10} {'rank of 21':>10} {models}"
    yield f"{'total':<24} {model.total:>10.2f} {_rank(model.ranks, 'overall'):>10} {_cells(sections, None)}"
    for part in publication.columns[:-1]:
        yield f"{part:<24} {'':>10} {_rank(model.ranks, part):>10} {_cells(sections, part)}"
    for section in sections:
        told = [f"{task}: {why}" for task, why in section["stops"].items()] + section["notes"]
        yield from (f"{clean(section['model'])}: {clean(line)}" for line in told)
    yield f"published: {model.model}{f' ({model.paper} in the paper)' if model.paper else ''}; file of " + (
        ", ".join(publication.history)
    )
    yield from (f"source of {what}: {source}" for what, source in publication.sources.items())


def _rank(ranks: Mapping[str, int] | None, column: str) -> str:
    return str(ranks[column]) if ranks else "-"


def _cells(sections: Sequence[Mapping[str, Any]], part: str | None) -> str:
    values = [section["total"] if part is None else section["sub_aspects"][part] for section in sections]
    return " ".join(f"{'-' if value is None else format(value, '.2f'):>16}" for value in values)
