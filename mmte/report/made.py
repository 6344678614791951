"""Reports that no run of pytest made: merged ones, and those of old logs."""

from __future__ import annotations

import json
import platform
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mmte import __version__
from mmte.errors import MmteError
from mmte.report.files import write_atomic


def new_folder(folder: Path, option: str) -> Path:
    """The folder of a report that is to be made; it is made, and its `samples` too.

    Raises:
        MmteError: there is something in it, or it cannot be made.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise MmteError(f"{option} {folder}: is there and not empty; name a new folder")
        (folder / "samples").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MmteError(f"{option} {folder}: cannot be made: {error.strerror}") from None
    return folder


def load_report(folder: Path) -> dict[str, Any]:
    """The report of a folder, or that is a file.

    Raises:
        MmteError: there is none, it is not of this version, or not as mmte writes it.
    """
    from mmte.report.build import SCHEMA
    from mmte.report.stored import check_results

    file = folder if folder.is_file() else folder / "report.json"
    try:
        report = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise MmteError(f"{folder}: no report there; name the folder of a run that ended (reports/latest)") from None
    except (OSError, ValueError) as error:
        raise MmteError(f"{folder}: its report cannot be read: {error}") from None
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise MmteError(f"{folder}: report.json is no report of this version ({SCHEMA})")
    if not isinstance(report.get("results"), list) or not isinstance(report.get("settings"), dict):
        raise MmteError(f"{folder}: report.json lacks its results or settings")
    check_results(folder, report)
    return report


def write_report(
    folder: Path,
    settings: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    scores: Sequence[Mapping[str, Any]],
    more: Mapping[str, Any],
) -> dict[str, Any]:
    """Write report.json and return it as it is read; `more` has further sections, and parts of `run`."""
    from mmte.report.build import SCHEMA

    now = datetime.now(UTC).isoformat(timespec="seconds")
    run = {
        "id": f"{now[:10].replace('-', '')}-{uuid.uuid4().hex[:6]}", "started": now, "finished": now, "seconds": 0.0,
        "exit": None, "mmte": __version__, "python": platform.python_version(), "platform": platform.platform(),
        "packages": {},
    }  # fmt: skip
    report = {
        "schema": SCHEMA,
        "run": {**run, **more.get("run", {})},
        "settings": dict(settings),
        "summary": dict(sorted(Counter(str(row["outcome"]) for row in rows).items())),
        "results": sorted(rows, key=lambda row: (str(row["case"]), str(row.get("node", "")))),
        "scores": list(scores),
        **{key: value for key, value in more.items() if key != "run"},
    }
    text = json.dumps(report, indent=1, allow_nan=False)
    write_atomic(folder / "report.json", text + "\n")
    written: dict[str, Any] = json.loads(text)
    return written
