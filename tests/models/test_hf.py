"""The hf backend with a tiny random Llama: what is asked together does not matter, settings do."""

from __future__ import annotations

import json
import math
import random
import shutil
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from tiny_models import answers, asked, build  # noqa: E402

from mmte.models.base import BaseChat  # noqa: E402
from mmte.types import Generation, Request, Response  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.text_model(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[BaseChat]:
    built = build(folder)
    yield built
    built.close()


def questions(count: int = 60) -> list[str]:
    draw = random.Random(7)
    return ["".join(draw.choices(string.ascii_letters + " ?é漢", k=draw.randint(1, 90))) for _ in range(count)]


def one_by_one(model: BaseChat, requests: list[Request]) -> list[Response]:
    return [answers(model, [request])[0] for request in requests]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"kind": "raw"},
        {"do_sample": True, "temperature": 0.7, "seed": 3},
        {"num_beams": 3, "max_new_tokens": 6},
        {"stop_sequences": ["a", "7"]},
    ],
    ids=["greedy", "raw", "sampled", "beams", "stop"],
)
def test_padding_changes_no_answer(model: BaseChat, settings: dict[str, Any]) -> None:
    requests = asked(questions(), **settings)
    together, alone = answers(model, requests), one_by_one(model, requests)
    assert together == alone
    assert len({r.content for r in together}) > 40  # the answers tell prompts apart
    assert {r.status for r in together} <= {"ok", "empty"}  # empty: stopped at once


def test_log_likelihoods_are_sums_over_the_continuation(model: BaseChat) -> None:
    requests = [r for n in (1, 2, 9) for r in asked(questions(8), kind="loglikelihood", continuation=" yes" * n)]
    together, alone = answers(model, requests), one_by_one(model, requests)
    for a, b in zip(together, alone, strict=True):
        assert a.logprobs == pytest.approx(b.logprobs, abs=1e-3)
        assert (a.status, a.usage) == ("ok", b.usage)
    assert together[0].usage[1] == 4 and together[-1].usage[1] == 36  # byte by byte


def test_log_likelihoods_are_probabilities(model: BaseChat) -> None:
    """Over all texts of one byte and the special tokens the probabilities add up to at most 1, nearly to 1."""
    (prompt,) = asked(["Well?"], kind="raw")
    total = 0.0
    for byte in range(0x20, 0x7F):
        request = Request(prompt.messages, prompt.generation, "loglikelihood", chr(byte))
        total += math.exp(answers(model, [request])[0].logprobs)
    assert 0.05 < total < 1.0


def test_the_answer_is_the_likeliest_continuation_of_its_first_token(model: BaseChat) -> None:
    request = asked(["Which letter?"], max_new_tokens=1)[0]
    best = answers(model, [request])[0].content
    options = sorted({best, *string.ascii_letters, *string.digits})
    scored = answers(model, [Request(request.messages, kind="loglikelihood", continuation=c) for c in options])
    if best.isprintable() and "\ufffd" not in best:
        assert max(zip(scored, options, strict=True), key=lambda pair: pair[0].logprobs)[1] == best
    else:
        pytest.fail("choose a question whose answer is a letter")


def test_an_empty_continuation_fails_alone(model: BaseChat) -> None:
    good, bad = asked(["a"], kind="loglikelihood", continuation="b") + asked(["a"], kind="loglikelihood")
    first, second = answers(model, [good, bad])
    assert first.status == "ok" and second.status == "error" and "not empty" in second.error


def test_seeds_and_repetitions_draw_anew(model: BaseChat) -> None:
    texts = questions(5)
    drawn = [
        [r.content for r in answers(model, asked(texts, do_sample=True, temperature=1.0, seed=seed))]
        for seed in (1, 2, 1)
    ]
    assert drawn[0] == drawn[2] != drawn[1]
    (request,) = asked(texts[:1], do_sample=True, seed=1)
    again = Request(request.messages, request.generation.with_repeat(1))
    assert answers(model, [request])[0].content != answers(model, [again])[0].content


def test_sampling_follows_the_probabilities(model: BaseChat) -> None:
    """The share of the likeliest first token among 400 draws lies within 5 standard errors of its probability."""
    (greedy,) = asked(["Which letter?"], max_new_tokens=1)
    best = answers(model, [greedy])[0].content
    p = math.exp(answers(model, [Request(greedy.messages, kind="loglikelihood", continuation=best)])[0].logprobs)
    draws = Generation.from_kwargs({"max_new_tokens": 1, "do_sample": True, "temperature": 1.0})
    drawn = answers(model, [Request(greedy.messages, draws.with_repeat(i)) for i in range(400)])
    share = sum(r.content == best for r in drawn) / 400
    assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / 400)


def test_temperature_zero_is_greedy(model: BaseChat) -> None:
    texts = questions(4)
    cold = answers(model, asked(texts, do_sample=True, temperature=0.0))
    assert [r.content for r in cold] == [r.content for r in answers(model, asked(texts))]


