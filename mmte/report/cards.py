"""Cards of a result's evaluators as text: what they scored against human labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from mmte.evaluators.card import brief
from mmte.report.text import clean

_SHARES: Final = ("sensitivity", "specificity", "unparsed")


def card_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Each card of a row of a report in three lines; one that cannot be read is left out."""
    return (clean(line) for lines in _each(row, _lines) for line in lines)


def card_mark(row: Mapping[str, Any]) -> str:
    """The cards of a row in a few words, "" where it has none: `card refusal: sens 0.97, spec 1.00, n 441`."""
    return clean("; ".join(f"card {told}" for told in _each(row, brief)))


def _each(row: Mapping[str, Any], tell: Callable[[Any], Any]) -> Iterator[Any]:
    cards = row.get("cards")
    for card in cards if isinstance(cards, list) else ():
        try:
            yield tell(card)
        except (LookupError, TypeError, ValueError, AttributeError):  # of another version
            continue


def _lines(card: Mapping[str, Any]) -> list[str]:
    at = f", where {card['threshold']:g} or more means yes" if "threshold" in card else ""
    file = f"{card['file']}, " if card.get("file") else ""
    by = f" by mmte {card['mmte']}" if card.get("mmte") else ""
    return [
        f"  card {card['name']}: {card['evaluator']} against human labels{at}",
        "    " + ", ".join(f"{name} {_figure(*card[name])}" for name in _SHARES),
        f"    {file}{card['n']} answers, sha256 {card['data'][:16]}; made {card['date'][:10]}{by}",
    ]


def _figure(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} [{low:.3f}, {high:.3f}]"
