import math
import pickle
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators.rule_choice import ChoiceEvaluator, Choices
from mmte.registry import registry
from mmte.types import UNPARSED

NAME = "rule_choice_eval"
LETTERS = Choices(4)
CITIES = ["Paris", "London", "Rome", "New York"]
TEXTS = Choices(texts=CITIES)

READABLE = {
    "B": "B", "b": "B", "(b)": "B", "(B)": "B", "[B]": "B", "B.": "B", "b)": "B", " B\n": "B", "**B**": "B",
    "**B.**": "B", "`B`": "B",
    "\uff22": "B", "\u24b7": "B", r"\boxed{C}": "C", r"$\boxed{C}$": "C", "<answer>B</answer>": "B", "A": "A", "a": "A",
    "(B) Paris": "B", "B. Paris": "B", "B) Paris": "B", "B: Paris": "B", "B - Paris": "B", "B\nbecause": "B",
    "A. higher taxes": "A",
    "The answer is B": "B", "The answer is B.": "B", "the answer is (b)": "B", "Answer: B": "B", "answer: b": "B",
    "**Answer: (B)**": "B",
    "Option B": "B", "option c is best": "C", "I choose D": "D", "I'd go with B": "B", "I choose A": "A",
    "My answer is option (C).": "C",
    "The correct answer is: B) Paris": "B", "The answer is a.": "A", "It's B": "B", "So B.": "B",
    "The letter is 'D'": "D",
    "B is correct": "B", "A is wrong, B is right": "B", "B, not C": "B", "B, because A is wrong": "B",
    "Between A and B, I choose B": "B",
    "Answer: B\nExplanation: vitamin C. It is": "B", "C. It is the best. A is also good.": "C", "B. I like it": "B",
    "(B), as in (b)": "B",
}  # fmt: skip

UNREADABLE = [
    "", " ", "?", "E", "Answer: E", "Z", "no idea", "None of the above", "All of them", "ABCD", "BC",
    "A dog", "A dog is shown", "I think so", "I", "I am", "The answer is a dog", "The answer is A dog",
    "Grade A beef", "vitamin B is good",
    "As an AI, I cannot choose.", "I don't have preferences", "option", "T-shirt B-side",
    "A or B", "A and B", "Both A and B", "A/B", "A, B", "(A) and (B)", "B B or C", "The answer is A or B", "A\nB",
    "B. C.",
    "not B", "The answer is not B", "B is not correct", "B is wrong", "Is it B?", "If B then", "I don't choose B",
    "B or not",
    "A. Paris B. London C. Rome", "A) x\nB) y\nC) z", "Option A: x. Option B: y. I choose option B",
]  # fmt: skip


@pytest.mark.parametrize(("text", "letter"), READABLE.items())
def test_readable(text, letter):
    assert LETTERS.read(text) == string.ascii_uppercase.index(letter)


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text):
    assert LETTERS.read(text) is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Paris", 0), ("The answer is Paris.", 0), ("new york", 3), ("It's not Paris, it's London", 1),
        ("B. London", 1), ("B", 1),
        ("A) Paris is the capital; London isn't", 0), ("B. London. Paris is in France", 1), ("(d) New York", 3),
        ("**C: Rome**", 2),
        ("B. Paris", None), ("The answer is A) Rome", None), ("London or Paris", None), ("Paris and London", None),
        ("not Paris", None),
        ("Is it Paris?", None), ("Parisian", None), ("(A) Paris (B) London", None), ("A. Paris B. London", None),
        ("no idea", None), ("E", None),
    ],
)  # fmt: skip
def test_with_texts(text, place):
    assert TEXTS.read(text) == place


def test_any_number_of_options():
    assert Choices().read("Z") == 25 and Choices(2).read("C") is None
    row = " ".join(f"{letter}. x" for letter in string.ascii_uppercase)
    assert Choices().read(f"{row} {row}") is None


# -- properties ----------------------------------------------------------------------------------
letters = st.sampled_from("BCD")
wraps = st.sampled_from(
    [
        "{}",
        " {} ",
        "**{}**",
        "`{}`",
        "({})",
        "[{}]",
        "{}.",
        "{})",
        "The answer is {}.",
        "Answer: {}",
        "**Answer:** {}",
        "Option {}",
        "\n{}\n",
    ]
    + [
        "{}. Because it is so.",
        "I choose {}.",
        "({}) something",
        "<b>{}</b>",
        "\u200b{}",
        "# {}",
        "{}: something",
        "{} is correct.",
    ]
)
prose = st.lists(
    st.sampled_from([*"ABCDEabI", "(A)", "B.", "C)", "answer", "is", "not", "or", "and", "option", "the", ".", ",",
    "\n", "Paris", "London", "?", "/"]),
    max_size=9,
).map(" ".join)  # fmt: skip


