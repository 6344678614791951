"""Cards of a row as text: what is told, that a strange one breaks nothing, and that nothing raw is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.cli import main
from mmte.report.cards import card_lines, card_mark

CARD: dict[str, Any] = {
    "name": "refusal", "evaluator": "rule_reject_template_eval", "identity": "0123456789abcdef", "n": 441,
    "date": "2026-01-01T00:00:00+00:00", "sensitivity": [0.97, 0.94, 0.99], "specificity": [1.0, 0.98, 1.0],
    "balanced_accuracy": [0.985, 0.97, 0.99], "unparsed": [0.01, None, None], "data": "72211ce8" * 8,
    "file": "labels.csv", "mmte": "0.1.0",
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def told(**changes: Any) -> list[str]:
    return list(card_lines({"cards": [{k: v for k, v in (CARD | changes).items() if v is not ...}]}))


def test_a_card_is_told_in_three_lines() -> None:
    assert told() == [
        "  card refusal: rule_reject_template_eval against human labels",
        "    sensitivity 0.970 [0.940, 0.990], specificity 1.000 [0.980, 1.000], unparsed 0.010",
        "    labels.csv, 441 answers, sha256 72211ce872211ce8; made 2026-01-01 by mmte 0.1.0",
    ]
    assert card_mark({"cards": [CARD, CARD | {"name": "b"}]}) == (
        "card refusal: sens 0.97, spec 1.00, n 441; card b: sens 0.97, spec 1.00, n 441"
    )


def test_a_card_of_a_report_without_file_and_version() -> None:
    assert told(file=..., mmte=...)[2] == "    441 answers, sha256 72211ce872211ce8; made 2026-01-01"


def test_a_threshold_and_an_undefined_share_are_told() -> None:
    first, second, _ = told(threshold=0.5, specificity=[None, None, None])
    assert first.endswith("against human labels, where 0.5 or more means yes")
    assert "specificity -, " in second


@pytest.mark.parametrize("row", [{}, {"cards": []}, {"cards": None}, {"cards": "none"}, {"cards": {"a": 1}}])
def test_a_row_without_cards(row: dict[str, Any]) -> None:
    assert list(card_lines(row)) == []
    assert card_mark(row) == ""


@given(st.sampled_from([*CARD, "threshold"]), JSON | st.just(...))
def test_a_strange_card_leaves_the_others(key: str, value: Any) -> None:
    strange = {k: v for k, v in (CARD | {key: value}).items() if v is not ...}
    row = {"cards": [strange, CARD, value]}
    assert list(card_lines(row))[-3:] == told()
    assert card_mark(row).endswith("card refusal: sens 0.97, spec 1.00, n 441")


def test_show_tells_cards_safely_and_once_per_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = "\x1b[2J\u202e\n::error::boom"
    rows = [
        {"case": "a", "outcome": "recorded", "node": "a", "samples_file": "", "cards": [CARD]},
        {"case": "b", "outcome": "recorded", "node": "b",
         "cards": [CARD | dict.fromkeys(("name", "evaluator", "data", "date", "file", "mmte"), hostile)]},
        {"case": "c", "outcome": "recorded", "node": "c"},
    ]  # fmt: skip
    (tmp_path / "report.json").write_text(json.dumps({"results": rows}))

    def out(*args: str) -> list[str]:
        assert main(["show", "--run=.", *args]) == 0
        return capsys.readouterr().out.splitlines()

    assert out("a") == ["a: recorded, no samples", *told()]
    assert out("c") == ["c: recorded, no samples"]
    assert out("a", "--json") == []
    assert [line.count("card ") for line in out()] == [1, 1, 0]
    text = "\n".join(out("b") + out())
    assert not set(text) & set("\x1b\u202e")
    assert "::error" not in text
