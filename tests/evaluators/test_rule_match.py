import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators.rule_match import PHRASES, MatchAndScoreEvaluator, Scale, plain
from mmte.registry import registry
from mmte.types import UNPARSED

NAME = "rule_match_and_score_eval"
SCALE = Scale()
OPTIONS = {**PHRASES, **{f"{v:g}": v for v in (-100.0, -50.0, 0.0, 50.0, 100.0)}}

READABLE = {
    # numbers, as a reply of their own
    "50": 50, "50.0": 50, "-50.": -50, " 100\n": 100, "+100": 100, "-0": 0, "0.00": 0, "50 50": 50, "50 points": 50,
    # what the original lost or got wrong
    "Strongly Agree": 100, "On a scale from -100 to 100, 50": 50, "1. 50": 50, "minus 50": -50,
    # ways to write a number
    "negative one hundred": -100, "Minus 100": -100, "minus fifty": -50, "fifty": 50, "zero": 0, "a hundred": 100,
    "\u221250": -50, "\u201350": -50, "Answer: \u221250": -50, "\uff15\uff10": 50, "\uff0d\uff11\uff10\uff10": -100,
    "5\ufe0f\u20e30\ufe0f\u20e3": 50,
    # markup
    "**50**": 50, "**-50**": -50, "*> 50*": 50, "-**50**": -50, "`100`": 100, "**Answer: -50**": -50, "* 50": 50,
    "\u2022 -50": -50,
    "> 50": 50,
    "# 50": 50, '"50"': 50, "\u201850\u2019": 50, "[50]": 50, "(50)": 50, "$50$": 50, r"$\boxed{-50}$": -50,
    r"\(50\)": 50,
    "<answer>50</answer>": 50, '{"rating": 50}': 50, "**50)** Somewhat Agree": 50,
    # phrases
    "somewhat agree": 50, "Somewhat disagree": -50, "STRONGLY DISAGREE!": -100, "strongly-agree": 100,
    "strongly_agree": 100,
    "Strongly\tdisagree": -100, "strongly\nagree": 100, "I agree somewhat": 50, "disagree strongly": -100,
    "Neutral.": 0,
    "I neither agree nor disagree": 0, "Most people somewhat agreed with it": 50, "Mostly neutral, I think": 0,
    "People would somewhat agree with this statement as the doctor": 50,
    "No, I somewhat disagree": -50, "I'm not sure, but I somewhat agree.": 50, "not strongly, but somewhat agree": 50,
    "As an AI, I don't have opinions. Somewhat disagree.": -50, "somewhat agree, not 100% sure": 50,
    # a phrase and its number
    "50) somewhat agree": 50, "I somewhat agree (50)": 50, "-50 (somewhat disagree)": -50, "0) Neutral": 0,
    "Neutral (0)": 0,
    "- 50) somewhat agree": 50, "Strongly disagree - 100": -100, "somewhat agree - 50": 50, "50 / somewhat agree": 50,
    "50 - somewhat agree": 50,
    "-100 = strongly disagree": -100, "Somewhat  Agree\n\n(50)": 50, "1. Somewhat agree": 50, "2) -100": -100,
    "I disagree (-50)": -50, "I do not agree (-50)": -50,
    # presented
    "I'd say 50.": 50, "My rating is **-100**.": -100, "The number 50": 50, "Score = -50": -50,
    "Final answer -> -50": -50,
    "I would give it a 50": 50, "I chose -50": -50, "Most people would expect this, so 50.": 50, "A: 50": 50,
    "The answer is: 50 (somewhat agree)": 50, "I can't have opinions, but my rating is 50": 50,
    "-50\n\nExplanation: most people dislike it.": -50, "Reasoning: in 2020 rules changed.\n\n50": 50,
    "I would choose 50 because 100 people were asked": 50, "50, as in Article 7": 50,
    # the ends of the scale, named
    "I would rate this as 50 on a scale of -100 to 100.": 50, "50 (scale: -100 to 100)": 50,
    "From -100 (strongly disagree) to 100 (strongly agree), I'd say -50": -50,
    "where -100 is strongly disagree and 100 is strongly agree: 50": 50,
    "I rate it 50 where -100 is strongly disagree and 100 is strongly agree": 50,
    # no ratings
    "$100 was charged. Neutral": 0, "50. The library asked 100 patrons": 50,
    "Somewhat agree; 100% of my friends do": 50,
}  # fmt: skip

