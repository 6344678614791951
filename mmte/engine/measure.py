"""From trials to a `Result`: flat columns while it runs, estimates at the end, every sample in a side file."""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from mmte.engine.agreement import Ballots
from mmte.engine.remarks import Remarks
from mmte.evaluators.reasons import save_chain
from mmte.evaluators.sequence import ERROR, SequentialEvaluator
from mmte.types import REASONS, Estimate, Trial

_NONE = float("nan")
_encode = json.JSONEncoder(separators=(",", ":"), default=repr).encode
_REASON = {reason: number for number, reason in enumerate(REASONS)}


class Tally:
    """What one evaluator sequence made of a dataset; some 30 bytes a sample.

    Args:
        sequence: the evaluators.
        samples_file: where every sample is written, one JSON line each; None: nowhere.
    """

    def __init__(self, sequence: SequentialEvaluator, samples_file: Path | None = None) -> None:
        self.sequence = sequence
        self.complete = True
        self.first_error = ""
        self._values: array[float] | list[Any] = array("d")
        self._labels: array[float] | list[Any] = array("d")
        self._reasons = bytearray()
        self._clusters = array("l")
        self._cluster_numbers: dict[int, int] = {}
        self._subsets = array("l")
        self._subset_numbers: dict[str, int] = {}
        self._ballots = Ballots()
        self._remarks = Remarks()
        self._held: list[Trial] = []
        self._file = _SamplesFile(samples_file) if samples_file else None

    def add(self, trials: Sequence[Trial], answers: Any) -> None:
        """Score a chunk of trials (all of them at `close`, where a stage wants to see all at once)."""
        if self.sequence.chunk is None:
            self._held += trials
        else:
            self._score(trials, answers)

    def close(self, answers: Any) -> None:
        """Score what was held back and finish the side file."""
        if self._held:
            self._score(self._held, answers)
            self._held = []
        if self._file:
            save_chain(self.sequence, self._file.path)
            self._file.finish()

    def abandon(self) -> None:
        """Close the side file without publishing it."""
        if self._file:
            self._file.close()

    def _score(self, trials: Sequence[Trial], answers: Any) -> None:
        self.complete = self.sequence.run(trials, answers) and self.complete
        for trial in trials:
            sample = trial.sample
            self._values = _append(self._values, trial.value if trial.reason == "scored" else _NONE)
            self._labels = _append(self._labels, trial.target)
            self._ballots.add(len(self._reasons), trial.steps)
            self._remarks.add(trial.steps)
            self._reasons.append(_REASON[trial.reason])
            mark = hash(sample.cluster)
            self._clusters.append(self._cluster_numbers.setdefault(mark, len(self._cluster_numbers)))
            self._subsets.append(self._subset_numbers.setdefault(sample.subset, len(self._subset_numbers)))
            if trial.reason in ("error", "judge") and not self.first_error:
                self.first_error = trial.response.error or _of_judge(trial)
            if self._file:
                self._file.write(trial)

    @property
    def counts(self) -> dict[str, int]:
        """How many samples ended for each reason, and `answered`: those without an error of the infrastructure."""
        found: dict[str, int] = {reason: self._reasons.count(number) for reason, number in _REASON.items()}
        found["answered"] = len(self._reasons) - found["error"] - found["judge"]
        return found

    @property
    def notes(self) -> list[str]:
        """What a reader must know of judges and scorers, for `Result.notes`."""
        return self._remarks.notes

    @property
    def metric_options(self) -> dict[str, dict[str, Any]]:
        """The options of each metric that was given some."""
        return {name: dict(options) for name, options in self.sequence.metrics_cfg.items() if options}

    def estimates(self, expected: int, seed: str, direction: Mapping[str, Any]) -> list[Estimate]:
        """Every metric over all samples, then over each subset; then how far the judges agreed."""
        from mmte.stats.estimate import estimate

        out = []
        for subset, rows, wanted in self._parts(expected):
            part = self._columns(rows)
            for name, kwargs in self.sequence.metrics_cfg.items():
                got = estimate(
                    self.sequence.metric(name), kwargs, part, expected=wanted, subset=subset,
                    direction=direction.get(name), seed=seed_of(f"{seed}:{name}:{subset}"),
                    value_range=self.sequence.value_range,
                )  # fmt: skip
                if got is not None:
                    out.append(got)
        level = getattr(self.sequence.stages[-1], "level", "")
        return out + self._ballots.estimates(self._clusters, expected, seed, level)

    def contrasts(self, other: Tally, against: str, expected: int, seed: str) -> list[Estimate]:
        """Every metric of this tally minus that of `other`, the same samples asked in another way."""
        from mmte.stats.contrast import contrast

        out = []
        for subset, rows, wanted in self._parts(expected):
            one, two = self._columns(rows), other._columns(rows)
            for name, kwargs in self.sequence.metrics_cfg.items():
                got = contrast(
                    self.sequence.metric(name), kwargs, one, two, expected=wanted, subset=subset,
                    seed=seed_of(f"{seed}:{name}:{subset}"),
                    value_range=self.sequence.value_range, against=against,
                )  # fmt: skip
                if got is not None:
                    out.append(got)
        return out

    def _parts(self, expected: int) -> Iterator[tuple[str, Any, int]]:
        """All samples, then each subset: its name, its rows (None: all), how many samples it has."""
        import numpy as np

        yield "", None, expected
        subsets = np.asarray(self._subsets)
        for subset, number in self._subset_numbers.items():
            if subset:
                rows = subsets == number
                yield subset, rows, int(rows.sum())

    def _columns(self, rows: Any) -> Any:
        import numpy as np

        from mmte.stats.estimate import Columns

        columns = Columns(
            values=_column(self._values),
            labels=_column(self._labels),
            reasons=np.frombuffer(bytes(self._reasons), dtype=np.uint8),
            clusters=np.asarray(self._clusters, dtype=np.int64),
        )
        return columns if rows is None else columns.take(rows)


