"""Scores as lines, by aspect or as a tree: with interval, n and bounds, or what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mmte.report.scores import LEVELS
from mmte.report.table import Line
from mmte.report.text import clean
from mmte.types import ASPECTS, REASONS

_NAMED = 2
"""Missing parts that a line names; the report has them all."""
_NO_VALUE = "has no value"
"""What a score says of a part whose result has the metric, but without a value (`mmte.report.scores`)."""


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
            yield _head(aspect, width), {"bold": True}
        for score in found:
            yield _line(score, width), {"yellow" if score["value"] is None else "cyan": True}


def score_details(
    score: Mapping[str, Any], scores: Sequence[Mapping[str, Any]] = (), rows: Sequence[Mapping[str, Any]] = ()
) -> Iterator[str]:
    """A score as a tree of lines: the scores that it is made of, and their parts with values, or why there is none.

    Args:
        score: the one at the top.
        scores: those of the report; the ones that it is made of are told by their levels and parts.
        rows: the results of the report; why a part has no value is looked up there.
    """
    tree = list(_tree(score, [s for s in scores if s["model"] == score["model"]]))
    width = min(72, max(2 * depth + len(_title(s)) for depth, s, part in tree if part is None)) + 2
    results = {row["case"]: row for row in rows}
    yield _head(score["aspect"], width)
    for depth, inner, part in tree:
        indent = "  " * depth
        if part is not None:
            yield f"{indent}{clean(_part(part, inner, results))}"
        elif depth and inner["value"] is None:  # which parts are missing is told below it
            title = (indent + _title(inner)).ljust(width)
            yield f"{title} empty: missing {len(inner['missing'])} of {len(inner['parts'])} parts"
        else:
            yield _line(inner, width, indent)


def _tree(
    score: Mapping[str, Any], scores: Sequence[Mapping[str, Any]], depth: int = 0
) -> Iterator[tuple[int, Mapping[str, Any], str | None]]:
    """Depth and score of each line, and the part, where it tells one of the score's parts."""
    yield depth, score, None
    below = _below(score, scores)
    for inner in below:
        yield from _tree(inner, scores, depth + 1)
    told = {part for inner in below for part in inner["parts"]}
    for part in score["parts"]:
        if part not in told:
            yield depth + 1, score, part


def _below(score: Mapping[str, Any], scores: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The scores that one is made of: those of higher levels first, then in the order of the report.

    A report does not have the formulas. They are the largest scores of lower levels all of whose parts are among those
    of the score: what lies within one of them belongs to that one.
    """
    lower = [s for s in scores if s["parts"] and _rank(s) < _rank(score) and s["parts"].keys() <= score["parts"].keys()]
    found: list[int] = []
    for n in sorted(range(len(lower)), key=lambda n: (-len(lower[n]["parts"]), -_rank(lower[n]))):
        if not any(lower[n]["parts"].keys() <= lower[m]["parts"].keys() for m in found):
            found.append(n)
    return [lower[n] for n in sorted(found, key=lambda n: (-_rank(lower[n]), n))]


def _rank(score: Mapping[str, Any]) -> int:
    return LEVELS.index(score["level"]) if score["level"] in LEVELS else 0


def _part(part: str, score: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]) -> str:
    """A part with its value, or why it has none: as the score says it, or where that is little, its result."""
    value = score["parts"][part]
    if value is not None:
        return f"{part} = {value:.3f}"
    told = next((text for text in score["missing"] if text.startswith(f"{part}: ")), f"{part}: {_NO_VALUE}")
    if told != f"{part}: {_NO_VALUE}":
        return told
    return ": ".join(filter(None, [told, _why(results.get(_case(part)) or {})]))


def _why(row: Mapping[str, Any]) -> str:
    """Why a result has no value: its problem or reason, or how many answers had which verdict."""
    why = row.get("problem") or row.get("reason")
    if why:
        return str(why)
    counts = row.get("counts") or {}
    unscored = ", ".join(f"{counts[r]} {r}" for r in REASONS if r != "scored" and counts.get(r))
    few = "too few scored answers, or all the same" if counts.get("scored") else ""
    return "; ".join(filter(None, [few, unscored]))


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


def _head(aspect: str, width: int) -> str:
    head = " {:>9} {:>19} {:>9}  {}".format("score", "95 % interval", "n", "bounds")
    return f"{(clean(aspect) or 'overall').ljust(width)}{head}"


def _line(score: Mapping[str, Any], width: int, indent: str = "") -> str:
    title = (indent + _title(score)).ljust(width)
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


def score_id(score: Mapping[str, Any]) -> str:
    """What the table calls a score: `NAME[MODEL]`."""
    return f"{score['name']}[{score['model']}]"


def _title(score: Mapping[str, Any]) -> str:
    title = "" if score["title"] == score["name"] else f" {score['title']}"
    return clean(score_id(score) + title)


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
