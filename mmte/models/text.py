"""From the text that a model wrote to a `Response`: reasoning split off, status set."""

from __future__ import annotations

import re
from typing import Any

from mmte.types import Response, Status

_OPEN = re.compile(r"^[ \t]*<think>", re.MULTILINE)
_CLOSE = "</think>"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def split_reasoning(text: str) -> tuple[str, str, bool]:
    """Split `<think>...</think>` off.

    A block opens at the start of a line (a tag within a sentence is prose). Text before a `</think>`
    without an opening tag is reasoning as well, since some chat templates write the opening tag into
    the prompt.

    Returns:
        (content, reasoning, closed). `closed` is False when a block never ends; then there is no
        answer and content is empty.
    """
    if _CLOSE not in text and "<think>" not in text:
        return text, "", True
    reasoning: list[str] = []
    head, close, tail = text.partition(_CLOSE)
    if close and not _OPEN.search(head):
        reasoning.append(head)
        text = tail
    content: list[str] = []
    closed = True
    while opening := _OPEN.search(text):
        content.append(text[: opening.start()])
        thought, close, text = text[opening.end() :].partition(_CLOSE)
        reasoning.append(thought)
        if not close:
            content, text, closed = [], "", False
    content.append(text)
    thoughts = "\n".join(filter(None, map(str.strip, reasoning)))
    answer = "".join(content)
    return (answer.strip() if reasoning else answer), thoughts, closed


def finish(
    text: str,
    *,
    model_id: str,
    finish_reason: str | None,
    cut: bool,
    reasoning: str = "",
    usage: tuple[int, int] = (0, 0),
    logprobs: Any = None,
) -> Response:
    """The response for a text that came back.

    Args:
        text: what the model wrote, reasoning tags and all.
        finish_reason: as the engine names it; `content_filter` makes the status filtered.
        cut: whether it stopped at max_new_tokens.
        reasoning: what the engine already split off.
        usage: (prompt tokens, completion tokens).
        logprobs: kept as it is.

    Returns:
        A response with status ok, empty (nothing but white space, or only reasoning) or filtered.
    """
    content, thoughts, closed = split_reasoning(storable(text))
    status: Status = "ok" if content.strip() else "empty"
    if finish_reason == "content_filter":
        status = "filtered"
    return Response(
        model_id=model_id,
        content=content,
        logprobs=logprobs,
        finish_reason=finish_reason,
        status=status,
        cut=cut or not closed,
        reasoning="\n".join(filter(None, (storable(reasoning).strip(), thoughts))),
        usage=usage,
    )


def storable(text: str) -> str:
    """The text with lone surrogates (JSON can carry them, UTF-8 cannot) replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def one_line(text: str, limit: int = 300) -> str:
    """Foreign text for an error message: one line, no control characters, at most `limit` characters."""
    line = " ".join(_CONTROL.sub(" ", storable(text[: limit * 20])).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."
