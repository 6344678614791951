"""The score tree: results combined into scores of tasks, empty where a part is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isclose
from pathlib import Path
from typing import Any, Final

from mmte.errors import near
from mmte.tasks import yamlfile
from mmte.tasks.checks import Checks
from mmte.tasks.yamlfile import Where
from mmte.types import ASPECTS

HEAD: Final = "# mmte.scores/1"
_KEYS: Final = ("title", "aspect", "score")
_PART: Final = re.compile(r"([\w.+-]+)\[([\w.+-]+)/([\w.+-]+)\]:([\w.+-]+)(?:/(.+))?")

Values = Sequence[float]
Function = Callable[[Values, Values], float]


def _weighted(values: Values, weights: Values) -> float:
    return fsum(v * w for v, w in zip(values, weights, strict=True))


FUNCTIONS: Final[dict[str, Function]] = {
    "mean": lambda values, _: fsum(values) / len(values),
    "weighted_mean": _weighted,
    "complement": lambda values, _: 1 - values[0],
    "largest": lambda values, _: max(values),
    "smallest": lambda values, _: min(values),
}
"""Each grows with every value, but `complement`, which falls: so bounds go through them end by end."""


@dataclass(frozen=True, slots=True)
class Part:
    """A metric of a result: `task[dataset/sequence]:metric` or `...:metric/subset`."""

    task: str
    dataset: str
    sequence: str
    metric: str
    subset: str = ""

    def of(self, model: str) -> str:
        """Its name with the model, which begins with the case id."""
        metric = f"{self.metric}/{self.subset}" if self.subset else self.metric
        return f"{self.task}[{self.dataset}/{self.sequence}/{model}]:{metric}"


@dataclass(frozen=True, slots=True)
class Combined:
    """A named function of parts, other scores, or functions of them."""

    function: str
    of: tuple[Part | Combined | str, ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A score: its name, title, aspect, and how it is made."""

    name: str
    title: str
    aspect: str
    score: Combined


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a model.

    `value` is None where a part is missing; `missing` then says which, and why. `bounds` are the lowest and
    highest value that the answers without a score could have led to (None: unknown); `n` of `expected` answers
    went in. `parts` are the values of the results that it is made of.
    """

    name: str
    title: str
    aspect: str
    model: str
    value: float | None
    bounds: tuple[float, float] | None
    n: int
    expected: int
    parts: Mapping[str, float | None]
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


class ScoreTree:
    """The scores of a file; `scores` makes them of the results of a report."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self.nodes = dict(nodes)

    def parts(self, name: str) -> list[Part]:
        """The results that a score is made of, each once, in the order of the file."""
        return list(dict.fromkeys(self._parts(self.nodes[name].score)))

    def scores(self, results: Sequence[Mapping[str, Any]]) -> list[Score]:
        """Every score of every model among the results of a report (`report.json`, key `results`)."""
        models = dict.fromkeys(row["model"] for row in results if row.get("model"))
        return [score for model in models for score in self._of(model, results)]

    def _of(self, model: str, results: Sequence[Mapping[str, Any]]) -> Iterator[Score]:
        rows = {(r["task"], r["dataset"], r["sequence"]): r for r in results if r["model"] == model}
        for node in self.nodes.values():
            parts = self.parts(node.name)
            found = {part: _find(part, rows) for part in parts}
            used = [estimate for estimate, _ in found.values() if estimate is not None]
            missing = tuple(f"{part.of(model)}: {why}" for part, (_, why) in found.items() if why)
            notes = dict.fromkeys(
                str(note)
                for part in parts
                for note in rows.get((part.task, part.dataset, part.sequence), {}).get("notes", ())
            )
            values = {part: estimate["value"] for part, (estimate, why) in found.items() if estimate and not why}
            ends = {part: _ends(estimate) for part, (estimate, why) in found.items() if estimate and not why}
            whole = not missing
            low_high = None
            if whole and (known := {part: end for part, end in ends.items() if end is not None}).keys() == ends.keys():
                low_high = self._bounds(node.score, known)
            yield Score(
                name=node.name,
                title=node.title,
                aspect=node.aspect,
                model=model,
                value=self._value(node.score, values) if whole else None,
                bounds=low_high,
                n=sum(estimate["n"] or 0 for estimate in used),
                expected=sum(estimate["expected"] or 0 for estimate in used),
                parts={part.of(model): values.get(part) for part in parts},
                missing=missing,
                notes=tuple(notes),
            )

    def _parts(self, combined: Combined) -> Iterator[Part]:
        for item in combined.of:
            if isinstance(item, Part):
                yield item
            else:
                yield from self._parts(item if isinstance(item, Combined) else self.nodes[item].score)

    def _value(self, item: Part | Combined | str, values: Mapping[Part, float]) -> float:
        if isinstance(item, Part):
            return values[item]
        combined = self.nodes[item].score if isinstance(item, str) else item
        return FUNCTIONS[combined.function]([self._value(i, values) for i in combined.of], combined.weights)

    def _bounds(self, item: Part | Combined | str, ends: Mapping[Part, tuple[float, float]]) -> tuple[float, float]:
        if isinstance(item, Part):
            return ends[item]
        combined = self.nodes[item].score if isinstance(item, str) else item
        inner = [self._bounds(i, ends) for i in combined.of]
        low, high = (FUNCTIONS[combined.function]([end[side] for end in inner], combined.weights) for side in (0, 1))
        return min(low, high), max(low, high)


def load_scores(path: Path) -> ScoreTree:
    """Read a file of scores (`benchmarks/scores.yaml`).

    Raises:
        MmteError: one line with file, line and key: an unknown key, function or score, a part that is none, weights
            that do not add up to 1, or scores that lead back to themselves.
    """
    return ScoreTree(_Reader(yamlfile.load(path)).read())


class _Reader(Checks):
    """Checks one document."""

    def read(self) -> dict[str, Node]:
        """The scores by name."""
        if not isinstance(self.data, dict):
            raise self.doc.error((), "a file of scores is a mapping with the key 'scores'")
        self.known((), self.data, ("scores",))
        table = self.mapping(("scores",), self.data.get("scores"), "a mapping of names to scores")
        if not table:
            raise self.doc.error((), "has no scores: write at least one below 'scores'")
        self.names = [self.name(("scores", str(name)), name) for name in table]
        nodes = {name: self._node(name, table[name]) for name in self.names}
        for name in nodes:
            self._refuse_circle(nodes, name, ())
        return nodes

    def _node(self, name: str, about: Any) -> Node:
        where: Where = ("scores", name)
        checked = self.mapping(where, about)
        self.known(where, checked, _KEYS)
        aspect = self.one_of((*where, "aspect"), checked.get("aspect"), ASPECTS)
        title = checked.get("title", name)
        self.text((*where, "title"), title)
        found = self._item((*where, "score"), checked.get("score"))
        return Node(name, title, aspect, found if isinstance(found, Combined) else Combined("mean", (found,)))

    def _item(self, where: Where, item: Any) -> Part | Combined | str:
        """A part, the name of a score, or a function of such."""
        if isinstance(item, str):
            if match := _PART.fullmatch(item):
                return Part(match[1], match[2], match[3], match[4], match[5] or "")
            if item not in self.names:
                what = "neither a part 'task[dataset/sequence]:metric' nor the name of a score"
                raise self.doc.error(where, f"{item!r} is {what}.{near(item, self.names)}")
            return item
        if not isinstance(item, dict) or len(item) != 1:
            raise self.doc.error(where, f"must be a part, the name of a score, or one function of a list, not {item!r}")
        function, inner = next(iter(item.items()))
        at = (*where, str(function))
        if function not in FUNCTIONS:
            raise self.doc.error(at, f"unknown function '{function}'.{near(function, FUNCTIONS)}")
        return self._function(at, str(function), inner)

    def _function(self, at: Where, function: str, inner: Any) -> Combined:
        weights: tuple[float, ...] = ()
        if function == "weighted_mean":
            entries = inner if isinstance(inner, list) else [None]
            if not all(isinstance(entry, dict) and set(entry) == {"weight", "of"} for entry in entries):
                raise self.doc.error(at, "needs a list of {weight: NUMBER, of: PART}")
            weights = tuple(self._weight((*at, n, "weight"), entry["weight"]) for n, entry in enumerate(inner))
            if not isclose(fsum(weights), 1, abs_tol=1e-9):
                raise self.doc.error(at, f"the weights add up to {fsum(weights):g}, not to 1")
            return Combined(function, tuple(self._item((*at, n, "of"), e["of"]) for n, e in enumerate(inner)), weights)
        if function == "complement":
            return Combined(function, (self._item(at, inner),))
        parts = self.items(at, inner, "part")
        return Combined(function, tuple(self._item((*at, n), part) for n, part in enumerate(parts)))

    def _weight(self, where: Where, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
            raise self.doc.error(where, f"must be a number above 0 and up to 1, not {value!r}")
        return float(value)

    def _refuse_circle(self, nodes: Mapping[str, Node], name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise self.doc.error(("scores", name, "score"), f"leads back to itself: {' -> '.join((*above, name))}")
        for inner in _named(nodes[name].score):
            self._refuse_circle(nodes, inner, (*above, name))


def _named(combined: Combined) -> Iterator[str]:
    for item in combined.of:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Combined):
            yield from _named(item)


def _find(part: Part, rows: Mapping[tuple[str, str, str], Mapping[str, Any]]) -> tuple[Mapping[str, Any] | None, str]:
    """A part's estimate, and why it cannot be used (empty: it can)."""
    row = rows.get((part.task, part.dataset, part.sequence))
    if row is None:
        return None, "not in the report"
    named = [e for e in row["estimates"] if (e["metric"], e["subset"]) == (part.metric, part.subset)]
    if not named:
        why = row.get("problem") or row.get("reason")
        return None, f"{row['outcome']}: {why}" if why else "has no such metric"
    if named[-1]["value"] is None:
        return named[-1], row.get("problem") or "has no value"
    return named[-1], ""


def _ends(estimate: Mapping[str, Any]) -> tuple[float, float] | None:
    """The lowest and highest value that was possible; None: unknown."""
    bounds = estimate["bounds"]
    if bounds is None or None in bounds:
        return None
    return min(bounds), max(bounds)
