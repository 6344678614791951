"""`mmte data` against servers on this machine that behave, and that do not."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mmte.cli import main
from mmte.data.catalogue import catalogue
from mmte.data.prepare import prepare, verify
from mmte.data.transfer import fetch
from mmte.data.unpack import unpack
from mmte.errors import MmteError

BODY = b"question,answer\n" + b"is it,yes\n" * 2000


class Server:
    """Serves `files`; `script` is what happens to the next requests of a path, one entry each."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.script: dict[str, list[Any]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                owner.answer(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def answer(self, handler: Any) -> None:
        self.asked.append((handler.path, {k.lower(): v for k, v in handler.headers.items()}))
        todo = self.script.get(handler.path) or [None]
        act = todo.pop(0) if len(todo) > 1 or todo[0] is not None else None
        if isinstance(act, tuple):
            status, headers = act
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            return
        body = self.files.get(handler.path)
        if body is None:
            handler.send_error(404)
            return
        start = int(handler.headers.get("Range", "bytes=0-")[6:-1])
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        handler.send_header("Content-Length", str(len(body) - start))
        handler.end_headers()
        handler.wfile.write(body[start : start + act] if isinstance(act, int) else body[start:])

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    running = Server()
    yield running
    running.close()


def sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def sets(tmp_path: Path, server: Server, *sources: str, hosts: str = "") -> Path:
    path = tmp_path / f"sets{len(list(tmp_path.glob('sets*')))}.yaml"
    head = f"hosts: ['{server.host}'{hosts}]\nsets:\n  one:\n"
    text = head + "    title: One\n    licence: MIT\n    tasks: [t1]\n    sources:\n"
    path.write_text(text + "".join(f"      - {source}\n" for source in sources), "utf-8")
    return path


def plain(server: Server, body: bytes = BODY, digest: str | None = None, size: str | None = None) -> str:
    line = f"{sha(body) if digest is None else digest} {len(body) if size is None else size} a/q.csv"
    return f"{{base: 'http://{server.host}', files: '{line}'}}"


def states(path: Path, folder: Path) -> list[tuple[str, str, bool]]:
    return [(s.path, s.state, s.pinned) for s in verify(catalogue(path), "one", folder)]


def test_a_file_is_fetched_once_and_verified(server, tmp_path, capsys):
    server.files["/a/q.csv"] = BODY
    path = sets(tmp_path, server, plain(server))
    assert main(["data", "--sets", str(path), "prepare", "one", "--to", str(tmp_path / "d")]) == 0
    assert (tmp_path / "d/one/a/q.csv").read_bytes() == BODY
    assert "one: 1 of 1 files" in capsys.readouterr().out
    assert main(["data", "--sets", str(path), "prepare", "one", "--to", str(tmp_path / "d")]) == 0
    assert len(server.asked) == 1
    (tmp_path / "d/one/a/q.csv").write_bytes(b"changed")
    assert main(["data", "--sets", str(path), "verify", "one", "--to", str(tmp_path / "d")]) == 4
    assert "changed: one/a/q.csv" in capsys.readouterr().out
    (tmp_path / "d/one/a/q.csv").unlink()
    assert states(path, tmp_path / "d") == [("one/a/q.csv", "missing", True)]


def test_a_transfer_that_breaks_off_goes_on_from_there(server, tmp_path):
    server.files["/a/q.csv"] = BODY
    server.script["/a/q.csv"] = [5000, 3000, None]
    path = sets(tmp_path, server, plain(server))
    prepare(catalogue(path), "one", tmp_path)
    assert [headers.get("range") for _, headers in server.asked] == [None, "bytes=5000-", "bytes=8000-"]
    assert (tmp_path / "one/a/q.csv").read_bytes() == BODY


def test_what_arrived_waits_for_the_next_command(server, tmp_path):
    server.files["/a/q.csv"] = BODY
    server.script["/a/q.csv"] = [1000, *[(503, {"Retry-After": "0"})] * 4, None]
    known = catalogue(sets(tmp_path, server, plain(server)))
    with pytest.raises(MmteError, match="503.*run the same command again to go on"):
        prepare(known, "one", tmp_path)
    assert not (tmp_path / "one/a/q.csv").exists()
    prepare(known, "one", tmp_path)
    assert server.asked[-1][1]["range"] == "bytes=1000-"
    assert (tmp_path / "one/a/q.csv").read_bytes() == BODY