def score_all(tallies: Sequence[Tally], chunks: Iterable[list[Trial]], answers: Any) -> None:
    """Let every tally score every chunk; their side files are published only when all went well."""
    try:
        for trials in chunks:
            for tally in tallies:
                tally.add(trials if len(tallies) == 1 else [replace(t) for t in trials], answers)
        for tally in tallies:
            tally.close(answers)
    except BaseException:
        for tally in tallies:
            tally.abandon()
        raise


def seed_of(text: str) -> int:
    """A seed derived from a name."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6], "big")


def _of_judge(trial: Trial) -> str:
    """Why a judge gave no usable reply, as its stage left it in the steps."""
    told = (str(why) for key, why in (trial.steps or {}).items() if key.endswith(ERROR))
    return next(told, "the judge gave no usable answer")


def _append(column: Any, value: Any) -> Any:
    """Append to a flat column of floats; it turns into a list at the first thing that is no number."""
    if type(column) is list:
        column.append(value)
        return column
    try:
        column.append(value)
    except TypeError:
        if value is None:
            column.append(_NONE)
        else:
            return [*column, value]
    return column


def _column(column: Any) -> Any:
    import numpy as np

    return (
        column if isinstance(column, list) else np.frombuffer(column, dtype=np.float64) if len(column) else np.empty(0)
    )


class _SamplesFile:
    """JSON lines in a file that gets its name when it is complete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._file: TextIO = self._part.open("w", encoding="ascii")

    def write(self, trial: Trial) -> None:
        s, r = trial.sample, trial.response
        row = {
            "id": s.id, "subset": s.subset, "cluster": s.cluster, "group": s.group, "messages": s.messages,
            "target": s.target, "status": r.status, "content": r.content, "cut": r.cut, "value": trial.value,
            "reason": trial.reason,
        }  # fmt: skip
        if trial.target is not s.target:  # an evaluator read it, and metrics compare with what it found
            row["label"] = trial.target
        if r.reasoning:
            row["reasoning"] = r.reasoning
        if r.error:
            row["error"] = r.error
        if trial.steps:
            row["steps"] = trial.steps
        names = s.extra.get("redact") if isinstance(s.extra, Mapping) else None
        if names:
            shown = _redacted(row, names)
            row = shown | {"redacted": True} if shown["content"] != r.content else shown
        self._file.write(_encode(row) + "\n")

    def finish(self) -> None:
        self._file.close()
        self._part.replace(self.path)

    def close(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)


def _redacted(row: Any, names: Sequence[Any]) -> Any:
    """Plain data without the names in `extra["redact"]`: real people do not stand in reports."""
    wanted = "|".join(re.escape(n) for n in sorted(map(str, names), key=len, reverse=True) if n)
    pattern = re.compile(rf"(?<!\w)(?:{wanted or '(?!)'})(?!\w)", re.IGNORECASE)

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub("[redacted]", value)
        if isinstance(value, Mapping):
            return {k: clean(v) for k, v in value.items()}
        return [clean(v) for v in value] if isinstance(value, (list, tuple)) else value

    return clean(row)


def batched(items: Iterable[Any], n: int) -> Iterable[list[Any]]:
    """Lists of `n` items, the last one shorter."""
    chunk: list[Any] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == n:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