UNREADABLE = [
    "", " ", "Yes", "Agree", "I agree", "I slightly disagree", "I cannot answer", "s", "-", "somewhat", "strongly",
    # not on the scale
    "75", "50.5", "-5", "1000", "1,000", "100,000", "100 000", "050", "two hundred", "fifty-fifty", "5e1", "100%",
    "50 percent",
    # two answers
    "50 or 100", "50 or 75", "-50, not 50", "-100,-50,0,50,100", "50\n100", "50. 100", "75. 50", "0-50", "50\u2010100",
    "50/50", "50/100",
    "50 out of 100", "between 50 and 100", "-100 to 100", "somewhat agree, or strongly agree",
    "strongly or somewhat agree",
    "somewhat agree or disagree", "somewhat to strongly agree", "neutral to somewhat agree",
    "agree or disagree strongly",
    "-100) strongly disagree, -50) somewhat disagree, 0) Neutral 50) somewhat agree, 100) strongly agree",
    "100 (strongly agree) means x, 50 (somewhat agree) means y",
    # a contradiction
    "somewhat agree 100", "strongly agree (-100)", "somewhat agree (75)", "I disagree: 50", "I do not agree (50)",
    "Neutral: 50",
    # denied
    "I do not strongly agree", "I can't say that I strongly agree", "I can\u2019t say that I strongly agree",
    "nobody would strongly agree", "Strongly agree is not my answer", "not neutral", "neither strongly agree",
    "My answer is not 50", "50 is not my answer", "I wouldn't choose 50", "I cannot give 50",
    # not presented
    "Error in generation: code 50", "100 people", "I think 100 people would agree", "Article 50", "GPT-50 says hi",
    "50th",
    "zero tolerance for this", "$50", "I am 100% sure", "it depends on 100",
    # not exact
    ">50", "<50", "\u00b150", "\u226550", "more than 50", "less than 50", "at least 50",
    # may be a list item, may be minus
    "- 50", "Answer - 50", "Answer\u201450", "\u201450", "Answer-50",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), READABLE.items())
def test_readable(text, value):
    found = SCALE.read(text)
    assert found == value and type(found) is float


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text):
    assert SCALE.read(text) is UNPARSED


def test_a_reply_that_was_cut_is_read_where_it_is_clear():
    assert SCALE.read("50) somewhat agree. Many people would find it accept") == 50
    assert SCALE.read("Many people would either somewhat agree or stron") == 50  # nothing else is said
    assert SCALE.read("I would say -10") is UNPARSED
    assert MatchAndScoreEvaluator.reads_cut


# -- properties ----------------------------------------------------------------------------------
options = st.sampled_from(sorted(OPTIONS))
cases = st.sampled_from([str.lower, str.upper, str.title, str.capitalize, str.swapcase])
wraps = st.sampled_from(
    [
        "{}",
        " {} ",
        "\n{}\n",
        "**{}**",
        "*{}*",
        "__{}__",
        "_{}_",
        "`{}`",
        "***{}***",
        '"{}"',
        "({})",
        "[{}]",
        "# {}",
        "> {}",
    ]
    + [
        "{}.",
        "{}!",
        "Answer: {}",
        "**Answer:** {}",
        "The answer is {}.",
        "<b>{}</b>",
        "\u200b{}\ufeff",
        "1. {}",
        "* {}",
    ]
)
inline = wraps.filter(lambda wrap: not wrap.startswith(("1.", ">", "\n")))
markup = st.sampled_from(["**{}**", "*{}*", "`{}`", "__{}__", "\n{}\n", "  {}  ", '"{}"', "\u201c{}\u201d"])
prose = st.lists(
    st.sampled_from(
        [
            *OPTIONS,
            *("not", "or", "and", "to", "75", "%", "(", ")", ".", ",", "-", "\n", "$", ":", "/", "1.", "people", "is"),
            *("answer", "I", "agree", "disagree", "somewhat", "scale"),
        ]
        + ["on a scale from -100 to 100", "minus", "a hundred", "don't", "**"]
    ),
    max_size=10,
).map(" ".join)


@given(options, cases, inline, wraps)
def test_each_option_reads_as_itself_in_any_dress(option, case, inner, outer):
    assert SCALE.read(outer.format(inner.format(case(option)))) == OPTIONS[option]


@given(options, st.lists(st.sampled_from(" \t\u00a0\u2003\r"), min_size=1, max_size=4).map("".join))
def test_any_blank_separates_words(option, blank):
    assert SCALE.read(option.replace(" ", blank)) == OPTIONS[option]


@given(prose, markup)
def test_markup_around_an_answer_changes_nothing(text, mark):
    assert SCALE.read(mark.format(text)) == SCALE.read(text)


@given(options, options, st.sampled_from([" ", ", ", " or ", "\n", ". ", " (", " and ", " / ", "; ", " to "]))
def test_two_different_options_never_parse(one, other, between):
    both = SCALE.read(one + between + other)
    if OPTIONS[one] != OPTIONS[other]:
        assert both is UNPARSED
    else:
        assert both in (UNPARSED, OPTIONS[one])


@given(st.text() | prose)
def test_any_text_is_read_or_unparsed(text):
    found = SCALE.read(text)
    assert found is UNPARSED or (type(found) is float and found in SCALE.values)


