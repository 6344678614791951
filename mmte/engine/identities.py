"""What exactly was measured: the identities of a run's models and judges, as files beside its samples.

A result has digests only, which say whether two are the same, not what they are. Workers write the identities (content,
settings, versions; no path, URL or key is in one), and the controller puts them into the report.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmte.engine.keys import digest
from mmte.report.files import write_atomic

FOLDER = "models"


def note_identity(samples_dir: Path | None, name: str, identity: Mapping[str, Any]) -> None:
    """Write the identity of a model or judge, once a run."""
    if samples_dir is None:
        return
    file = samples_dir.parent / FOLDER / f"{name.replace('/', '~')}.json"
    if not file.exists():
        body = {"name": name, "digest": digest(identity), "identity": identity}
        write_atomic(file, json.dumps(body, default=repr))


def identities_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Name -> `{"digest", "identity"}` of a report's folder, by name; what cannot be read is left out."""
    found = {}
    for file in sorted((folder / FOLDER).glob("*.json")):
        try:
            body = json.loads(file.read_text("utf-8"))
            found[str(body["name"])] = {"digest": str(body["digest"]), "identity": dict(body["identity"])}
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return found
