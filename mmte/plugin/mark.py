"""What makes a file ours: its first line."""

from __future__ import annotations

from pathlib import Path

MARK = b"# mmte.task/1"


def is_task_file(path: Path) -> bool:
    """Whether a file begins with our mark (after a byte order mark, perhaps)."""
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf").startswith(MARK)
    except OSError:
        return False
