"""The chat-completions format of OpenAI, as servers and engines speak it: request bodies and replies.

Source: the OpenAI API reference (chat/completions, completions); llama.cpp, vLLM and others follow it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mmte.errors import MmteError
from mmte.models.images import data_url
from mmte.models.text import finish, one_line, storable
from mmte.types import Message, Request, Response

RETRYABLE: Final = frozenset({408, 409, 425, 429})
"""HTTP statuses after which asking again may help, beside all from 500 on."""

_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^<>]*>", re.DOTALL | re.IGNORECASE)


# -- requests ------------------------------------------------------------------------------------
def check_request(request: Request, *, kinds: frozenset[str], supports: frozenset[str], who: str) -> None:
    """Raise MmteError for a request kind or a generation setting that the backend does not have."""
    if request.kind not in kinds:
        raise MmteError(f"{who} cannot answer '{request.kind}' requests, only {', '.join(sorted(kinds))}")
    for name in request.generation.changed():
        if name not in supports:
            raise MmteError(f"{who} does not support {name}; it supports {', '.join(sorted(supports))}")


def chat_body(request: Request, *, who: str, limit: str = "max_tokens", images: bool = False) -> dict[str, Any]:
    """The body of a chat request, without the model's name; `limit` names the field of max_new_tokens.

    Raises:
        MmteError: an image although `images` is False.
        BadImage: an image file that cannot be sent.
    """
    messages = [{"role": m.get("role", "user"), "content": content(m, who, images=images)} for m in request.messages]
    return {"messages": messages} | settings(request, limit)


def raw_body(request: Request, *, who: str, limit: str = "max_tokens") -> dict[str, Any]:
    """The body of a completions request: the text of the messages, one after the other, no template."""
    return {"prompt": "".join(str(content(m, who)) for m in request.messages)} | settings(request, limit)


def content(message: Message, who: str, *, images: bool = False) -> str | list[dict[str, Any]]:
    """A message's content as it goes over the wire: a text, or with `images` the image and then the text.

    The image goes as a data URL of the file's bytes as they are; without `images` it is an MmteError.
    """
    value = message.get("content", "")
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        text, path = storable(value["text"]), value.get("image_path")
        if not path:
            return text
        if images:
            picture = {"type": "image_url", "image_url": {"url": data_url(str(path))}}
            return [picture, {"type": "text", "text": text}] if text else [picture]
    raise MmteError(f"{who} reads text only; this task shows it an image; choose a model that sees")


def settings(request: Request, limit: str) -> dict[str, Any]:
    """The generation settings as fields of a body; repetitions of a sampled answer differ in their seed."""
    generation = request.generation
    body: dict[str, Any] = {limit: generation.max_new_tokens, "temperature": generation.temperature, "stream": False}
    if not generation.do_sample:
        body["temperature"] = 0
    else:
        body["seed"] = (generation.seed + 1_000_003 * generation.repeat) % 2**31
    if generation.stop_sequences:
        body["stop"] = list(generation.stop_sequences)
    return body


# -- replies -------------------------------------------------------------------------------------
def read_body(status: int, body: bytes, model_id: str) -> Response:
    """The response for a server's reply.

    Whatever comes is a response: one with status error (and the server's message) where it holds no
    answer, filtered where the server says that its content filter refused the prompt.
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        if status < 300:
            hint = _plain(body) or "nothing"
            what = f"HTTP {status}, but the reply is no JSON (is the path of the URL right?): {hint}"
            return _failed(what, model_id, retryable=not is_page(body))
        reply = None
    if status < 300:
        return read_reply(reply, model_id)
    if _refused_by_filter(reply):
        return finish("", model_id=model_id, finish_reason="content_filter", cut=False)
    message = error_message(reply) or _plain(body)
    return _failed(f"HTTP {status}: {message}".rstrip(": "), model_id, retryable=is_retryable(status))


def read_reply(reply: Any, model_id: str) -> Response:
    """The response for a parsed reply of chat/completions or completions, however malformed."""
    choices = reply.get("choices") if isinstance(reply, Mapping) else None
    if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
        if _refused_by_filter(reply):
            return finish("", model_id=model_id, finish_reason="content_filter", cut=False)
        message = error_message(reply) or "the reply has no choices"
        return _failed(message, model_id, retryable=is_retryable(_error(reply).get("code")))
    choice = choices[0]
    message = choice.get("message", {"content": choice.get("text")})
    if not isinstance(message, Mapping):
        return _failed("the reply's choice has no message", model_id)
    parts = _text_of(message.get("content"))
    if parts is None:
        return _failed("the reply's content is neither text nor a list of parts", model_id)
    text, thoughts = parts
    if not text and isinstance(message.get("refusal"), str):
        text = message["refusal"]
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str) and not thoughts:
            thoughts = message[name]
    reason = choice.get("finish_reason")
    return finish(
        text,
        model_id=model_id,
        finish_reason=one_line(reason, 40) if isinstance(reason, str) else None,
        cut=reason == "length",
        reasoning=thoughts,
        usage=_usage(reply.get("usage")),
    )


def is_retryable(status: object) -> bool:
    """Whether asking again may help after this HTTP status."""
    return isinstance(status, int) and (status in RETRYABLE or 500 <= status < 600)


def is_page(body: bytes) -> bool:
    """Whether a reply is markup: a page at a wrong address stays one, while broken JSON may be whole the next time."""
    return body.lstrip().startswith(b"<")


def error_message(reply: Any) -> str:
    """The message in a server's error, in the shapes that are in use; empty when there is none."""
    error = _error(reply)
    outer = reply if isinstance(reply, Mapping) else {}
    for value in (error.get("message"), outer.get("error"), outer.get("message"), outer.get("detail")):
        if isinstance(value, str) and value.strip():
            return value
    return json.dumps(outer["detail"])[:300] if outer.get("detail") else ""


def _error(reply: Any) -> Mapping[str, Any]:
    error = reply.get("error") if isinstance(reply, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def _refused_by_filter(reply: Any) -> bool:
    error = _error(reply)
    inner = error.get("innererror")
    codes = (error.get("code"), inner.get("code") if isinstance(inner, Mapping) else None)
    return "content_filter" in codes or "ResponsibleAIPolicyViolation" in codes


def _text_of(value: Any) -> tuple[str, str] | None:
    """(text, reasoning) of a content field: text, null, or a list of parts; None for anything else."""
    if value is None or isinstance(value, str):
        return value or "", ""
    if not isinstance(value, list):
        return None
    texts: list[str] = []
    thoughts: list[str] = []
    for part in value:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            kind = part.get("type")
            inner = _text_of(part.get("thinking") if kind == "thinking" else part.get("text", part.get("refusal")))
            (thoughts if kind in ("thinking", "reasoning") else texts).append(inner[0] if inner else "")
    return "".join(texts), "".join(thoughts)


def _usage(value: Any) -> tuple[int, int]:
    def count(name: str) -> int:
        number = value.get(name)
        return number if type(number) is int and 0 <= number < 2**53 else 0

    return (count("prompt_tokens"), count("completion_tokens")) if isinstance(value, Mapping) else (0, 0)


def _plain(body: bytes) -> str:
    return one_line(_TAG.sub(" ", body[:4000].decode("utf-8", "replace")), 200)


def _failed(error: str, model_id: str, *, retryable: bool = False) -> Response:
    return Response.failed(one_line(error), retryable=retryable, model_id=model_id)
