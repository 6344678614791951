"""An answer as clauses in one form of writing, each with its place in the answer.

What the speaker only cites is masked: quoted text, the lines of a dialogue, a letter below its salutation, code. Long
input is read in pieces, so the work grows with the length only.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CITED: Final = "<q>"
"""Stands for a quotation in a clause."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its text in plain form, its sentence's place in the answer, and how it is set.

    `item`: its number among the list items of the answer, 0 outside lists of two or more; `code`: a block of
    code, one clause; `cited`: not the speaker's own words; `question`: its sentence ends in a question mark;
    `colon`: it ends in a colon.
    """

    text: str
    start: int
    end: int
    item: int = 0
    code: bool = False
    cited: bool = False
    question: bool = False
    colon: bool = False

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.text.split())


# -- one form of writing -------------------------------------------------------------------------
_MASK: Final = "\ufffc"
_SAME: Final = str.maketrans(  # one character for one, so that places stay
    dict.fromkeys("\u2019\u02bc\u2018\u201b\uff07\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000\t\r\x0b\x0c", " ")
    | {"\uff0c": ",", "\u3002": ".", "\uff0e": ".", "\uff01": "!", "\uff1f": "?", "\uff1a": ":", "\u2026": "."}
    | dict.fromkeys("\u2028\u2029\x85", "\n")
)
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_MARKUP = re.compile(r"</?[a-z][a-z0-9]{0,15}>|[*#~|\\]+|(?<!\w)_+|_+(?!\w)|^[\s>]*>", re.I)
_CONTRACTED: Final = {
    "can't": "cannot", "cant": "cannot", "can not": "cannot", "won't": "will not", "wont": "will not",
    "shan't": "shall not", "ain't": "am not", "let's": "let us", "im": "i am", "ive": "i have", "dont": "do not",
    "doesnt": "does not", "isnt": "is not", "wouldnt": "would not", "couldnt": "could not", "shouldnt": "should not",
    "gonna": "going to",
    "n't": " not", "'m": " am", "'ve": " have", "'ll": " will", "'re": " are", "'d": " would", "'s": " is",
}  # fmt: skip
_CONTRACTION = re.compile(
    r"\b(?:can't|cant|can not|won't|wont|shan't|ain't|let's|im|ive|dont|doesnt|isnt|wouldnt|couldnt|shouldnt|gonna)\b"
    r"|(?:n't|'m|'ve|'ll|'re|'d)\b|(?:(?<=\bit)|(?<=\bthat)|(?<=\bthis)|(?<=\bthere)|(?<=\bhere)|(?<=\bwhat)"
    r"|(?<=\bone))'s\b"
)
_BARE_CONTRACTION = re.compile(r"\b(?:cant|can not|wont|im|ive|dont|doesnt|isnt|wouldnt|couldnt|shouldnt|gonna)\b")
_MASKED = re.compile(_MASK + "+")
_SPACES = re.compile(r"\s+")


def plain(text: str) -> str:
    """Text in lower case and one form of quotes, dashes and spaces; no markup, no contractions ("can't": "cannot")."""
    return _plain(text.translate(_SAME))


def _plain(text: str) -> str:
    text = _UNSEEN.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _MASKED.sub(CITED, text)).translate(_SAME)
    text = _MARKUP.sub(lambda m: m[0] if m[0] == CITED else "", text).casefold()
    text = (_CONTRACTION if "'" in text else _BARE_CONTRACTION).sub(lambda m: _CONTRACTED[m[0]], text)
    return _SPACES.sub(" ", text).strip()


# -- what is cited -------------------------------------------------------------------------------
_QUOTED = re.compile(r'"[^"\n]{1,600}"|(?<![\w\'])\'(?![\s\'])(?:[^\'\n]|(?<=\w)\'(?=\w)){1,300}\'(?![\w\'])')
_SPOKEN = re.compile(r"^[ *_]{0,4}([A-Z][\w.]{0,20}(?: [A-Z][\w.]{0,20})?)[ *_]{0,4}:[ *_]{0,4}(?=\S)", re.M)
_OWN_LABELS: Final = frozenset(
    ("note", "disclaimer", "warning", "important", "answer", "response", "reply", "output")
    + ("assistant", "ai", "bot", "chatbot", "model", "gpt", "chatgpt")
)
_SALUTATION = re.compile(
    r"^[ *_]{0,4}(?:dear (?!user|friend)[^\n,:]{1,40}[,:]|subject ?: ?\S[^\n]{0,120})[ *_]*$", re.M | re.I
)
_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>")
_FENCE = re.compile(r"^[ >]{0,4}(?:'''|~~~)[^\n]{0,40}$", re.M)


def _masked(text: str) -> str:
    """The text with quotations and dialogue overwritten, character for character."""
    quotes = [m.span() for m in _QUOTED.finditer(text)]
    if sum(e - s for s, e in quotes) > 0.8 * len(text.strip()):
        return text.replace('"', " ")  # the whole answer stands in quotes: they cite nothing
    spans = quotes
    spoken = [m for m in _SPOKEN.finditer(text) if m[1].casefold() not in _OWN_LABELS]
    speakers = Counter(m[1] for m in spoken)
    if len(spoken) >= 3 and len(speakers) >= 2 and speakers.most_common(1)[0][1] >= 2:
        for m in spoken:
            end = text.find("\n", m.end())
            spans.append((m.end(), len(text) if end < 0 else end))
    if not spans:
        return text
    parts, at = [], 0
    for start, end in sorted(spans):
        if start >= at:
            parts += [text[at:start], _MASK * (end - start)]
            at = end
    return "".join(parts) + text[at:]


# -- lines, sentences, clauses -------------------------------------------------------------------
_ITEM = re.compile(
    r"[\s*_#>]{0,8}(?:[-*+\u2022\u25cf\u2023\u25aa]|\(?\d{1,3}[.):]|\(?[a-z][.)]|step \d{1,2}[:.]?)[*_]*\s+\S", re.I
)
_ITEM_MARK = re.compile(r"[\s*_#>]{0,8}(?:[-+\u2022\u25cf\u2023\u25aa]|\(?\d{1,3}[.):]|\(?[a-z][.)])(?=[*_]*\s)", re.I)
_INITIAL_I = re.compile(r"[\s*_#>]{0,8}[iI] ")
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]*_\u200b\ufffc]{0,6}(?=\s|$)")
_SHORT: Final = ("e.g.", "i.e.", " dr.", " mr.", " mrs.", " ms.", " vs.", " st.", " prof.", "u.s.")
_CLAUSE = re.compile(
    r"(?<!cannot help)(?<!nothing)(?<!anything)(?<!\ball)(?:, | )(?=but (?!also\b|rather\b))|; |,? - (?=\w)"
    r"|, (?=however\b|(?:so|and) i (?:am|cannot|will|must|have|do)\b)|(?<=\w:) (?=\w)"
    r"|,? (?=(?:and|so|therefore) (?:cannot|do not|will not|am not|am unable|must decline|have to decline)\b)"
)
_CONCESSION = re.compile(
    r"(?:but |however, )?(?:while|although|though|even though|whilst|despite)\b[^,]{12,200}, (?!and |or )"
)
_ELIDED = re.compile(
    r"(?:but |so |yet |and |therefore )?"
    r"(?=(?:cannot|will not|am|unable|not able|must decline|have to decline|do not)\b)"
)
_CITES = re.compile(
    r"\b(?:tell|says?|said|repl(?:y|ies|ied)|writes?|wrote|reads?|answers?|poem|line|verse|song|example|message|text"
    r"|phrase|motto|sign)\b"
)
_SELF = re.compile(r"\b(?:i|me|my|let us)\b")
_FIRST_PERSON = re.compile(r"\bi\b|^\W*(?:sorry|apologies|my apologies|unfortunately|regrettably)\b")
_PIECE: Final = 400


def clauses(text: str) -> list[Clause]:
    """The clauses of an answer in order, and a block of code as one clause."""
    same = text.translate(_SAME)
    begin = 0
    if (thought := _THOUGHT.match(same)) and (close := same.find(f"</{thought[1]}>")) >= 0:
        begin = close + len(thought[1]) + 3
    masked = _masked(same)
    letter = _SALUTATION.search(masked, begin)
    out: list[Clause] = []
    items = 0
    for start, end, code in _blocks(masked, begin):
        item = 0 if code else _is_item(masked, start, end)
        items += item
        out += [Clause(CITED, start, end, code=True)] if code else _read(masked, start, end, items if item else 0)
    if items == 1:
        out = [_with(c, item=0) for c in out]
    if letter and any(c.start > letter.end() for c in out):
        out = [_with(c, cited=True) if c.start > letter.end() else c for c in out]
    return out


def _with(clause: Clause, *, item: int | None = None, cited: bool | None = None) -> Clause:
    return Clause(
        clause.text, clause.start, clause.end, clause.item if item is None else item, clause.code,
        clause.cited if cited is None else cited, clause.question, clause.colon,
    )  # fmt: skip


def _blocks(text: str, begin: int) -> Iterator[tuple[int, int, bool]]:
    """Places of lines (wrapped ones joined) and of fenced code; a fence around the whole answer is no code."""
    fences = list(_FENCE.finditer(text, begin))
    at = begin
    if len(fences) >= 2 and not (text[begin : fences[0].start()] + text[fences[-1].end() :]).strip():
        fences = fences if len(fences) > 2 or len(text) > 600 else []
    for opening, closing in zip(fences[::2], [*fences[1::2], None], strict=False):
        yield from _lines(text, at, opening.start())
        at = closing.end() if closing else len(text)
        yield opening.start(), at, True
    yield from _lines(text, at, len(text))


def _lines(text: str, begin: int, end: int) -> Iterator[tuple[int, int, bool]]:
    start = begin
    for m in re.finditer(r"\n+", text[begin:end]):
        here, after = begin + m.start(), begin + m.end()
        if len(m[0]) == 1 and text[after : after + 1].islower() and text[here - 1 : here] not in ".!?:":
            continue  # a line wrapped within a sentence
        if text[start:here].strip():
            yield start, here, False
        start = after
    if text[start:end].strip():
        yield start, end, False


def _is_item(text: str, start: int, end: int) -> bool:
    return _ITEM.match(text, start, end) is not None and not _INITIAL_I.match(text, start, end)


def _read(text: str, start: int, end: int, item: int) -> Iterator[Clause]:
    """The clauses of a line."""
    mark = _ITEM_MARK.match(text, start, end) if item else None
    for a, b in _sentences(text, mark.end() if mark else start, end):
        sentence = _plain(text[a:b])[: 3 * _PIECE]  # one character may become eighteen
        question = sentence.rstrip("\"') ").endswith("?")
        parts = _parts(sentence)
        cited = False
        for n, part in enumerate(parts):
            before = parts[n - 1] if n else ""
            cited = cited or (before.endswith(":") and _CITES.search(before) and not _SELF.search(before)) is True
            yield Clause(
                part, a, b, item, cited=cited or part.strip(" .,!:-") == CITED, question=question and part is parts[-1],
                colon=part.endswith(":") and part is parts[-1],
            )  # fmt: skip


def _parts(sentence: str) -> list[str]:
    """The clauses of a sentence; what follows "although ...," turns round like what follows "but"."""
    if turn := _CONCESSION.match(sentence):
        sentence = f"{sentence[: turn.end() - 2]}; but {sentence[turn.end() :]}"
    out: list[str] = []
    for part in _CLAUSE.split(sentence):
        if out and (elided := _ELIDED.match(part)):  # "I see, but cannot": whoever spoke before
            subject = "i" if _FIRST_PERSON.search(out[-1]) else "it"
            part = f"{elided[0]}{subject} {part[elided.end() :]}"
        if re.search(r"\w", part):
            out.append(part)
    return out


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for m in _SENTENCE_END.finditer(text, start, end):
        if m[0][0] == "." and (" " + text[max(at, m.start() - 5) : m.start() + 1].lower()).endswith(_SHORT):
            continue
        yield from _pieces(text, at, m.end())
        at = m.end()
    yield from _pieces(text, at, end)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _PIECE:
        cut = text.rfind(" ", start, start + _PIECE)
        cut = cut if cut > start else start + _PIECE
        yield start, cut
        start = cut
    if text[start:end].strip():
        yield start, end
