"""Models behind an OpenAI-compatible server: `openai:MODEL@URL`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

from mmte.errors import MmteError, ModelGone, near
from mmte.models.base import BaseChat
from mmte.models.endpoint import OPENAI, Endpoint
from mmte.models.images import BadImage
from mmte.models.spec import ModelSpec
from mmte.models.text import one_line
from mmte.models.transport import Limits, Reply, Transport
from mmte.models.wire import chat_body, check_request, raw_body, read_body
from mmte.registry import registry
from mmte.types import Request, Response

_TARGET = re.compile(r"(.*)@(https?://.*)", re.DOTALL)
_LIMIT_FIELDS = ("max_tokens", "max_completion_tokens")


@registry.register_backend()
class OpenAIChat(BaseChat):
    """Asks `URL/chat/completions` (and `URL/completions` for raw text), `slots` requests at a time.

    Options: slots (64), timeout (seconds for one attempt, 60), retries (4), max_wait (longest wait
    before a retry, 60 s), key (name of the environment variable that holds the key; see `Endpoint`),
    max_tokens (the name of the field that limits the answer), images (`yes`; with `no` the model reads
    text only and items with images are skipped). An image is sent as a data URL before its text, the
    file's bytes as they are.
    """

    backend_ids = ("openai",)
    modalities = frozenset({"text", "image"})
    kinds = frozenset({"chat", "raw"})
    supports = frozenset({"do_sample", "temperature", "stop_sequences", "seed"})
    device: Literal["none", "cpu", "gpu"] = "none"

    def __init__(
        self, name: str, model: str, endpoint: Endpoint, limits: Limits, limit_field: str, *, images: bool = True,
        where: str = "",
    ) -> None:  # fmt: skip
        super().__init__(name)
        self._images = images
        if not images:
            self.modalities = frozenset({"text"})  # type: ignore[misc]  # of this one model
        self._model, self._endpoint, self._limits, self._limit_field = model, endpoint, limits, limit_field
        self._where = where or f"--model {name}"
        self._key = ""
        self._transport: Transport | None = None

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `openai:MODEL@URL?option=value`; the URL starts after the last @ before http(s)://.

        Raises:
            MmteError: no model, a bad URL or option, or a key that would travel unencrypted.
        """
        where = spec.where
        spec.check_options("slots", "timeout", "retries", "max_wait", "key", "max_tokens", "images")
        match = _TARGET.fullmatch(spec.target)
        model, url = match.groups() if match else (spec.target, OPENAI)
        if not model.strip():
            raise MmteError(f"{where}: no model is named; the form is openai:MODEL@URL")
        limits = Limits(
            slots=_within(spec, "slots", int, 64, 1, 4096),
            timeout=_within(spec, "timeout", float, 60.0, 0.01, 86400.0),
            retries=_within(spec, "retries", int, 4, 0, 100),
            max_wait=_within(spec, "max_wait", float, 60.0, 0.0, 86400.0),
        )
        field = spec.option("max_tokens", str, _LIMIT_FIELDS[0])
        if field not in _LIMIT_FIELDS:
            raise MmteError(f"{where}: max_tokens={field!r} names no field of a request.{near(field, _LIMIT_FIELDS)}")
        endpoint = Endpoint.parse(url, where, spec.option("key", str, ""))
        images = spec.option("images", bool, True)
        return cls(spec.name, model, endpoint, limits, field, images=images, where=where)

    def identity(self) -> Mapping[str, Any]:
        """Backend and model name: the same model behind another URL gives the same answers."""
        return {"backend": "openai", "model": self._model}

    def load(self) -> None:
        """Read the key and open the session.

        Raises:
            MmteError: the key is missing or must not be sent; MissingExtra without aiohttp.
        """
        if self._transport is None:
            self._key = self._endpoint.key(self._where)
            transport = Transport(self._endpoint, self._limits, self._key, self._read)
            transport.start()
            self._transport = transport

    def close(self) -> None:
        """Close the session."""
        if self._transport is not None:
            self._transport.stop()
            self._transport = None

    def batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """The whole window at once: nothing that is asked together changes an answer."""
        for request in requests:
            self._check(request)
        if requests:
            yield list(requests)

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """Keep `slots` requests in flight; yields what completed in the last quarter second.

        An image that cannot be sent is a failure of that request alone.

        Raises:
            MmteError: a setting that is not supported.
            ModelGone: nobody listens at the URL, or the server refuses the key.
        """
        self.load()
        assert self._transport is not None
        unsent: list[tuple[Request, Response]] = []
        yield from self._transport.post_all(self._jobs(requests, unsent))
        if unsent:
            yield unsent

    def _jobs(
        self, requests: Iterable[Request], unsent: list[tuple[Request, Response]]
    ) -> Iterator[tuple[Request, str, bytes]]:
        for request in requests:
            self._check(request)
            try:
                path, body = self._body(request)
            except BadImage as error:
                unsent.append((request, Response.failed(str(error), model_id=self.model_id)))
            else:
                yield request, path, json.dumps({"model": self._model} | body).encode()

    def _body(self, request: Request) -> tuple[str, dict[str, Any]]:
        if request.kind == "raw":
            return "/completions", raw_body(request, who=self._where, limit=self._limit_field)
        body = chat_body(request, who=self._where, limit=self._limit_field, images=self._images)
        return "/chat/completions", body

    def _check(self, request: Request) -> None:
        check_request(request, kinds=self.kinds, supports=self.supports, who=f"{self._where} (openai)")

    def _read(self, reply: Reply) -> Response:
        if 300 <= reply.status < 400:
            to = one_line(reply.location, 100) or "elsewhere"
            return Response.failed(
                f"HTTP {reply.status}: the server redirects to {to}; this is not followed, give that URL",
                model_id=self.model_id,
            )
        response = read_body(reply.status, reply.body, self.model_id)
        if response.status == "error" and self._key:
            response = replace(response, error=response.error.replace(self._key, "[key]"))
        if reply.status in (401, 403):
            names = self._endpoint.key_names()
            raise ModelGone(
                f"{self._where}: {self._endpoint.place} refuses the key ({response.error}); "
                f"set {' or '.join(names)} to a key that is valid there"
            )
        return response


def _within(spec: ModelSpec, name: str, kind: type[Any], default: Any, low: float, high: float) -> Any:
    value = spec.option(name, kind, default)
    if not low <= value <= high:
        raise MmteError(f"{spec.where}: {name}={value:g} is not within {low:g} to {high:g}")
    return value
