"""Files of scores: read, and checked to the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import fsum, isclose, isfinite
from pathlib import Path
from typing import Any, Final

from mmte.errors import near
from mmte.evaluators.scoring import OVERRIDE
from mmte.report.scores import FUNCTIONS, LEVELS, Combined, Node, Part
from mmte.tasks import yamlfile
from mmte.tasks.checks import Checks
from mmte.tasks.yamlfile import Where
from mmte.types import ASPECTS

_KEYS: Final = ("title", "aspect", "level", "score", OVERRIDE)
_OF_ONE: Final = ("complement", "zero_if_undefined")
_FRACTION: Final = re.compile(r"\d+/[1-9]\d*")
_PART: Final = re.compile(r"([\w.+-]+)\[([\w.+-]+)/([\w.+-]+)\]:([\w.+-]+)(?:/(.+))?")


def read_nodes(path: Path) -> dict[str, Node]:
    """The scores of a file by name; errors as in `mmte.report.scores.load_scores`."""
    return _Reader(yamlfile.load(path)).read()


class _Reader(Checks):
    """Checks one document."""

    names: list[str]

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
        others = {n: replace(node, score=m) if isinstance(m := node.multitrust, Combined) else node
                  for n, node in nodes.items()}  # fmt: skip
        for name in nodes:
            for key, of in (("score", nodes), (OVERRIDE, others)):
                self._refuse_circle(of, name, (), key)
                self._refuse_higher(of, of[name], key)
        return nodes

    def _node(self, name: str, about: Any) -> Node:
        where: Where = ("scores", name)
        checked = self.mapping(where, about)
        self.known(where, checked, _KEYS)
        level = self.one_of((*where, "level"), checked.get("level", "task"), LEVELS)
        aspect = checked.get("aspect")
        if level != "total":
            self.one_of((*where, "aspect"), aspect, ASPECTS)
        elif aspect is not None:
            raise self.doc.error((*where, "aspect"), "a total has no aspect: leave the key out")
        title = checked.get("title", name)
        self.text((*where, "title"), title)
        other = checked.get(OVERRIDE)
        return Node(
            name, title, aspect or "", level, self._score((*where, "score"), checked.get("score")),
            other if other is None else self._override((*where, OVERRIDE), other),
        )  # fmt: skip

    def _score(self, where: Where, given: Any) -> Combined:
        found = self._item(where, given)
        return found if isinstance(found, Combined) else Combined("mean", (found,))

    def _override(self, where: Where, given: Any) -> Combined | str:
        """How MultiTrust makes the score (a function), or why it makes none (a text)."""
        return given if isinstance(given, str) and given.strip() else self._score(where, given)

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
        if function == "weighted_mean":
            entries = inner if isinstance(inner, list) else [None]
            if not all(isinstance(entry, dict) and set(entry) == {"weight", "of"} for entry in entries):
                raise self.doc.error(at, "needs a list of {weight: NUMBER, of: PART}")
            weights = tuple(self._weight((*at, n, "weight"), entry["weight"]) for n, entry in enumerate(inner))
            if not isclose(fsum(weights), 1, abs_tol=1e-9):
                raise self.doc.error(at, f"the weights add up to {fsum(weights):g}, not to 1")
            return Combined(function, tuple(self._item((*at, n, "of"), e["of"]) for n, e in enumerate(inner)), weights)
        if function == "scaled":
            if not isinstance(inner, dict) or set(inner) != {"of", "from"}:
                raise self.doc.error(at, "needs {of: PART, from: [LOW, HIGH]}, the range that becomes 0 to 1")
            ends = self._range((*at, "from"), inner["from"])
            return Combined(function, (self._item((*at, "of"), inner["of"]),), ends)
        if function == "printed":
            if not isinstance(inner, dict) or set(inner) != {"of", "scale", "digits"}:
                raise self.doc.error(at, "needs {of: PART, scale: NUMBER, digits: NUMBER}: 100 and 2 for a percentage")
            form = tuple(self._weight((*at, key), inner[key], most) for key, most in (("scale", 1000), ("digits", 15)))
            if form[1] % 1:
                raise self.doc.error((*at, "digits"), f"must be a whole number, not {inner['digits']!r}")
            return Combined(function, (self._item((*at, "of"), inner["of"]),), form)
        if function in _OF_ONE:
            return Combined(function, (self._item(at, inner),))
        parts = self.items(at, [inner] if isinstance(inner, str) else inner, "part")
        named = [((*at, n), one) for n, part in enumerate(parts) for one in expanded(part)]
        return Combined(function, tuple(self._item(where, one) for where, one in named))

    def _weight(self, where: Where, value: Any, most: int = 1) -> float:
        number = Fraction(value) if isinstance(value, str) and _FRACTION.fullmatch(value) else value
        if isinstance(number, bool) or not isinstance(number, (int, float, Fraction)) or not 0 < number <= most:
            like = ", as 0.4 or 2/5" if most == 1 else ""
            raise self.doc.error(where, f"must be a number above 0 and up to {most}{like}, not {value!r}")
        return float(number)

    def _range(self, where: Where, value: Any) -> tuple[float, ...]:
        numbers = value if isinstance(value, list) else []
        good = all(isinstance(n, (int, float)) and not isinstance(n, bool) and isfinite(n) for n in numbers)
        if not good or len(numbers) != 2 or not numbers[0] < numbers[1]:
            raise self.doc.error(where, f"must be two numbers [LOW, HIGH], the low one first, not {value!r}")
        return tuple(map(float, numbers))

    def _refuse_higher(self, nodes: Mapping[str, Node], node: Node, key: str) -> None:
        for inner in named_scores(node.score):
            level = nodes[inner].level
            if LEVELS.index(level) > LEVELS.index(node.level):
                what = f"is of level {node.level} and made of '{inner}' of level {level}"
                raise self.doc.error(("scores", node.name, key), f"{what}; the levels are {', '.join(LEVELS)}")

    def _refuse_circle(self, nodes: Mapping[str, Node], name: str, above: tuple[str, ...], key: str) -> None:
        if name in above:
            raise self.doc.error(("scores", name, key), f"leads back to itself: {' -> '.join((*above, name))}")
        for inner in named_scores(nodes[name].score):
            self._refuse_circle(nodes, inner, (*above, name), key)


def expanded(item: Any) -> Iterator[Any]:
    """An entry of a list, or several where a part's name has `{one,another}`: one for each of those words."""
    if isinstance(item, str):
        before, brace, rest = item.partition("{")
        words, end, after = rest.partition("}")
        if not brace or not end:
            yield item
            return
        for word in words.split(","):
            yield from expanded(before + word.strip() + after)
    elif isinstance(item, dict) and len(item) == 1 and isinstance(inner := next(iter(item.values())), str):
        function = next(iter(item))
        yield from ({function: part} for part in (expanded(inner) if function in _OF_ONE else [inner]))
    elif isinstance(item, dict) and isinstance(scaled := item.get("scaled"), dict) and len(item) == 1:
        yield from ({"scaled": {**scaled, "of": part}} for part in expanded(scaled.get("of")))
    else:
        yield item


def named_scores(combined: Combined) -> Iterator[str]:
    for item in combined.of:
        if isinstance(item, str):
            yield item
        elif isinstance(item, Combined):
            yield from named_scores(item)
