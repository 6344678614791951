"""Scores of tasks as lines: by aspect, with interval, n and bounds, or what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mmte.report.table import Line
from mmte.report.text import clean
from mmte.types import ASPECTS

_NAMED = 2
"""Missing parts that a line names; the report has them all."""


def begun(scores: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The scores of which a part was an item of the run; above tasks, half of the parts: others would drown them."""
    cases = {row["case"] for row in rows}

    def told(score: Mapping[str, Any]) -> bool:
        asked = sum(_case(part) in cases for part in score["parts"])
        return bool(asked) and (score["level"] == "task" or 2 * asked >= len(score["parts"]))

    return [score for score in scores if told(score)]


def score_lines(scores: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """Lines with their styles for pytest's terminal writer, the models of a score below each other."""
    width = min(72, max((len(_title(score)) for score in scores), default=0)) + 2
    for aspect in (*ASPECTS, ""):
        names = list(dict.fromkeys(score["name"] for score in scores if score["aspect"] == aspect))
        found = sorted((s for s in scores if s["aspect"] == aspect), key=lambda s: names.index(s["name"]))
        if found:
            head = " {:>9} {:>19} {:>9}  {}".format("score", "95 % interval", "n", "bounds")
            yield f"{(aspect or 'overall').ljust(width)}{head}", {"bold": True}
        for score in found:
            yield _line(score, width), {"yellow" if score["value"] is None else "cyan": True}


def score_details(score: Mapping[str, Any]) -> Iterator[str]:
    """A score with each of its parts, as lines."""
    for text, _ in score_lines([score]):
        yield text
    for part, value in score["parts"].items():
        told = next((text for text in score["missing"] if text.startswith(f"{part}: ")), part)
        yield f"  {clean(told)}" if value is None else f"  {clean(part)} = {value:.3f}"


def score_markdown(scores: Sequence[Mapping[str, Any]]) -> str:
    """The scores for a CI's summary page; empty without scores."""
    if not scores:
        return ""
    lines = ["| task score | value | 95 % interval | bounds | n | |", "|---|---|---|---|---|---|"]
    for score in scores:
        interval, bounds = _intervals(score)
        note = _empty(score) if score["value"] is None else "; ".join(score["notes"])
        cells = [_title(score), _number(score["value"]), interval, bounds, _n(score), note]
        lines.append("| " + " | ".join(clean(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n\n"


def _line(score: Mapping[str, Any], width: int) -> str:
    title = _title(score).ljust(width)
    if score["value"] is None:
        return f"{title} {clean(_empty(score))}"
    interval, bounds = _intervals(score)
    notes = f"  ({'; '.join(score['notes'])})" if score["notes"] else ""
    return f"{title} {_number(score['value']):>9} {interval:>19} {_n(score):>9}  {bounds}{clean(notes)}"


def _empty(score: Mapping[str, Any]) -> str:
    """Which parts are missing: the first ones, by their case ids without the model; or why there is no such score."""
    if not score["parts"]:
        return f"empty: {score['missing'][0]}"
    cases = dict.fromkeys(_case(text).removesuffix(f"/{score['model']}]") + "]" for text in score["missing"])
    named = ", ".join([*list(cases)[:_NAMED], *["..."] * (len(cases) > _NAMED)])
    return f"empty: missing {len(score['missing'])} of {len(score['parts'])} parts: {named}"


def _title(score: Mapping[str, Any]) -> str:
    title = "" if score["title"] == score["name"] else f" {score['title']}"
    return clean(f"{score['name']}[{score['model']}]{title}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _intervals(score: Mapping[str, Any]) -> list[str]:
    """The interval and the bounds."""
    pairs = (score["low"], score["high"]), score["bounds"] or (None, None)
    return ["-" if low is None or high is None else f"[{low:.3f}, {high:.3f}]" for low, high in pairs]


def _n(score: Mapping[str, Any]) -> str:
    return str(score["n"]) if score["n"] == score["expected"] else f"{score['n']}/{score['expected']}"


def _case(part: str) -> str:
    """The case id that a part's name begins with."""
    return part.partition("]:")[0] + "]"
