"""A hub on the loopback interface: serves folders as repositories under the API paths of huggingface.co."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class Hub(ThreadingHTTPServer):
    """`repositories`: id -> folder. `asked` keeps the paths of all requests; the commit is one digit 40 times.

    `stop_at`: file name -> where its next transfers break off in bytes, or are refused (-1). `began` keeps the name
    and the first byte of each transfer of weights.
    """

    daemon_threads = True

    def __init__(self, repositories: Mapping[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories = dict(repositories)
        self.commit = "a" * 40
        self.asked: list[str] = []
        self.stop_at: dict[str, list[int]] = {}
        self.began: list[tuple[str, int]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def environment(self, home: Path) -> dict[str, str]:
        """What a process needs to use this hub and nothing of the user's."""
        return {"HF_ENDPOINT": self.url, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1",
                "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_ETAG_TIMEOUT": "5"}  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def do_HEAD(self) -> None:
        self._serve(body=False)

    def do_GET(self) -> None:
        self._serve(body=True)

    def _serve(self, *, body: bool) -> None:
        path = unquote(urlsplit(self.path).path).strip("/")
        self.server.asked.append(path)
        for name, folder in self.server.repositories.items():
            for place, answer in ((f"api/models/{name}", self._api), (name, self._resolve)):
                if path == place or path.startswith(place + "/"):
                    answer(folder, path[len(place) + 1 :].split("/"), name, body)
                    return
        self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"}, body)

    def _api(self, folder: Path, rest: list[str], name: str, body: bool) -> None:
        if rest[0] in ("revision", "tree") and rest[1] not in ("main", self.server.commit):
            self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"}, body)
            return
        files = {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*")) if p.is_file()}
        reply: Any = {"id": name, "sha": self.server.commit, "siblings": [{"rfilename": path} for path in files]}
        if rest[0] == "tree":
            reply = [
                {"type": "file", "path": path, "size": p.stat().st_size, "oid": _etag(p)} for path, p in files.items()
            ]
        self._send(200, json.dumps(reply).encode(), {"Content-Type": "application/json"}, body)

    def _resolve(self, folder: Path, rest: list[str], name: str, body: bool) -> None:
        file = folder.joinpath(*rest[2:])
        if rest[0] != "resolve" or len(rest) < 3 or not file.is_file():
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, body)
            return
        data, headers = file.read_bytes(), {"ETag": f'"{_etag(file)}"', "X-Repo-Commit": self.server.commit}
        if not body or file.suffix != ".safetensors":
            self._send(200, data, headers, body)
            return
        stops = self.server.stop_at.get(file.name)
        stop = stops.pop(0) if stops else len(data)
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(found[1]) if found else 0
        self.server.began.append((file.name, start))
        if stop < 0:
            self._send(500, b"", {}, body)
            return
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        self._send(206 if start else 200, data[start:], headers, body, stop)

    def _send(self, status: int, data: bytes, headers: Mapping[str, str], body: bool, stop: int | None = None) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if body:
            self.wfile.write(data[:stop])
            self.close_connection = stop is not None and stop < len(data)

    def log_message(self, *_: Any) -> None:
        pass


def _etag(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()


@contextmanager
def serving(repositories: Mapping[str, Path]) -> Iterator[Hub]:
    """A hub that serves until the block ends."""
    hub = Hub(repositories)
    thread = threading.Thread(target=hub.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        thread.join()
        hub.server_close()