@pytest.mark.parametrize("body", [BODY[:-1] + b"X", BODY[:-10], BODY + b"more"])
def test_another_file_is_deleted_and_nothing_else_is_touched(server, tmp_path, body):
    server.files["/a/q.csv"] = body
    known = catalogue(sets(tmp_path, server, plain(server)))
    with pytest.raises(MmteError, match=r"not the pinned file|bytes where"):
        prepare(known, "one", tmp_path)
    assert not list(tmp_path.rglob("*.part"))
    assert not (tmp_path / "one").exists()


def test_a_server_that_asks_to_wait_is_waited_for(server, tmp_path):
    server.files["/a/q.csv"] = BODY
    server.script["/a/q.csv"] = [(429, {"Retry-After": "7"}), (429, {"Retry-After": "100000"}), None]
    waits: list[float] = []
    known = catalogue(sets(tmp_path, server, plain(server)))
    part = tmp_path / "x.part"
    fetch(known, f"http://{server.host}/a/q.csv", part, size=len(BODY), sha256=sha(BODY), sleep=waits.append)
    assert waits == [7.0, 120.0]
    assert part.read_bytes() == BODY


def test_a_redirect_to_another_host_is_refused_and_no_secret_is_sent(server, tmp_path):
    other = Server()
    try:
        other.files["/x"] = BODY
        server.script["/a/q.csv"] = [(302, {"Location": f"http://{other.host}/x"}), None]
        known = catalogue(sets(tmp_path, server, plain(server)))
        with pytest.raises(MmteError, match="not among the hosts"):
            prepare(known, "one", tmp_path)
        assert other.asked == []
        server.script["/a/q.csv"] = [(302, {"Location": f"http://{other.host}/x"}), None]
        listed = catalogue(sets(tmp_path, server, plain(server), hosts=f", '{other.host}'"))
        prepare(listed, "one", tmp_path)
        assert not {"authorization", "cookie"} & set(other.asked[0][1])
    finally:
        other.close()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://user:secret@127.0.0.1/x"])
def test_a_redirect_to_another_kind_of_address_is_refused(server, tmp_path, target):
    server.script["/a/q.csv"] = [(302, {"Location": target}), None]
    known = catalogue(sets(tmp_path, server, plain(server)))
    with pytest.raises(MmteError):
        prepare(known, "one", tmp_path)
    assert not (tmp_path / "one").exists()


def test_a_name_that_leads_into_a_private_network_is_refused(server, tmp_path):
    port = server.host.rpartition(":")[2]
    server.files["/a/q.csv"] = BODY
    source = plain(server).replace("127.0.0.1", "localhost")
    known = catalogue(sets(tmp_path, server, source, hosts=f", 'localhost:{port}'"))
    with pytest.raises(MmteError, match="localhost leads to .* a private address"):
        prepare(known, "one", tmp_path)
    assert server.asked == []


def test_a_host_that_is_not_listed_is_never_asked(server, tmp_path):
    known = catalogue(sets(tmp_path, server, "{base: 'http://192.0.2.1', files: '- - a'}"))
    with pytest.raises(MmteError, match=r"192\.0\.2\.1 is not among the hosts"):
        prepare(known, "one", tmp_path)


def test_a_missing_file_is_one_line(server, tmp_path, capsys):
    path = sets(tmp_path, server, plain(server))
    assert main(["data", "--sets", str(path), "prepare", "one", "--to", str(tmp_path)]) == 4
    err = capsys.readouterr().err
    assert "404" in err
    assert err.count("\n") == 1


def test_an_unpinned_file_is_recorded_at_its_first_download(server, tmp_path, capsys):
    server.files["/a/q.csv"] = BODY
    path = sets(tmp_path, server, plain(server, digest="-", size="-"))
    assert main(["data", "--sets", str(path), "prepare", "one", "--to", str(tmp_path)]) == 0
    assert "1 of them unpinned" in capsys.readouterr().out
    assert states(path, tmp_path) == [("one/a/q.csv", "ok", False)]
    (tmp_path / "one/a/q.csv").write_bytes(BODY + b"x")
    assert states(path, tmp_path) == [("one/a/q.csv", "changed", False)]


# -- archives ------------------------------------------------------------------------------------
def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, body in members.items():
            file.writestr(name.replace("__", "/"), body)
    return out.getvalue()


def archive(server: Server, body: bytes, members: str = "") -> str:
    server.files["/a.zip"] = body
    files = f", files: '{members}'" if members else ""
    return f"{{archive: 'http://{server.host}/a.zip', into: one, below: data{files}}}"


