"""The published numbers: complete, in agreement with each other, and never beside a run of another kind."""

from __future__ import annotations

from typing import Any

import pytest

from mmte.compat.literals import Literals, load_literals
from mmte.compat.published import as_published, differences, load_published
from mmte.errors import MmteError
from mmte.report.compare import published_lines


def report(**settings: Any) -> dict[str, Any]:
    whole = {"data": "given", "limit": None, "scoring": "multitrust", **settings}
    section = {"model": "m", "rules": "lists", "total": 61.5, "sub_aspects": dict.fromkeys(COLUMNS, 50.0),
               "stops": {}, "notes": ["t1: one data set is missing"]}  # fmt: skip
    return {"settings": whole, "multitrust": [section]}


COLUMNS = ("T-I", "T-M", "S-T", "S-J", "R-O", "R-A", "F-S", "F-B", "P-A", "P-L")
LOGS = {"from": "MMTrustEval", "judge": "gpt-4-1106-preview"}
OLD = {"version": "before 2025-03-24", "sha256": "0" * 64, "as_published": True}


def test_all_numbers_are_there() -> None:
    found = load_published()
    assert len(found.models) == 44
    ranked = [model for model in found.models.values() if model.ranks]
    assert len(ranked) == len({model.paper for model in ranked}) == 21
    assert found.columns == (*COLUMNS, "overall")
    assert found.history == ("2024-07-07", "2024-11-05", "2025-02-11", "2025-02-28")
    for model in ranked:
        assert model.ranks is not None
        assert set(model.ranks) == {*COLUMNS, "overall"}


@pytest.mark.parametrize("column", [*COLUMNS, "overall"])
def test_ranks_are_places(column: str) -> None:
    ranks = sorted(model.ranks[column] for model in load_published().models.values() if model.ranks)
    assert ranks == list(range(1, 22))


def test_the_overall_order_is_that_of_the_totals() -> None:
    ranked = [model for model in load_published().models.values() if model.ranks]
    totals = [model.total for model in sorted(ranked, key=lambda m: (m.ranks or {})["overall"])]
    assert totals == sorted(totals, reverse=True)
    assert (totals[0], totals[-1]) == (78.28, 39.91)


def test_a_model_goes_by_both_names() -> None:
    found = load_published()
    assert found.of("Claude3") is found.of("CLAUDE-3-sonnet-20240229")
    assert found.of("gpt-4o").ranks is None
    with pytest.raises(MmteError, match=r"--published gpt-4oo: .*Did you mean 'gpt-4o'"):
        found.of("gpt-4oo")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, ["prompts are mmte's own", "data are of --mmte-data", "the judge is not"]),
        ({"data": "mini"}, ["prompts are", "data are mini data", "the judge is not"]),
        ({"scoring": "strict", "limit": 5}, ["prompts", "data", "--mmte-limit=5", "the judge", "scoring is strict"]),
        ({"imported": {**LOGS, "lists": OLD}}, []),
        ({"imported": {**LOGS, "judge": "", "lists": OLD}}, ["the judge is not known"]),
        ({"imported": {**LOGS, "judge": "gpt-4o", "lists": OLD}}, ["the judge was gpt-4o"]),
        ({"imported": {**LOGS, "lists": None}}, ["the phrase lists are not known"]),
        (
            {"imported": {**LOGS, "lists": {**OLD, "version": "now", "as_published": False}}},
            ["the phrase lists are those of 'now'"],
        ),
    ],
)
def test_what_differs(settings: dict[str, Any], told: list[str]) -> None:
    found = differences(report(**settings))
    assert len(found) == len(told)
    assert all(line.startswith(start) for line, start in zip(found, told, strict=True))
    lines = list(published_lines(report(**settings), "gpt-4o"))
    if told:
        assert lines == ["not comparable: " + "; ".join(found)]
    else:
        assert lines[1].split() == ["total", "76.61", "-", "61.50"]
        assert "m: t1: one data set is missing" in lines


def test_ranks_stand_beside_a_model_of_the_paper() -> None:
    lines = list(published_lines(report(imported={**LOGS, "lists": OLD}), "CogVLM"))
    assert lines[1].split() == ["total", "50.52", "15", "61.50"]
    assert [line.split()[1] for line in lines[2:12]] == ["12", "16", "12", "14", "10", "3", "18", "19", "19", "18"]


def test_lists_of_the_published_numbers(shared: Any) -> None:
    file = f"{shared}/data/mmtrusteval/literals.json"
    assert as_published(load_literals(f"{file}#before 2025-03-24"))
    assert not as_published(load_literals(file))


def test_other_lists_are_not_those_of_the_published_numbers() -> None:
    assert not as_published(Literals("v", ("i decline",), {"a": "1"}, ("1",), ("aye",), ("1",), {"t": {"yes": "1"}}))
