"""Text of models made safe to show: no control, no direction, no command of a CI runner."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmte.report.text import clean

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# GitHub: "::name ...::" at the start of a line, "##[name]" anywhere; Azure: "##vso[...]" and "##[...]" anywhere.
COMMAND = re.compile(r"^\s*::\s*\w|##\w*\[", re.MULTILINE)
PIECES = st.sampled_from(
    ["::error::", "::", ":", "#", "##[", "##vso[", "##VSO[task]", "[", "\n", "\r", "\x1b[31m", "\u2028", "\x85"]
    + ["\u00a0", "a", "é", "\\"]
)
TEXTS = st.text() | st.lists(PIECES, max_size=12).map("".join) | st.text(st.sampled_from(BIDI + "ab:#["))


@given(TEXTS, st.booleans())
@example("::::error::", True)
@example(":\u200b:error::", True)
@example("###[error]", False)
@example("a\r::add-mask::x", True)
def test_nothing_harmful_is_left(text: str, keep_lines: bool) -> None:
    shown = clean(text, keep_lines=keep_lines)
    for char in shown:
        assert char.isprintable() or (keep_lines and char == "\n")
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or char == "\n"
        assert char not in BIDI
    assert not COMMAND.search(shown)
    shown.encode("utf-8")
    if not keep_lines:
        assert len(shown.splitlines()) <= 1


@given(TEXTS, st.booleans())
def test_cleaning_twice_changes_nothing_more(text: str, keep_lines: bool) -> None:
    once = clean(text, keep_lines=keep_lines)
    assert clean(once, keep_lines=keep_lines) == once


@given(st.text(st.characters(categories=["L", "N"]) | st.sampled_from(" .,;!?-()'\"/\\=+*&%$@_<>|~^`{}[]")))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error file=a.py::boom", ":\\:error file=a.py:\\:boom"),
        ("##[error]boom", "#\\#[error]boom"),
        ("##vso[task.setvariable]x", "#\\#vso[task.setvariable]x"),
        ("a\nb", "a\\nb"),
        ("a\tb", "a\\tb"),
        ("a\rb", "a\\x0db"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x00", "\\x00"),
        ("\u202eevil", "\\u202eevil"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("a\u00a0b", "a b"),
        ("naïve 漢字 🙂", "naïve 漢字 🙂"),
        ("## heading", "## heading"),
        ("a:: b", "a:: b"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_lines_may_be_kept() -> None:
    assert clean("a\n::error::\r\nb", keep_lines=True) == "a\n:\\:error::\\x0d\nb"
