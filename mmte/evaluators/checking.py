"""An evaluator against human labels: sensitivity, specificity and how often it says nothing.

An answer whose judge failed tells nothing of the evaluator: it is counted as `failed` and is in no other figure.

Balanced accuracy is the mean of sensitivity and specificity; its interval combines theirs (the square-and-add method
of Zou & Donner 2008, Stat. Med. 27:1693, from Wilson intervals).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from mmte import __version__
from mmte.engine.runtime import Runtime
from mmte.errors import MmteError, near
from mmte.evaluators.card import SCHEMA, identity_of, options_of
from mmte.evaluators.labelled import read_rows
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.types import Response, Sample, Trial

QUESTIONS: Final = ("question", "prompt")
TARGET: Final = "target"
MOST_FAILED: Final = 0.02
"""The share of answers whose judge may fail in a check that is kept as a card; see `--mmte-min-coverage`."""


@dataclass(frozen=True, slots=True)
class Data:
    """A file with answers and what people said of them.

    Attributes:
        file: CSV, JSON or JSON Lines with one row for each answer.
        text, label: columns of the answer and of the human label.
        positive, negative: the labels that mean yes and no; without `negative`, every other label means no. Rows
            with another label, or none, are left out.
        question, target: columns of the question and of the dataset's label, where the evaluator reads them; the
            whole row but the human label is the sample's extra.
        cluster: column whose value rows share that depend on each other.
    """

    file: Path
    text: str = "text"
    label: str = "label"
    positive: tuple[str, ...] = ("1",)
    negative: tuple[str, ...] = ()
    question: str = ""
    target: str = TARGET
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """The rows that count: trials, whether people said yes, clusters; how many were left out; the file's sha256."""

    trials: list[Trial]
    truth: list[bool]
    clusters: list[int]
    left_out: int
    sha256: str


def labelled(data: Data) -> Labelled:
    """Read a file of labelled answers.

    Raises:
        MmteError: it cannot be read, a column is not there, or no row has a label that means yes or no.
    """
    rows, where = read_rows(data.file), f"--data {data.file}"
    for option, column in (("--text", data.text), ("--label", data.label), ("--question", data.question),
                           ("--cluster", data.cluster)):  # fmt: skip
        if column and column not in rows[0]:
            hint = near(column, rows[0]) or f" It has {', '.join(map(repr, list(rows[0])[:12]))}."
            raise MmteError(f"{where}: there is no column '{column}' for {option}.{hint}")
    names = [_label(row.get(data.label)) for row in rows]
    trials, truth, clusters, numbers = [], [], [], dict[str, int]()
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        says = name in data.positive
        if not name or not (says or name in data.negative or not data.negative):
            continue
        trials.append(_trial(row, number, data))
        truth.append(says)
        mark = str(row.get(data.cluster)) if data.cluster else str(number)
        clusters.append(numbers.setdefault(mark, len(numbers)))
    seen = Counter(filter(None, names))
    if unknown := [v for v in (*data.positive, *data.negative) if v not in seen]:
        told = ", ".join(f"{v!r} ({n})" for v, n in seen.most_common(8)) or "no labels at all"
        raise MmteError(f"{where}: no row has the label '{unknown[0]}'; the column '{data.label}' has {told}")
    sha256 = hashlib.sha256(data.file.read_bytes()).hexdigest()
    return Labelled(trials, truth, clusters, len(rows) - len(trials), sha256)


