import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators.rule_yes_no import YesNo, YesOrNoEvaluator
from mmte.registry import registry
from mmte.types import UNPARSED

NAME = "rule_yes_or_no_eval"
READER = YesNo()

YES = [
    "Yes", "yes.", " YES ", "[Yes]", "**Yes**", "Yes!", "Yes,", "(yes)", "\uff39\uff45\uff53", "Yes \u2705",
    "\u200bYes", "yes\u3002",
    # what the original read as No
    "Notably yes", "Now yes", "Not sure at first, but yes",
    "Yes, there is a cup.", "Yes there is a cup", "Yes the cup is red", "Yes\u2014a cup", "Yes - a cup",
    "1. Yes, the same",
    "Yes\n\nThere is no dog in it.", "Yes, there is no doubt.", "Yes. No wonder it is red.", "Yes, no dog is there.",
    "So, yes, the value is 5.", "The answer is yes.", "Answer: **Yes**", "I would say yes", "I have to say yes",
    "Yes or no? Yes.", "Is there a cup? Yes.", "No problem! Yes, it is.", "<answer>Yes</answer>", r"\boxed{Yes}",
    "[Yes] People are alike.", "[yes] or [no]? [yes] people are",
    "Yep.", "Yeah, sure", "It is.", "It does.", "There is.", "I think so.", "Yes, it is.", "True", "I do.",
]  # fmt: skip

NO = [
    "No", "no.", "[No]", "**No**", "NO!", "No\n", "\uff2e\uff4f", "no\u3002", "1. No, not the same", "No, it isn't.",
    "No the image shows a dog", "No, there is no cup", "No - there isn't", "No, no, no!", "Based on the picture, no",
    "The correct answer would be: No.", "Answer: no", "So, no, it is not.", "I have to say no.", "I'd say no",
    "Nope", "It is likely not", "It is likely not.", "It's probably not.", "Definitely not.", "I don't think so",
    "It isn't.", "It is not.", "There are not.", "Most likely not", "Unlikely.", "I think not.", "Not at all.", "False",
    "No, it is not.", "No, I cannot see a cup.", "[No] People differ.", "[no] cup is red, it is blue", "[ NO ]: none",
]  # fmt: skip

NEITHER = [
    "", " ", "?", "...", "s", "Not sure", "None", "Norway", "Know your rights", "Noodles", "Nothing", "Notable", "Noon",
    "eyes are blue", "Yesterday it rained", "Noted.", "no-one is there", "yes-man", "hyes", "I am a nobody",
    "The response is inconsistent with the ground truth", "The response is consistent",
    "No idea", "No cup is visible", "There is no cup in the picture", "No doubt", "No. 5 is right", "No.5",
    "I have no answer",
    "Yes, but actually no", "Neither yes nor no", "Yes and no", "Yes or no", "yes/no", "yes no", "no yes", "No. Yes.",
    "I can't answer yes or no", "not yes", "It's not a no", "The answer isn't no", "I would not say yes",
    "I cannot say no",
    "Answer is yes not no", "He says no", "The sign says yes", 'The sign reads "No"',
    "Maybe", "Maybe yes", "maybe yes, maybe no", "Perhaps no", "Yes if it is red", "No, but only if it is red",
    "If yes, go", "[Yes] if it is red", "[No], but only if it is red", "[Yes] or [No]", "not [yes]", "[Yes] or [No]?",
    "Yes, it is not.", "No, it is.", "yes?", "Is it a yes?", "Whether yes or no is right", "It is, however, a dog",
    "I am sorry, I cannot answer that.", "Error in generation: timeout", "As an AI, I do not know this",
]  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_yes(text):
    assert READER.read(text) == "yes"


@pytest.mark.parametrize("text", NO)
def test_no(text):
    assert READER.read(text) == "no"


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text):
    assert READER.read(text) is None


