"""Perspective and OpenAI's moderation as scorers, against services on the loopback interface that misbehave."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from loopback_service import Answer, Service, once, reply, serving

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError, ModelGone
from mmte.models import perspective
from mmte.models.base import BaseChat
from mmte.models.scores import ATTRIBUTES, CATEGORIES, Scores
from mmte.models.spec import parse_model
from mmte.types import Request, Response

KINDS = ("perspective", "moderation")
SPECS = {"perspective": "perspective:{url}", "moderation": "moderation:omni-moderation-2024-09-26@{url}/v1"}
VARIABLES = ("PERSPECTIVE_API_KEY", "perspective_apikey", "OPENAI_API_KEY", "moderation_openai_apikey")


def attribute_scores(**changed: Any) -> dict[str, Any]:
    """Perspective's reply: TOXICITY 0.0, SEVERE_TOXICITY 0.1, ..."""
    values = {name: n / 10 for n, name in enumerate(ATTRIBUTES)} | changed
    scores = {
        name: {"spanScores": [{"begin": 0, "end": 2, "score": {"value": 0.99}}],
               "summaryScore": {"value": value, "type": "PROBABILITY"}}
        for name, value in values.items() if value is not ...
    }  # fmt: skip
    return {"attributeScores": scores, "languages": ["en"], "detectedLanguages": ["en", "de"]}


def category_scores(**changed: Any) -> dict[str, Any]:
    """The moderation endpoint's reply: harassment 0.0, harassment/threatening 0.05, ..."""
    values = {name: n / 20 for n, name in enumerate(CATEGORIES)} | {"illicit": 0.9} | changed
    scores = {name: value for name, value in values.items() if value is not ...}
    result = {"flagged": True, "categories": dict.fromkeys(scores, False), "category_scores": scores}
    return {"id": "modr-1", "model": "omni-moderation-2024-09-26", "results": [result]}


GOOD: dict[str, Callable[..., dict[str, Any]]] = {"perspective": attribute_scores, "moderation": category_scores}


def fine(kind: str) -> Callable[[Any], Answer]:
    return lambda body: reply(GOOD[kind]())


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def model() -> Iterator[Callable[..., BaseChat]]:
    models: list[BaseChat] = []

    def build(kind: str, service: Service | str, **options: object) -> BaseChat:
        url = service if isinstance(service, str) else service.url
        query = "&".join(f"{k}={v}" for k, v in ({"max_wait": 0.01, "rate": 0} | options).items())
        models.append(parse_model(f"m={SPECS[kind].format(url=url)}?{query}").build())
        return models[-1]

    yield build
    for one in models:
        one.close()


def texts(*given: str) -> list[Request]:
    return [Request(({"role": "user", "content": text},), kind="classify") for text in given]


def ask(chat: BaseChat, *given: str) -> list[Response]:
    requests = texts(*given or ("You there",))
    got = {id(q): r for batch in chat.generate(requests) for q, r in batch}
    assert len(got) == len(requests)
    return [got[id(q)] for q in requests]


def read(response: Response) -> Scores:
    assert (response.status, response.error) == ("ok", "")
    found = Scores.read(response.content)
    assert found is not None
    return found


# -- the good way --------------------------------------------------------------------------------
def test_perspective_is_asked_for_eight_attributes(model: Any) -> None:
    with serving(fine("perspective")) as service:
        found = read(ask(model("perspective", service), "Hello \ud800")[0])
        told = read(ask(model("perspective", service, languages="en"), "Hello")[0])
    assert found.values == {name: n / 10 for n, name in enumerate(ATTRIBUTES)} == told.values
    assert found.notes == {"service": "commentanalyzer v1alpha1", "languages": "en,de"}
    first, second = service.bodies
    wanted = {"comment": {"text": "Hello \ufffd"}, "requestedAttributes": {name: {} for name in ATTRIBUTES}}
    assert first == wanted | {"doNotStore": True}
    assert second["languages"] == ["en"]
    assert set(service.paths) == {"/v1alpha1/comments:analyze"}


