"""Task scores: made of a run's results by the scores.yaml beside its task files."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mmte.cli import main
from mmte.report.build import comparable

plain_only = pytest.mark.parametrize("workers", [[]], ids=["plain"])
"""Of a promise that another test makes with workers, too."""
SCORES = """# mmte.scores/1
scores:
  both:
    title: Words and pictures
    aspect: privacy
    score: {mean: ["t1[confaide-text/rule]:pearson_corr", "t1[confaide-image/rule]:pearson_corr"]}
  reads:
    aspect: privacy
    score: {complement: "t1[confaide-text/rule]:failure"}
  other:
    aspect: safety
    score: {mean: ["t2[confaide-text/rule]:failure"]}
"""
TWO = ("--mmte-model=a=scripted:-100|-50|0|50|100", "--mmte-model=b=scripted:100|0|50|no idea")


def ready(bench: Any, text: str = SCORES, where: str = "benchmarks") -> Path:
    """Two items of t1, and a file of scores."""
    bench.task("t1", datasets="[confaide-text, confaide-image]")
    path: Path = bench.path / where / "scores.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def scores(bench: Any) -> dict[str, dict[str, Any]]:
    """The scores of the latest report, which is valid."""
    report = bench.report
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(report)
    return {f"{score['name']}[{score['model']}]": score for score in report["scores"]}


def value(bench: Any, case: str, metric: str) -> float:
    """A metric's value in the latest report."""
    return float(next(e["value"] for e in bench.results()[case]["estimates"] if e["metric"] == metric))


def test_a_score_of_which_all_parts_were_measured(bench: Any, workers: list[str]) -> None:
    ready(bench)
    result = bench.run(*workers)
    assert result.ret == 0
    both = scores(bench)["both[x]"]
    parts = [value(bench, f"t1[confaide-{kind}/rule/x]", "pearson_corr") for kind in ("text", "image")]
    assert both["value"] == pytest.approx(sum(parts) / 2)
    assert list(both["parts"].values()) == parts
    assert both["low"] < both["value"] < both["high"]
    assert (both["method"], both["n"], both["expected"], both["missing"]) == ("bootstrap-cluster", 56, 56, [])
    assert both["bounds"] == pytest.approx([both["value"]] * 2)
    assert both["notes"] == ["mini data"]
    result.stdout.fnmatch_lines([
        "*- task scores -*",
        "privacy * score * 95 % interval * n  bounds",
        "both?x? Words and pictures *{value:.3f} *[[]{low:.3f}, {high:.3f}] * 56  [[]*] *(mini data)".format(**both),
        "reads?x? * 1.000 *[[]*, 1.000] * 28  [[]1.000, 1.000] *(mini data)",
        "report: *",
    ])  # fmt: skip


def test_answers_without_a_value_are_in_the_bounds(bench: Any, workers: list[str]) -> None:
    ready(bench)
    bench.run(*workers, model="x=scripted:-100|0|50|100|no idea")
    both = scores(bench)["both[x]"]
    assert both["n"] < both["expected"] == 56
    low, high = both["bounds"]
    assert low < both["value"] < high


def test_a_score_with_missing_parts_is_empty_and_lists_them(bench: Any, workers: list[str]) -> None:
    ready(bench)
    result = bench.run(*workers, "-k", "text")
    found = scores(bench)
    assert found["both[x]"]["value"] is found["both[x]"]["bounds"] is found["both[x]"]["low"] is None
    assert found["both[x]"]["missing"] == ["t1[confaide-image/rule/x]:pearson_corr: not in the report"]
    assert found["reads[x]"]["value"] == 1.0
    assert found["other[x]"]["missing"] == ["t2[confaide-text/rule/x]:failure: not in the report"]
    result.stdout.fnmatch_lines(["both?x? Words and pictures * empty: missing 1 of 2 parts: t1?confaide-image/rule?"])
    assert "other[x]" not in result.stdout.str()  # nothing of it was selected


GIVEN = {"pearson_corr": {"nan_to_num": 0}, "failure": {"fails_num": 100}, "f1_score": {"average": "macro"}}
WITH_OPTIONS = """# mmte.scores/1
scores:
  made:
    aspect: privacy
    score: {mean: ["t1[confaide-text/rule]:pearson_corr", {complement: "t1[confaide-text/rule]:failure"}]}
  averaged: {aspect: privacy, score: "t1[confaide-text/rule]:f1_score"}
"""


