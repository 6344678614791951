"""The one door to models: asked once, retried, halved, given up."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmte.engine.answers import BREAKER, Answers
from mmte.engine.cache import AnswerCache
from mmte.engine.pool import Pool
from mmte.engine.shared import RunState
from mmte.errors import MmteError, ModelGone, Unavailable
from mmte.models.spec import parse_model
from mmte.types import Generation, Request

Open = Callable[..., Answers]


@pytest.fixture
def door(tmp_path: Path) -> Open:
    """Opens the door to one scripted model; `log` in its spec is tmp_path/log."""

    def opened(spec: str, *, worker: str | None = None, cache: str = "c.sqlite", **options: Any) -> Answers:
        return open_door(tmp_path, spec, worker, cache, **options)

    return opened


def open_door(folder: Path, spec: str, worker: str | None = None, cache: str = "c.sqlite", **options: Any) -> Answers:
    mark = "&" if "?" in spec else "?"
    models = {"m": parse_model(f"m=scripted:{spec}{mark}log={folder / 'log'}")}
    state = RunState(folder / "state", worker)
    return Answers(Pool(models), AnswerCache(folder / cache, folder / "overlay.sqlite"), state, **options)


def ask(n: int, first: int = 0, **settings: Any) -> list[Request]:
    return [
        Request(({"role": "user", "content": f"question {i}"},), Generation(**settings))
        for i in range(first, first + n)
    ]


def asked(folder: Path) -> Counter[str]:
    lines = (folder / "log").read_text().splitlines() if (folder / "log").exists() else []
    return Counter(line.split()[0] for line in lines)


def test_order_and_once(door: Open, tmp_path: Path) -> None:
    answers = door("echo?batch=3")
    requests = ask(2500)
    got = [r.content for r in answers.get("m", requests)]
    assert got == [f'["question {i}"]' for i in range(2500)]
    assert [r.content for r in answers.get("m", requests[::-1])] == got[::-1]
    counts = asked(tmp_path)
    assert counts.pop("LOAD") == 1
    assert set(counts.values()) == {1}
    assert (answers.asked, answers.cached) == (2500, 2500)


def test_a_second_run_loads_nothing(door: Open, tmp_path: Path) -> None:
    list(door("yes").get("m", ask(10)))
    before = asked(tmp_path)
    again = door("yes")
    assert all(r.content == "yes" for r in again.get("m", ask(10)))
    assert asked(tmp_path) == before
    assert again.pool.loads == []
    assert again.known("m", ask(15)) == 10


@pytest.mark.parametrize(
    "change",
    [{"max_new_tokens": 51}, {"repeat": 1}, {"do_sample": True, "temperature": 1.0}, {"stop_sequences": ("a",)}],
)
def test_generation_is_part_of_the_key(door: Open, change: dict[str, Any]) -> None:
    answers = door("yes")
    list(answers.get("m", ask(1)))
    assert answers.known("m", ask(1)) == 1
    assert answers.known("m", ask(1, **change)) == 0


def test_a_pixel_is_part_of_the_key_and_a_path_is_not(door: Open, tmp_path: Path) -> None:
    def show(path: Path) -> list[Request]:
        return [Request(({"role": "user", "content": {"image_path": str(path), "text": "what?"}},))]

    one, two = tmp_path / "one.png", tmp_path / "two.png"
    one.write_bytes(b"picture")
    two.write_bytes(b"picture")
    answers = door("yes")
    list(answers.get("m", show(one)))
    assert answers.known("m", show(two)) == 1
    two.write_bytes(b"picturf")
    os.utime(two, ns=(1, 1))
    assert answers.known("m", show(two)) == 0
    (gone,) = answers.get("m", show(tmp_path / "none.png"))
    assert gone.status == "error"
    assert "none.png" in gone.error


def test_errors_are_remembered_for_the_run_and_never_stored(door: Open, tmp_path: Path) -> None:
    answers = door("yes?fail=0.3&batch=4")
    first = list(answers.get("m", ask(60)))
    failed = sum(r.status == "error" for r in first)
    assert 5 < failed < 40
    assert list(answers.get("m", ask(60))) == first
    counts = asked(tmp_path)
    counts.pop("LOAD")
    assert set(counts.values()) == {1}, "nothing is asked twice, failures neither"
    later = door("yes")
    assert later.known("m", ask(60)) == 60 - failed
    assert all(r.status == "ok" for r in later.get("m", ask(60)))


def test_a_passing_failure_is_asked_again(door: Open) -> None:
    assert all(r.content == "yes" for r in door("yes?flaky=0.4").get("m", ask(40)))


def test_out_of_memory_halves_the_batch(door: Open, tmp_path: Path) -> None:
    got = list(door("echo?oom=3&batch=16").get("m", ask(16)))
    assert [r.content for r in got] == [f'["question {i}"]' for i in range(16)]


def test_out_of_memory_for_one_is_that_ones_failure(door: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = door("echo?batch=8")
    chat = answers.pool.model("m")
    whole = type(chat).generate

    def generate(self: Any, requests: Any) -> Any:
        batch = list(requests)
        if any("question 5" in str(r.messages) for r in batch):
            raise MemoryError("too long")
        return whole(self, batch)

    monkeypatch.setattr(type(chat), "generate", generate)
    got = list(answers.get("m", ask(8)))
    assert [r.status for r in got] == ["ok"] * 5 + ["error"] + ["ok"] * 2
    assert "out of memory even alone" in got[5].error


def test_a_dead_model_is_given_up_soon_and_for_good(door: Open, tmp_path: Path) -> None:
    answers = door("yes?dead=yes&batch=8")
    with pytest.raises(ModelGone, match=r"'m' is given up: \d+ failures in a row.*connection refused"):
        list(answers.get("m", ask(500)))
    spent = sum(asked(tmp_path).values())
    assert spent <= BREAKER + 8 + 1
    with pytest.raises(ModelGone):
        list(answers.get("m", ask(5, first=1000)))
    assert sum(asked(tmp_path).values()) == spent


@pytest.mark.parametrize(
    ("how", "says"), [("load", "was told to be gone"), ("answer", "RuntimeError: told to be gone")]
)
def test_an_exception_means_the_model_is_gone(door: Open, how: str, says: str) -> None:
    with pytest.raises(ModelGone, match=says):
        list(door(f"yes?gone={how}").get("m", ask(3)))


def test_answers_before_the_end_are_kept(door: Open) -> None:
    answers = door("yes?batch=10")
    list(answers.get("m", ask(30)))
    broken = door("yes?batch=10&gone=answer")
    with pytest.raises(ModelGone):
        list(broken.get("m", ask(40)))
    assert door("yes").known("m", ask(40)) == 30


def test_offline_asks_nothing(door: Open, tmp_path: Path) -> None:
    list(door("yes").get("m", ask(4)))
    before = asked(tmp_path)
    got = list(door("yes", offline=True).get("m", ask(6)))
    assert [r.status for r in got] == ["ok"] * 4 + ["error"] * 2
    assert "--mmte-offline" in got[-1].error
    assert asked(tmp_path) == before


def test_what_a_model_cannot_do_is_said_before_it_is_asked(door: Open, tmp_path: Path) -> None:
    answers = door("yes?modalities=text")
    image = Request(({"role": "user", "content": {"image_path": str(tmp_path), "text": ""}},))
    with pytest.raises((Unavailable, MmteError)):
        (tmp_path / "x.png").write_bytes(b"x")
        list(
            answers.get(
                "m", [Request(({"role": "user", "content": {"image_path": str(tmp_path / "x.png"), "text": ""}},))]
            )
        )
    assert image is not None
    answers.pool.model("m").supports = frozenset()  # type: ignore[misc]
    with pytest.raises(MmteError, match="does not support num_beams"):
        list(answers.get("m", ask(1, num_beams=4)))
    assert not asked(tmp_path)


def test_malformed_text_is_an_answer_and_white_space_is_none(door: Open) -> None:
    assert {r.status for r in door("yes?malformed=1").get("m", ask(5))} == {"ok"}
    (blank,) = door("   ").get("m", ask(1))
    assert (blank.status, blank.content) == ("empty", "")


def _worker(folder: Path, name: str, spec: str, n: int, out: Any) -> None:
    answers = open_door(folder, spec, name)
    out.put((name, [r.content for r in answers.get("m", ask(n))]))
    answers.state.close()


def test_two_processes_share_one_set_of_questions(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    workers = [
        context.Process(target=_worker, args=(tmp_path, f"gw{i}", "echo?batch=5&wait=0.02", 200, out)) for i in range(2)
    ]
    for w in workers:
        w.start()
    got = [out.get(timeout=60) for _ in workers]
    for w in workers:
        w.join(60)
    assert got[0][1] == got[1][1] == [f'["question {i}"]' for i in range(200)]
    counts = asked(tmp_path)
    assert counts.pop("LOAD") <= 2
    assert set(counts.values()) == {1}
    by = Counter(line.split()[1] for line in (tmp_path / "log").read_text().splitlines())
    assert sum(by.values()) >= 200


def _dies_leasing(folder: Path, ready: Any) -> None:
    answers = open_door(folder, "echo", "gw0")
    keys = answers.keys("m")
    assert answers.state.lease([keys(r) for r in ask(20)])
    ready.set()
    signal.pause()


def test_the_leases_of_a_killed_process_are_taken_over(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    victim = context.Process(target=_dies_leasing, args=(tmp_path, ready))
    victim.start()
    assert ready.wait(60)
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)
    victim.join(60)
    answers = open_door(tmp_path, "echo", "gw1")
    assert len([r for r in answers.get("m", ask(20)) if r.status == "ok"]) == 20
    answers.state.close()


def test_failures_and_dead_models_are_known_to_the_other_process(tmp_path: Path) -> None:
    one, two = (open_door(tmp_path, "yes?fail=0.5&batch=4", name) for name in ("gw0", "gw1"))
    first = list(one.get("m", ask(12)))
    before = sum(asked(tmp_path).values())
    assert list(two.get("m", ask(12))) == first
    assert sum(asked(tmp_path).values()) == before
    one.state.bury("m", "it is gone")
    with pytest.raises(ModelGone, match="it is gone"):
        list(two.get("m", ask(3, first=50)))
    one.state.close()
    two.state.close()


def test_a_loglikelihood_is_a_number_and_not_an_empty_answer(door: Open) -> None:
    request = Request(({"role": "user", "content": "2+2="},), Generation(), "loglikelihood", "4")
    for _ in range(2):  # asked, then from the cache
        (got,) = door("x").get("m", [request])
        assert got.status == "ok"
        assert got.logprobs < 0