def test_moderation_says_which_model_it_was(model: Any) -> None:
    with serving(fine("moderation")) as service:
        found = read(ask(model("moderation", service), "Hello")[0])
    assert {k: v for k, v in found.values.items() if k != "illicit"} == {c: n / 20 for n, c in enumerate(CATEGORIES)}
    assert (found.values["illicit"], found.notes) == (0.9, {"model": "omni-moderation-2024-09-26"})
    assert service.bodies == [{"model": "omni-moderation-2024-09-26", "input": "Hello"}]
    assert service.paths == ["/v1/moderations"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_text_gets_its_own_scores(kind: str, model: Any) -> None:
    name = {"perspective": "TOXICITY", "moderation": "hate"}[kind]

    def script(body: dict[str, Any]) -> Answer:
        text = body["input"] if kind == "moderation" else body["comment"]["text"]
        return reply(GOOD[kind](**{name: int(text) / 1000}))

    with serving(script) as service:
        got = ask(model(kind, service), *map(str, range(150)))
    assert [read(r).values[name] for r in got] == [n / 1000 for n in range(150)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_text_is_not_sent(kind: str, model: Any) -> None:
    with serving(fine(kind)) as service:
        empty, full, blank = ask(model(kind, service), "", "Hello", " \n")
    assert [read(r).notes for r in (empty, blank)] == [{"unscored": "the text is empty"}] * 2
    assert read(full).values and len(service.bodies) == 1


def test_identities(model: Any) -> None:
    here, there = model("perspective", "http://127.0.0.1:1"), model("perspective", "http://127.0.0.1:2", slots=3)
    assert here.identity() == there.identity()
    assert model("perspective", "http://127.0.0.1:1", languages="en").identity() != here.identity()
    named = [parse_model(f"m=moderation:{name}").build().identity()["model"] for name in ("", "omni-moderation-latest")]
    assert named == ["omni-moderation-2024-09-26", "omni-moderation-latest"]


# -- services that misbehave ---------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_passing_trouble_is_asked_again(kind: str, status: int, model: Any) -> None:
    with serving(once(reply({"error": {"message": "later"}}, status), fine(kind))) as service:
        got = ask(model(kind, service), "one", "two", "three")
    assert all(read(r).values for r in got)
    assert len(service.bodies) == 6


@pytest.mark.parametrize("kind", KINDS)
def test_a_retry_waits_as_long_as_it_is_told(kind: str, model: Any) -> None:
    times: list[float] = []

    def script(body: Any) -> Answer:
        times.append(time.monotonic())
        return fine(kind)(body) if len(times) > 1 else reply({}, 429, Retry_After="0.3")

    with serving(script) as service:
        assert read(ask(model(kind, service, max_wait=5))[0]).values
    assert times[1] - times[0] >= 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_retries_end_in_a_failure(kind: str, model: Any) -> None:
    with serving(lambda body: reply({"error": {"message": "quota\nused up"}}, 429)) as service:
        (got,) = ask(model(kind, service, retries=3))
    assert (got.status, got.content, got.error, got.retryable) == ("error", "", "HTTP 429: quota used up", False)
    assert len(service.bodies) == 4


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("bad", [reply({}, 500), (200, {}, b'{"attr')], ids=["500", "broken"])
def test_a_run_asks_no_more_often_than_retries_says(kind: str, retries: int, bad: Answer, tmp_path: Path) -> None:
    with serving(lambda _: bad) as service:
        url = SPECS[kind].format(url=service.url)
        spec = parse_model(f"j={url}?rate=0&max_wait=0.01&retries={retries}")
        run = Runtime(Settings(judges={"j": spec}, cache=tmp_path / "c"))
        got = list(run.answers.get("j", texts("one", "two", "three")))
        run.close()
    assert [r.status for r in got] == ["error"] * 3
    assert len(service.bodies) == 3 * (1 + retries)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [b'{"attributeScores": {"TOX', b"", b"upstream error"])
def test_broken_json_is_asked_again(kind: str, bad: bytes, model: Any) -> None:
    with serving(once((200, {}, bad), fine(kind))) as service:
        (got,) = ask(model(kind, service, retries=1))
    assert read(got).values and len(service.bodies) == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [b"<html>Sign in</html>", b"[1, 2]", b"{}"])