def test_a_score_of_metrics_with_options_has_an_interval(bench: Any, workers: list[str]) -> None:
    ready(bench, WITH_OPTIONS)
    bench.task("t1", rule=json.dumps({"rule_match_and_score_eval": {"metrics_cfg": GIVEN | {"pred_mean": {}}}}))
    bench.run(*workers, model="x=scripted:-100|-50|0|50|100|no idea")
    (row,) = bench.results().values()
    assert row["metric_options"] == GIVEN
    found = scores(bench)
    made, averaged = found["made[x]"], found["averaged[x]"]
    r, failed = (value(bench, row["case"], metric) for metric in ("pearson_corr", "failure"))
    assert made["value"] == pytest.approx((r + 1 - failed) / 2)
    assert made["low"] < made["value"] < made["high"]
    assert made["method"] == "bootstrap-cluster"
    assert averaged["value"] is not None  # a mean over classes is no function of sums over answers
    assert (averaged["low"], averaged["high"], averaged["method"]) == (None, None, "")


@plain_only
def test_a_result_without_options_tells_none(bench: Any, workers: list[str]) -> None:
    ready(bench)
    bench.run(*workers)
    assert [row["metric_options"] for row in bench.results().values()] == [{}, {}]


def test_why_a_part_is_missing(bench: Any, workers: list[str]) -> None:
    ready(bench)
    bench.run(*workers, model="x=scripted:-100|0|50?modalities=text")
    (told,) = scores(bench)["both[x]"]["missing"]
    assert told.startswith("t1[confaide-image/rule/x]:pearson_corr: skipped: model 'x' reads text only")


def test_each_model_has_its_scores(bench: Any, workers: list[str]) -> None:
    ready(bench)
    result = bench.run(*TWO, *workers, model=None)
    found = scores(bench)
    assert set(found) == {f"{name}[{model}]" for name in ("both", "reads", "other") for model in "ab"}
    assert found["reads[a]"]["value"] == 1.0
    assert found["reads[b]"]["value"] == pytest.approx(1 - value(bench, "t1[confaide-text/rule/b]", "failure"))
    assert 0 < found["reads[b]"]["value"] < 1
    result.stdout.fnmatch_lines(["both?a? *", "both?b? *", "reads?a? *", "reads?b? *"], consecutive=True)


def test_one_process_and_two_make_the_same_scores(bench: Any) -> None:
    ready(bench)
    bench.run(*TWO, model=None)
    one = comparable(bench.report)
    bench.run(*TWO, "-n2", model=None)
    assert comparable(bench.report) == one
    assert sum(score["low"] is not None for score in one["scores"]) == 4


def test_a_resumed_run_makes_the_scores(bench: Any, workers: list[str]) -> None:
    ready(bench)
    assert bench.run(*workers, "--mmte-min-coverage=1", model="x=scripted:-100|0|50?fail=0.03").ret == 1
    before = scores(bench)["both[x]"]
    assert before["value"] is None
    assert "coverage" in before["missing"][0]
    bench.run(*workers, model="x=scripted:-100|0|50")
    whole = scores(bench)["both[x]"]
    assert whole["value"] is not None
    bench.run(*workers, "--mmte-offline", model="x=scripted:-100|0|50")
    assert scores(bench)["both[x]"] == whole


def test_a_run_of_what_failed_last_has_no_score_of_the_rest(bench: Any, workers: list[str]) -> None:
    ready(bench, SCORES.replace("t2[", "t3["))
    bench.task("t3", aspect="safety", more="thresholds: {failure: '> 0.5'}")
    assert bench.run(*workers).ret == 10
    whole = scores(bench)
    assert all(score["value"] is not None for score in whole.values())
    bench.run(*workers, "--lf")
    found = scores(bench)
    assert found["other[x]"] == whole["other[x]"]
    assert [told.rpartition(": ")[2] for told in found["both[x]"]["missing"]] == ["not in the report"] * 2


@plain_only
def test_a_limit_is_noted(bench: Any, workers: list[str]) -> None:
    ready(bench)
    bench.run(*workers, "--mmte-limit=8")
    found = scores(bench)
    assert found["both[x]"]["notes"] == ["--mmte-limit=8", "mini data"]
    assert found["other[x]"]["notes"] == []


# -- which file ----------------------------------------------------------------------------------
@plain_only
def test_the_file_beside_the_task_is_nearer(bench: Any, workers: list[str]) -> None:
    ready(bench)
    ready(bench, "# mmte.scores/1\nscores: {near: {aspect: privacy, score: 't1[confaide-text/rule]:failure'}}",
          "benchmarks/privacy")  # fmt: skip
    bench.run(*workers)
    assert set(scores(bench)) == {"near[x]"}


