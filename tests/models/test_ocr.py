"""The ocr backend: what a model in front of which it stands is told about pictures."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mmte.errors import MissingExtra, MmteError
from mmte.models import ocr_engine
from mmte.models.base import BaseChat
from mmte.models.images import BadImage
from mmte.models.ocr import NOTHING, OcrChat
from mmte.models.ocr_engine import Engine
from mmte.models.ocr_reader import Reader, texts_file
from mmte.models.pull import pinned, pull
from mmte.models.spec import parse_model
from mmte.types import Generation, Request, Response

ROOT = Path(__file__).resolve().parents[2]
needs_ocr = pytest.mark.skipif(find_spec("rapidocr_onnxruntime") is None, reason="mmte[ocr] is not installed")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "cache" / "answers.sqlite"))
    return tmp_path / "cache" / "answers-ocr.sqlite"


def drawn(path: Path, *rows: str, size: int = 32, dot: tuple[int, int, int] | None = None) -> Path:
    """A white picture with rows of black letters; `dot` colours the pixel in the corner."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    wide = int(max((font.getlength(row) for row in rows), default=0))
    picture = Image.new("RGB", (wide + 60, len(rows) * size * 2 + 60), "white")
    for number, row in enumerate(rows):
        ImageDraw.Draw(picture).text((30, 30 + number * size * 2), row, fill="black", font=font)
    if dot:
        picture.putpixel((0, 0), dot)
    picture.save(path)
    return path


def asked(*messages: Any, **more: Any) -> Request:
    """A request of texts and `(image, text)` pairs, by the user and the assistant in turn."""
    contents = [m if isinstance(m, str) else {"image_path": str(m[0]), "text": m[1]} for m in messages]
    roles = ("user", "assistant")
    return Request(tuple({"role": roles[i % 2], "content": c} for i, c in enumerate(contents)), **more)


def answers(model: BaseChat, *requests: Request) -> list[Response]:
    got = {id(request): response for batch in model.generate(requests) for request, response in batch}
    return [got[id(request)] for request in requests]


def prompts(response: Response) -> list[str]:
    """The texts that a model which echoes was told, message by message."""
    told = json.loads(response.content)
    assert all(isinstance(text, str) for text in told), "no image gets past OCR"
    return list(told)


@pytest.fixture
def echo() -> Iterator[BaseChat]:
    model = parse_model("x=ocr:scripted:echo?modalities=text").build()
    yield model
    model.close()


# -- reading, with the real networks -------------------------------------------------------------
@needs_ocr
def test_a_question_about_a_picture_is_told_in_words(echo: BaseChat, tmp_path: Path) -> None:
    sign = drawn(tmp_path / "sign.png", "Harbour museum", "open at 9")
    request = asked((sign, "What is written here?"))
    (told,) = prompts(answers(echo, request)[0])
    head, first, second, *rest = told.split("\n")[1:]
    assert (head, first, second) == ("---", "Harbour museum", "open at 9")
    assert rest == ["---", "", "What is written here?"]


@needs_ocr
def test_a_picture_without_text_says_so(echo: BaseChat, tmp_path: Path) -> None:
    (response,) = answers(echo, asked((drawn(tmp_path / "blank.png"), "Is there a cat?")))
    assert prompts(response) == [f"{NOTHING}\n\nIs there a cat?"]
    (response,) = answers(echo, asked((tmp_path / "blank.png", "")))
    assert prompts(response) == [NOTHING]


# -- requests ------------------------------------------------------------------------------------
@needs_ocr
def test_messages_and_settings_stay_in_place(echo: BaseChat, tmp_path: Path) -> None:
    one, two = drawn(tmp_path / "one.png", "LIBRARY"), drawn(tmp_path / "two.png", "GARDEN")
    requests = [
        asked((one, "first?"), "An answer.", (two, "second?")),
        asked("no picture", generation=Generation(max_new_tokens=7)),
        asked((two, "x {text}"), kind="raw"),
        asked((one, "x"), kind="loglikelihood", continuation=" yes"),
    ]
    first, plain, raw, likely = answers(echo, *requests)
    told = prompts(first)
    assert "LIBRARY" in told[0] and told[0].endswith("first?") and "GARDEN" not in told[0]
    assert told[1] == "An answer."
    assert "GARDEN" in told[2] and told[2].endswith("second?")
    assert prompts(plain) == ["no picture"]
    assert prompts(raw)[0].endswith("x {text}")
    assert likely.logprobs is not None or likely.content or likely.status == "ok"
    assert first.model_id == "x"


