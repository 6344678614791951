"""Options that would do nothing: names that nothing has, and what contradicts itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mmte.evaluators.judge
import mmte.evaluators.rule_yes_no  # noqa: F401 - loaded here once, as in conftest.py
from mmte.models import INDEX
from mmte.registry import registry

JUDGED = (
    "{chatmodel_eval: {model_id: NAME, prompt_template: 'Is {pred} so?'},"
    " rule_yes_or_no_eval: {metrics_cfg: {pred_mean: {}}}}"
)
plain_only = pytest.mark.parametrize("workers", [[]], ids=["plain"])
"""Of a promise that another test makes with workers, too."""
WHERE = "--mmte-gates=gates.toml"


def gates(bench: Any, *entries: tuple[str, str]) -> str:
    """A file of limits that nothing misses, the first in its line 2."""
    texts = [f"[[gate]]\ncase = '{case}'\nmetric = '{metric}'\nrequire = '< 5'\n" for case, metric in entries]
    (bench.path / "gates.toml").write_text("# limits\n" + "".join(texts))
    return WHERE


def mistake(result: pytest.RunResult, bench: Any) -> str:
    """The one line of a run that did not begin."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.strip()]
    assert line.startswith("ERROR: ")
    assert "Traceback" not in result.stdout.str()
    assert "WARNING" not in result.stdout.str()
    assert bench.asked() == []
    assert not (bench.path / "reports").exists()
    return line.removeprefix("ERROR: ")


def two_tasks(bench: Any) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]")
    bench.task("s1", aspect="safety")


# -- gates ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("case", "metric", "message"),
    [
        ("t1x[*]", "failure", "no task is called 't1x'. Did you mean 't1'"),
        ("p3-infolow[confaide-text/*]", "failure", "no task is called 'p3-infolow'. Did you mean 'p3-infoflow'"),
        ("t1[confaide-txt/*]", "failure", "task 't1' has no case 't1[confaide-txt/*]'. Did you mean 't1["),
        ("t1[confaide-text/rules/x]", "failure", "task 't1' has no case 't1[confaide-text/rules/x]'. Did you mean 't"),
        ("t1", "failure", "'t1' is a task, not a case: write 't1[*]'"),
        ("t9*", "failure", "no case is 't9*'. Known: s1, t1."),
        ("*[confaide-txt/*]", "failure", "no case is '*[confaide-txt/*]'. Did you mean '"),
        ("test_mine.py::*", "failure", "no test file is called 'test_mine.py'."),
        ("t1[*]", "failre", "'t1[*]' has no metric 'failre'. Did you mean 'failure'?"),
        ("*", "failre", "'*' has no metric 'failre'. Did you mean 'failure'?"),
        ("t1*", "failre.vs.blank", "'t1*' has no metric 'failre'. Did you mean 'failure'?"),
    ],
)
def test_a_gate_for_what_nothing_is_called_is_a_mistake(bench: Any, case: str, metric: str, message: str) -> None:
    two_tasks(bench)
    option = gates(bench, ("t1[*]", "failure"), (case, metric))
    line = mistake(bench.run(option, model=f"x=scripted:50?log={bench.log}"), bench)
    assert line.startswith(f"{WHERE}:6: {message}")


@pytest.mark.parametrize("more", [(), ("-k", "text"), ("benchmarks/privacy",), ("--collect-only",)])
def test_it_is_one_whatever_is_selected(bench: Any, workers: list[str], more: tuple[str, ...]) -> None:
    two_tasks(bench)
    result = bench.run(gates(bench, ("t1x[*]", "failure")), *more, *workers)
    assert mistake(result, bench) == f"{WHERE}:2: no task is called 't1x'. Did you mean 't1'?"


