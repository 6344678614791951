"""Several judges, repeated questions, two answers compared, and cards beside scores: from the command line."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mmte.evaluators.compare
import mmte.evaluators.judge
import mmte.evaluators.rule_yes_no  # noqa: F401 - loaded here once, as in conftest.py
from mmte.evaluators.card import _code
from mmte.evaluators.commands import run as run_command
from mmte.evaluators.judge import ChatJudge
from mmte.types import Response, Sample, Trial

ASK = "Does this answer agree? {pred}"
CHAT = (
    f"{{chatmodel_eval: {{prompt_template: '{ASK}'}}, rule_yes_or_no_eval: {{metrics_cfg: {{pred_mean: {{}}}}}}}}"
)
COMPARE = "{chatmodel_compare: {metrics_cfg: {pred_mean: {}}}}"
MODEL = "x=scripted:-100|-50|0|50|100"


@pytest.fixture(autouse=True)
def no_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cards of this test."""
    monkeypatch.setenv("MMTE_CARDS", str(tmp_path / "my-cards"))
    return tmp_path / "my-cards"


def estimates(bench: Any) -> dict[str, dict[str, Any]]:
    (row,) = bench.results().values()
    return {e["metric"]: e for e in row["estimates"] if not e["subset"]}


def samples(bench: Any) -> list[dict[str, Any]]:
    (row,) = bench.results().values()
    lines = (bench.path / "reports/latest/samples" / row["samples_file"]).read_text("ascii").splitlines()
    return [json.loads(line) for line in lines]


def valid(bench: Any) -> None:
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(bench.report)


