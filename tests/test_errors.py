"""What errors say."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import CacheError, MissingExtra, MmteError, ModelGone, Unavailable, near

METRICS = ["pearson_corr", "failure", "accuracy_score", "pred_mean"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pearson_cor", " Did you mean 'pearson_corr'?"),
        ("PEARSON_CORR", " Did you mean 'pearson_corr'?"),
        ("accuracy", " Did you mean 'accuracy_score'?"),
        ("zzz", " Known: accuracy_score, failure, pearson_corr, pred_mean."),
        (7, " Known: accuracy_score, failure, pearson_corr, pred_mean."),
        (None, " Known: accuracy_score, failure, pearson_corr, pred_mean."),
    ],
)
def test_near_names(name: object, expected: str) -> None:
    assert near(name, METRICS) == expected


def test_near_keeps_the_spelling_of_what_is_known() -> None:
    assert near("qwen-vl", ["Qwen-VL"]) == " Did you mean 'Qwen-VL'?"


def test_near_is_silent_where_it_cannot_help() -> None:
    assert near("x", []) == ""
    assert near("zzz", [f"dataset-{n}" for n in range(13)]) == ""


def test_near_lists_at_most_three_and_few_in_order() -> None:
    assert near("dataset-1", [f"dataset-{n}" for n in range(50)]).count(" or ") == 2
    assert near("q", ["b", "a", "a"]) == " Known: a, b."


@given(st.text(), st.lists(st.text(), max_size=20))
def test_near_is_one_sentence_or_nothing(name: str, known: list[str]) -> None:
    hint = near(name, known)
    assert hint == "" or hint.startswith((" Did you mean '", ' Did you mean "', " Known: "))
    assert near(name, reversed(known)) == hint


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtra("the gguf backend", "gguf", "xllamacpp")
    assert str(error) == "the gguf backend needs xllamacpp, which is not installed: pip install 'mmte[gguf]'"


@pytest.mark.parametrize("kind", [MissingExtra, Unavailable, ModelGone, CacheError])
def test_every_error_of_the_user_is_one_kind(kind: type[Exception]) -> None:
    assert issubclass(kind, MmteError)


def test_errors_travel_between_processes() -> None:
    again = pickle.loads(pickle.dumps(ModelGone("model 'm' is given up: dead")))
    assert type(again) is ModelGone
    assert str(again) == "model 'm' is given up: dead"
    missing = pickle.loads(pickle.dumps(MissingExtra("a", "b", "c")))
    assert str(missing) == str(MissingExtra("a", "b", "c"))
