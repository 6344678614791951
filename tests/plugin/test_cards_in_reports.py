"""A card made by `mmte evaluators check`, and where a run with its evaluator tells it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mmte.evaluators.rule_contain
import mmte.evaluators.rule_yes_no  # noqa: F401 - loaded here once, as in conftest.py
from mmte import __version__
from mmte.cli import main

LABELS = [{"text": "Yes", "label": 1}] * 9 + [{"text": "No", "label": 1}] + [{"text": "No", "label": 0}] * 10
YES_NO = "{rule_yes_or_no_eval: {metrics_cfg: {pred_mean: {}}}}"
CONTAIN = "{rule_contain_eval: {metrics_cfg: {failure: {}}}}"
BRIEF = "yes/no: sens 0.90, spec 1.00, n 20"


@pytest.fixture
def card(bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The user's cards: one of an evaluator that reads yes and no."""
    monkeypatch.setenv("MMTE_CARDS", str(tmp_path / "my-cards"))
    labels = tmp_path / "labels-2026.json"
    labels.write_text(json.dumps(LABELS))
    made = ["evaluators", "check", "rule_yes_or_no_eval", "--data", str(labels), "--save", "--title", "yes/no"]
    assert main(made) == 0
    capsys.readouterr()
    (file,) = (tmp_path / "my-cards").glob("*.json")
    bench.task("t1", rule=YES_NO)
    bench.task("t2", rule=CONTAIN)
    return file


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    capsys.readouterr()
    assert main(["show", *args]) == 0
    return capsys.readouterr().out.splitlines()


def test_show_tells_the_card_of_a_case(
    bench: Any, card: Path, workers: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    bench.run(*workers, model="x=scripted:Yes|No")
    one, other = (f"{task}[confaide-text/rule/x]" for task in ("t1", "t2"))
    lines = shown(capsys, one, "-n1")
    at = next(n for n, line in enumerate(lines) if line.startswith(f"{one}: 1 of 28 samples shown"))
    figures = json.loads(card.read_text())["figures"]
    low, high = figures["sensitivity"]["low"], figures["sensitivity"]["high"]
    day = json.loads(card.read_text())["date"][:10]
    assert lines[at + 1] == "  card yes/no: rule_yes_or_no_eval against human labels"
    assert lines[at + 2].startswith(f"    sensitivity 0.900 [{low:.3f}, {high:.3f}], specificity 1.000 [0.")
    assert lines[at + 3].startswith("    labels-2026.json, 20 answers, sha256 ")
    assert lines[at + 3].endswith(f"; made {day} by mmte {__version__}")
    assert len(lines) == at + 4
    assert not [line for line in shown(capsys, other) if "card" in line]
    both = shown(capsys, "*", "-n1")
    assert sum(line.startswith("  card ") for line in both) == 1
    assert [f"card {BRIEF}" in line for line in shown(capsys) if line.startswith("t")] == [True, False]
    assert {json.loads(line)["case"] for line in shown(capsys, "*", "--json")} == {one, other}


def test_the_report_has_the_card_and_stays_small(bench: Any, card: Path, workers: list[str]) -> None:
    bench.run(*workers, model="x=scripted:Yes|No")
    report = bench.report
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(report)
    row = bench.results()["t1[confaide-text/rule/x]"]
    (told,) = row["cards"]
    assert (told["file"], told["mmte"], told["n"]) == ("labels-2026.json", __version__, 20)
    assert told["data"] == json.loads(card.read_text())["data"]["sha256"]
    assert len(json.dumps(told)) < 700
    assert len(json.dumps(row)) < 2000
    assert bench.results()["t2[confaide-text/rule/x]"]["cards"] == []


def test_the_summary_page_of_a_ci_job_has_the_card_beside_the_value(
    bench: Any, card: Path, workers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = bench.path / "page.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    bench.run(*workers, model="x=scripted:Yes|No")
    lines = [line.split(" | ") for line in page.read_text().splitlines() if line.startswith("| `t")]
    assert [(cells[0][3:5], cells[1], BRIEF in cells[-1]) for cells in lines] == [
        ("t1", "pred_mean", True),
        ("t2", "failure", False),
    ]
    value = next(e["value"] for e in bench.results()["t1[confaide-text/rule/x]"]["estimates"])
    assert lines[0][2] == f"{value:.3f}"
