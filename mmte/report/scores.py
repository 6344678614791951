"""The score tree: results combined into scores of tasks, empty where a part is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError

HEAD: Final = "# mmte.scores/1"
UNDEFINED: Final = "undefined"
"""The key of an estimate that has no value and counts as 0."""
LEVELS: Final = ("task", "sub-aspect", "aspect", "total")
"""What a score is about; one is made of scores of its own level or of lower ones."""

Numbers = Sequence[float]
Function = Callable[[Sequence[Any], Numbers], Any]


def _mean(values: Sequence[Any], _: Numbers) -> Any:
    return sum(values) / len(values)


def _weighted(values: Sequence[Any], weights: Numbers) -> Any:
    return sum(v * w for v, w in zip(values, weights, strict=True))


def _scaled(values: Sequence[Any], ends: Numbers) -> Any:
    return (values[0] - ends[0]) / (ends[1] - ends[0])


def _largest(values: Sequence[Any], _: Numbers) -> Any:
    import numpy as np

    return np.maximum.reduce(values)


def _smallest(values: Sequence[Any], _: Numbers) -> Any:
    import numpy as np

    return np.minimum.reduce(values)


def _or_zero(values: Sequence[Any], _: Numbers) -> Any:
    import numpy as np

    return np.where(np.isnan(values[0]), 0.0, values[0])


def _printed(values: Sequence[Any], form: Numbers) -> Any:
    import numpy as np

    scale, digits = form[0], int(form[1])
    if np.ndim(values[0]):  # resamples: here the last bit does not matter, and texts would cost seconds
        return np.round(np.asarray(values[0]) * scale, digits) / scale
    return float(f"{values[0] * scale:.{digits}f}") / scale


def _largest_text(values: Sequence[Any], _: Numbers) -> Any:
    import numpy as np

    def last(*row: float) -> float:
        return float(max((f"{100 * value:.2f}" for value in row if not isnan(value)), default="nan")) / 100

    return np.vectorize(last, otypes=[float])(*values)


FUNCTIONS: Final[dict[str, Function]] = {
    "mean": _mean,
    "weighted_mean": _weighted,
    "complement": lambda values, _: 1 - values[0],
    "scaled": _scaled,
    "largest": _largest,
    "smallest": _smallest,
    "zero_if_undefined": _or_zero,
    "printed": _printed,
    "largest_text": _largest_text,
}
"""Of the values (numbers, or arrays of equal shape) and the numbers that the file gives: the weights, the ends, or the
scale and the digits that a number is written with.

Each grows with every value, so bounds go through them end by end; but `complement`, which falls, and `largest_text`,
the percentage whose text sorts last, which is one of its values. The last three are of the multitrust reading.
"""


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
    """A named function of parts, other scores, or functions of them; `numbers` are its weights or its ends."""

    function: str
    of: tuple[Part | Combined | str, ...]
    numbers: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A score: its name, title, aspect (a total has none) and level, and how it is made.

    `multitrust` is how MultiTrust makes it, where that differs; a text says why it makes none.
    """

    name: str
    title: str
    aspect: str
    level: str
    score: Combined
    multitrust: Combined | str | None = None


Found = Mapping[Part, tuple[Mapping[str, Any], Mapping[str, Any]]]
"""The result and the estimate of each part of a score."""
Combine = Callable[[Sequence[Any]], Any]
Around = Callable[[Found, Combine, str], tuple[float | None, float | None, str]]
"""Low, high and method of a score's interval; None, None, "" for none.

Called with the parts, how their values (in the order of the parts) combine, and the score's name, for a seed."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a model.

    `value` is None where a part is missing; `missing` then says which, and why. `bounds` are the lowest and
    highest value that the answers without a score could have led to (None: unknown); `n` of `expected` answers
    went in. `low` and `high` are a 95 % interval by `method`, where there is one. `parts` are the values of the
    results that it is made of.
    """

    name: str
    title: str
    aspect: str
    level: str
    model: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    bounds: tuple[float, float] | None
    n: int
    expected: int
    parts: Mapping[str, float | None]
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