@plain_only
def test_the_file_of_others_is_not_read(bench: Any, workers: list[str]) -> None:
    ready(bench, "strings: [violin")
    assert bench.run(*workers).ret == 0
    assert scores(bench) == {}


@plain_only
def test_a_file_of_ones_own(bench: Any, workers: list[str]) -> None:
    ready(bench, "# mmte.scores/1\nbroken")
    (bench.path / "mine.yaml").write_text("scores: {mine: {level: total, score: 't1[confaide-text/rule]:failure'}}")
    result = bench.run(*workers, "--mmte-scores=mine.yaml")
    assert result.ret == 0
    assert scores(bench)["mine[x]"]["value"] == 0.0
    result.stdout.fnmatch_lines(["overall *", "mine?x? *"])
    assert bench.run(*workers, "--mmte-scores=none").ret == 0
    assert scores(bench) == {}


def test_a_broken_file_ends_the_run_before_it_starts(bench: Any, workers: list[str]) -> None:
    path = ready(bench, SCORES.replace("complement", "complemnt"))
    result = bench.run(*workers, model=f"x=scripted:1?log={bench.log}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (told,) = [line for line in result.errlines + result.outlines if "complemnt" in line]
    assert told == (
        f"ERROR: {path}:9: scores.reads.score.complemnt: unknown function 'complemnt'. Did you mean 'complement'?"
    )
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert not (bench.path / "reports").exists()
    assert bench.asked() == []


@plain_only
def test_a_broken_file_of_ones_own_is_told_at_once(bench: Any, workers: list[str]) -> None:
    ready(bench)
    result = bench.run(*workers, "--mmte-scores=mine.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mmte-scores: mine.yaml: cannot be read: *"])


@plain_only
def test_two_files_with_one_name(bench: Any, workers: list[str]) -> None:
    ready(bench)
    ready(bench, SCORES, "benchmarks/privacy")
    bench.task("t2", aspect="safety")
    result = bench.run(*workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = f"{bench.path}/benchmarks/scores.yaml: the score 'both' is in {bench.path}/benchmarks/privacy/scores.yaml"
    assert any(told in line for line in [*result.errlines, *result.outlines])


def test_the_shipped_scores(bench: Any, workers: list[str]) -> None:
    args = ("--pyargs", "mmte.benchmarks.privacy", "-k", "p3-infoflow", "--mmte-report=out")
    assert bench.run(*args, *workers).ret == 0
    found = {s["name"]: s for s in json.loads((bench.path / "out/report.json").read_text())["scores"]}
    assert found["p3"]["low"] < found["p3"]["value"] < found["p3"]["high"]
    assert found["p3"]["method"] == "bootstrap-cluster"
    assert {name for name in found if found[name]["value"] is not None} == {"p3"}


# -- elsewhere -----------------------------------------------------------------------------------
FAILS = """
import mmte.report.scoring

def fail(*args):
    raise RuntimeError("no luck")

mmte.report.scoring.score_section = fail
"""


def test_a_report_outlives_its_scores(bench: Any, workers: list[str]) -> None:
    ready(bench)
    bench.pytester.makeconftest(FAILS)
    result = bench.run(*workers, how="subprocess")
    assert result.ret == 0
    assert len(bench.results()) == 2
    assert bench.report["scores"] == []
    result.stdout.fnmatch_lines(["mmte: no task scores: RuntimeError: no luck"])


def test_mirrored_in_other_files(bench: Any, workers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    page = bench.path / "page.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    ready(bench)
    bench.run(*workers, "--json-report", "--json-report-file=other.json", "-k", "text or t2")
    other = json.loads((bench.path / "other.json").read_text())["mmte"]
    assert other["scores"] == bench.report["scores"] != []
    text = page.read_text()
    assert (
        "| both[x] Words and pictures | - | - | - | 28 | empty: missing 1 of 2 parts: t1[confaide-image/rule] |" in text
    )
    assert "| reads[x] | 1.000 | [" in text
    assert "other[x]" not in text


def test_shown_again_later(bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ready(bench)
    bench.run(*TWO, "-k", "text or a]", model=None)
    monkeypatch.chdir(bench.path)
    capsys.readouterr()
    assert main(["show"]) == 0
    listed = capsys.readouterr().out
    assert "both[b] Words and pictures" in listed
    assert "other" not in listed
    assert main(["show", "both"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("both")] == ["both[a]", "both[b]"]
    assert "  t1[confaide-image/rule/b]:pearson_corr: not in the report" in lines
    assert sum(line.startswith("  t1[confaide-text/rule/") and " = " in line for line in lines) == 2
