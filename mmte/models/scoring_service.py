"""What services that score texts over HTTP have in common: one text a request, limits, keys, and honest failures."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from mmte.errors import MmteError, ModelGone
from mmte.models.base import BaseChat
from mmte.models.endpoint import Endpoint
from mmte.models.scores import EMPTY, scored, text_of, unscored
from mmte.models.spec import ModelSpec
from mmte.models.text import one_line
from mmte.models.transport import Limits, Reply, Transport
from mmte.models.wire import check_request, error_message, is_page, is_retryable
from mmte.types import Request, Response

OPTIONS = ("slots", "timeout", "retries", "max_wait", "rate", "key")
_REFUSED = frozenset({401, 403})
_NOT_THERE = frozenset({404, 410})


class BadReply(Exception):
    """A reply from which no scores can be taken; one line. It costs one sample, not the run."""


class ScoringService(BaseChat):
    """Base class of backends that ask a service for the scores of a text.

    Options: slots (requests in flight), timeout (seconds for one attempt), retries, max_wait (longest wait before a
    retry, seconds), rate (requests started per second, all xdist workers together; 0: no limit), key (name of the
    environment variable that holds the key). Replies 408, 409, 425, 429 and from 500 on, time-outs, broken
    connections and broken JSON are asked again, not before the time in Retry-After and `retries` times in all; with
    `retries=0` a text is sent once. What fails for good is a failure: no text is ever
    replaced by another one, and no missing score by a number.

    Class attributes:
        official: host of the service, the only one that gets the key of `key_variables`.
        path: of the request, below the URL.
        key_variables: environment variables with the key, the first that is set wins.
        key_header: the header for the key; empty: a bearer token.
        defaults: of slots, timeout, retries, max_wait and rate.
    """

    kinds = frozenset({"classify"})
    supports = frozenset()
    device: Literal["none", "cpu", "gpu"] = "none"
    official: ClassVar[str]
    path: ClassVar[str]
    key_variables: ClassVar[Sequence[str]]
    key_header: ClassVar[str] = ""
    defaults: ClassVar[Limits] = Limits(slots=8, timeout=60.0, retries=8, max_wait=60.0)

    def __init__(self, spec: ModelSpec, url: str) -> None:
        super().__init__(spec.name)
        self._where = spec.where
        self._limits = _limits(spec, self.defaults)
        self._endpoint = Endpoint.parse(url.removesuffix(self.path), self._where, spec.option("key", str, ""))
        self._key = ""
        self._transport: Transport | None = None

    # -- what a service says itself ------------------------------------------------------------
    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """The service of a spec; MmteError for a wrong target or option."""
        raise NotImplementedError

    def body(self, text: str) -> Mapping[str, Any]:
        """The body of the request for one text."""
        raise NotImplementedError

    def read(self, reply: Mapping[str, Any]) -> tuple[Mapping[str, float], Mapping[str, str]]:
        """Scores by label, and notes, from a reply.

        Raises:
            BadReply: a score is missing or is none.
        """
        raise NotImplementedError

    def cannot_score(self, reply: Any) -> str:
        """Why the service cannot score a text at all, from the body of its refusal; empty: for another reason."""
        return ""

    def refuses_key(self, status: int, reply: Any) -> bool:
        """Whether the service refuses the key."""
        return status in _REFUSED

    @property
    def has_ended(self) -> bool:
        """Whether there is no such service any more; then every failure has the note."""
        return False

    def note(self) -> str:
        """What a user must know of this service when it cannot be asked; a sentence after a blank, or nothing."""
        return ""

    # -- for the engine ------------------------------------------------------------------------
    def load(self) -> None:
        """Read the key and open the session.

        Raises:
            MmteError: the key is missing or must not be sent; MissingExtra without aiohttp.
        """
        if self._transport is None:
            self._key = self._find_key()
            transport = Transport(self._endpoint, self._limits, self._key, self._read, self.key_header)
            transport.start()
            self._transport = transport

    def close(self) -> None:
        """Close the session."""
        if self._transport is not None:
            self._transport.stop()
            self._transport = None

    def batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """The whole window at once: nothing that is asked together changes a score."""
        if requests:
            yield list(requests)

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """Keep `slots` requests in flight; yields what completed in the last quarter second.

        An empty text is not sent: it has no scores.

        Raises:
            MmteError: a setting that is not supported, or an image.
            ModelGone: nobody listens at the URL, it is the wrong one, or the service refuses the key.
        """
        asked = [(request, self._text(request)) for request in requests]
        empty = [(request, unscored(EMPTY, self.model_id)) for request, text in asked if not text.strip()]
        if empty:
            yield empty
        if len(empty) == len(asked):
            return
        self.load()
        assert self._transport is not None
        jobs = ((r, self.path, json.dumps(self.body(text)).encode()) for r, text in asked if text.strip())
        try:
            for batch in self._transport.post_all(jobs):
                yield [(request, self._noted(response)) for request, response in batch]
        except ModelGone as error:
            raise ModelGone(f"{error}{self.note()}") from None

    def _noted(self, response: Response) -> Response:
        told = self.has_ended and response.status == "error"
        return replace(response, error=f"{response.error}{self.note()}") if told else response

    def _text(self, request: Request) -> str:
        who = f"{self._where} ({self.backend_ids[0]})"
        check_request(request, kinds=self.kinds, supports=self.supports, who=who)
        return text_of(request, who)

    def _find_key(self) -> str:
        endpoint = self._endpoint
        if not endpoint.key_name and endpoint.host == self.official:
            given = [name for name in self.key_variables if os.environ.get(name, "").strip()]
            self._endpoint = endpoint = replace(endpoint, key_name=(given or self.key_variables)[0])
        try:
            return endpoint.key(self._where)
        except MmteError as error:
            raise MmteError(f"{error}{self.note()}") from None

    def _read(self, reply: Reply) -> Response:
        if 300 <= reply.status < 400:
            to = one_line(reply.location, 100) or "elsewhere"
            return self._failure(f"HTTP {reply.status}: the service redirects to {to}; this is not followed")
        try:
            parsed = json.loads(reply.body)
        except (ValueError, RecursionError):
            parsed = None
        if reply.status < 300:
            return self._answered(parsed, reply.body)
        if why := self.cannot_score(parsed):
            return unscored(one_line(why, 200), self.model_id)
        said = error_message(parsed) or one_line(reply.body.decode("utf-8", "replace"), 200)
        what = self._clean(f"HTTP {reply.status}: {said}".rstrip(": "))
        if self.refuses_key(reply.status, parsed):
            rule = f"set {' or '.join(self._endpoint.key_names())} to a valid key"
            raise ModelGone(f"{self._where}: {self._endpoint.place} refuses the key ({what}); {rule}")
        if reply.status in _NOT_THERE:
            raise ModelGone(f"{self._where}: {self._endpoint.url}{self.path} is not there ({what})")
        return self._failure(what, retryable=is_retryable(reply.status))

    def _answered(self, parsed: Any, body: bytes) -> Response:
        if not isinstance(parsed, Mapping):
            hint = one_line(body.decode("utf-8", "replace"), 100) or "nothing"
            what = f"the reply is no JSON object (is the URL right?): {hint}"
            return self._failure(what, retryable=parsed is None and not is_page(body))
        try:
            values, notes = self.read(parsed)
        except BadReply as error:
            return self._failure(str(error))
        return scored(values, self.model_id, {k: self._clean(v) for k, v in notes.items() if v})

    def _failure(self, what: str, *, retryable: bool = False) -> Response:
        return Response.failed(self._clean(what), retryable=retryable, model_id=self.model_id)

    def _clean(self, text: str) -> str:
        line = one_line(text)
        return line.replace(self._key, "[key]") if self._key else line


def probability(value: Any, name: str) -> float:
    """A score from a reply.

    Raises:
        BadReply: it is missing, or no number from 0 to 1.
    """
    if value is None:
        raise BadReply(f"the reply has no score for {name}")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise BadReply(f"the reply's score for {name} is {one_line(repr(value), 40)}, not a number from 0 to 1")
    return float(value)


def _limits(spec: ModelSpec, defaults: Limits) -> Limits:
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return Limits(
        slots=_within(spec, "slots", int, defaults.slots, 1, 4096),
        timeout=_within(spec, "timeout", float, defaults.timeout, 0.01, 86400.0),
        retries=_within(spec, "retries", int, defaults.retries, 0, 100),
        max_wait=_within(spec, "max_wait", float, defaults.max_wait, 0.0, 86400.0),
        rate=_within(spec, "rate", float, defaults.rate, 0.0, 1e6) / max(1, workers),
    )


def _within(spec: ModelSpec, name: str, kind: type[Any], default: Any, low: float, high: float) -> Any:
    value = spec.option(name, kind, default)
    if not low <= value <= high:
        raise MmteError(f"{spec.where}: {name}={value:g} is not within {low:g} to {high:g}")
    return value
