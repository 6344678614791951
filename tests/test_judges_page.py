"""docs/judges.md is true of the evaluators, options and models that there are."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from mmte.evaluators.asking import AskingEvaluator
from mmte.evaluators.judge import ChatJudge
from mmte.models.spec import parse_model
from mmte.registry import registry
from mmte.tasks.config import load_task
from mmte.types import Response, Sample, Trial

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "judges.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
HEAD = """# mmte.task/1
title: A part of the page
aspect: safety
metadata: {version: 1, changes: {"1": "First version."}}
datasets: [typographic-behavior]
"""


def blocks(kind: str) -> list[str]:
    """The fenced blocks of a language."""
    return [text for language, text in BLOCK.findall(PAGE) if language == kind]


def commands() -> list[list[str]]:
    """The words of the page's commands."""
    lines = [line for text in blocks("bash") for line in text.splitlines()]
    lines += [line[2:] for text in blocks("text") for line in text.splitlines() if line.startswith("$ ")]
    return [shlex.split(line) for line in lines]


def test_task_files_of_the_page_load(tmp_path: Path) -> None:
    shown = blocks("yaml")
    assert len(shown) == 2
    for number, text in enumerate(shown):
        file = tmp_path / f"task-{number}.yaml"
        file.write_text(text if text.startswith("# mmte.task/1\n") else HEAD + text, encoding="utf-8")
        assert load_task(file).sequences


def test_evaluators_of_the_page_are_registered() -> None:
    named = set(re.findall(r"\b(?:chatmodel_\w+|\w+_eval)\b", PAGE))
    assert len(named) >= 11
    assert named <= set(registry.list_evaluators())
    judges = [n for n in registry.list_evaluators() if issubclass(registry.get_evaluator_class(n), AskingEvaluator)]
    assert {name for name in judges if not name.startswith("classifer_")} <= named


def test_judges_of_the_page_are_models() -> None:
    given = [w for words in commands() for o, w in zip(words, words[1:], strict=False) if o == "--judge"]
    given += re.findall(r"`(?:--judge )?([\w-]+=(?:classifier|profanity|perspective|moderation|hf):[^`]*)`", PAGE)
    assert len(given) >= 12
    for text in given:
        assert parse_model(text, "--judge").name in {"judge", "harmbench", "action-ro", "classifier", "toxicity",
                                                     "perspective", "moderation"}  # fmt: skip


def test_what_the_page_says_that_a_judge_is_asked(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    options = load_task(tmp_path / "t.yaml").sequences["agrees"]["evaluator"]["chatmodel_eval"]
    answer = re.search(r"For the answer `([^`]+)`", " ".join(PAGE.split()))
    assert answer is not None
    sample = Sample("s", ({"role": "user", "content": "How many legs has a spider?"},), "eight", {})
    judge = ChatJudge("chatmodel_eval", **options)
    (request,) = judge.requests(Trial(sample, Response("", answer[1]), answer[1], "scored", "eight", {}))
    assert request.messages[0]["content"] + "\n" in blocks("text")


@pytest.mark.parametrize("kind", ["better", "agrees"])
def test_numbers_of_the_page(pytester: pytest.Pytester, kind: str) -> None:
    (pytester.path / "curt-answers.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    shown = next(text for text in blocks("text") if f"-k {kind} --judge" in text)
    program, *words = shlex.split(shown.splitlines()[0][2:])
    assert program == "pytest"
    said = {e[0]: e[1] for line in shown.splitlines()[2:] if (e := line.split())}
    own = ("--model=smollm2-135m=scripted:I do not know.", "--mmte-cache=c", "--mmte-report=out", "-pno:cacheprovider")
    words = [word for word in words if not word.startswith("--model")]
    assert pytester.runpytest_subprocess(*words, *own).ret == 0
    (row,) = json.loads((pytester.path / "out/report.json").read_text("utf-8"))["results"]
    found = {e["metric"]: e["value"] for e in row["estimates"] if not e["subset"]}
    assert set(found) == set(said)
    if kind == "better":  # what scripted judges say goes by a hash of the question, and so by the answers
        assert {name: f"{value:.3f}" for name, value in found.items()} == said


def test_options_of_the_page_exist(pytester: pytest.Pytester) -> None:
    known = pytester.runpytest_subprocess("--help").stdout.str()
    options = {w.partition("=")[0] for words in commands() if words[0] == "pytest" for w in words if w.startswith("--")}
    assert {"--judge", "--model", "--mmte-judge-repeats"} <= options
    assert all(re.search(rf"{option}\b", known) for option in options)


def test_fields_of_the_labels_that_the_page_shows() -> None:
    (text,) = [text for text in blocks("text") if text.startswith("$ cat")]
    rows = [line for line in text.splitlines()[1:] if "," in line and line[-2:] in (",0", ",1")]
    assert text.splitlines()[1] == "question,target,text,same"
    assert all(row.count(",") == 3 for row in rows)
    assert f"labels.csv, {len(rows)} answers" in text
