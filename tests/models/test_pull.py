"""Model files from a package index (on the loopback interface) and from disk."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import socket
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mmte.errors import MmteError
from mmte.models import commands, download, store
from mmte.models import pull as pull_module
from mmte.models.download import Index, configured_index
from mmte.models.pull import pinned, pull

GGUF = b"GGUF" + bytes(range(256)) * 2000


def wheel_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


WHEEL = wheel_of({"fake_model/__init__.py": b"", "fake_model/Fake.gguf": GGUF})


class IndexServer(ThreadingHTTPServer):
    """A package index with one wheel; `stop_at` breaks the next transfers off at these bytes."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wheel = WHEEL
        self.html = False
        self.ranges = True
        self.link = "../../files/fake_model-1.0-py3-none-any.whl#sha256=ignored"
        self.stop_at: list[int] = []
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []


class _Handler(BaseHTTPRequestHandler):
    server: IndexServer

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.path} {self.headers.get('Range', '')}".strip())
        self.server.headers.append(dict(self.headers))
        if self.path == "/simple/fake-model/":
            self._page()
        elif self.path == "/files/fake_model-1.0-py3-none-any.whl":
            self._file()
        else:
            self.send_error(404)

    def _page(self) -> None:
        files = [
            {"filename": "fake_model-1.0.tar.gz", "url": "../../files/fake_model-1.0.tar.gz"},
            {"filename": "fake_model-1.0-py3-none-any.whl", "url": self.server.link},
        ]
        body = json.dumps({"files": files})
        if self.server.html:
            body = "".join(f'<a href="{f["url"]}">{f["filename"]}</a><br>' for f in files)
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.server.html else "application/vnd.pypi.simple.v1+json")
        self.end_headers()
        self.wfile.write(body.encode())

    def _file(self) -> None:
        wheel = self.server.wheel
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(match[1]) if match and self.server.ranges else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(wheel) - 1}/{len(wheel)}")
        self.send_header("Content-Length", str(len(wheel) - start))
        self.end_headers()
        self.wfile.write(wheel[start : self.server.stop_at.pop(0) if self.server.stop_at else None])

    def log_message(self, *_: Any) -> None:
        pass


