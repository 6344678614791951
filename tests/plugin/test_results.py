"""What a run leaves behind: journal, report, samples, and the mirrors in other reporters' files."""

from __future__ import annotations

import json
import math
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from mmte.report.build import comparable

TEXT = "t1[confaide-text/rule/x]"
FAULTS = "x=scripted:-100|-50|0|50|no idea?empty=0.2&filtered=0.3&cut=0.2&fail=0.2"


def valid(report: dict[str, Any]) -> None:
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(report)


def loaded(path: Path) -> Any:
    """JSON in which NaN and Infinity are errors, as the standard has it."""

    def no_number(text: str) -> None:
        raise ValueError(f"{path}: {text} is no JSON")

    return json.loads(path.read_text("ascii"), parse_constant=no_number)


def every_outcome(bench: Any) -> list[str]:
    """Task files and options that end in many ways at once."""
    bench.task("t1", datasets="[confaide-text, confaide-image]")
    bench.task("t2", aspect="safety", more="thresholds: {pearson_corr: '>= 0.99', failure: '< 0.9'}")
    bench.task("t3", rule="{}")
    bench.task("t4", aspect="fairness", more="thresholds: {failure: '< 0.9'}")
    bench.task("t5", rule="{rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}}}}")
    (bench.path / "gates.toml").write_text(
        '[[gate]]\ncase = "t5*"\nmetric = "pearson_corr"\nrequire = "> 0.99"\nknown_bad = "small"\n'
    )
    return ["--mmte-gates=gates.toml"]


def test_the_report_is_valid_whatever_happened(bench: Any, workers: list[str]) -> None:
    args = every_outcome(bench)
    assert bench.run(*args, *workers, model="x=scripted:-100|0|50?modalities=text").ret == 1
    report = bench.report
    valid(report)
    loaded(bench.path / "reports/latest/report.json")
    assert report["summary"] == {"error": 1, "failed": 1, "passed": 1, "recorded": 1, "skipped": 1, "xfailed": 1}
    assert [row["case"] for row in report["results"]] == sorted(row["case"] for row in report["results"])


def test_undefined_numbers_are_null(bench: Any, workers: list[str]) -> None:
    bench.task()
    assert bench.run(*workers, model="x=scripted:50").ret == 0  # all ratings the same: no correlation is defined
    report = loaded(bench.path / "reports/latest/report.json")
    valid(report)
    first, second = report["results"][0]["estimates"]
    assert (first["metric"], first["value"], first["low"], first["high"]) == ("pearson_corr", None, None, None)
    assert second["value"] == 0.0


def test_the_journal_has_a_line_for_every_item(bench: Any, workers: list[str]) -> None:
    args = every_outcome(bench)
    bench.run(*args, *workers, model="x=scripted:-100|0|50?modalities=text")
    text = (bench.path / "reports/latest/results.jsonl").read_text("ascii")
    rows = {row["case"]: row for row in map(json.loads, text.splitlines())}
    assert rows == bench.results()
    assert all(row["worker"] in (("gw0", "gw1") if workers else ("main",)) for row in rows.values())


def test_one_process_and_two_measure_the_same(bench: Any) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]", more="thresholds: {failure: '< 0.9'}")
    bench.run("--mmte-min-coverage=0.5", model=FAULTS)
    one = comparable(bench.report)
    bench.cache = bench.path / "another.sqlite"
    bench.run("--mmte-min-coverage=0.5", "-n2", model=FAULTS)
    assert comparable(bench.report) == one


