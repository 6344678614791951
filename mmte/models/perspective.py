"""Google's Perspective API as a scorer: `perspective:`.

Source: the API's reference (commentanalyzer v1alpha1, comments:analyze; error types COMMENT_EMPTY, COMMENT_TOO_LONG,
LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE, LANGUAGE_DETECTION_FAILED). The service ends on 2026-12-31, and no new keys are
issued (moder8r.app, lassomoderation.com; arXiv:2604.25580).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final, Self

from mmte.errors import MmteError
from mmte.models.scores import ATTRIBUTES
from mmte.models.scoring_service import OPTIONS, BadReply, ScoringService, probability
from mmte.models.spec import ModelSpec
from mmte.models.transport import Limits
from mmte.registry import registry

LAST_DAY: Final = date(2026, 12, 31)
_HOST: Final = "commentanalyzer.googleapis.com"
_API: Final = "v1alpha1"
_UNSCORABLE: Final = {
    "COMMENT_EMPTY": "the text is empty",
    "COMMENT_TOO_LONG": "the text is too long for the service",
    "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE": "the language is not supported",
    "LANGUAGE_DETECTION_FAILED": "the language is not known",
}


@registry.register_backend()
class Perspective(ScoringService):
    """Asks for the eight `ATTRIBUTES` of a text; an answer is `{attribute: probability, service: ...}` as JSON.

    `perspective:` asks commentanalyzer.googleapis.com with the key in PERSPECTIVE_API_KEY (or perspective_apikey),
    `perspective:URL` a service of the same form elsewhere. The key goes in a header, so that no log has it with the
    URL. Options: rate (1 a second, what Google grants without an application), languages (e.g. `en`; none: the service
    finds out), and slots (8), timeout (60), retries (8), max_wait (60), key of `ScoringService`. The service is told
    to store nothing. Its replies name no version of its models; kept are the API's version and the languages found.

    **The service ends on 2026-12-31 and issues no new keys.** Errors say so; what was scored before stays in the cache
    and in `replay:` files. A text that is empty, too long or in another language has no score.
    """

    backend_ids = ("perspective",)
    official = _HOST
    path = f"/{_API}/comments:analyze"
    key_variables = ("PERSPECTIVE_API_KEY", "perspective_apikey")
    key_header = "X-Goog-Api-Key"
    defaults = Limits(slots=8, timeout=60.0, retries=8, max_wait=60.0, rate=1.0)

    def __init__(self, spec: ModelSpec, url: str, languages: tuple[str, ...]) -> None:
        super().__init__(spec, url)
        self._languages = languages

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `perspective:` or `perspective:URL`.

        Raises:
            MmteError: something else behind the colon, or a bad option.
        """
        spec.check_options(*OPTIONS, "languages")
        target = spec.target
        if target and not target.startswith(("http://", "https://")):
            raise MmteError(f"{spec.where}: the form is perspective: or perspective:URL, not {target!r:.60}")
        languages = tuple(filter(None, spec.option("languages", str, "").replace(" ", "").split(",")))
        return cls(spec, target or f"https://{_HOST}", languages)

    def identity(self) -> Mapping[str, Any]:
        """The API's version, the attributes, and the languages where they are given."""
        asked = {"attributes": list(ATTRIBUTES), "languages": list(self._languages)}
        return {"backend": "perspective", "api": _API, **asked}

    def body(self, text: str) -> Mapping[str, Any]:
        """The text, the attributes, and that nothing is to be stored."""
        told = {"languages": list(self._languages)} if self._languages else {}
        asked: dict[str, Any] = {name: {} for name in ATTRIBUTES}
        return {"comment": {"text": text}, "requestedAttributes": asked, "doNotStore": True, **told}

    def read(self, reply: Mapping[str, Any]) -> tuple[Mapping[str, float], Mapping[str, str]]:
        """All eight attributes.

        Raises:
            BadReply: one of them is missing, or is no probability.
        """
        found = reply.get("attributeScores")
        if not isinstance(found, Mapping):
            raise BadReply("the reply has no attributeScores")
        values = {name: probability(_summary(found.get(name)), name) for name in ATTRIBUTES}
        languages = reply.get("detectedLanguages") or reply.get("languages") or ()
        said = ",".join(map(str, languages)) if isinstance(languages, list) else ""
        return values, {"service": f"commentanalyzer {_API}", "languages": said}

    def cannot_score(self, reply: Any) -> str:
        """The reason among the error types of the API."""
        return next((_UNSCORABLE[d["errorType"]] for d in _details(reply) if d.get("errorType") in _UNSCORABLE), "")

    def refuses_key(self, status: int, reply: Any) -> bool:
        """A bad key is an invalid argument here."""
        return super().refuses_key(status, reply) or any(d.get("reason") == "API_KEY_INVALID" for d in _details(reply))

    @property
    def has_ended(self) -> bool:
        """Whether the last day is over."""
        return _today() > LAST_DAY

    def note(self) -> str:
        """That the service ends, or has ended."""
        if self.has_ended:
            return f". Perspective's service ended on {LAST_DAY}; score with local_toxicity_eval or hf_classifier_eval"
        return f". Perspective's service ends on {LAST_DAY}, and no new keys are issued"


def _today() -> date:
    return datetime.now(UTC).date()


def _summary(score: Any) -> Any:
    """The value for the whole text of one attribute; None where there is none."""
    summary = score.get("summaryScore") if isinstance(score, Mapping) else None
    return summary.get("value") if isinstance(summary, Mapping) else None


def _details(reply: Any) -> Iterator[Mapping[str, Any]]:
    error = reply.get("error") if isinstance(reply, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail
