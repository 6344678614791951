"""schema.json: valid itself, shipped, and strict about what a report may say."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from mmte.report.build import SCHEMA

ESTIMATE: dict[str, Any] = {
    "metric": "failure", "value": 0.0, "low": 0.0, "high": 0.12, "n": 28, "expected": 28, "bounds": [0.0, 0.0],
    "method": "wilson", "direction": "down", "subset": "",
}  # fmt: skip
CARD: dict[str, Any] = {
    "name": "refusal", "evaluator": "rule_reject_template_eval", "identity": "0123456789abcdef", "n": 441,
    "date": "2026-01-01T00:00:00+00:00", "sensitivity": [0.97, 0.94, 0.99], "specificity": [1.0, 0.98, 1.0],
    "balanced_accuracy": [0.985, 0.97, 0.99], "unparsed": [0.01, None, None], "data": "0" * 64,
}  # fmt: skip
RESULT: dict[str, Any] = {
    "case": "t1[d/rule/x]", "task": "t1", "aspect": "privacy", "dataset": "d", "sequence": "rule", "model": "x",
    "estimates": [ESTIMATE], "outcome": "recorded", "node": "benchmarks/privacy/t1.yaml::t1[d/rule/x]", "coverage": 1.0,
    "effort": {"asked": 28, "cached": 0, "seconds": 0.01}, "cards": [CARD],
    "metric_options": {"failure": {"fails_num": 0}},
}  # fmt: skip
SCORE: dict[str, Any] = {
    "name": "s", "title": "S", "aspect": "privacy", "level": "task", "model": "x", "value": 0.0, "low": 0.0,
    "high": 0.12, "method": "parts", "bounds": [0.0, 0.0], "n": 28, "expected": 28, "missing": [], "notes": [],
    "parts": {"t1[d/rule/x]:failure": 0.0},
}  # fmt: skip
REPORT: dict[str, Any] = {
    "schema": "mmte.report/1",
    "run": {
        "id": "r",
        "started": "2026-01-01T00:00:00+00:00",
        "finished": "2026-01-01T00:00:01+00:00",
        "seconds": 1.0,
        "exit": 0,
        "mmte": "0.1.0",
        "python": "3.11.7",
        "platform": "Linux",
        "packages": {"pytest": "9.2.0"},
    },
    "settings": {
        "data": "mini",
        "limit": None,
        "repeats": 1,
        "offline": False,
        "min_coverage": 0.98,
        "set": [],
        "scoring": "strict",
    },
    "summary": {"recorded": 1},
    "results": [RESULT],
    "scores": [SCORE],
}


def validator() -> Draft202012Validator:
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FormatChecker())


def changed(path: str, value: Any) -> dict[str, Any]:
    """The report with one place changed, or without it where the value is ..."""
    report = copy.deepcopy(REPORT)
    place: Any = report
    *steps, last = path.split("/")
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return report


def test_a_report_is_valid() -> None:
    validator().validate(REPORT)


def test_the_version_is_that_of_the_writer() -> None:
    assert validator().schema["properties"]["schema"]["const"] == SCHEMA


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "mmte.report/2"),
        ("schema", ...),
        ("results", ...),
        ("extra", 1),
        ("run/exit", "0"),
        ("run/extra", 1),
        ("settings/min_coverage", 1.5),
        ("settings/limit", 0),
        ("settings/scoring", "lenient"),
        ("summary/nonsense", 1),
        ("summary/recorded", 0),
        ("results/0/outcome", "fine"),
        ("results/0/case", ""),
        ("results/0/case", ...),
        ("results/0/coverage", 1.2),
        ("results/0/samples", []),
        ("results/0/effort/asked", -1),
        ("results/0/estimates/0/value", "0.5"),
        ("results/0/estimates/0/value", ...),
        ("results/0/estimates/0/direction", "sideways"),
        ("results/0/estimates/0/bounds", [0.1]),
        ("results/0/estimates/0/n", -1),
        ("results/0/estimates/0/note", ""),
        ("results/0/cards/0/sensitivity", [0.9]),
        ("results/0/cards/0/sensitivity", [1.9, 0.8, 1.0]),
        ("results/0/cards/0/identity", ...),
        ("results/0/cards/0/extra", 1),
        ("results/0/cards/0/file", ""),
        ("results/0/metric_options", []),
        ("results/0/metric_options/failure", 0),
        ("settings/judge_repeats", 0),
        ("scores/0/value", "0.5"),
        ("scores/0/level", "top"),
        ("scores/0/missing", ...),
        ("scores/0/method", "guess"),
        ("scores/0/extra", 1),
    ],
)
def test_what_does_not_belong_is_refused(path: str, value: Any) -> None:
    assert not validator().is_valid(changed(path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("run/exit", None),
        ("results/0/estimates/0/value", None),
        ("results/0/estimates/0/bounds", None),
        ("results/0/estimates/0/n", None),
        ("results/0/coverage", ...),
        ("results/0/cards", ...),
        ("results/0/cards", []),
        ("results/0/cards/0/threshold", 0.5),
        ("results/0/cards/0/file", "labels.csv"),
        ("results/0/cards/0/mmte", "0.1.0"),
        ("results/0/metric_options", ...),
        ("results/0/metric_options", {}),
        ("results/0/metric_options/failure/fails_num", "x"),
        ("results", []),
        ("scores", ...),
        ("scores/0/value", None),
        ("scores/0/bounds", None),
    ],
)
def test_what_may_be_absent_is_accepted(path: str, value: Any) -> None:
    validator().validate(changed(path, value))