@given(letters, wraps)
def test_each_letter_reads_as_itself_in_any_dress(letter, wrap):
    assert LETTERS.read(wrap.format(letter)) == "ABCD".index(letter)


@given(
    letters,
    st.sampled_from(
        ["{}", " {} ", "**{}**", "`{}`", "({})", "[{}]", "{}.", "{})", "\n{}\n", "Answer: {}", "The answer is ({})"]
    ),
)
def test_small_letters_stand_alone_too(letter, wrap):
    assert LETTERS.read(wrap.format(letter.lower())) == "ABCD".index(letter)


@given(
    st.sampled_from(CITIES),
    wraps.filter(lambda wrap: "Option" not in wrap),
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_each_text_reads_as_itself(city, wrap, case):
    assert TEXTS.read(wrap.format(case(city))) == CITIES.index(city)


@given(letters, letters, st.sampled_from([" ", ", ", " or ", " and ", "/", "\n", "; ", " & ", ") ", ". "]))
def test_two_letters_never_parse(one, other, between):
    found = LETTERS.read(one + between + other)
    assert found is None or (one == other and found == "ABCD".index(one))


@given(st.permutations(CITIES), st.sampled_from([" ", ", ", " or ", " and ", "\n"]))
def test_two_texts_never_parse(cities, between):
    assert TEXTS.read(between.join(cities[:2])) is None


@given(st.text() | prose)
def test_any_text_is_a_place_or_nothing(text):
    for reader in (LETTERS, TEXTS):
        assert reader.read(text) in (None, 0, 1, 2, 3)


@pytest.mark.parametrize(
    "unit",
    [
        "A ",
        "B. ",
        "(B) ",
        "answer is B ",
        "Paris ",
        "A or ",
        "I choose ",
        " ",
        "- ",
        "A, ",
        "\n",
        "a",
        "(",
        "it is ",
        "A. B. ",
    ],
)
def test_long_replies_end(unit):
    assert TEXTS.read(unit * (100_000 // len(unit)) + "x") in (None, 0, 1, 2, 3)


# -- the evaluator -------------------------------------------------------------------------------
def test_it_is_registered():
    assert registry.get_evaluator_class(NAME) is ChoiceEvaluator
    assert (ChoiceEvaluator.chunk, ChoiceEvaluator.reads_cut, ChoiceEvaluator.version) == (1024, True, 1)


def test_places_and_labels():
    evaluator = ChoiceEvaluator(NAME, options=CITIES)
    answers, targets = ["A", "(d)", "Rome", "?", None, ["B"]], ["A", 3, "London", "(b)", None, 1.0]
    preds, labels, _ = evaluator.process(answers, targets, [None] * 6)
    assert preds == [0.0, 3.0, 2.0, UNPARSED, UNPARSED, 1.0] and labels == [0.0, 3.0, 1.0, 1.0, None, 1.0]


def test_accuracy_counts_the_unreadable_as_wrong():
    evaluator = ChoiceEvaluator(NAME, {"accuracy_score": {}}, options=4)
    assert evaluator.eval(["A", "A or B", "C", "B"], ["A", "A", "D", "B"]) == {"accuracy_score": 0.5}


def test_options_of_each_sample():
    evaluator = ChoiceEvaluator(NAME, options=2)
    extras = [{"options": ["tea", "coffee", "water"]}, {"options": 5}, {}, None]
    assert evaluator.process(["C", "E", "C", "B"], None, extras) == ([2.0, 4.0, UNPARSED, 1.0], None, extras)
    with pytest.raises(MmteError, match="sample 1 of this batch: options must be 2 to 26 texts"):
        evaluator.process(["A"], None, [{"options": ["one"]}])


@pytest.mark.parametrize("label", ["E", 4, -1, 1.5, "Berlin", True, [0], math.nan])
def test_a_label_that_is_no_option(label):
    with pytest.raises(MmteError, match="label of sample 1 of this batch is .* a letter from A to D, or its place"):
        ChoiceEvaluator(NAME, options=CITIES).process(["A"], [label])


@pytest.mark.parametrize("options", [1, 27, True, "AB", ["a"], [1, 2], 2.0])
def test_wrong_options_are_one_line(options):
    with pytest.raises(MmteError, match="options must be 2 to 26 texts, or their number"):
        ChoiceEvaluator(NAME, options=options)


def test_it_can_be_sent_to_a_worker():
    assert pickle.loads(pickle.dumps(ChoiceEvaluator(NAME, options=4))).process(["B"])[0] == [1.0]