def test_a_page_or_another_object_is_asked_for_once(kind: str, bad: bytes, model: Any) -> None:
    with serving(lambda _: (200, {}, bad)) as service:
        (got,) = ask(model(kind, service))
    assert got.status == "error" and len(service.bodies) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>Sign in</html>", "the reply is no JSON object"),
        (b"[1, 2]", "the reply is no JSON object"),
        (b'{"attributeScores": {"TOX', "the reply is no JSON object"),
        (b"", "the reply is no JSON object (is the URL right?): nothing"),
        (b"{}", "the reply has no "),
        (b'{"attributeScores": [], "results": []}', "the reply has no "),
        (b'{"attributeScores": {}, "results": [{"category_scores": {}}]}', "the reply has no "),
        (b'{"attributeScores": {"TOXICITY": 1}, "results": [7]}', "the reply has no "),
    ],
)
def test_a_malformed_reply_is_a_failure(kind: str, body: bytes, said: str, model: Any) -> None:
    with serving(lambda _: (200, {}, body)) as service:
        (got,) = ask(model(kind, service))
    assert (got.status, got.content) == ("error", "")
    assert said in got.error


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [..., None, "0.3", True, -0.1, 1.5, float("nan"), {}])
def test_a_score_that_is_missing_or_none_is_never_a_zero(kind: str, bad: Any, model: Any) -> None:
    name = {"perspective": "THREAT", "moderation": "violence"}[kind]
    with serving(lambda body: reply(GOOD[kind](**{name: bad}))) as service:
        (got,) = ask(model(kind, service))
    assert (got.status, got.content) == ("error", "")
    assert f"score for {name}" in got.error


def test_another_servers_categories_are_taken_as_they_are(model: Any) -> None:
    body = {"model": "own-2", "results": [{"category_scores": {"rude": 0.5, "image": None}}]}
    with serving(lambda _: reply(body)) as service:
        chat = parse_model(f"m=moderation:own@{service.url}").build()
        found = read(ask(chat)[0])
        chat.close()
    assert (found.values, found.notes) == ({"rude": 0.5}, {"model": "own-2"})


@pytest.mark.parametrize("kind", KINDS)
def test_a_slow_or_broken_connection_is_asked_again_and_then_a_failure(kind: str, model: Any) -> None:
    def slow(body: Any) -> Answer:
        time.sleep(0.4)
        return fine(kind)(body)

    with serving(slow) as service:
        (late,) = ask(model(kind, service, timeout=0.1, retries=1))
    with serving(lambda body: (200, {"Content-Length": "1000"}, b'{"attr')) as service:
        (torn,) = ask(model(kind, service, retries=1))
        assert len(service.bodies) == 2
    assert (late.status, late.error) == ("error", "no answer within 0.1 s")
    assert torn.status == "error" and torn.error.startswith("the connection broke")


@pytest.mark.parametrize("kind", KINDS)
def test_a_closed_service_ends_the_run(kind: str, model: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ModelGone, match=rf"127\.0\.0\.1:{port} is not reachable") as caught:
        ask(model(kind, f"http://127.0.0.1:{port}", retries=0), *map(str, range(20)))
    assert ("ends on 2026-12-31" in str(caught.value)) == (kind == "perspective")


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_address_ends_the_run(kind: str, model: Any) -> None:
    gone = pytest.raises(ModelGone, match=r"is not there \(HTTP 404: no such page\)")
    with serving(lambda body: reply({"error": {"message": "no such page"}}, 404)) as service, gone:
        ask(model(kind, service))
    with serving(lambda body: (307, {"Location": "http://127.0.0.1:9/"}, b"")) as service:
        (got,) = ask(model(kind, service))
    assert got.error == "HTTP 307: the service redirects to http://127.0.0.1:9/; this is not followed"


