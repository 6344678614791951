"""Reads MMTrustEval's own result files: `logs/<aspect>/<task>/<model>/<dataset>.json`.

A file has `total_results` (metric by evaluator sequence) and `per_sample_results` (one object a sample: the question as
`content`, the answer as `pred`, `label`, `extra`, and a value by evaluator sequence). A column of which every value is
empty, 0 or null is left out by the original, NaN is written as it is, and nothing says which model, judge, settings or
version made it: the path is all that is known.

Source of the layout: github.com/thu-ml/MMTrustEval (Zhang et al. 2024, arXiv:2406.07057); facts only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError, near
from mmte.types import ASPECTS

_MOST: Final = 2_000_000_000
_ERROR: Final = re.compile(r"\s*error in generation\b", re.IGNORECASE)
_CLASSES: Final[Mapping[str, str]] = {
    "RejectTemplateEvaluator": "rule_reject_template_eval",
    "ContainOrNotEvaluator": "rule_contain_eval",
    "YesOrNoEvaluator": "rule_yes_or_no_eval",
    "MatchAndScoreEvaluator": "rule_match_and_score_eval",
    "ScoreEvaluator": "rule_score_eval",
    "ContainExactEvaluator": "rule_contain_exact_eval",
    "ContainAdvEvaluator": "rule_contain_adv_eval",
    "ChatModelEvaluator": "chatmodel_eval",
    "ChatModelScorer": "chatmodel_score",
    "ClassiferRejectEvaluator": "classifer_reject_eval",
    "ClassiferFollowInstructionEvaluator": "classifer_follow_instruction_eval",
    "HarmBenchModelEvaluator": "harmbenchmodel_eval",
    "PerspectiveAPIEvaluator": "google_perspective_api_eval",
    "ModerationAPIEvaluator": "openai_moderation_api_eval",
}
"""The evaluators' classes, by which files of the first release call them."""


def is_error(text: Any) -> bool:
    """Whether a text is what the original's adapters return where a model could not be asked."""
    return isinstance(text, str) and _ERROR.match(text) is not None


@dataclass(frozen=True)
class Log:
    """One result file.

    Attributes:
        aspect, task, model, dataset: of its path; `task` is the folder's name.
        totals: a number by `<sequence>:<metric>` and `<sequence>:<metric>_<subset>`.
        samples: one mapping a sample.
    """

    aspect: str
    task: str
    model: str
    dataset: str
    totals: Mapping[str, float]
    samples: Sequence[Mapping[str, Any]]

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.task}/{self.dataset}"

    @cached_property
    def preds(self) -> list[str]:
        """The answers; the original leaves the column out where all of them are empty."""
        return [str(sample.get("pred") or "") for sample in self.samples]

    def total(self, key: str) -> float:
        """A number of `total_results`; KeyError where the file does not have it."""
        return self.totals[key]

    def column(self, key: str) -> list[Any]:
        """A value of every sample; KeyError where the file does not have it."""
        return [sample[key] for sample in self.samples]


def read_logs(folder: Path) -> tuple[list[Log], list[str]]:
    """Every result file below a folder, or below `logs/` in it, by path; and which files were left out, and why.

    Raises:
        MmteError: one line: no result files there, or one that is not of their form.
    """
    root = folder / "logs" if (folder / "logs").is_dir() else folder
    if not root.is_dir():
        raise MmteError(f"{folder}: no such folder; name the folder logs of a MMTrustEval checkout")
    found, left_out = [], []
    for file in sorted(root.glob("*/*/*/*.json")):
        aspect, task, model, name = file.relative_to(root).parts
        if aspect in ASPECTS:
            found.append(_log(file, aspect, task, model, name.removesuffix(".json")))
        else:
            left_out.append(f"{aspect}/{task}: '{aspect}' is no aspect.{near(aspect, ASPECTS)}")
    if not found:
        raise MmteError(f"{folder}: no result files <aspect>/<task>/<model>/<dataset>.json; name the folder logs")
    return found, list(dict.fromkeys(left_out))


def _log(file: Path, aspect: str, task: str, model: str, dataset: str) -> Log:
    try:
        if file.stat().st_size > _MOST:
            raise MmteError(f"{file}: too large for a result file")
        body = json.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise MmteError(f"{file}: cannot be read: {error}") from None
    except ValueError as error:
        told = "cut short while it was written? delete it, or run its task again"
        raise MmteError(f"{file}: no valid JSON ({error}): {told}") from None
    totals, samples = (body.get(key) if isinstance(body, dict) else None for key in _PARTS)
    if not isinstance(totals, dict) or not isinstance(samples, list):
        raise MmteError(f"{file}: no result file of MMTrustEval: it must have {' and '.join(_PARTS)}")
    numbers = {}
    for key, value in totals.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise MmteError(f"{file}: total_results: '{key}' must be a number, not {value!r:.40}")
        numbers[_key(key)] = float(value)
    rows = list(_rows(file, samples))
    return Log(aspect, task, model, dataset, numbers, rows)


_PARTS: Final = ("total_results", "per_sample_results")
_FORMS: Final[Mapping[str, tuple[type, ...]]] = {
    "pred": (str, type(None)), "content": (str, dict, type(None)), "extra": (dict, type(None)),
}  # fmt: skip


def _rows(file: Path, samples: Sequence[Any]) -> Iterator[dict[str, Any]]:
    columns: set[str] | None = None
    for number, sample in enumerate(samples, 1):
        where = f"{file}: per_sample_results, sample {number}"
        if not isinstance(sample, dict):
            raise MmteError(f"{where} must be an object, not {sample!r:.40}")
        for key, forms in _FORMS.items():
            if not isinstance(sample.get(key), forms):
                raise MmteError(f"{where}: '{key}' must be {_named(forms)}, not {sample[key]!r:.40}")
        if columns is None:
            columns = set(sample)
        elif columns != set(sample):
            odd = min(columns ^ set(sample))
            raise MmteError(f"{where}: '{odd}' stands in some samples only; the original writes it for all or none")
        yield {_key(key): value for key, value in sample.items()}


def _named(forms: Sequence[type]) -> str:
    names: dict[type, str] = {str: "a text", dict: "an object"}
    return " or ".join(names.get(form, "null") for form in forms)


def _key(key: str) -> str:
    """A key with the evaluators' ids in place of their classes."""
    sequence, colon, metric = key.rpartition(":")
    if not colon:
        return key
    return "->".join(_CLASSES.get(stage, stage) for stage in sequence.split("->")) + colon + metric