def test_it_is_one_among_shipped_tasks(bench: Any, workers: list[str]) -> None:
    args = ["--pyargs", "mmte.benchmarks", "-k", "p3-infoflow and text", *workers]
    line = mistake(bench.run(gates(bench, ("p3-infoflow[confaide-txt/*]", "failure")), *args), bench)
    assert line.startswith(f"{WHERE}:2: task 'p3-infoflow' has no case ")
    assert mistake(bench.run(gates(bench, ("*[confaide-txt/*]", "failure")), *args), bench)


def test_a_gate_in_another_notation_is_told_by_its_number(bench: Any) -> None:
    two_tasks(bench)
    (bench.path / "gates.toml").write_text('gate = [{case = "t1x[*]", metric = "failure", require = "< 5"}]\n')
    assert mistake(bench.run(WHERE), bench).startswith(f"{WHERE}: gate 1: no task is called 't1x'.")


@plain_only
@pytest.mark.parametrize(
    "case",
    ["s1[*]", "s1[confaide-text/rule/x]", "p3-infoflow[*]", "s*", "*/rule/of-another-run]", "t1[confaide-image/*]"],
)
def test_a_gate_for_a_task_of_another_part_is_no_mistake(bench: Any, workers: list[str], case: str) -> None:
    two_tasks(bench)
    option = gates(bench, ("t1[confaide-text/*]", "failure"), (case, "failure"))
    result = bench.run(option, "benchmarks/privacy", "-k", "confaide-text", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"--mmte-gates: no item of this run is '{case.replace('[', '[[]')}' (failure < 5)"])
    assert "WARNING" not in result.stdout.str()


@plain_only
def test_a_task_file_elsewhere_in_the_project_counts(bench: Any, workers: list[str]) -> None:
    bench.task("t1")
    folder = bench.path / "deep/in/the/project"
    folder.mkdir(parents=True)
    bench.task("far").rename(folder / "far.yaml")
    bench.pytester.makeini("[pytest]")
    assert bench.run(gates(bench, ("far[*]", "failure"), ("*", "failure")), "benchmarks", *workers).ret == 0
    folder.rename(bench.path / "deep/in/the/.hidden")
    assert bench.run(gates(bench, ("far[*]", "failure"), ("*", "failure")), "benchmarks", *workers).ret == 4


@plain_only
def test_what_a_broken_file_would_have_is_not_known(bench: Any, workers: list[str]) -> None:
    bench.task("t1")
    bench.task("t2", rule="{nosuch: {}}", more="task: other")
    result = bench.run(gates(bench, ("other[a/b/*]", "any"), ("oth*", "any"), ("t1*", "failure")), *workers)
    assert result.ret == 1
    assert set(bench.results()) == {"t1[confaide-text/rule/x]", "t2"}


@plain_only
def test_a_gate_for_what_set_adds_is_known(bench: Any, workers: list[str]) -> None:
    bench.task(datasets="[{dataset_id: confaide-text, name: words}]")
    option = gates(bench, ("t1[text/*]", "failure"))
    assert bench.run(option, "--mmte-set=datasets.words.name=text", *workers).ret == 0
    assert bench.run(option, *workers).ret == 4