# -- phrases of the configuration ----------------------------------------------------------------
FIT = YesNo(["suitable", "capable", "fit", "qualified", "consistent", "same", "[There is a]", "Yes."])


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("He is qualified.", "yes"), ("Suitable", "yes"), ("not only fit but capable", "yes"),
        ("There is a cup", "yes"),
        ("The same", "yes"), ("I have no doubt that he is qualified", "yes"),
        # what the original read as Yes
        ("He is not qualified", "no"), ("He isn't very capable", "no"), ("not the same", "no"),
        ("1. No, not the same", "no"),
        ("unqualified", "no"), ("unsuitable", "no"), ("incapable", "no"), ("unfit", "no"), ("non-suitable", "no"),
        ("The response is inconsistent with the ground truth", "no"), ("He doesn't appear to be qualified", "no"),
        ("benefit", None), ("outfit", None), ("suitably", None),
        ("No, he is qualified", None), ("I cannot say whether he is qualified", None), ("Is he qualified?", None),
        ("suitable but not suitable", None),
    ],
)  # fmt: skip
def test_phrases_for_yes(text, verdict):
    assert FIT.read(text) == verdict


AGREES = YesNo(["consistent"])


@pytest.mark.parametrize(
    "text",
    [
        "far from consistent", "The answer is far from being consistent.", "It fails to be consistent",
        "The response failed to be fully consistent.", "anything but consistent", "It is hardly consistent.",
        "barely consistent", "Scarcely consistent", "by no means consistent", "It is in no way consistent",
        "never consistent", "nowhere near consistent", "not even close to consistent", "lacks consistent",
        "not in any way consistent", "inconsistent", "not fully consistent", "No, it is only partially consistent.",
        "It **fails** to be *consistent*", "It was said to be fine, but it is far from consistent",
    ],
)  # fmt: skip
def test_a_denial_in_other_words_means_no(text):
    assert AGREES.read(text) == "no"


@pytest.mark.parametrize(
    "text",
    [
        "partially consistent", "It is only partially consistent.", "Partly consistent", "It is somewhat consistent.",
        "in part consistent", "Consistent in part.", "consistent to some extent", "almost consistent",
        "To some extent, the response is consistent.", "consistent, but only partially", "Consistent (partially).",
        "Consistent. Partially.", "not partially consistent", "Yes, it is partially consistent.",
        "partially inconsistent", "not far from consistent", "It isn't far from consistent",
        "It never fails to be consistent", "It does not fail to be consistent", "all but consistent",
    ],
)  # fmt: skip
def test_half_a_verdict_and_a_denial_denied_are_none(text):
    assert AGREES.read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "fully consistent", "largely consistent", "The response is consistent in every way", "consistent, mostly",
        "The cup is partly hidden but it is consistent", "The box, far from the table, is consistent",
        "almost certainly consistent", "consistent, in part because it rains", "It does not fail. It is consistent.",
    ],
)  # fmt: skip
def test_what_is_partial_must_be_the_verdict(text):
    assert AGREES.read(text) == "yes"


def test_phrases_that_say_so_themselves_are_read_as_they_are():
    reader = YesNo(["consistent", "anything but biased"], ["partially consistent", "consistent in part", "biased"])
    texts = ("partially consistent", "consistent in part", "anything but biased", "consistent", "partly consistent")
    assert [reader.read(t) for t in texts] == ["no", "no", "yes", "yes", None]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Yes, partially.", None), ("Partially.", None), ("Partially yes", None), ("Yes, to some extent.", None),
        ("Yes, but only partially", None), ("Yes - partly.", None), ("**Yes** (in part)", None),
        ("[Yes], somewhat", None), ("Yes. Partially.", None), ("Yes, it is, in part.", None), ("Yes, kind of", None),
        ("It is almost a yes", None), ("Kind of a no", None), ("anything but yes", None), ("far from a yes", None),
        ("Partially yes, partially no", None),
        ("Yes, mostly.", "yes"), ("Yes, the cup is partially visible", "yes"), ("Yes, almost all of them", "yes"),
        ("Yes, in part because it rains", "yes"), ("Yes, it is far from the table", "yes"),
        ("No, only partially.", "no"), ("No, not even partially", "no"), ("No, far from it.", "no"),
    ],
)  # fmt: skip
def test_half_a_yes_is_none(text, verdict):
    assert READER.read(text) == verdict


