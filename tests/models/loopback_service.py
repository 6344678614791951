"""A JSON service on the loopback interface that answers, or misbehaves, as a script says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Mapping[str, str], bytes]
Script = Callable[[dict[str, Any]], Answer]


class Service(ThreadingHTTPServer):
    """Answers each POST with `script(body)`; keeps bodies, headers and paths."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is part of the tests."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        self.server.headers.append(dict(self.headers))
        self.server.paths.append(self.path)
        status, headers, answer = self.server.script(body)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection = int(headers.get("Content-Length", 0)) > len(answer)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(script: Script) -> Iterator[Service]:
    """A service that answers until the block ends."""
    service = Service(script)
    thread = threading.Thread(target=service.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield service
    finally:
        service.shutdown()
        thread.join()
        service.server_close()


def reply(body: Any, status: int = 200, **headers: str) -> Answer:
    """A reply with a JSON body."""
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(body).encode()


def once(first: Answer, then: Script) -> Script:
    """`first` for each text's first request, `then` for the others."""
    seen: set[str] = set()

    def script(body: dict[str, Any]) -> Answer:
        text = json.dumps(body)
        if text in seen:
            return then(body)
        seen.add(text)
        return first

    return script
