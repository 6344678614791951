"""`mmte merge`: several reports as one, with their samples, their provenance and scores over all of them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from made_reports import IDENTITIES, report, row

from mmte.cli import main
from mmte.errors import MmteError
from mmte.report.merge import merge

SCORES = """# mmte.scores/1
scores:
  one: {aspect: privacy, score: {mean: ["t1[d/rule]:pred_mean", "t2[d/rule]:pred_mean"]}}
"""
ONES, HALF = [1.0] * 40, [1.0, 0.0] * 20


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    file = tmp_path / "scores.yaml"
    file.write_text(SCORES)
    return file


@pytest.fixture
def pair(tmp_path: Path) -> list[Path]:
    """Two reports of one model that have a task each."""
    a, b = tmp_path / "a", tmp_path / "b"
    return [report(a, row(a, ONES)), report(b, row(b, HALF, task="t2"))]


def merged(folders: list[Path], scores: Path) -> dict[str, Any]:
    """The merged report, which is valid."""
    found = merge(folders, scores.parent / "out", scores)
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    return found


def test_a_score_of_parts_from_two_runs(pair: list[Path], scores: Path) -> None:
    found = merged(pair, scores)
    (score,) = found["scores"]
    assert (score["value"], score["missing"]) == (0.75, [])
    assert score["low"] < 0.75 < score["high"]  # from the samples of both
    assert [(r["case"], r["from"]) for r in found["results"]] == [("t1[d/rule/x]", "a"), ("t2[d/rule/x]", "b")]
    assert [origin["run"]["id"] for origin in found["merged"]] == ["a", "b"]
    assert found["run"]["seconds"] == 2
    out = scores.parent / "out"
    assert sorted(f.name for f in (out / "samples").iterdir()) == ["t1[d~rule~x].jsonl", "t2[d~rule~x].jsonl"]
    assert json.loads((out / "report.json").read_text()) == found


def test_a_merged_report_can_be_merged(pair: list[Path], scores: Path, tmp_path: Path) -> None:
    merged(pair, scores)
    c = tmp_path / "c"
    again = merge([tmp_path / "out", report(c, row(c, ONES, task="t3"))], tmp_path / "again", scores)
    assert [origin["run"]["id"] for origin in again["merged"]] == ["a", "b", "c"]
    assert [r["from"] for r in again["results"]] == ["a", "b", "c"]
    assert len(list((tmp_path / "again/samples").iterdir())) == 3


def test_the_same_numbers_twice_are_one(tmp_path: Path, scores: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    found = merged([report(a, row(a, HALF, duration=1.0)), report(b, row(b, HALF, duration=2.0))], scores)
    assert [r["from"] for r in found["results"]] == ["a"]


def test_other_numbers_of_one_case_are_refused(tmp_path: Path, scores: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    folders = [report(a, row(a, HALF)), report(b, row(b, ONES))]
    with pytest.raises(MmteError) as caught:
        merge(folders, tmp_path / "out", scores)
    assert str(a) in str(caught.value)
    assert str(b) in str(caught.value)
    assert "t1[d/rule/x], and their 'estimates' differ" in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("turned", [False, True])
def test_a_skipped_case_gives_way(tmp_path: Path, scores: Path, turned: bool) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    skipped = {**row(a, HALF), "estimates": [], "outcome": "skipped", "samples_file": ""}
    folders = [report(a, skipped), report(b, row(b, HALF))]
    found = merged(folders[::-1] if turned else folders, scores)
    assert [(r["outcome"], r["from"]) for r in found["results"]] == [("recorded", "b")]


def test_two_models_of_one_name_are_refused(tmp_path: Path, scores: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    other = row(b, HALF, task="t2", identities={**IDENTITIES, "model": "another"})
    with pytest.raises(MmteError, match="'x' is another model in .*b than in .*a; give them different names"):
        merge([report(a, row(a, HALF)), report(b, other)], tmp_path / "out", scores)


def test_readings_do_not_mix(tmp_path: Path, scores: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    folders = [report(a, row(a, HALF)), report(b, row(b, HALF, task="t2"), scoring="multitrust")]
    with pytest.raises(MmteError, match="another scoring do not go together: .*a has strict, .*b has multitrust"):
        merge(folders, tmp_path / "out", scores)


def test_other_settings_are_told(tmp_path: Path, scores: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    one = report(a, row(a, HALF, notes=["mini data"]), limit=40, set=["k=1"])
    found = merged([one, report(b, row(b, HALF, task="t2"), data="given", set=["k=2"])], scores)
    settings = found["settings"]
    assert (settings["data"], settings["limit"], settings["set"]) == ("mixed", None, ["k=1", "k=2"])
    assert found["results"][0]["notes"] == ["mini data", "--mmte-limit=40"]
    assert found["scores"][0]["notes"] == ["mini data", "--mmte-limit=40"]
    assert [origin["settings"]["limit"] for origin in found["merged"]] == [40, None]


def test_what_lies_beside_the_samples_comes_along(tmp_path: Path, scores: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    folders = [report(a, row(a, HALF)), report(b, row(b, HALF, task="t2"))]
    names = ["t1[d~rule~x].evaluators.json", "t1[d~rule~x].vs.black.jsonl"]
    for name in [*names, "t1[d~rule~xy].jsonl", "secret"]:
        (a / "samples" / name).write_text("{}")
    merged(folders, scores)
    kept = {f.name for f in (tmp_path / "out/samples").iterdir()}
    assert kept == {*names, "t1[d~rule~x].jsonl", "t2[d~rule~x].jsonl"}


def test_samples_outside_of_a_report_are_refused(tmp_path: Path, scores: Path) -> None:
    a = tmp_path / "a"
    (tmp_path / "secret.jsonl").write_text("{}")
    folders = [report(a, {**row(a, HALF), "samples_file": "../../secret.jsonl"})]
    with pytest.raises(MmteError, match="outside of the report"):
        merge(folders, tmp_path / "out", scores)


def test_the_command(pair: list[Path], scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    args = ["merge", str(out), *map(str, pair), "--scores", str(scores)]
    assert main(args) == 0
    told = capsys.readouterr().out
    assert "one[x]" in told
    assert "0.750" in told
    assert told.splitlines()[-1] == f"2 results of 2 reports: {out / 'report.json'}"
    assert main(["show", "--run", str(out), "t2[d/rule/x]", "-n", "1"]) == 0
    assert "1 of 40 samples shown" in capsys.readouterr().out
    assert main(args) == 4
    assert "not empty; name a new folder" in capsys.readouterr().err
    assert main(["merge", str(tmp_path / "new"), str(tmp_path / "nowhere")]) == 4
    assert "no report there" in capsys.readouterr().err


def test_without_an_option_the_scores_are_those_of_the_tasks(
    pair: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scores: Path
) -> None:
    (tmp_path / "benchmarks").mkdir()
    scores.rename(tmp_path / "benchmarks/scores.yaml")
    monkeypatch.chdir(tmp_path)
    assert [score["name"] for score in merge(pair, tmp_path / "out")["scores"]] == ["one"]
