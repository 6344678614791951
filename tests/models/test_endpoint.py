"""Where an openai model is said to be, and what may not be said."""

from __future__ import annotations

import pytest

from mmte.errors import MmteError
from mmte.models.endpoint import Endpoint
from mmte.models.spec import parse_model


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("org/model:1@http://h/v1", "org/model:1"),
        ("team@corp/m@https://h:1/v1", "team@corp/m"),
        ("a@http://b@http://h/v1", "a@http://b"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_the_identity_has_the_model_and_no_place(target: str, name: str) -> None:
    assert parse_model(f"m=openai:{target}?slots=3").build().identity() == {"backend": "openai", "model": name}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("@http://h/v1", "no model is named"),
        ("m@http://user:secret@h/v1", "a URL holds no user or password"),
        ("m@http:///v1", "is no URL of the form"),
        ("m@http://h:99999/v1", "bad URL"),
        ("m@http://h/v1?slots=0", "slots=0 is not within 1 to 4096"),
        ("m@http://h/v1?timeout=nan", "timeout=nan is not within"),
        ("m@http://h/v1?retries=some", "retries='some' is no int"),
        ("m@http://h/v1?max_tokens=limit", "names no field of a request"),
        ("m@http://h/v1?timout=5", "openai has no option 'timout'. Did you mean 'timeout'"),
        ("m@https://h/v1?key=sk-secret", "key= takes the name of an environment variable"),
    ],
)
def test_bad_specs_are_refused(spec: str, message: str) -> None:
    with pytest.raises(MmteError) as caught:
        parse_model(f"m=openai:{spec}").build()
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "loopback", "names"),
    [
        ("http://localhost:8000/v1", True, ["MMTE_API_KEY_LOCALHOST_8000", "MMTE_API_KEY_LOCALHOST"]),
        ("http://127.1.2.3/v1", True, ["MMTE_API_KEY_127_1_2_3_80", "MMTE_API_KEY_127_1_2_3"]),
        ("http://[::1]:8000/v1", True, ["MMTE_API_KEY___1_8000", "MMTE_API_KEY___1"]),
        ("https://llm.corp-1.com/x", False, ["MMTE_API_KEY_LLM_CORP_1_COM_443", "MMTE_API_KEY_LLM_CORP_1_COM"]),
        ("http://localhost.evil.com", False, ["MMTE_API_KEY_LOCALHOST_EVIL_COM_80", "MMTE_API_KEY_LOCALHOST_EVIL_COM"]),
    ],
)
def test_this_machine_is_told_from_others(url: str, loopback: bool, names: list[str]) -> None:
    endpoint = Endpoint.parse(url, "--model m")
    assert endpoint.loopback is loopback
    assert endpoint.key_names() == names


def test_only_openai_gets_its_key() -> None:
    assert Endpoint.parse("https://api.openai.com/v1", "m").key_names()[0] == "OPENAI_API_KEY"
    assert "OPENAI_API_KEY" not in Endpoint.parse("https://api.openai.com.evil.com/v1", "m").key_names()


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions", "/completions", "/chat/completions/"])
def test_the_path_may_name_the_route(tail: str) -> None:
    assert Endpoint.parse(f"http://h:1/v1{tail}", "m").url == "http://h:1/v1"
