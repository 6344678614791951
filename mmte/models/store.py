"""Where model files lie on this machine, and their sha256."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from platformdirs import user_cache_path


def models_dir() -> Path:
    """The folder of pulled models: `MMTE_MODELS_DIR`, or `models` in the user's cache folder of mmte."""
    override = os.environ.get("MMTE_MODELS_DIR")
    return Path(override).expanduser() if override else user_cache_path("mmte") / "models"


def model_file(name: str, folder: Path | None = None) -> Path:
    """Where the file of a pulled catalogue model lies, whether it is there or not."""
    return (folder or models_dir()) / f"{name}.gguf"


def file_sha256(path: Path) -> str:
    """The sha256 of a file's bytes; remembered by path, size and time of change.

    Raises:
        OSError: the file cannot be read.
    """
    path = path.resolve()
    stat = path.stat()
    memo = user_cache_path("mmte") / "sha256.json"
    known = _read(memo)
    stamp = [stat.st_size, stat.st_mtime_ns]
    entry = known.get(str(path))
    if isinstance(entry, list) and entry[:2] == stamp and len(entry) == 3 and isinstance(entry[2], str):
        return entry[2]
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    _write(memo, known | {str(path): [*stamp, digest]})
    return digest


def _read(memo: Path) -> dict[str, object]:
    try:
        loaded = json.loads(memo.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _write(memo: Path, entries: dict[str, object]) -> None:
    # A memo that cannot be written costs time, nothing else.
    with contextlib.suppress(OSError):
        memo.parent.mkdir(parents=True, exist_ok=True)
        part = memo.with_name(f"{memo.name}.{os.getpid()}")
        part.write_text(json.dumps(entries), "utf-8")
        part.replace(memo)
