"""The one door to any model: cached, asked once over all processes, retried, given up when it is dead."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from mmte.engine.cache import AnswerCache
from mmte.engine.keys import FileHashes, Keys
from mmte.engine.pool import Pool
from mmte.engine.shared import RunState
from mmte.errors import MmteError, ModelGone, Unavailable
from mmte.models.base import BaseChat
from mmte.types import Request, Response

WINDOW = 1024
"""Requests looked up, cut into batches and held in memory at a time."""
BREAKER = 20
"""Failures in a row, with no answer among them, after which a model is given up."""
RETRY_WAITS = (0.5,)
"""Seconds before what failed for a passing reason is asked again."""

Asked = dict[bytes, Request]


class Answers:
    """Answers requests of any model of the pool; see the module's first line.

    Args:
        offline: never ask; what the cache lacks is a failure.
        heard: (attribute) told `(model, how many)` as answers become available.
        asked_of, cached_of: (attributes) how many answers each model gave, and how many of its the cache had.
    """

    def __init__(self, pool: Pool, cache: AnswerCache, state: RunState, *, offline: bool = False) -> None:
        self.pool, self.cache, self.state, self.offline = pool, cache, state, offline
        self.heard: Callable[[str, int], None] | None = None
        self.allowed: set[str] | None = None
        self.asked_of: Counter[str] = Counter()
        self.cached_of: Counter[str] = Counter()
        self._files = FileHashes()
        self._keys: dict[str, Keys] = {}
        self._row: dict[str, int] = {}  # failures in a row, by model

    @property
    def asked(self) -> int:
        """How many answers all models gave."""
        return self.asked_of.total()

    @property
    def cached(self) -> int:
        """How many answers the cache had."""
        return self.cached_of.total()

    def may_ask(self, model: str) -> bool:
        """Whether it is this model's phase, so that asking it loads nothing out of turn."""
        return self.allowed is None or model in self.allowed

    def keys(self, model: str) -> Keys:
        """The function that makes the cache keys of a model's requests."""
        if model not in self._keys:
            self._keys[model] = Keys(self.pool.model(model).identity(), self._files)
        return self._keys[model]

    def get(self, model: str, requests: Iterable[Request]) -> Iterator[Response]:
        """Responses in the order of the requests; a response that is no answer has status error.

        Raises:
            ModelGone: the model cannot be asked (any more); answers so far are in the cache.
            MmteError: the model does not support what a request asks for.
        """
        key_of = self.keys(model)
        stream = iter(requests)
        while window := list(islice(stream, WINDOW)):
            keys: list[bytes] = []
            failed: dict[bytes, Response] = {}
            for position, request in enumerate(window):
                try:
                    keys.append(key_of(request))
                except OSError as error:
                    key = b"unreadable-%d" % position
                    keys.append(key)
                    failed[key] = Response.failed(f"image cannot be read: {error}")
            have = self.cache.get(keys)
            self.cached_of[model] += sum(1 for k in keys if k in have)
            if len(have) < len(set(keys)):
                have |= failed | self.state.failed(keys)
                self._tell(model, sum(1 for k in keys if k in have))
                if any(k not in have for k in keys):
                    self._complete(model, window, keys, have)
            else:
                self._tell(model, len(keys))
            for key in keys:
                yield have[key]

    def known(self, model: str, requests: Iterable[Request]) -> int:
        """How many of the requests the cache can answer; nothing is asked."""
        key_of, total, stream = self.keys(model), 0, iter(requests)
        while window := list(islice(stream, WINDOW)):
            keys = [key_of(r) for r in window]
            there = self.cache.has(keys)
            total += sum(1 for k in keys if k in there)
        return total

    # -- asking --------------------------------------------------------------------------------
    def _complete(
        self, model: str, window: Sequence[Request], keys: Sequence[bytes], have: dict[bytes, Response]
    ) -> None:
        """Fill `have` for every key of the window."""
        if self.offline:
            missing = Response.failed("not in the cache (--mmte-offline)")
            have.update({k: missing for k in keys if k not in have})
            return
        self._refuse_if_gone(model)
        chat = self.pool.model(model)
        _check_supported(model, chat, window)
        key_by_id = {id(r): k for r, k in zip(window, keys, strict=True)}
        todo: list[Asked] = []
        for batch in chat.batches(window):  # cut before the cache is looked at: a resumed run makes the same batches
            asked = {key_by_id[id(r)]: r for r in batch if key_by_id[id(r)] not in have}
            if asked:
                todo.append(asked)
        while todo:
            todo = self._round(model, todo, have)

    def _round(self, model: str, todo: list[Asked], have: dict[bytes, Response]) -> list[Asked]:
        """Ask what nobody else is asking; then see what the others have got. Returns what is left."""
        worked = False
        for asked in todo:
            wanted = [k for k in asked if k not in have]
            mine = self.state.lease(wanted) if wanted else set()
            if mine and not self.state.alone:  # it may have been answered between the look-up and the lease
                fresh = self.cache.get(list(mine)) | self.state.failed(list(mine))
                self._take(model, fresh, have)
                self.state.release(list(fresh))
                mine -= fresh.keys()
            if mine:
                worked = True
                try:
                    self._ask(model, {k: r for k, r in asked.items() if k in mine}, have)
                finally:
                    self.state.release(list(mine))
        left = [{k: r for k, r in asked.items() if k not in have} for asked in todo]
        left = [asked for asked in left if asked]
        if left:
            others = [k for asked in left for k in asked]
            self._take(model, self.cache.get(others) | self.state.failed(others), have)
            if not worked:
                self._refuse_if_gone(model)
                self.state.take_over(others)
                time.sleep(0.02)
        return [rest for asked in left if (rest := {k: r for k, r in asked.items() if k not in have})]

    def _take(self, model: str, found: dict[bytes, Response], have: dict[bytes, Response]) -> None:
        have |= found
        self.cached_of[model] += len(found)
        self._tell(model, len(found))

    def _ask(self, model: str, asked: Asked, have: dict[bytes, Response]) -> None:
        """Ask one batch, and once more what failed for a passing reason."""
        left = self._generate(model, asked, have)
        for wait in RETRY_WAITS:
            again = {k: asked[k] for k, r in left.items() if r.retryable}
            if not again:
                break
            time.sleep(wait)
            left = {k: r for k, r in left.items() if k not in again} | self._generate(model, again, have)
        self.state.fail(list(left.items()))
        have |= left
        self._tell(model, len(left))
        self._count_failures(model, left)

    def _generate(self, model: str, asked: Asked, have: dict[bytes, Response]) -> dict[bytes, Response]:
        """One pass over the model; each list it yields is one transaction. Returns the failures."""
        key_by_id = {id(r): k for k, r in asked.items()}
        failed: dict[bytes, Response] = {}
        done: set[bytes] = set()
        try:
            for results in self.pool.ready(model).generate(list(asked.values())):
                rows = [(key_by_id[id(request)], _plain(response)) for request, response in results]
                good = [(k, r) for k, r in rows if r.status != "error"]
                failed |= {k: r for k, r in rows if r.status == "error"}
                done.update(k for k, _ in rows)
                if good:
                    self.cache.put(good)
                    self._row[model] = 0
                    have.update(good)
                    self.asked_of[model] += len(good)
                    self._tell(model, len(good))
        except (KeyboardInterrupt, ModelGone) as error:
            if isinstance(error, ModelGone):
                self.state.bury(model, str(error))
            raise
        except MmteError:
            raise
        except Exception as error:  # noqa: BLE001  what a backend's libraries raise is not ours to know
            rest = {k: r for k, r in asked.items() if k not in done}
            if _out_of_memory(error):
                return failed | self._smaller(model, rest, have, error)
            self._give_up(model, f"{type(error).__name__}: {error}", error)
        for key in asked.keys() - done:
            failed[key] = Response.failed("the model returned no answer for this request")
        return failed

    def _smaller(self, model: str, rest: Asked, have: dict[bytes, Response], error: Exception) -> dict[bytes, Response]:
        """Out of memory: halve what is asked at a time; one request too large is that request's failure."""
        if len(rest) == 1:
            return dict.fromkeys(rest, Response.failed(f"out of memory even alone: {_short(error)}"))
        items = list(rest.items())
        failed: dict[bytes, Response] = {}
        half = len(items) // 2
        for part in (items[:half], items[half:]):
            failed |= self._generate(model, dict(part), have)
        return failed

    def _count_failures(self, model: str, failed: dict[bytes, Response]) -> None:
        if not failed:
            return
        self._row[model] = self._row.get(model, 0) + len(failed)
        if self._row[model] >= BREAKER:
            last = next(reversed(failed.values())).error
            self._give_up(model, f"{self._row[model]} failures in a row, the last: {last}", None)

    def _give_up(self, model: str, why: str, cause: Exception | None) -> None:
        message = f"model '{model}' is given up: {_short(why)}"
        self.state.bury(model, message)
        raise ModelGone(message) from cause

    def _refuse_if_gone(self, model: str) -> None:
        if why := self.state.why_gone(model):
            raise ModelGone(why)

    def _tell(self, model: str, n: int) -> None:
        if self.heard is not None and n:
            self.heard(model, n)


