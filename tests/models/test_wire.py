"""Replies in the chat-completions format become responses, however malformed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.models.wire import chat_body, check_request, error_message, raw_body, read_body, read_reply
from mmte.types import Generation, Request

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def chat(content: Any, **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content} | message, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("reply", "status", "content", "reasoning"),
    [
        (chat("Yes."), "ok", "Yes.", ""),
        (chat("<think>hm</think>Yes."), "ok", "Yes.", "hm"),
        (chat("Yes.", reasoning_content="hm"), "ok", "Yes.", "hm"),
        (chat("Yes.", reasoning="hm"), "ok", "Yes.", "hm"),
        (chat("Yes.", reasoning="hm", reasoning_content="hm"), "ok", "Yes.", "hm"),
        (chat("Yes.", reasoning_content=[1]), "ok", "Yes.", ""),
        (chat("<think>never closed"), "empty", "", "never closed"),
        (chat([{"type": "text", "text": "Y"}, {"type": "text", "text": "es."}]), "ok", "Yes.", ""),
        (
            chat([{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "Yes."}]),
            "ok",
            "Yes.",
            "hm",
        ),
        (chat([{"type": "image"}, 7, "Yes."]), "ok", "Yes.", ""),
        (chat(None, refusal="I will not."), "ok", "I will not.", ""),
        (chat(None, tool_calls=[{}]), "empty", "", ""),
        (chat(None), "empty", "", ""),
        (chat(" \n"), "empty", " \n", ""),
        ({"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}, "filtered", "", ""),
        ({"choices": [{"message": {"content": "Par"}, "finish_reason": "content_filter"}]}, "filtered", "Par", ""),
        ({"choices": [{"text": " Paris", "finish_reason": "stop"}]}, "ok", " Paris", ""),
    ],
)
def test_readable_replies(reply: dict[str, Any], status: str, content: str, reasoning: str) -> None:
    response = read_body(200, json.dumps(reply).encode(), "m")
    assert (response.status, response.content, response.reasoning) == (status, content, reasoning)
    assert response.model_id == "m"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "no JSON"),
        (
            b"<html><script>x()</script><h1>Bad  gateway</h1></html>",
            "no JSON (is the path of the URL right?): Bad gateway",
        ),
        (b'{"choices": [', "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b"null", "no choices"),
        (b"[]", "no choices"),
        (b"{}", "no choices"),
        (b'{"choices": []}', "no choices"),
        (b'{"choices": {}}', "no choices"),
        (b'{"choices": "text"}', "no choices"),
        (b'{"choices": [null]}', "no choices"),
        (b'{"choices": [{"message": "Yes"}]}', "no message"),
        (b'{"choices": [{"message": {"content": 5}}]}', "neither text nor"),
        (b'{"error": {"message": "model\\n\\u001b[31m is overloaded"}}', "model [31m is overloaded"),
    ],
)
def test_unreadable_replies_are_errors(body: bytes, message: str) -> None:
    response = read_body(200, body, "m")
    assert response.status == "error"
    assert message in response.error
    broken = message == "no JSON"  # but a page at a wrong address stays a page
    assert response.retryable == broken


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_passing_trouble_is_retryable(status: int) -> None:
    assert read_body(status, b"", "m").retryable


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_wrong_request_is_final(status: int) -> None:
    response = read_body(status, b'{"error": {"message": "no"}}', "m")
    assert (response.status, response.error, response.retryable) == ("error", f"HTTP {status}: no", False)


def test_an_error_inside_a_200_keeps_its_code() -> None:
    assert read_body(200, b'{"error": {"code": 429, "message": "slow down"}}', "m").retryable


@pytest.mark.parametrize(
    "error", [{"code": "content_filter"}, {"innererror": {"code": "ResponsibleAIPolicyViolation"}, "code": "x"}]
)
def test_a_refused_prompt_is_filtered(error: dict[str, Any]) -> None:
    assert read_body(400, json.dumps({"error": error}).encode(), "m").status == "filtered"


@pytest.mark.parametrize("reply", [{"error": {"message": "no"}}, {"error": "no"}, {"message": "no"}, {"detail": "no"}])
def test_error_messages_are_found(reply: dict[str, Any]) -> None:
    assert error_message(reply) == "no"


def test_the_error_is_one_short_line() -> None:
    body = json.dumps({"error": {"message": "long \r\n\x07" * 500}}).encode()
    error = read_body(400, body, "m").error
    assert len(error) <= 300
    assert error.isprintable()


def test_length_is_cut_and_usage_is_read_safely() -> None:
    choice = {"message": {"content": "Yes"}, "finish_reason": "length"}
    response = read_reply({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}, "m")
    assert (response.cut, response.status, response.usage) == (True, "ok", (7, 2))
    for usage in (None, [], {"prompt_tokens": "7", "completion_tokens": -1}, {"prompt_tokens": 2**80}):
        assert read_reply({"choices": [choice], "usage": usage}, "m").usage == (0, 0)


@given(JSON)
def test_any_json_becomes_a_response(reply: Any) -> None:
    assert read_reply(reply, "m").status in ("ok", "empty", "filtered", "error")


@given(st.dictionaries(st.sampled_from(["content", "refusal", "reasoning", "reasoning_content"]), JSON), JSON, JSON)
def test_any_message_becomes_a_response(message: dict[str, Any], reason: Any, usage: Any) -> None:
    reply = {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}
    assert read_reply(reply, "m").status in ("ok", "empty", "filtered", "error")


@given(st.integers(200, 599), st.binary())
def test_any_bytes_become_a_response(status: int, body: bytes) -> None:
    response = read_body(status, body, "m")
    assert response.status == "error" or body.strip()


def test_bodies() -> None:
    messages = ({"role": "system", "content": "Be short."}, {"role": "user", "content": {"text": "a\ud800"}})
    greedy = Request(messages, Generation(max_new_tokens=9, stop_sequences=("x",)))
    assert chat_body(greedy, who="m") == {
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "a\ufffd"}],
        "max_tokens": 9,
        "temperature": 0,
        "stream": False,
        "stop": ["x"],
    }
    sampled = Request(messages, Generation.from_kwargs({"do_sample": True, "temperature": 0.7, "seed": 5}))
    body = raw_body(sampled, who="m", limit="max_completion_tokens")
    assert body["prompt"] == "Be short.a\ufffd"
    assert (body["temperature"], body["seed"], body["max_completion_tokens"]) == (0.7, 5, 50)
    again = Request(messages, sampled.generation.with_repeat(1))
    assert raw_body(again, who="m")["seed"] != body["seed"]


def test_images_are_refused() -> None:
    request = Request(({"role": "user", "content": {"image_path": "a.png", "text": "What?"}},))
    with pytest.raises(MmteError, match="--model m reads text only"):
        chat_body(request, who="--model m")


def test_unsupported_settings_are_named() -> None:
    request = Request((), Generation(num_beams=4))
    with pytest.raises(MmteError, match="does not support num_beams"):
        check_request(request, kinds=frozenset({"chat"}), supports=frozenset({"seed"}), who="m")
    with pytest.raises(MmteError, match="cannot answer 'classify' requests"):
        check_request(Request((), kind="classify"), kinds=frozenset({"chat"}), supports=frozenset(), who="m")