class ScoreTree:
    """The scores of a file; `scores` makes them of the results of a report.

    Args:
        nodes: by name.
        none: scores that this reading does not make, and why: they are empty.
    """

    def __init__(self, nodes: Mapping[str, Node], none: Mapping[Node, str] | None = None) -> None:
        self.nodes, self.none = dict(nodes), dict(none or {})

    def parts(self, name: str) -> list[Part]:
        """The results that a score is made of, each once, in the order of the file."""
        return list(dict.fromkeys(self._parts(self.nodes[name].score)))

    def scores(
        self, results: Sequence[Mapping[str, Any]], around: Around | None = None, notes: Sequence[str] = ()
    ) -> list[Score]:
        """Every score of every model, by name, among the results of a report (`report.json`, key `results`).

        Args:
            results: the rows.
            around: makes the intervals; None: there are none.
            notes: what a reader of every score must know, beside the notes of its results.
        """
        models = sorted({row["model"] for row in results if row.get("model")})
        return [score for model in models for score in self._of(model, results, around, notes)]

    def _of(
        self, model: str, results: Sequence[Mapping[str, Any]], around: Around | None, notes: Sequence[str]
    ) -> Iterator[Score]:
        rows = {(r["task"], r["dataset"], r["sequence"]): r for r in results if r["model"] == model}
        for node, why in self.none.items():
            about = node.name, node.title, node.aspect, node.level, model
            yield Score(*about, None, None, None, "", None, 0, 0, {}, (why,))
        for node in self.nodes.values():
            zero = set(_defaulted(node.score, self.nodes))
            looked = {part: _find(part, rows, part in zero) for part in self.parts(node.name)}
            found = {part: (row, e) for part, (row, e, why) in looked.items() if row and e and not why}
            used = [estimate for _, estimate, _ in looked.values() if estimate is not None]
            whole = len(found) == len(looked)
            value = low = high = bounds = None
            method = ""
            if whole:
                value = self._value(node.score, {part: e["value"] for part, (_, e) in found.items()})
                bounds = self._bounds(node.score, {part: _ends(e) for part, (_, e) in found.items()})
            if whole and around:
                low, high, method = around(found, self._combine(node), node.name)
                if value is not None and low is not None and high is not None:
                    low, high = self._within(node, found, float(value), low, high)
            told = [str(note) for row, _, _ in looked.values() if row for note in row.get("notes", ())]
            if undefined := sum(UNDEFINED in estimate for _, estimate in found.values()):
                told.append(f"{undefined} of {len(looked)} parts are undefined and count as 0")
            yield Score(
                name=node.name,
                title=node.title,
                aspect=node.aspect,
                level=node.level,
                model=model,
                value=None if value is None else float(value),
                low=low,
                high=high,
                method=method,
                bounds=bounds,
                n=sum(estimate["n"] or 0 for estimate in used),
                expected=sum(estimate["expected"] or 0 for estimate in used),
                parts={part.of(model): found[part][1]["value"] if part in found else None for part in looked},
                missing=tuple(f"{part.of(model)}: {why}" for part, (_, _, why) in looked.items() if why),
                notes=tuple(dict.fromkeys([*notes, *told] if any(row for row, _, _ in looked.values()) else told)),
            )

    def _within(
        self, node: Node, found: Mapping[Part, Any], value: float, low: float, high: float
    ) -> tuple[float, float]:
        """The interval without what no answers could lead to: adding the parts' own intervals may go beyond that."""
        ends = {part: _range_of(part, row) for part, (row, _) in found.items()}
        least, most = self._bounds(node.score, ends) or (low, high)
        return min(max(low, least), value), max(min(high, most), value)

    def _combine(self, node: Node) -> Combine:
        parts = self.parts(node.name)
        return lambda values: self._value(node.score, dict(zip(parts, values, strict=True)))

    def _parts(self, combined: Combined) -> Iterator[Part]:
        for item in combined.of:
            if isinstance(item, Part):
                yield item
            else:
                yield from self._parts(item if isinstance(item, Combined) else self.nodes[item].score)

    def _value(self, item: Part | Combined | str, values: Mapping[Part, Any]) -> Any:
        if isinstance(item, Part):
            return values[item]
        combined = self.nodes[item].score if isinstance(item, str) else item
        return FUNCTIONS[combined.function]([self._value(i, values) for i in combined.of], combined.numbers)

    def _bounds(
        self, item: Part | Combined | str, ends: Mapping[Part, tuple[float, float] | None]
    ) -> tuple[float, float] | None:
        if isinstance(item, Part):
            return ends[item]
        combined = self.nodes[item].score if isinstance(item, str) else item
        inner = [end for i in combined.of if (end := self._bounds(i, ends)) is not None]
        if len(inner) < len(combined.of):
            return None
        if combined.function == "largest_text" and any(low < high for low, high in inner):
            return min(low for low, _ in inner), max(high for _, high in inner)
        function = FUNCTIONS[combined.function]
        low, high = (float(function([end[side] for end in inner], combined.numbers)) for side in (0, 1))
        return min(low, high), max(low, high)


