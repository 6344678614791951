"""The openai backend against real servers on the loopback interface."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError, ModelGone
from mmte.models import transport
from mmte.models.base import BaseChat
from mmte.models.spec import parse_model
from mmte.models.transport import wait_seconds
from mmte.types import Generation, Request, Response

Answer = tuple[int, dict[str, str], bytes]


def ok(text: str = "Yes.", **choice: Any) -> Answer:
    return 200, {}, json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"} | choice]}).encode()


class Server(ThreadingHTTPServer):
    """Answers each POST with `script(body)`; keeps what it was asked and by how many connections."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, script: Callable[[dict[str, Any]], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is part of the tests."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        self.server.headers.append(dict(self.headers))
        self.server.paths.append(self.path)
        status, headers, answer = self.server.script(body)
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(answer))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)
        if int(headers.get("Content-Length", 0)) > len(answer):
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[dict[str, Any]], Answer]], Server]]:
    servers: list[Server] = []

    def start(script: Callable[[dict[str, Any]], Answer]) -> Server:
        servers.append(Server(script))
        threading.Thread(target=servers[-1].serve_forever, args=(0.02,), daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def model() -> Iterator[Callable[..., BaseChat]]:
    models: list[BaseChat] = []

    def build(server: Server | str, **options: object) -> BaseChat:
        url = server if isinstance(server, str) else server.url
        query = "&".join(f"{k}={v}" for k, v in ({"max_wait": 0.01} | options).items())
        models.append(parse_model(f"m=openai:org/model:1@{url}?{query}").build())
        return models[-1]

    yield build
    for one in models:
        one.close()


def requests(count: int, **settings: Any) -> list[Request]:
    generation = Generation.from_kwargs(settings)
    return [Request(({"role": "user", "content": f"Question {i}"},), generation) for i in range(count)]


def answers(chat: BaseChat, asked: list[Request]) -> list[Response]:
    got = {id(request): response for batch in chat.generate(asked) for request, response in batch}
    assert len(got) == len(asked)
    return [got[id(request)] for request in asked]


def ask(chat: BaseChat, **settings: Any) -> Response:
    return chat.chat([{"role": "user", "content": "Question"}], **settings)


# -- the good way --------------------------------------------------------------------------------
def test_each_request_gets_its_own_answer(serve: Any, model: Any) -> None:
    server = serve(lambda body: ok("re: " + body["messages"][0]["content"]))
    chat = model(server)
    asked = requests(150, max_new_tokens=7)
    (batch,) = chat.batches(asked)
    assert batch == asked
    assert [r.content for r in answers(chat, asked)] == [f"re: Question {i}" for i in range(150)]
    assert server.bodies[0] | {"messages": []} == {
        "model": "org/model:1",
        "messages": [],
        "max_tokens": 7,
        "temperature": 0,
        "stream": False,
    }
    assert set(server.paths) == {"/v1/chat/completions"}
    assert all("Authorization" not in headers for headers in server.headers)


def test_sampling_raw_text_and_the_name_of_the_limit(serve: Any, model: Any) -> None:
    server = serve(lambda body: (200, {}, b'{"choices": [{"text": " there"}]}'))
    chat = model(server, max_tokens="max_completion_tokens")
    settings = Generation.from_kwargs({"do_sample": True, "temperature": 0.5, "seed": 3, "stop_sequences": ["."]})
    raw = Request(({"role": "user", "content": "Hello"},), settings, kind="raw")
    assert answers(chat, [raw])[0].content == " there"
    assert server.paths == ["/v1/completions"]
    body = server.bodies[0]
    assert (body["prompt"], body["temperature"], body["seed"], body["stop"]) == ("Hello", 0.5, 3, ["."])
    assert body["max_completion_tokens"] == 50
    assert "max_tokens" not in body


def test_all_slots_and_no_more_are_used(serve: Any, model: Any) -> None:
    slots = 16
    together = threading.Barrier(slots)  # opens only when 16 requests are there at the same time

    def script(_: dict[str, Any]) -> Answer:
        together.wait(20)
        return ok()

    server = serve(script)
    assert all(r.status == "ok" for r in answers(model(server, slots=slots), requests(5 * slots)))
    assert server.connections <= slots


def test_connections_are_kept_between_calls(serve: Any, model: Any) -> None:
    server = serve(lambda body: ok())
    chat = model(server)
    for _ in range(5):
        assert ask(chat).content == "Yes."
    assert server.connections == 1


def test_requests_are_pulled_as_they_are_needed(serve: Any, model: Any) -> None:
    pulled = []

    def endless() -> Iterator[Request]:
        while True:
            pulled.extend(requests(1))
            yield pulled[-1]

    server = serve(lambda body: ok())
    stream = model(server, slots=4).generate(endless())
    done = len(next(stream)) + len(next(stream))
    stream.close()
    asked = len(server.bodies)
    assert done <= len(pulled) <= done + 3 * (transport.LIST_SIZE + 4)
    assert asked <= len(pulled)


def test_it_works_inside_a_running_loop_and_after_a_close(serve: Any, model: Any) -> None:
    chat = model(serve(lambda body: ok()))

    async def inside() -> list[Response]:
        return answers(chat, requests(3))

    assert [r.content for r in asyncio.run(inside())] == ["Yes."] * 3
    chat.close()
    chat.close()
    assert ask(chat).content == "Yes."


# -- trouble -------------------------------------------------------------------------------------
def after(*failures: Answer) -> Callable[[dict[str, Any]], Answer]:
    """A script that fails first and answers then."""
    left = list(failures)
    return lambda body: left.pop(0) if left else ok()


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503])
def test_passing_trouble_is_asked_again(serve: Any, model: Any, status: int) -> None:
    server = serve(after((status, {"Retry-After": "0"}, b"{}"), (status, {}, b"oops")))
    assert ask(model(server)).content == "Yes."
    assert len(server.bodies) == 3


