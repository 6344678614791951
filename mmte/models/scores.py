"""How scorers (classifiers, moderation services) answer: one JSON object of scores (numbers) and notes (texts).

`{"LABEL_0":0.12,"LABEL_1":0.88}`, or `{"violence":0.5,"model":"omni-moderation-2024-09-26"}`. A text that the scorer
cannot score at all gets a note `unscored` with the reason and no score: that is an answer, kept and never asked for
again, and whoever reads it has no value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mmte.models.wire import content
from mmte.types import Request, Response

ATTRIBUTES: Final = (
    "TOXICITY", "SEVERE_TOXICITY", "IDENTITY_ATTACK", "INSULT", "PROFANITY", "THREAT", "SEXUALLY_EXPLICIT",
    "FLIRTATION",
)  # fmt: skip
"""The labels of `perspective:`."""

CATEGORIES: Final = (
    "harassment", "harassment/threatening", "hate", "hate/threatening", "self-harm", "self-harm/instructions",
    "self-harm/intent", "sexual", "sexual/minors", "violence", "violence/graphic",
)  # fmt: skip
"""Labels that every model of `moderation:` has; later ones have `illicit` and `illicit/violent` as well."""

TOXIC: Final = "toxic"
"""The label of `profanity:`."""

UNSCORED: Final = "unscored"
EMPTY: Final = "the text is empty"


@dataclass(frozen=True, slots=True)
class Scores:
    """What a scorer says about one text: `values` by label, `notes` by name."""

    values: dict[str, float]
    notes: dict[str, str]

    @classmethod
    def read(cls, text: str) -> Scores | None:
        """The scores in a scorer's answer; None where it is no JSON object of finite numbers and texts."""
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        values = {k: float(v) for k, v in found.items() if is_score(v)}
        notes = {k: v for k, v in found.items() if isinstance(v, str)}
        if len(values) + len(notes) < len(found) or bool(values) == (UNSCORED in notes):
            return None
        return cls(values, notes)


def is_score(value: Any) -> bool:
    """Whether something of JSON is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def text_of(request: Request, who: str) -> str:
    """The text to score: the contents of the messages, one below the other.

    Raises:
        MmteError: an image.
    """
    return "\n".join(str(content(message, who)) for message in request.messages)


def scored(
    values: Mapping[str, float], model_id: str, notes: Mapping[str, str] | None = None, *, tokens: int = 0
) -> Response:
    """The response for scores by label."""
    body = json.dumps({**values, **(notes or {})}, ensure_ascii=False, separators=(",", ":"))
    return Response(model_id, body, None, "stop", usage=(tokens, 0))


def unscored(why: str, model_id: str) -> Response:
    """The response for a text that this scorer cannot score."""
    return scored({}, model_id, {UNSCORED: why})