def test_an_archive_is_unpacked_and_its_members_compared(server, tmp_path):
    source = archive(server, zipped(data__q=b"1", data__img__b=b"2"), f"{sha(b'1')} 1 q")
    path = sets(tmp_path, server, source)
    prepare(catalogue(path), "one", tmp_path)
    assert (tmp_path / "one/img/b").read_bytes() == b"2"
    assert sorted(states(path, tmp_path)) == [("one/img/b", "ok", False), ("one/q", "ok", True)]
    prepare(catalogue(path), "one", tmp_path)
    assert len(server.asked) == 1


def test_a_pinned_member_that_differs_stops_all_of_it(server, tmp_path):
    path = sets(tmp_path, server, archive(server, zipped(data__q=b"other", data__b=b"2"), f"{sha(b'1')} 1 q"))
    with pytest.raises(MmteError, match="'q' in it is not the pinned file"):
        prepare(catalogue(path), "one", tmp_path)
    assert not (tmp_path / "one").exists()


def evil(tmp_path: Path, name: str, kind: str = "zip") -> Path:
    path = tmp_path / f"evil.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("good", b"1")
            file.writestr(name, b"2")
    else:
        with tarfile.open(path, "w") as tar:
            for member in ("good", name):
                info = tarfile.TarInfo(member)
                info.size = 1
                tar.addfile(info, io.BytesIO(b"1"))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("name", ["../out", "a/../../out", "/etc/out", "C:/out", "..\\out", "\\\\host\\share\\x"])
def test_a_name_outside_of_the_folder_stops_the_archive(tmp_path, name, kind):
    target = tmp_path / "target"
    target.mkdir()
    with pytest.raises(MmteError, match="outside of its folder"):
        unpack(evil(tmp_path, name, kind), target)
    assert list(target.iterdir()) == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_stop_a_tar(tmp_path, kind):
    path = tmp_path / "evil.tar"
    with tarfile.open(path, "w") as tar:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = kind, "/etc/passwd"
        tar.addfile(info)
    (tmp_path / "t").mkdir()
    with pytest.raises(MmteError, match="link or a device"):
        unpack(path, tmp_path / "t")
    assert not list((tmp_path / "t").iterdir())


def test_a_link_stops_a_zip(tmp_path):
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr(info, "/etc/passwd")
    with pytest.raises(MmteError, match="link or a device"):
        unpack(tmp_path / "a.zip", tmp_path)


