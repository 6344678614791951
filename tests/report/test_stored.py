"""`mmte show` on files of another hand: one line, whatever stands in them; and its JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from made_reports import report, row

from mmte.cli import main
from mmte.errors import MmteError
from mmte.report.made import load_report

CASE, FILE = "t1[d/rule/x]", "t1[d~rule~x].jsonl"
ROW = {"case": CASE, "outcome": "recorded", "node": "a", "samples_file": FILE, "counts": {"scored": 1}, "reason": "why"}
SCORE = {
    "name": "t1", "title": "Task one", "aspect": "privacy", "level": "task", "model": "x", "value": 0.5, "low": 0.4,
    "high": 0.6, "bounds": [0.1, 0.9], "n": 3, "expected": 3, "parts": {f"{CASE}:failure": 0.5}, "missing": [],
    "notes": ["mini data"],
}  # fmt: skip
SAMPLE = {
    "id": "s1", "subset": "part", "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": {"text": "What?", "image_path": "a.png"}},
    ],
    "target": 1.0, "status": "ok", "content": "That.", "cut": False, "value": 1.0, "reason": "scored", "error": None,
    "reasoning": "Hm.", "steps": {"a": 1},
}  # fmt: skip
ODD = (None, 3, "odd", [], [3], {"odd": 3})


def written(folder: Path, report: Any, sample: Any = SAMPLE) -> Path:
    (folder / "samples").mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(report))
    (folder / "samples" / FILE).write_text(json.dumps(sample) + "\n")
    return folder


def shown(capsys: pytest.CaptureFixture[str], folder: Path, *args: str) -> tuple[int, str, str]:
    status = main(["show", f"--run={folder}", *args])
    told = capsys.readouterr()
    return status, told.out, told.err


def mutants(value: Any) -> Iterator[Any]:
    """Copies of plain data, each with one thing in another form, or without one key."""
    yield from (odd for odd in ODD if odd != value)
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for other in mutants(value[key]):
            copy = deepcopy(value)
            copy[key] = other
            yield copy


def in_one_line(capsys: pytest.CaptureFixture[str], folder: Path) -> bool:
    """Show everything; whether it was refused, and then in one line without words of Python."""
    refused = False
    for args in ([], ["--json"], [CASE], [CASE, "--json"], ["t1"], ["t1", "--json"]):
        status, _, err = shown(capsys, folder, *args)
        if status:
            refused = True
            assert status == 4
            assert err.startswith("mmte: ")
            assert err.count("\n") == 1
            assert not any(word in err for word in ("NoneType", "object has no", "Error", "indices", "subscript"))
    return refused


def test_a_whole_report_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not in_one_line(capsys, written(tmp_path, {"results": [ROW], "scores": [SCORE]}))


def test_any_report_is_shown_or_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = [in_one_line(capsys, written(tmp_path, r)) for r in mutants({"results": [ROW], "scores": [SCORE]})]
    assert True in refused
    assert False in refused


def test_any_sample_is_shown_or_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = {"results": [ROW], "scores": [SCORE]}
    refused = [in_one_line(capsys, written(tmp_path, report, sample)) for sample in mutants(SAMPLE)]
    assert True in refused
    assert False in refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "report.json is no valid JSON: Expecting value"),
        ("[]", "report.json is no JSON object"),
        ("null", "report.json is no JSON object"),
        ("{}", "report.json has no list of results"),
        ('{"results": {}}', "report.json has no list of results"),
        ('{"results": [1]}', "results.0 is no JSON object"),
        ('{"results": [{"outcome": "passed"}]}', "results.0: 'case' is missing"),
        ('{"results": [{"case": "a"}]}', "results.0: 'outcome' is missing"),
        ('{"results": [{"case": 3, "outcome": "passed"}]}', "results.0: 'case' must be a text"),
        ('{"results": [{"case": "a", "outcome": "passed", "counts": 3}]}', "results.0: 'counts' must be an object"),
        ('{"results": [], "scores": 3}', "its scores are no list"),
        ('{"results": [], "scores": [{}]}', "scores.0: '"),
        ("[" * 100_000, "report.json is nested too deeply"),
    ],
    ids=lambda text: text[:30],
)
def test_an_odd_report_is_told_where_it_is_odd(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (tmp_path / "report.json").write_text(text)
    status, out, err = shown(capsys, tmp_path)
    assert (status, out) == (4, "")
    assert err.startswith(f"mmte: {tmp_path}: its report cannot be read: {message}")
    assert err.count("\n") == 1


def test_an_odd_journal_or_side_file_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "results.jsonl"
    journal.write_text(json.dumps(ROW) + "\n[]\n")
    assert shown(capsys, tmp_path)[2] == f"mmte: {journal}:2: no JSON object\n"
    journal.write_text(json.dumps({k: v for k, v in ROW.items() if k != "node"}) + "\n")
    assert shown(capsys, tmp_path)[2].endswith("results.jsonl:1: 'node' is missing\n")
    written(tmp_path, {"results": [ROW]})
    with (tmp_path / "samples" / FILE).open("a") as file:
        file.write("{}\n")
    status, _, err = shown(capsys, tmp_path, CASE)
    assert (status, f"{FILE}:2: '" in err) == (4, True)


def test_json_without_a_case_is_a_line_for_each_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = {"case": "s1[d/rule/x]", "outcome": "skipped", "reason": "\x1b[2J\u202e"}
    written(tmp_path, {"results": [ROW, other], "scores": [SCORE]})
    status, out, err = shown(capsys, tmp_path, "--json")
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [other, ROW]
    assert out.isascii() and "\x1b" not in out
    status, out, _ = shown(capsys, tmp_path, "t1", "--json")
    assert [json.loads(line) for line in out.splitlines()] == [SCORE]
    status, out, _ = shown(capsys, tmp_path, CASE, "--json")
    assert [json.loads(line) for line in out.splitlines()] == [{"case": CASE, **SAMPLE}]


# -- reports to compare or merge -----------------------------------------------------------------
def test_every_way_to_damage_a_report_is_one_line(tmp_path: Path) -> None:
    whole = json.loads((report(tmp_path / "a", row(tmp_path / "a", [1.0, 0.0, 1.0])) / "report.json").read_text())
    load_report(tmp_path / "a")
    told = 0
    for path in _paths(whole):
        for value in (None, 5, "x", [], {}, [None], ...):
            damaged = json.loads(json.dumps(whole))
            *above, last = path
            place = damaged
            for key in above:
                place = place[key]
            if value is ...:
                place.pop(last)
            else:
                place[last] = value
            (tmp_path / "a/report.json").write_text(json.dumps(damaged))
            try:
                load_report(tmp_path / "a")
            except MmteError as error:
                assert "\n" not in str(error)
                told += 1
    assert told > 100


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Any:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*above, key)
        yield from _paths(inner, (*above, key))
