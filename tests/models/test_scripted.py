"""The scripted model does what it is told, and the same each time."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError, ModelGone
from mmte.models.scripted import ScriptedChat
from mmte.models.spec import ModelSpec, parse_model
from mmte.types import Generation, Request, Response

N = 400


def model(spec: str) -> ScriptedChat:
    built = parse_model(f"m={spec}").build()
    assert isinstance(built, ScriptedChat)
    return built


def question(text: Any, **kwargs: Any) -> Request:
    return Request(({"role": "user", "content": text},), **kwargs)


def ask(chat: ScriptedChat, *texts: Any, **kwargs: Any) -> list[Response]:
    requests = [question(t, **kwargs) for t in texts]
    rows = [row for batch in chat.generate(requests) for row in batch]
    assert [request for request, _ in rows] == requests
    return [response for _, response in rows]


QUESTIONS = [f"question {n}" for n in range(N)]


# -- what it answers -------------------------------------------------------------------------------
def test_a_text() -> None:
    assert [r.content for r in ask(model("scripted:Yes, it is."), "a", "b")] == ["Yes, it is."] * 2
    answer = ask(model("scripted:x"), "a")[0]
    assert (answer.model_id, answer.status, answer.finish_reason, answer.cut) == ("m", "ok", "stop", False)


def test_one_of_several_by_a_hash_of_the_question() -> None:
    answers = [r.content for r in ask(model("scripted:a|b|c"), *QUESTIONS)]
    assert [r.content for r in ask(model("scripted:a|b|c"), *reversed(QUESTIONS))] == answers[::-1]
    assert all(answers.count(c) > N / 6 for c in "abc")
    assert [r.content for r in ask(model("scripted:a|b|c?seed=1"), *QUESTIONS)] != answers


def test_the_question_again() -> None:
    assert ask(model("scripted:echo"), "Why?")[0].content == '["Why?"]'
    image = {"image_path": "/some/folder/cat.png", "text": "Why?"}
    assert json.loads(ask(model("scripted:echo"), image)[0].content) == [["cat.png", "Why?"]]


def test_a_number_of_the_question() -> None:
    numbers = {int(r.content.removeprefix("n=")) for r in ask(model("scripted:n={n}"), *QUESTIONS)}
    assert len(numbers) > N / 2
    assert min(numbers) >= 0
    assert max(numbers) < 1000


def test_the_folder_of_an_image_does_not_matter() -> None:
    here, there = ({"image_path": f"/{folder}/cat.png", "text": "q"} for folder in ("here", "there"))
    for spec in ("scripted:a|b|c|d|e|f|g|h", "scripted:{n}", "scripted:x?fail=0.5"):
        assert ask(model(spec), here) == ask(model(spec), there)


def test_log_likelihoods() -> None:
    chat = model("scripted:x")
    yes, again, no = (
        ask(chat, "q", kind="loglikelihood", continuation=c)[0].logprobs for c in (" yes", " yes", " no")
    )
    assert yes == again != no
    assert max(yes, no) <= 0


# -- what goes wrong -------------------------------------------------------------------------------
STATUS = {"fail": "error", "empty": "empty", "filtered": "filtered"}


@pytest.mark.parametrize("kind", ["fail", "empty", "filtered", "cut", "refuse", "malformed"])
def test_a_share_of_the_questions(kind: str) -> None:
    plain = ask(model("scripted:plain"), *QUESTIONS)
    got = ask(model(f"scripted:plain?{kind}=0.25"), *QUESTIONS)
    hit = [r for r in got if r not in plain]
    assert N * 0.15 < len(hit) < N * 0.35
    assert {r.status for r in hit} == {STATUS.get(kind, "ok")}
    assert all(r.cut for r in hit) is (kind == "cut")
    assert ask(model(f"scripted:plain?{kind}=0.25"), *QUESTIONS) == got
    assert len([r for r in ask(model(f"scripted:plain?{kind}=1"), *QUESTIONS) if r in plain]) == 0


def test_what_each_kind_looks_like() -> None:
    (failed,) = ask(model("scripted:x?fail=1"), "q")
    assert (failed.error, failed.retryable, failed.content) == ("told to fail", False, "")
    (cut,) = ask(model("scripted:x?cut=1"), "q")
    assert (cut.content, cut.finish_reason) == ("x", "length")
    assert ask(model("scripted:x?refuse=1"), "q")[0].content == "I cannot help with that."
    assert ask(model("scripted:x?filtered=1"), "q")[0].finish_reason == "content_filter"
    assert "\x1b" in ask(model("scripted:x?malformed=1"), "q")[0].content


def test_faults_do_not_shift_the_answers() -> None:
    whole = ask(model("scripted:a|b|{n}?empty=0.2&refuse=0.2"), *QUESTIONS)
    faulty = ask(model("scripted:a|b|{n}?empty=0.2&refuse=0.2&fail=0.3"), *QUESTIONS)
    assert [f for f in faulty if f.status != "error"] == [
        w for w, f in zip(whole, faulty, strict=True) if f.status != "error"
    ]


def test_flaky_questions_are_answered_when_asked_again() -> None:
    chat = model("scripted:x?flaky=0.5")
    first, second = ask(chat, *QUESTIONS), ask(chat, *QUESTIONS)
    failed = [r for r in first if r.status == "error"]
    assert N * 0.4 < len(failed) < N * 0.6
    assert all(r.retryable for r in failed)
    assert {r.content for r in second} == {"x"}


def test_a_question_that_hangs_times_out() -> None:
    (late,) = ask(model("scripted:x?hang=1&timeout=0.01"), "q")
    assert (late.status, late.error) == ("error", "no answer within 0.01 s")


def test_out_of_memory_above_a_batch_size() -> None:
    chat = model("scripted:x?oom=2")
    assert len(ask(chat, "a", "b")) == 2
    with pytest.raises(MemoryError):
        ask(chat, "a", "b", "c")


def test_gone() -> None:
    with pytest.raises(ModelGone, match="model 'm' was told to be gone"):
        model("scripted:x?gone=load").load()
    chat = model("scripted:x?gone=answer")
    chat.load()
    with pytest.raises(RuntimeError):
        ask(chat, "q")


def test_a_dead_endpoint_answers_nothing() -> None:
    assert {r.status for r in ask(model("scripted:x?dead=yes"), *QUESTIONS)} == {"error"}


def test_the_process_may_die(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = (
        "from mmte.models.spec import parse_model\nfrom mmte.types import Request\n"
        f"chat = parse_model('m=scripted:x?die=3&log={log}').build()\n"
        "list(chat.generate([Request(({'role': 'user', 'content': str(n)},)) for n in range(9)]))"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == 9
    assert len(log.read_text().splitlines()) == 3


# -- what it says of itself ------------------------------------------------------------------------
def test_what_changes_the_answers_changes_the_identity() -> None:
    same = ["", "?fail=0.5", "?flaky=0.5&hang=0.1", "?batch=3&wait=0", "?dead=yes", "?device=gpu", "?oom=1&die=5"]
    other = ["?seed=1", "?empty=0.1", "?cut=0.1", "?refuse=1", "?malformed=0.1", "?filtered=0.1"]
    assert len({json.dumps(model(f"scripted:x{o}").identity()) for o in same}) == 1
    found = {json.dumps(model(f"scripted:{o}").identity()) for o in [*[f"x{o}" for o in other], "x", "y"]}
    assert len(found) == len(other) + 2
    assert parse_model("one=scripted:x").build().identity() == parse_model("two=scripted:x").build().identity()


def test_options() -> None:
    chat = model("scripted:x?batch=3&modalities=text&device=gpu")
    assert (chat.batch_size, chat.modalities, chat.device) == (3, {"text"}, "gpu")
    assert [len(b) for b in chat.batches([question(str(n)) for n in range(7)])] == [3, 3, 1]
    assert model("scripted:x").modalities == {"text", "image"}
    assert model("scripted:a b?fail=0").shares["fail"] == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("fial=0.5", "scripted has no option 'fial'. Did you mean 'fail'"),
        ("fail=much", "fail='much' is no float"),
        ("batch=1.5", "batch='1.5' is no int"),
        ("dead=perhaps", "dead='perhaps' is no bool"),
        ("gone=now", "gone='now' is neither load nor answer"),
    ],
)
def test_wrong_options_are_named(options: str, expected: str) -> None:
    with pytest.raises(MmteError, match=f"^--model m: {expected}"):
        model(f"scripted:x?{options}")


def test_loads_and_questions_are_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    chat = model(f"scripted:x?log={tmp_path / 'log'}")
    chat.load()
    ask(chat, "a", "b", "a")
    lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert lines[0] == ["LOAD", "main", "m"]
    assert lines[1] == lines[3] != lines[2]


def test_a_spec_is_picklable_until_it_is_built() -> None:
    spec = parse_model("m=scripted:x?fail=0.5")
    assert pickle.loads(pickle.dumps(spec)) == spec == ModelSpec("m", "scripted", "x", {"fail": "0.5"})


@given(st.text(max_size=30), st.integers(0, 3))
def test_chat_and_generate_agree(text: str, seed: int) -> None:
    chat = model(f"scripted:a|b|{{n}}?seed={seed}&empty=0.3")
    messages = [{"role": "user", "content": text}]
    (answer,) = ask(chat, text, generation=Generation(max_new_tokens=9))
    assert chat.chat(messages, max_new_tokens=9) == answer
