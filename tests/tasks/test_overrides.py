"""`--mmte-set`: one value changed, its siblings kept."""

from __future__ import annotations

import copy
import string
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.tasks.config import KEYS
from mmte.tasks.overrides import parse

TASK: dict[str, Any] = {
    "title": "T",
    "generation_kwargs": {"max_new_tokens": 50, "do_sample": False},
    "datasets": ["plain", {"dataset_id": "d-one", "dataset_cfg": {"a": 1}}, {"dataset_id": "d-two", "name": "two"}],
    "evaluators": {"rule": [{"first": {"x": 1}}, {"second": {"metrics_cfg": {"pred_mean": {}}}}]},
    "fewshot": None,
}


def changed(*options: str, task: str = "p3") -> dict[str, Any]:
    data = copy.deepcopy(TASK)
    for option in options:
        parse(option, KEYS).apply(task, data)
    return data


def test_siblings_are_kept() -> None:
    data = changed("generation_kwargs.max_new_tokens=20")
    assert data == {**TASK, "generation_kwargs": {"max_new_tokens": 20, "do_sample": False}}


@pytest.mark.parametrize(
    ("option", "place"),
    [
        ("datasets.1.dataset_cfg.a=2", 1),
        ("datasets.d-one.dataset_cfg.a=2", 1),
        ("datasets.two.dataset_cfg.a=2", 2),
        ("datasets.-1.dataset_cfg.a=2", 2),
    ],
)
def test_items_of_lists_by_number_and_by_name(option: str, place: int) -> None:
    data = changed(option)
    assert data["datasets"][place]["dataset_cfg"] == {"a": 2}
    assert [d for n, d in enumerate(data["datasets"]) if n != place] == [
        d for n, d in enumerate(TASK["datasets"]) if n != place
    ]


def test_an_item_may_be_replaced() -> None:
    assert changed("datasets.0=other")["datasets"][0] == "other"
    assert changed("datasets.plain={dataset_id: d, name: n}")["datasets"][0] == {"dataset_id": "d", "name": "n"}


def test_evaluators_in_a_list_have_their_names() -> None:
    data = changed("evaluators.rule.first.first.x=5")
    assert data["evaluators"]["rule"][0] == {"first": {"x": 5}}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20", 20),
        ("0.5", 0.5),
        ("true", True),
        ("null", None),
        ("", ""),
        ("'20'", "20"),
        ("[a, 1]", ["a", 1]),
        ("{a: {b: 1}}", {"a": {"b": 1}}),
        ("a=b", "a=b"),
        ("2024-01-01", "2024-01-01"),
        ("plain words", "plain words"),
    ],
)
def test_values_have_yaml_types(text: str, value: Any) -> None:
    assert changed(f"dataset_cfg.new.key={text}")["dataset_cfg"]["new"]["key"] == value


def test_what_is_nothing_becomes_a_mapping() -> None:
    assert changed("fewshot.n=2")["fewshot"] == {"n": 2}


def test_a_task_may_be_named() -> None:
    option = "p3-infoflow:generation_kwargs.max_new_tokens=7"
    assert changed(option, task="p3-infoflow")["generation_kwargs"]["max_new_tokens"] == 7
    assert changed(option, task="p4-pii") == TASK


def test_one_override_does_not_tie_tasks_together() -> None:
    shared, own = parse("dataset_cfg={a: 1}", KEYS), parse("one:dataset_cfg.a=2", KEYS)
    one: dict[str, Any] = {}
    other: dict[str, Any] = {}
    for task, data in (("one", one), ("other", other)):
        shared.apply(task, data)
        own.apply(task, data)
    assert (one, other) == ({"dataset_cfg": {"a": 2}}, {"dataset_cfg": {"a": 1}})


MISTAKES = {
    "no equals": ("generation_kwargs.max_new_tokens", "write [TASK:]key.path=value"),
    "no path": ("=5", "write [TASK:]key.path=value"),
    "empty key": ("generation_kwargs..a=5", "write [TASK:]key.path=value"),
    "no task": (":title=x", "write [TASK:]key.path=value"),
    "unknown key": ("generation.max_new_tokens=5", "no key 'generation'. Did you mean 'generation_kwargs'"),
    "no YAML": ("title=[a", "'[a' is no valid YAML value"),
    "tag": ("title=!!python/name:os.system x", "is no valid YAML value"),
    "two documents": ("title=a\n---\nb", "is no valid YAML value"),
}
WRONG_WAYS = {
    "through a text": ("title.a=5", "'title' is a text, it has no 'a'"),
    "through a number": ("generation_kwargs.max_new_tokens.a.b=5", "'generation_kwargs.max_new_tokens' is a number"),
    "through a flag": ("generation_kwargs.do_sample.a=5", "'generation_kwargs.do_sample' is true or false"),
    "through a dataset's id": ("datasets.plain.dataset_cfg.a=5", "'datasets.plain' is a text, it has no 'dataset_cfg'"),
    "no such name": ("datasets.three=5", "the list 'datasets' has no item 'three' (0 to 2, or plain, d-one, two)"),
    "no such number": ("datasets.3.name=x", "the list 'datasets' has no item '3' (0 to 2"),
    "odd digit": ("datasets.².name=x", "the list 'datasets' has no item '²'"),
    "two signs": ("datasets.--1.name=x", "the list 'datasets' has no item '--1'"),
    "empty list": ("languages.0.a=x", "the list 'languages' has no item '0' (it is empty)"),
}


@pytest.mark.parametrize(("option", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_are_one_line(option: str, expected: str) -> None:
    with pytest.raises(MmteError) as caught:
        parse(option, KEYS)
    assert str(caught.value).startswith(f"--mmte-set {option}: ")
    assert expected in str(caught.value)


@pytest.mark.parametrize(("option", "expected"), WRONG_WAYS.values(), ids=WRONG_WAYS.keys())
def test_wrong_ways_are_one_line_and_change_nothing(option: str, expected: str) -> None:
    data = {**copy.deepcopy(TASK), "languages": []}
    before = copy.deepcopy(data)
    with pytest.raises(MmteError) as caught:
        parse(option, KEYS).apply("t", data)
    assert str(caught.value).startswith(f"--mmte-set {option}: ")
    assert expected in str(caught.value)
    assert data == before


KEY = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=6)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10)
VALUE = st.recursive(SCALAR, lambda v: st.lists(v, max_size=3) | st.dictionaries(KEY, v, max_size=3), max_leaves=8)


@given(st.sampled_from(KEYS), st.lists(KEY, max_size=4), VALUE, st.dictionaries(KEY, SCALAR, max_size=3))
def test_what_is_set_is_there_and_nothing_else_changes(
    key: str, path: list[str], value: Any, others: dict[str, Any]
) -> None:
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=False, width=10**6).removesuffix("\n...\n")
    override = parse(f"some-task:{'.'.join([key, *path])}={text}", KEYS)
    assert (override.task, override.keys) == ("some-task", (key, *path))
    data: dict[str, Any] = {f"~{name}": v for name, v in others.items()}
    before = copy.deepcopy(data)
    override.apply("some-task", data)
    place: Any = data
    for step in (key, *path):
        place = place[step]
    assert place == value
    del data[key]
    assert data == before
