"""The plain records that everything hangs on."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.types import (
    REASONS,
    UNPARSED,
    Case,
    Estimate,
    Generation,
    ImageTxtSample,
    Request,
    Response,
    Result,
    Sample,
    Trial,
    TxtSample,
)

SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "max_new_tokens": st.integers(1, 10_000),
        "do_sample": st.booleans(),
        "temperature": st.floats(0, 5),
        "num_beams": st.integers(1, 8),
        "stop_sequences": st.lists(st.text(min_size=1), max_size=3),
        "output_scores": st.booleans(),
        "seed": st.integers(0, 2**40),
    },
)


def test_greedy_decoding_has_one_form() -> None:
    plain = Generation.from_kwargs({"max_new_tokens": 20})
    assert Generation.from_kwargs({"max_new_tokens": 20, "do_sample": False, "temperature": 0.7, "seed": 5}) == plain
    assert plain == Generation(max_new_tokens=20)


def test_sampling_has_a_temperature() -> None:
    assert Generation.from_kwargs({"do_sample": True}).temperature == 1.0
    assert Generation.from_kwargs({"do_sample": True, "temperature": 0}).temperature == 0.0
    assert Generation.from_kwargs({"do_sample": True, "seed": 3}).seed == 3


def test_stop_sequences_may_be_one_text_or_none() -> None:
    assert Generation.from_kwargs({"stop_sequences": "\n"}).stop_sequences == ("\n",)
    assert Generation.from_kwargs({"stop_sequences": ["a", "b"]}).stop_sequences == ("a", "b")
    assert Generation.from_kwargs({"stop_sequences": None}).stop_sequences == ()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("max_new_tokens", 0, "whole number >= 1"),
        ("max_new_tokens", 1.5, "whole number >= 1"),
        ("max_new_tokens", True, "whole number >= 1"),
        ("max_new_tokens", "20", "whole number >= 1"),
        ("num_beams", 0, "whole number >= 1"),
        ("seed", -1, "whole number >= 0"),
        ("do_sample", "no", "true or false"),
        ("do_sample", 1, "true or false"),
        ("output_scores", None, "true or false"),
        ("temperature", -0.1, "number >= 0"),
        ("temperature", float("nan"), "number >= 0"),
        ("temperature", float("inf"), "number >= 0"),
        ("temperature", True, "number >= 0"),
        ("stop_sequences", 5, "a text or a list of texts"),
        ("stop_sequences", [""], "a text or a list of texts"),
        ("stop_sequences", {"a": 1}, "a text or a list of texts"),
        ("stop_sequences", [1], "a text or a list of texts"),
    ],
)
def test_wrong_values_are_named(name: str, value: Any, expected: str) -> None:
    with pytest.raises(MmteError, match=f"^here: {name} must be .*{expected}, not"):
        Generation.from_kwargs({name: value}, "here")


@pytest.mark.parametrize(("name", "hint"), [("max_tokens", "max_new_tokens"), ("temprature", "temperature")])
def test_unknown_settings_get_a_near_name(name: str, hint: str) -> None:
    with pytest.raises(MmteError, match=f"unknown setting '{name}'. Did you mean '{hint}'"):
        Generation.from_kwargs({name: 1})


def test_repeat_is_not_a_setting_of_a_task() -> None:
    with pytest.raises(MmteError, match="unknown setting 'repeat'"):
        Generation.from_kwargs({"repeat": 1})


@given(SETTINGS)
def test_settings_survive_being_read_again(kwargs: dict[str, Any]) -> None:
    generation = Generation.from_kwargs(kwargs)
    again = {f.name: getattr(generation, f.name) for f in fields(Generation) if f.name != "repeat"}
    assert Generation.from_kwargs(again) == generation
    assert Generation.from_kwargs({"max_new_tokens": generation.max_new_tokens, **generation.changed()}) == generation


@given(SETTINGS, st.integers(0, 9))
def test_repeats_differ_in_nothing_else(kwargs: dict[str, Any], repeat: int) -> None:
    generation = Generation.from_kwargs(kwargs)
    other = generation.with_repeat(repeat)
    assert other.repeat == repeat
    assert other.with_repeat(0) == generation
    assert other.changed() == generation.changed()


def test_response_takes_the_four_fields_of_mmtrusteval_in_their_order() -> None:
    response = Response("m", "Yes", [0.1], "stop")
    assert [response[f] for f in ("model_id", "content", "logprobs", "finish_reason")] == ["m", "Yes", [0.1], "stop"]
    assert response["content"] == "Yes"
    assert response.status == "ok"
    assert Response.from_dict({**response.to_dict(), "unknown": 1}) == response


def test_a_failed_response_is_no_answer() -> None:
    failed = Response.failed("timeout", retryable=True, model_id="m")
    assert (failed.status, failed.content, failed.error, failed.retryable) == ("error", "", "timeout", True)


@pytest.mark.parametrize(
    "sample", [TxtSample("q", 1, {"k": 2}, id="a", subset="s"), ImageTxtSample("i.png", "q", "t", None, cluster="c")]
)
def test_samples_convert_to_dicts_and_back(sample: Any) -> None:
    assert type(sample).from_dict({**sample.to_dict(), "other": 3}) == sample
    assert sample["text"] == "q"
    assert TxtSample("q", "t", {"a": 1}).extra == {"a": 1}
    assert ImageTxtSample("i.png", "q").target is None


@pytest.mark.parametrize(
    "record",
    [
        Sample("id", ({"role": "user", "content": "q"},)),
        Request(({"role": "user", "content": "q"},), Generation(), "loglikelihood", " yes"),
        Response("m", "a"),
        Trial(Sample("id", ()), Response()),
        Estimate("m", 0.5, 0.4, 0.6, 10, 12, (0.3, 0.7), "wilson", "up"),
        Case("t[d/s/m]", "t", "privacy", "d", "s", "m", {"k": [1]}),
        Result("c", {}, {"expected": 1}, 1.0, ()),
    ],
    ids=lambda r: type(r).__name__,
)
def test_records_are_picklable(record: Any) -> None:
    assert pickle.loads(pickle.dumps(record)) == record


@pytest.mark.parametrize(
    ("record", "field"),
    [(Sample("a", ()), "id"), (Response(), "content"), (Generation(), "seed"), (Request(()), "kind")],
)
def test_what_is_shared_cannot_be_changed(record: Any, field: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(record, field, "x")


def test_cases_are_the_same_by_their_names() -> None:
    one, other = (Case("id", "t", "privacy", "d", "s", "m", config) for config in ({"a": 1}, {"a": 2}))
    assert one == other
    assert len({one, other}) == 1


def test_unparsed_stays_one_thing() -> None:
    assert pickle.loads(pickle.dumps([UNPARSED]))[0] is UNPARSED
    assert copy.deepcopy({"a": UNPARSED})["a"] is UNPARSED
    assert repr(UNPARSED) == "UNPARSED"


def test_reasons_begin_with_scored() -> None:
    assert REASONS[0] == "scored"
    assert len(set(REASONS)) == len(REASONS) == 7
