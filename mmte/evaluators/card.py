"""Evaluator cards: what an evaluator scored against human labels, found by its exact identity.

A card is a JSON file. It holds for one chain of evaluators with its options, the very code that reads the answers, and
the very models that are asked; a chain that differs in any of them has another identity, and the card never shows
beside it. Cards lie in the folder `cards` beside an evaluator's module, and in the user's folder.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mmte.engine.keys import digest
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.panel import Panel
from mmte.evaluators.sequence import Join, SequentialEvaluator

SCHEMA: Final = "mmte.card/1"
FIGURES: Final = ("sensitivity", "specificity", "balanced_accuracy", "unparsed")
"""Shares with their intervals that a card has, by name."""

_IDLE: Final = ("metrics_cfg", "model", "model_id", "device")
"""Options that change no verdict: judges count by what they are, not by their names."""
_FRAME: Final = tuple(
    f"mmte.evaluators.{name}" for name in ("base", "metrics", "sequence", "scoring", "reasons", "panel")
)
"""Modules of this package that run evaluators and read no answers."""
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(mmte\.evaluators\.\w+)", re.M)


def cards_folder() -> Path:
    """The user's folder of cards: `MMTE_CARDS`, or `reports/cards`."""
    return Path(os.environ.get("MMTE_CARDS") or Path("reports") / "cards")


def identity_of(sequence: SequentialEvaluator, judges: Sequence[Mapping[str, Any]]) -> str:
    """The exact identity of a chain: reading, evaluators, versions, options, code, and the identities of its judges."""
    return digest([SCHEMA, sequence.identity(), [_about(s) for s in _stages(sequence)], options_of(sequence), judges])


def options_of(sequence: SequentialEvaluator) -> Any:
    """The options that count, stage by stage, as the configuration has them."""
    return _options(sequence.cfg)


def cards_for(sequence: SequentialEvaluator, judges: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The card of a chain; where there is none, the cards of the chains that it joins.

    Args:
        sequence: the chain.
        judges: the identities of its judges by name.
    """
    card = find(sequence, [judges[name] for name in sequence.judges])
    if card is not None:
        return [card]
    last = sequence.stages[-1]
    if len(sequence.stages) > 1 or not isinstance(last, Join) or isinstance(last, Panel):
        return []
    found = [card for chain in last.chains for card in cards_for(chain, judges)]
    return [card for n, card in enumerate(found) if card not in found[:n]]


def find(sequence: SequentialEvaluator, judges: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The newest card of exactly this chain; None: there is none."""
    files = [file for folder in folders(sequence) for file in sorted(folder.glob("*.json"))]
    if not files:
        return None
    identity = identity_of(sequence, judges)
    found = [card for card in map(load, files) if card is not None and card["identity"] == identity]
    return max(found, key=lambda card: str(card["date"]), default=None)


def folders(sequence: SequentialEvaluator) -> list[Path]:
    """Where cards of a chain may lie: beside the modules of its evaluators, and in the user's folder."""
    beside = (getattr(sys.modules.get(type(s).__module__), "__file__", None) for s in _stages(sequence))
    return list(dict.fromkeys([*(Path(file).parent / "cards" for file in beside if file), cards_folder()]))


def load(file: Path) -> dict[str, Any] | None:
    """The card in a file; None: it is none, or none that this version reads."""
    try:
        card = json.loads(file.read_text("utf-8"))
        texts = all(isinstance(card[key], str) for key in ("name", "evaluator", "identity", "date"))
        return dict(card) if card["schema"] == SCHEMA and texts and all(map(_is_figure, _figures(card))) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def shown(card: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in a report: names, identity, n, each share as [value, low, high], and what it was made of."""
    figures = {name: [card["figures"][name][key] for key in ("value", "low", "high")] for name in FIGURES}
    about = {key: card[key] for key in ("name", "evaluator", "identity", "n", "date")}
    at = {} if card.get("threshold") is None else {"threshold": card["threshold"]}
    made = {"file": str(card["data"].get("file") or "")[:80], "mmte": str(card.get("mmte") or "")[:20]}
    return {**about, **figures, **at, "data": card["data"]["sha256"], **{k: text for k, text in made.items() if text}}


def brief(card: Mapping[str, Any]) -> str:
    """A shown card in a few words: `refusal: sens 0.97, spec 1.00, n 441`."""
    sens, spec = (_rounded(card[name][0]) for name in ("sensitivity", "specificity"))
    at = f" at {card['threshold']:g}" if "threshold" in card else ""
    return f"{card['name']}{at}: sens {sens}, spec {spec}, n {card['n']}"


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _figures(card: Mapping[str, Any]) -> list[Any]:
    return [card["figures"][name] for name in FIGURES if isinstance(card["data"]["sha256"], str)]


def _is_figure(figure: Mapping[str, Any]) -> bool:
    values = [figure[key] for key in ("value", "low", "high")]
    return all(v is None or (isinstance(v, (int, float)) and 0 <= v <= 1) for v in values)


# -- identity ------------------------------------------------------------------------------------
def _stages(sequence: SequentialEvaluator) -> Iterator[BaseEvaluator]:
    """Every evaluator of a chain and of the chains that it joins; of a panel's copies, one."""
    for stage in sequence.stages:
        if isinstance(stage, Panel):
            yield from _stages(stage.rest)
        elif isinstance(stage, Join):
            for chain in stage.chains:
                yield from _stages(chain)
        else:
            yield stage


def _about(stage: BaseEvaluator) -> list[Any]:
    return [stage.evaluator_id, type(stage).__qualname__, _code(type(stage).__module__)]


def _options(cfg: Any) -> Any:
    """A chain as the configuration has it, without what changes no verdict."""
    if isinstance(cfg, (list, tuple)):
        parts = [_options(part) for part in cfg]
        return [entry for part in parts for entry in (part if isinstance(part, list) else [part])]
    out: list[Any] = []
    for name, options in cfg.items():
        if name in ("metrics_cfg", "direction", "thresholds", "name", "multitrust"):
            continue
        if isinstance(options, (list, tuple)):  # a join
            out.append([name, [_options(chain) for chain in options]])
        else:
            out.append([name, {k: v for k, v in (options or {}).items() if k not in _IDLE}])
    return out


@cache
def _code(module: str) -> str:
    """A digest of a module's source, and of those of this package that it is made of."""
    sources: dict[str, str] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        if name in sources or name in _FRAME:
            continue
        sources[name] = _source(name)
        todo += _IMPORT.findall(sources[name])
    texts = "\0".join(f"{name}\0{sources[name]}" for name in sorted(sources))
    return hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()


def _source(module: str) -> str:
    """The source of a module with plain line ends; "" where there is none."""
    try:
        spec = find_spec(module)
        file = Path(spec.origin or "") if spec is not None else Path()
        text = file.read_text("utf-8") if file.is_file() else inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError, ValueError):
        return ""
    return "\n".join(text.splitlines())
