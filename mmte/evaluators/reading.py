"""What the rules that read answers share: one form of writing, whole words, and what an answer denies.

A phrase is looked for as whole words in the plain form of an answer. Where it stands there, the answer may
say it, deny it ("not a dog", "a cat rather than a dog") or leave it open ("Is it a dog?", "if it is a dog").
All work is bounded per character of the answer: no pattern has an unbounded repetition beside a like one,
and only a window around a place is looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from mmte.errors import MmteError

Stance = Literal["said", "denied", "open"]

# -- markup and Unicode --------------------------------------------------------------------------
_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\u207b\ufe63\uff0d", "-") | {"\u2019": "'", "\u02bc": "'"}
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\u00ad\u0300-\u036f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\ufe00-\ufe0f\ufeff]"
)
_DRESSED = re.compile(r"[^a-z0-9 \n.,;:!?()%+/-]|  ")  # whatever the patterns below change
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ARROW = re.compile(r"[-=]{1,5}>|[\u2190-\u21ff]")
_TEX = re.compile(r"\\(?:boxed|text|textbf|mathbf|mathrm)\b")
_TEX_NUMBER = re.compile(r"(\$\$?)[ {]{0,3}([-+]?[0-9.]{1,9})[ }]{0,3}\1")
_TAG = re.compile(r"</?[a-z][a-z0-9]{0,20}>")
_LINE_MARK = re.compile(r"^ ?(?:> |#+ ?)+", re.M)
_GONE = re.compile(
    r"[*`~\\\"\u201c\u201d\u201e\u00ab\u00bb\u2018]|(?<![^\W\d_])'|'(?![^\W\d_])|(?<![a-z0-9])_+|_+(?![a-z0-9])", re.I
)
_MARKUP_BLANK = re.compile(r"[_|\[\]{}]")
_BLANK_RUN = re.compile(r"[ \t]{2,}|\t")


def plain(text: str, *, fold: bool = True) -> str:
    """An answer in one form of digits, signs, quotes and spaces, without markup, and in lower case if `fold`."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    if fold:
        text = text.casefold()
    if not _DRESSED.search(text):
        return text
    text = _BLANK_RUN.sub(" ", _INVISIBLE.sub("", _NEWLINE.sub("\n", text)))
    text = _TEX_NUMBER.sub(r"\2", _TEX.sub("", _ARROW.sub(":", text)))
    text = _LINE_MARK.sub("", _GONE.sub("", _TAG.sub(" ", text)))
    return _BLANK_RUN.sub(" ", _MARKUP_BLANK.sub(" ", text))


