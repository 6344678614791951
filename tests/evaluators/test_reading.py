import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.evaluators.reading import Options, phrase_pattern, plain, stance, text_of, without_accents

DOG = Options({"dog": "dog", "hot dog": "food"})

STANCES = {
    "a dog": "said", "It's not a cat but a dog": "said", "not only a dog": "said", "no doubt a dog": "said",
    "nothing but a dog": "said", "not a cat, a dog": "said", "If you look closely, it is a dog": "said",
    "I can't deny that it is a dog": "said", "There is no other dog": "said", "I'm not sure. A dog": "said",
    "Is it a cat? It's a dog.": "said", "the dog is not moving": "said", "dog not cat": "said",
    "I see no animal other than a dog": "said", "I can't see anything except the dog": "said",
    "not a dog": "denied", "It isn't a dog": "denied", "It is not really a very dog": "denied", "no dog": "denied",
    "without any dog": "denied", "neither a cat nor a dog": "denied", "a cat rather than a dog": "denied",
    "I don't think it's a dog": "denied", "It is not, in fact, a dog": "denied", "It isn\u2019t a dog": "denied",
    "The dog is not in the picture": "denied", "dog is wrong": "denied", "dog is not my answer": "denied",
    "instead of a dog": "denied",
    "Is it a dog?": "open", "whether it is a dog": "open", "I wonder if it's a dog": "open",
    "I cannot say that this is my dog": "open", "It is unclear what dog": "open", "I'm not sure it's a dog": "open",
    "nobody would call it a dog": "open",
}  # fmt: skip


@pytest.mark.parametrize(("text", "where"), STANCES.items())
def test_what_an_answer_says_of_a_phrase(text, where):
    form = plain(text)
    at = form.rindex("dog")
    assert stance(form, at, at + 3) == where


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("age", "language", False), ("age", "old age.", True), ("no", "not", False), ("1", "10", False),
        ("1", "1.", True),
        ("1", "1.5", False), ("1", "-1", False), ("1", "3/1", False), ("-1", "it is -1", True), ("-1", "1", False),
        ("positive", "non-positive", False), ("dog", "dog-like", False), ("anti stereotype", "anti-stereotype", True),
        ("new york", "new\nyork", True), ("u.s.", "the u.s.", True), ("c++", "c++ code", True),
        ("caf\u00e9", "caf\u00e9s", False),
        ("\u732b", "\u8fd9\u662f\u732b", True), ("\u0e41\u0e21\u0e27", "\u0e19\u0e35\u0e48\u0e41\u0e21\u0e27", True),
        ("\u0434\u043e\u043c", "\u0434\u043e\u043c\u0430", False),
    ],
)  # fmt: skip
def test_whole_words(phrase, text, found):
    import re

    assert (re.search(phrase_pattern(phrase), text) is not None) == found


def test_a_phrase_has_a_letter_or_digit():
    with pytest.raises(ValueError, match="letter or a digit"):
        Options({"?!": 1})


def test_the_longest_phrase_counts():
    named = DOG.named("a hot dog and a dog")
    assert named.said == {"food", "dog"} and named.only is None
    assert DOG.named("a hot-dog").only == "food"
    assert DOG.named("not a hot dog, a dog").only == "dog"


def test_said_and_denied_is_nothing():
    assert DOG.named("a dog. not a dog").only is None


def test_no_phrases():
    assert Options({}).named("a dog").only is None


def test_texts_of_answers():
    assert [text_of(p) for p in ("a", ["a"], ("a",), ["a", "b"], [1], None, 1.0)] == ["a", "a", "a", *[None] * 4]


def test_plain_keeps_case_where_asked():
    assert plain("**B**", fold=False) == "B" and plain("**B**") == "b"


def test_accents():
    assert without_accents("Cr\u00e8me br\u00fbl\u00e9e") == "Creme brulee"


@given(st.text(), st.integers(0, 20), st.integers(0, 5))
def test_any_place_in_any_text_has_a_stance(text, start, length):
    form = plain(text)
    start = min(start, len(form))
    assert stance(form, start, min(start + length, len(form))) in ("said", "denied", "open")


@given(st.text(alphabet="dog not?.,'\n", max_size=40))
def test_options_never_raise(text):
    named = DOG.named(DOG.form(text))
    assert named.said | named.denied | named.open <= {"dog", "food"}


@pytest.mark.parametrize("unit", ["dog ", "not a dog ", "not, ", " ", "hot ", "dog?", "n't ", "and i "])
def test_long_texts_end(unit):
    DOG.named(DOG.form(unit * (100_000 // len(unit))))
