"""What changed between two reports: case by case, paired by sample, where both measured the same thing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mmte.engine.agreement import is_of_judges
from mmte.engine.measure import seed_of
from mmte.errors import MmteError
from mmte.report.files import read_jsonl
from mmte.report.text import clean
from mmte.types import REASONS

if TYPE_CHECKING:
    from mmte.evaluators.metrics import Metric
    from mmte.stats.estimate import Columns

MUST_AGREE: Final[Mapping[str, str]] = {
    "data": "data",
    "samples": "samples",
    "evaluators": "evaluators or judges",
    "generation": "generation settings",
    "task_version": "version of the task",
}
"""Identities of a result that must agree, and what they are of; only the model may be another one."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample whose verdict changed; None: it had none."""

    id: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Change:
    """A metric of a case in both reports.

    `change` is after minus before, `low` to `high` its 95 % interval by `method`. `worse` lists samples that changed
    for the worse, `better` for the better, `lost` those that have no value any more, `found` those that have one now.
    `why` says why there is no difference.
    """

    case: str
    metric: str = ""
    direction: str = "up"
    before: float | None = None
    after: float | None = None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = ""
    n: int = 0
    worse: tuple[Flip, ...] = ()
    better: tuple[Flip, ...] = ()
    lost: tuple[Flip, ...] = ()
    found: tuple[Flip, ...] = ()
    why: str = ""
    note: str = ""

    @property
    def gain(self) -> float:
        """How much better it is; 0 where neither direction is."""
        return (self.change or 0.0) * {"up": 1, "down": -1}.get(self.direction, 0)

    @property
    def verdict(self) -> str:
        """What the interval shows."""
        if self.low is None or self.high is None:
            return ""
        if self.low <= 0 <= self.high:
            return "no difference shown"
        if self.direction == "none":
            return "changed"
        return "better" if self.gain > 0 else "worse"


@dataclass(frozen=True, slots=True)
class _Side:
    """A report and its folder."""

    folder: Path
    report: Mapping[str, Any]


def changes(before: tuple[Path, Mapping[str, Any]], after: tuple[Path, Mapping[str, Any]]) -> list[Change]:
    """Every metric of every case of both reports: the largest losses first, at the end what cannot be compared.

    With one model in each report the models' names may differ; else a case must have the same name in both.

    Args:
        before, after: the folder of a report, and the report.
    """
    one, other = _Side(*before), _Side(*after)
    alone = all(len({r["model"] for r in side.report["results"]}) == 1 for side in (one, other))
    first, second = (_by_key(side, alone) for side in (one, other))
    found: list[Change] = []
    for key, row in second.items():
        if key in first:
            found += _of_case(one, first[key], other, row)
        else:
            found.append(Change(clean(row["case"]), why="only in the second report"))
    found += [Change(clean(row["case"]), why="only in the first report") for key, row in first.items()
              if key not in second]  # fmt: skip
    return sorted(found, key=lambda c: (bool(c.why), c.gain, c.case, c.metric))


def _by_key(side: _Side, alone: bool) -> dict[tuple[str, ...], Mapping[str, Any]]:
    names = ("task", "dataset", "sequence") if alone else ("task", "dataset", "sequence", "model")
    return {tuple(str(row[name]) for name in names): row for row in side.report["results"]}


def _of_case(one: _Side, before: Mapping[str, Any], other: _Side, after: Mapping[str, Any]) -> Iterator[Change]:
    case = clean(after["case"])
    if why := _not_comparable(before, after):
        yield Change(case, why=why)
        return
    scoring = str(other.report["settings"]["scoring"])
    pairs = None
    note = ""
    try:
        options = after.get("metric_options") or {}
        pairs = _Pairs(_samples(one.folder, before), _samples(other.folder, after), options)
    except (MmteError, LookupError, TypeError, ValueError) as error:
        note = f"no interval: {error}"
    old = {(e["metric"], e["subset"]): e for e in before["estimates"]}
    flipped = False
    for estimate in after["estimates"]:
        if is_of_judges(estimate["metric"]):
            continue
        name = (estimate["metric"], estimate["subset"])
        if name not in old:
            yield Change(case, _metric_name(estimate), why="the first report has no such metric")
            continue
        change = _change(case, old[name], estimate, pairs, scoring, note, flips=not flipped)
        flipped = flipped or not change.why
        yield change


