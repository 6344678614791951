"""Rows of a CSV, JSON or JSON Lines file, as `mmte evaluators check` reads them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from mmte.errors import MmteError

KINDS = (".csv", ".tsv", ".json", ".jsonl")


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a file as mappings of columns to values; JSON is a list of objects.

    Raises:
        MmteError: it cannot be read, is of another kind or empty, or a row is no object; file and line are named.
    """
    where, kind = f"--data {file}", file.suffix.lower()
    if kind not in KINDS:
        raise MmteError(f"{where}: must end in {', '.join(KINDS)}")
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MmteError(f"{where}: cannot be read: {error}") from None
    found = {".csv": _table, ".tsv": _table, ".json": _list, ".jsonl": _lines}[kind](text, where, kind)
    rows = [_row(row, at) for at, row in found]
    if not rows:
        raise MmteError(f"{where}: has no rows")
    return rows


def _row(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise MmteError(f"{where}: a {type(row).__name__} where an object with columns belongs")
    return {str(k): v for k, v in row.items()}


def _table(text: str, where: str, kind: str) -> Iterator[tuple[str, Any]]:
    reader = csv.DictReader(StringIO(text, newline=""), delimiter="\t" if kind == ".tsv" else ",", strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise MmteError(f"{where}:{reader.line_num}: has not as many values as there are columns")
            yield f"{where}:{reader.line_num}", row
    except csv.Error as error:
        raise MmteError(f"{where}:{reader.line_num}: no valid table: {error}") from None


def _list(text: str, where: str, kind: str) -> Iterator[tuple[str, Any]]:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MmteError(f"{where}: no valid JSON: {error}") from None
    if not isinstance(rows, list):
        raise MmteError(f"{where}: must be a list of objects")
    for number, row in enumerate(rows, 1):
        yield f"{where}: entry {number}", row


def _lines(text: str, where: str, kind: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"{where}:{number}", json.loads(line)
            except (ValueError, RecursionError):
                raise MmteError(f"{where}:{number}: no valid JSON") from None
