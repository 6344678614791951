"""Notes of judges and scorers from the steps of trials."""

from __future__ import annotations

from typing import Any

from mmte.engine.remarks import Remarks


def notes(*steps: dict[str, Any] | None) -> list[str]:
    found = Remarks()
    for one in steps:
        found.add(one)
    return found.notes


def panel(**without: Any) -> dict[str, Any]:
    return {"ballots": {"agreement": [1.0, None]}, "panel": {k.replace("_", " "): v for k, v in without.items()}}


def test_nothing_to_tell() -> None:
    assert notes(None, {}, {"ballots": {"agreement": [1.0, 1.0]}}, {"a:scores": {"toxic": 0.5}}) == []


def test_failures_and_verdicts_that_nobody_can_read_are_counted_by_sample() -> None:
    steps = [panel(failed=["b"]), panel(no_verdict=["b"]), panel(failed=["b"], no_verdict=["b"]), panel(), None]
    assert notes(*steps) == ["panel: b gave no verdict on 3 of 4 (2 failed)"]


def test_the_worst_come_first_and_there_is_an_end_to_it() -> None:
    names = [f"judge#{n}" for n in range(1, 8)]
    found = notes(panel(failed=names), panel(failed=["judge#5"]))
    assert found[0] == "panel: judge#5 gave no verdict on 2 of 2 (2 failed)"
    assert found[-1] == "panel: 3 more gave no verdict on some"
    assert len(found) == 5


def test_ties_by_the_number_of_seats() -> None:
    assert notes(panel(tie_of=[2]), panel(tie_of=[2, 4])) == [
        "panel of 2: 2 ties are unparsed", "panel of 4: 1 tie is unparsed",
    ]  # fmt: skip


def test_versions_are_distinct_short_and_few() -> None:
    def scores(name: str, **told: str) -> dict[str, Any]:
        return {f"{name}:scores": {"toxic": 0.5, **told}}

    assert notes(scores("a", service="api 1", languages="en")) == ["scorer: api 1"]
    assert notes(*[scores("judge#1: a", model=f"m-{n % 3}") for n in range(9)]) == ["scorer: m-0, m-1, m-2"]
    assert notes(*[scores("a", model=f"m-{n}") for n in range(9)]) == ["scorer: m-0, m-1, m-2, ..."]
    (note,) = notes(scores("a", model="x\n\x1b[31m" * 100), scores("a", model=" "))
    assert len(note) < 80
    assert note.isprintable()
