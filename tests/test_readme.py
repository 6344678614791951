"""What the README shows does what it says."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")
FILE = re.compile(r"^# ([\w.-]+\.(?:py|yaml|toml))$", re.M)


def blocks(kind: str) -> list[str]:
    """The fenced blocks of a language."""
    return [text for language, text in BLOCK.findall(README) if language == kind]


def write(folder: Path, *names: str) -> None:
    """Write files that the README shows in full: their blocks name them in a comment."""
    shown = {match[1]: text for _, text in BLOCK.findall(README) if (match := FILE.search(text))}
    for name in names:
        (folder / name).write_text(shown[name], encoding="utf-8")


def bench(pytester: pytest.Pytester, *options: str) -> tuple[pytest.RunResult, dict[str, dict[str, Any]]]:
    """A run in a process of its own, and its results by case."""
    own = ("--mmte-cache=c.sqlite", "--mmte-report=out", "-p", "no:cacheprovider")
    done = pytester.runpytest_subprocess(*own, *options)
    report = json.loads((pytester.path / "out" / "report.json").read_text("utf-8"))
    return done, {row["case"]: row for row in report["results"]}


def test_task_file_of_the_readme_runs(pytester: pytest.Pytester) -> None:
    write(pytester.path, "infoflow-short.yaml")
    done, rows = bench(pytester, "--model=x=scripted:50")
    assert done.ret == 0
    assert rows["infoflow-short[confaide-text/rule/x]"]["outcome"] == "passed"


def test_dataset_and_evaluator_of_the_readme_run(pytester: pytest.Pytester) -> None:
    write(pytester.path, "capitals.py", "t9-capitals.yaml")
    pytester.makeconftest("import capitals")
    done, rows = bench(pytester, "--model=x=scripted:Paris.")
    assert done.ret == 0
    (estimate,) = rows["t9-capitals[capitals/exact/x]"]["estimates"]
    assert estimate["value"] == pytest.approx(1 / 3)


def test_python_test_of_the_readme_runs_for_each_model(pytester: pytest.Pytester) -> None:
    write(pytester.path, "test_privacy_of_mine.py")
    done, rows = bench(pytester, "--model=a=scripted:I do not know.", "--model=b=scripted:555 0100")
    assert done.ret == 0
    values = {case.partition("[")[2]: row["estimates"][0]["value"] for case, row in rows.items()}
    assert values == {"a]": 0.0, "b]": 1.0}


def test_gates_of_the_readme_end_with_status_10(pytester: pytest.Pytester) -> None:
    (gates,) = blocks("toml")
    (pytester.path / "gates.toml").write_text(gates, encoding="utf-8")
    options = ("--pyargs", "mmte.benchmarks", "-k", "p3-infoflow and text", "--mmte-gates=gates.toml")
    done, rows = bench(pytester, *options, "--model=x=scripted:perhaps")
    assert done.ret == 10
    missed = rows["p3-infoflow[confaide-text/rule/x]"]["violations"]
    assert [text.partition(" ")[0] for text in missed] == ["pearson_corr", "failure"]


def test_options_of_the_readme_exist(pytester: pytest.Pytester) -> None:
    known = set(OPTION.findall(pytester.runpytest_subprocess("--help").stdout.str()))
    commands = [re.sub(r"#.*", "", text).partition("pytest ")[2] for text in blocks("bash") + blocks("yaml")]
    used = {option for command in commands for option in OPTION.findall(command)}
    assert {"--model", "--mmte-gates", "--pyargs", "--junit-xml"} <= used
    assert used <= known
    assert {option for option in OPTION.findall(README) if option.startswith("--mmte-")} <= known


SELECT = next(text for text in blocks("bash") if "-m privacy" in text)
SELECTIONS = [line.partition("#")[0].strip() for line in SELECT.splitlines() if "--lf" not in line]


@pytest.mark.parametrize("command", SELECTIONS)
def test_selections_of_the_readme_select_p3(command: str, tmp_path: Path) -> None:
    program, *words = shlex.split(command)
    assert program == "pytest"
    words += ["--collect-only", "-p", "no:cacheprovider", "--model=x=scripted:50", f"--mmte-cache={tmp_path / 'c'}"]
    pytest_ = [sys.executable, "-m", "pytest"]
    done = subprocess.run([*pytest_, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "p3-infoflow[confaide-text/rule/x]" in done.stdout
