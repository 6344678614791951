"""How an item can end, and what the exit status says."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

TEXT = "t1[confaide-text/rule/x]"


def gates(bench: Any, *entries: str) -> str:
    path = bench.path / "gates.toml"
    path.write_text("".join(f"[[gate]]\n{entry}\n" for entry in entries))
    return f"--mmte-gates={path}"


def test_without_limits_a_score_is_recorded(bench: Any, workers: list[str]) -> None:
    bench.task()
    result = bench.run("-v", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*RECORDED pearson_corr=0.* failure=0 (mini data)*", "*= 1 recorded in *"])
    row = bench.results()[TEXT]
    assert row["outcome"] == "recorded"
    assert row["gated"] == 0
    assert bench.report["run"]["exit"] == 0


def test_limits_that_hold_make_it_pass(bench: Any, workers: list[str]) -> None:
    bench.task(more="thresholds: {failure: '<= 0.1'}")
    result = bench.run("-v", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*PASSED pearson_corr=0.* failure=0 (mini data)*", "*= 1 passed in *"])
    row = bench.results()[TEXT]
    assert (row["outcome"], row["gated"], row["violations"]) == ("passed", 1, [])


def test_limits_missed_are_one_line_each_and_exit_10(bench: Any, workers: list[str]) -> None:
    bench.task(more="thresholds: {pearson_corr: '>= 0.99'}")
    option = gates(bench, 'case = "t1[confaide-text/*]"\nmetric = "failure"\nrequire = "> 0"')
    result = bench.run(option, "-v", *workers)
    assert result.ret == 10
    result.stdout.fnmatch_lines(
        ["*GATE*", "gate: pearson_corr = 0.* is not >= 0.99", "gate: failure = 0 is not > 0", "*= 1 failed in *"]
    )
    text = result.stdout.str()
    assert "Traceback" not in text
    assert "run_case" not in text
    row = bench.results()[TEXT]
    assert row["outcome"] == "failed"
    assert len(row["violations"]) == row["gated"] == 2
    assert bench.report["run"]["exit"] == 10


def test_known_bad_is_an_expected_failure(bench: Any, workers: list[str]) -> None:
    bench.task()
    option = gates(bench, 'case = "t1*"\nmetric = "pearson_corr"\nrequire = ">= 0.99"\nknown_bad = "too small a model"')
    result = bench.run(option, "-v", "-rx", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*XFAIL*too small a model*", "*= 1 xfailed in *"])
    row = bench.results()[TEXT]
    assert row["outcome"] == "xfailed"
    assert row["violations"] == []
    assert "pearson_corr = 0." in row["reason"]


def test_a_known_bad_limit_does_not_cover_for_another(bench: Any) -> None:
    bench.task(more="thresholds: {failure: '> 0.5'}")
    option = gates(bench, 'case = "t1*"\nmetric = "pearson_corr"\nrequire = ">= 0.99"\nknown_bad = "too small a model"')
    assert bench.run(option).ret == 10
    assert bench.results()[TEXT]["violations"] == ["failure = 0 is not > 0.5"]


@pytest.mark.parametrize(
    ("rule", "status"),
    [("< 0.1", 0), ("< 0.1 (interval)", 0), ("> 0.1", 10), ("> 0.1 (interval)", 0), ("> 0.13 (interval)", 10)],
)
def test_an_interval_limit_needs_the_whole_interval_beyond_it(bench: Any, rule: str, status: int) -> None:
    bench.task(more=f"thresholds: {{failure: '{rule}'}}")  # 0 of 28: the interval is 0 to 0.121
    assert bench.run().ret == status


def test_a_limit_on_what_was_not_measured_is_missed(bench: Any) -> None:
    bench.task()
    option = gates(bench, 'case = "t1*"\nmetric = "failure"\nsubset = "hard"\nrequire = ">= 0.5"')
    assert bench.run(option).ret == 10
    assert bench.results()[TEXT]["violations"] == [
        "failure/hard was not measured where >= 0.5 is required (measured: pearson_corr, failure)"
    ]


def test_a_limit_for_no_item_of_the_run_is_told(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.task("t9")
    option = gates(bench, 'case = "t9*"\nmetric = "failure"\nrequire = "< 0.5"')
    result = bench.run(option, "-k", "t1", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["--mmte-gates: no item of this run is 't9?' (failure < 0.5)"])


def test_images_for_a_model_that_reads_text_are_skipped(bench: Any, workers: list[str]) -> None:
    bench.task(datasets="[confaide-text, confaide-image]")
    result = bench.run("-rs", *workers, model="x=scripted:50|100?modalities=text")
    assert result.ret == 0
    where = "benchmarks/privacy/t1.yaml:1"
    result.stdout.fnmatch_lines([f"SKIPPED ?1? {where}: model 'x' reads text only, and confaide-image shows images"])
    result.assert_outcomes(skipped=1)
    row = bench.results()["t1[confaide-image/rule/x]"]
    assert row["outcome"] == "skipped"
    assert row["estimates"] == []
    assert row["reason"] == "model 'x' reads text only, and confaide-image shows images"


def test_missing_data_is_skipped_with_the_option_that_helps(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.pytester.mkdir("empty")
    result = bench.run("--mmte-data=empty", "-rs", *workers)
    assert result.ret == 1  # nothing was measured
    result.stdout.fnmatch_lines(["mmte: nothing was measured*", "SKIPPED*confaide-text*--mmte-data*"])
    assert bench.results()[TEXT]["outcome"] == "skipped"
    assert bench.report["run"]["exit"] == 1


def test_a_missing_judge_is_skipped(bench: Any) -> None:
    bench.pytester.makeconftest(
        """
        from mmte.evaluators.base import BaseEvaluator
        from mmte.registry import registry

        @registry.register_evaluator()
        class Judged(BaseEvaluator):
            evaluator_ids = ("judged",)
            model = "arbiter"
            def read(self, trial, replies):
                return 1.0
        """
    )
    bench.task(rule="{judged: {metrics_cfg: {pred_mean: {}}}}")
    bench.run("-rs").stdout.fnmatch_lines(["SKIPPED*rule needs the judge 'arbiter': --judge arbiter=SPEC"])
    assert bench.run("--judge=arbiter=scripted:yes").ret == 0
    assert bench.results()[TEXT]["estimates"][0]["value"] == 1.0


def test_too_little_coverage_withholds_the_value_everywhere(bench: Any, workers: list[str]) -> None:
    bench.task("t1")
    result = bench.run("-v", "--junit-xml=junit.xml", *workers, model="x=scripted:-100|100?fail=0.3")
    assert result.ret == 1
    row = bench.results()[TEXT]
    assert row["outcome"] == "error"
    assert row["counts"]["error"] > 0
    assert row["coverage"] < 0.98
    assert [e["value"] for e in row["estimates"]] == [e["low"] for e in row["estimates"]] == [None, None]
    assert "is under --mmte-min-coverage=0.98, so there is no score; first error: told to fail" in row["reason"]
    text = result.stdout.str()
    assert not re.search(r"(pearson_corr|failure)\s*=?\s*-?\d", text)
    result.stdout.fnmatch_lines(["*ERROR*", "*of 28 answered: coverage*", "*1 error*"])
    case = ElementTree.parse(bench.path / "junit.xml").getroot().find(".//testcase")
    assert case is not None
    assert case.findall(".//property") == []
    assert [child.tag for child in case] == ["failure"]


def test_a_lower_minimum_of_coverage_lets_the_value_out(bench: Any) -> None:
    bench.task()
    assert bench.run("--mmte-min-coverage=0.5", model="x=scripted:-100|100?fail=0.3").ret == 0
    assert bench.results()[TEXT]["estimates"][0]["value"] is not None


def test_what_broke_wins_over_missed_limits(bench: Any, workers: list[str]) -> None:
    bench.task("t1", more="thresholds: {pearson_corr: '>= 0.99'}")
    bench.task("t2", rule="{}")
    result = bench.run(*workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*1 failed, 1 error*"])
    assert {case: row["outcome"] for case, row in bench.results().items()} == {TEXT: "failed", "t2": "error"}


def test_a_failing_test_of_somebody_else_wins_over_missed_limits(bench: Any) -> None:
    bench.task(more="thresholds: {pearson_corr: '>= 0.99'}")
    bench.pytester.makepyfile("def test_other(): assert False")
    assert bench.run().ret == 1


def test_nothing_measured_is_exit_1(bench: Any, workers: list[str]) -> None:
    bench.task(rule="{rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}}}}")
    result = bench.run(*workers, model="x=scripted:no number here")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["mmte: nothing was measured, so the exit status is 1"])
    row = bench.results()[TEXT]
    assert row["counts"]["unparsed"] == 28
    assert bench.report["run"]["exit"] == 1


def test_nothing_measured_wins_over_missed_limits(bench: Any) -> None:
    rule = "{rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}}}}"
    bench.task(rule=rule, more="thresholds: {pearson_corr: '>= 0'}")
    assert bench.run(model="x=scripted:no number here").ret == 1
    assert bench.results()[TEXT]["violations"] == ["pearson_corr has no value where >= 0 is required"]


def test_an_evaluator_that_raises_is_an_error_with_its_traceback(bench: Any, workers: list[str]) -> None:
    bench.pytester.makeconftest(
        """
        from mmte.evaluators.base import BaseEvaluator
        from mmte.registry import registry

        @registry.register_evaluator()
        class Crash(BaseEvaluator):
            evaluator_ids = ("crash",)
            def process(self, preds, labels=None, extras=None, **kwargs):
                raise ZeroDivisionError("by nought")
        """
    )
    bench.task("t1", rule="{crash: {metrics_cfg: {failure: {}}}}")
    bench.task("t2")
    result = bench.run(*workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["E *ZeroDivisionError: by nought", "*ERROR *t1.yaml* - ZeroDivisionErro*"])
    row = bench.results()[TEXT]
    assert (row["outcome"], row["reason"], row["estimates"]) == ("error", "ZeroDivisionError: by nought", [])
    assert bench.results()["t2[confaide-text/rule/x]"]["outcome"] == "recorded"


def test_stop_at_the_first_missed_limit(bench: Any) -> None:
    bench.task("t1", more="thresholds: {pearson_corr: '>= 0.99'}")
    bench.task("t2")
    assert bench.run("-x").ret == 10
    assert list(bench.results()) == [TEXT]


def test_stop_at_the_first_missed_limit_under_workers(bench: Any) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]", more="thresholds: {pearson_corr: '>= 0.99'}")
    result = bench.run("-x", "-n2")
    assert result.ret == pytest.ExitCode.INTERRUPTED  # xdist's own status for -x
    assert bench.report["run"]["exit"] == 2
    assert "failed" in bench.report["summary"]


def test_a_cache_that_cannot_be_used_costs_nothing_but_the_answers(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.cache.write_text("this is no database, and it stays as it is")
    result = bench.run(*workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*answer cache*is damaged or no SQLite file*name another with --mmte-cache=FILE*"])
    assert bench.cache.read_text() == "this is no database, and it stays as it is"
    assert bench.results()[TEXT]["counts"]["answered"] == 28


def test_the_summary_page_of_a_ci_job_gets_the_table(
    bench: Any, monkeypatch: pytest.MonkeyPatch, workers: list[str]
) -> None:
    bench.task()
    page = bench.path / "summary.md"
    page.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    bench.run(*workers)
    text = page.read_text()
    assert text.startswith("before\n| item | metric |")
    assert f"| `{TEXT}` | failure | 0.000 | 0.000 to 0.121 | 28 | mini data |" in text


def test_offline_scores_what_the_cache_has_and_asks_nothing(bench: Any, workers: list[str]) -> None:
    bench.task()
    model = f"x=scripted:-100|0|100?log={bench.log}"
    assert bench.run("--mmte-offline", *workers, model=model).ret == 1
    assert "not in the cache (--mmte-offline)" in bench.results()[TEXT]["reason"]
    assert bench.asked() == []
    assert bench.run(*workers, model=model).ret == 0
    scored, asked = bench.results()[TEXT]["estimates"], len(bench.asked())
    assert bench.run("--mmte-offline", *workers, model=model).ret == 0
    assert bench.results()[TEXT]["estimates"] == scored
    assert bench.results()[TEXT]["effort"]["asked"] == 0
    assert len(bench.asked()) == asked


def test_refresh_asks_again_and_repeats_ask_more(bench: Any, workers: list[str]) -> None:
    bench.task()
    model = f"x=scripted:-100|0|100?log={bench.log}"
    for args, questions in (([], 28), ([], 28), (["--mmte-refresh"], 56), (["--mmte-repeats=3"], 56 + 56)):
        assert bench.run(*args, *workers, model=model).ret == 0
        assert len([line for line in bench.asked() if not line.startswith("LOAD")]) == questions
    assert bench.results()[TEXT]["counts"]["expected"] == 84
