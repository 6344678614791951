"""`mmte evaluators`: the list, checks of rules, chains and judges, and saved cards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmte.cli import main

ROWS = [
    {"answer": "Yes.", "human": "good", "what": "Is it?"}, {"answer": "Yes, it is", "human": "good", "what": "Is it?"},
    {"answer": "No", "human": "good", "what": "Is it?"}, {"answer": "No.", "human": "bad", "what": "Is it?"},
    {"answer": "hm", "human": "bad", "what": "Is it?"}, {"answer": "\x1b[2J ::error:: Yes", "human": "bad", "what": ""},
    {"answer": "Yes", "human": "odd", "what": "Is it?"},
]  # fmt: skip
COLUMNS = ("--text=answer", "--label=human", "--positive=good", "--negative=bad")
JUDGED = """
chatmodel_eval: {prompt_template: "{question} {pred}"}
rule_yes_or_no_eval: {}
"""
TASK = """# mmte.task/1
aspect: privacy
datasets: [confaide-text]
evaluators:
  plain: {rule_yes_or_no_eval: {metrics_cfg: {pred_mean: {}}}}
  judge:
    chatmodel_eval: {prompt_template: "{question} {pred}"}
    rule_yes_or_no_eval: {metrics_cfg: {pred_mean: {}}}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with labelled answers; cards and replies of judges stay in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "answers.sqlite"))
    monkeypatch.delenv("MMTE_CARDS", raising=False)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return tmp_path


