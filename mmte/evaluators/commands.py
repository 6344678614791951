"""`mmte evaluators`: list them, and hold one against human labels."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmte.errors import MmteError, near

if TYPE_CHECKING:
    from mmte.engine.runtime import Runtime
    from mmte.types import Trial

_SHARES = ("sensitivity", "specificity", "balanced_accuracy", "unparsed", "kappa", "alpha")


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser(
        "evaluators", help="evaluators: list, check against human labels",
        description="What reads the answers, and how often it is right.",
    )  # fmt: skip
    acts = parser.add_subparsers(metavar="ACTION", dest="action", required=True, parser_class=type(parser))
    acts.add_parser("list", help="names, judges that are needed, and cards")
    check = acts.add_parser("check", help="sensitivity and specificity on answers that people labelled")
    add = check.add_argument
    add("name", nargs="?", metavar="NAME", help="an evaluator, with its default options")
    add("--chain", metavar="FILE[:SEQUENCE]", help="YAML file with a chain of evaluators, or a sequence of a task file")
    add("--data", type=Path, required=True, metavar="FILE", help="CSV, TSV, JSON or JSON Lines; a row for each answer")
    add("--text", default="text", metavar="COL", help="column of the answer (default: text)")
    add("--label", default="label", metavar="COL", help="column of the human label (default: label)")
    add("--positive", action="append", metavar="VALUE", help="label that means yes; repeatable (default: 1)")
    add("--negative", action="append", default=[], metavar="VALUE",
        help="label that means no, rows with others are left out; repeatable (default: every other label)")  # fmt: skip
    add("--question", default="", metavar="COL", help="column of the question (default: question or prompt)")
    add("--target", default="target", metavar="COL", help="column of the dataset's label (default: target)")
    add("--cluster", default="", metavar="COL", help="rows with the same value depend on each other (default: none)")
    add("--threshold", type=float, metavar="VALUE", help="values from it on mean yes (default: 1 means yes, 0 no)")
    add("--judge", action="append", default=[], metavar="NAME=SPEC",
        help="model that the evaluator may ask as NAME; the same NAME again makes a panel; repeatable")  # fmt: skip
    add("--judge-repeats", type=int, default=1, metavar="K", help="how often a judge is asked (default: 1)")
    add(
        "--cache",
        type=Path,
        metavar="FILE",
        help="where replies of judges are kept (default: as pytest's --mmte-cache)",
    )
    add("--title", default="", metavar="TEXT", help="what the card calls it (default: the evaluator's name)")
    add("--note", default="", metavar="TEXT", help="what a reader of the card must know")
    add("--save", nargs="?", type=Path, const=Path(), metavar="DIR",
        help="write the card (default folder: $MMTE_CARDS, or reports/cards)")  # fmt: skip
    add("--wrong", type=int, default=0, metavar="N", help="show N answers that it got wrong (default: 0)")
    add("--json", action="store_true", help="the card as JSON, nothing else")


def run(args: argparse.Namespace) -> int:
    """Write the list, or what a check found."""
    from mmte.report.text import clean

    for line in _listed() if args.action == "list" else _checked(args):
        sys.stdout.write(clean(line) + "\n")
    return 0


# -- list ----------------------------------------------------------------------------------------
def _listed() -> Iterator[str]:
    """Each evaluator with a line about it; its judge; the cards of chains that begin with it."""
    from mmte.evaluators.asking import AskingEvaluator
    from mmte.registry import registry

    names = registry.list_evaluators()
    width, cards = max(map(len, names)), _cards()
    for name in names:
        try:
            found = registry.get_evaluator_class(name)
        except (MmteError, ImportError) as error:  # an extra that is not installed
            yield f"{name.ljust(width)}  ({error})"
            continue
        yield f"{name.ljust(width)}  {(found.__doc__ or '').strip().partition(chr(10))[0]}".rstrip()
        if issubclass(found, AskingEvaluator):
            yield f"{' ' * width}  needs --judge {found.default_judge}={found.judge_spec}"
        for line in cards.pop(name, ()):
            yield f"{' ' * width}  card {line}"
    for line in (line for lines in cards.values() for line in lines):  # of joins
        yield f"card {line}"


def _cards() -> dict[str, list[str]]:
    """The cards on this machine by the first evaluator of their chain."""
    from mmte.evaluators.card import brief, cards_folder, load, shown

    found: dict[str, list[str]] = {}
    for folder in (Path(__file__).parent / "cards", cards_folder()):
        for file in sorted(folder.glob("*.json")):
            if (card := load(file)) is not None:
                first = card["evaluator"].partition("->")[0]
                stale = "" if _is_current(card) else "  (stale: its evaluator has changed, so it is not shown)"
                found.setdefault(first, []).append(f"{brief(shown(card))}, {card['date'][:10]}{stale}")
    return found


def _is_current(card: Mapping[str, Any]) -> bool:
    """Whether the evaluators of this install are still those of a card; its judges are taken as they were."""
    from mmte.evaluators.card import identity_of
    from mmte.evaluators.sequence import SequentialEvaluator

    if "panel" in json.dumps(card.get("stages")):  # who sat is not known, so it cannot be built again
        return True
    try:
        chain = SequentialEvaluator(_chain_of(card["options"]))
    except (MmteError, TypeError, ValueError, LookupError):
        return False
    return bool(identity_of(chain, card["judges"]) == card["identity"])


def _chain_of(options: Any) -> Any:
    """A chain from a card's options."""
    lists = [(name, rest) for name, rest in options]
    return [{n: [_chain_of(part) for part in rest] if isinstance(rest, list) else rest} for n, rest in lists]


