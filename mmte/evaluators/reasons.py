"""Why an evaluator decided: told when somebody looks at a sample, from the answer in the side file.

Saying why takes longer than deciding, so nothing of it runs while answers are scored: the chain is saved beside the
samples, and asked again when a sample is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.scoring import STRICT
from mmte.evaluators.sequence import Join, SequentialEvaluator

_DECIDED: Final = ("scored", "unparsed")


def chain_file(samples_file: Path) -> Path:
    """Where the chain of a samples file is saved."""
    return samples_file.with_name(samples_file.name.removesuffix(".jsonl") + ".evaluators.json")


def save_chain(sequence: SequentialEvaluator, samples_file: Path) -> None:
    """Save a chain beside its samples, if it is of the strict reading and a stage of it can say why."""
    if sequence.scoring.name == STRICT.name and _explains(sequence):
        body = {"chain": sequence.cfg, "identity": sequence.identity()}
        chain_file(samples_file).write_text(json.dumps(body, default=repr), "utf-8")


def _explains(sequence: SequentialEvaluator) -> bool:
    return any(
        any(map(_explains, stage.chains)) if isinstance(stage, Join) else _can_say(stage) for stage in sequence.stages
    )


def _can_say(stage: BaseEvaluator) -> bool:
    return type(stage).reason is not BaseEvaluator.reason


class Reasons:
    """Says why the samples of a side file got their values; nothing where the chain cannot be had as it was."""

    def __init__(self, samples_file: Path) -> None:
        self._sequence = _load(chain_file(samples_file))

    def of(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Reason by stage (its cumulative key) of a row of the file.

        None is told of an answer that was redacted: it is not the text that was read.
        """
        if self._sequence is None or row.get("redacted") or row["status"] != "ok" or row["reason"] not in _DECIDED:
            return {}
        return {key: why for key, why in _told(self._sequence, row["content"], row.get("steps") or {}) if why}


def _told(sequence: SequentialEvaluator, value: Any, steps: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Stages with what they say of the values that they read; those of joined chains by their first stage."""
    for stage, key in zip(sequence.stages, sequence.keyname_prefix_seq, strict=True):
        if isinstance(stage, Join):
            for chain in stage.chains:
                yield from _told(chain, value, {})
        elif not stage.model and _can_say(stage):
            yield key, stage.reason(value)
        if f"{key}:pred_no_op" not in steps:
            return
        value = steps[f"{key}:pred_no_op"]


def _load(file: Path) -> SequentialEvaluator | None:
    """The chain of a file; None: there is none, it cannot be built here, or its evaluators have changed since."""
    try:
        body = json.loads(file.read_text("utf-8"))
        sequence = SequentialEvaluator(body["chain"])
        return sequence if json.loads(json.dumps(sequence.identity())) == body["identity"] else None
    except (OSError, ValueError, LookupError, TypeError, MmteError):
        return None
