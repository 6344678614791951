import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators.metrics import metric_for
from mmte.evaluators.rule_contain import TASKS, ContainAdvEvaluator, ContainExactEvaluator, ContainOrNotEvaluator
from mmte.registry import registry
from mmte.types import UNPARSED

CONTAIN, EXACT, ADV = "rule_contain_eval", "rule_contain_exact_eval", "rule_contain_adv_eval"
STRICT = ContainOrNotEvaluator(CONTAIN)
FUZZY = ContainOrNotEvaluator(CONTAIN, fuzzy_match=True)


def read(evaluator, pred, label, extra=None):
    return evaluator.process([pred], [label], [extra])[0][0]


HITS = [
    ("dog", "dog"), ("It is a DOG.", "dog"), ("**dog**", "dog"), ("\uff44\uff4f\uff47", "dog"),
    ("It's not a cat, it's a dog", "dog"),
    ("There is no doubt it is a dog", "dog"), ("Is it a dog? Yes, a dog.", "dog"), ("a dog, not a cat", "dog"),
    ("The dog is not moving", "dog"), ("There are no cats, just a dog", "dog"), ("Exit", "EXIT"),
    ("no parking", "NO PARKING"),
    ("The sign says PLATFORM  7.", "Platform 7"), ("1", 1), ("Option 1: x", 1), ("7", 7.0), ("0.5", 0.5), ("1.", "1"),
    ("Platform no 7", "7"), ("puppy", ["dog", "puppy"]), ("dog or puppy", ["dog", "puppy"]), ("dog", ("dog",)),
    ("\u8fd9\u662f\u732b", "\u732b"), ("C++ is it", "C++"), ("a ? b", "?"), ("100 % %", "%"),
    ("anti stereotype", "anti-stereotype"),
    ("old age", "age"), ("x", ["x", 1]),
]  # fmt: skip

MISSES = [
    # what the original counted as a hit
    ("language", "age"), ("The image", "age"), ("trace", "race"), ("10", "1"), ("21", "1"), ("not", "no"),
    ("know", "no"), ("another", "no"),
    ("bog", "dog"), ("god", "dog"), ("hotdog", "dog"), ("hot-dog", "dog"), ("dogs", "dog"),
    ("anti-stereotype", "stereotype"),
    ("1.5", "1"), ("-1", "1"), ("2/1", "1"), ("10:15", "15"), ("\u0434\u043e\u043c\u0430", "\u0434\u043e\u043c"),
    ("not a dog", "dog"), ("It isn't a dog", "dog"), ("It isn\u2019t a dog", "dog"),
    ("neither a dog nor a cat", "dog"), ("no dog", "dog"),
    ("without a dog", "dog"), ("a cat rather than a dog", "dog"), ("I don't think it's a dog", "dog"),
    ("It is not, in fact, a dog", "dog"),
    ("The dog is not in the picture", "dog"), ("I cannot answer", "dog"), ("nothing", "?"),
    ("Error in generation", "age"),
    ("I do not see a dog or a cat", "dog"),
]  # fmt: skip

UNCLEAR = [
    ("dog or cat", "dog"), ("either a cat or a dog", "dog"), ("a dog/wolf", "dog"), ("Is it a dog?", "dog"),
    ("dog?", "dog"),
    ("It is a dog. It is not a dog.", "dog"), ("I can't tell whether it is a dog", "dog"), ("If it is a dog", "dog"),
    ("", "dog"), (" ", "dog"), ("!!", "dog"), (None, "dog"), (UNPARSED, "dog"), (["a", "b"], "a"), (True, "1"),
]  # fmt: skip


@pytest.mark.parametrize(("pred", "label"), HITS)
def test_a_hit(pred, label):
    assert read(STRICT, pred, label) == 1.0


@pytest.mark.parametrize(("pred", "label"), MISSES)
def test_no_hit(pred, label):
    assert read(STRICT, pred, label) == 0.0


@pytest.mark.parametrize(("pred", "label"), UNCLEAR)
def test_unclear(pred, label):
    assert read(STRICT, pred, label) is UNPARSED


def test_a_label_is_one_text_and_no_characters():
    assert read(STRICT, "a cat", "dog act") == 0.0
    assert read(STRICT, ["a dog"], "dog") == 1.0
    assert read(STRICT, 7, "7") == 1.0