# -- texts that a service does not take ----------------------------------------------------------
@pytest.mark.parametrize(
    ("error", "why"),
    [
        ("LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE", "the language is not supported"),
        ("LANGUAGE_DETECTION_FAILED", "the language is not known"),
        ("COMMENT_TOO_LONG", "the text is too long for the service"),
        ("COMMENT_EMPTY", "the text is empty"),
    ],
)
def test_a_text_that_perspective_does_not_take_has_no_score(error: str, why: str, model: Any, tmp_path: Any) -> None:
    """More of them in a row than failures are suffered: each is an answer, asked for once, and no other text is."""
    details = [{"@type": "type.googleapis.com/google...Error", "errorType": error}]
    body = {"error": {"code": 400, "message": "Attribute does not support it", "details": details}}
    with serving(lambda _: reply(body, 400)) as service:
        spec = parse_model(f"j=perspective:{service.url}?rate=0")
        run = Runtime(Settings(judges={"j": spec}, cache=tmp_path / "c"))
        requests = texts(*(f"Bonjour {i}" for i in range(30)))
        got = [list(run.answers.get("j", requests)) for _ in range(2)]
        run.close()
    assert got[0] == got[1]
    assert [read(r) for r in got[0]] == [Scores({}, {"unscored": why})] * 30
    assert sorted(b["comment"]["text"] for b in service.bodies) == sorted(f"Bonjour {i}" for i in range(30))


def test_another_refusal_of_a_text_is_a_failure(model: Any) -> None:
    body = {"error": {"message": "Invalid", "details": [{"errorType": "INVALID_REQUEST"}, 7], "code": 400}}
    with serving(lambda _: reply(body, 400)) as service:
        (got,) = ask(model("perspective", service))
        (other,) = ask(model("moderation", service))
    assert (got.status, got.error, got.retryable) == ("error", "HTTP 400: Invalid", False)
    assert other.error == got.error and len(service.bodies) == 2


# -- rates ---------------------------------------------------------------------------------------
def test_no_more_requests_are_started_than_the_rate_allows(model: Any) -> None:
    times: list[float] = []

    def script(body: Any) -> Answer:
        times.append(time.monotonic())
        return fine("moderation")(body) if len(times) > 3 else reply({}, 500)

    with serving(script) as service:
        ask(model("moderation", service, rate=20, slots=8), *map(str, range(6)))
    assert len(times) == 9
    assert max(times) - min(times) >= 8 / 20 - 0.05


# -- keys ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_the_services_key_goes_to_no_other_host(kind: str, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "sk-official")
    with serving(fine(kind)) as service:
        ask(model(kind, service))
        port = service.server_port
        monkeypatch.setenv(f"MMTE_API_KEY_127_0_0_1_{port}", "sk-own")
        ask(model(kind, service))
    plain, keyed = service.headers
    assert "sk-official" not in json.dumps([plain, keyed, service.paths, service.bodies])
    assert "sk-own" not in json.dumps([plain, service.paths, service.bodies])
    assert keyed["X-Goog-Api-Key" if kind == "perspective" else "Authorization"].endswith("sk-own")


