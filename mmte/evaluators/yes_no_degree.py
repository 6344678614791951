"""How far a yes/no answer means its verdict: "partially consistent" is half of one, "far from consistent" a denial.

Each pattern looks at one place of the plain text and the few words beside it, so the work is bounded per character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mmte.evaluators.reading import Options, phrase_pattern

WORD: Final = "word"
"""The meaning of a half yes or no in so many words; that of a phrase is its own."""

_FILLERS = (
    r"(?:a|an|the|it|it's|is|are|was|were|be|been|being|this|that|these|those|he|she|they|i|we|you|would|say|seems?|to"
    r"|appears?|look|looks|sound|sounds|only|also|very|really|fully|entirely|completely|at best|as|answer|response)"
)
_FILLED: Final = rf"(?: {_FILLERS}){{0,4}} "
_EXTENT = r"to (?:some|a certain|a limited|a small|a lesser|a) (?:small |limited )?(?:extent|degree)"
_HALF: Final = (
    r"(?:partially|partly|somewhat|in parts?|half|halfway|almost|nearly|all but|kind of|sort of|kinda|sorta|slightly"
    rf"|a (?:bit|little)|{_EXTENT})"
)
_LINK: Final = r"(?:(?:,| -|\u2014| \()? ?(?:but|though|although|albeit|if|only|just|at best|at least|very)){0,3}"
_SO: Final = r"(?:,? (?:it|there|this|that|they|he|she)(?:'s|'re| (?:is|are|was|were|does|do|did|has|have)))?"
_OVER: Final = r"(?=[ \t]*(?:$|[.,;!:)\n]))"
_FAR: Final = (
    r"(?:far from|anything but|by no (?:means|stretch(?: of the imagination)?)|in no way|not by any means|nowhere near"
    r"|nowhere close to|not even (?:close to|near|remotely)|not (?:in (?:any way|the (?:least|slightest))|remotely)"
    r"|fail(?:s|ed|ing)? (?:to|at|in)|falls? short of|fell short of|(?:hardly|barely|scarcely|rarely|seldom) ever"
    r"|barely|scarcely|hardly|rarely|seldom|(?:lacks?|lacking) in)"
)
_TWICE: Final = (
    r"(?P<twice>(?:\b(?:not|never|nor|neither|without|cannot|hardly)|n't)(?: (?:at all|exactly|really|quite))? )?"
)
_YES: Final = r"(?<![^\W_])(?<!\w-)(?:yes|yeah|yep|yup)(?![\w-]|'\w)"
_NO: Final = r"(?<![^\W_])(?<!\w-)(?:no|nope|nah)(?![\w-]|'\w)"


class Degrees:
    """Finds what is said by half or denied in words that are no plain "not".

    Args:
        meanings: plain phrase to "yes" or "no".
    """

    def __init__(self, meanings: Mapping[str, str]) -> None:
        self._options = Options(meanings) if meanings else None
        ordered = sorted(meanings, key=lambda phrase: (-len(phrase), phrase))
        phrases = list(map(phrase_pattern, ordered))
        either, yes = (f"(?P<what>(?>{'|'.join([*phrases, *words])}))" for words in ((_YES, _NO), (_YES,)))
        self._far = re.compile(rf"{_TWICE}\b{_FAR}(?={_FILLED}{either})")
        before = rf"\b{_HALF},?{_FILLED}{either}"
        after = rf"{yes}{_SO}{_LINK}[ .,!\u2014-]{{1,5}}\(?{_HALF}(?: so)?{_OVER}"  # "No, only partially" is a no
        self._halves = (re.compile(before), re.compile(after))

    def settled(self, text: str) -> tuple[str, set[str]]:
        """The plain text with such denials as "not" and without its halves; and what the halves were of.

        A phrase of the configuration that says so itself ("partially consistent") is left as it is.
        """
        halves: set[str] = set()

        def denial(m: re.Match[str]) -> str:
            if self._is_phrase(m):
                return m[0]
            return " whether" if m["twice"] else "not"  # behind "n't" a blank is needed

        def half(m: re.Match[str]) -> str:
            if self._is_phrase(m) and m.start() != m.start("what"):
                return m[0]
            meaning = None if self._options is None else self._options.meaning_at(m.string, m.start("what"))
            halves.add(WORD if meaning is None else str(meaning))
            return " "

        text = self._far.sub(denial, text)
        for pattern in self._halves:
            text = pattern.sub(half, text)
        return text, halves

    def _is_phrase(self, m: re.Match[str]) -> bool:
        return self._options is not None and self._options.meaning_at(m.string, m.start()) is not None
