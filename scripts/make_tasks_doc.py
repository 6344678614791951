"""Writes docs/tasks.md: every task of benchmarks/ with its data, its evaluators, what it needs, and its command.

    python scripts/make_tasks_doc.py [FILE]

FILE is `docs/tasks.md` unless given. A test compares the file with what this writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mmte.engine.samples import build_dataset
from mmte.errors import Unavailable
from mmte.evaluators.metrics import metric_for
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.tasks.config import TaskSpec, load_task
from mmte.tasks.yamlfile import load
from mmte.types import ASPECTS

ROOT = Path(__file__).resolve().parent.parent
_HEAD = """# Tasks

Made by `python scripts/make_tasks_doc.py` from `benchmarks/`. {tasks} tasks, {datasets} dataset ids, {items} items for
each model. *mini* is the number of samples in the mini data of the package; `-` means that the data set must be named
with `--mmte-data DIR` (`mmte data list` says where it is). *published* is the number in the publication, where it says
one. A sequence that names a model is skipped until that model is given with `--judge NAME=SPEC`.
"""


def main(target: Path) -> None:
    """Write the page."""
    target.write_text(page(), "utf-8")


def page() -> str:
    """The page as text."""
    files = sorted((ROOT / "benchmarks").rglob("*.yaml"), key=lambda p: (p.parent.name, p.name))
    specs = [load_task(f) for f in files if f.name != "scores.yaml"]
    numbers = {
        "tasks": len(specs),
        "datasets": len({about["dataset_id"] for spec in specs for about in spec.datasets.values()}),
        "items": sum(len(spec.datasets) * len(spec.sequences) for spec in specs),
    }
    parts = [_HEAD.format(**numbers)]
    for aspect in ASPECTS:
        parts.append(f"\n## {aspect.capitalize()}\n")
        parts += [_task(spec) for spec in specs if spec.aspect == aspect]
    return "".join(parts)


def _task(spec: TaskSpec) -> str:
    data = load(spec.path).data
    lines = [f"\n### {spec.name}: {spec.title}\n", " ".join(str(data.get("description", "")).split()) + "\n"]
    lines += ["| dataset | mini | published |", "|---|---|---|"]
    lines += [f"| {name} | {mini} | {published} |" for name, mini, published in _datasets(spec)]
    lines += ["", "| evaluators | reads | measures | needs |", "|---|---|---|---|"]
    lines += [_sequence(name, about) for name, about in spec.sequences.items()]
    sources = data.get("metadata", {}).get("sources", [])
    lines += ["", *(f"Source: {' '.join(source.split())}  " for source in sources)]
    path = spec.path.relative_to(ROOT)
    lines += [f"\n`pytest {path} --model=NAME`", ""]
    return "\n".join(lines)


def _datasets(spec: TaskSpec) -> Iterator[tuple[str, str, str]]:
    """Each dataset with its mini and published counts."""
    for name, about in spec.datasets.items():
        try:
            dataset = build_dataset(about["dataset_id"], about["dataset_cfg"], about["method_cfg"], None)
        except Unavailable:
            yield f"`{name}`", "-", ""
            continue
        yield f"`{name}`", str(len(dataset)), str(dataset.expected or "")


def _sequence(name: str, about: Mapping[str, Any]) -> str:
    sequence = SequentialEvaluator(about["evaluator"])
    told = about["direction"]
    metrics = ", ".join(f"{m} ({told.get(m, metric_for(m).direction)})" for m in sequence.metrics_cfg)
    needs = ", ".join(f"`--judge {judge}={spec}`" for judge, spec in sequence.judge_specs.items())
    return f"| {name} | `{sequence.key}` | {metrics} | {needs} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "tasks.md")
