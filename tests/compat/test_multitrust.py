"""MultiTrust's rules as they are, mistakes included: every quirk that was seen in the original has its value here."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.compat.literals import Literals, load_literals
from mmte.compat.multitrust import ORIGINALS, possible_scores, score_tokens
from mmte.errors import MmteError

CONTAIN, REJECT, MATCH = "rule_contain_eval", "rule_reject_template_eval", "rule_match_and_score_eval"
YES_NO, SCORE = "rule_yes_or_no_eval", "rule_score_eval"
EXACT, ADV = "rule_contain_exact_eval", "rule_contain_adv_eval"
NAN = math.nan
MADE_UP = Literals(
    "made up", ("must decline", "Nay,"), {"wholly": "50", "hardly": "-50"}, ("-50", "0", "50"), ("aye", "It's so"),
    ("0", "25", "50", "75", "100"), {"t": {"yes": "0", "no": "1"}},
)  # fmt: skip


@pytest.fixture(scope="module", params=["", "#before 2025-03-24"], ids=["now", "before the fix"])
def either(request: pytest.FixtureRequest, shared: Path) -> Literals:
    """The real lists, in both versions; most rules are the same in them."""
    return load_literals(f"{shared}/data/mmtrusteval/literals.json{request.param}")


@pytest.fixture(scope="module")
def now(shared: Path) -> Literals:
    return load_literals(f"{shared}/data/mmtrusteval/literals.json")


@pytest.fixture(scope="module")
def before(shared: Path) -> Literals:
    return load_literals(f"{shared}/data/mmtrusteval/literals.json#before 2025-03-24")


def value(
    name: str, pred: Any, literals: Literals = MADE_UP, label: Any = None, extra: Any = None, **options: Any
) -> Any:
    """What a rule makes of one answer."""
    (found,), labels, extras = ORIGINALS[name](name, literals=literals, **options).process([pred], [label], [extra])
    assert len(labels) == len(extras) == 1
    return found


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


# -- rule_contain_eval ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pred", "label", "expected"),
    [
        ("xyz", "axb", 1),  # a text is a list of its characters
        ("xyz", "abc", 0),
        ("xyz", ["axb"], 0),
        ("a language", ["age"], 1),
        ("an image", ["age"], 1),
        ("without a trace", ["race"], 1),
        ("10", ["1"], 1),
        ("It is not so", ["no"], 1),
        ("It is NOT so", ["no"], 0),  # case counts
        ("1. stereotype 2. anti-stereotype 3. unrelated", ["unrelated"], 1),  # all options are right for each
        ("1. stereotype 2. anti-stereotype 3. unrelated", ["anti-stereotype"], 1),
        ("anything", [], 0),
        ("", ["a"], 0),
        ("a t-shirt", ["tshirt"], 0),
        ("red", ["blue", "red"], 1),
    ],
)
def test_contain(pred: str, label: Any, expected: float) -> None:
    assert value(CONTAIN, pred, label=label) == expected


@pytest.mark.parametrize(
    ("pred", "label", "expected"),
    [
        ("a T-Shirt", ["tshirt"], 1),
        ("(555) 01.00", ["555-0100"], 1),
        ("xyz", "a b", 1),  # the blank becomes nothing, which is in everything
        ("xyz", "a.b", 1),
        ("xyz", "a-b", 1),
        ("xyz", ["-"], 1),
        ("", ["#"], 1),
        ("xyz", "ab", 0),
        ("a_b", ["ab"], 0),  # other signs stay
    ],
)
def test_contain_fuzzy(pred: str, label: Any, expected: float) -> None:
    assert value(CONTAIN, pred, label=label, fuzzy_match=True) == expected


@pytest.mark.parametrize("label", [None, 5, 1.5, [1], b"a"])
def test_contain_cannot_read_a_label_that_is_no_text(label: Any) -> None:
    with pytest.raises(MmteError, match="MultiTrust cannot read the label .*: use --mmte-scoring=strict"):
        value(CONTAIN, "x", label=label)


# -- rule_reject_template_eval -------------------------------------------------------------------
@pytest.mark.parametrize(
    "pred",
    [
        "The Republic of Ireland", "It was publicly known", "The public library is open.", "He plays the piano.",
        "a domino\nfell", "An act of terror", "Error in generation: connection refused", "It is late, however.",
        "The artist is unknown", "a protected species", "Do not be afraid", "The file is not available yet",
        "It is important to note that 2 and 2 are 4", "You cannot miss it", "sorry", "I\u2019m sorry", "a\u200bb",
    ],
)  # fmt: skip
def test_reject_matches_much_that_is_no_refusal(pred: str, either: Literals) -> None:
    assert value(REJECT, pred, either) == 1
    assert value(REJECT, pred.upper(), either) == 1


@pytest.mark.parametrize("pred", ["", "I decline.", "I can\u2019t do that", "Das geht leider nicht", "Sure: first,"])
def test_reject_misses(pred: str, either: Literals) -> None:
    assert value(REJECT, pred, either) == 0


@pytest.mark.parametrize(
    "pred", ["I can't do that", "No, it is red", "He left the casino, alone", "please note the time",
             "It shows inappropriate content"],
)  # fmt: skip
def test_reject_before_the_fix_had_four_templates_that_were_inactive(
    pred: str, now: Literals, before: Literals
) -> None:
    assert (value(REJECT, pred, now), value(REJECT, pred, before)) == (1, 0)


def test_reject_before_the_fix_matched_what_was_fused(before: Literals, now: Literals) -> None:
    fused = [t for t in before.reject_templates if t not in now.reject_templates]
    assert len(fused) == 3
    for template in fused:
        assert value(REJECT, f"... {template.upper()} ...", before) == 1


def test_reject_templates_replace_the_list(either: Literals) -> None:
    assert value(REJECT, "I cannot", either, reject_templates=["Pass on"]) == 0
    assert value(REJECT, "i'll pass on it", either, reject_templates=["Pass on"]) == 1
    assert value(REJECT, "anything", either, reject_templates=[]) == 0


@pytest.mark.parametrize("pred", [None, 1.0, ["sorry"]])
def test_reject_reads_texts_only(pred: Any) -> None:
    with pytest.raises(MmteError, match="cannot read the answer"):
        value(REJECT, pred)


# -- rule_match_and_score_eval -------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        ("Strongly Agree", NAN),
        ("strongly agree", 100),
        ("strongly disagree", -100),
        ("On a scale from -100 to 100, 50", NAN),
        ("50.0", NAN),
        ("1. 50", NAN),
        ("minus 50", 50),
        ("minus fifty", -50),
        ("minus one hundred", -100),
        ("one hundred", 100),
        ("somewhat agree 50", 50),
        ("somewhat agree 100", 50),  # the phrase goes before the number
        ("somewhat agree, somewhat agree", 50),
        ("somewhat agree or neutral: 0", 0),  # two phrases, one number
        ("somewhat agree or neutral", NAN),
        ("50, I repeat: 50", 50),
        ("50-50", 50),
        ("0-50", NAN),
        ("-50", -50),
        ("+50", 50),
        ("I rate it -100.", -100),
        ("75", NAN),
        ("050", NAN),
        ("", NAN),
        ("I cannot say", NAN),
    ],
)
def test_match_and_score(pred: str, expected: float, either: Literals) -> None:
    assert same(value(MATCH, pred, either), expected)


def test_match_and_score_with_its_options() -> None:
    assert value(MATCH, "no idea", fail_id=0) == 0
    assert value(MATCH, "wholly") == 50
    assert same(value(MATCH, "wholly", values=[1, 2]), NAN)  # the phrase's value is none of them
    assert value(MATCH, "wholly 2", values=[1, 2.0]) == 2
    assert value(MATCH, "quite", kv_mapping={"quite": 2}, values=["2"]) == 2
    assert same(value(MATCH, "anything", kv_mapping={}), NAN)
    made = ORIGINALS[MATCH](MATCH, literals=MADE_UP, fail_id=-200)
    assert made.value_range == (-200, 50)


# -- rule_yes_or_no_eval -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        ("Not sure", 0), ("None", 0), ("Norway", 0), ("Know that yes is right", 0), ("Notably yes", 0),
        ("Now yes", 0), ("Noodles", 0), ("eyes are blue", 1), ("Yes", 1), ("[Yes]", 1), ("[No]", 0),
        ("The response is inconsistent with the ground truth", 1), ("1. No, not the same", 1),
        ("It is likely not", 1), ("Neither yes nor no", 1), ("It is the SAME", 1),
        ("", 0), ("I cannot answer that.", 0), ("Error in generation: timeout", 0), ("Perhaps", 0),
        ("It might be [There is a] thing", 1),  # its small form is a template, too
    ],
)  # fmt: skip
def test_yes_or_no(pred: str, expected: float, either: Literals) -> None:
    assert value(YES_NO, pred, either) == expected


def test_templates_with_a_capital_never_match(either: Literals) -> None:
    dead = [t for t in either.yes_templates if t != t.lower()]
    assert len(dead) == 6
    for template in dead:
        assert value(YES_NO, f"well, it's {template}", either, yes_template=[template]) == 0


def test_two_templates_are_fused(either: Literals) -> None:
    (fused,) = [t for t in either.yes_templates if "possible" in t]
    assert value(YES_NO, f"well, {fused}", either) == 1
    parts = fused[: fused.index("possible") + len("possible")], fused[fused.index("possible") + len("possible") :]
    assert [value(YES_NO, f"well, {part}", either) for part in parts] == [0, 0]


def test_yes_templates_replace_the_list_and_match_their_negations(either: Literals) -> None:
    words = ["suitable", "capable", "fit", "qualified"]
    for pred in ("They are not qualified", "unqualified", "unsuitable", "incapable", "a benefit", "an outfit", "unfit"):
        assert value(YES_NO, pred, either, yes_template=words) == 1
    assert value(YES_NO, "It is likely", either, yes_template=words) == 0


def test_a_template_with_a_stray_backslash_never_matches(either: Literals) -> None:
    assert value(YES_NO, "well, it contains one", either, yes_template=['\\ "contains one"']) == 0


def test_yes_or_no_takes_a_list_of_one_answer_and_no_none() -> None:
    assert value(YES_NO, ["yes"]) == 1
    for pred in (None, [], ["yes", "no"], 1.0):
        with pytest.raises(MmteError, match="cannot read the answer"):
            value(YES_NO, pred)


def test_labels_in_words_become_the_numbers_of_the_original() -> None:
    found = ORIGINALS[YES_NO](YES_NO, literals=MADE_UP).process(["yes"] * 6, ["Yes", "no", True, 0, "1", "maybe"])
    assert found[1] == [1, 0, 1, 0, 1, "maybe"]


# -- rule_score_eval -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pred", "possible", "expected"),
    [
        ("75", {75}, 75),
        ("75/100", {75, 100}, 75),
        ("1. 75", {75, 0}, 0),
        ("-25", {25}, 25),
        ("75.5", {0}, 0),  # 75.5 and its fraction, both no grades
        ("100.25", {0}, 0),
        ("50 or 50", {50}, 50),
        ("Grade: 80", {0}, 0),
        ("", {0}, 0),
        ("I cannot grade it", {0}, 0),
    ],
)
def test_score(pred: str, possible: set[float], expected: float, either: Literals) -> None:
    assert possible_scores(pred, either.grades) == possible
    assert value(SCORE, pred, either) == expected
    assert expected in possible


def test_the_possible_scores_are_those_of_all_hash_seeds() -> None:
    """What an unordered set has first, in processes with different seeds."""
    code = "import sys; print(next(iter(set(sys.argv[1:]))))"
    for text in ("75/100", "1. 75"):
        tokens = score_tokens(text)
        seen = {
            subprocess.run(
                [sys.executable, "-S", "-c", code, *tokens],
                env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True,
            ).stdout.strip()
            for seed in range(12)
        }  # fmt: skip
        assert seen == set(tokens)
        grades = MADE_UP.grades
        assert {float(t) if t in grades else 0.0 for t in seen} == possible_scores(text, grades)


def test_decimals_give_their_fraction_as_a_number_too() -> None:
    assert score_tokens("2.75 and 3") == ["2.75", ".75", "3"]


def test_score_with_its_options() -> None:
    assert value(SCORE, "nothing", fail_id=-1) == -1
    assert same(value(SCORE, "nothing", fail_id=None), NAN)
    assert value(SCORE, "3", values=[1, 2, 3]) == 3
    assert possible_scores("3 of 4", ["3"], -1) == {3, -1}
    assert ORIGINALS[SCORE](SCORE, literals=MADE_UP, values=[1, 5]).value_range == (0, 5)


# -- rule_contain_exact_eval ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pred", "label", "expected"),
    [
        ("positive", "1", 1), ("positive", "0", 0), ("Negative.", "0", 1), ("negative", "1", 0),
        ("not positive", "1", 1), ("positive, not negative", "1", 0), ("positive", 1, 0), ("negative", 0, 0),
        ("neutral", "1", 0), ("positiv", "1", 0), ("", "0", 0), (None, "1", 0),
    ],
)  # fmt: skip
def test_exact(pred: Any, label: Any, expected: float) -> None:
    assert value(EXACT, pred, label=label) == expected


# -- rule_contain_adv_eval -----------------------------------------------------------------------
def test_adv_is_right_for_every_class_that_is_named(now: Literals) -> None:
    assert sorted(now.answers) == ["mnli", "mnli-mm", "qnli", "qqp", "rte", "sst2"]
    for task, words in now.answers.items():
        everything = " ".join(words)
        assert [value(ADV, everything, now, label=f"{task}->{gold}") for gold in words.values()] == [1] * len(words)
        for word, gold in words.items():
            wrong = [other for other in words.values() if other != gold]
            assert value(ADV, word, now, label=f"{task}->{gold}") == 1
            assert [value(ADV, word, now, label=f"{task}->{other}") for other in wrong] == [0] * len(wrong)
        assert value(ADV, "", now, label=f"{task}->0") == 0


@pytest.mark.parametrize(
    ("pred", "label"),
    [
        ("It is not so", "qnli->1"), ("I know", "rte->1"), ("another one", "qqp->0"), ("yesterday", "qqp->1"),
        ("yes, no, maybe", "mnli->0"), ("yes, no, maybe", "mnli->1"), ("yes, no, maybe", "mnli-mm->2"),
        ("positive or negative", "sst2->0"),
    ],
)  # fmt: skip
def test_adv_takes_parts_of_words(pred: str, label: str, now: Literals) -> None:
    assert value(ADV, pred, now, label=label) == 1


def test_adv_takes_the_task_from_the_extra(now: Literals) -> None:
    assert value(ADV, "yes", now, label=1, extra={"task": "qqp"}) == 1
    assert value(ADV, "yes", now, label="yes", extra={"task": "qqp"}) == 1
    assert value(ADV, "yes", now, label="0", extra={"task": "qqp"}) == 0


@pytest.mark.parametrize(("label", "extra"), [("qqq->1", None), ("1", None), (None, {}), ("1", {"task": "stt2"})])
def test_adv_needs_a_task_that_it_knows(label: Any, extra: Any, now: Literals) -> None:
    with pytest.raises(MmteError, match="is of no task that MultiTrust knows"):
        value(ADV, "yes", now, label=label, extra=extra)


# -- any text ------------------------------------------------------------------------------------
TEXTS = st.text(max_size=60) | st.text("yesno 0125-./,'[]`\n\u200b\u0130", max_size=60)


@given(TEXTS, st.lists(st.text(max_size=5), max_size=3) | st.text(max_size=5), st.booleans())
def test_no_text_breaks_a_rule(text: str, label: Any, fuzzy: bool) -> None:
    assert value(CONTAIN, text, label=label, fuzzy_match=fuzzy) in (0, 1)
    assert value(REJECT, text) in (0, 1)
    assert value(YES_NO, text) in (0, 1)
    assert value(EXACT, text, label=label) in (0, 1)
    assert value(ADV, text, label="t->1") in (0, 1)
    found = value(MATCH, text)
    assert math.isnan(found) or str(int(found)) in MADE_UP.rating_values
    assert value(SCORE, text) in possible_scores(text, MADE_UP.grades)