def test_retries_end(serve: Any, model: Any) -> None:
    server = serve(lambda body: (429, {}, b'{"error": {"message": "rate limit"}}'))
    response = ask(model(server, retries=2))
    assert (response.status, response.error, response.retryable) == ("error", "HTTP 429: rate limit", False)
    assert len(server.bodies) == 3


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_wrong_request_is_asked_once(serve: Any, model: Any, status: int) -> None:
    server = serve(lambda body: (status, {}, b'{"error": {"message": "no such model"}}'))
    response = ask(model(server))
    assert (response.error, response.retryable) == (f"HTTP {status}: no such model", False)
    assert len(server.bodies) == 1


def test_a_cut_off_reply_is_asked_again(serve: Any, model: Any) -> None:
    server = serve(after((200, {"Content-Length": "1000"}, b'{"choices": [')))
    assert ask(model(server)).content == "Yes."
    response = ask(model(serve(lambda body: (200, {"Content-Length": "1000"}, b"{")), retries=1))
    assert response.status == "error" and not response.retryable
    assert "connection broke" in response.error


@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("bad", [(500, {}, b"{}"), (200, {}, b'{"choices": [')], ids=["500", "broken"])
def test_a_run_asks_no_more_often_than_retries_says(serve: Any, tmp_path: Path, retries: int, bad: Answer) -> None:
    server = serve(lambda body: bad)
    spec = parse_model(f"m=openai:m@{server.url}?max_wait=0.01&retries={retries}")
    run = Runtime(Settings(models={"m": spec}, cache=tmp_path / "c"))
    got = list(run.answers.get("m", requests(3)))
    run.close()
    assert [r.status for r in got] == ["error"] * 3
    assert len(server.bodies) == 3 * (1 + retries)


@pytest.mark.parametrize("bad", [b'{"choices": [', b"", b"upstream error"])
def test_broken_json_is_asked_again_and_a_page_is_not(serve: Any, model: Any, bad: bytes) -> None:
    server = serve(after((200, {}, bad)))
    assert ask(model(server, retries=1)).content == "Yes."
    assert len(server.bodies) == 2
    page = serve(lambda body: (200, {}, b" <html></html>"))
    assert not ask(model(page)).retryable and len(page.bodies) == 1


def test_a_slow_server_is_an_error(serve: Any, model: Any) -> None:
    hold = threading.Event()
    server = serve(lambda body: (hold.wait(20), ok())[1])
    response = ask(model(server, timeout=0.2, retries=1))
    hold.set()
    assert (response.status, response.error, response.retryable) == ("error", "no answer within 0.2 s", False)
    assert len(server.bodies) == 2