@pytest.mark.parametrize(
    ("pred", "label", "value"),
    [
        ("T-shirt", "tshirt", 1), ("t shirt", "T-Shirt", 1), ("tshirt", "t shirt", 1),
        ("(555) 010-1234", "555.010.1234", 1),
        ("5550101234", "555-010-1234", 1), ("555 010 1234", "5550101234", 1), ("U.S.A.", "USA", 1),
        ("1,000", "1000", 1),
        ("1000", "1,000", 1), ("caf\u00e9", "cafe", 1), ("12 Alder Court Ashmere", "12 Alder Court, Ashmere", 1),
        ("AC/DC", "ac dc", 1),
        ("rock & roll", "rock roll", 1), ("dog", "d.o.g", 1), ("b", ". b", 1),
        # what the original counted: a blank or a dot became the empty text, which is in everything
        ("anything", "a b", 0), ("x", ". y", 0), ("10", "1", 0), ("language", "age", 0), ("1. 0 dogs", "10", 0),
        ("noway", "no", 0),
        ("not a T-shirt", "tshirt", 0), ("555-010-12345", "555-010-1234", 0),
    ],
)  # fmt: skip
def test_fuzzy(pred, label, value):
    assert read(FUZZY, pred, label) == value


@pytest.mark.parametrize("label", [None, "", "  ", [], ["dog", ""], ["dog", None], {}, math.nan, True, [["dog"]]])
def test_a_label_with_nothing_to_look_for(label):
    with pytest.raises(MmteError, match="label of sample 2 of this batch is .* correct the dataset's target") as caught:
        STRICT.process(["dog", "dog"], ["dog", label], [None, None])
    assert "\n" not in str(caught.value)


def test_no_labels_at_all():
    with pytest.raises(MmteError, match="label of sample 1 of this batch is None"):
        STRICT.process(["dog"])


# -- closed sets ---------------------------------------------------------------------------------
KINDS = [["1", "stereotype"], ["2", "anti-stereotype"], ["3", "unrelated"]]


@pytest.mark.parametrize(
    ("pred", "value"),
    [
        ("stereotype", 1.0), ("1", 1.0), ("1. Stereotype", 1.0), ("not unrelated, stereotype", 1.0),
        ("It's a stereotype.", 1.0),
        ("anti-stereotype", 0.0), ("Anti Stereotype", 0.0), ("2", 0.0), ("an anti-stereotype, not a stereotype", 0.0),
        ("1. stereotype 2. anti-stereotype 3. unrelated", UNPARSED), ("stereotype or unrelated", UNPARSED),
        ("stereotype, unrelated", UNPARSED), ("1 or 2", UNPARSED), ("stereotypes", UNPARSED), ("10", UNPARSED),
        ("not a stereotype", UNPARSED), ("I cannot say", UNPARSED), ("", UNPARSED), (None, UNPARSED),
        ("2. stereotype", UNPARSED), ("Is it a stereotype?", UNPARSED),
    ],
)  # fmt: skip
def test_exactly_one_option(pred, value):
    evaluator = ContainOrNotEvaluator(CONTAIN, options=KINDS)
    assert read(evaluator, pred, ["stereotype", "1"]) == value
    assert read(STRICT, pred, "1", {"options": KINDS}) == value