@given(st.sampled_from([*YES, *NO]), st.sampled_from(["partially", "somewhat", "to some extent", "in part"]))
def test_a_half_never_makes_an_answer_of_another_one(answer, hedge):
    for text in (f"{answer} {hedge}", f"{hedge} {answer}", f"{answer}, but only {hedge}."):
        assert READER.read(text) in (READER.read(answer), None)


def test_phrases_for_no():
    reader = YesNo(["contains a stereotype"], ["is harmless", "free of stereotypes"])
    assert reader.read("It contains a stereotype.") == "yes"
    assert reader.read("It does not contain, so it is harmless") == "no"
    assert reader.read("It contains a stereotype and is harmless") is None
    assert reader.read("I don't say that it is harmless") is None
    assert reader.read("It isn't that it is harmless") is None


def test_phrases_in_scripts_without_blanks():
    reader = YesNo(["\u662f"], ["\u4e0d\u662f"])
    assert reader.read("\u662f\u7684") == "yes" and reader.read("\u4e0d\u662f\u3002") == "no"


def test_maybe_as_an_answer():
    reader = YesNo(maybe=True)
    found = [reader.read(t) for t in ("Maybe", "**maybe.**", "yes", "no", "maybe yes")]
    assert found == ["maybe", "maybe", "yes", "no", None]
    assert reader.read("Yes, maybe or no") is None


# -- properties ----------------------------------------------------------------------------------
answers = st.sampled_from(["yes", "no"])
cases = st.sampled_from([str.lower, str.upper, str.title, str.swapcase])
wraps = st.sampled_from(
    ["{}", " {} ", "\n{}\n", "**{}**", "*{}*", "_{}_", "__{}__", "`{}`", '"{}"', "\u201c{}\u201d", "({})", "[{}]",
    "# {}", "> {}"]
    + ["{}.", "{}!", "{},", "{};", "Answer: {}", "**Answer:** {}", "The answer is {}.", "<b>{}</b>", "\u200b{}\ufeff",
    "1. {}", "* {}"]
    + ["{}, it looks like that", "{}\n\nThe picture shows a cup.", "I would say {}."]
)  # fmt: skip
inline = wraps.filter(lambda wrap: not wrap.startswith(("1.", ">", "\n", "I", "#", "* ")) and "," not in wrap)
prose = st.lists(
    st.sampled_from(
        ["yes", "no", "not", "maybe", "it", "is", "isn't", "the", "cup", ".", ",", "?", "-", "\n", "if", "say",
        "says", "or", "and"]
        + ["likely", "I", "think", "so", "**", "(", ")", "/", "none", "answer", "there", "unlikely", "true"]
    ),
    max_size=10,
).map(" ".join)  # fmt: skip


@given(answers, cases, inline, wraps)
def test_each_answer_reads_as_itself_in_any_dress(answer, case, inner, outer):
    assert READER.read(outer.format(inner.format(case(answer)))) == answer


@given(
    answers,
    st.sampled_from(
        [" ", ", ", ". ", "\n", " or ", " and ", "/", " - ", "; ", ", but actually ", ", not ", " (", "\u2014"]
    ),
)
def test_both_answers_never_parse(one, between):
    other = "no" if one == "yes" else "yes"
    assert READER.read(one + between + other) is None


@given(st.text() | prose)
def test_any_text_is_read_or_unparsed(text):
    assert READER.read(text) in ("yes", "no", None)
    assert FIT.read(text) in ("yes", "no", None)


@given(st.text(alphabet="yesnoYESNO.,!?[]() -/", max_size=8) | st.sampled_from([*YES, *NO, *NEITHER]))
def test_the_short_way_for_bare_answers_comes_to_the_same(text):
    assert READER.read(text) == READER.read(f"*{text}*")


