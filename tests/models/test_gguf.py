"""The gguf backend: what it refuses, how it is known, and SmolLM2 answering."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmte.errors import MmteError
from mmte.models import store
from mmte.models.base import BaseChat
from mmte.models.pull import pull
from mmte.models.spec import parse_model
from mmte.models.store import file_sha256
from mmte.types import Generation, Request, Response


# -- files and options ---------------------------------------------------------------------------
@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "user_cache_path", lambda _: tmp_path / "cache")
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and nothing more")
    return path


def test_the_identity_is_that_of_the_bytes(fake: Path, tmp_path: Path) -> None:
    def identity(path: Path, options: str = "") -> Any:
        return parse_model(f"m=gguf:{path}{options}").build().identity()

    copy = tmp_path / "copy.gguf"
    copy.write_bytes(fake.read_bytes())
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF and nothing else")
    assert identity(fake) == identity(copy, "?threads=2&slots=3&ctx=512")
    assert identity(fake) != identity(other)
    assert str(tmp_path) not in str(identity(fake))


def test_a_catalogue_model_is_known_without_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMTE_MODELS_DIR", str(tmp_path / "none"))
    identity = parse_model("smollm2-135m").build().identity()
    assert identity["sha256"] == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert not (tmp_path / "none").exists()


def test_a_hash_is_remembered_until_the_file_changes(fake: Path) -> None:
    first = file_sha256(fake)
    stat = fake.stat()
    fake.write_bytes(fake.read_bytes()[::-1])
    os.utime(fake, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert file_sha256(fake) == first  # same path, size and time: not read again
    os.utime(fake, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert file_sha256(fake) != first
    (memo,) = (fake.parent / "cache").iterdir()
    for broken in ("[]", "{", json.dumps({str(fake): 5})):
        memo.write_text(broken)
        assert file_sha256(fake) != first


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("absent.gguf", "absent.gguf: No such file"),
        ("", "gguf: takes a GGUF file or a catalogue name"),
        ("{here}", "Is a directory"),
        ("{text}", "text.gguf is no GGUF file"),
        ("{fake}?ctx=0", "ctx=0 must be a whole number from 1"),
        ("{fake}?threads=-1", "threads=-1 must be"),
        ("{fake}?slots=two", "slots='two' is no int"),
        ("{fake}?thread=2", "gguf has no option 'thread'. Did you mean 'threads'"),
    ],
)
def test_bad_specs_are_refused(fake: Path, spec: str, message: str) -> None:
    (fake.parent / "text.gguf").write_text("not a model")
    target = spec.format(here=fake.parent, text=fake.parent / "text.gguf", fake=fake)
    with pytest.raises(MmteError) as caught:
        parse_model(f"m=gguf:{target}").build()
    assert message in str(caught.value)


def test_a_file_that_llama_cpp_cannot_read(fake: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MmteError, match="--model m: llama.cpp cannot load .*model.gguf"):
        parse_model(f"m=gguf:{fake}").build().load()
    assert capfd.readouterr() == ("", "")


# -- SmolLM2 -------------------------------------------------------------------------------------
@pytest.fixture(scope="session")
def smollm2_file() -> Path:
    """The embedded default model; pulled once per machine (`MMTE_MODELS_DIR` is honoured)."""
    return pull("smollm2-135m")


@pytest.fixture(scope="module")
def smollm2(smollm2_file: Path) -> Iterator[BaseChat]:
    model = parse_model("smollm2-135m").build()
    yield model
    model.close()


def requests(*questions: str, kind: Any = "chat", **settings: Any) -> list[Request]:
    generation = Generation.from_kwargs({"max_new_tokens": 12} | settings)
    return [Request(({"role": "user", "content": q},), generation, kind) for q in questions]


def answers(model: BaseChat, asked: list[Request]) -> list[Response]:
    got = {id(request): response for batch in model.generate(asked) for request, response in batch}
    return [got[id(request)] for request in asked]


GERMANY = "What's the capital of Germany?"
QUESTIONS = [GERMANY, *(f"What is {n} plus {n}? Answer with a number." for n in range(2, 7))]


def test_it_answers(smollm2: BaseChat) -> None:
    (response,) = answers(smollm2, requests(GERMANY))
    assert response.content == "The capital of Germany is Berlin."
    assert (response.status, response.cut, response.model_id) == ("ok", False, "smollm2-135m")
    # 12 tokens of question and tags, 25 of the system prompt that the file's own template adds.
    assert response.usage == (37, 8)


def test_answers_do_not_depend_on_what_else_is_asked(smollm2: BaseChat) -> None:
    asked = requests(*QUESTIONS, max_new_tokens=8)
    together = [r.content for r in answers(smollm2, asked)]
    assert [r.content for r in answers(smollm2, asked)] == together
    assert [answers(smollm2, [request])[0].content for request in asked[:3]] == together[:3]
    assert [r.content for r in answers(smollm2, asked[::-1])] == together[::-1]


def test_slots_and_threads_do_not_change_answers(smollm2: BaseChat, smollm2_file: Path) -> None:
    asked = requests(*QUESTIONS[:3], max_new_tokens=8)
    expected = [r.content for r in answers(smollm2, asked)]
    for options in ("slots=1&threads=2", "slots=3&threads=1&ctx=256"):
        model = parse_model(f"m=gguf:{smollm2_file}?{options}").build()
        assert [r.content for r in answers(model, asked)] == expected
        model.close()


def test_batches_are_the_same_on_every_machine(smollm2: BaseChat) -> None:
    assert [len(batch) for batch in smollm2.batches(requests(*["x"] * 70))] == [32, 32, 6]


def test_cut_and_stop(smollm2: BaseChat) -> None:
    (cut,) = answers(smollm2, requests(GERMANY, max_new_tokens=4))
    assert (cut.content, cut.cut, cut.status) == ("The capital of Germany", True, "ok")
    (stopped,) = answers(smollm2, requests(GERMANY, stop_sequences=[" Berlin"]))
    assert (stopped.content, stopped.cut) == ("The capital of Germany is", False)


def test_a_seed_decides_a_sampled_answer(smollm2: BaseChat) -> None:
    def sample(seed: int, *before: str) -> str:
        asked = requests(*before, "Tell a joke.", do_sample=True, temperature=1.5, seed=seed)
        return answers(smollm2, asked)[-1].content

    assert sample(1) == sample(1, "Tell a joke.", "Hello") == sample(1, "x")
    assert len({sample(seed) for seed in range(1, 4)}) > 1


def test_raw_text_is_continued(smollm2: BaseChat) -> None:
    (response,) = answers(smollm2, requests("The capital of France is", kind="raw", max_new_tokens=2))
    assert response.content.startswith(" Paris")
    assert response.usage == (5, 2)


def test_too_long_is_an_error_that_names_the_option(smollm2_file: Path) -> None:
    model = parse_model(f"m=gguf:{smollm2_file}?ctx=256&slots=1").build()
    longer, nearly, fits = answers(model, requests("long " * 400, "long " * 215, GERMANY, max_new_tokens=30))
    assert (longer.status, longer.retryable) == ("error", False)
    assert "do not fit into ctx=256; raise ctx" in longer.error
    # An answer that the context cuts short is not the model's.
    assert nearly.status == "error"
    assert "leaves no room for 30 more within ctx=256; raise ctx" in nearly.error
    assert fits.status == "ok"
    model.close()


def test_it_can_be_loaded_again_and_refuses_what_it_cannot(smollm2: BaseChat) -> None:
    smollm2.close()
    assert answers(smollm2, requests(GERMANY))[0].status == "ok"
    with pytest.raises(MmteError, match="does not support num_beams"):
        answers(smollm2, requests(GERMANY, num_beams=2))
    with pytest.raises(MmteError, match="reads text only"):
        answers(smollm2, [Request(({"role": "user", "content": {"image_path": "a.png", "text": "x"}},))])


def test_a_process_that_does_not_close_ends_cleanly_and_silently(smollm2_file: Path) -> None:
    code = (
        "import sys\n"
        "from mmte.models.spec import parse_model\n"
        "model = parse_model('m=gguf:' + sys.argv[1]).build()\n"
        "answer = model.chat([{'role': 'user', 'content': 'Hello'}], max_new_tokens=2)\n"
        "sys.exit(0 if answer.status == 'ok' else 5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(smollm2_file)], capture_output=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
