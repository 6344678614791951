"""Files that are whole or not there."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mmte.errors import MmteError


def write_atomic(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old or the new one, whatever happens in between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files that only their owner reads
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file.

    Raises:
        MmteError: it cannot be read, or a line is no JSON object; the line is named.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    raise MmteError(f"{path}:{number}: no valid JSON") from None
                if not isinstance(row, dict):
                    raise MmteError(f"{path}:{number}: no JSON object")
                yield row
    except (OSError, UnicodeDecodeError) as error:
        raise MmteError(f"{path}: cannot be read: {error}") from None