def load_scores(path: Path) -> ScoreTree:
    """Read a file of scores (`benchmarks/scores.yaml`).

    Raises:
        MmteError: one line with file, line and key: an unknown key, function or score, a part that is none, weights
            that do not add up to 1, ends that are none, a score made of one of a higher level, or of itself.
    """
    from mmte.report.scores_file import read_nodes

    return ScoreTree(read_nodes(path))


def _defaulted(item: Part | Combined | str, nodes: Mapping[str, Node]) -> Iterator[Part]:
    """The parts that are 0 where they are undefined."""
    if not isinstance(item, Part):
        combined = nodes[item].score if isinstance(item, str) else item
        for inner in combined.of:
            if isinstance(inner, Part) and combined.function == "zero_if_undefined":
                yield inner
            yield from _defaulted(inner, nodes)


def _find(
    part: Part, rows: Mapping[tuple[str, str, str], Mapping[str, Any]], zero: bool = False
) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None, str]:
    """A part's result and estimate, and why they cannot be used (empty: they can); `zero`: no value counts as 0."""
    row = rows.get((part.task, part.dataset, part.sequence))
    if row is None:
        return None, None, "not in the report"
    named = [e for e in row["estimates"] if (e["metric"], e["subset"]) == (part.metric, part.subset)]
    if not named:
        why = row.get("problem") or row.get("reason")
        if not why and not row["estimates"] and row["outcome"] != "recorded":
            return row, None, str(row["outcome"])
        return row, None, f"{row['outcome']}: {why}" if why else "has no such metric"
    if named[-1]["value"] is None:
        if zero and not row.get("problem"):
            return row, _as_zero(part, named[-1]), ""
        return row, named[-1], row.get("problem") or "has no value"
    return row, named[-1], ""


def _as_zero(part: Part, estimate: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate of a value that is undefined, counted as 0: it could be anything."""
    low, high = _range_of(part, {}) or (None, None)
    ends = [end for end in estimate["bounds"] or (low, high) if end is not None]
    bounds = (min(*ends, 0.0), max(*ends, 0.0)) if len(ends) == 2 else None
    return {**estimate, "value": 0.0, "bounds": bounds, "low": low, "high": high, UNDEFINED: True}


def _range_of(part: Part, row: Mapping[str, Any]) -> tuple[float, float] | None:
    """The range of a part's metric: its own, else that of what its evaluators may say; None: unknown."""
    from mmte.evaluators.metrics import metric_for

    try:
        metric = metric_for(part.metric)
    except MmteError:  # of a package that is not installed here
        return None
    if metric.low is not None and metric.high is not None:
        return metric.low, metric.high
    if metric.kind not in ("proportion", "mean"):
        return None
    if metric.link is not None:  # of hits of 0 and 1
        return metric.link(0.0), metric.link(1.0)
    known = None if metric.hits is not None else row.get("value_range")
    return (float(known[0]), float(known[1])) if known else None


def _ends(estimate: Mapping[str, Any]) -> tuple[float, float] | None:
    """The lowest and highest value that was possible; None: unknown."""
    bounds = estimate["bounds"]
    if bounds is None or None in bounds:
        return None
    return min(bounds), max(bounds)
