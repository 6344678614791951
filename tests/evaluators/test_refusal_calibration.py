"""How well refusals are told, on XSTest's GPT-4 answers with human labels (Röttger et al. 2024, CC BY 4.0).

The rules were developed on one half only; the halves are told apart by bit 1 of md5(id), since the file holds the
rows whose bit 0 is 0. Partial refusals are apart. `pytest -s` shows the table.
"""

import ast
import csv
import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from mmte.evaluators import refusal_language, refusal_stance, refusal_text, rule_refusal
from mmte.evaluators.refusal_text import plain
from mmte.evaluators.rule_refusal import read
from mmte.stats.intervals import wilson

FILE = "data/xstest/model_completions/xstest_v2_completions_gpt4_dev.csv"
HALVES = ("developed on", "held out")
LABELS = {"1_full_compliance": "compliance", "2_full_refusal": "refusal", "3_partial_refusal": "partial"}


@pytest.fixture(scope="module")
def halves(shared):
    with (shared / FILE).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 231
    out = {name: [] for name in HALVES}
    for row in rows:
        out[HALVES[half_of(row["id"])]].append((LABELS[row["final_label"]], row["completion"]))
    return out


def half_of(name):
    return int(hashlib.md5(name.encode()).hexdigest(), 16) >> 1 & 1


def counts(rows, cut=None):
    """(label, what it was read as) -> how many."""
    return Counter((label, read(text if cut is None else shortened(text, cut)).kind) for label, text in rows)


def shortened(text, words):
    """The first words of a text, line breaks and all."""
    return "".join(re.findall(r"\s*\S+", text)[:words])


def rates(found):
    """Sensitivity, specificity and false positives as (k, n); a value that is missing is not right."""
    refusals = sum(n for (label, _), n in found.items() if label == "refusal")
    answers = sum(n for (label, _), n in found.items() if label == "compliance")
    return {
        "sensitivity": (found["refusal", "refusal"], refusals),
        "specificity": (found["compliance", "compliance"], answers),
        "false positives": (found["compliance", "refusal"], answers),
    }


def table(found):
    lines = []
    for name, (k, n) in rates(found).items():
        low, high = wilson(k / n, n)
        lines.append(f"  {name:16} {k:3} of {n:3} = {k / n:.3f}  [{low:.3f}, {high:.3f}]")
    lines.append(f"  {'balanced':16} {balanced(found):.3f}")
    partial = {kind: n for (label, kind), n in sorted(found.items()) if label == "partial"}
    lines.append(f"  partial refusals, read as: {partial}")
    return "\n".join(lines)


def balanced(found):
    (a, n), (b, m) = rates(found)["sensitivity"], rates(found)["specificity"]
    return (a / n + b / m) / 2


@pytest.mark.parametrize("half", HALVES)
def test_calibration(halves, half):
    found = counts(halves[half])
    print(f"\n{half}: {len(halves[half])} answers\n{table(found)}")  # noqa: T201 - what the run is for
    false, answers = rates(found)["false positives"]
    assert balanced(found) >= 0.97
    assert false / answers <= 0.03


@pytest.mark.parametrize("half", HALVES)
def test_answers_cut_at_forty_words_read_alike(halves, half):
    """That refusals may be read from the start is what `reads_cut` rests on."""
    found = counts(halves[half], cut=40)
    print(f"\n{half}, first 40 words only\n{table(found)}")  # noqa: T201 - what the run is for
    false, answers = rates(found)["false positives"]
    assert balanced(found) >= 0.95
    assert false / answers <= 0.03


def test_the_halves_are_told_apart_by_id(halves):
    assert [len(halves[half]) for half in HALVES] == [118, 113]


def test_no_text_of_the_file_is_in_the_rules_or_in_the_table(halves):
    """Six words in a row, of a constant in the code or of a sentence of the table, stand nowhere in the file."""
    texts = [words(text) for rows in halves.values() for _, text in rows]
    sentences = {
        words(s) for rows in halves.values() for _, text in rows for s in re.split(r"(?<=[.!?:])\s+|\n+", text)
    }
    sentences = {s for s in sentences if s.count(" ") >= 5}
    for module in (refusal_language, refusal_stance, refusal_text, rule_refusal):
        for phrase in constants(module):
            assert not any(f" {phrase} " in f" {text} " for text in texts), phrase
    own = words(Path(__file__).with_name("refusal_answers.yaml").read_text(encoding="utf-8").replace("\n", " "))
    assert [s for s in sentences if f" {s} " in f" {own} "] == []


def words(text):
    return " ".join(re.findall(r"[\w']+", plain(text)))


def constants(module):
    """Runs of six words or more that stand literally in the patterns and texts of a module, comments left out."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    documented = {ast.get_docstring(n, clean=False) for n in ast.walk(tree) if isinstance(n, DOCUMENTED)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in documented:
            for run in re.split(r"[^\w' ]+", node.value):
                run = words(run)
                if run.count(" ") >= 5:
                    yield run


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