def _plain(response: Response) -> Response:
    """What came back, made safe to store: a text is a text, and nothing but white space is empty."""
    if response.status == "ok" and not isinstance(response.content, str):
        return Response.failed(f"the model returned a {type(response.content).__name__} where a text belongs")
    if response.status == "ok" and response.logprobs is None and not response.content.strip():
        return Response(response.model_id, "", None, response.finish_reason, "empty", response.cut, response.reasoning,
                        response.usage)  # fmt: skip
    return response


def shows_image(request: Request) -> bool:
    """Whether a message of the request holds an image."""
    return any(not isinstance(m["content"], str) and m["content"].get("image_path") for m in request.messages)


def _check_supported(name: str, chat: BaseChat, window: Sequence[Request]) -> None:
    supports, kinds = chat.supports, chat.kinds
    if "image" not in chat.modalities and any(map(shows_image, window)):
        raise Unavailable(f"model '{name}' reads text only, and the dataset shows images")
    for request in {(r.generation, r.kind): r for r in window}.values():
        if request.kind not in kinds:
            raise MmteError(
                f"model '{name}' cannot answer {request.kind} requests (it can: {', '.join(sorted(kinds))})"
            )
        for setting in request.generation.changed():
            if setting not in supports:
                raise MmteError(
                    f"model '{name}' does not support {setting} (it supports: {', '.join(sorted(supports))})"
                )


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def _short(what: object) -> str:
    return " ".join(str(what).split())[:300]
