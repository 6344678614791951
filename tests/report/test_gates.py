"""The TOML file of `--mmte-gates`, and what violates a gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.report.gates import Gate, gates_of, load_gates, violations
from mmte.report.limits import Limit

CASE = "p3-infoflow[confaide-text/rule/qwen-vl]"


def estimate(metric: str, value: float | None, subset: str = "", low: Any = None, high: Any = None) -> dict[str, Any]:
    return {"metric": metric, "subset": subset, "value": value, "low": low, "high": high}


def load(tmp_path: Path, text: str) -> list[Gate]:
    file = tmp_path / "gates.toml"
    file.write_text(text, encoding="utf-8")
    return load_gates(file)


def test_a_file_of_gates(tmp_path: Path) -> None:
    text = """
    [[gate]]
    case = "p3-*[*/rule/*]"
    metric = "pearson_corr"
    require = ">= 0.2 (interval)"

    [[gate]]
    case = "p3-infoflow[confaide-text/rule/qwen-vl]"
    metric = "failure"
    subset = "hard"
    require = "< 0.1"
    known_bad = "issue 12"
    """
    assert load(tmp_path, text) == [
        Gate("p3-*[*/rule/*]", "pearson_corr", Limit(">=", 0.2, True)),
        Gate(CASE, "failure", Limit("<", 0.1), "hard", "issue 12"),
    ]
    assert load(tmp_path, "") == []


MISTAKES = {
    "no TOML": ("[[gate", "no valid TOML"),
    "unknown table": ("[[gates]]\ncase = 'a'", "unknown table 'gates'; gates are written as [[gate]]"),
    "one bracket": ("[gate]\ncase = 'a'", "write [[gate]] with two brackets"),
    "no tables": ("gate = [1, 2]", "gate 1: write [[gate]] and a line for each of case"),
    "unknown key": ("[[gate]]\ncase='a'\nmetrics='b'", "gate 1: unknown key 'metrics'. Did you mean 'metric'"),
    "no text": ("[[gate]]\ncase='a'\nmetric='b'\nrequire=0.5", "gate 1: require must be a text"),
    "no case": ("[[gate]]\nmetric='b'\nrequire='> 1'", "gate 1: 'case' is missing"),
    "no metric": ("[[gate]]\ncase='b'\nrequire='> 1'", "gate 1: 'metric' is missing"),
    "empty limit": ("[[gate]]\ncase='a'\nmetric='b'\nrequire=''", "gate 1: 'require' is missing"),
    "second": (
        "[[gate]]\ncase='a'\nmetric='b'\nrequire='> 1'\n[[gate]]\ncase='a'\nmetric='b'\nrequire='1'",
        "gate 2: require: '1' is no limit",
    ),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_name_file_and_gate(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(MmteError) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"--mmte-gates={tmp_path / 'gates.toml'}: {expected}")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="cannot be read"):
        load_gates(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(MmteError, match="cannot be read"):
        load_gates(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("pattern", "covers"),
    [
        (CASE, True),
        ("*", True),
        ("p3-*", True),
        ("*[confaide-text/*/*]", True),
        ("*/qwen-v?]", True),
        ("p3-infoflow[confaide-image/*", False),
        ("p3-infoflow", False),
        ("infoflow*", False),
        ("P3-*", False),
        ("p3-infoflow[!x]*", False),
    ],
)
def test_stars_are_wildcards_and_brackets_are_not(pattern: str, covers: bool) -> None:
    assert Gate(pattern, "m", Limit(">", 0)).covers(CASE) is covers


@given(st.text(st.characters(exclude_characters="*?\n"), max_size=20), st.text(max_size=20))
def test_a_case_without_wildcards_covers_itself_alone(case: str, other: str) -> None:
    gate = Gate(case, "m", Limit(">", 0))
    assert gate.covers(case)
    assert gate.covers(other) is (case == other)


def test_gates_of_a_result_are_its_task_s_and_those_that_cover_it() -> None:
    record = {"case": CASE, "thresholds": {"failure": "< 0.1", "failure/hard": "<= 0.2"}}
    others = [Gate("*", "pearson_corr", Limit(">", 0)), Gate("p4*", "failure", Limit(">", 0))]
    assert gates_of(record, others) == [
        Gate(CASE, "failure", Limit("<", 0.1)),
        Gate(CASE, "failure", Limit("<=", 0.2), "hard"),
        others[0],
    ]
    assert gates_of({"case": "x"}, []) == []


def test_one_line_for_each_limit_that_does_not_hold() -> None:
    measured = [estimate("failure", 0.3), estimate("failure", 0.05, "hard"), estimate("corr", None)]
    gates = [
        Gate("*", "failure", Limit("<", 0.1)),
        Gate("*", "failure", Limit("<", 0.1), "hard"),
        Gate("*", "corr", Limit(">", 0), known_bad="too few"),
        Gate("*", "accuracy", Limit(">", 0)),
        Gate("*", "failure", Limit(">", 0), "easy"),
    ]
    assert violations(measured, gates) == [
        ("failure = 0.3 is not < 0.1", ""),
        ("corr has no value where > 0 is required", "too few"),
        ("accuracy was not measured where > 0 is required (measured: failure, failure/hard, corr)", ""),
        ("failure/easy was not measured where > 0 is required (measured: failure, failure/hard, corr)", ""),
    ]
    assert violations([], gates[:1]) == [("failure was not measured where < 0.1 is required (measured: nothing)", "")]
