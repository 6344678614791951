"""`mmte show SCORE`: the tree of a score, why parts have no value, and what a score may be called."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from mmte.cli import main
from mmte.report.score_table import score_details
from mmte.report.scores import Combined, load_scores

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
A, B, C = "a[d/rule/x]:m", "b[d/rule/x]:m", "c[d/rule/x]:m"
PARTS = {A: 0.25, B: None, C: 0.5}


def score(name: str, level: str, parts: str, *, model: str = "x", **more: Any) -> dict[str, Any]:
    """A score of these parts, by their letters."""
    found = {part.replace("/x]", f"/{model}]"): value for part, value in PARTS.items() if part[0] in parts}
    missing = [f"{part}: has no value" for part, value in found.items() if value is None]
    return {
        "name": name, "title": name, "aspect": "privacy", "level": level, "model": model, "low": None, "high": None,
        "value": None if missing else 0.375, "bounds": None, "n": 3, "expected": 3, "parts": found, "missing": missing,
        "notes": [], **more,
    }  # fmt: skip


SCORES = [
    score("t1", "task", "ab", title="Both"), score("t1-rule", "task", "a"), score("t3", "task", "c"),
    score("sub", "sub-aspect", "ab"), score("total", "total", "abc", aspect=""),
]  # fmt: skip
ROWS: list[dict[str, Any]] = [
    {"case": "b[d/rule/x]", "outcome": "recorded", "counts": {"expected": 3, "scored": 0, "unparsed": 2, "empty": 1}},
    {"case": "a[d/rule/x]", "outcome": "recorded"},
]


def lines(name: str, scores: Sequence[dict[str, Any]] = SCORES, rows: Sequence[dict[str, Any]] = ROWS) -> list[str]:
    """Each line below the head, with its blanks cut short."""
    (top,) = [s for s in scores if s["name"] == name]
    told = list(score_details(top, scores, rows))[1:]
    return [line[: len(line) - len(line.lstrip())] + " ".join(line.split()) for line in told]


def written(folder: Path, scores: Sequence[dict[str, Any]] = SCORES) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "report.json").write_text(json.dumps({"results": ROWS, "scores": list(scores)}))
    return folder


def shown(capsys: pytest.CaptureFixture[str], folder: Path, *args: str) -> tuple[int, str, str]:
    status = main(["show", f"--run={folder}", *args])
    told = capsys.readouterr()
    return status, told.out, told.err


# -- the tree ------------------------------------------------------------------------------------
def test_a_score_is_a_tree_of_scores_and_parts() -> None:
    assert lines("total") == [
        "total[x] empty: missing 1 of 3 parts: b[d/rule]",
        "  sub[x] empty: missing 1 of 2 parts",
        "    t1[x] Both empty: missing 1 of 2 parts",
        "      a[d/rule/x]:m = 0.250",
        "      b[d/rule/x]:m: has no value: 2 unparsed, 1 empty",
        "  t3[x] 0.375 - 3 -",
        "    c[d/rule/x]:m = 0.500",
    ]


def test_a_score_of_a_task_has_its_parts_only_and_parts_of_no_score_come_last() -> None:
    assert lines("t1")[1:] == ["  a[d/rule/x]:m = 0.250", "  b[d/rule/x]:m: has no value: 2 unparsed, 1 empty"]
    rest = [score("t1", "task", "b"), score("total", "total", "abc"), score("t1", "task", "a", model="y")]
    assert [line.split("]")[0] for line in lines("total", rest)[1:]] == ["  t1[x", "    b[d/rule/x", "  a[d/rule/x",
                                                                         "  c[d/rule/x"]  # fmt: skip


def test_the_tree_is_that_of_the_file_of_scores() -> None:
    tree = load_scores(BENCHMARKS / "scores.yaml")
    row = {"task": "t", "dataset": "d", "sequence": "s", "model": "x", "estimates": [], "outcome": "recorded"}
    scores = [asdict(found) for found in tree.scores([row])]
    above = [s for s in scores if s["level"] != "task"]
    assert len(above) == 16
    for top in above:
        found = [line for line in score_details(top, scores) if line.startswith("  ") and line[2] != " "]
        assert [line.partition("[x]")[0].strip() for line in found] == list(named(tree.nodes[top["name"]].score))


def named(combined: Combined) -> Iterator[str]:
    """The scores that a formula names."""
    for item in combined.of:
        if isinstance(item, Combined):
            yield from named(item)
        else:
            assert isinstance(item, str)
            yield item


# -- why a part has no value ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"problem": "coverage is under 0.98", "reason": "other"}, ": coverage is under 0.98"),
        ({"reason": "the model died"}, ": the model died"),
        ({"counts": {"scored": 2, "judge": 1}}, ": too few scored answers, or all the same; 1 judge"),
        ({"counts": {"scored": 3}}, ": too few scored answers, or all the same"),
        ({}, ""),
    ],
)
def test_a_part_without_a_value_tells_what_its_result_says(row: dict[str, Any], why: str) -> None:
    rows = [{"case": "b[d/rule/x]", "outcome": "recorded", **row}]
    assert lines("t1", rows=rows)[2] == f"  b[d/rule/x]:m: has no value{why}"


def test_what_a_score_says_of_a_part_is_told_as_it_is() -> None:
    told = score("t1", "task", "ab", missing=[f"{B}: skipped: needs the judge 'judge'"])
    assert lines("t1", [told])[2] == "  b[d/rule/x]:m: skipped: needs the judge 'judge'"


def test_nothing_raw_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\u202e\n::error::boom"
    odd = score("t1", hostile, "ab", aspect=hostile, title=hostile, notes=[hostile])
    top = score("total", "total", "abc", missing=[f"{B}: {hostile}"])
    for name in ("t1", "total"):
        status, out, _ = shown(capsys, written(tmp_path, [odd, top]), name)
        assert status == 0
        assert not set(out) & set("\x1b\u202e")
        assert "::error" not in out


# -- names ---------------------------------------------------------------------------------------
def test_a_score_may_be_called_as_the_table_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = [score("t3", "task", "c"), score("t3", "task", "c", model="y")]
    folder = written(tmp_path, both)
    of_all, of_one = shown(capsys, folder, "t3")[1], shown(capsys, folder, "t3[y]")
    assert of_one[0] == 0
    assert of_all.endswith(of_one[1])
    assert (of_all.count("= 0.500"), of_one[1].count("= 0.500")) == (2, 1)
    assert "c[d/rule/y]:m = 0.500" in of_one[1]
    assert json.loads(shown(capsys, folder, "t3[y]", "--json")[1]) == both[1]


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("t33", "'t3'"),
        ("tota", "'total'"),
        ("t3[z]", "'t3[x]'"),
        ("total[z]", "'total[x]'"),
        ("b[d/rule]", "'b[d/rule/x]'"),
    ],
)
def test_a_name_that_is_none_gets_near_names_of_scores_and_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, hint: str
) -> None:
    status, out, err = shown(capsys, written(tmp_path), given)
    assert (status, out) == (4, "")
    assert err.startswith(f"mmte: the run has no case or score '{given}'. Did you mean ")
    assert hint in err
    assert err.count("\n") == 1


def test_a_run_without_scores_suggests_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, written(tmp_path, []), "a[d/rule]")[2].startswith(
        "mmte: the run has no case 'a[d/rule]'. Did you mean 'a[d/rule/x]'"
    )
