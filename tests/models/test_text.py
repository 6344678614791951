"""Reasoning is split off and never read as an answer; every text becomes a response."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.models.text import finish, one_line, split_reasoning, storable
from mmte.types import Response

PLAIN = st.text(st.characters(exclude_characters="<>", exclude_categories=("Cs",)))


def done(text: str, **kwargs: object) -> Response:
    settings: dict[str, object] = {"model_id": "m", "finish_reason": "stop", "cut": False} | kwargs
    return finish(text, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes.", ("Yes.", "", True)),
        (" kept as it is \n", (" kept as it is \n", "", True)),
        ("<think>\nhm\n</think>\n\nYes.", ("Yes.", "hm", True)),
        ("\n <think>hm</think>Yes.", ("Yes.", "hm", True)),
        ("hm, let me see</think>\nYes.", ("Yes.", "hm, let me see", True)),
        ("<think></think>Yes.", ("Yes.", "", True)),
        ("<think>a</think>\n<think>b</think>Yes.", ("Yes.", "a\nb", True)),
        ("One.\n<think>b</think>\nTwo.", ("One.\n\nTwo.", "b", True)),
        ("a</think>One\n<think>b</think>Two", ("One\nTwo", "a\nb", True)),
        ("<think>it goes on and on", ("", "it goes on and on", False)),
        ("I say\n<think>it goes on", ("", "it goes on", False)),
        ("<think>a</think>Yes\n<think>b", ("", "a\nb", False)),
        ("Write it between <think> and the end.", ("Write it between <think> and the end.", "", True)),
        ("</think>", ("", "", True)),
        ("", ("", "", True)),
    ],
)
def test_reasoning_is_split_off(text: str, expected: tuple[str, str, bool]) -> None:
    assert split_reasoning(text) == expected


@given(PLAIN, PLAIN)
def test_a_closed_block_leaves_the_answer(thought: str, answer: str) -> None:
    content, reasoning, closed = split_reasoning(f"<think>{thought}</think>{answer}")
    assert (content, reasoning, closed) == (answer.strip(), thought.strip(), True)


@given(PLAIN, PLAIN)
def test_a_block_without_opening_tag_leaves_the_answer(thought: str, answer: str) -> None:
    assert split_reasoning(f"{thought}</think>{answer}") == (answer.strip(), thought.strip(), True)


@given(PLAIN)
def test_an_open_block_is_no_answer(thought: str) -> None:
    response = done(f"<think>{thought}")
    assert (response.status, response.content, response.cut) == ("empty", "", True)


@given(st.lists(st.sampled_from(["<think>", "</think>", "\n", " ", "a", "Yes"])).map("".join))
def test_any_mix_of_tags_is_read(text: str) -> None:
    content, _, closed = split_reasoning(text)
    assert closed or content == ""
    # An answer never starts with a block that it should have lost.
    assert not content.startswith("<think>")
    # Nothing is left to split off in what was split once.
    if closed and "</think>" not in content:
        assert split_reasoning(content) == (content, "", True)


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u00a0", "<think>only thoughts</think>\n"])
def test_white_space_is_empty(blank: str) -> None:
    assert done(blank).status == "empty"


def test_statuses_and_fields() -> None:
    assert done("Yes").status == "ok"
    assert done("", finish_reason="content_filter").status == "filtered"
    assert done("partly", finish_reason="content_filter").status == "filtered"
    response = done("<think>b</think>Yes", reasoning=" a ", cut=True, finish_reason="length", usage=(3, 4))
    assert response == Response("m", "Yes", None, "length", "ok", True, "a\nb", (3, 4))


@given(st.text())
def test_every_text_becomes_a_response_that_can_be_stored(text: str) -> None:
    response = done(text, reasoning=text)
    assert response.status in ("ok", "empty")
    (response.content + response.reasoning).encode("utf-8")


def test_lone_surrogates_are_replaced() -> None:
    assert storable("a\ud83db\U0001f600") == "a\ufffdb\U0001f600"


@given(st.text(), st.integers(4, 400))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line.isprintable() or not any(c in line for c in "\r\n\x1b\x00\x85")
    assert len(line.splitlines()) <= 1