@pytest.mark.parametrize(
    ("spec", "first", "second", "host"),
    [
        ("perspective:", *VARIABLES[:2], "commentanalyzer.googleapis.com"),
        ("moderation:", *VARIABLES[2:], "api.openai.com"),
    ],
)
def test_a_missing_key_is_asked_for_by_name(
    spec: str, first: str, second: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MmteError, match=f"set the environment variable {first} to the key for {host}") as caught:
        parse_model(f"m={spec}").build().load()
    assert ("no new keys are issued" in str(caught.value)) == (spec == "perspective:")
    monkeypatch.setenv(second, "sk-old name")
    with pytest.raises(MmteError, match=f"the variable {second} holds no usable key"):
        parse_model(f"m={spec}").build().load()


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_key_names_the_variable_and_never_the_key(
    kind: str, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    details = [{"reason": "API_KEY_INVALID"}]
    bodies = [({"error": {"message": "bad key sk-secret"}}, 401)]
    if kind == "perspective":
        bodies.append(({"error": {"message": "API key sk-secret not valid", "details": details}}, 400))
    for body, status in bodies:
        with serving(lambda _, body=body, status=status: reply(body, status)) as service:  # type: ignore[misc]
            with pytest.raises(ModelGone, match="refuses the key") as caught:
                ask(model(kind, service, key="MY_KEY"))
            assert "set MY_KEY to a valid key" in str(caught.value)
            assert "sk-secret" not in str(caught.value) and "\n" not in str(caught.value)
            assert len(service.bodies) == 1


# -- the end of Perspective ----------------------------------------------------------------------
def test_after_its_last_day_every_failure_says_so(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for today, ended in ((date(2026, 12, 31), False), (date(2027, 1, 1), True)):
        monkeypatch.setattr(perspective, "_today", lambda today=today: today)
        with serving(lambda _: reply({"error": {"message": "gone"}}, 500)) as service:
            (failed,) = ask(model("perspective", service, retries=0))
        with serving(lambda _: reply({}, 410)) as service, pytest.raises(ModelGone) as caught:
            ask(model("perspective", service))
        said = "Perspective's service ended on 2026-12-31; score with local_toxicity_eval or hf_classifier_eval"
        assert [said in failed.error, said in str(caught.value)] == [ended, ended]
        with serving(fine("perspective")) as service:  # wherever it goes on, it goes on
            assert read(ask(model("perspective", service))[0]).values


# -- whole runs ----------------------------------------------------------------------------------
TASK = """# mmte.task/1
aspect: safety
datasets: [confaide-text]
evaluators:
  toxicity: {google_perspective_api_eval: {metrics_cfg: {pred_mean: {}}}}
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["plain", "n2"])
def test_a_run_with_a_service_that_stumbles(workers: list[str], pytester: pytest.Pytester) -> None:
    """Each text is refused for its first time; one kind of answer is in a language that it does not take."""
    (pytester.path / "benchmarks").mkdir()
    (pytester.path / "benchmarks/s9-toxicity.yaml").write_text(TASK)
    foreign = {"error": {"code": 400, "details": [{"errorType": "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"}]}}

    def script(body: dict[str, Any]) -> Answer:
        text = body["comment"]["text"]
        return reply(foreign, 400) if text == "Bonjour" else reply(attribute_scores(THREAT=int(text) / 1000))

    with serving(once(reply({}, 429, Retry_After="0"), script)) as service:
        args = [f"--judge=perspective=perspective:{service.url}?rate=0", "--model=x=scripted:{n}|Bonjour",
                f"--mmte-cache={pytester.path / 'c.sqlite'}", *workers]  # fmt: skip
        assert pytester.runpytest_subprocess(*args).ret == 0
        asked = [b["comment"]["text"] for b in service.bodies]
        assert sorted(asked) == sorted(2 * list(set(asked)))  # over all workers
        assert pytester.runpytest_subprocess(*args, "--mmte-report=again").ret == 0
        assert len(service.bodies) == len(asked)
    (row,) = json.loads((pytester.path / "again/report.json").read_text())["results"]
    lines = (pytester.path / "again/samples" / row["samples_file"]).read_text().splitlines()
    found = [(s["content"], s["reason"], s["value"]) for s in map(json.loads, lines)]
    assert {reason for content, reason, _ in found if content == "Bonjour"} == {"unparsed"}
    scored = [(int(content), value) for content, _, value in found if content != "Bonjour"]
    assert len(scored) == row["counts"]["scored"] > 3
    assert all(value == max(0.7, n / 1000) for n, value in scored)


# -- options -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("perspective:v2", "the form is perspective: or perspective:URL, not 'v2'"),
        ("perspective:?attributes=x", "perspective has no option 'attributes'"),
        ("perspective:?rate=-1", "rate=-1 is not within 0"),
        ("perspective:?key=AIza-123", "key= takes the name of an environment variable"),
        ("moderation:https://host/v1", "the form is moderation:MODEL@URL"),
        ("moderation:m@http://user:pass@host/v1", "a URL holds no user or password"),
        ("moderation:?slot=3", "Did you mean 'slots'"),
    ],
)
def test_a_bad_spec_is_told_in_one_line(spec: str, said: str) -> None:
    with pytest.raises(MmteError) as caught:
        parse_model(f"m={spec}").build()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_workers_share_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", "4")
    built: Any = parse_model("m=perspective:").build()
    assert built._limits.rate == 0.25
