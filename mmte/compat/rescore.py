"""Old result files with the original's rules applied again, with lists that the user brings.

Only rules are applied again: what a judge, classifier or service said is taken from the file. So lists of another
version than that of the file (they were mended on 2025-03-24) change what its rules say, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from mmte.compat.literals import Literals
from mmte.compat.logs import Log
from mmte.compat.multitrust import ORIGINALS
from mmte.errors import MmteError
from mmte.evaluators.metrics import metric_for

_OWN_OPTIONS: Final = {"f1-stereo-generation", "f6-profession-pred"}
"""Tasks whose rule has phrases of its own, which neither the file nor the lists have."""
_FUZZY: Final = {"p5-visual-leakage"}
_METRICS: Final = ("accuracy_score", "precision_score", "recall_score", "f1_score", "pearson_corr", "failure",
                   "pred_mean", "pred_sum")  # fmt: skip
_COMPARES: Final = ("accuracy_score", "precision_score", "recall_score", "f1_score")
_FLAGS: Final = ("rule_reject_template_eval", "rule_contain_eval")


def rescored(log: Log, literals: Literals) -> tuple[Log, list[str]]:
    """A file as its rules read it with these lists, and a line for every number that changes."""
    totals, samples = dict(log.totals), [dict(sample) for sample in log.samples]
    changes = []
    for sequence in _sequences(log):
        try:
            values, labels = _values(log, sequence, literals)
        except (KeyError, MmteError):  # its input is not in the file, or is none that the original could read
            continue
        key = f"{sequence}:pred_no_op"
        if samples and key in samples[0]:
            for sample, value in zip(samples, values, strict=True):
                sample[key] = int(value) if value in (0, 1) else value
        for name in [name for name in totals if name.rpartition(":")[0] == sequence]:
            new = _metric(log, name.rpartition(":")[2], values, labels)
            old = totals[name]
            if new is None or new == old or (math.isnan(new) and math.isnan(old)):
                continue
            totals[name] = new
            if not abs(new - old) < 5e-5:
                told = f"{old:.4f} in the file, {new:.4f} with the lists '{literals.version}'"
                changes.append(f"{log.name}: {name}: {told}")
    return replace(log, totals=totals, samples=samples), changes


def _sequences(log: Log) -> Iterator[str]:
    """The evaluator sequences that end in a rule which can be applied again."""
    keys = [*log.totals, *(log.samples[0] if log.samples else ())]
    for sequence in dict.fromkeys(key.rpartition(":")[0] for key in keys):
        rule = sequence.rpartition("->")[2]
        own = log.task in _OWN_OPTIONS and rule == "rule_yes_or_no_eval"
        if rule in ORIGINALS and not own and not (log.task in _FUZZY and rule == "rule_contain_eval"):
            yield sequence


def _values(log: Log, sequence: str, literals: Literals) -> tuple[list[Any], list[Any]]:
    """What the last rule of a sequence makes of the column that it reads, and the labels."""
    before, _, rule = sequence.rpartition("->")
    preds = log.column(f"{before}:pred_no_op") if before else log.preds
    if not preds:
        raise KeyError("no samples")
    compares = any(f"{sequence}:{name}" in log.totals for name in _COMPARES)
    labels = [sample.get("label", 0 if compares else None) for sample in log.samples]
    extras = [sample.get("extra") for sample in log.samples]
    values, labels, _ = ORIGINALS[rule](rule, literals=literals).process(preds, labels, extras)
    return list(values), list(labels)


def _metric(log: Log, name: str, values: Sequence[Any], labels: Sequence[Any]) -> float | None:
    """A metric of all samples or of a subset, `<metric>_<subset>`; None: it is not known here."""
    metric = next((known for known in _METRICS if name == known or name.startswith(f"{known}_")), None)
    if metric is None:
        return None
    subset = name[len(metric) + 1 :]
    rows = [
        row for row, sample in enumerate(log.samples)
        if not subset or (sample.get("extra") or {}).get("subset") == subset
    ]  # fmt: skip
    if not rows:
        return None
    value = float(metric_for(metric)([labels[row] for row in rows], [values[row] for row in rows]))
    return 0.0 if math.isnan(value) and metric in _COMPARES else value