def pin_entry(wheel: bytes = WHEEL, gguf: bytes = GGUF) -> dict[str, Any]:
    return {
        "requirement": "fake-model==1.0",
        "wheel_sha256": hashlib.sha256(wheel).hexdigest(),
        "wheel_bytes": len(wheel),
        "member": "fake_model/*.gguf",
        "sha256": hashlib.sha256(gguf).hexdigest(),
        "bytes": len(gguf),
    }


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty models folder, and a catalogue with one fake model."""
    entries = {
        "fake": {"spec": "gguf:fake", "about": "A fake", "licence": "MIT", "pull": pin_entry()},
        "bare": {"spec": "openai:bare"},
    }
    for module in (pull_module, commands):
        monkeypatch.setattr(module, "catalogue", lambda: entries)
    monkeypatch.setattr(store, "user_cache_path", lambda _: tmp_path / "cache")
    monkeypatch.setattr(download, "_pip_config", dict)
    monkeypatch.setenv("MMTE_MODELS_DIR", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexServer]:
    server = IndexServer()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
    yield server
    server.shutdown()
    server.server_close()


def left_over(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"fake.lock"}


# -- from an index -------------------------------------------------------------------------------
@pytest.mark.parametrize("html", [False, True])
def test_a_model_is_fetched_once(index: IndexServer, folder: Path, html: bool) -> None:
    index.html = html
    seen: list[tuple[int, int]] = []
    path = pull("fake", progress=lambda done, total: seen.append((done, total)))
    assert path == folder / "fake.gguf"
    assert path.read_bytes() == GGUF
    assert left_over(folder) == {"fake.gguf"}
    assert seen == sorted(seen)
    assert seen[-1] == (len(WHEEL), len(WHEEL))
    asked = len(index.asked)
    assert pull("fake") == path
    assert len(index.asked) == asked


def test_workers_that_start_together_fetch_once(index: IndexServer) -> None:
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(lambda _: pull("fake"), range(4)))
    assert len(paths) == 1
    assert len(index.asked) == 2  # the page and the wheel


def test_a_broken_transfer_goes_on_by_itself(index: IndexServer) -> None:
    index.stop_at = [100_000, 300_000]
    assert pull("fake").read_bytes() == GGUF
    assert [asked.partition(" ")[2] for asked in index.asked[1:]] == ["", "bytes=100000-", "bytes=300000-"]


def test_a_transfer_that_keeps_breaking_goes_on_next_time(index: IndexServer, folder: Path) -> None:
    index.stop_at = [50_000] * 9
    with pytest.raises(MmteError, match=f"sent 50000 of {len(WHEEL)} bytes; run it again"):
        pull("fake")
    assert left_over(folder) == {"fake.whl.part"}
    index.stop_at = []
    assert pull("fake").read_bytes() == GGUF
    assert index.asked[-1].endswith("bytes=50000-")


def test_a_server_without_ranges_starts_again(index: IndexServer) -> None:
    index.ranges = False
    index.stop_at = [100_000]
    assert pull("fake").read_bytes() == GGUF


@pytest.mark.parametrize(
    ("wheel", "message"), [(WHEEL[:-1] + b"x", "sha256"), (WHEEL + b"x", f"more than {len(WHEEL)} bytes")]
)
def test_another_file_is_refused_and_deleted(index: IndexServer, folder: Path, wheel: bytes, message: str) -> None:
    index.wheel = wheel
    with pytest.raises(MmteError, match=f"is not the pinned file .{message}.*deleted"):
        pull("fake")
    assert left_over(folder) == set()


def test_an_index_without_the_model(index: IndexServer) -> None:
    index.link = "../../files/gone.whl"
    with pytest.raises(MmteError, match="answers 404 .* for /files/gone.whl; where there is a net"):
        pull("fake")
    index.link = "http://example.com/fake_model-1.0-py3-none-any.whl"
    with pytest.raises(MmteError, match="names an insecure address"):
        pull("fake")


def test_offline_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{sock.getsockname()[1]}"
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:secret@{place}/simple")
    with pytest.raises(MmteError) as caught:
        pull("fake")
    text = str(caught.value)
    assert f"the package index {place} could not be reached (Connection refused)" in text
    assert "pip download --no-deps fake-model==1.0" in text
    assert "mmte models pull fake --from FILE.whl" in text
    assert "secret" not in text
    assert "\n" not in text


def test_a_login_goes_to_the_index_only(index: IndexServer, monkeypatch: pytest.MonkeyPatch) -> None:
    host = f"127.0.0.1:{index.server_port}"
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:secret@{host}/simple")
    index.link = f"http://localhost:{index.server_port}/files/fake_model-1.0-py3-none-any.whl"
    pull("fake")
    assert index.headers[0]["Authorization"] == "Basic bWU6c2VjcmV0"
    assert "Authorization" not in index.headers[1]


def test_the_index_is_that_of_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = https://me:p%40ss@pkgs.example.com/simple/\n")
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    index = configured_index()
    assert (index.url, index.login) == ("https://pkgs.example.com/simple", "me:p@ss")
    monkeypatch.setenv("PIP_INDEX_URL", "ftp://x/simple")
    with pytest.raises(MmteError, match="index-url is no http"):
        configured_index()


def test_what_an_index_may_name() -> None:
    index = Index("http://pkgs.local:81/simple")
    for url in ("https://any.com/f", "http://pkgs.local:81/f", "http://127.0.0.1:9/f", "http://localhost/f"):
        assert index.trusts(url)
    for url in ("http://any.com/f", "http://pkgs.local/f", "file:///etc/passwd", "ftp://pkgs.local:81/f"):
        assert not index.trusts(url)


# -- from disk -----------------------------------------------------------------------------------
def test_a_wheel_or_a_model_file_from_disk(tmp_path: Path, folder: Path) -> None:
    wheel, model = tmp_path / "fake.whl", tmp_path / "model.gguf"
    wheel.write_bytes(WHEEL)
    model.write_bytes(GGUF)
    assert pull("fake", source=wheel).read_bytes() == GGUF
    assert pull("fake", source=model, to=tmp_path / "other") == tmp_path / "other" / "fake.gguf"
    assert left_over(folder) == {"fake.gguf"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GGUF[:-1] + b"x", "is not the pinned file"),
        (GGUF + b"x", "is not the pinned file"),
        (GGUF[:1000], "is not the pinned file"),
        (b"neither", "neither a wheel nor a GGUF file"),
        (b"PK\x03\x04 broken", "broken wheel"),
        (wheel_of({"fake_model/__init__.py": b""}), "has 0 files fake_model"),
        (wheel_of({"fake_model/a.gguf": GGUF, "fake_model/b.gguf": GGUF}), "has 2 files"),
        (wheel_of({"fake_model/a.gguf": GGUF[::-1]}), "is not the pinned file"),
    ],
)
def test_wrong_files_leave_nothing_behind(tmp_path: Path, folder: Path, data: bytes, message: str) -> None:
    source = tmp_path / "source"
    source.write_bytes(data)
    with pytest.raises(MmteError, match=message):
        pull("fake", source=source)
    assert left_over(folder) == set()


def test_a_wrong_file_in_place_is_named(folder: Path) -> None:
    folder.mkdir()
    (folder / "fake.gguf").write_bytes(GGUF[::-1])
    with pytest.raises(MmteError, match="fake.gguf is not the pinned file of fake"):
        pull("fake")


def test_what_cannot_be_pulled(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="'fak' has no file to pull. Did you mean 'fake'"):
        pull("fak")
    assert pinned("bare") is None
    with pytest.raises(MmteError, match="No such file"):
        pull("fake", source=tmp_path / "absent.whl")
    (tmp_path / "file").write_text("")
    with pytest.raises(MmteError, match="cannot pull fake: "):
        pull("fake", to=tmp_path / "file")


# -- the command ---------------------------------------------------------------------------------
def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    commands.add_parser(parser.add_subparsers())
    args = parser.parse_args(["models", *words])
    status: int = args.run(args)
    return status


def test_list_and_pull(index: IndexServer, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("list") == 0
    assert "fake  A fake (MIT)  gguf:fake  1 MB to pull" in capsys.readouterr().out
    assert command("pull", "fake") == 0
    out = capsys.readouterr().out
    assert f"fake: {folder / 'fake.gguf'} (1 MB, sha256 checked)\n" in out
    assert "(100%)\n" in out
    assert command("list") == 0
    assert f"on this machine: {folder / 'fake.gguf'}" in capsys.readouterr().out


def test_pull_from_and_to(tmp_path: Path) -> None:
    (tmp_path / "fake.whl").write_bytes(WHEEL)
    assert command("pull", "fake", "--from", str(tmp_path / "fake.whl"), "--to", str(tmp_path / "to")) == 0
    assert (tmp_path / "to" / "fake.gguf").read_bytes() == GGUF
    with pytest.raises(MmteError, match="unknown model 'fakee'"):
        command("pull", "fakee")