# -- check ---------------------------------------------------------------------------------------
def _checked(args: argparse.Namespace) -> Iterator[str]:
    from mmte.evaluators.checking import Data, check

    if (args.name is None) == (args.chain is None):
        raise MmteError("mmte evaluators check: name an evaluator, or give --chain FILE; one of them")
    if args.judge_repeats < 1:
        raise MmteError(f"--judge-repeats {args.judge_repeats}: must be at least 1")
    chain = {args.name: {}} if args.name else _chain(args.chain)
    data = Data(
        args.data, args.text, args.label, tuple(args.positive or ("1",)), tuple(args.negative), args.question,
        args.target, args.cluster,
    )  # fmt: skip
    runtime = _runtime(args)
    try:
        found = check(chain, data, runtime, name=args.title, threshold=args.threshold, note=args.note)
    finally:
        runtime.close()
    if args.json:
        yield json.dumps(found.card)
    else:
        yield from _told(found.card)
        for trial in found.missed[: args.wrong]:
            yield from _missed(trial)
    if args.save is not None:
        file = _saved(found.card, args.save)
        if not args.json:
            yield f"card: {file}"


def _runtime(args: argparse.Namespace) -> Runtime:
    from mmte.engine.runtime import Runtime
    from mmte.engine.settings import Settings, default_cache
    from mmte.models.spec import parse_model, seats

    judges, panels = seats([parse_model(text, "--judge") for text in args.judge])
    cache = (args.cache or default_cache()) if judges else None
    return Runtime(Settings(judges=judges, panels=panels, judge_repeats=args.judge_repeats, cache=cache))


def _chain(text: str) -> Any:
    """The chain in a YAML file, or the sequence of a task file.

    Raises:
        MmteError: no such file or sequence, or no valid YAML.
    """
    import yaml

    from mmte.plugin.mark import is_task_file
    from mmte.tasks.config import load_task

    name, _, sequence = (text, "", "") if Path(text).is_file() else text.rpartition(":")
    path = Path(name)
    if not path.is_file():
        raise MmteError(f"--chain {text}: there is no such file")
    if is_task_file(path):
        sequences = load_task(path).sequences
        if sequence not in sequences:
            hint = near(sequence, sequences) if sequence else ""
            raise MmteError(f"--chain {path}:SEQUENCE: name one of {', '.join(sequences)}.{hint}")
        return sequences[sequence]["evaluator"]
    if sequence:
        raise MmteError(f"--chain {text}: only a task file has sequences (its first line is '# mmte.task/1')")
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise MmteError(f"--chain {text}: no valid YAML: {' '.join(str(error).split())[:200]}") from None


def _told(card: Mapping[str, Any]) -> Iterator[str]:
    data, figures = card["data"], card["figures"]
    yield f"{card['name']}  ({card['evaluator']}, identity {card['identity']})"
    yield f"data: {data['file']}, {card['n']} answers, {data['left_out']} left out; sha256 {data['sha256'][:16]}"
    yield "{:<20} {:>8} {:>18} {:>6}".format("", "value", "95 % interval", "n")
    for name in _SHARES:
        f = figures[name]
        value = "-" if f["value"] is None else f"{f['value']:.3f}"
        interval = "-" if f["low"] is None else f"[{f['low']:.3f}, {f['high']:.3f}]"
        yield f"{name.replace('_', ' '):<20} {value:>8} {interval:>18} {f['n']:>6}"
    if card["failed"]:
        yield f"failed: of {card['failed']} more answers the judge gave no reply; they are in none of these figures"
    unscored = {reason: n for reason, n in card["reasons"].items() if reason != "scored"}
    if unscored:
        yield "without a verdict: " + ", ".join(f"{n} {reason}" for reason, n in sorted(unscored.items()))


def _missed(trial: Trial) -> Iterator[str]:
    yield ""
    yield f"{trial.sample.id}: read as {trial.value!r}"
    yield f"    {' '.join(trial.response.content.split())[:300]}"


def _saved(card: Mapping[str, Any], folder: Path) -> Path:
    """Write a card; its file is named after the evaluator, its identity and the data.

    Raises:
        MmteError: the judge failed too often, people said yes of no answer, or no of none; or it cannot be written.
    """
    import re

    from mmte.evaluators.card import cards_folder
    from mmte.evaluators.checking import MOST_FAILED
    from mmte.report.files import write_atomic

    total = card["n"] + card["failed"]
    if card["failed"] > MOST_FAILED * total:
        rule = f"more than {MOST_FAILED:.0%} (as with --mmte-min-coverage {1 - MOST_FAILED:g})"
        failed = f"--save: the judge failed on {card['failed']} of {total} answers, {rule}"
        raise MmteError(f"{failed}, so there is no card; run it again, replies are kept")
    for share, said in (("sensitivity", "yes"), ("specificity", "no")):
        if card["figures"][share]["value"] is None:
            raise MmteError(f"--save: no answer that people said {said} of has a verdict, so there is no {share}")
    where = cards_folder() if folder == Path() else folder
    name = re.sub(r"[^\w.-]+", "-", card["name"]).strip("-.")[:60]
    file = where / f"{name}-{card['identity'][:8]}-{card['data']['sha256'][:8]}.json"
    try:
        write_atomic(file, json.dumps(card, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise MmteError(f"--save: {file} cannot be written: {error}") from None
    return file
