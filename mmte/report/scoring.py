"""The section `scores` of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mmte.evaluators.metrics import metric_for
from mmte.report.scores import ScoreTree
from mmte.report.scores_samples import SampleIntervals


def score_section(
    trees: Iterable[ScoreTree],
    rows: Sequence[Mapping[str, Any]],
    folder: Path,
    limit: int | None,
    scoring: str = "strict",
    notes: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Every score of every model, as plain data: those of which nothing was measured too, empty.

    Args:
        trees: the files of scores that the run uses.
        rows: its results.
        folder: of the report; the intervals come from its samples.
        limit: of `--mmte-limit`, which the notes then tell.
        scoring: the reading of the rows, whose formulas are taken.
        notes: what else a reader of every score must know.
    """
    metric = metric_for
    if scoring != "strict":
        from mmte.compat.reading import original_metric
        from mmte.compat.score_tree import as_original

        trees, metric = map(as_original, trees), original_metric
    notes = [*([f"--mmte-limit={limit}"] if limit else []), *notes]
    around = SampleIntervals(folder / "samples", metric)
    return [_plain(asdict(score)) for tree in trees for score in tree.scores(rows, around, notes)]


def _plain(score: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in score.items()}
