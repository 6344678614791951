"""A model that does what it is told: for tests of the engine, of task files and of CI set-ups."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from mmte.errors import MmteError, ModelGone
from mmte.models.base import BaseChat
from mmte.models.spec import ModelSpec
from mmte.registry import registry
from mmte.types import Request, Response

_FAULTS = ("fail", "flaky", "hang")
_ANSWERS = ("empty", "filtered", "cut", "refuse", "malformed")
_OTHERS = ("batch", "wait", "oom", "die", "gone", "dead", "modalities", "device", "seed", "log", "timeout")
_REFUSAL = "I cannot help with that."
_MALFORMED = "\x1b[31m\x00<think>\ud800 \u202e ::error::"


@registry.register_backend()
class ScriptedChat(BaseChat):
    """`scripted:ANSWER?option=value&...`.

    ANSWER is a text; `a|b|c` takes one of them by a hash of the question; `echo` repeats the
    question; a text with `{n}` gets a number derived from the question.

    Options, as shares of the questions picked by hash: `fail` (error), `flaky` (error once, then an
    answer), `empty`, `filtered`, `cut`, `refuse`, `malformed` (control characters), `hang` (no answer
    within `timeout` seconds, default for ever). Others: `batch` (questions at a time), `wait`
    (seconds per batch), `oom` (more than this many at a time run out of memory), `die` (the process
    ends at this many answers), `gone=load` or `gone=answer` (an exception there), `dead=yes` (every
    answer fails), `modalities` (`text` or `text,image`), `device`, `seed`, and `log` (a file that gets a line for
    every load and every question asked).
    """

    backend_ids: ClassVar[tuple[str, ...]] = ("scripted",)
    kinds: ClassVar[frozenset[str]] = frozenset({"chat", "raw", "loglikelihood", "classify"})
    supports: ClassVar[frozenset[str]] = frozenset(
        {"do_sample", "temperature", "num_beams", "stop_sequences", "output_scores", "seed"}
    )

    def __init__(self, spec: ModelSpec) -> None:
        spec.check_options(*_FAULTS, *_ANSWERS, *_OTHERS)
        self.model_id = spec.name
        self.answer = spec.target
        self.shares = {name: spec.option(name, float, 0.0) for name in (*_FAULTS, *_ANSWERS)}
        self.batch_size = spec.option("batch", int, 16)
        self.wait = spec.option("wait", float, 0.0)
        self.oom = spec.option("oom", int, 0)
        self.die = spec.option("die", int, 0)
        self.gone = spec.option("gone", str, "")
        if self.gone not in ("", "load", "answer"):
            raise MmteError(f"{spec.where}: gone={self.gone!r} is neither load nor answer")
        self.dead = spec.option("dead", bool, False)
        self.timeout = spec.option("timeout", float, float("inf"))
        self.seed = spec.option("seed", int, 0)
        self.log = spec.option("log", str, "")
        self.modalities = frozenset(spec.option("modalities", str, "text,image").split(","))  # type: ignore[misc]
        self.device = spec.option("device", str, "none")
        self._given = 0
        self._flaked: set[str] = set()

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """The model of a spec; MmteError for a wrong option."""
        return cls(spec)

    def identity(self) -> Mapping[str, Any]:
        """The answer and the shares; how fast or how badly it is served does not count."""
        shares = {k: v for k, v in self.shares.items() if v and k in _ANSWERS}
        return {"backend": "scripted", "answer": self.answer, "seed": self.seed, **shares}

    def load(self) -> None:
        """Note the load; raise when told to."""
        self._note("LOAD")
        if self.gone == "load":
            raise ModelGone(f"model '{self.model_id}' was told to be gone")

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """One list, in the order of the requests."""
        batch = list(requests)
        if self.oom and len(batch) > self.oom:
            raise MemoryError(f"a batch of {len(batch)} where {self.oom} fit")
        if self.gone == "answer":
            raise RuntimeError("told to be gone")
        if self.wait:
            time.sleep(self.wait)
        done = []
        for request in batch:
            text = _text(request)
            self._note(hashlib.sha256(f"{text}{request.generation}".encode("utf-8", "surrogatepass")).hexdigest()[:16])
            done.append((request, self._respond(request, text)))
            self._given += 1
            if self.die and self._given >= self.die:
                os._exit(9)
        yield done

    def _respond(self, request: Request, text: str) -> Response:
        if self.dead:
            return Response.failed("connection refused (scripted)", model_id=self.model_id)
        if request.kind == "loglikelihood":
            return Response(self.model_id, "", -float(int(self._hash(text + request.continuation) * 1000)) / 10, "stop")
        does = self._behaviour(text)
        if does in ("fail", "flaky"):
            self._flaked.add(text)
            return Response.failed(f"told to {does}", retryable=does == "flaky", model_id=self.model_id)
        if does == "hang":
            time.sleep(min(self.timeout, 10**6))
            return Response.failed(f"no answer within {self.timeout:g} s", model_id=self.model_id)
        if does == "empty":
            return Response(self.model_id, "", None, "stop", "empty")
        if does == "filtered":
            return Response(self.model_id, "", None, "content_filter", "filtered")
        content = {"refuse": _REFUSAL, "malformed": _MALFORMED}.get(does, "") or self._words(text)
        return Response(self.model_id, content, None, "length" if does == "cut" else "stop", cut=does == "cut")

    def _words(self, text: str) -> str:
        if self.answer == "echo":
            return text
        choices = self.answer.split("|")
        chosen = choices[int(self._hash(text + "#answer") * len(choices))]
        return chosen.replace("{n}", str(int(self._hash(text) * 1000)))

    def _behaviour(self, text: str) -> str:
        """The fault or kind of answer that a question's hash picks; faults do not shift the answers."""
        for kind in (_FAULTS, _ANSWERS):
            point, edge = self._hash(f"{text}#{kind[0]}"), 0.0
            for name in kind:
                edge += self.shares[name]
                if point < edge:
                    if name == "flaky" and text in self._flaked:
                        break
                    return name
        return ""

    def _hash(self, text: str) -> float:
        """A number in [0, 1) that depends on the text and the seed only."""
        raw = hashlib.sha256(f"{self.seed}:{text}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(raw[:7], "big") / 2**56

    def _note(self, what: str) -> None:
        if self.log:
            with Path(self.log).open("a", encoding="utf-8") as file:
                file.write(f"{what} {os.environ.get('PYTEST_XDIST_WORKER', 'main')} {self.model_id}\n")


def _text(request: Request) -> str:
    """What was asked, images by their file names: the same wherever the data lies."""
    parts = []
    for message in request.messages:
        content = message["content"]
        if not isinstance(content, str):
            content = [Path(content.get("image_path") or "").name, content.get("text")]
        parts.append(content)
    return json.dumps(parts) + request.continuation