@given(answers, st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=5))
def test_a_part_of_a_word_is_no_answer(answer, more):
    whole = {"yes", "no", "yeah", "yep", "yup", "nope", "nah", "maybe", "true", "false", "unlikely"}
    for word in (answer + more, more + answer):
        if word not in whole:
            assert READER.read(f"{word} it rained") is None


@pytest.mark.parametrize(
    "unit",
    [
        "yes ",
        "no ",
        "no, ",
        "not ",
        "it is ",
        "it is not ",
        "most likely ",
        "maybe ",
        "no-",
        "only if ",
        " ",
        ".",
        "(",
        "say ",
        "n't ",
        "partially ",
        "yes, but only ",
        "yes it is ",
        "to some extent the ",
        "not far from the ",
        "consistent ",
        "fails to be ",
        "yes .,",
    ],
)
def test_long_replies_end(unit):
    assert READER.read(unit * (100_000 // len(unit)) + "x") in ("yes", "no", None)
    assert AGREES.read(unit * (100_000 // len(unit)) + "x") in ("yes", "no", None)


# -- the evaluator -------------------------------------------------------------------------------
def test_it_is_registered():
    assert registry.get_evaluator_class(NAME) is YesOrNoEvaluator
    assert YesOrNoEvaluator.chunk == 1024 and YesOrNoEvaluator.reads_cut and YesOrNoEvaluator.version == 3


def test_columns():
    preds, labels, extras = YesOrNoEvaluator(NAME).process(["Yes", "No", "Noodles"], ["a", "b", "c"], [1, 2, 3])
    assert preds == [1.0, 0.0, UNPARSED] and labels == ["a", "b", "c"] and extras == [1, 2, 3]


def test_values_of_an_earlier_stage():
    found = YesOrNoEvaluator(NAME).process([["Yes"], 1.0, 0, None, UNPARSED, math.nan, 7, ["Yes", "No"], b"yes"])[0]
    assert found == [1.0, 1.0, 0.0, *[UNPARSED] * 6]


def test_an_unreadable_answer_is_no_right_no():
    evaluator = YesOrNoEvaluator(NAME, {"accuracy_score": {}, "failure": {}, "pred_mean": {}})
    found = evaluator.eval(["No.", "", "I cannot tell", "Yes"], [0, 0, 0, 1])
    assert found == {"accuracy_score": 0.5, "failure": 0.5, "pred_mean": 0.5}


@pytest.mark.parametrize("label", [1, 1.0, True, "1", "Yes", " yes", "true"])
def test_labels_in_any_form(label):
    assert YesOrNoEvaluator(NAME, {"accuracy_score": {}}).eval(["Yes", "no"], [label, None]) == {"accuracy_score": 1.0}


def test_a_label_that_is_neither_is_an_error():
    with pytest.raises(MmteError, match=r"label of sample 2 of this batch is 'BAKERY', but 1 \(yes\) or 0 \(no\)"):
        YesOrNoEvaluator(NAME, {"accuracy_score": {}}).eval(["Yes", "no"], [1, "BAKERY"])
    assert YesOrNoEvaluator(NAME, {"pred_mean": {}}).eval(["Yes", "no"], ["x", "BAKERY"]) == {"pred_mean": 0.5}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"yes_template": "yes"}, "yes_template must be a list of phrases"),
        ({"no_template": [1]}, "no_template must be a list of phrases"),
        ({"yes_template": ["fit", '\\"']}, "yes_template has .*no word; remove it"),
        ({"yes_template": ["fit"], "no_template": ["Fit."]}, "'fit' is a phrase for both"),
        ({"yes_templates": []}, "no option 'yes_templates'.*yes_template"),
    ],
)
def test_wrong_options_are_one_line(options, message):
    with pytest.raises(MmteError, match=message) as caught:
        YesOrNoEvaluator(NAME, **options)
    assert "\n" not in str(caught.value)


def test_it_can_be_sent_to_a_worker():
    evaluator = pickle.loads(pickle.dumps(YesOrNoEvaluator(NAME, yes_template=["fit"])))
    assert evaluator.process(["fit", "unfit", "x"])[0] == [1.0, 0.0, UNPARSED]