@pytest.mark.parametrize("told", [True, False], ids=["told", "lied about"])
def test_a_bomb_is_not_unpacked(tmp_path, told):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.writestr("zeros", bytes(30_000_000))
    if not told:  # the list of names says that it is small
        raw = path.read_bytes()
        path.write_bytes(raw.replace((30_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    (tmp_path / "t").mkdir()
    with pytest.raises(MmteError, match=r"far more than its size|no whole zip"):
        unpack(path, tmp_path / "t")
    assert sum(p.stat().st_size for p in (tmp_path / "t").rglob("*")) < 10_000


@pytest.mark.parametrize("body", [b"no archive", zipped(data__q=b"1" * 5000)[:-30], b""])
def test_no_archive_is_one_line(server, tmp_path, body):
    path = sets(tmp_path, server, archive(server, body))
    with pytest.raises(MmteError) as error:
        prepare(catalogue(path), "one", tmp_path)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "one").exists()


def test_two_equal_names_stop_an_archive(tmp_path):
    with pytest.raises(MmteError, match="twice"):
        unpack(evil(tmp_path, "GOOD"), tmp_path)


# -- the package's own list ----------------------------------------------------------------------
def test_every_free_set_has_pinned_https_files_or_says_that_it_is_not_pinned():
    known = catalogue()
    for about in known.sets.values():
        if about.access != "free":
            assert len(about.how) > 40
            continue
        assert about.files or about.archives
        for file in about.files:
            assert known.lists(file.url), file.url
            assert file.url.startswith("https://raw.githubusercontent.com/")
            assert len(file.sha256) == 64
        assert all(known.lists(a.url) for a in about.archives)


def test_the_pinned_files_are_those_of_the_published_data(shared):
    known = catalogue()
    whole = 0
    for name in ("confaide", "advglue", "crows_pairs", "truthfulqa", "hallusionbench", "decodingtrust", "benchlmm"):
        assert {s.state for s in verify(known, name, shared / "data")} == {"ok"}, name
        whole += 1
    assert whole == 7


def test_list_says_what_is_there_and_how_to_get_the_rest(shared, capsys):
    assert main(["data", "list", "--to", str(shared / "data")]) == 0
    out = capsys.readouterr().out
    assert "confaide" in out
    assert "9 of 9 files there" in out
    assert "huggingface.co/datasets/thu-ml/MultiTrust" in out
    assert main(["data", "prepare", "multitrust", "--to", "x"]) == 4
    assert "Ask for access" in capsys.readouterr().err
    assert main(["data", "prepare", "confaid", "--to", "x"]) == 4
    assert "Did you mean 'confaide'?" in capsys.readouterr().err


def test_a_damaged_record_is_one_line(server, tmp_path):
    known = catalogue(sets(tmp_path, server, plain(server, digest="-", size="-")))
    (tmp_path / ".mmte-data").mkdir()
    (tmp_path / ".mmte-data/fetched.json").write_text("{", "utf-8")
    with pytest.raises(MmteError, match="delete it and prepare again"):
        verify(known, "one", tmp_path)
    (tmp_path / ".mmte-data/fetched.json").write_text(json.dumps([]), "utf-8")
    assert [s.state for s in verify(known, "one", tmp_path)] == ["missing"]


# -- files of sets that are none -----------------------------------------------------------------
ONE = "hosts: [a]\nsets:\n  x: {title: T, licence: L, tasks: [t1], "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: a file of data sets is a mapping with 'hosts' and 'sets'"),
        ("- a\n", ":1: a file of data sets is a mapping"),
        ("a: [\n", ":2: no valid YAML"),
        ("hosts: [a]\n", ":1: sets: must have at least one data set"),
        ("hosts: [a]\nsets: {}\n", ":2: sets: must have at least one data set"),
        ("hosts: [a]\nsets: [x]\n", ":2: sets: must be a mapping of names to data sets, not ['x']"),
        ("sets: {x: {title: T, licence: L, tasks: [t1]}}\n", ":1: hosts: must be a list with at least one host"),
        ("hosts: a\nsets: {x: {}}\n", ":1: hosts: must be a list with at least one host"),
        ("hosts: [a]\nset: {}\n", ":2: set: unknown key 'set'. Did you mean 'sets'?"),
        ("hosts: [a]\nsets:\n  x: 3\n", ":3: sets.x: must be a mapping of title, licence, tasks"),
        ("hosts: [a]\nsets:\n  x: {title: T}\n", ":3: sets.x: 'licence' is missing"),
        ("hosts: [a]\nsets:\n  x: {title: T, licence: L, tasks: t1}\n", ":3: sets.x.tasks: must be a list with"),
        (f"{ONE}bytes: much}}\n", ":3: sets.x.bytes: must be a whole number, not 'much'"),
        (f"{ONE}how: 3}}\n", ":3: sets.x.how: must be a text, not 3"),
        (f"{ONE}acces: free}}\n", ":3: sets.x.acces: unknown key 'acces'. Did you mean 'access'?"),
        (f"{ONE}access: open}}\n", ":3: sets.x.access: cannot be 'open': one of free, gated, form."),
        (f"{ONE}sources: 3}}\n", ":3: sets.x.sources: must be a list with at least one source"),
        (f"{ONE}sources: [3]}}\n", ":3: sets.x.sources.0: must be a mapping of base, archive"),
        (f"{ONE}sources: [{{files: '- - a'}}]}}\n", ":3: sets.x.sources.0: 'base' is missing"),
        (f"{ONE}sources: [{{base: b, files: abc}}]}}\n", ":3: sets.x.sources.0.files: 'abc' is no line 'SHA256 BYTES"),
        (f"{ONE}sources: [{{base: b, files: '- x a'}}]}}\n", ":3: sets.x.sources.0.files: '- x a' is no line"),
        (f"{ONE}sources: [{{base: b, files: 'ab 1 a'}}]}}\n", ":3: sets.x.sources.0.files: 'ab' is no sha256"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_sets_is_one_line(tmp_path, capsys, text, message):
    path = tmp_path / "sets.yaml"
    path.write_text(text, "utf-8")
    assert main(["data", "--sets", str(path), "list"]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"mmte: --sets {path}{message}")


def test_a_file_of_sets_that_cannot_be_read_is_one_line(tmp_path, capsys):
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for name in ("binary", "absent", "."):
        assert main(["data", "--sets", str(tmp_path / name), "list"]) == 4
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"mmte: --sets {tmp_path / name}: cannot be read")
