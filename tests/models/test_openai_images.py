"""Images through the openai backend: what the server receives is the file, byte for byte."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mmte.engine.keys import FileHashes, Keys
from mmte.errors import MmteError
from mmte.models.base import BaseChat
from mmte.models.images import mime_type
from mmte.models.spec import parse_model
from mmte.types import Generation, Request, Response

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp", "BMP": "image/bmp",
           "TIFF": "image/tiff"}  # fmt: skip


class Server(ThreadingHTTPServer):
    """Looks at the picture that it is sent and says what it sees: `MIME WIDTHxHEIGHT R,G,B`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        reply = {"choices": [{"message": {"content": describe(body)}, "finish_reason": "stop"}]}
        answer = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        pass


def describe(body: dict[str, Any]) -> str:
    for mime, raw in pictures(body):
        image = Image.open(io.BytesIO(raw)).convert("RGB")
        return f"{mime} {image.width}x{image.height} {image.getpixel((0, 0))}"
    return "no image"


def pictures(body: dict[str, Any]) -> list[tuple[str, bytes]]:
    urls = [
        part["image_url"]["url"]
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    found = []
    for url in urls:
        head, _, data = url.partition(";base64,")
        found.append((head.removeprefix("data:"), base64.b64decode(data, validate=True)))
    return found


@pytest.fixture
def server() -> Iterator[Server]:
    served = Server()
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


@pytest.fixture
def model(server: Server) -> Iterator[BaseChat]:
    built = parse_model(f"m=openai:seer@{server.url}").build()
    yield built
    built.close()


def picture(path: Path, kind: str = "PNG", colour: tuple[int, int, int] = (200, 10, 10), size: int = 2000) -> Path:
    Image.new("RGB", (size, 3), colour).save(path, kind)
    return path


def shown(path: Path | str, text: str = "What?", **more: Any) -> Request:
    return Request(({"role": "user", "content": {"image_path": str(path), "text": text}},), **more)


def ask(model: BaseChat, *requests: Request) -> list[Response]:
    by_id = {id(q): r for batch in model.generate(list(requests)) for q, r in batch}
    return [by_id[id(q)] for q in requests]


@pytest.mark.parametrize("kind", FORMATS)
def test_the_bytes_arrive_as_they_are(kind: str, server: Server, model: BaseChat, tmp_path: Path) -> None:
    file = picture(tmp_path / "misnamed.dat", kind)  # the name says nothing
    (answer,) = ask(model, shown(file, "What colour?"))
    assert pictures(server.bodies[0]) == [(FORMATS[kind], file.read_bytes())]
    assert answer.content.startswith(f"{FORMATS[kind]} 2000x3 ")  # not resized
    assert server.bodies[0]["messages"][0]["content"][1] == {"type": "text", "text": "What colour?"}


def test_a_pixel_changes_answer_and_cache_key(model: BaseChat, tmp_path: Path) -> None:
    file = picture(tmp_path / "a.png")
    before, key = ask(model, shown(file))[0], Keys(model.identity(), FileHashes())(shown(file))
    image = Image.open(file)
    image.putpixel((0, 0), (200, 10, 11))
    image.save(file)
    assert ask(model, shown(file))[0].content != before.content
    assert Keys(model.identity(), FileHashes())(shown(file)) != key


def test_every_turn_may_show_an_image(server: Server, model: BaseChat, tmp_path: Path) -> None:
    first, second = picture(tmp_path / "1.png"), picture(tmp_path / "2.png", colour=(0, 0, 9))
    messages = (
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": {"image_path": str(first), "text": "One?"}},
        {"role": "assistant", "content": "Red."},
        {"role": "user", "content": {"image_path": str(second), "text": ""}},
        {"role": "user", "content": {"image_path": "", "text": "Well?"}},
    )
    ask(model, Request(messages))
    sent = server.bodies[0]["messages"]
    assert [m["content"] for m in (sent[0], sent[2], sent[4])] == ["Be short.", "Red.", "Well?"]
    assert [raw for _, raw in pictures(server.bodies[0])] == [first.read_bytes(), second.read_bytes()]
    assert [p["type"] for p in sent[3]["content"]] == ["image_url"]


def test_a_bad_image_costs_its_own_sample_only(server: Server, model: BaseChat, tmp_path: Path) -> None:
    good, text = picture(tmp_path / "good.png"), tmp_path / "text.png"
    text.write_text("no image", "utf-8")
    answers = ask(model, shown(text), shown(good), shown(tmp_path / "absent.png"))
    assert [a.status for a in answers] == ["error", "ok", "error"]
    assert answers[0].error == "image text.png is no PNG, JPEG, GIF, WebP, BMP or TIFF file"
    assert answers[2].error == "image absent.png cannot be read: No such file or directory"
    assert not answers[0].retryable and str(tmp_path) not in answers[0].error + answers[2].error
    assert len(server.bodies) == 1


def test_images_can_be_switched_off(server: Server, tmp_path: Path) -> None:
    blind = parse_model(f"m=openai:seer@{server.url}?images=no").build()
    assert blind.modalities == {"text"}
    assert parse_model(f"m=openai:seer@{server.url}").build().modalities == {"text", "image"}
    with pytest.raises(MmteError, match="reads text only"):
        list(blind.generate([shown(picture(tmp_path / "a.png"))]))
    blind.close()
    with pytest.raises(MmteError, match="images='maybe'"):
        parse_model(f"m=openai:seer@{server.url}?images=maybe").build()


def test_raw_text_takes_no_image(model: BaseChat, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="reads text only"):
        list(model.generate([shown(picture(tmp_path / "a.png"), kind="raw", generation=Generation())]))


@pytest.mark.parametrize("head", [b"", b"GIF", b"RIFF\0\0\0\0WAVE", b"<svg ", b"\x89PN", b"%PDF-1.7"])
def test_what_is_no_image_has_no_type(head: bytes) -> None:
    assert mime_type(head) == ""
