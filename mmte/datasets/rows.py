"""Strict reading of one record's fields: a text, a yes or no, a class, a box, the image it shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mmte.datasets.readers import number
from mmte.datasets.root import FilesRead
from mmte.datasets.unrelated import FOLDER, unrelated_pool
from mmte.errors import MmteError, near

_YES_NO: Final = {"yes": 1, "no": 0}
_SHOWN: Final = 40
YES_NO: Final = (("yes",), ("no",))
"""The closed options of a question that is answered by yes or no, for `extra["options"]`."""


def place(path: Path, at: int) -> str:
    """Where record `at` (from 0) of a file is, for a message."""
    return f"{path}, record {at + 1}"


def text(value: Any, where: str, key: str) -> str:
    """A text that is not blank, without the blanks around it.

    Raises:
        MmteError: it is none.
    """
    if not isinstance(value, str) or not value.strip():
        raise MmteError(f"{where}: '{key}' must be a text, not {_short(value)}; correct it")
    return value.strip()


def texts(value: Any, where: str, key: str) -> list[str]:
    """The texts of a list that has at least one, without the blanks around them.

    Raises:
        MmteError: no list, an empty one, or something in it that is no text.
    """
    if not isinstance(value, list) or not value:
        raise MmteError(f"{where}: '{key}' must be a list of texts, not {_short(value)}; correct it")
    return [text(one, where, key) for one in value]


def yes_no(value: Any, where: str, key: str) -> int:
    """1 for yes, 0 for no, in any case.

    Raises:
        MmteError: anything else.
    """
    label = _YES_NO.get(value.strip().casefold()) if isinstance(value, str) else None
    if label is None:
        raise MmteError(f"{where}: '{key}' is {_short(value)}, which is neither Yes nor No; correct it")
    return label


def closed_options(answer: str) -> dict[str, list[list[str]]]:
    """`{"options": yes and no}` where the right answer is one of these, else nothing.

    Their evaluator reads a verdict then: "no" is also a word of many sentences ("I have no idea").
    """
    is_verdict = answer.strip(" .!").casefold() in _YES_NO
    return {"options": [list(option) for option in YES_NO]} if is_verdict else {}


def binary(value: Any, where: str, key: str) -> int:
    """0 or 1 from a number or its text.

    Raises:
        MmteError: anything else.
    """
    known = {"0": 0, "1": 1, 0: 0, 1: 1}
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value not in known:
        raise MmteError(f"{where}: '{key}' is {_short(value)}, which is neither 0 nor 1; correct it")
    return known[value]


def one_of(value: Any, where: str, key: str, known: Sequence[str]) -> str:
    """One of some names.

    Raises:
        MmteError: another one, with near names.
    """
    if not isinstance(value, str) or value not in known:
        raise MmteError(f"{where}: unknown '{key}' {_short(value)}.{near(value, known)}")
    return value


def box(value: Any, where: str, key: str) -> tuple[float, float, float, float]:
    """A box `[xmin, ymin, xmax, ymax]` in parts of the image's width and height, as a list or its text.

    Raises:
        MmteError: not four numbers within 0..1, or a box without an area.
    """
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        found = None
    if not isinstance(found, list) or len(found) != 4:
        raise MmteError(f"{where}: '{key}' must be a box [xmin, ymin, xmax, ymax], not {_short(value)}; correct it")
    x0, y0, x1, y1 = (number(part, f"{where}: '{key}'", 0, 1) for part in found)
    if not (x0 < x1 and y0 < y1):
        raise MmteError(f"{where}: '{key}' {_short(value)} has no area: xmin < xmax and ymin < ymax; correct it")
    return x0, y0, x1, y1


def image(files: FilesRead, folder: str, name: Any, where: str, key: str = "image") -> Path:
    """The image that a record names, below `folder` of the data root.

    Raises:
        MmteError: no name, or no such file; the file and the record are named.
    """
    relative = f"{folder}/{text(name, where, key)}"
    try:
        return files.image(relative)
    except MmteError as error:
        raise MmteError(f"{where}: {error}") from None


def unrelated(files: FilesRead, kind: str) -> list[Path]:
    """The unrelated images of a kind, for texts that are published with and without them.

    Raises:
        DataMissing: there is no folder of such images at all.
        MmteError: there is one, without an image of the kind.
    """
    return unrelated_pool(files, kind, part=(files.root.folder / FOLDER).exists())


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
