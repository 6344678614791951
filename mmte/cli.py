"""The command `mmte`: what there is, what a run found, and the models' files. Measuring is pytest's job."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from mmte import __version__
from mmte.errors import MmteError

USAGE_ERROR = 4
"""As pytest's: a mistake that one line on stderr explains."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise MmteError(f"{message} ({self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0, or 4 for a mistake that a line on stderr explains."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a letter shows its number
            stream.reconfigure(errors="backslashreplace")
    try:
        parts = _parts()
        args = _parser(parts).parse_args(argv)
        status: int = parts[args.part].run(args)
        sys.stdout.flush()
    except MmteError as error:
        from mmte.report.text import clean

        sys.stderr.write(f"mmte: {clean(str(error))}\n")
        return USAGE_ERROR
    except BrokenPipeError:  # `mmte show | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parts() -> dict[str, Any]:
    """The modules behind the commands: each has `add_parser(commands)` and `run(args) -> status`."""
    from mmte import listing
    from mmte.compat import import_logs
    from mmte.data import commands as data
    from mmte.evaluators import commands as evaluators
    from mmte.models import commands as models
    from mmte.report import compare, merge, show

    return {
        "list": listing, "show": show, "compare": compare, "merge": merge, "import-logs": import_logs,
        "models": models, "data": data, "evaluators": evaluators,
    }  # fmt: skip


def _parser(parts: Mapping[str, Any]) -> argparse.ArgumentParser:
    about = "Trust benchmarks of chat models. To measure: pytest benchmarks --model=NAME"
    parser = _Parser(prog="mmte", description=about)
    parser.add_argument("--version", action="version", version=f"mmte {__version__}")
    added = parser.add_subparsers(metavar="COMMAND", dest="part", required=True, parser_class=_Parser)
    for part in parts.values():
        part.add_parser(added)
    return parser
