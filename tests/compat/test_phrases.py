"""Phrases that stand for labels: from a dataset's code, which is parsed and not run, and from JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmte.compat.literals import load_literals
from mmte.compat.multitrust import ORIGINALS
from mmte.errors import MmteError, Unavailable

RULES = """
class RejectTemplateEvaluator:
    REJECT_TEMPLATES = ["no"]
class MatchAndScoreEvaluator:
    kv_mapping = {"wholly": "100"}
    values = ["100"]
class YesOrNoEvaluator:
    yes_template = ["aye"]
class ScoreEvaluator:
    values = ["0"]
class ContainAdvEvaluator:
    answer_mapping = {"t": {"yes": "1"}}
"""
DATASET = """
raise SystemExit("this must not run")

def words(label):
    if label == 'stereotype':
        found = ["1", "one of"]
    elif label == 'unrelated':
        found = ["3"]
    if label == 'made':
        found = list("ab")
    if 1 == label:
        found = ["no label"]
    if label > 'x':
        found = ["no equality"]
    return found
"""


def checkout(tmp_path: Path, dataset: str | None = DATASET) -> Path:
    """Files in the places of MMTrustEval's."""
    for name, text in (("evaluators/rule_eval.py", RULES), ("datasets/stereo_classification.py", dataset)):
        file = tmp_path / "theirs/mmte" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            file.write_text(text)
    return tmp_path / "theirs"


def test_phrases_of_a_checkout(tmp_path: Path) -> None:
    found = load_literals(str(checkout(tmp_path)))
    assert found.phrases == {"stereo-classification": {"stereotype": ("1", "one of"), "unrelated": ("3",)}}
    bare = load_literals(str(checkout(tmp_path / "bare", None)))
    assert bare.phrases == {}
    assert bare.sha256 != found.sha256


def test_phrases_of_a_file(tmp_path: Path) -> None:
    lists: dict[str, Any] = {
        "RejectTemplateEvaluator": {"REJECT_TEMPLATES": ["no"]},
        "MatchAndScoreEvaluator": {"kv_mapping": {"wholly": "100"}, "values": ["100"]},
        "YesOrNoEvaluator": {"yes_template": ["aye"]}, "ScoreEvaluator": {"values": ["0"]},
        "ContainAdvEvaluator": {"answer_mapping": {"t": {"yes": "1"}}},
    }  # fmt: skip
    file = tmp_path / "lists.json"
    of = {"stereo-classification": {"stereotype": ["1", "one of"], "unrelated": ["3"]}}
    file.write_text(json.dumps({"v": {**lists, "phrases": of}}))
    found = load_literals(str(file))
    assert found.sha256 == load_literals(str(checkout(tmp_path))).sha256  # the same, wherever they were read
    for wrong in ([], {"d": []}, {"d": {"a": "text"}}, {"d": {"a": []}}, {"d": {"a": [1]}}):
        file.write_text(json.dumps({"v": {**lists, "phrases": wrong}}))
        with pytest.raises(MmteError, match="'phrases'"):
            load_literals(str(file))


def test_the_rule_looks_for_the_phrases_of_the_label(tmp_path: Path) -> None:
    lists = load_literals(str(checkout(tmp_path)))
    make = ORIGINALS["rule_contain_eval"]
    rule = make("rule_contain_eval", literals=lists, phrases="stereo-classification")
    answers = ["It is one of them", "stereotype", "3"]
    assert rule.process(answers, ["stereotype", "stereotype", "unrelated"])[0] == [1.0, 0.0, 1.0]
    with pytest.raises(MmteError, match="cannot read the label 'other'"):
        rule.process(["x"], ["other"])
    bare = load_literals(str(checkout(tmp_path / "bare", None)))
    with pytest.raises(Unavailable, match="give a checkout of MMTrustEval, --mmte-multitrust=DIR"):
        make("rule_contain_eval", literals=bare, phrases="stereo-classification")
