"""Options: one help group, and mistakes that one line explains before anything is collected."""

from __future__ import annotations

import re
from typing import Any

import pytest

OPTIONS = {
    "--mmte-model": "smollm2-135m", "--mmte-judge": "none", "--mmte-data": "mini data", "--mmte-limit": "all",
    "--mmte-judge-repeats": "1",
    "--mmte-repeats": "1", "--mmte-refresh": "off", "--mmte-offline": "off", "--mmte-cache": "cache folder",
    "--mmte-set": "none", "--mmte-gates": "none", "--mmte-min-coverage": "0.98", "--mmte-report": "reports/",
    "--mmte-scores": "the scores.yaml beside",
    "--mmte-progress": "30", "--mmte-scoring": "strict", "--mmte-multitrust": "none",
    "--mmte-control": "none",
}  # fmt: skip


def usage_error(result: pytest.RunResult) -> str:
    """The one line that a wrong option gets."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    lines = [line for line in result.errlines if line.strip()]
    assert len(lines) == 1, lines
    assert lines[0].startswith("ERROR: ")
    assert "Traceback" not in result.stdout.str()
    assert " in 0." not in result.stdout.str()  # no run was summed up
    return lines[0].removeprefix("ERROR: ")


def test_help_has_one_group_with_every_default(bench: Any) -> None:
    result = bench.run("--help", model=None)
    text = result.stdout.str()
    groups = re.split(r"\n(?=\S.*:\n)", text)
    ours = [g for g in groups if "--mmte-" in g.split("configuration-file options")[0]]
    assert len(ours) == 1
    assert ours[0].startswith("trust benchmarks of chat models (mmte):")
    told = " ".join(ours[0].split())
    for option, default in OPTIONS.items():
        about = told.partition(f"{option}")[2].partition(" --mmte-")[0]
        assert "(default: " in about, option
        assert default in about.partition("(default: ")[2], option
    assert "--model=NAME the same as --mmte-model" in told
    assert "--judge=NAME=SPEC the same as --mmte-judge" in told
    assert set(re.findall(r"--mmte-[\w-]+", told)) == set(OPTIONS)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--model="], "--model"),
        (["--model=x=nosuch:thing"], "unknown backend 'nosuch'"),
        (["--model=a b=scripted:1"], "--model 'a b=scripted:1'"),
        (["--model=x=scripted:1", "--model=x=scripted:2"], "--model: two models are called 'x': write NAME=SPEC"),
        (["--judge=nosuchmodel"], "--judge: unknown model 'nosuchmodel'"),
        (["--mmte-judge=j=nosuch:thing"], "unknown backend 'nosuch'"),
        (["--mmte-data=nowhere"], "--mmte-data=nowhere: there is no such folder"),
        (["--mmte-data="], "--mmte-data: its value is empty"),
        (["--mmte-limit=0"], "--mmte-limit: '0' is no whole number >= 1"),
        (["--mmte-limit=1.5"], "--mmte-limit: '1.5' is no whole number >= 1"),
        (["--mmte-limit=-3"], "--mmte-limit: '-3' is no whole number >= 1"),
        (["--mmte-limit=\u0663"], "--mmte-limit: '\u0663' is no whole number >= 1"),
        (["--mmte-repeats=none"], "--mmte-repeats: 'none' is no whole number >= 1"),
        (["--mmte-min-coverage=98"], "--mmte-min-coverage: '98' is no share between 0 and 1"),
        (["--mmte-min-coverage=nan"], "--mmte-min-coverage: 'nan' is no share between 0 and 1"),
        (["--mmte-min-coverage=most"], "--mmte-min-coverage: 'most' is no share between 0 and 1"),
        (["--mmte-progress=-1"], "--mmte-progress: '-1' is no number of seconds >= 0"),
        (["--mmte-progress=inf"], "--mmte-progress: 'inf' is no number of seconds >= 0"),
        (["--mmte-progress=often"], "--mmte-progress: 'often' is no number of seconds >= 0"),
        (["--mmte-cache="], "--mmte-cache: its value is empty"),
        (["--mmte-cache=benchmarks"], "--mmte-cache=benchmarks: this is a folder; name a file"),
        (["--mmte-report="], "--mmte-report: its value is empty"),
        (["--mmte-report=benchmarks/privacy/t1.yaml"], "t1.yaml: this is a file; name a folder"),
        (["--mmte-set=generation_kwargs"], "--mmte-set generation_kwargs: write [TASK:]key.path=value"),
        (["--mmte-set=generation_kwarg.seed=1"], "has no key 'generation_kwarg'. Did you mean 'generation_kwargs'?"),
        (["--mmte-set=datasets=["], "is no valid YAML value"),
        (["--mmte-gates="], "--mmte-gates: its value is empty"),
        (["--mmte-gates=nowhere.toml"], "--mmte-gates=nowhere.toml: cannot be read"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_one_line_and_exit_4(bench: Any, args: list[str], message: str) -> None:
    bench.task()
    assert message in usage_error(bench.run(*args, model=None))
    assert not (bench.path / "reports").exists()


def test_a_wrong_value_under_workers_is_the_same_line(bench: Any) -> None:
    bench.task()
    assert usage_error(bench.run("--mmte-limit=0", "-n2")) == "--mmte-limit: '0' is no whole number >= 1"


def test_an_unknown_model_is_told_near_names(bench: Any, workers: list[str]) -> None:
    bench.task()
    line = usage_error(bench.run(*workers, model="smollm2-135"))
    assert line.startswith("--model: unknown model 'smollm2-135'. Did you mean 'smollm2-135m'")
    assert "NAME=SPEC" in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[gate]\n", "no valid TOML"),
        ("[gate]\ncase='*'\n", "write [[gate]] with two brackets"),
        ("[[gates]]\ncase='*'\n", "unknown table 'gates'; gates are written as [[gate]]"),
        ("[[gate]]\nmetric='failure'\nrequire='< 1'\n", "gate 1: 'case' is missing"),
        ("[[gate]]\ncase='*'\nmetric='failure'\nrequire='about 1'\n", "gate 1: require: 'about 1' is no limit"),
        ("[[gate]]\ncase='*'\nmetric='failure'\nrequire=0.5\n", "gate 1: require must be a text"),
        (
            "[[gate]]\ncase='*'\nmetric='failure'\nrequire='< 1'\n[[gate]]\ncase='*'\nmetric='f'\nrequires='< 1'\n",
            "gate 2: unknown key 'requires'. Did you mean 'require'?",
        ),
    ],
)
def test_a_wrong_gates_file_is_one_line_and_exit_4(bench: Any, text: str, message: str) -> None:
    bench.task()
    (bench.path / "gates.toml").write_text(text)
    line = usage_error(bench.run("--mmte-gates=gates.toml"))
    assert line.startswith("--mmte-gates=gates.toml: ")
    assert message in line


def test_both_spellings_of_model_add_up(bench: Any) -> None:
    bench.task()
    result = bench.run("--collect-only", "-q", "--mmte-model=y=scripted:50", model="x=scripted:50")
    result.stdout.fnmatch_lines(["*rule/x?", "*rule/y?"], consecutive=True)


@pytest.mark.parametrize("where", ["ini", "environment"])
def test_model_from_the_project_settings(
    bench: Any, monkeypatch: pytest.MonkeyPatch, where: str, workers: list[str]
) -> None:
    bench.task()
    if where == "ini":
        bench.pytester.makeini("[pytest]\naddopts = --model=y=scripted:50 --mmte-limit=3")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", "--model=y=scripted:50 --mmte-limit=3")
    assert bench.run(*workers, model=None).ret == 0
    (row,) = bench.report["results"]
    assert (row["case"], row["counts"]["expected"]) == ("t1[confaide-text/rule/y]", 3)


def test_a_report_folder_that_cannot_be_made_is_one_line(bench: Any, workers: list[str]) -> None:
    bench.task()
    result = bench.run("--mmte-report=benchmarks/privacy/t1.yaml/report", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in result.errlines if line.strip()]
    folder = bench.path / "benchmarks/privacy/t1.yaml/report"
    assert errors == [f"ERROR: --mmte-report={folder}: cannot be written: Not a directory"]
    assert "Traceback" not in result.stdout.str()