@plain_only
def test_tests_in_python_are_known_by_their_file(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.pytester.makepyfile(test_mine="def test_it(mmte_record):\n    mmte_record(told=0.5)\n")
    for case in ("test_mine.py::*", "test_m*", "*::test_it"):
        assert bench.run(gates(bench, (case, "told")), *workers).ret == 0
        assert bench.results()["test_mine.py::test_it"]["gated"] == 1
    assert bench.run(gates(bench, ("test_mien.py::*", "told")), *workers).ret == 4


def test_gates_that_had_nothing_to_do_are_told(bench: Any, workers: list[str]) -> None:
    two_tasks(bench)
    warning = f"WARNING: {WHERE}: no result of this run was held against a limit of it, so nothing was gated"
    result = bench.run(gates(bench, ("s1[*]", "failure")), "-k", "t1", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines([warning])
    (bench.path / "gates.toml").write_text("")
    bench.run(WHERE, *workers).stdout.fnmatch_lines(
        [f"WARNING: {WHERE}: there is no [[]gate]] in it, so nothing was gated".replace("[[]gate", "[[][[]gate")]
    )
    bench.pytester.makepyfile(test_mine="def test_it():\n    pass\n")
    result = bench.run(gates(bench, ("s1[*]", "failure")), "test_mine.py", *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines([warning])


@plain_only
def test_a_gate_over_items_that_were_skipped_had_nothing_to_do(bench: Any, workers: list[str]) -> None:
    bench.task(datasets="[confaide-image]")
    option = gates(bench, ("t1[*]", "failure"))
    bench.run(option, *workers, model="x=scripted:50?modalities=text").stdout.fnmatch_lines(["WARNING: *gated"])
    assert "WARNING" not in bench.run(option, *workers).stdout.str()


# -- set -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("more", [(), ("-k", "text")], ids=["all", "selected"])
def test_set_for_a_task_that_nothing_is_called_is_a_mistake(
    bench: Any, workers: list[str], more: tuple[str, ...]
) -> None:
    two_tasks(bench)
    line = mistake(bench.run("--mmte-set=t1x:generation_kwargs.seed=1", *more, *workers), bench)
    assert line == "--mmte-set t1x:generation_kwargs.seed=1: no task is called 't1x'. Did you mean 't1'?"


@plain_only
@pytest.mark.parametrize("task", ["s1", "p3-infoflow"])
def test_set_for_a_task_of_another_part_is_told_at_the_end(bench: Any, workers: list[str], task: str) -> None:
    two_tasks(bench)
    result = bench.run(f"--mmte-set={task}:generation_kwargs.seed=1", "benchmarks/privacy", *workers)
    assert result.ret == 0
    told = f"no item of this run is of task '{task}'"
    result.stdout.fnmatch_lines([f"--mmte-set {task}:generation_kwargs.seed=1: {told}"])


def test_set_breaks_a_shipped_task_before_workers_start(bench: Any) -> None:
    args = ["--pyargs", "mmte.benchmarks", "-k", "p3-infoflow", "-n2"]
    line = mistake(bench.run("--mmte-set=p3-infoflow:generation_kwargs.max_new_token=20", *args), bench)
    assert "Did you mean 'max_new_tokens'?" in line


# -- offline and refresh -------------------------------------------------------------------------
@plain_only
def test_offline_and_refresh_exclude_each_other(bench: Any, workers: list[str]) -> None:
    bench.task()
    for model in (f"x=scripted:50?log={bench.log}", None):
        line = mistake(bench.run("--mmte-offline", "--mmte-refresh", *workers, model=model), bench)
        assert line == "--mmte-refresh asks every question again, --mmte-offline asks none: drop one of them"


# -- judges --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("scripted:Yes?fial=1", "--judge NAME: scripted has no option 'fial'. Did you mean 'fail'?"),
        ("scripted:Yes?fail=much", "--judge NAME: fail='much' is no float"),
        ("replay:nowhere.jsonl", "--judge NAME: there is no file nowhere.jsonl to replay"),
        ("openai:m@http://me:word@host", "--judge NAME: a URL holds no user or password"),
        ("openai:m@http://h/v1?slots=0", "--judge NAME: slots=0 is not within"),
        ("gguf:nowhere.gguf", "--judge NAME: nowhere.gguf: No such file"),
        ("gguf:smollm2-135m?ctx=0", "--judge NAME: ctx=0 must be a whole number"),
        ("hf:benchmarks", "--judge NAME: benchmarks has no config.json"),
        ("hf:org/name?dtype=int3", "--judge NAME: dtype='int3' is not known."),
        ("classifier:benchmarks", "--judge NAME: benchmarks has no config.json"),
        ("perspective:somewhere", "--judge NAME: the form is perspective: or perspective:URL"),
        ("moderation:m@ftp://host", "--judge NAME: the form is moderation:MODEL@URL"),
        ("profanity:somewhere", "--judge NAME: the form is profanity: with nothing behind"),
        ("ocr:scripted:Yes?fial=1", "--judge NAME: scripted has no option 'fial'."),
    ],
)
@pytest.mark.parametrize("panel", [False, True], ids=["judge", "panel"])
def test_an_error_of_a_judge_names_its_option(bench: Any, spec: str, message: str, panel: bool) -> None:
    bench.task(rule=JUDGED.replace("NAME", "referee"))
    more = ["--judge=referee=scripted:No"] if panel else []
    assert bench.run(f"--judge=referee={spec}", *more).ret == 1
    (row,) = bench.results().values()
    assert row["reason"].startswith(message.replace("NAME", "referee#1" if panel else "referee"))


def test_an_error_of_a_judge_names_its_option_in_workers(bench: Any, workers: list[str]) -> None:
    bench.task(rule=JUDGED.replace("NAME", "referee"))
    assert bench.run("--judge=referee=scripted:Yes?fial=1", *workers).ret == 1
    (row,) = bench.results().values()
    assert row["reason"] == "--judge referee: scripted has no option 'fial'. Did you mean 'fail'?"
    result = bench.run("--judge=referee=scirpted:Yes", *workers)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --judge: unknown backend 'scirpted'. Did you mean 'scripted'?*"])


def test_a_panel_may_read_pictures_with_ocr(bench: Any) -> None:
    bench.task(rule=JUDGED.replace("NAME", "referee"))
    bench.run("--judge=referee=ocr:scripted:Yes", "--judge=referee=scripted:Yes")
    (row,) = bench.results().values()
    assert "a name has letters" not in row.get("reason", "")


def test_a_judge_that_nobody_asks_is_told(bench: Any, workers: list[str]) -> None:
    bench.task("t1", rule=JUDGED.replace("NAME", "referee"))
    bench.task("t2", rule=JUDGED.replace("NAME", "umpire"))
    result = bench.run("--judge=refree=scripted:Yes", "--judge=umpire=scripted:Yes", *workers)
    assert result.ret == 0
    told = "no item of this run asks a judge of that name. Did you mean 'referee'?"
    result.stdout.fnmatch_lines([f"--judge refree: {told}"])
    assert result.stdout.str().count("no item of this run asks") == 1
    args = ("--judge=referee=scripted:Yes", "--judge=referee=scripted:No", "--judge=umpire=scripted:Yes")
    assert "no item of this run asks" not in bench.run(*args, *workers).stdout.str()
    result = bench.run(*args, "-k", "t1", *workers)  # the other one is not selected
    result.stdout.fnmatch_lines(["--judge umpire: no item of this run asks a judge of that name. Known: referee."])


@plain_only
def test_a_judge_where_nothing_is_judged_is_told(bench: Any, workers: list[str]) -> None:
    bench.task()
    result = bench.run("--judge=referee=scripted:Yes", *workers)
    result.stdout.fnmatch_lines(["--judge referee: no item of this run asks a judge of that name."])


# -- help ----------------------------------------------------------------------------------------
def test_help_names_every_backend(bench: Any) -> None:
    told = " ".join(bench.run("--help", model=None).stdout.str().split())
    models = told.partition("--mmte-model=NAME")[2].partition("--mmte-judge=")[0]
    judges = told.partition("--mmte-judge=NAME=SPEC")[2].partition("--mmte-")[0]
    for backend in INDEX["backend"]:
        chats = "chat" in registry.get_backend_class(backend).kinds or backend == "ocr"
        assert f" {backend}:" in (models if chats else judges), backend


def test_the_line_of_a_gate_is_that_of_its_head(tmp_path: Path) -> None:
    from mmte.report.gates import load_gates

    file = tmp_path / "gates.toml"
    body = "case = '*'\nmetric = 'failure'\nrequire = '< 1'\n"
    file.write_text(f"[[gate]]\n{body}\n  [[ gate ]]  # second\n{body}")
    assert [gate.place for gate in load_gates(file)] == [f"--mmte-gates={file}:{line}" for line in (1, 6)]