def out(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["evaluators", *args]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def error(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["evaluators", *args]) == 4
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    return line


def check(*args: str) -> list[str]:
    return ["check", "--data=rows.jsonl", *COLUMNS, *args]


# -- list ----------------------------------------------------------------------------------------
def test_the_list_names_evaluators_judges_and_cards(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = out(capsys, "list").splitlines()
    names = [line.split()[0] for line in listed if not line.startswith(" ")]
    assert names == sorted(names)
    assert {"rule_yes_or_no_eval", "chatmodel_compare"} <= set(names)
    at = next(n for n, line in enumerate(listed) if line.startswith("harmbenchmodel_eval"))
    assert listed[at + 1].split() == ["needs", "--judge", "harmbench=hf:cais/HarmBench-Llama-2-13b-cls"]
    assert any("card refusal: sens 0." in line for line in listed)


def test_a_stale_card_is_called_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out(capsys, *check("rule_yes_or_no_eval", "--save"))
    (file,) = (here / "reports/cards").glob("*.json")
    (line,) = [x for x in out(capsys, "list").splitlines() if "card rule_yes_or_no_eval" in x]
    assert "stale" not in line
    file.write_text(json.dumps({**json.loads(file.read_text()), "identity": "0" * 16}))
    (line,) = [x for x in out(capsys, "list").splitlines() if "card rule_yes_or_no_eval" in x]
    assert "stale" in line


# -- check ---------------------------------------------------------------------------------------
def test_a_rule_against_people(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys, *check("rule_yes_or_no_eval", "--wrong=5")).splitlines()
    assert lines[1].startswith("data: rows.jsonl, 6 answers, 1 left out; sha256 ")
    table = {" ".join(line.split()[:-4]): line.split() for line in lines[3:9]}
    assert lines[3].split() == ["sensitivity", "0.667", "[0.208,", "0.939]", "3"]
    assert lines[6].split()[:2] == ["unparsed", "0.167"]
    assert len(table) == 6
    assert "without a verdict: 1 unparsed" in lines
    assert "row-3: read as 0.0" in lines
    assert "\x1b" not in "\n".join(lines)
    assert not any(line.strip().startswith("::") for line in lines)


def test_json_is_the_card(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = json.loads(out(capsys, *check("rule_yes_or_no_eval", "--json", "--title=yes/no", "--note=of ours")))
    assert (card["name"], card["note"], card["n"]) == ("yes/no", "of ours", 6)
    assert card["figures"]["specificity"]["value"] == 0.5


def test_saving_a_card(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    told = out(capsys, *check("rule_yes_or_no_eval", "--save", "--title=../../x y"))
    (file,) = (here / "reports/cards").iterdir()
    assert told.splitlines()[-1] == f"card: {file.relative_to(here)}"
    monkeypatch.setenv("MMTE_CARDS", str(here / "mine"))
    out(capsys, *check("rule_yes_or_no_eval", "--save"))
    out(capsys, *check("rule_yes_or_no_eval", "--save", "other"))
    assert [len(list((here / name).iterdir())) for name in ("mine", "other")] == [1, 1]


def test_nothing_is_saved_that_shows_one_side_only(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "one.json").write_text(json.dumps([{"text": "Yes", "label": 1}]))
    assert main(["evaluators", "check", "rule_yes_or_no_eval", "--data=one.json", "--save"]) == 4
    assert "so there is no specificity" in capsys.readouterr().err
    assert not (here / "reports").exists()


# -- judges --------------------------------------------------------------------------------------
def test_a_chain_with_a_judge(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "chain.yaml").write_text(JUDGED)
    (here / "t9.yaml").write_text(TASK)
    args = check("--chain=chain.yaml", "--question=what", "--json")
    assert "needs the judge 'judge': --judge judge=openai:MODEL@URL" in error(capsys, *args)
    judge = f"--judge=judge=scripted:Yes?log={here / 'log'}"
    card = json.loads(out(capsys, *args, judge))
    assert [card["figures"][f]["value"] for f in ("sensitivity", "specificity")] == [1.0, 0.0]
    asked = len((here / "log").read_text().splitlines())
    of_task = json.loads(out(capsys, *check("--chain=t9.yaml:judge", "--question=what", "--json"), judge))
    assert of_task["identity"] == card["identity"]
    assert len((here / "log").read_text().splitlines()) == asked  # the same questions: from the cache


def test_a_panel_and_repetitions(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "chain.yaml").write_text(JUDGED)
    args = check("--chain=chain.yaml", "--question=what", "--json", "--judge-repeats=2")
    panel = [f"--judge=judge=scripted:{says}" for says in ("Yes", "No", "No!")]
    card: dict[str, Any] = json.loads(out(capsys, *args, *panel))
    assert [card["figures"][f]["value"] for f in ("sensitivity", "specificity")] == [0.0, 1.0]
    assert card["stages"][0][:4] == ["panel", 1, 3, 2]
    assert len(card["judges"]) == 3


def test_failures_of_the_judge_are_no_figures_of_the_chain(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "chain.yaml").write_text(JUDGED)
    rows = [{"text": f"answer {n}", "label": n % 2} for n in range(120)]
    (here / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    args = ["check", "--data=many.jsonl", "--chain=chain.yaml"]
    card = json.loads(out(capsys, *args, "--json", "--judge=judge=scripted:Yes|hm?fail=0.1"))
    assert 0 < card["failed"] < 60 and card["n"] + card["failed"] == 120
    figures = card["figures"]
    assert figures["unparsed"]["n"] == card["n"] == sum(card["reasons"].values())
    assert figures["unparsed"]["value"] == pytest.approx(card["reasons"]["unparsed"] / card["n"], abs=1e-6)
    assert "judge" not in card["reasons"]
    told = out(capsys, *args, "--judge=judge=scripted:Yes|hm?fail=0.1")
    assert f"failed: of {card['failed']} more answers the judge gave no reply" in told


@pytest.mark.parametrize(("share", "refused"), [("0.2", True), ("0.008", False), ("0", False)])
def test_no_card_where_the_judge_failed_often(
    here: Path, capsys: pytest.CaptureFixture[str], share: str, refused: bool
) -> None:
    (here / "chain.yaml").write_text(JUDGED)
    rows = [{"text": f"answer {n}", "label": n % 2} for n in range(120)]
    (here / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judge = f"--judge=judge=scripted:Yes?fail={share}"
    code = main(["evaluators", "check", "--data=many.jsonl", "--chain=chain.yaml", judge, "--save"])
    told = capsys.readouterr()
    assert (code, (here / "reports").exists()) == ((4, False) if refused else (0, True))
    if refused:
        (line,) = told.err.splitlines()
        assert "--save: the judge failed on " in line and "of 120 answers, more than 2% (as with" in line
    else:
        (file,) = (here / "reports/cards").iterdir()
        failed = json.loads(file.read_text())["failed"]
        assert failed == 0 if share == "0" else 0 < failed <= 2


def test_a_chain_that_says_texts_is_refused_before_its_judge_is_asked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "chain.yaml").write_text('chatmodel_eval: {prompt_template: "{question} {pred}"}')
    log = here / "log"
    judges = [f"--judge=judge=scripted:Yes?log={log}", "--judge=judge=scripted:No"]
    for seats in (1, 2):
        said = error(capsys, *check("--chain=chain.yaml", *judges[:seats]))
        assert "says texts, which are neither yes nor no: name a chain that ends in a rule" in said
    assert not log.exists()


# -- mistakes ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["check", "--data=rows.jsonl"], "name an evaluator, or give --chain FILE"),
        (["check", "x", "--chain=c.yaml", "--data=rows.jsonl"], "one of them"),
        (["check", "rule_yes_no_eval", "--data=rows.jsonl"], "unknown evaluator 'rule_yes_no_eval'. Did you mean"),
        (["check", "rule_yes_or_no_eval", "--data=no.csv"], "--data no.csv: cannot be read"),
        (["check", "rule_yes_or_no_eval", "--data=rows.jsonl"], "no column 'text' for --text"),
        (["check", "--chain=none.yaml", "--data=rows.jsonl"], "there is no such file"),
        (["check", "--chain=t9.yaml", "--data=rows.jsonl"], "name one of plain, judge"),
        (["check", "--chain=t9.yaml:plan", "--data=rows.jsonl"], "Did you mean 'plain'"),
        (["check", "--chain=bad.yaml", "--data=rows.jsonl"], "no valid YAML"),
        (["check", "--chain=list.yaml:x", "--data=rows.jsonl"], "only a task file has sequences"),
        (["check", "--chain=list.yaml", *COLUMNS, "--data=rows.jsonl"], "an evaluator sequence is a mapping"),
        (["check", "rule_yes_or_no_eval", "--judge-repeats=0", "--data=rows.jsonl"], "must be at least 1"),
        (["check", "rule_yes_or_no_eval", "--judge=judge=nope", "--data=rows.jsonl"], "--judge: unknown model 'nope'"),
        (["check", "rule_score_eval", *COLUMNS, "--data=rows.jsonl", "--positive=fine"], "no row has the label 'fine'"),
    ],
)
def test_mistakes_are_told_in_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], args: list[str], says: str
) -> None:
    (here / "t9.yaml").write_text(TASK)
    (here / "bad.yaml").write_text("a: [")
    (here / "list.yaml").write_text("[1, 2]")
    assert says in error(capsys, *args)