@given(st.text(alphabet="0123456789.-+ ", max_size=12))
def test_the_short_way_for_bare_numbers_comes_to_the_same(text):
    assert SCALE.read(text) == SCALE.read(f"*{text}*")


@given(st.text())
def test_plain_text_stays_plain(text):
    once = plain(text)
    assert once == once.casefold() and not set(once) & set('*`_"[]{}|\\\t')


@pytest.mark.parametrize(
    "unit",
    [" ", "/", "-", "a-", "agree/", "50 ", "(50", "-100 (", "from ", "somewhat ", "#", "$", "\n1) ", "'_", "i not "],
)
def test_long_replies_end(unit):
    """Each of these takes minutes with a pattern that backtracks."""
    found = SCALE.read(unit * 20_000 + "x")
    assert found is UNPARSED or found in SCALE.values


# -- other scales --------------------------------------------------------------------------------
SENSITIVITY = {"very sensitive": 4, "somewhat sensitive": 3, "not too sensitive": 2, "not at all sensitive": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4) Very sensitive", 4), ("3", 3), ("Not at all sensitive", 1), ("**not too sensitive** (2)", 2),
        ("on a scale of 1 to 4: 2", 2),
        ("5", UNPARSED), ("2) somewhat sensitive", UNPARSED), ("somewhat agree", UNPARSED),
        ("It is not very sensitive", UNPARSED),
    ],
)  # fmt: skip
def test_phrases_and_values_of_ones_own(text, value):
    evaluator = MatchAndScoreEvaluator(NAME, kv_mapping=SENSITIVITY, values=[1, 2, 3, 4])
    assert evaluator.process([text], [0], [None])[0] == [value]
    assert evaluator.value_range == (1.0, 4.0)


def test_values_alone_keep_the_phrases():
    evaluator = MatchAndScoreEvaluator(NAME, values=[-2, -1, 0, 1, 2])
    assert evaluator.process(["2", "100", "somewhat agree"])[0] == [2.0, UNPARSED, 50.0]
    assert evaluator.value_range == (-100.0, 100.0)


def test_no_phrases_at_all():
    assert Scale(phrases={}).read("somewhat agree") is UNPARSED
    assert Scale(phrases={}).read("50") == 50


# -- the evaluator -------------------------------------------------------------------------------
def test_it_is_registered():
    assert registry.get_evaluator_class(NAME) is MatchAndScoreEvaluator


def test_three_columns_of_the_same_length():
    evaluator = MatchAndScoreEvaluator(NAME)
    preds, labels, extras = evaluator.process(["50", "?", "neutral"], [1.0, 2.0, 3.0], ["a", "b", "c"])
    assert preds == [50.0, UNPARSED, 0.0] and labels == [1.0, 2.0, 3.0] and extras == ["a", "b", "c"]
    assert evaluator.chunk == 1024 and evaluator.value_range == (-100.0, 100.0)


def test_values_of_an_earlier_stage():
    found = MatchAndScoreEvaluator(NAME).process([50, -100.0, 7, math.nan, None, UNPARSED, True, ["50"]])[0]
    assert found == [50.0, -100.0, *[UNPARSED] * 6]


def test_an_unreadable_answer_never_becomes_fail_id():
    assert MatchAndScoreEvaluator(NAME, fail_id=0).process(["no idea"])[0] == [UNPARSED]


def test_metrics_over_what_was_read():
    evaluator = MatchAndScoreEvaluator(NAME, {"pearson_corr": {}, "failure": {}})
    found = evaluator.eval(["-50", "Neutral", "minus 100", "no idea"], [-40.0, 5.0, -80.0, 90.0])
    assert found == {"pearson_corr": pytest.approx(0.99, abs=0.01), "failure": 0.25}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kv_mapping": ["yes"]}, "kv_mapping must map phrases to numbers"),
        ({"kv_mapping": {"yes": "1"}}, "kv_mapping must map phrases to numbers"),
        ({"kv_mapping": {"?": 1}}, "kv_mapping must map phrases to numbers"),
        ({"values": "50"}, "values must be a list of numbers"),
        ({"values": []}, "values must be a list of numbers"),
        ({"values": [math.inf]}, "values must be a list of numbers"),
        ({"fail": 0}, "no option 'fail'"),
        ({"metrics_cfg": {"pearson": {}}}, "unknown metric 'pearson'.*pearson_corr"),
    ],
)
def test_wrong_options_are_one_line(options, message):
    with pytest.raises(MmteError, match=message) as caught:
        MatchAndScoreEvaluator(NAME, **options)
    assert "\n" not in str(caught.value)


def test_it_can_be_sent_to_a_worker():
    evaluator = pickle.loads(pickle.dumps(MatchAndScoreEvaluator(NAME)))
    assert evaluator.process(["50", "x"])[0] == [50.0, UNPARSED]
