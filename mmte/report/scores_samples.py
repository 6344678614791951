"""Intervals of scores, from the samples that a run left in its side files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmte.engine.measure import seed_of
from mmte.errors import MmteError
from mmte.evaluators.metrics import Metric, metric_for
from mmte.report.files import read_jsonl
from mmte.report.scores import UNDEFINED, Found, Part
from mmte.report.text import clean
from mmte.types import REASONS

if TYPE_CHECKING:
    from mmte.stats.tree import Leaf

_NUMBERS = (int, float, type(None))


@dataclass(frozen=True, slots=True)
class _Samples:
    """The columns of a side file that an interval needs."""

    values: list[Any]
    labels: list[Any]
    reasons: list[int]
    clusters: list[str]
    subsets: list[str]


class SampleIntervals:
    """Makes intervals of scores; a `mmte.report.scores.Around`.

    Args:
        folder: of the side files.
        metric: finds the metric of a name, in the reading of the run.
    """

    def __init__(self, folder: Path, metric: Callable[[str], Metric] = metric_for) -> None:
        self._folder, self._metric = folder, metric
        self._read: dict[str, _Samples] = {}
        self._leaves: dict[tuple[str, Part], Leaf | None] = {}

    def __call__(
        self, found: Found, combine: Callable[[Any], Any], name: str
    ) -> tuple[float | None, float | None, str]:
        """Low, high and method; None, None, "" where a part's samples are not there or do not lead to its value."""
        leaves = []
        for part, (row, estimate) in found.items():
            key = (row["model"], part)
            if key not in self._leaves:
                self._leaves[key] = self._leaf(part, row, estimate)
            leaf = self._leaves[key]
            if leaf is None:
                return None, None, ""
            leaves.append(leaf)
        from mmte.stats.tree import interval

        ends, method = interval(leaves, combine, seed_of(name))
        return (*ends, method) if ends else (None, None, "")

    def _leaf(self, part: Part, row: Mapping[str, Any], estimate: Mapping[str, Any]) -> Leaf | None:
        """A part as sums over its clusters, if they give back its value: a report may not tell the metric's options."""
        import numpy as np

        from mmte.stats.estimate import Columns
        from mmte.stats.tree import leaf_of

        try:
            samples = self._samples(row)
            rows = [n for n, subset in enumerate(samples.subsets) if part.subset in ("", subset)]
            names, numbers = np.unique([samples.clusters[n] for n in rows], return_inverse=True)
            columns = Columns(
                values=_column([samples.values[n] for n in rows]),
                labels=_column([samples.labels[n] for n in rows]),
                reasons=np.array([samples.reasons[n] for n in rows], dtype=np.uint8),
                clusters=numbers.astype(np.int64),
            )
            own = None if estimate["low"] is None else (estimate["low"], estimate["high"])
            options = row.get("metric_options", {}).get(part.metric, {})
            leaf = leaf_of(self._metric(part.metric), options, columns, names.tolist(), own)
            if leaf is not None and UNDEFINED in estimate:
                leaf = leaf.or_zero()
        except (MmteError, OSError, LookupError, TypeError, ValueError, AttributeError):
            # a side file cut short, options of another kind, a metric of others
            return None
        good = leaf is not None and isclose(leaf.total, estimate["value"], rel_tol=1e-9, abs_tol=1e-9)
        return leaf if good else None

    def _samples(self, row: Mapping[str, Any]) -> _Samples:
        name = str(row["samples_file"])
        if not name or Path(name).name != name:
            raise MmteError(f"{row['case']}: no samples")
        if name not in self._read:
            found = _Samples([], [], [], [], [])
            for sample in read_jsonl(self._folder / name):
                found.values.append(sample["value"] if sample["reason"] == "scored" else None)
                found.labels.append(sample.get("label", sample["target"]))
                found.reasons.append(REASONS.index(sample["reason"]))
                found.clusters.append(sample["cluster"])
                found.subsets.append(clean(sample["subset"]))
            self._read[name] = found
        return self._read[name]


def _column(values: list[Any]) -> Any:
    """A column of numbers, NaN for none; a list where something else is among them."""
    import numpy as np

    if all(isinstance(value, _NUMBERS) for value in values):
        return np.array(values, dtype=np.float64)
    return values
