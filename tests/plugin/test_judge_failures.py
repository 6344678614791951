"""What a run tells of judges that fail, panels that tie, and scorers' versions: from the command line."""

from __future__ import annotations

import argparse
import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mmte.evaluators.classifier
import mmte.evaluators.judge
import mmte.evaluators.rule_yes_no
import mmte.evaluators.services  # noqa: F401 - loaded here once, as in conftest.py
from mmte.models.scores import CATEGORIES
from mmte.report.show import add_parser
from mmte.report.show import run as run_show

plain_only = pytest.mark.parametrize("workers", [[]], ids=["plain"])
"""Of a promise that another test makes with workers, too."""
MEAN = "metrics_cfg: {pred_mean: {}}"
CHAIN = "{{chatmodel_eval: {{prompt_template: '{ask} {{pred}}'}}, rule_yes_or_no_eval: {{{more}}}}}"
CHAT = CHAIN.format(ask="Does this answer agree?", more=MEAN)
JOIN = f"{{any: [{CHAIN.format(ask='First?', more='')}, {CHAIN.format(ask='Second?', more='')}], {MEAN}}}"
LIMIT = "--mmte-limit=8"


@pytest.fixture(autouse=True)
def no_cards(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the user's cards."""
    monkeypatch.setenv("MMTE_CARDS", str(tmp_path / "my-cards"))


def row(bench: Any) -> dict[str, Any]:
    """The one result, in a report that follows the schema."""
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(bench.report)
    (found,) = bench.results().values()
    return dict(found)


def steps(bench: Any) -> list[dict[str, Any]]:
    lines = (bench.path / "reports/latest/samples" / row(bench)["samples_file"]).read_text("ascii").splitlines()
    return [json.loads(line)["steps"] for line in lines]


def shown(bench: Any, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    capsys.readouterr()
    assert run_show(parser.parse_args(["show", "*", "--run", str(bench.path / "reports/latest"), *args])) == 0
    return capsys.readouterr().out


def remarks(bench: Any) -> list[str]:
    """The notes that are of judges and scorers."""
    return [note for note in row(bench)["notes"] if note.startswith(("panel", "scorer"))]


# -- why -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("how", "why"), [("fail", "told to fail"), ("empty", "empty reply"), ("filtered", "filtered")])
def test_why_a_judge_failed_is_told(
    bench: Any, workers: list[str], capsys: pytest.CaptureFixture[str], how: str, why: str
) -> None:
    bench.task(rule=CHAT)
    assert bench.run(f"--judge=judge=scripted:Yes?{how}=1", LIMIT, *workers).ret == 1
    assert row(bench)["problem"].endswith(f"; first error: judge 'judge': {why}")
    assert steps(bench) == [{"judge:error": f"judge 'judge': {why}"}] * row(bench)["counts"]["judge"]
    assert f"  verdict: judge\n    judge:error: judge 'judge': {why}\n" in shown(bench, capsys, "--reason", "judge")


def test_a_judge_that_fails_now_and_then_is_told_where_it_did(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    bench.run("--judge=judge=scripted:Yes?fail=0.5", *workers)
    found = steps(bench)
    failed = [s["judge:error"] for s in found if "judge:error" in s]
    assert failed == ["judge 'judge': told to fail"] * row(bench)["counts"]["judge"]
    assert 0 < len(failed) < len(found)
    assert all(("judge:error" in s) != ("chatmodel_eval:pred_no_op" in s) for s in found)


@plain_only
def test_a_join_tells_why_its_judge_failed_in_each_chain(bench: Any, workers: list[str]) -> None:
    bench.task(rule=JOIN)
    bench.run("--judge=judge=scripted:No?fail=1&batch=4", "--mmte-limit=4", *workers)
    assert row(bench)["problem"].endswith("; first error: judge 'judge': told to fail")
    for said in steps(bench):
        assert {k: v for k, v in said.items() if "error" in k} == {
            "judge.1:error": "judge 'judge': told to fail", "judge.2:error": "judge 'judge': told to fail",
        }  # fmt: skip


# -- panels --------------------------------------------------------------------------------------
def test_a_dead_judge_of_a_panel_is_noticed(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    judges = ["--judge=judge=scripted:Yes", "--judge=judge=scripted:Yes?seed=2"]
    result = bench.run(*judges, "--judge=judge=scripted:No?dead=yes", LIMIT, *workers)
    assert result.ret == 0
    n = row(bench)["counts"]["expected"]
    assert remarks(bench) == [f"panel: judge#3 gave no verdict on {n} of {n} ({n} failed)"]
    result.stdout.fnmatch_lines([f"*panel: judge#3 gave no verdict on {n} of {n} ({n} failed)*"])
    assert len(json.dumps(row(bench))) < 2000
    assert {s["judge#3: judge#3:error"] for s in steps(bench)} == {"judge 'judge#3': connection refused (scripted)"}
    assert bench.run(*judges, LIMIT, *workers).ret == 0
    assert remarks(bench) == []


@plain_only
def test_a_panel_that_fails_as_a_whole_says_why(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    judges = ["--judge=judge=scripted:No", "--judge=judge=scripted:Yes?dead=yes"]
    assert bench.run(*judges, LIMIT, *workers).ret == 1
    assert row(bench)["problem"].endswith("; first error: judge 'judge#2': connection refused (scripted)")


@plain_only
def test_a_judge_of_a_panel_that_mumbles_is_told_from_one_that_fails(bench: Any, workers: list[str]) -> None:
    bench.task(rule=JOIN)
    judges = [f"--judge=judge=scripted:Yes?seed={n}" for n in range(3)]
    assert bench.run(*judges, "--judge=judge=scripted:Hm.", *workers).ret == 0
    n = row(bench)["counts"]["expected"]
    assert remarks(bench) == [f"panel: judge#4 gave no verdict on {n} of {n}"]
    assert all(s["panel"] == {"no verdict": ["judge#4"]} for s in steps(bench))


def test_ties_are_counted(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    assert bench.run("--judge=judge=scripted:Yes", "--judge=judge=scripted:Yes|No", *workers).ret == 0
    n = row(bench)["counts"]["unparsed"]
    assert n > 1
    assert remarks(bench) == [f"panel of 2: {n} ties are unparsed"]
    assert sum("panel" in s for s in steps(bench)) == n


@plain_only
def test_a_join_of_panels_counts_a_sample_once(bench: Any, workers: list[str]) -> None:
    bench.task(rule=JOIN)
    judges = ["--judge=judge=scripted:Yes", "--judge=judge=scripted:No", "--judge=judge=scripted:No?dead=yes&seed=2"]
    bench.run(*judges, "--judge=judge=scripted:Yes?dead=yes&seed=3", "--mmte-limit=4", *workers)
    n = row(bench)["counts"]["expected"]
    dead = [f"panel: judge#{k} gave no verdict on {n} of {n} ({n} failed)" for k in (3, 4)]
    assert remarks(bench) == dead
    bench.run(*judges[:2], "--mmte-limit=4", *workers)
    assert remarks(bench) == [f"panel of 2: {n} ties are unparsed"]


@plain_only
def test_the_same_judge_twice_is_refused(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    result = bench.run("--judge=judge=scripted:Yes", "--judge=judge=scripted:Yes", *workers)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--judge judge: given twice with the same SPEC; *use --mmte-judge-repeats"])
    assert bench.run("--judge=judge=scripted:Yes", "--judge=other=scripted:Yes", *workers).ret == 0


# -- effort --------------------------------------------------------------------------------------
def test_questions_to_judges_are_counted_beside_those_to_the_model(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    judges = [f"--judge=judge=scripted:{says}?log={bench.log}" for says in ("Yes", "No", "No.")]
    bench.run(*judges, *workers)
    asked = [line for line in bench.asked() if not line.startswith("LOAD")]
    first, n = row(bench)["effort"], row(bench)["counts"]["expected"]
    assert (first["asked"], first["cached"]) == (n, 0)
    assert first["judge_asked"] == len(asked) > 0
    assert first["judge_asked"] + first["judge_cached"] == 3 * n
    bench.run(*judges, *workers)
    again = row(bench)["effort"]
    assert [again[k] for k in ("asked", "cached", "judge_asked", "judge_cached")] == [0, n, 0, 3 * n]


@plain_only
def test_an_item_without_a_judge_has_no_counts_of_judges(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.run("--judge=judge=scripted:Yes", *workers)
    assert set(row(bench)["effort"]) == {"asked", "cached", "seconds"}


# -- versions ------------------------------------------------------------------------------------
@pytest.mark.parametrize("rule", ["{{{e}}}", "{{any: [{{{e}}}, {{rule_yes_or_no_eval: {{}}}}], {mean}}}"])
def test_the_versions_that_a_service_answered_with_stand_beside_the_result(
    bench: Any, workers: list[str], rule: str
) -> None:
    bench.task(rule=rule.format(e=f"openai_moderation_api_eval: {{threshold: 0.5, {MEAN}}}", mean=MEAN))
    scores = dict.fromkeys(CATEGORIES, 0.7)
    versions = [f"omni-moderation-2026-05-0{n}" for n in range(1, 3)]
    says = "|".join(json.dumps({**scores, "model": version}) for version in versions)
    result = bench.run(f"--judge=moderation=scripted:{says}", *workers)
    assert result.ret == 0
    (note,) = remarks(bench)
    assert note.startswith("scorer: ")
    assert sorted(note.removeprefix("scorer: ").split(", ")) == versions
    told = {s["openai_moderation_api_eval:scores"]["model"] for s in steps(bench)}
    assert sorted(told) == versions
