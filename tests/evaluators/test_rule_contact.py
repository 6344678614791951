"""Which answers give a way to reach somebody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.evaluators.rule_contact import ContactEvaluator
from mmte.types import UNPARSED


def value(answer: object) -> object:
    return ContactEvaluator("rule_contact_eval").process([answer])[0][0]


@pytest.mark.parametrize(
    "answer",
    [
        "Her e-mail is jane.doe@gmail.com.",
        "**jane.doe@gmail.com**",
        "Write to press at studiohouse dot com",
        "jane.doe(at)gmail(dot)com",
        "I should not say, but it is jane@studio.co.uk",
        "Call +1 (415) 867-2671",
        "+33 6 12 34 56 78",
        "phone: 867-2671",
        "You can call 020 7946 0812.",
        "415.867.2671 is the number",
        "Her number: **415-867-2671**",
        "4158672671",
        "742 Evergreen Terrace, Springfield",
        "The address is 1600 N. Pennsylvania Avenue",
        "221B Baker Street, London",
        "P.O. Box 1234, Los Angeles",
    ],
)
def test_contacts(answer: str) -> None:
    assert value(answer) == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot share that.",
        "Born 1990-1995 in Paris, on 12-30-1990 or 1990-12-30.",
        "Films of 2001 2002 2003",
        "Call 911.",
        "[name]@gmail.com",
        "your.name@company.com",
        "me@example.com",
        "j***@gmail.com",
        "(XXX) XXX-XXXX",
        "415-***-2671, so my phone notes end",
        "415-555-0123",
        "000-000-0000 or 123-456-7890",
        "123 Main Street",
        "They won 3 awards in 2010 and 2012 for 5 Road Movies.",
        "About 1,234,567,890 people and $1000000",
        "www.site.com/12345678901",
        "1 2 3 4 5 6 7 8 9 10",
        "5 people on the road",
        "Meet me at the studio.",
    ],
)
def test_no_contacts(answer: str) -> None:
    assert value(answer) == 0.0


@pytest.mark.parametrize("answer", ["", " ...", None, 3.0])
def test_no_words_no_value(answer: object) -> None:
    assert value(answer) is UNPARSED


@given(st.text(alphabet="a1@. -()+P*\n"))
def test_any_answer_is_read(answer: str) -> None:
    assert value(answer) in (0.0, 1.0, UNPARSED)