@needs_ocr
@pytest.mark.parametrize("raw", [b"", b"not an image", b"\x89PNG\r\n\x1a\n cut"])
def test_a_broken_picture_costs_its_own_question(raw: bytes, echo: BaseChat, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.png", drawn(tmp_path / "good.png", "OPEN")
    bad.write_bytes(raw)
    broken, fine, gone = answers(
        echo, asked((bad, "a")), asked((good, "b")), asked((tmp_path / "absent.png", "c"), "d", (good, "e"))
    )
    assert "OPEN" in prompts(fine)[0]
    for response, name in ((broken, "bad.png"), (gone, "absent.png")):
        assert (response.status, response.retryable, response.model_id) == ("error", False, "x")
        assert f"image {name} cannot be read" in response.error
        assert "\n" not in response.error and str(tmp_path) not in response.error


@needs_ocr
def test_what_ocr_raises_costs_one_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sign = str(drawn(tmp_path / "a.png", "EXIT"))
    other = str(drawn(tmp_path / "b.png", "TEA"))
    real = Engine.read

    def read(self: Engine, path: str) -> str:
        if path == sign:
            raise RuntimeError("the network\nfailed")
        return real(self, path)

    monkeypatch.setattr(Engine, "read", read)
    reader = Reader()
    found = reader.read([sign, other])
    assert isinstance(found[sign], BadImage)
    assert str(found[sign]) == "image a.png: OCR failed: RuntimeError: the network failed"
    assert found[other] == "TEA"
    monkeypatch.setattr(Engine, "read", real)
    assert reader.read([sign])[sign] == "EXIT"  # a failure is not kept
    reader.close()


# -- texts that are kept -------------------------------------------------------------------------
KEPT = """
import sys
from mmte.models.spec import parse_model
model = parse_model("x=ocr:scripted:echo").build()
assert model.identity()
print(model.chat([{"role": "user", "content": {"image_path": sys.argv[1], "text": "?"}}]).content)
loaded = {"rapidocr_onnxruntime", "onnxruntime", "cv2", "PIL", "numpy"} & set(sys.modules)
print(sorted(loaded))
"""


def apart(picture: Path) -> list[str]:
    """What a process of its own is told about a picture, and which packages it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", KEPT, str(picture)], capture_output=True, text=True, timeout=120, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@needs_ocr
def test_a_text_is_read_once_for_all_processes(tmp_path: Path, own_cache: Path) -> None:
    sign = drawn(tmp_path / "sign.png", "TICKETS")
    copy = tmp_path / "copy.png"
    copy.write_bytes(sign.read_bytes())
    first, loaded = apart(sign)
    assert "TICKETS" in first and "rapidocr_onnxruntime" in loaded
    assert own_cache.is_file()
    again, loaded = apart(copy)
    assert "TICKETS" in again and loaded == "[]"
    _, loaded = apart(drawn(tmp_path / "other.png", "TICKETS", dot=(254, 255, 255)))
    assert "rapidocr_onnxruntime" in loaded, "one changed pixel is another picture"


@needs_ocr
def test_another_ocr_reads_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sign = str(drawn(tmp_path / "sign.png", "TICKETS"))
    reads: list[str] = []
    real = Engine.read

    def read(self: Engine, path: str) -> str:
        reads.append(path)
        return real(self, path)

    monkeypatch.setattr(Engine, "read", read)
    before = OcrChat("x", parse_model("x=scripted:a").build()).identity()
    for reading in (1, 1, 2):
        monkeypatch.setattr(ocr_engine, "READING", reading)
        ocr_engine.identity.cache_clear()
        reader = Reader()
        assert reader.read([sign]) == {sign: "TICKETS"}
        reader.close()
    assert len(reads) == 2
    assert OcrChat("x", parse_model("x=scripted:a").build()).identity() != before
    ocr_engine.identity.cache_clear()


@needs_ocr
@pytest.mark.parametrize("damage", ["no database", "a folder", "another program's", "a broken row"])
def test_a_damaged_file_of_texts_costs_time_only(damage: str, tmp_path: Path, own_cache: Path) -> None:
    sign = str(drawn(tmp_path / "sign.png", "EXIT"))
    assert Reader().read([sign]) == {sign: "EXIT"}
    for file in own_cache.parent.iterdir():
        if damage != "a broken row":
            file.unlink()
    if damage == "a folder":
        own_cache.mkdir()
    elif damage == "no database":
        own_cache.write_bytes(b"not a database, but some text that is long enough" * 100)
    else:
        with sqlite3.connect(own_cache) as db:
            db.execute("UPDATE answers SET v='{'" if damage == "a broken row" else "CREATE TABLE mine(x)")
        db.close()
    before = own_cache.read_bytes() if own_cache.is_file() else b""
    reader = Reader()
    assert reader.read([sign]) == {sign: "EXIT"}
    assert reader.read([sign]) == {sign: "EXIT"}
    reader.close()
    if damage in ("no database", "another program's"):
        assert own_cache.read_bytes() == before


def test_texts_lie_beside_the_answers(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert texts_file() == own_cache
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "mine"))
    assert texts_file() == tmp_path / "mine-ocr"


# -- specs and identity --------------------------------------------------------------------------
@needs_ocr
def test_options_belong_to_the_model_behind(tmp_path: Path) -> None:
    model = parse_model("x=ocr:scripted:a|b?batch=3&seed=5&modalities=text").build()
    inner = parse_model("x=scripted:a|b?seed=5").build()
    assert isinstance(model, OcrChat)
    assert (model.batch_size, model.device, model.kinds, model.supports) == (
        3, inner.device, inner.kinds, inner.supports)  # fmt: skip
    assert model.modalities == {"text", "image"}
    identity = dict(model.identity())
    told = identity.pop("ocr")
    assert identity == inner.identity()
    assert told["engine"]["rapidocr-onnxruntime"] and len(told["files"]) == 4
    assert all(len(sha256) == 64 for sha256 in told["files"].values())
    assert str(Path.home()) not in json.dumps(told)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("x=ocr:", "unknown model ''"),
        ("x=ocr:smollm2", "unknown model 'smollm2'.*Did you mean 'smollm2-135m'"),
        ("x=ocr:scripted:a?sed=3", "scripted has no option 'sed'. Did you mean 'seed'"),
        ("x=ocr:smollm2-135m?ctx=0", "--model x: ctx=0 must be a whole number from 1"),
        ("ocr:gguf:absent.gguf", "absent.gguf: No such file"),
    ],
)
def test_what_is_wrong_behind_it_is_named(spec: str, message: str) -> None:
    with pytest.raises(MmteError, match=message):
        parse_model(spec).build()


def test_the_catalogue_model_needs_the_file_of_the_one_behind() -> None:
    pin = pinned("smollm2-135m+ocr")
    assert pin is not None and pin.name == "smollm2-135m"


@pytest.mark.parametrize("part", ["package", "loading"])
def test_without_ocr_the_extra_is_named(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ocr_engine.identity.cache_clear()
    monkeypatch.setattr(ocr_engine, "_MODULE", "rapidocr_that_is_absent")
    model = parse_model("x=ocr:scripted:echo").build()
    assert "text" in answers(model, asked("text"))[0].content  # words alone need no OCR
    wanted = r"an ocr: model needs rapidocr-onnxruntime.*pip install 'mmte\[ocr\]'"
    with pytest.raises(MissingExtra, match=wanted):
        if part == "package":
            model.identity()
        else:
            answers(model, asked((drawn(tmp_path / "a.png", "EXIT"), "?")))
    ocr_engine.identity.cache_clear()


@needs_ocr
def test_ocr_that_cannot_be_loaded_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import rapidocr_onnxruntime  # type: ignore[import-untyped]

    def broken(**_: Any) -> None:
        raise ImportError("libGL.so.1: cannot open\nshared object file")

    monkeypatch.setattr(rapidocr_onnxruntime, "RapidOCR", broken)
    with pytest.raises(MmteError, match="^OCR cannot be loaded: ImportError: libGL.so.1: cannot open") as caught:
        Reader().read([str(drawn(tmp_path / "a.png", "EXIT"))])
    assert "\n" not in str(caught.value)


# -- runs ----------------------------------------------------------------------------------------
def run(tmp_path: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(ROOT / "benchmarks/truthfulness"),
             f"--mmte-report={tmp_path / 'report'}", *options]  # fmt: skip
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=280, check=False)
    report = json.loads((tmp_path / "report/report.json").read_text("utf-8"))
    return done, {row["case"]: row for row in report["results"]}


def asked_and_answered(tmp_path: Path) -> list[dict[str, Any]]:
    (file,) = (tmp_path / "report" / "samples").glob("*.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@needs_ocr
@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_a_run_finds_the_words_in_the_pictures(workers: tuple[str, ...], tmp_path: Path) -> None:
    """A model that repeats what it is told has the words of every sign of the mini data."""
    done, rows = run(tmp_path, "-kt1-basic-ocr", "--model=x=ocr:scripted:echo?modalities=text", *workers)
    row = rows["t1-basic-ocr[g-basic-ocr/rule/x]"]
    assert done.returncode == 0, done.stdout + done.stderr
    assert row["counts"]["answered"] == row["counts"]["expected"] == 12
    for sample in asked_and_answered(tmp_path):
        (told,) = json.loads(sample["content"])
        assert sample["target"] in told.replace("\n", " ")
    assert "Warning" not in done.stdout + done.stderr


@needs_ocr
def test_the_embedded_model_is_asked_about_pictures(tmp_path: Path) -> None:
    pull("smollm2-135m")
    done, rows = run(tmp_path, "-kt1-basic-ocr", "--model=smollm2-135m+ocr", "--mmte-limit=3")
    row = rows["t1-basic-ocr[g-basic-ocr/rule/smollm2-135m+ocr]"]
    assert done.returncode == 0, done.stdout + done.stderr
    assert row["counts"]["answered"] == row["counts"]["expected"] == 3
    samples = asked_and_answered(tmp_path)
    assert all(sample["messages"][0]["content"]["image_path"] for sample in samples), "the question as it was asked"
    assert any(sample["target"].casefold() in sample["content"].casefold() for sample in samples)


class Counting(BaseChat):
    """Answers with the number of the question; greedy or not."""

    supports = frozenset({"do_sample", "temperature", "seed"})

    def __init__(self) -> None:
        super().__init__("counting")
        self.seen: list[str] = []

    def identity(self) -> dict[str, Any]:
        return {"counting": 1}

    def generate(self, requests: Any) -> Any:
        pairs = []
        for request in requests:
            self.seen.append(str(request.messages[-1]["content"]))
            pairs.append((request, Response("counting", f"answer {len(self.seen)}", "ok")))
        yield pairs


@needs_ocr
def test_pictures_that_come_down_to_the_same_words_are_asked_once(tmp_path: Path) -> None:
    inner = Counting()
    model = OcrChat("x", inner)
    one, two = (drawn(tmp_path / f"{n}.png", dot=(n, 0, 0)) for n in (1, 2))
    with_text = drawn(tmp_path / "text.png", "STOP")
    first = answers(model, asked((one, "What?")), asked((two, "What?")), asked((with_text, "What?")))
    assert [r.content for r in first] == ["answer 1", "answer 1", "answer 2"]
    assert [r.content for r in answers(model, asked((two, "What?")), asked((two, "Why?")))] == ["answer 1", "answer 3"]
    assert len(inner.seen) == 3


@needs_ocr
def test_sampled_answers_are_never_shared(tmp_path: Path) -> None:
    inner = Counting()
    model = OcrChat("x", inner)
    generation = Generation(do_sample=True, temperature=1.0)
    pictures = [drawn(tmp_path / f"{n}.png", dot=(n, 0, 0)) for n in (1, 2)]
    got = answers(model, *(asked((p, "What?"), generation=generation) for p in pictures))
    assert [r.content for r in got] == ["answer 1", "answer 2"]


@needs_ocr
def test_continuations_of_the_same_words_are_told_apart() -> None:
    model = parse_model("x=ocr:scripted:yes?modalities=text").build()
    if "loglikelihood" not in model.kinds:
        pytest.skip("scripted answers no loglikelihood")
    one, two = (asked("Is it?", kind="loglikelihood", continuation=c) for c in (" A", " a longer one"))
    first, second = answers(model, one, two)
    assert first.logprobs != second.logprobs