def without_accents(text: str) -> str:
    """The text with each letter in its base form: "cafe" for "café"."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def text_of(pred: Any) -> str | None:
    """The text of an answer, also of one in a list of its own; None: it is no text."""
    if isinstance(pred, str):
        return pred
    if isinstance(pred, (list, tuple)) and len(pred) == 1 and isinstance(pred[0], str):
        return pred[0]
    return None


def label_error(evaluator_id: str, row: int, label: Any, needed: str) -> MmteError:
    """The error of a label that answers cannot be compared with."""
    return MmteError(
        f"evaluator '{evaluator_id}': the label of sample {row + 1} of this batch is {repr(label)[:60]}, "
        f"but {needed} is needed; correct the dataset's target"
    )


# -- phrases -------------------------------------------------------------------------------------
_SPACELESS = re.compile(  # scripts that set no blank between words
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_GAP = re.compile(r"[\s_-]+")
_EDGES: Final = " \t\n.,;:!?'"
_TOKEN = re.compile(r"[^\W_]+")
_BETWEEN_TOKENS: Final = r"[\s\-/\\&#()+_.,']{0,4}"


def phrase_pattern(phrase: str, *, loose: bool = False) -> str:
    """The pattern of a plain phrase as whole words; "anti-x" is no "x", and "7" not in "7.5", "-7" or "17".

    `loose`: punctuation and the blanks beside it do not count: "t-shirt" is "T shirt", "(555) 0100" is "5550100".

    Raises:
        ValueError: no letter and no digit in it.
    """
    tokens = _TOKEN.findall(phrase)
    if not tokens:
        raise ValueError("a phrase needs a letter or a digit")
    if loose:
        core, words = _BETWEEN_TOKENS.join(map(_loose_token, tokens)), tokens
    else:
        sign = "-" if re.match(r"\s*-\d", phrase) else ""
        words = [w for w in _GAP.split(phrase.strip(_EDGES)) if w]
        core = re.escape(sign) + r"[\s_-]{1,5}".join(map(re.escape, words))
    first, last = words[0], words[-1]
    number = len(words) == 1 and re.fullmatch(r"[0-9.,]+", first) is not None
    left = "" if _SPACELESS.match(first) else r"(?<![^\W_])(?<!\w-)"
    right = "" if _SPACELESS.match(last[-1]) else r"(?![^\W_])(?!-[^\W_])"
    if number:
        left, right = left + r"(?<!\d[.,:/])(?<!-)", right + r"(?![.,:/]\d)"
    return left + core + right


def _loose_token(token: str) -> str:
    """A run of letters and digits, which may be written in groups."""
    out = [re.escape(token[0])]
    for at in range(1, len(token)):
        digits = token[at - 1].isdigit() and token[at].isdigit()
        if not digits:
            out.append("[-.]?")
        elif len(token) >= 7 and token.isdigit():
            out.append(r"[\s\-/().]{0,2}")
        elif token.isdigit() and (len(token) - at) % 3 == 0:
            out.append(",?")
        out.append(re.escape(token[at]))
    return "".join(out)


# -- what an answer says of a phrase -------------------------------------------------------------
_CLAUSE = re.compile(
    r"[.,;:!?()\n\u2014]| - |\b(?:but|however|although|though|yet|so|because|since)\b"
    r"|\band (?=(?:i|it|they|we|people|most|many)\b)"
)
_DENIALS: Final = frozenset(
    {"not", "never", "no", "cannot", "hardly", "nor", "neither", "without", "nobody", "nothing", "none", "unlikely"}
    | {"unable", "refuse", "dont", "doesnt", "isnt", "cant", "wouldnt", "than", "instead", "unlike", "except", "lacks"}
)
_UNDECIDED: Final = frozenset({"whether", "if", "unless", "unclear", "unsure", "uncertain"})
_NO_DENIAL = re.compile(
    r"\bno (?:doubt|question|wonder|surprise|other)\b|\bnot (?:only|just|merely|simply|surprisingly)\b"
    r"|\bwithout (?:a |any )?(?:doubt|question)\b|\b(?:cannot|can't|can not|couldn't|could not) (?:deny|help)\b"
    r"|\bnothing (?:but|other than|less than|else than)\b|\bnone other than\b|\bmore than\b"
    r"|(?:\b(?:no|not|nothing|none|cannot)|n't)(?: \w+){0,4} (?:other than|except(?: for)?)\b"
)
_ASIDE = re.compile(
    r"\b(not|n't|never|no)[, ]+(?:(?:i|we) (?:think|believe|would say)|in (?:fact|my opinion|any way)|however|of course"
    r"|strictly speaking|actually|therefore|as such|at all),"
)
_DIRECT = re.compile(
    r"(?:\b(?:not|never|no|nor|neither|hardly|without|no longer|cannot|unlike|except|lacks|(?:rather|other) than"
    r"|instead of)|n't)(?: (?:a|an|the|any|really|very|quite|at|all|that|so|exactly|entirely|fully|completely|truly"
    r"|particularly|necessarily|be|been|being|to|seem|appear|look|sound|like|have|has|considered|deemed|regarded|as"
    r"|likely|probably|actually|both|either|of|think|believe|see|it|it's|this|there|is|are))* ?$"
)
_DENIED_AFTER = re.compile(
    r" (?:(?:is|are|was|were|would be|does|do|seems?)(?:n't| not)|not) ?(?:$|[.,;!\n]|(?:the|my|what|correct|right|true"
    r"|an? (?:option|answer|choice)|in (?:the|this) (?:picture|image|photo|scene)|present|visible|there|shown|here"
    r"|possible|seen|depicted|applicable|appropriate|accurate)\b)"
    r"| (?:is|are|was|would be|seems?) (?:wrong|incorrect|false|ruled out|absent|missing|unlikely|excluded)\b"
)
_STOP = re.compile(r"[.!?\n](?=[\s)]|$)")
_WINDOW: Final = 160


def stance(text: str, start: int, end: int) -> Stance:
    """Whether the plain text says, denies or leaves open what stands at this place.

    Denied: directly ("not a", "isn't very", "X is not the answer"). Open: under a denial or a doubt
    further off ("I do not think that it is X", "whether it is X"), or in a question.
    """
    if asked(text, end):
        return "open"
    before = _ASIDE.sub(r"\1 ", text[max(0, start - _WINDOW) : start])
    words = _CLAUSE.split(before)[-1].split()[-6:]
    if words and words[-1] == "no" and text[start].isdigit():
        words.pop()  # "platform no 7"
    if _denies(words):
        words = _NO_DENIAL.sub(" ", " ".join(words)).split()
        if _denies(words):
            return "denied" if _DIRECT.search(" ".join(words)) else "open"
    if any(w in _UNDECIDED for w in words):
        return "open"
    return "denied" if _DENIED_AFTER.match(text, end) else "said"


def asked(text: str, at: int) -> bool:
    """Whether the sentence around this place is a question."""
    stop = _STOP.search(text, at, at + _WINDOW)
    return stop is not None and stop[0] == "?"


def _denies(words: Sequence[str]) -> bool:
    return any(w in _DENIALS or w.endswith("n't") for w in words)


@dataclass(slots=True)
class Named:
    """What an answer names: meanings by stance, and the places where it says one."""

    said: set[Hashable] = field(default_factory=set)
    denied: set[Hashable] = field(default_factory=set)
    open: set[Hashable] = field(default_factory=set)
    places: list[tuple[int, int]] = field(default_factory=list)

    @property
    def only(self) -> Hashable | None:
        """The one meaning that the answer says and does not deny; None: there is not exactly one."""
        if len(self.said) != 1 or self.said & self.denied:
            return None
        return next(iter(self.said))


class Options:
    """Phrases to look for, the longest first, each with its meaning (which may be any but None).

    Args:
        phrases: phrase, in any form, to meaning.
        loose: see `phrase_pattern`.

    Raises:
        ValueError: a phrase without a letter or digit.
    """

    def __init__(self, phrases: Mapping[str, Hashable], *, loose: bool = False) -> None:
        self.loose = loose
        known = {self.form(phrase): meaning for phrase, meaning in phrases.items()}
        order = sorted(known, key=lambda phrase: (-len(phrase), phrase))
        self._meanings: Sequence[Hashable] = [known[phrase] for phrase in order]
        self._find = re.compile("|".join(f"({phrase_pattern(p, loose=loose)})" for p in order) or "(?!)")

    def form(self, text: str) -> str:
        """The form of text that `named` looks at."""
        return without_accents(plain(text)) if self.loose else plain(text)

    def named(self, text: str) -> Named:
        """What a text, in this `form`, names."""
        found = Named()
        for m in self._find.finditer(text):
            meaning = self._meanings[(m.lastindex or 1) - 1]
            where = stance(text, m.start(), m.end())
            getattr(found, where).add(meaning)
            if where == "said":
                found.places.append(m.span())
        return found

    def meaning_at(self, text: str, at: int) -> Hashable | None:
        """The meaning of the phrase that begins at this place; None: none does."""
        m = self._find.match(text, at)
        return None if m is None else self._meanings[(m.lastindex or 1) - 1]
