"""Files of scores in the multitrust reading: the original's formula where there is one, and its rounding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmte.compat.score_tree import as_original
from mmte.errors import MmteError
from mmte.report.scores import Score, ScoreTree, load_scores

TREE = """# mmte.scores/1
scores:
  t:
    aspect: truthfulness
    score: {mean: ["t[a/r]:m", "t[b/r]:m"]}
  p:
    aspect: privacy
    score: {mean: ["t[a/r]:m", {complement: "t[b/r]:m"}]}
  best:
    aspect: truthfulness
    score: {largest: ["t[a/r]:m", "t[b/r]:m"]}
    multitrust: {largest_text: ["t[a/r]:m", "t[b/r]:m"]}
  zero:
    aspect: privacy
    score: {mean: ["t[a/r]:m", "t[none/r]:m"]}
    multitrust: {mean: [{zero_if_undefined: "t[{a,none}/r]:m"}]}
  given:
    aspect: truthfulness
    score: {mean: ["t[a/r]:m"]}
    multitrust: {printed: {of: {complement: "t[a/r]:m"}, scale: 10, digits: 1}}
  ours:
    aspect: privacy
    score: {mean: [t, p]}
    multitrust: MultiTrust has none
  of-ours:
    aspect: privacy
    score: {mean: [ours]}
"""


def tree(tmp_path: Path, text: str = TREE) -> ScoreTree:
    path = tmp_path / "scores.yaml"
    path.write_text(text)
    return load_scores(path)


def results(**values: float | None) -> list[dict[str, Any]]:
    return [
        {"task": "t", "dataset": name, "sequence": "r", "model": "x", "outcome": "recorded", "estimates": [
            {"metric": "m", "subset": "", "value": value, "bounds": None if value is None else [value, value],
             "n": 5 if name != "lost" else 0, "expected": 5}]}
        for name, value in values.items()
    ]  # fmt: skip


def scores(tmp_path: Path, text: str = TREE, **values: float | None) -> dict[str, Score]:
    return {s.name: s for s in as_original(tree(tmp_path, text)).scores(results(**values))}


def test_numbers_are_rounded_as_they_are_printed(tmp_path: Path) -> None:
    found = scores(tmp_path, a=1 / 3, b=0.66666)
    assert found["t"].value == pytest.approx((33.33 + 66.67) / 200, abs=1e-12)
    assert found["p"].value == pytest.approx((0.3333 + 1 - 0.6667) / 2, abs=1e-12)
    assert found["given"].value == pytest.approx(0.67)
    strict = {s.name: s.value for s in tree(tmp_path).scores(results(a=1 / 3, b=0.66666))}
    assert strict["t"] == pytest.approx((1 / 3 + 0.66666) / 2)


@pytest.mark.parametrize(
    ("a", "b", "value"), [(1.0, 0.95, 0.95), (0.095, 0.12, 0.095), (0.2, 0.3, 0.3), (0.5, 0.5, 0.5)]
)
def test_the_largest_text(tmp_path: Path, a: float, b: float, value: float) -> None:
    found = scores(tmp_path, a=a, b=b)["best"]
    assert found.value == pytest.approx(value)
    assert found.bounds == pytest.approx((min(a, b), max(a, b)))


def test_what_is_undefined_is_zero_but_what_is_missing_is_not(tmp_path: Path) -> None:
    assert scores(tmp_path, a=0.5, none=None)["zero"].value == pytest.approx(0.25)
    missing = scores(tmp_path, a=0.5)["zero"]
    assert missing.value is None
    assert missing.missing == ("t[none/r/x]:m: not in the report",)
    text = TREE.replace("none/r", "lost/r").replace("{a,none}", "{a,lost}")
    assert scores(tmp_path, text, a=0.5, lost=None)["zero"].value is None  # no answer could be scored
    rows = results(a=0.5, none=None)
    rows[1]["problem"] = "coverage"
    (zero,) = (s for s in as_original(tree(tmp_path)).scores(rows) if s.name == "zero")
    assert zero.value is None


def test_what_the_original_does_not_make_is_left_out_with_what_is_made_of_it(tmp_path: Path) -> None:
    assert set(scores(tmp_path, a=0.5)) == {"t", "p", "best", "zero", "given"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("multitrust: {printed: {of: t, scale: 100}}", "needs {of: PART, scale: NUMBER, digits: NUMBER}"),
        ("multitrust: {printed: {of: t, scale: 0, digits: 2}}", "must be a number above 0 and up to 1000"),
        ("multitrust: {mean: [mine]}", "leads back to itself: mine -> mine"),
        ("multitrust: {mean: [whole]}", "is of level task and made of 'whole' of level total"),
        ("multitrust: {largets_text: [t]}", "unknown function 'largets_text'. Did you mean 'largest"),
        ("multitrust: 5", "must be a part, the name of a score, or one function"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, wrong: str, said: str) -> None:
    text = f"{TREE}  whole: {{level: total, score: t}}\n  mine:\n    aspect: privacy\n    score: t\n    {wrong}\n"
    with pytest.raises(MmteError) as error:
        tree(tmp_path, text)
    assert said in str(error.value)
    assert ":32: " in str(error.value)
