import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.evaluators.rule_score import GRADES, Grades, ScoreEvaluator
from mmte.registry import registry
from mmte.types import UNPARSED

NAME = "rule_score_eval"
READER = Grades()

READABLE = {
    "75": 75, " 0\n": 0, "100.": 100, "75.0": 75, "\uff17\uff15": 75, "**75**": 75, "[50]": 50, "Score: 75": 75,
    "Rating: **50**": 50,
    # the original took either of the numbers, from run to run
    "75/100": 75, "75 / 100": 75, "**75**/100": 75, "Score: 25/100": 25, "1. 75": 75, "1) 100": 100, "2. 75/100": 75,
    "0/100": 0,
    "100/100": 100, "75/100.": 75, "Score = 75 / 100.0": 75,
    "75 out of 100": 75, "I would give it 75 points out of 100.": 75, "75 (out of 100)": 75,
    "0 out of a total of 100": 0,
    "I'd give 75": 75, "The score is 75 because it is close.": 75, "Score (0-100): 75": 75,
    "on a scale of 0 to 100, 75": 75,
    "75%": 75, "**75 percent**": 75, "75/100 (75%)": 75, "75 points": 75, "seventy-five": 75,
    "Score: twenty five": 25, "fifty": 50,
    "zero": 0, "one hundred": 100, "Score: 75. It covers 2 of the 3 points": 75, "My answer: 25": 25,
    "75\n\nThe answer is close.": 75,
}  # fmt: skip

UNREADABLE = [
    "", " ", "no grade", "I cannot rate this", "Error 500", "good", "-",
    "80", "80/100", "75.5", "0.75", "075", "1000", "175/100", "score: 175/100", "75/50", "3/4", "1/100", "75/100/100",
    "750/1000", "7575",
    "-25", "Score: -25", "minus 25", "\u221225",  # the original read 25
    "50 or 75", "25 75", "75 100", "0, 25, 50, 75, 100", "between 50 and 75", "50-75", "75/100 or 50/100", "75\n50",
    "75, not 50",
    "not 75", "My score is not 75", "75 people", "It has 75 words", "more than 75",
]  # fmt: skip


@pytest.mark.parametrize(("text", "grade"), READABLE.items())
def test_readable(text, grade):
    found = READER.read(text)
    assert found == grade and type(found) is float


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text):
    assert READER.read(text) is UNPARSED


def test_grades_of_ones_own():
    five = Grades([1, 2, 3, 4, 5])
    assert [five.read(t) for t in ("4/5", "Rating: 4 out of 5", "4", "2. 4", "6", "75/100")] == [
        4,
        4,
        4,
        *[UNPARSED] * 3,
    ]
    assert Grades([0, 1]).read("1") == 1


# -- properties ----------------------------------------------------------------------------------
grades = st.sampled_from(GRADES)
wraps = st.sampled_from(
    [
        "{}",
        " {} ",
        "**{}**",
        "`{}`",
        "({})",
        "[{}]",
        '"{}"',
        "{}.",
        "Score: {}",
        "**Score:** {}",
        "I would give it {}.",
        "1. {}",
        "# {}",
    ]
    + [
        "{}/100",
        "{} / 100",
        "{} out of 100",
        "\n{}\n",
        "{} because it is close",
        "<b>{}</b>",
        "Score (0-100): {}",
        "{} points",
    ]
)
prose = st.lists(
    st.sampled_from(
        [
            "75",
            "100",
            "0",
            "/",
            "-",
            ".",
            "out of",
            "score",
            ":",
            "is",
            "\n",
            "80",
            "%",
            "not",
            "or",
            "1.",
            "**",
            "points",
        ]
    ),
    max_size=8,
).map(" ".join)


@given(grades, wraps, st.sampled_from(["{:g}", "{:.1f}"]))
def test_each_grade_reads_as_itself(grade, wrap, form):
    assert READER.read(wrap.format(form.format(grade))) == grade


@given(grades, grades, st.sampled_from([" ", ", ", " or ", "\n", " and ", "; ", " to ", "-", "/100 or "]))
def test_two_grades_never_parse(one, other, between):
    found = READER.read(f"{one:g}{between}{other:g}")
    assert found is UNPARSED or (one == other and found == one)


@given(st.text() | prose)
def test_any_text_is_a_grade_or_unparsed(text):
    assert READER.read(text) in (*GRADES, UNPARSED)


@given(st.integers(-1000, 1000))
def test_a_number_that_is_no_grade_is_no_grade(number):
    assert READER.read(str(number)) == (float(number) if number in GRADES else UNPARSED)


@pytest.mark.parametrize("unit", ["75 ", "75/", "75/100 ", "1", "score: ", "out of ", "seventy-", "(", "%", " ", "1."])
def test_long_replies_end(unit):
    assert READER.read(unit * (100_000 // len(unit)) + "x") in (*GRADES, UNPARSED)


# -- the evaluator -------------------------------------------------------------------------------
def test_it_is_registered():
    assert registry.get_evaluator_class(NAME) is ScoreEvaluator
    assert (ScoreEvaluator.chunk, ScoreEvaluator.reads_cut, ScoreEvaluator.version) == (1024, True, 1)


def test_a_failure_is_never_a_grade():
    evaluator = ScoreEvaluator(NAME, {"pred_mean": {}, "failure": {}}, fail_id=0)
    assert evaluator.process(["no idea", "80"])[0] == [UNPARSED, UNPARSED]
    assert evaluator.eval(["100", "no idea"]) == {"pred_mean": 100.0, "failure": 0.5}


def test_values_of_an_earlier_stage():
    assert ScoreEvaluator(NAME).process([75, 80, ["50"], None, math.nan, True, UNPARSED])[0] == [
        75,
        UNPARSED,
        50,
        *[UNPARSED] * 4,
    ]


def test_the_range_is_that_of_the_grades():
    assert ScoreEvaluator(NAME).value_range == (0.0, 100.0)
    assert ScoreEvaluator(NAME, values=[1, 5]).value_range == (1.0, 5.0)


@pytest.mark.parametrize("values", ["75", [], [math.nan], ["75"], 75, [True]])
def test_wrong_values_are_one_line(values):
    with pytest.raises(MmteError, match="values must be a list of numbers"):
        ScoreEvaluator(NAME, values=values)


def test_it_can_be_sent_to_a_worker():
    assert pickle.loads(pickle.dumps(ScoreEvaluator(NAME))).process(["75/100"])[0] == [75.0]
