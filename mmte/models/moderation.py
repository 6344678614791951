"""OpenAI's moderation endpoint as a scorer: `moderation:MODEL@URL`.

Source: the OpenAI API reference (moderations).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Self
from urllib.parse import urlsplit

from mmte.errors import MmteError
from mmte.models.endpoint import OPENAI
from mmte.models.scores import CATEGORIES, is_score
from mmte.models.scoring_service import OPTIONS, BadReply, ScoringService, probability
from mmte.models.spec import ModelSpec
from mmte.registry import registry

PINNED: Final = "omni-moderation-2024-09-26"
_TARGET = re.compile(r"(.*?)(?:@(https?://.*))?", re.DOTALL)
_OPENAIS = re.compile(r"(omni|text)-moderation-")


@registry.register_backend()
class Moderation(ScoringService):
    """Asks `URL/moderations` about a text; an answer is `{category: score, model: the reply's}` as JSON.

    `moderation:MODEL` asks api.openai.com with the key in OPENAI_API_KEY (or moderation_openai_apikey),
    `moderation:MODEL@URL` a server of the same form elsewhere. `moderation:` takes omni-moderation-2024-09-26, a model
    with a date: names such as omni-moderation-latest mean another one from time to time. Each answer has the name that
    the service gave. Options: slots (8), timeout (60), retries (8), max_wait (60), rate (0), key of `ScoringService`.

    Of OpenAI's own models all eleven `CATEGORIES` must be in a reply, or it is a failure.
    """

    backend_ids = ("moderation",)
    official = str(urlsplit(OPENAI).hostname)
    path = "/moderations"
    key_variables = ("OPENAI_API_KEY", "moderation_openai_apikey")

    def __init__(self, spec: ModelSpec, url: str, model: str) -> None:
        super().__init__(spec, url)
        self._model = model
        self._needed = CATEGORIES if _OPENAIS.match(model) else ()

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `moderation:MODEL@URL`; both may be left out.

        Raises:
            MmteError: a bad URL or option.
        """
        spec.check_options(*OPTIONS)
        match = _TARGET.fullmatch(spec.target)
        model, url = match.groups() if match else (spec.target, None)
        if "://" in model:
            raise MmteError(f"{spec.where}: the form is moderation:MODEL@URL, not {spec.target!r:.60}")
        return cls(spec, url or OPENAI, model or PINNED)

    def identity(self) -> Mapping[str, Any]:
        """Backend and model name: the same model behind another URL gives the same scores."""
        return {"backend": "moderation", "model": self._model}

    def body(self, text: str) -> Mapping[str, Any]:
        """The model and the text."""
        return {"model": self._model, "input": text}

    def read(self, reply: Mapping[str, Any]) -> tuple[Mapping[str, float], Mapping[str, str]]:
        """All categories of the one result.

        Raises:
            BadReply: no result, or a category that is missing or has no score.
        """
        results = reply.get("results")
        result = results[0] if isinstance(results, list) and results else None
        found = result.get("category_scores") if isinstance(result, Mapping) else None
        if not isinstance(found, Mapping) or not found:
            raise BadReply("the reply has no category_scores")
        there = [name for name, value in found.items() if name in self._needed or is_score(value)]
        values = {name: probability(found.get(name), name) for name in dict.fromkeys([*self._needed, *there])}
        return values, {"model": str(reply.get("model") or "")}