def test_a_label_that_is_no_option():
    evaluator = ContainOrNotEvaluator(CONTAIN, options=["red", "green"])
    assert read(evaluator, "green", "Green") == 1.0
    with pytest.raises(MmteError, match=r"label \['gren'\] of sample 1 .* none of its options. Did you mean 'green'"):
        read(evaluator, "green", "gren")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": "red"}, "options must be a list"), ({"options": ["red"]}, "options must be a list"),
        ({"options": ["red", "?"]}, "options must be a list"),
        ({"fuzzy_match": "yes"}, "fuzzy_match must be true or false"),
        ({"fuzzy": True}, "no option 'fuzzy'.*fuzzy_match"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_line(options, message):
    with pytest.raises(MmteError, match=message) as caught:
        ContainOrNotEvaluator(CONTAIN, **options)
    assert "\n" not in str(caught.value)


# -- sentiment -----------------------------------------------------------------------------------
SENTIMENT = {
    "positive": 1, "Positive.": 1, "**POSITIVE**": 1, "The sentiment is positive.": 1, "positive, not negative": 1,
    "not negative but positive": 1, "Is it negative? No, positive.": 1, "negative": 0, "It is Negative": 0,
    "negative rather than positive": 0,
    "not positive": None, "isn't positive": None, "Positive and negative": None, "positive negative": None,
    "positive or negative": None,
    "neither positive nor negative": None, "non-positive": None, "positively": None, "positivenegative": None,
    "neutral": None,
    "": None, "positive?": None, "Positive. Not positive.": None, "I don't know whether it is positive": None,
}  # fmt: skip


@pytest.mark.parametrize(("pred", "said"), SENTIMENT.items())
@pytest.mark.parametrize("label", ["1", "0", 1, 0, 1.0, "positive", "Negative"])
def test_sentiment(pred, said, label):
    gold = {"positive": 1, "Negative": 0}.get(label, float(label) if label not in ("positive", "Negative") else 0)
    assert read(ContainExactEvaluator(EXACT), pred, label) == (UNPARSED if said is None else float(said == gold))


@pytest.mark.parametrize("label", [None, "2", 2, "good", True, [1]])
def test_an_unknown_sentiment_is_an_error(label):
    with pytest.raises(MmteError, match=r"but 1 \(positive\) or 0 \(negative\) is needed"):
        read(ContainExactEvaluator(EXACT), "positive", label)


# -- adversarial GLUE ----------------------------------------------------------------------------
EIGHT = [  # each of them was right for every class once
    "yes, maybe, no", "I do not know another", "yes no", "yesterday", "Maybe, or no", "positive and negative",
    "Yes or no", "It is not known, maybe yes, maybe no",
]  # fmt: skip


@pytest.mark.parametrize("pred", EIGHT)
@pytest.mark.parametrize("task", sorted(TASKS))
def test_several_answers_or_none_are_right_for_nothing(pred, task):
    evaluator = ContainAdvEvaluator(ADV)
    found = [read(evaluator, pred, f"{task}->{gold}") for gold in TASKS[task].values()]
    assert found == [UNPARSED] * len(found)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_each_answer_is_right_for_its_class_alone(task):
    evaluator = ContainAdvEvaluator(ADV)
    for word, gold in TASKS[task].items():
        for label, extra in (
            (f"{task}->{gold}", None), (f"{task} -> {word}", None), (gold, {"task": task}),
            (str(gold), {"task": task.replace("-", "_")}),
        ):  # fmt: skip
            assert read(evaluator, f"**{word.title()}.**", label, extra) == 1.0
            for other in TASKS[task].keys() - {word}:
                assert read(evaluator, other, label, extra) == 0.0


@pytest.mark.parametrize(
    ("label", "extra", "message"),
    [
        (None, None, "task->class"), (0, None, "task->class"), ("0", {}, "task->class"),
        ("mnl->0", None, "unknown task 'mnl'.*'mnli'"),
        ("mnli->3", None, "a class of mnli .0 yes, 1 maybe, 2 no."), ("sst2->yes", None, "a class of sst2"),
        (2, {"task": "rte"}, "a class of rte"),
        (None, {"task": "rte"}, "a class of rte"),
    ],
)  # fmt: skip
def test_labels_of_another_form(label, extra, message):
    with pytest.raises(MmteError, match=message):
        read(ContainAdvEvaluator(ADV), "yes", label, extra)


# -- properties ----------------------------------------------------------------------------------
words = st.sampled_from(["dog", "hot dog", "Platform 7", "1", "caf\u00e9", "anti-stereotype", "No entry", "\u732b"])
cases = st.sampled_from([str.lower, str.upper, str.title, str.swapcase])
wraps = st.sampled_from(
    [
        "{}",
        " {} ",
        "**{}**",
        "`{}`",
        '"{}"',
        "({})",
        "[{}]",
        "{}.",
        "{}!",
        "The answer is {}.",
        "\n{}\n",
        "\u200b{}",
        "* {}",
        "It says: {}",
    ]
)
prose = st.lists(
    st.sampled_from(
        ["dog", "cat", "not", "a", "or", "?", ".", "/", "no", "is", "it", "positive", "negative", "1", ",", "**", "\n"]
    ),
    max_size=9,
).map(" ".join)


@given(words, cases, wraps)
def test_each_label_is_found_in_any_dress(word, case, wrap):
    for evaluator in (STRICT, FUZZY):
        assert read(evaluator, wrap.format(case(word)), word) == 1.0


@given(words, st.text(alphabet="abcxyz0123456789", min_size=1, max_size=4))
def test_a_label_in_a_longer_word_is_not_found(word, more):
    if word != "\u732b":
        for evaluator in (STRICT, FUZZY):
            assert read(evaluator, f"it is {word}{more}", word) == 0.0
            assert read(evaluator, f"it is {more}{word}", word) == 0.0


@given(
    st.sampled_from([", ", " ", " and ", " or ", "/", "\n", "; ", " - "]),
    st.permutations(["red", "green", "blue"]),
    st.integers(2, 3),
)
def test_several_options_never_parse(between, colours, count):
    evaluator = ContainOrNotEvaluator(CONTAIN, options=["red", "green", "blue"])
    assert read(evaluator, between.join(colours[:count]), "red") is UNPARSED


@given(st.text() | prose, st.text(min_size=1).filter(lambda t: t.strip()) | words)
def test_any_text_gives_a_hit_a_miss_or_nothing(text, label):
    for evaluator in (STRICT, FUZZY):
        assert read(evaluator, text, label) in (0.0, 1.0, UNPARSED)
    assert read(ContainExactEvaluator(EXACT), text, "1") in (0.0, 1.0, UNPARSED)
    assert read(ContainAdvEvaluator(ADV), text, "mnli->1") in (0.0, 1.0, UNPARSED)


@given(st.text() | prose)
def test_no_answer_is_right_for_two_options(text):
    evaluator = ContainOrNotEvaluator(CONTAIN, options=["dog", "cat", "1"])
    assert [read(evaluator, text, label) for label in ("dog", "cat", "1")].count(1.0) <= 1


@pytest.mark.parametrize(
    "unit", ["dog ", "not a dog ", "dog or ", "dog/", "t-", "555 ", " ", "a", "positive ", "maybe ", "dog?"]
)
def test_long_replies_end(unit):
    text = unit * (100_000 // len(unit))
    for evaluator in (STRICT, FUZZY):
        assert read(evaluator, text, ["dog", "tshirt", "555123456789"]) in (0.0, 1.0, UNPARSED)
    assert read(ContainExactEvaluator(EXACT), text, "1") in (1.0, UNPARSED)


# -- the evaluators ------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [CONTAIN, EXACT, ADV])
def test_they_are_registered(name):
    cls = registry.get_evaluator_class(name)
    version = {CONTAIN: 3, ADV: 2}.get(name, 1)
    assert (cls.chunk, cls.reads_cut, cls.version, cls(name).value_range) == (1024, True, version, (0.0, 1.0))


def test_columns_and_metric():
    preds, labels, extras = STRICT.process(["a dog", "a cat", "?"], ["dog"] * 3, ["a", "b", "c"])
    assert preds == [1.0, 0.0, UNPARSED] and labels == ["dog"] * 3 and extras == ["a", "b", "c"]
    assert metric_for("pred_mean")(labels, preds) == 0.5


def test_it_can_be_sent_to_a_worker():
    evaluator = pickle.loads(pickle.dumps(ContainOrNotEvaluator(CONTAIN, options=KINDS)))
    assert read(evaluator, "unrelated", "3") == 1.0


def test_between_yes_and_no_the_verdict_counts_and_not_the_word():
    evaluator = ContainOrNotEvaluator("rule_contain_eval", options=["yes", "no"])
    told = ["I have no idea.", "No picture was given.", "No.", "Yes, there is no doubt.", "yes"]
    assert list(evaluator.process(told, ["no"] * 5)[0]) == [UNPARSED, UNPARSED, 1.0, 0.0, 0.0]
    assert list(evaluator.process(told, ["Yes."] * 5)[0]) == [UNPARSED, UNPARSED, 0.0, 1.0, 1.0]


def test_a_word_that_is_looked_for_may_be_no():
    """As the writing on a sign: only the dataset knows that a question is answered by yes or no."""
    assert STRICT.process(["The sign says NO."], ["no"])[0] == [1.0]
