"""Strict readers of the text formats that published data comes in: lines, JSON, JSON Lines, CSV.

All read UTF-8 with or without a byte order mark, and raise `MmteError` with the file, the line or
record, what was wrong and what to do. Nothing is repaired or dropped silently.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from mmte.errors import MmteError, near

Record = dict[str, Any]
_MANY = 12


def read_text(path: Path) -> str:
    """The text of a file, line ends as they are.

    Raises:
        MmteError: missing, empty or blank, or not UTF-8.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MmteError(f"{path}: cannot be read: {error.strerror}; check the data root") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MmteError(f"{path}, line {line}: not UTF-8 (byte {data[error.start]:#04x}); save it as UTF-8") from None
    if not text.strip():
        raise MmteError(f"{path}: the file is empty; fetch it again")
    return text


def read_lines(path: Path, blank: Literal["error", "skip", "keep"] = "error") -> list[str]:
    """The lines of a file, without their ends (LF or CRLF); blank lines at the end never count.

    Args:
        path: the file.
        blank: what a blank line further up is. `error`, as files that are read side by side would
            get out of step; `skip` leaves it out, `keep` keeps it.

    Raises:
        MmteError: missing, empty, not UTF-8, or a blank line.
    """
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    while not lines[-1].strip():
        lines.pop()
    if blank == "keep":
        return lines
    if blank == "error":
        for number, line in enumerate(lines, 1):
            if not line.strip():
                raise MmteError(f"{path}, line {number}: a blank line between records; remove it or fill it")
    return [line for line in lines if line.strip()]


def read_numbers(path: Path, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """One number a line, each finite and within `low`..`high`.

    Raises:
        MmteError: as `read_lines`, or a line that is no such number.
    """
    return [number(line, f"{path}, line {at}", low, high) for at, line in enumerate(read_lines(path), 1)]


def number(value: object, where: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number within `low`..`high` from a text or a JSON number.

    Raises:
        MmteError: it is none; the message starts with `where`.
    """
    try:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or "_" in str(value):
            raise ValueError
        found = float(value)
    except (ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise MmteError(f"{where}: {_short(value)} is not a number; correct it")
    if not low <= found <= high:
        raise MmteError(f"{where}: {found:g} is not within {low:g}..{high:g}; correct it")
    return found


def read_json(path: Path) -> Any:
    """The document of a JSON file; the list of documents of a JSON Lines file, whatever its suffix.

    A file of one line is read as JSON. NaN, Infinity and an object with the same key twice are errors.

    Raises:
        MmteError: missing, empty, not UTF-8, or bad JSON, with the line.
    """
    return _parse(path)[0]


def read_json_records(path: Path, required: Iterable[str] = (), key: str = "") -> list[Record]:
    """The records of a JSON list, a JSON object of objects, or JSON Lines, whatever the suffix.

    Args:
        path: the file.
        required: keys that each record must have.
        key: where an object of objects is read, each record gets the name it had under this key
            (empty: the names are dropped). An object that has all `required` keys, or a value that
            is no object, is one record by itself: JSON Lines of one line.

    Raises:
        MmteError: as `read_json`, or a record that is no object or lacks a key.
    """
    document, are_lines = _parse(path)
    needed = list(required)
    if isinstance(document, dict):
        alone = all(name in document for name in needed) if needed else False
        if alone or not document or not all(isinstance(value, dict) for value in document.values()):
            named = [("record 1", document)]
        else:
            named = [(f"record {name!r}", {key: name, **value} if key else value) for name, value in document.items()]
    elif isinstance(document, list):
        unit = "line" if are_lines else "record"
        numbers = are_lines or range(1, len(document) + 1)
        named = [(f"{unit} {at}", item) for at, item in zip(numbers, document, strict=True)]
    else:
        raise MmteError(f"{path}: a list of records is needed, not {_short(document)}")
    if not named:
        raise MmteError(f"{path}: no record in it; fetch it again")
    for place, item in named:
        if not isinstance(item, dict):
            raise MmteError(f"{path}, {place}: an object is needed, not {_short(item)}")
        for name in needed:
            if name not in item:
                raise MmteError(f"{path}, {place}: no key '{name}'.{_instead(name, item)}")
    return [item for _, item in named]


def read_csv(
    path: Path, header: Sequence[str] | None = None, required: Iterable[str] = (), delimiter: str = ","
) -> list[dict[str, str]]:
    """The rows of a CSV file; every row must have as many fields as the header. Empty lines do not count.

    Args:
        path: the file.
        header: names of the columns of a file without a header; None: its first row has them.
        required: columns that must be there.
        delimiter: between two fields; a tabulator for TSV.

    Raises:
        MmteError: missing, empty, not UTF-8, bad quoting, a row too short or too long, a column missing.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True)
    names = list(header) if header is not None else None
    rows: list[dict[str, str]] = []
    start = 1
    try:
        for fields in reader:
            if fields and names is None:
                names = _header(path, fields, required)
            elif fields and names is not None:
                if len(fields) != len(names):
                    raise MmteError(
                        f"{path}, line {start}: {len(fields)} fields where the header has {len(names)}; "
                        "quote fields that hold the delimiter"
                    )
                rows.append(dict(zip(names, fields, strict=True)))
            start = reader.line_num + 1
    except csv.Error as error:
        raise MmteError(f"{path}, line {start}: bad CSV ({error}); correct the quoting") from None
    if header is not None:
        _header(path, header, required)
    if not rows:
        raise MmteError(f"{path}: no row below the header; fetch it again")
    return rows


def content_ids(prefix: str, texts: Iterable[str]) -> list[str]:
    """Stable ids for records that have none: `PREFIX-` and a short hash of each text.

    The second of two equal texts gets `-2`, and so on.
    """
    counts: dict[str, int] = {}
    ids = []
    for text in texts:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        counts[digest] = counts.get(digest, 0) + 1
        ids.append(f"{prefix}-{digest}" + (f"-{counts[digest]}" if counts[digest] > 1 else ""))
    return ids


def _parse(path: Path) -> tuple[Any, list[int]]:
    """The document and, of JSON Lines, the number of each record's line (empty: it is JSON)."""
    text = read_text(path)
    try:
        return _loads(text), []
    except ValueError as error:
        whole = error
    lines = [(at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
    records: list[Any] = []
    for at, line in lines:
        try:
            records.append(_loads(line))
        except ValueError as error:
            if not records:  # the first line is no JSON by itself, so the file never was JSON Lines
                raise MmteError(f"{path}{_at(whole)}: bad JSON: {_why(whole)}; correct it") from None
            raise MmteError(f"{path}, line {at}: bad JSON: {_why(error)}; correct it") from None
    return records, [at for at, _ in lines]


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_constant, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> Record:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key '{twice}' is there twice in one object")
    return found


def _at(error: ValueError) -> str:
    return f", line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""


def _why(error: ValueError) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def _header(path: Path, names: Sequence[str], required: Iterable[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise MmteError(f"{path}, line 1: the column '{name}' is there twice; rename one")
    for name in required:
        if name not in names:
            raise MmteError(f"{path}, line 1: no column '{name}'.{_instead(name, names)}")
    return list(names)


def _instead(name: str, known: Iterable[str]) -> str:
    names = list(known)
    hint = near(name, names)
    if "Did you mean" in hint or len(names) <= _MANY:
        return hint
    return f" There are: {', '.join(names[:_MANY])}, ..."


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
