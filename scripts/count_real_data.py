"""Prints how many samples each dataset of benchmarks/ has under a data root that is not the mini data.

    python scripts/count_real_data.py DIR

DIR is what --mmte-data would be given, e.g. a folder that `mmte data prepare SET --to DIR` has filled.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mmte.engine.samples import build_dataset
from mmte.errors import MmteError, Unavailable
from mmte.tasks.config import load_task

ROOT = Path(__file__).resolve().parent.parent


def main(folder: Path) -> None:
    """Write the table: dataset, samples found, samples published, task."""
    rows = []
    seen: set[str] = set()
    for file in sorted((ROOT / "benchmarks").rglob("*.yaml")):
        if file.name == "scores.yaml":
            continue
        spec = load_task(file)
        for name, about in spec.datasets.items():
            found = _found(about, folder)
            if found and name not in seen:
                seen.add(name)
                rows.append((name, *found, spec.name))
    sys.stdout.write("| dataset | found | published | task |\n|---|---|---|---|\n")
    for row in rows:
        sys.stdout.write("| " + " | ".join(row) + " |\n")
    sys.stdout.write(f"\n{len(rows)} datasets have their data under the folder\n")


def _found(about: dict, folder: Path) -> tuple[str, str] | None:
    try:
        dataset = build_dataset(about["dataset_id"], about["dataset_cfg"], about["method_cfg"], folder)
        return str(len(dataset)), str(dataset.expected or "")
    except Unavailable:
        return None
    except MmteError as error:  # a part of it is there
        return f"({str(error)[:60]}...)", ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
