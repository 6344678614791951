"""What `--model` takes."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.models.spec import ModelSpec, catalogue, parse_model


def test_name_backend_target_and_options() -> None:
    spec = parse_model("my-model=openai:org/model:1@http://localhost:8000/v1?slots=8&key=A_KEY&flag&text=a%26b")
    assert (spec.name, spec.backend, spec.target) == ("my-model", "openai", "org/model:1@http://localhost:8000/v1")
    assert spec.options == {"slots": "8", "key": "A_KEY", "flag": "yes", "text": "a&b"}
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_a_spec_without_name_is_named_after_itself() -> None:
    assert parse_model("openai:org/model@http://h/v1").name == "openai-org-model-http-h-v1"


def test_a_target_may_hold_an_equals_sign() -> None:
    spec = parse_model("scripted:a=b")
    assert (spec.backend, spec.target) == ("scripted", "a=b")


def test_catalogue_names_resolve_and_can_be_renamed() -> None:
    assert parse_model("smollm2-135m") == ModelSpec("smollm2-135m", "gguf", "smollm2-135m")
    assert parse_model("small=smollm2-135m") == ModelSpec("small", "gguf", "smollm2-135m")


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_every_catalogue_entry_can_be_built(name: str) -> None:
    """Nothing is fetched: what an id of the hub stands for is known when its files are asked for."""
    entry, model = catalogue()[name], parse_model(name).build()
    assert model.model_id == name
    assert entry["about"] and entry["licence"] and set(entry) <= {"spec", "about", "licence", "pull"}
    assert model.backend_ids == (entry["spec"].partition(":")[0],)
    if "pull" in entry:
        assert model.identity()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("smollm2", "unknown model 'smollm2'.*Did you mean 'smollm2-135m'"),
        ("llava-v1.5-7b", "unknown model 'llava-v1.5-7b'.*Did you mean 'llava-1.5-7b-hf'"),
        ("qwen-vl-2b", "Did you mean 'qwen-vl'"),
        ("gpt-4-1106-preview", "behind an API is gpt-4-1106-preview=openai:MODEL@URL"),
        ("claude-3-sonnet-20240229", "behind an API is claude-3-sonnet-20240229=openai:MODEL@URL"),
        ("gemini-1.5-pro", "behind an API is gemini-1.5-pro=openai:MODEL@URL"),
        ("no name", "behind an API is NAME=openai:MODEL@URL"),
        ("x=opnai:m", "unknown backend 'opnai'.*Did you mean 'openai'"),
        ("a b=smollm2-135m", "letters, digits"),
        ("", "unknown model ''"),
        ("x=", "unknown model ''"),
    ],
)
def test_what_is_unknown_is_named(text: str, message: str) -> None:
    with pytest.raises(MmteError, match=message) as caught:
        parse_model(text)
    assert "\n" not in str(caught.value)


def test_options_are_typed() -> None:
    spec = ModelSpec("m", "openai", "x", {"slots": "8", "wait": "0.5", "on": "Yes", "off": "0", "bad": "eight"})
    assert spec.option("slots", int, 64) == 8
    assert spec.option("wait", float, 0.0) == 0.5
    assert spec.option("on", bool, False) is True
    assert spec.option("off", bool, True) is False
    assert spec.option("absent", int, 7) == 7
    for kind in (int, float, bool):
        with pytest.raises(MmteError, match="--model m: bad='eight' is no"):
            spec.option("bad", kind, 0)


def test_unknown_options_are_named() -> None:
    with pytest.raises(MmteError, match="openai has no option 'slot'. Did you mean 'slots'"):
        ModelSpec("m", "openai", "x", {"slot": "8"}).check_options("slots", "timeout")


@given(st.text(max_size=40) | st.from_regex(r"[a-z=]{0,5}openai:[\w@:/?&=%.]{0,30}", fullmatch=True))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        spec = parse_model(text)
    except MmteError as error:
        assert str(error)
    else:
        assert spec.name and spec.backend