def test_a_huge_reply_is_an_error(serve: Any, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_BODY", 2**20)
    server = serve(lambda body: ok("x" * 2**21))
    response = ask(model(server))
    assert (response.error, response.retryable) == ("the reply is longer than 1 MB", False)
    assert len(server.bodies) == 1


def test_a_page_instead_of_json_is_an_error(serve: Any, model: Any) -> None:
    response = ask(model(serve(lambda body: (200, {}, b"<html><title>Welcome</title></html>"))))
    assert response.status == "error"
    assert "no JSON" in response.error and "Welcome" in response.error


def test_one_failure_leaves_the_others_alone(serve: Any, model: Any) -> None:
    def script(body: dict[str, Any]) -> Answer:
        return (400, {}, b"{}") if body["messages"][0]["content"].endswith("7") else ok()

    statuses = [r.status for r in answers(model(serve(script)), requests(30))]
    assert [i for i, status in enumerate(statuses) if status != "ok"] == [7, 17, 27]


def test_cut_and_filtered(serve: Any, model: Any) -> None:
    assert ask(model(serve(lambda body: ok(finish_reason="length")))).cut
    assert ask(model(serve(lambda body: ok("", finish_reason="content_filter")))).status == "filtered"
    refused = (400, {}, b'{"error": {"code": "content_filter", "message": "policy"}}')
    assert ask(model(serve(lambda body: refused))).status == "filtered"


@pytest.fixture
def dead_url() -> str:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{sock.getsockname()[1]}/v1"


def test_a_dead_endpoint_ends_the_run(model: Any, dead_url: str) -> None:
    place = dead_url.removeprefix("http://").removesuffix("/v1")
    with pytest.raises(ModelGone, match=f"{place} is not reachable"):
        answers(model(dead_url), requests(200))
    response = ask(model(dead_url))
    assert response.status == "error" and response.retryable
    assert f"{place} is not reachable" in response.error


def test_an_unsupported_setting_is_refused_before_anything_is_asked(serve: Any, model: Any) -> None:
    server = serve(lambda body: ok())
    mixed = [*requests(3), *requests(1, num_beams=4)]
    with pytest.raises(MmteError, match="does not support num_beams"):
        list(model(server).batches(mixed))
    with pytest.raises(MmteError, match="does not support num_beams"):
        list(model(server).generate(mixed))
    assert server.bodies == []


# -- keys ----------------------------------------------------------------------------------------
def test_a_key_goes_to_its_host_only(serve: Any, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = serve(lambda body: ok()), serve(lambda body: ok())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv(f"MMTE_API_KEY_127_0_0_1_{mine.server_port}", "sk-mine")
    ask(model(mine))
    ask(model(other))
    assert mine.headers[0]["Authorization"] == "Bearer sk-mine"
    assert "Authorization" not in other.headers[0]
    monkeypatch.setenv("CHOSEN", "sk-chosen")
    ask(model(other, key="CHOSEN"))
    assert other.headers[1]["Authorization"] == "Bearer sk-chosen"


def test_a_redirect_is_not_followed(serve: Any, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    thief = serve(lambda body: ok())
    server = serve(lambda body: (307, {"Location": f"{thief.url}/chat/completions"}, b""))
    monkeypatch.setenv("CHOSEN", "sk-chosen")
    response = ask(model(server, key="CHOSEN"))
    assert response.status == "error"
    assert f"redirects to {thief.url}" in response.error
    assert thief.bodies == []


def test_a_refused_key_names_the_variable_and_never_the_key(
    serve: Any, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHOSEN", "sk-chosen")
    server = serve(lambda body: (401, {}, b'{"error": {"message": "bad key sk-chosen"}}'))
    with pytest.raises(ModelGone, match=r"bad key \[key\].*set CHOSEN to a key") as caught:
        answers(model(server, key="CHOSEN"), requests(20))
    assert "sk-chosen" not in str(caught.value)
    with pytest.raises(ModelGone, match=f"set MMTE_API_KEY_127_0_0_1_{server.server_port} or MMTE_API_KEY_127_0_0_1 "):
        ask(model(server))
    echo = serve(lambda body: (400, {}, b"sk-chosen"))
    assert ask(model(echo, key="CHOSEN")).error == "HTTP 400: [key]"


def test_a_missing_or_unusable_key(model: Any, serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(lambda body: ok())
    monkeypatch.delenv("CHOSEN", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(MmteError, match="set the environment variable CHOSEN"):
        model(server, key="CHOSEN").load()
    with pytest.raises(MmteError, match="set the environment variable OPENAI_API_KEY"):
        parse_model("openai:gpt-4o").build().load()
    monkeypatch.setenv("CHOSEN", "two\nlines")
    with pytest.raises(MmteError, match="CHOSEN holds no usable key"):
        model(server, key="CHOSEN").load()


def test_a_key_never_travels_in_the_clear(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOSEN", "sk-chosen")
    with pytest.raises(MmteError, match="CHOSEN would go to example.com in the clear"):
        model("http://example.com/v1", key="CHOSEN")
    monkeypatch.setenv("MMTE_API_KEY_EXAMPLE_COM", "sk-chosen")
    with pytest.raises(MmteError, match="in the clear"):
        model("http://example.com/v1").load()


# -- waiting -------------------------------------------------------------------------------------
@given(st.integers(0, 10_000), st.text(max_size=20) | st.floats().map(str), st.floats(0, 3600))
def test_a_wait_is_never_longer_than_allowed(attempt: int, header: str, longest: float) -> None:
    assert 0 <= wait_seconds(attempt, header, longest) <= longest


def test_retry_after_is_honoured() -> None:
    assert 20 <= wait_seconds(0, "20", 60) <= 21
    assert wait_seconds(0, "3600", 60) == 60
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert 15 <= wait_seconds(0, soon, 60) <= 21
    assert wait_seconds(0, "Wed, 01 Jan 2020 00:00:00 GMT", 60) <= 1
    assert wait_seconds(3, "", 60) <= 4.0
