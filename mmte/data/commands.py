"""`mmte data`: list the published data sets, fetch one, check one."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mmte.data.catalogue import Catalogue, DataSet, catalogue
from mmte.data.prepare import State, found, prepare, verify
from mmte.data.transfer import Progress


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser(
        "data", help="published data sets: list, prepare, verify",
        description="Published data sets for --mmte-data. Nothing is fetched but by `prepare`.",
    )  # fmt: skip
    parser.add_argument("--sets", type=Path, metavar="FILE", help="another file of sets (default: the package's)")
    acts = parser.add_subparsers(metavar="ACTION", dest="action", required=True, parser_class=type(parser))
    listed = acts.add_parser("list", help="sets with tasks, size, licence and how they are had")
    listed.add_argument("--to", type=Path, metavar="DIR", help="folder to look for their files in")
    for action, about in (("prepare", "fetch a set"), ("verify", "compare a set's files with their sha256")):
        added = acts.add_parser(action, help=about)
        added.add_argument("name", metavar="SET", help="a name that `mmte data list` shows")
        added.add_argument("--to", type=Path, metavar="DIR", required=True, help="folder for --mmte-data")


def run(args: argparse.Namespace) -> int:
    """Do it; 4 when a file of a verified set is missing or changed."""
    known = catalogue(args.sets)
    if args.action == "list":
        _write(_listed(known, args.to))
        return 0
    fetches = args.action == "prepare"
    states = prepare(known, args.name, args.to, _bar) if fetches else verify(known, args.name, args.to)
    _write(_told(args.name, args.to, states))
    if fetches:
        tasks = " or ".join(known.get(args.name).tasks)
        _write([f"use it: pytest benchmarks -k '{tasks}' --mmte-data={args.to}"])
    return 4 if any(s.state != "ok" for s in states) or not states else 0


def _listed(known: Catalogue, folder: Path | None) -> Iterator[str]:
    width = max(map(len, known.sets))
    for about in known.sets.values():
        there = ""
        if folder is not None and about.access == "free":
            have, whole = found(about, folder), len(about.files) + sum(len(a.members) for a in about.archives)
            there = f"  {have} of {whole} files there" if whole else f"  {have} files there"
        yield f"{about.name.ljust(width)}  {_size(about):>9}  {about.access:<5}  {about.title}{there}"
        pinned = "" if about.access != "free" else "; pinned" if _all_pinned(about) else "; not pinned"
        yield f"{' ' * width}  tasks {', '.join(about.tasks)}; {about.licence}{pinned}"
        if about.how:
            yield f"{' ' * width}  {about.how}"


def _all_pinned(about: DataSet) -> bool:
    return all(f.sha256 for f in about.files) and all(a.members for a in about.archives)


def _size(about: DataSet) -> str:
    size = about.size
    if size is None:
        return "?"
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size / 1e6, 0.1):.1f} MB"


def _told(name: str, folder: Path, states: list[State]) -> Iterator[str]:
    for state in states:
        if state.state != "ok":
            yield f"{state.state}: {state.path}"
    good = sum(s.state == "ok" for s in states)
    unpinned = sum(not s.pinned for s in states)
    note = f", {unpinned} of them unpinned: compared with their first download only" if unpinned else ""
    yield f"{name}: {good} of {len(states)} files under {folder} are as they should be{note}"
    if not states:
        yield f"{name}: nothing was fetched into {folder} yet: mmte data prepare {name} --to {folder}"


def _bar(path: str) -> Progress:
    """A line that grows on a terminal; elsewhere one line every ten seconds."""
    terminal = sys.stderr.isatty()
    last = time.monotonic()

    def tell(done: int, whole: int | None) -> None:
        nonlocal last
        over = whole is not None and done >= whole
        if time.monotonic() - last < (0.1 if terminal else 10) and not (over and terminal):
            return
        last = time.monotonic()
        share = f"{done / whole:4.0%} of {whole / 1e6:.1f} MB" if whole else f"{done / 1e6:.1f} MB"
        sys.stderr.write(f"\r{path}: {share}" + ("\n" if over else "") if terminal else f"{path}: {share}\n")
        sys.stderr.flush()

    return tell


def _write(lines: Any) -> None:
    from mmte.report.text import clean

    for line in lines:
        sys.stdout.write(clean(line) + "\n")