def test_stop_sequences_end_the_text_before_them(model: BaseChat) -> None:
    texts = questions(30)
    free = answers(model, asked(texts, max_new_tokens=24))
    stop = next(c for r in free for c in r.content[3:] if c.isascii() and c.isprintable())
    for whole, cut in zip(free, answers(model, asked(texts, max_new_tokens=24, stop_sequences=[stop])), strict=True):
        assert cut.content == whole.content.partition(stop)[0]
        assert (cut.finish_reason, cut.cut) == (("stop", False) if stop in whole.content else ("length", True))


def test_beams_find_an_answer_at_least_as_likely(model: BaseChat) -> None:
    texts = questions(6)
    differs = 0
    for text in texts:
        greedy, beams = (answers(model, asked([text], max_new_tokens=4, num_beams=n))[0].content for n in (1, 4))
        differs += greedy != beams
    assert differs  # otherwise num_beams has no effect


def test_a_cut_answer_says_so(model: BaseChat) -> None:
    (response,) = answers(model, asked(["Hello"], max_new_tokens=3))
    assert (response.cut, response.finish_reason, response.usage) == (True, "length", (8, 3))


def test_an_ended_answer_is_not_cut(folder: Path, tmp_path: Path) -> None:
    """With every token that is seen often declared an end, answers end before the limit."""
    copy = Path(shutil.copytree(folder, tmp_path / "ends"))
    config = json.loads((copy / "generation_config.json").read_text("utf-8"))
    (copy / "generation_config.json").write_text(json.dumps(config | {"eos_token_id": list(range(2, 200))}), "utf-8")
    found = answers(build(copy), asked(questions(10)))
    ended = [r for r in found if r.finish_reason == "stop"]
    assert ended and not any(r.cut for r in ended) and all(r.usage[1] <= 16 for r in ended)


def test_batches_are_sorted_deterministic_and_of_one_kind(model: BaseChat) -> None:
    requests = asked(questions(50)) + asked(questions(40), kind="raw") + asked(["x"] * 3, max_new_tokens=3)
    cut = list(model.batches(requests))
    assert cut == list(model.batches(requests))
    assert sorted(map(id, (q for b in cut for q in b))) == sorted(map(id, requests))
    assert [len(b) for b in cut] == [32, 18, 32, 8, 3]
    for batch in cut:
        assert len({(q.kind, q.generation) for q in batch}) == 1
        sizes = [len(q.messages[0]["content"].encode()) for q in batch]
        assert sizes == sorted(sizes, reverse=True)


def test_the_batch_size_can_be_chosen(folder: Path) -> None:
    assert [len(b) for b in build(folder, batch=20).batches(asked(["x"] * 50))] == [20, 20, 10]


def test_the_chat_template_is_used_and_raw_is_not(model: BaseChat) -> None:
    chat, raw = (answers(model, asked(["Hello"], kind=kind))[0] for kind in ("chat", "raw"))
    assert chat.usage[0] == 8 and raw.usage[0] == 6  # <s><|user|>Hello<|assistant|> against <s>Hello
    assert chat.content != raw.content
    system = Request(({"role": "system", "content": "Be"}, {"role": "user", "content": "Hello"}))
    assert answers(model, [system])[0].usage[0] == 8 + 3  # <|system|>Be


def test_without_a_template_the_prompt_is_plain_and_the_identity_says_so(tmp_path: Path, model: BaseChat) -> None:
    plain = build(tiny_models.text_model(tmp_path / "plain", template=False))
    assert plain.identity()["chat_template"] == "none: plain lines"
    assert "2026-01-01" in model.identity()["chat_template"]
    chat, raw = (answers(plain, asked(["Hello"], kind=kind))[0] for kind in ("chat", "raw"))
    assert chat == raw and chat.usage[0] == 6


def test_a_prompt_that_does_not_fit_fails_alone(model: BaseChat) -> None:
    found = answers(model, asked(["short", "x" * 600, "also short"]))
    assert [r.status for r in found] == ["ok", "error", "ok"]
    assert "603 tokens" in found[1].error and "512" in found[1].error
    assert found[0] == answers(model, asked(["short"]))[0]


def test_a_template_that_refuses_fails_its_request_only(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "strict"))
    strict = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    (copy / "chat_template.jinja").write_text(strict + tiny_models.CHAT, "utf-8")
    system = Request(({"role": "system", "content": "Be short."}, {"role": "user", "content": "Hello"}))
    bad, good = answers(build(copy), [system, *asked(["Hello"])])
    assert bad.status == "error" and "no system role" in bad.error and good.status == "ok"


def test_a_template_is_told_a_fixed_day(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "dated"))
    (copy / "chat_template.jinja").write_text("{{ strftime_now('%Y-%m-%d') }}", "utf-8")
    dated = build(copy)
    (copy / "chat_template.jinja").write_text("2026-01-01", "utf-8")
    assert answers(dated, asked(["?"])) == answers(build(copy), asked(["?"]))


def test_closing_frees_and_loading_again_gives_the_same(folder: Path) -> None:
    built = build(folder)
    before = answers(built, asked(["Hello"]))
    built.close()
    assert built._loaded is None  # type: ignore[attr-defined]
    assert answers(built, asked(["Hello"])) == before
