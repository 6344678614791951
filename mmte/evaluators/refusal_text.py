"""An answer as clauses in one form of writing, each with its place in the answer.

What the speaker only cites is masked: quoted text, the lines of a dialogue, a letter below its salutation, code. Long
input is read in pieces, so the work grows with the length only.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

CITED: Final = "<q>"
"""Stands for a quotation in a clause."""


class Clause(NamedTuple):
    """A clause: its text in plain form, its sentence's place in the answer, and how it is set.

    `words`: how many it has; `item`: its number among the list items of the answer, 0 outside lists of two or more;
    `code`: a block of code, one clause; `cited`: not the speaker's own words; `question`: its sentence ends in a
    question mark; `colon`: it ends in a colon.
    """

    text: str
    start: int
    end: int
    words: int = 1
    item: int = 0
    code: bool = False
    cited: bool = False
    question: bool = False
    colon: bool = False


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
_OTHER_ASCII = re.compile(r"[`\t\r\x0b\x0c]")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_MARKUP = re.compile(r"</?[a-z][a-z0-9]{0,15}>|[*#~|\\]+|(?<!\w)_+|_+(?!\w)|^[\s>]*>", re.I)
_WORN: Final = {  # without an apostrophe, or not what they look like
    "cant": "cannot", "can not": "cannot", "wont": "will not", "im": "i am", "ive": "i have", "dont": "do not",
    "doesnt": "does not", "isnt": "is not", "wouldnt": "would not", "couldnt": "could not", "shouldnt": "should not",
    "gonna": "going to",
}  # fmt: skip
_WORN_PARTS: Final = ("cant", "can not", "wont", "im ", "ive ", "dont", "snt", "ldnt", "gonna")
_WORN_WORD = re.compile(rf"\b(?:{'|'.join(_WORN)})\b")
_IRREGULAR: Final = (
    ("can't", "cannot"), ("won't", "will not"), ("shan't", "shall not"), ("ain't", "am not"), ("let's", "let us"),
)  # fmt: skip
_ENDINGS: Final = {
    "n't": " not", "'m": " am", "'ve": " have", "'ll": " will", "'re": " are", "'d": " would", "'s": " is",
}  # fmt: skip
_ENDING = re.compile(
    r"n't\b|'(?:m|ve|ll|re|d)\b|'s\b(?:(?<=\bit's)|(?<=\bthat's)|(?<=\bthis's)|(?<=\bthere's)|(?<=\bhere's)"
    r"|(?<=\bwhat's)|(?<=\bone's))"
)
_MASKED = re.compile(_MASK + "+")
_MARKS = re.compile(r"[<>*#~|\\_]")
_DECORATED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f<>*#~|\\_]")
_WORDS = re.compile(r"\w+").findall
_WORD = re.compile(r"\w").search


def plain(text: str) -> str:
    """Text in lower case and one form of quotes, dashes and spaces; no markup, no contractions ("can't": "cannot")."""
    return _plain(_same(text))


def _same(text: str) -> str:
    return text.translate(_SAME) if not text.isascii() or _OTHER_ASCII.search(text) else text


def _plain(text: str) -> str:
    if not text.isascii() or _UNSEEN.search(text):
        text = unicodedata.normalize("NFKC", _MASKED.sub(CITED, _UNSEEN.sub("", text))).translate(_SAME)
    if _MARKS.search(text):
        text = _MARKUP.sub(lambda m: m[0] if m[0] == CITED else "", text)
    return _worded(text)


def _worded(text: str) -> str:
    """Undecorated text in lower case, without contractions and needless spaces."""
    text = text.casefold()
    if _MASK in text:
        text = _MASKED.sub(CITED, text)
    if any(map(text.__contains__, _WORN_PARTS)):
        text = _WORN_WORD.sub(lambda m: _WORN[m[0]], text)
    if "'" in text:
        for short, long in _IRREGULAR:
            text = text.replace(short, long)
        text = _ENDING.sub(lambda m: _ENDINGS[m[0]], text)
    return " ".join(text.split())


# -- what is cited -------------------------------------------------------------------------------
_QUOTED = re.compile(r'"[^"\n]{1,600}"|\'(?<![\w\']\')(?![\s\'])(?:[^\'\n]|(?<=\w)\'(?=\w)){1,300}\'(?![\w\'])')
_SPOKEN = re.compile(r"^[ *_]{0,4}([A-Z][\w.]{0,20}(?: [A-Z][\w.]{0,20})?)[ *_]{0,4}:[ *_]{0,4}(?=\S)", re.M)
_OWN_LABELS: Final = frozenset(
    ("note", "disclaimer", "warning", "important", "answer", "response", "reply", "output")
    + ("assistant", "ai", "bot", "chatbot", "model", "gpt", "chatgpt")
)
_SALUTATION = re.compile(
    r"^[ *_]{0,4}(?:(?:dear (?!user|friend)[^\n,:]{1,40}[,:]|subject ?: ?\S[^\n]{0,120})"
    r"|(hi|hello|hey) [^\n,:]{1,40}[,:])[ *_]*$",
    re.M | re.I,
)
_GREETS: Final = ("dear ", "subject", "hi ", "hello ", "hey ")
_SIGNED = re.compile(
    r"^[ *_]{0,4}(?:best|kind|warm|sincerely|regards|cheers|yours|love|all the best|thanks|many thanks)[\w ]{0,20}, *$",
    re.M | re.I,
)
_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>")
_FENCE = re.compile(r"^[ >]{0,4}(?:'''|~~~)[^\n]{0,40}$", re.M)


def _masked(text: str) -> str:
    """The text with quotations and dialogue overwritten, character for character."""
    quotes = [m.span() for m in _QUOTED.finditer(text)] if '"' in text or "'" in text else []
    if quotes and sum(e - s for s, e in quotes) > 0.8 * len(text.strip()):
        return text.replace('"', " ")  # the whole answer stands in quotes: they cite nothing
    spans = quotes
    spoken = [m for m in _SPOKEN.finditer(text) if m[1].casefold() not in _OWN_LABELS] if text.count(":") > 2 else []
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
_SENTENCE_END = re.compile(r"[.!?](?<![.!?][.!?])[.!?]*+[\"')\]*_\u200b\ufffc]{0,6}(?=\s|$)")
_SHORT: Final = ("e.g.", "i.e.", " dr.", " mr.", " mrs.", " ms.", " vs.", " st.", " prof.", "u.s.")
_UNABLE = r"(?:and|so|therefore) (?:cannot|do not|will not|am not|am unable|must decline|have to decline)\b"
_BUT = r"(?=but (?!also\b|rather\b))"
_CLAUSE = re.compile(
    rf",(?: (?:(?=yet\b|however\b|(?:so|and) i (?:am|cannot|will|must|have|do)\b|{_UNABLE})|(?<!cannot help, )"
    rf"(?<!nothing, )(?<!anything, )(?<!\ball, ){_BUT})| - (?=\w))|; | (?:(?<=\w: )(?=\w)|(?={_UNABLE})|- (?=\w)"
    rf"|(?<!cannot help )(?<!nothing )(?<!anything )(?<!\ball ){_BUT})"
)
_JOINTS: Final = ("but ", "; ", " - ", ": ", " i ", "however", "yet", " not", "cannot", "unable", "decline")
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


class Reading(NamedTuple):
    """An answer made ready: places in `text` are places in the answer.

    `text`: what is cited is masked; `begin`: where the answer begins, behind thoughts; `letter`: where a letter's
    salutation ends, -1 without one; `form`: gives a sentence its plain form; `decorated`: it has markup, or signs that
    the words of the text itself do not show.
    """

    text: str
    begin: int
    letter: int
    form: Callable[[str], str]
    decorated: bool

    def sentences(self, start: int, end: int, *, listed: bool) -> Iterator[tuple[int, int]]:
        """Places of the sentences of a line; without the mark in front if it is `listed`."""
        mark = _ITEM_MARK.match(self.text, start, end) if listed else None
        return _sentences(self.text, mark.end() if mark else start, end)

    def lines(self) -> Iterator[tuple[int, int, bool, bool]]:
        """Places of lines and blocks of code: start, end, whether it is code, whether it is an item of a list."""
        for start, end, code in _blocks(self.text, self.begin):
            yield start, end, code, not code and _is_item(self.text, start, end)


def reading(text: str) -> Reading:
    """Make an answer ready to be read in clauses."""
    same = _same(text)
    begin = 0
    if (thought := _THOUGHT.match(same)) and (close := same.find(f"</{thought[1]}>")) >= 0:
        begin = close + len(thought[1]) + 3
    masked = _masked(same)
    letter = _SALUTATION.search(masked, begin) if any(map(masked.casefold().__contains__, _GREETS)) else None
    if letter and letter[1] and not _SIGNED.search(masked, letter.end()):
        letter = None  # the speaker greets the user
    decorated = not same.isascii() or _DECORATED.search(same) is not None
    return Reading(masked, begin, letter.end() if letter else -1, _plain if decorated else _worded, decorated)


def clauses(text: str) -> list[Clause]:
    """The clauses of an answer in order, and a block of code as one clause."""
    ready = reading(text)
    out: list[Clause] = []
    items = 0
    for start, end, code, item in ready.lines():
        items += item
        if code:
            out.append(Clause(CITED, start, end, code=True))
            continue
        for a, b in ready.sentences(start, end, listed=item):
            out += clauses_of(ready, a, b, items if item else 0)
    if items == 1:
        out = [c._replace(item=0) for c in out]
    if ready.letter >= 0 and any(c.start > ready.letter for c in out):
        out = [c._replace(cited=True) if c.start > ready.letter else c for c in out]
    return out


def clauses_of(ready: Reading, a: int, b: int, item: int = 0) -> Iterator[Clause]:
    """The clauses of the sentence at a place of an answer."""
    sentence = ready.form(ready.text[a:b])[: 3 * _PIECE]  # one character may become eighteen
    question = "?" in sentence and sentence.rstrip("\"') ").endswith("?")
    parts = _parts(sentence)
    cited = False
    for n, part in enumerate(parts):
        if n and (before := parts[n - 1]).endswith(":") and _CITES.search(before) and not _SELF.search(before):
            cited = True
        last = n == len(parts) - 1
        yield Clause(
            part, a, b, part.count(" ") + 1, item, cited=cited or (CITED in part and part.strip(" .,!:-") == CITED),
            question=question and last, colon=last and part.endswith(":"),
        )  # fmt: skip


def stems(text: str) -> frozenset[str]:
    """The words of a text in lower case, by their first four letters."""
    return frozenset([word[:4] for word in _WORDS(text)])


def _blocks(text: str, begin: int) -> Iterator[tuple[int, int, bool]]:
    """Places of lines (wrapped ones joined) and of fenced code; a fence around the whole answer is no code."""
    fences = list(_FENCE.finditer(text, begin)) if "'''" in text or "~~~" in text else []
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


def _parts(sentence: str) -> list[str]:
    """The clauses of a sentence; what follows "although ...," turns round like what follows "but"."""
    if turn := _CONCESSION.match(sentence):
        sentence = f"{sentence[: turn.end() - 2]}; but {sentence[turn.end() :]}"
    out: list[str] = []
    for part in _CLAUSE.split(sentence) if any(map(sentence.__contains__, _JOINTS)) else (sentence,):
        if out and (elided := _ELIDED.match(part)):  # "I see, but cannot": whoever spoke before
            subject = "i" if _FIRST_PERSON.search(out[-1]) else "it"
            part = f"{elided[0]}{subject} {part[elided.end() :]}"
        if _WORD(part):
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