# -- panels --------------------------------------------------------------------------------------
def test_three_judges_decide_by_majority_and_their_agreement_is_told(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    judges = ["--judge=judge=scripted:Yes", "--judge=judge=scripted:Yes|No", "--judge=judge=scripted:No|Yes|Yes"]
    assert bench.run(*judges, *workers).ret == 0
    votes = Counter[int]()
    for row in samples(bench):
        said = row["steps"]["ballots"]["agreement"]
        assert [row["steps"][f"judge#{n}: chatmodel_eval->rule_yes_or_no_eval"] for n in (1, 2, 3)] == said
        assert row["value"] == float(sum(said) >= 2)
        votes[sum(said)] += 1
    assert len(votes) > 1
    found = estimates(bench)
    assert set(found) == {"pred_mean", "judge_agreement", "judge_alpha"}
    agree, n = found["judge_agreement"], sum(votes.values())
    assert agree["value"] == pytest.approx((votes[0] + votes[3]) / n + (votes[1] + votes[2]) / n / 3)
    assert agree["low"] < agree["value"] < agree["high"]
    assert found["judge_alpha"]["value"] < agree["value"]
    assert found["pred_mean"]["n"] == agree["n"] == n
    valid(bench)


def test_judges_without_a_majority_leave_the_sample_undecided(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    assert bench.run("--judge=judge=scripted:Yes", "--judge=judge=scripted:No", *workers).ret == 1
    (row,) = bench.results().values()
    assert row["counts"]["unparsed"] == row["counts"]["expected"]
    assert row["coverage"] == 1.0
    found = estimates(bench)
    assert found["pred_mean"]["value"] is None
    assert found["pred_mean"]["bounds"] == [0.0, 1.0]
    assert (found["judge_agreement"]["value"], found["judge_kappa"]["value"]) == (0.0, 0.0)


def test_a_judge_that_fails_takes_no_part_and_is_counted_where_it_was_needed(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    failing = "--judge=judge=scripted:Yes, surely?fail=1&batch=4"
    assert bench.run("--judge=judge=scripted:No", failing, "--mmte-limit=8", *workers).ret == 1
    (row,) = bench.results().values()
    assert row["counts"]["judge"] == row["counts"]["expected"]
    divided = ["--judge=judge=scripted:No", "--judge=judge=scripted:Yes"]
    assert bench.run(*divided, failing, "--mmte-limit=8", *workers).ret == 1
    (row,) = bench.results().values()
    assert row["counts"]["judge"] == row["counts"]["expected"]
    args = ["--judge=judge=scripted:No", "--judge=judge=scripted:No.", failing, "--mmte-limit=8"]
    assert bench.run(*args, *workers).ret == 0
    assert estimates(bench)["pred_mean"]["value"] == 0.0


def test_each_judge_of_a_panel_is_loaded_once_and_asked_each_question_once(bench: Any, workers: list[str]) -> None:
    for name in ("t1", "t2"):
        bench.task(name, rule=CHAT)
    judges = [f"--judge=judge=scripted:{says}?log={bench.log}" for says in ("Yes", "No", "No.")]
    assert bench.run(*judges, *workers).ret == 0
    lines = [line.split() for line in bench.asked()]
    asked = [(what, who) for what, _, who in lines if what != "LOAD"]
    assert len(asked) == len(set(asked))
    assert Counter(who for _, who in asked).keys() == {"judge#1", "judge#2", "judge#3"}
    loads = Counter((worker, who) for what, worker, who in lines if what == "LOAD")
    assert max(loads.values()) == 1
    first = bench.results()
    bench.log.unlink()
    assert bench.run(*judges, *workers).ret == 0
    assert bench.asked() == []  # all of it was in the cache
    assert {c: r["estimates"] for c, r in bench.results().items()} == {c: r["estimates"] for c, r in first.items()}


def test_one_judge_has_nobody_to_agree_with(bench: Any) -> None:
    bench.task(rule=CHAT)
    assert bench.run("--judge=judge=scripted:Yes").ret == 0
    assert set(estimates(bench)) == {"pred_mean"}
    (one,) = bench.results().values()
    bench.run("--judge=judge=scripted:Yes", "--judge=judge=scripted:Yes, it does")
    (two,) = bench.results().values()
    assert one["identities"]["evaluators"] != two["identities"]["evaluators"]


# -- repetitions ---------------------------------------------------------------------------------
def moody_judge(bench: Any) -> Path:
    """A replay of a judge that says Yes to every answer twice of three times, and to every fourth never."""
    judge, path = ChatJudge("chatmodel_eval", prompt_template=ASK), bench.path / "judge.jsonl"
    with path.open("w", encoding="utf-8") as file:
        asked = set()
        for n, row in enumerate(samples(bench)):
            sample = Sample(row["id"], tuple(row["messages"]), row["target"])
            (request,) = judge.requests(Trial(sample, Response(), row["content"], "scored", row["target"]))
            if request.messages[0]["content"] in asked:
                continue
            asked.add(request.messages[0]["content"])
            for said in ("No", "No", "No") if n % 4 == 0 else ("Yes", "No", "Yes"):
                line = {"id": row["id"], "messages": request.messages, "content": said}
                file.write(json.dumps(line) + "\n")
    return path


def test_repeated_questions_have_a_majority_and_a_self_agreement(bench: Any, workers: list[str]) -> None:
    bench.task(rule=CHAT)
    bench.run("--judge=judge=scripted:Yes")
    judge = f"--judge=judge=replay:{moody_judge(bench)}"
    assert bench.run(judge, "--mmte-judge-repeats=3", *workers).ret == 0
    rows = samples(bench)
    assert {tuple(r["steps"]["ballots"]["self"]) for r in rows} == {(0.0, 0.0, 0.0), (1.0, 0.0, 1.0)}
    assert all(r["value"] == r["steps"]["ballots"]["self"][0] for r in rows)
    steady = sum(r["value"] == 0 for r in rows) / len(rows)
    found = estimates(bench)
    assert set(found) == {"pred_mean", "judge_self_agreement", "judge_self_alpha"}
    assert found["judge_self_agreement"]["value"] == pytest.approx(steady + (1 - steady) / 3)
    assert bench.report["settings"]["judge_repeats"] == 3
    valid(bench)


def test_a_judge_that_never_changes_its_mind_says_so(bench: Any) -> None:
    bench.task(rule=CHAT)
    judge = f"--judge=judge=scripted:Yes?log={bench.log}"
    assert bench.run(judge, "--mmte-judge-repeats=2", "--mmte-limit=4").ret == 0
    found = estimates(bench)
    assert (found["judge_self_agreement"]["value"], found["judge_self_alpha"]["value"]) == (1.0, None)
    questions = [line for line in bench.asked() if not line.startswith("LOAD")]
    assert len(questions) == len(set(questions)) > 0
    assert len(questions) % 2 == 0


@pytest.mark.parametrize("times", ["0", "x", "1.5", ""])
def test_a_number_of_repetitions_that_is_none(bench: Any, times: str) -> None:
    result = bench.run(f"--mmte-judge-repeats={times}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--mmte-judge-repeats: * is no whole number >= 1*"])


# -- two answers ---------------------------------------------------------------------------------
def test_a_judge_that_goes_by_place_contradicts_itself(bench: Any, workers: list[str]) -> None:
    (bench.path / "conftest.py").write_text(DATASET)
    bench.task(rule=COMPARE, datasets="[answers-of-people]")
    assert bench.run("--judge=judge=scripted:VERDICT: A", *workers).ret == 0
    found = estimates(bench)
    assert (found["judge_contradiction"]["value"], found["pred_mean"]["value"]) == (1.0, 0.5)
    assert found["judge_contradiction"]["direction"] == "down"
    assert bench.run("--judge=judge=scripted:VERDICT: TIE", *workers).ret == 0
    found = estimates(bench)
    assert (found["judge_contradiction"]["value"], found["pred_mean"]["value"]) == (0.0, 0.5)
    assert bench.run("--judge=judge=scripted:I like A", *workers).ret == 1
    (row,) = bench.results().values()
    assert row["counts"]["unparsed"] == row["counts"]["expected"] == 12
    valid(bench)


def test_samples_without_a_reference_answer_fail_their_item_in_one_line(bench: Any, workers: list[str]) -> None:
    bench.task(rule=COMPARE.replace("{metrics_cfg", "{reference: gold, metrics_cfg"))
    result = bench.run("--judge=judge=scripted:VERDICT: A", *workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*evaluator 'chatmodel_compare': the 'gold' in its extra of the sample '*' is None*"])
    assert "Traceback" not in result.stdout.str()


DATASET = """
from mmte.datasets.base import BaseDataset
from mmte.registry import registry
from mmte.types import TxtSample

@registry.register_dataset()
class Answers(BaseDataset):
    dataset_ids = ("answers-of-people",)
    def __init__(self, dataset_id, **kwargs):
        super().__init__(dataset_id, **kwargs)
        self.dataset = [TxtSample(f"What is {n}?", target=f"It is {n}.") for n in range(12)]
    def __getitem__(self, index):
        return self.dataset[index]
    def __len__(self):
        return len(self.dataset)
"""


# -- cards ---------------------------------------------------------------------------------------
LABELS = [{"text": "Yes", "label": 1}] * 9 + [{"text": "No", "label": 1}] + [{"text": "No", "label": 0}] * 10
YES_NO = "{rule_yes_or_no_eval: {metrics_cfg: {pred_mean: {}}}}"


def make_card(bench: Any, *args: str, name: str = "rule_yes_or_no_eval") -> None:
    import argparse

    from mmte.evaluators.commands import add_parser

    (bench.path / "labels.json").write_text(json.dumps(LABELS))
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    given = ["evaluators", "check", name, "--data", str(bench.path / "labels.json"), "--save", "--title", "yes/no"]
    assert run_command(parser.parse_args([*given, *args])) == 0


def test_a_card_shows_beside_the_scores_of_its_evaluator_only(bench: Any, workers: list[str]) -> None:
    make_card(bench)
    bench.task("t1", rule=YES_NO)
    bench.task("t2", rule="{rule_contain_eval: {metrics_cfg: {failure: {}}}}")
    result = bench.run(*workers, model="x=scripted:Yes|No")
    rows = {row["task"]: row for row in bench.results().values()}
    (card,) = rows["t1"]["cards"]
    assert (card["name"], card["n"], card["sensitivity"][0], card["specificity"][0]) == ("yes/no", 20, 0.9, 1.0)
    assert not rows["t2"].get("cards")
    result.stdout.fnmatch_lines(["*t1*yes/no: sens 0.90, spec 1.00, n 20*"])
    assert result.stdout.str().count("sens 0.90") == 1
    valid(bench)


def test_a_stale_card_does_not_show(bench: Any, no_cards: Path) -> None:
    make_card(bench)
    (file,) = no_cards.glob("*.json")
    card = json.loads(file.read_text())
    file.write_text(json.dumps({**card, "identity": "0" * 16}))
    bench.task("t1", rule=YES_NO)
    result = bench.run(model="x=scripted:Yes|No")
    (row,) = bench.results().values()
    assert row["cards"] == []
    assert "sens" not in result.stdout.str()
    _code.cache_clear()
