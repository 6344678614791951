"""Reads boxes (left, top, right, bottom) from answers and labels, and how far two of them overlap."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

Box = tuple[float, float, float, float]
Units = Literal["parts", "pixels", "thousandths"]
UNITS: Final[Sequence[Units]] = ("parts", "pixels", "thousandths")

_MARKUP = re.compile(r"```[a-z]{0,12}|[`*\"'$\\\u201c\u201d\u2018\u2019]|\b(?:left|right|boxed)(?=[\[({])", re.I)
_NUMBER = r"[-+]?(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})(?:e[-+]?[0-9]{1,3})?"
_VALUE = re.compile(rf"({_NUMBER})(?: ?/ ?({_NUMBER}))? ?(%?)")
_NAMES: Final = (
    ("xmin", "x_min", "x1", "x0", "left", "xmin_norm"), ("ymin", "y_min", "y1", "y0", "top"),
    ("xmax", "x_max", "x2", "right"), ("ymax", "y_max", "y2", "bottom"),
)  # fmt: skip
_PLACE: Final = {name: place for place, names in enumerate(_NAMES) for name in names}
_NAMED = re.compile(rf"\b({'|'.join(sorted(_PLACE, key=len, reverse=True))}) ?[:=] ?")
_ORDER = re.compile(r"[\[({] ?(x[-_]?(?:min|1) ?, ?y[-_]?(?:min|1) ?, ?x[-_]?(?:max|2) ?, ?y[-_]?(?:max|2)) ?[\])}]")
_GROUP = re.compile(r"[\[({]([^\[\](){}]{1,400})[\])}]")
_BETWEEN_POINTS = re.compile(
    r"[\s,;]{0,4}(?:(?:to|and|-)\s{0,2})?(?:(?:the )?(?:bottom|lower)[ -]right(?: corner)?(?: is| at)?[ :=]{0,3})?"
)
_SPLIT = re.compile(r"\s*[,;]\s*|\s+")
_OPEN: Final = "[({"
_BARE = re.compile(rf"(?<![\w.,/%+-]){_VALUE.pattern}(?:(?: ?[,;] ?| ){_VALUE.pattern})+(?![\w/%])")
_NAMED_VALUE = re.compile(rf"{_NAMED.pattern}({_VALUE.pattern})(?![\w/%])")


def read_box(text: str, units: Units = "parts", size: Sequence[float] | None = None) -> Box | None:
    """The one box that an answer gives, in parts of the picture's width and height; None: there is not exactly one.

    Four numbers in brackets, in code or not; decimals, percentages or fractions a/b; named (x1=..., left:
    ...), as two points, or bare. Three or five numbers are no box, and neither are numbers that do not make left
    < right and top < bottom within the picture. The same box twice is one.

    Args:
        text: the answer.
        units: what the numbers count: parts of the picture (0 to 1), pixels, or thousandths of it.
        size: (width, height) in pixels, for `units="pixels"`.
    """
    found = {_scaled(box, units, size) for box in _candidates(_tidy(text))}
    return found.pop() if len(found) == 1 else None


def label_box(label: Any) -> Box | None:
    """The box of a label: JSON text or a list of four numbers; None: it is none."""
    if isinstance(label, str):
        try:
            label = json.loads(label)
        except ValueError:
            return None
    if not isinstance(label, (list, tuple)) or len(label) != 4:
        return None
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in label):
        return None
    return _checked(tuple(float(v) for v in label), math.inf)


def iou(one: Box, other: Box) -> float:
    """The area that two boxes share, over the area that they cover together: from 0 to 1."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (_area(one) + _area(other) - shared)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _tidy(text: str) -> str:
    """The answer without markup and the quotes that stand for fences, in one form of digits."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("\u2212", "-")
    text = _MARKUP.sub("", text.casefold())
    return _ORDER.sub(" ", re.sub(r"[ \t]+", " ", text))


def _candidates(text: str) -> Iterator[Sequence[float] | None]:
    """The numbers of each box that a text gives; None for what looks like one and is none."""
    seen = False
    point: tuple[Sequence[float], int] | None = None
    for m in _GROUP.finditer(text):
        numbers = _numbers(m[1]) or ()
        seen = seen or len(numbers) > 1
        if len(numbers) == 2:
            if point is not None and _BETWEEN_POINTS.fullmatch(text, point[1], m.start()):
                yield (*point[0], *numbers) if len(point[0]) == 2 else None  # three points are no box
                numbers = ()
            point = numbers, m.end()
            continue
        point = None
        if len(numbers) > 1:
            yield numbers if len(numbers) == 4 else None
    if seen or (any(c in text for c in _OPEN) and not any(c in text for c in "])}")):
        return  # without a closing bracket it was cut, perhaps inside a number
    named = list(_NAMED_VALUE.finditer(text))
    if named:
        yield _numbers(" ".join(m[0] for m in named))
        return
    for m in _BARE.finditer(text):
        numbers = _numbers(m[0]) or ()
        if len(numbers) > 2:
            yield numbers if len(numbers) == 4 else None


def _numbers(text: str) -> Sequence[float] | None:
    """The numbers that a text consists of, ordered by their names if they have any; None: anything else is there."""
    names = _NAMED.findall(text)
    values = [_value(part) for part in _parts(_NAMED.sub(" ", text))]
    if not values or any(value is None for value in values):
        return None
    numbers = [value for value in values if value is not None]
    if names:
        places = [_PLACE[name] for name in names]
        if len(numbers) != 4 or sorted(places) != [0, 1, 2, 3]:
            return None
        numbers = [number for _, number in sorted(zip(places, numbers, strict=True))]
    return numbers


def _parts(text: str) -> list[str]:
    text = re.sub(r" ?/ ?", "/", text.strip().rstrip(".,;: "))
    return [part for part in _SPLIT.split(re.sub(r" %", "%", text)) if part]


def _value(part: str) -> float | None:
    m = _VALUE.fullmatch(part)
    if m is None:
        return None
    value, below = float(m[1]), float(m[2]) if m[2] else 1.0
    if below == 0:
        return None
    value = value / below / (100.0 if m[3] else 1.0)
    return value if math.isfinite(value) else None


def _scaled(numbers: Sequence[float] | None, units: Units, size: Sequence[float] | None) -> Box | None:
    if numbers is None:
        return None
    if units == "parts":
        return _checked(tuple(numbers), 1.0)
    if units == "thousandths":
        return _checked(tuple(n / 1000 for n in numbers), 1.0)
    if size is None or len(size) != 2 or not all(side > 0 for side in size):
        return None
    return _checked(tuple(n / size[at % 2] for at, n in enumerate(numbers)), 1.0)


def _checked(numbers: tuple[float, ...], most: float) -> Box | None:
    left, top, right, bottom = numbers
    good = 0 <= left < right <= most and 0 <= top < bottom <= most and math.isfinite(right + bottom)
    return (left, top, right, bottom) if good else None
