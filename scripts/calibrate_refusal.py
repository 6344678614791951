"""Writes docs/calibration.md: how well the refusal evaluator agrees with human labels, beside the original's list.

    python scripts/calibrate_refusal.py SHARED [FILE]

SHARED is the folder with `data/xstest` (XSTest's GPT-4 answers, Röttger et al. 2024, arXiv 2308.01263, CC BY 4.0) and
`data/mmtrusteval/literals.json` (the original's list: read, never copied); FILE is `docs/calibration.md` unless given.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mmte.compat.literals import load_literals
from mmte.compat.multitrust import RejectTemplate
from mmte.evaluators.refusal_decision import read
from mmte.stats.intervals import wilson

ROOT = Path(__file__).resolve().parent.parent
ANSWERS = "data/xstest/model_completions/xstest_v2_completions_gpt4_dev.csv"
ORIGINAL = "data/mmtrusteval/literals.json"
PROBE = ROOT / "tests" / "evaluators" / "refusal_probe.jsonl"
HALVES = ("developed on", "held out")
LABELS = {"1_full_compliance": "compliance", "2_full_refusal": "refusal", "3_partial_refusal": "partial"}
ROUNDS = {1: (174, 142, 55, 69, 6, 77), 2: (68, 59, 27, 30, 4, 34), 3: (40, 35, 13, 18, 0, 20)}
"""Of each round of the probe: texts, and when it was first read: right, refusals told and there, compliant answers
taken for refusals and there. A record of what was; it cannot be measured again."""

Labelled = Sequence[tuple[str, str]]
Counts = Counter[tuple[str, str]]
_HEAD = """# Calibration of the refusal evaluator

Made by `python scripts/calibrate_refusal.py SHARED`. `rule_reject_template_eval` reads refusals by rules, and no rule
is right for every answer; this is how often it agrees with people, and where it does not.

Sensitivity: refusals read as refusals. Specificity: compliant answers read as compliant. False positives: compliant
answers read as refusals. Partial refusals stand apart: they have no value unless `partial` says so. In brackets: 95 %
intervals (Wilson).

## XSTest: GPT-4's answers, labelled by people

231 of the 450 answers are here. The rules were developed on one half of them, told apart by bit 1 of md5(id), and the
other half was only measured. A test holds both to a balanced accuracy of at least 0.97 and to at most 0.03 false
positives. *The original's list* is the phrase list of MMTrustEval's `rule_reject_template_eval`, found as parts of the
answer.
"""
_PROBE = """
## Answers in the manner of many models

`tests/evaluators/refusal_probe.jsonl` has {n} answers that we wrote ourselves, in three rounds: refusals, partial
refusals and compliant answers in the manner of several model families, answers that speak of refusing, fiction,
letters, factual answers that begin with "No", and one-liners in other languages, which cannot be read. Each round was
written before the evaluator had read any of it. *First read* is the honest figure; after it, the general cause of a
mistake was corrected, so *now* says only that nothing fell back. The texts are harder than most answers are.

| round | texts | right when first read | refusals told | compliant, taken for refusals | right now |
|---|---|---|---|---|---|
"""


class Rates(NamedTuple):
    """Shares of refusals and of compliant answers, as (how many, of how many)."""

    sensitivity: tuple[int, int]
    specificity: tuple[int, int]
    false_positives: tuple[int, int]

    @property
    def balanced(self) -> float:
        """The mean of sensitivity and specificity."""
        (a, n), (b, m) = self.sensitivity, self.specificity
        return (a / n + b / m) / 2


def halves(shared: Path) -> dict[str, list[tuple[str, str]]]:
    """Label and answer of each row, by half."""
    out: dict[str, list[tuple[str, str]]] = {name: [] for name in HALVES}
    with (shared / ANSWERS).open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            out[HALVES[half_of(row["id"])]].append((LABELS[row["final_label"]], row["completion"]))
    return out


def half_of(name: str) -> int:
    """Bit 1 of md5(id): the file holds the rows whose bit 0 is 0."""
    return int(hashlib.md5(name.encode()).hexdigest(), 16) >> 1 & 1


def probe() -> list[dict[str, Any]]:
    """The rows of the probe."""
    return [json.loads(line) for line in PROBE.read_text("utf-8").splitlines()]


def counts(rows: Labelled, kind: Callable[[str], str] = lambda text: read(text).kind) -> Counts:
    """(label, what it was read as) -> how many."""
    return Counter((label, kind(text)) for label, text in rows)


def rates(found: Counts) -> Rates:
    """The rates; an answer without a value is not right."""
    refusals = sum(n for (label, _), n in found.items() if label == "refusal")
    answers = sum(n for (label, _), n in found.items() if label == "compliance")
    return Rates(
        (found["refusal", "refusal"], refusals), (found["compliance", "compliance"], answers),
        (found["compliance", "refusal"], answers),
    )  # fmt: skip


def original(shared: Path) -> Callable[[str], str]:
    """What the original's list makes of an answer."""
    evaluator = RejectTemplate("rule_reject_template_eval", {}, literals=load_literals(str(shared / ORIGINAL)))
    return lambda text: "refusal" if evaluator.value(text, None, None) else "compliance"


def page(shared: Path) -> str:
    """The page as text."""
    rows = halves(shared)
    theirs = original(shared)
    lines = [_HEAD, "| evaluator | half | answers | sensitivity | specificity | balanced | false positives | partial |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for half in HALVES:
        lines.append(_row("ours", half, rows[half], counts(rows[half])))
    for half in HALVES:
        lines.append(_row("the original's list", half, rows[half], counts(rows[half], theirs)))
    lines += ["", "*partial*: what the answers that people labelled as partial refusals were read as."]
    texts = probe()
    return "\n".join(lines) + "\n" + _PROBE.format(n=len(texts)) + "".join(_probe_lines(texts))


def _row(who: str, half: str, rows: Labelled, found: Counts) -> str:
    got = rates(found)
    partial = ", ".join(f"{n} {kind}" for (label, kind), n in sorted(found.items()) if label == "partial")
    shown = [_share(*got.sensitivity), _share(*got.specificity), f"{got.balanced:.3f}", _share(*got.false_positives)]
    return f"| {who} | {half} | {len(rows)} | {' | '.join(shown)} | {partial or '-'} |"


def _share(k: int, n: int) -> str:
    low, high = wilson(k / n, n)
    return f"{k}/{n} = {k / n:.3f} [{low:.3f}, {high:.3f}]"


def _probe_lines(texts: Sequence[dict[str, Any]]) -> Iterator[str]:
    for number, (n, right, told, refusals, false, answers) in ROUNDS.items():
        now = [read(row["text"]).kind == row["kind"] for row in texts if row["round"] == number]
        first = f"{right} = {right / n:.3f} | {told}/{refusals} | {false}/{answers}"
        yield f"| {number} | {n} | {first} | {sum(now)} = {sum(now) / len(now):.3f} |\n"


def main(shared: Path, target: Path) -> None:
    """Write the page."""
    target.write_text(page(shared), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs" / "calibration.md")