def _not_comparable(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What keeps two results of one case from being compared; empty: nothing."""
    for row, which in ((before, "first"), (after, "second")):
        if not row["estimates"]:
            return f"no numbers in the {which} report ({clean(row.get('reason') or row['outcome'])})"
    one, other = before.get("identities") or {}, after.get("identities") or {}
    if not one or not other:
        return "not comparable: a test in Python does not tell what it measured"
    told = []
    for key, what in MUST_AGREE.items():
        if one.get(key) != other.get(key):
            seen = f" ({one.get(key)}, {other.get(key)})" if key == "task_version" else ""
            if key == "samples":
                seen = f" ({before['counts']['expected']}, {after['counts']['expected']})"
            told.append(f"{what}{clean(seen)}")
    return f"not comparable: another {', another '.join(told)}" if told else ""


def _metric_name(estimate: Mapping[str, Any]) -> str:
    return clean(f"{estimate['metric']}/{estimate['subset']}" if estimate["subset"] else estimate["metric"])


def _change(
    case: str, old: Mapping[str, Any], new: Mapping[str, Any], pairs: _Pairs | None, scoring: str, note: str,
    flips: bool,
) -> Change:  # fmt: skip
    name, direction = _metric_name(new), str(new["direction"])
    for estimate, which in ((old, "first"), (new, "second")):
        if estimate["value"] is None:
            return Change(case, name, direction, old["value"], new["value"], why=f"no score in the {which} report")
    made = Change(case, name, direction, old["value"], new["value"], new["value"] - old["value"], note=note)
    if pairs is None:
        return made
    try:
        made = pairs.filled(made, new, scoring, flips)
        return made if made.low is not None or made.note else _unpaired(made, old, new)
    except MmteError as error:
        return _with(made, note=f"no interval: {error}")


def _unpaired(change: Change, old: Mapping[str, Any], new: Mapping[str, Any]) -> Change:
    """The interval from those of the two numbers, where no sample differs from another, so that nothing can be drawn.

    MOVER (Newcombe 1998, Stat Med 17:873, method 10): too wide rather than too narrow for paired samples.
    """
    ends = old["low"], old["high"], new["low"], new["high"]
    if None in ends or change.change is None:
        return change
    below = math.hypot(new["value"] - new["low"], old["high"] - old["value"])
    above = math.hypot(new["high"] - new["value"], old["value"] - old["low"])
    return _with(change, low=change.change - below, high=change.change + above, method="unpaired")


def _with(change: Change, **new: Any) -> Change:
    from dataclasses import replace

    return replace(change, **new)


# -- samples, side by side -----------------------------------------------------------------------
def _samples(folder: Path, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    name = str(row.get("samples_file") or "")
    if not name or Path(name).name != name:
        raise MmteError("a report has no samples of it")
    return list(read_jsonl(folder / "samples" / name))


class _Pairs:
    """The samples of a case in both reports, in the same order.

    Raises:
        MmteError: they are not the same samples.
    """

    def __init__(
        self,
        before: Sequence[Mapping[str, Any]],
        after: Sequence[Mapping[str, Any]],
        options: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._options = options
        self.ids = [str(sample["id"]) for sample in after]
        if self.ids != [str(sample["id"]) for sample in before]:
            raise MmteError("the samples of the two reports are not the same")
        self._sides = before, after

    def filled(self, change: Change, estimate: Mapping[str, Any], scoring: str, flips: bool) -> Change:
        """The change with its interval, if the samples lead to its numbers, and with the samples that flipped."""
        from mmte.stats.contrast import contrast

        metric = _metric(str(estimate["metric"]), scoring)
        rows = [n for n, s in enumerate(self._sides[1]) if estimate["subset"] in ("", clean(s["subset"]))]
        one, other = self._columns(rows)
        found = contrast(
            metric, self._of(metric), other, one, expected=len(rows), seed=seed_of(f"{change.case}:{change.metric}"),
            against="before",
        )  # fmt: skip
        if found is None or found.value is None or not math.isclose(found.value, change.change or 0.0, abs_tol=1e-9):
            return _with(change, note="no interval: the samples do not lead to its numbers")
        change = _with(change, low=found.low, high=found.high, method=found.method, n=found.n)
        return self._flipped(change, metric, rows, one, other) if flips else change

    def _of(self, metric: Metric) -> Mapping[str, Any]:
        """The options that the metric was given."""
        return self._options.get(metric.name, {})

    def _columns(self, rows: Sequence[int]) -> tuple[Columns, Columns]:
        import numpy as np

        from mmte.report.scores_samples import _column
        from mmte.stats.estimate import Columns

        names = [self._sides[1][n]["cluster"] for n in rows]
        clusters = np.unique(names, return_inverse=True)[1].astype(np.int64)
        made = []
        for side in self._sides:
            samples = [side[n] for n in rows]
            made.append(Columns(
                values=_column([s["value"] if s["reason"] == "scored" else None for s in samples]),
                labels=_column([s.get("label", s["target"]) for s in samples]),
                reasons=np.array([REASONS.index(s["reason"]) for s in samples], dtype=np.uint8),
                clusters=clusters,
            ))  # fmt: skip
        return made[0], made[1]

    def _flipped(self, change: Change, metric: Metric, rows: Sequence[int], one: Columns, other: Columns) -> Change:
        """The change with the samples whose hits differ; a metric that is no mean takes the values themselves."""
        from mmte.evaluators.metrics import floats
        from mmte.stats.estimate import hits_of, used_rows

        sides = []
        for columns in (one, other):
            used, counts = used_rows(metric, self._of(metric), columns)
            hits = hits_of(metric, self._of(metric), used)
            values = floats(used.values, metric.name) if hits is None else hits
            sides.append([float(value) if counted else math.nan for value, counted in zip(values, counts, strict=True)])
        sign = {"up": 1, "down": -1}.get(change.direction, 0)
        groups: dict[str, list[Flip]] = {"worse": [], "better": [], "lost": [], "found": []}
        plain = [[None if math.isnan(hit) else float(hit) for hit in side] for side in sides]
        for row, before, after in zip(rows, *plain, strict=True):
            if before == after:
                continue
            if before is None or after is None:
                name = "lost" if after is None else "found"
            else:
                if not sign:  # a change that is neither
                    continue
                name = "worse" if (after - before) * sign < 0 else "better"
            groups[name].append(Flip(self.ids[row], before, after))
        return _with(change, **{name: tuple(flips) for name, flips in groups.items()})


def _metric(name: str, scoring: str) -> Metric:
    from mmte.compat.reading import original_metric
    from mmte.evaluators.metrics import metric_for

    return original_metric(name) if scoring == "multitrust" else metric_for(name)