def test_samples_are_complete(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.run("--mmte-min-coverage=0.5", "--mmte-repeats=2", *workers, model=FAULTS)
    row = bench.results()[TEXT]
    folder = bench.path / "reports/latest/samples"
    assert [p.name for p in folder.iterdir()] == [row["samples_file"]]
    samples = [json.loads(line) for line in (folder / row["samples_file"]).read_text("ascii").splitlines()]
    assert len(samples) == row["counts"]["expected"] == 56
    reasons = Counter(s["reason"] for s in samples)
    assert reasons == {k: v for k, v in row["counts"].items() if v and k not in ("expected", "answered")}
    assert set(reasons) >= {"scored", "unparsed", "empty", "filtered", "error"}
    for s in samples:
        assert set(s) >= {"id", "subset", "cluster", "group", "messages", "target", "status", "content", "cut", "value"}
        assert s["messages"][-1]["role"] == "user"
        assert (s["value"] is not None) == (s["reason"] == "scored")
        assert s["reason"] != "error" or s["error"]
    assert len({s["id"] for s in samples}) == 28


def test_latest_leads_to_the_newest_report(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.run(*workers)
    link = bench.path / "reports" / "latest"
    assert link.is_symlink()
    first = link.resolve()
    bench.run(*workers)
    assert link.resolve() != first
    assert (first / "report.json").exists()
    assert sorted(p.name for p in link.parent.iterdir()) == sorted([first.name, link.resolve().name, "latest"])


def test_a_report_folder_of_ones_own(bench: Any, workers: list[str]) -> None:
    bench.task()
    result = bench.run("--mmte-report=out/here", *workers)
    result.stdout.fnmatch_lines(["report: out/here/report.json"])
    report = loaded(bench.path / "out/here/report.json")
    valid(report)
    assert (bench.path / "out/here/samples" / report["results"][0]["samples_file"]).exists()
    assert not (bench.path / "reports").exists()
    bench.run("--mmte-report=out/here", "--mmte-limit=3", *workers)
    assert loaded(bench.path / "out/here/report.json")["settings"]["limit"] == 3


def test_the_table_has_aspects_values_intervals_and_coverage(bench: Any, workers: list[str]) -> None:
    bench.task("t1", more="thresholds: {failure: '> 0.5'}")
    bench.task("t2", aspect="truthfulness")
    result = bench.run(*workers, model="x=scripted:-100|0|50|100|no idea?fail=0.01")
    rows = bench.results()
    value, unparsed = rows[TEXT]["estimates"][0], rows[TEXT]["counts"]["unparsed"]
    assert unparsed
    result.stdout.fnmatch_lines([
        "*= trust scores =*",
        "truthfulness * value * 95 % interval *n coverage",
        f"t2?confaide-text/rule/x?  (mini data; {unparsed} unparsed)",
        "privacy * value *",
        f"t1?confaide-text/rule/x?  (mini data; GATE failure = 0.* is not > 0.5; {unparsed} unparsed)",
        "  pearson_corr *{value:.3f} *[[]{low:.3f}, {high:.3f}] *{n}/28 *100.0% * higher is better".format(**value),
        "  failure * lower is better",
        "report: reports/*/report.json",
    ])  # fmt: skip


def test_junit_has_a_property_for_each_number(bench: Any, workers: list[str]) -> None:
    bench.task(more="thresholds: {failure: '> 0.5'}")
    bench.run("--junit-xml=junit.xml", *workers)
    case = ElementTree.parse(bench.path / "junit.xml").getroot().find(".//testcase")
    assert case is not None
    assert case.get("name") == TEXT
    found = {p.get("name"): p.get("value") for p in case.findall(".//property")}
    assert found.pop("notes") == "mini data"
    assert found == {e["metric"]: str(e["value"]) for e in bench.results()[TEXT]["estimates"]}
    failure = case.find("failure")
    assert failure is not None
    assert failure.text == "gate: failure = 0 is not > 0.5"


def test_mirrored_in_the_file_of_pytest_json_report(bench: Any, workers: list[str]) -> None:
    args = every_outcome(bench)
    model = "x=scripted:-100|0|50?modalities=text"
    bench.run("--json-report", "--json-report-file=other.json", *args, *workers, model=model)
    other, ours = loaded(bench.path / "other.json"), bench.report
    valid(other["mmte"])
    assert other["mmte"]["results"] == ours["results"]
    assert other["mmte"]["summary"] == ours["summary"]
    assert other["mmte"]["run"]["exit"] == other["exitcode"] == ours["run"]["exit"] == 1
    assert {t["nodeid"]: t["outcome"] for t in other["tests"]} == {r["node"]: r["outcome"] for r in ours["results"]}


INTERRUPT = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    if "t2" in item.nodeid:
        raise KeyboardInterrupt
"""


def test_an_unfinished_item_is_interrupted_everywhere(bench: Any) -> None:
    bench.task("t1")
    bench.task("t2")
    bench.pytester.makeconftest(INTERRUPT)
    result = bench.run("--json-report", "--json-report-file=other.json", how="subprocess")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    valid(bench.report)
    outcomes = {case: row["outcome"] for case, row in bench.results().items()}
    assert outcomes == {TEXT: "recorded", "t2[confaide-text/rule/x]": "interrupted"}
    assert bench.report["run"]["exit"] == 2
    other = loaded(bench.path / "other.json")
    assert {t["nodeid"].partition("::")[2]: t["outcome"] for t in other["tests"]} == outcomes
    assert other["summary"] == {"recorded": 1, "interrupted": 1, "passed": 0, "total": 2, "collected": 2}
    assert {row["case"]: row["outcome"] for row in other["mmte"]["results"]} == outcomes


def test_pytest_json_report_of_others_stays_as_it_is(bench: Any, workers: list[str]) -> None:
    bench.pytester.makepyfile("def test_other(): pass")
    bench.run("--json-report", "--json-report-file=other.json", *workers, model=None)
    other = loaded(bench.path / "other.json")
    assert "mmte" not in other
    assert other["summary"] == {"passed": 1, "total": 1, "collected": 1}


SENT = """
import json, pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_report_to_serializable(report):
    data = yield
    if data and report.when != "setup" and "yaml::" in report.nodeid:
        with open("sizes.txt", "a") as file:
            print(len(json.dumps([data.get("mmte"), data["user_properties"]])), file=file)
    return data
"""


def test_what_travels_for_p3_is_under_2_kb(bench: Any) -> None:
    bench.pytester.makeconftest(SENT)
    assert bench.run("--pyargs", "mmte.benchmarks.privacy", "-k", "p3-infoflow", "-n2").ret == 0
    sizes = list(map(int, (bench.path / "sizes.txt").read_text().split()))
    assert len(sizes) == 10  # five items, their call and their teardown
    assert max(sizes) < 2000
    assert max(sizes) > 500
    assert not list((bench.path / "reports/latest/samples").glob("*.estimates.json"))


MANY = """
from mmte.datasets.base import BaseDataset
from mmte.registry import registry
from mmte.types import TxtSample

@registry.register_dataset()
class Many(BaseDataset):
    dataset_ids = ("many",)
    def __init__(self, dataset_id, method_hook=None):
        super().__init__(dataset_id, method_hook)
        self.dataset = [TxtSample(f"question {n}", float(n % 7), subset=f"part-{n % 12:02}") for n in range(120)]
"""
THREE = "{rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}, failure: {}, pred_mean: {}}}}"


def test_many_subsets_travel_as_a_file(bench: Any) -> None:
    bench.pytester.makeconftest(MANY)
    bench.task(datasets="[many]", rule=THREE, more="thresholds: {failure/part-03: '> 0.5'}")
    assert bench.run("--junit-xml=one.xml").ret == 10
    one = bench.results()["t1[many/rule/x]"]
    assert Counter(e["subset"] for e in one["estimates"]) == {"": 3, **{f"part-{n:02}": 3 for n in range(12)}}
    bench.pytester.makeconftest(MANY + SENT)
    result = bench.run("-n2", "--junit-xml=two.xml", "--json-report", "--json-report-file=other.json")
    assert result.ret == 10
    sizes = list(map(int, (bench.path / "sizes.txt").read_text().split()))
    assert len(sizes) == 2
    assert max(sizes) < 2000
    two = bench.results()["t1[many/rule/x]"]
    volatile = ("effort", "duration", "worker")
    assert {k: v for k, v in two.items() if k not in volatile} == {k: v for k, v in one.items() if k not in volatile}
    valid(bench.report)
    assert loaded(bench.path / "other.json")["mmte"]["results"] == bench.report["results"]
    result.stdout.fnmatch_lines(["*GATE failure/part-03 = 0 is not > 0.5*", "  failure/part-11 *"])
    roots = [ElementTree.parse(bench.path / name).getroot() for name in ("one.xml", "two.xml")]
    first, second = ([(p.get("name"), p.get("value")) for p in root.iter("property")] for root in roots)
    assert first == second
    assert len(first) == sum(e["value"] is not None for e in one["estimates"]) > 30


LOSE = """
from pathlib import Path

def pytest_report_from_serializable(data):
    if data.get("mmte"):
        Path(data["mmte"]["file"]).unlink()
"""


def test_a_result_that_got_lost_on_the_way_is_an_error(bench: Any) -> None:
    bench.pytester.makeconftest(MANY + LOSE)
    bench.task(datasets="[many]", rule=THREE)
    assert bench.run("-n2").ret == 1
    (row,) = bench.report["results"]
    valid(bench.report)
    assert (row["case"], row["outcome"], row["estimates"]) == ("t1[many/rule/x]", "error", [])
    assert row["problem"].startswith("its results cannot be read: ")


def test_numbers_are_finite(bench: Any) -> None:
    bench.task()
    bench.run()
    for e in bench.results()[TEXT]["estimates"]:
        assert all(math.isfinite(e[k]) for k in ("value", "low", "high"))
        assert e["low"] <= e["value"] <= e["high"]