def _label(value: Any) -> str:
    """A label as the command line writes it: true, 1, yes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()


def _trial(row: Mapping[str, Any], number: int, data: Data) -> Trial:
    answer = row.get(data.text)
    content = "" if answer is None else str(answer)
    columns = [data.question] if data.question else QUESTIONS
    asked = next((str(row[c]) for c in columns if row.get(c) is not None), "")
    target, extra = row.get(data.target), {k: v for k, v in row.items() if k != data.label}
    sample = Sample(f"row-{number + 1}", ({"role": "user", "content": asked},), target, extra)
    if not content.strip():
        return Trial(sample, Response("", content, status="empty"), None, "empty", target, extra)
    return Trial(sample, Response("", content), content, "scored", target, extra)


@dataclass(frozen=True, slots=True)
class Check:
    """What an evaluator made of labelled answers, and its card."""

    card: Mapping[str, Any]
    missed: Sequence[Trial]
    """Answers that it got wrong, in the order of the file."""


def check(
    chain: Any, data: Data, runtime: Runtime, *, name: str = "", threshold: float | None = None, note: str = ""
) -> Check:
    """Run a chain over labelled answers and compare it with the people who labelled them.

    Args:
        chain: as `SequentialEvaluator` takes it. Its value must be 1 for yes and 0 for no, if there is no threshold.
        data: the answers.
        runtime: has the judges.
        name: what the card calls the chain; "": its key.
        threshold: values from it on mean yes.
        note: what a reader of the card must know.

    Raises:
        MmteError: a chain or file that is wrong, a judge that is not there, values that are neither 0 nor 1.
        ModelGone: a judge cannot be asked any more.
    """
    sequence = SequentialEvaluator(chain, runtime.scoring, runtime.panels)
    last = sequence.stages[-1]
    if getattr(getattr(last, "rest", sequence).stages[-1], "says_text", False):
        rule = "name a chain that ends in a rule, such as rule_yes_or_no_eval, with --chain FILE"
        raise MmteError(f"'{sequence.key}' says texts, which are neither yes nor no: {rule}")
    known = {**runtime.settings.judges, **runtime.settings.models}
    for judge, spec in sequence.judge_specs.items():
        if judge not in known:
            raise MmteError(f"{sequence.key} needs the judge '{judge}': --judge {judge}={spec}")
    rows = labelled(data)
    trials = list(rows.trials)
    sequence.run(trials, runtime.answers)
    kept = [n for n, trial in enumerate(trials) if trial.reason != "judge"]
    failed, trials = len(trials) - len(kept), [trials[n] for n in kept]
    truth, clusters = [rows.truth[n] for n in kept], [rows.clusters[n] for n in kept]
    says = [_says(t, sequence.key, threshold) for t in trials]
    judges = [runtime.pool.model(j).identity() for j in sequence.judges]
    used = {key: value for key in ("text", "label") if (value := getattr(data, key))}
    card = {
        "schema": SCHEMA,
        "name": name or sequence.key,
        "evaluator": sequence.key,
        "identity": identity_of(sequence, judges),
        "stages": sequence.identity(),
        "options": options_of(sequence),
        "judges": judges,
        "data": {"file": data.file.name, "sha256": rows.sha256, **used, "positive": list(data.positive),
                 "negative": list(data.negative), "left_out": rows.left_out},
        "threshold": threshold,
        "n": len(trials),
        "failed": failed,
        "figures": _figures(says, truth, clusters),
        "reasons": dict(Counter(t.reason for t in trials)),
        "note": note,
        "mmte": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }  # fmt: skip
    return Check(card, [t for t, s, h in zip(trials, says, truth, strict=True) if s is not None and s != h])


def _says(trial: Trial, key: str, threshold: float | None) -> bool | None:
    if trial.reason != "scored":
        return None
    value = trial.value
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if number != number or (threshold is None and number not in (0.0, 1.0)):
        rule = "an evaluator that is checked says 1 or 0; give --threshold VALUE for other numbers, --chain for more"
        raise MmteError(f"'{key}' made {value!r:.40} of {trial.sample.id}: {rule}")
    return number == 1 if threshold is None else number >= threshold


def _figures(says: Sequence[bool | None], truth: Sequence[bool], clusters: Sequence[int]) -> dict[str, Any]:
    """Each share with its interval; agreement beyond chance on the answers with a verdict."""
    import numpy as np

    from mmte.stats.agreement import cohen_kappa, krippendorff_alpha

    told = np.array([s is not None for s in says], dtype=bool)
    yes, human = np.array([bool(s) for s in says], dtype=bool), np.array(truth, dtype=bool)
    where = np.array(clusters, dtype=np.int64)
    found = {
        "sensitivity": _share(yes[human & told], where[human & told]),
        "specificity": _share(~yes[~human & told], where[~human & told]),
        "unparsed": _share(~told, where),
    }
    found["balanced_accuracy"] = _balanced(found["sensitivity"], found["specificity"])
    both = (list(says), list(truth))
    kappa = cohen_kappa(*both, clusters=clusters)
    alpha = krippendorff_alpha(list(zip(*both, strict=True)), clusters=clusters)
    for name, got in (("kappa", kappa), ("alpha", alpha)):
        found[name] = {"value": _short(got.value), "low": _short(got.low), "high": _short(got.high), "n": got.n}
    return found


def _share(hits: Any, clusters: Any) -> dict[str, Any]:
    from mmte.stats.intervals import proportion

    if not len(hits):
        return {"value": None, "low": None, "high": None, "n": 0}
    (low, high), _ = proportion(hits.astype(float), clusters)
    return {"value": _short(float(hits.mean())), "low": _short(low), "high": _short(high), "n": len(hits)}


def _balanced(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    n = one["n"] + other["n"]
    if not one["n"] or not other["n"]:
        return {"value": None, "low": None, "high": None, "n": n}
    middle = (one["value"] + other["value"]) / 2
    down = math.hypot(one["value"] - one["low"], other["value"] - other["low"]) / 2
    up = math.hypot(one["high"] - one["value"], other["high"] - other["value"]) / 2
    return {"value": _short(middle), "low": _short(max(0.0, middle - down)), "high": _short(min(1.0, middle + up)),
            "n": n}  # fmt: skip


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
