"""Many HTTP requests at once from plain code: an event loop in a thread of its own, retries, one session."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import random
import threading
import time
import urllib.request
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mmte import __version__
from mmte.errors import MissingExtra, ModelGone
from mmte.models.endpoint import Endpoint
from mmte.models.text import one_line
from mmte.types import Response

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")
R = TypeVar("R")

MAX_BODY = 32 * 2**20  # bytes of one reply
LIST_SIZE = 64  # answers in one yielded list at most
LIST_SECONDS = 0.25  # and how long they wait for each other
GONE_AFTER = 8  # failed connections in a row, none ever made
CONNECT_RETRIES = 2


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server sent."""

    status: int
    body: bytes = b""
    location: str = ""
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard to try: requests in flight, seconds for one attempt, attempts after the first, the longest
    wait between two (seconds), and attempts started per second (0: as many as there can be)."""

    slots: int = 64
    timeout: float = 60.0
    retries: int = 4
    max_wait: float = 60.0
    rate: float = 0.0


class Transport:
    """Posts JSON to one endpoint; the session lives from `start` to `stop`, across calls of `post_all`.

    `read` makes a response of a reply; one that says `retryable` is asked for again, up to `retries` times, and is
    final then: what comes back says `retryable` only where no connection was made, so that nothing was asked. The
    key goes as a bearer token, or by itself in the header that `key_header` names.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits, key: str, read: Callable[[Reply], Response], key_header: str = ""
    ) -> None:
        self.endpoint, self.limits, self.read = endpoint, limits, read
        self._headers = {"Content-Type": "application/json", "User-Agent": f"mmte/{__version__}"}
        if key:
            self._headers[key_header or "Authorization"] = key if key_header else f"Bearer {key}"
        self._reached = False
        self._unreachable = 0
        self._next_start = 0.0  # of an attempt, on the loop's clock

    def start(self) -> None:
        """Open the session.

        Raises:
            MissingExtra: aiohttp is not installed.
        """
        try:
            import aiohttp
        except ImportError:
            raise MissingExtra("a model behind an API", "api", "aiohttp") from None
        self._proxy = _proxy(self.endpoint)
        self._lost: tuple[type[Exception], ...] = (aiohttp.ClientError, OSError)
        self._no_connection = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="mmte-http", daemon=True)
        thread.start()
        self._session: aiohttp.ClientSession = self._call(self._open())
        self._finalizer = weakref.finalize(self, _shut, self._loop, thread, self._session)

    def stop(self) -> None:
        """Close the session and end the thread."""
        self._finalizer()

    def post_all(self, jobs: Iterable[tuple[T, str, bytes]]) -> Iterator[list[tuple[T, Response]]]:
        """Post (tag, path, body) jobs, `slots` at a time; yields (tag, response) as they complete.

        Jobs are pulled in the caller's thread, not many more than are in flight.

        Raises:
            ModelGone: nothing listens there, or `read` said so; what completed before is yielded.
        """
        run: _Run[T] = _Run(self.limits.slots, self._answer)
        source = iter(jobs)
        left = 0  # handed over, not yet come back
        more = True
        try:
            while True:
                while more and left < self.limits.slots + LIST_SIZE:
                    try:
                        run.pending.append(next(source))
                    except StopIteration:
                        more = False
                        break
                    left += 1
                self._loop.call_soon_threadsafe(run.pump)
                if not left:
                    return
                batch = run.out.get()
                if isinstance(batch, BaseException):
                    raise batch
                left -= len(batch)
                yield batch
        finally:
            if self._finalizer.alive:
                self._call(run.cancel())

    # -- in the loop's thread --------------------------------------------------------------------
    async def _open(self) -> aiohttp.ClientSession:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=self.limits.timeout, sock_connect=min(10.0, self.limits.timeout))
        connector = aiohttp.TCPConnector(limit=self.limits.slots, ttl_dns_cache=300, keepalive_timeout=60)
        # No cookies, no netrc and (in _post) no redirects: nothing but the key for this host is ever sent.
        return aiohttp.ClientSession(
            connector=connector, timeout=timeout, headers=self._headers, cookie_jar=aiohttp.DummyCookieJar()
        )

    async def _answer(self, path: str, body: bytes) -> Response:
        connects = attempt = 0
        while True:
            hint = ""
            await self._turn()
            try:
                reply = await self._post(path, body)
            except self._no_connection as error:
                last = connects >= min(CONNECT_RETRIES, self.limits.retries)
                response = self._not_reached(error, last)
                connects += 1
                if last:
                    return response
                await asyncio.sleep(0.1 * 2**connects * random.uniform(0.5, 1.0))
                continue
            except TimeoutError:
                response = self._failed(f"no answer within {self.limits.timeout:g} s")
            except _TooLong:
                self._reached = True
                return Response.failed(f"the reply is longer than {MAX_BODY >> 20} MB")
            except self._lost as error:
                response = self._failed(f"the connection broke: {type(error).__name__}: {error}")
            else:
                self._reached = True
                response, hint = self.read(reply), reply.retry_after
            if not response.retryable:
                return response
            if attempt >= self.limits.retries:
                return replace(response, retryable=False)  # or the engine would ask as often once more
            await asyncio.sleep(wait_seconds(attempt, hint, self.limits.max_wait))
            attempt += 1

    async def _turn(self) -> None:
        """Wait until the rate allows one more attempt."""
        if self.limits.rate > 0:
            now = self._loop.time()
            start = max(now, self._next_start)
            self._next_start = start + 1 / self.limits.rate
            await asyncio.sleep(start - now)

    async def _post(self, path: str, body: bytes) -> Reply:
        url = self.endpoint.url + path
        async with self._session.post(url, data=body, allow_redirects=False, proxy=self._proxy) as got:
            chunks: list[bytes] = []
            size = 0
            async for chunk in got.content.iter_any():
                size += len(chunk)
                if size > MAX_BODY:
                    got.close()
                    raise _TooLong
                chunks.append(chunk)
            headers = got.headers
            return Reply(got.status, b"".join(chunks), headers.get("Location", ""), headers.get("Retry-After", ""))

    def _not_reached(self, error: Exception, last: bool) -> Response:
        why = getattr(error, "os_error", None) or error
        number = getattr(why, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else getattr(why, "strerror", None) or why
        text = f"{self.endpoint.place} is not reachable: {reason}"
        if last and not self._reached:
            self._unreachable += 1
            if self._unreachable >= GONE_AFTER:
                raise ModelGone(f"the model server {one_line(text)}. Is it running, and is the URL right?")
        return self._failed(text)

    def _failed(self, text: str) -> Response:
        return Response.failed(one_line(text), retryable=True)

    def _call(self, work: Coroutine[Any, Any, R]) -> R:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class _TooLong(Exception):
    """A reply of more than MAX_BODY bytes."""


class _Run(Generic[T]):
    """The jobs of one `post_all`. Everything but the two queues is touched by the loop's thread only."""

    def __init__(self, slots: int, answer: Callable[[str, bytes], Coroutine[Any, Any, Response]]) -> None:
        self.pending: deque[tuple[T, str, bytes]] = deque()
        self.out: SimpleQueue[list[tuple[T, Response]] | BaseException] = SimpleQueue()
        self._slots, self._answer = slots, answer
        self._flying: set[asyncio.Task[None]] = set()
        self._done: list[tuple[T, Response]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def pump(self) -> None:
        """Start what fits into the free slots."""
        while self.pending and len(self._flying) < self._slots and not self._stopped:
            task = asyncio.get_running_loop().create_task(self._one(*self.pending.popleft()))
            self._flying.add(task)
            task.add_done_callback(self._landed)

    async def cancel(self) -> None:
        """Drop what waits and what is in flight."""
        self._stopped = True
        if self._timer:
            self._timer.cancel()
        flying = list(self._flying)
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)

    async def _one(self, tag: T, path: str, body: bytes) -> None:
        response = await self._answer(path, body)
        self._done.append((tag, response))  # the list of now, not the one from before the wait

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._flying.discard(task)
        error = None if task.cancelled() else task.exception()  # always fetched, or asyncio logs it
        if self._stopped:
            return
        if error is not None:
            self._stopped = True
            self._flush()
            self.out.put(error)
            return
        self.pump()
        if len(self._done) >= LIST_SIZE or not self._flying:
            self._flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LIST_SECONDS, self._flush)

    def _flush(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._done:
            self.out.put(self._done)
            self._done = []


def wait_seconds(attempt: int, retry_after: str, longest: float) -> float:
    """Seconds to wait before the next attempt: what the server asks for (seconds or an HTTP date,
    RFC 9110 section 10.2.3), else 0.5 s doubled each time; never more than `longest`, with jitter."""
    asked = math.nan
    with contextlib.suppress(ValueError):
        asked = float(retry_after)
    if math.isnan(asked) and retry_after:
        with contextlib.suppress(ValueError, OverflowError):
            asked = parsedate_to_datetime(retry_after).timestamp() - time.time()
    if not math.isnan(asked):
        # Never earlier than asked; a little later, so that all slots do not come back at once.
        return min(longest, max(0.0, asked) + random.uniform(0.0, 0.25))
    return min(longest, 0.5 * 2.0 ** min(attempt, 30)) * random.uniform(0.5, 1.0)


def _proxy(endpoint: Endpoint) -> str | None:
    """The proxy of the environment, never for this machine."""
    if endpoint.loopback or urllib.request.proxy_bypass(endpoint.host):
        return None
    return urllib.request.getproxies().get(endpoint.scheme)


def _shut(loop: asyncio.AbstractEventLoop, thread: threading.Thread, session: aiohttp.ClientSession) -> None:
    closing: Future[None] = asyncio.run_coroutine_threadsafe(session.close(), loop)
    with contextlib.suppress(TimeoutError):
        closing.result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)
    if not loop.is_running():
        loop.close()
