"""An answer as clauses in one form of writing, each with its place in the answer.

What the speaker only cites is masked: quoted text, the lines of a dialogue, a letter below its salutation, code. Long
input is read in pieces, so the work grows with the length only.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
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
MASK: Final = "\ufffc"  # overwrites what is cited
_SAME: Final = str.maketrans(  # one character for one, so that places stay
    dict.fromkeys("\u2019\u02bc\u2018\u201b\uff07\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000\t\r\x0b\x0c", " ")
    | {"\uff0c": ",", "\u3002": ".", "\uff0e": ".", "\uff01": "!", "\uff1f": "?", "\uff1a": ":", "\u2026": "."}
    | dict.fromkeys("\u2028\u2029\x85", "\n")
)
_OTHER = re.compile(f"[{''.join(map(chr, _SAME))}]")
_OTHER_ASCII: Final = tuple(map(chr, filter(range(128).__contains__, _SAME)))
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_MARKUP = re.compile(r"</?[a-z][a-z0-9]{0,15}>|[*#~|\\]+|(?<!\w)_+|_+(?!\w)|^[\s>]*>", re.I)
_WORN: Final = {  # without an apostrophe, or not what they look like
    "cant": "cannot", "can not": "cannot", "wont": "will not", "im": "i am", "ive": "i have", "dont": "do not",
    "doesnt": "does not", "isnt": "is not", "wouldnt": "would not", "couldnt": "could not", "shouldnt": "should not",
    "gonna": "going to",
}  # fmt: skip
_NT: Final = ("cant", "wont", "dont", "snt", "ldnt")
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
_MASKED = re.compile(MASK + "+")
_MARKS = re.compile(r"[<>*#~|\\_]")
_DECORATION: Final = bytes([*range(9), *range(14, 32), 127]) + b"<>*#~|\\_"
_WORDS = re.compile(r"\w+").findall
_SPREAD: Final = bytes(ord(c.lower()) if c.isalnum() or c == "_" else 32 for c in map(chr, range(128))).ljust(256)
_WORD = re.compile(r"\w").search


def plain(text: str) -> str:
    """Text in lower case and one form of quotes, dashes and spaces; no markup, no contractions ("can't": "cannot")."""
    return _plain(same(text))


def same(text: str) -> str:
    """Text with one form of quotes, dashes and spaces; every character keeps its place."""
    if text.isascii() and not any(map(text.__contains__, _OTHER_ASCII)):
        return text
    return _OTHER.sub(lambda m: _SAME[ord(m[0])], text)


def undecorated(sentence: str) -> bool:
    """Whether a sentence has neither markup nor signs that its words do not show."""
    return sentence.isascii() and len(sentence.encode().translate(None, _DECORATION)) == len(sentence)


def form(sentence: str) -> str:
    """The plain form of a sentence of an answer that was made ready."""
    text = _worded(sentence) if undecorated(sentence) else _plain(sentence)
    return text[: 3 * _PIECE]  # one character may become eighteen


def _plain(text: str) -> str:
    if not text.isascii() or _UNSEEN.search(text):
        text = same(unicodedata.normalize("NFKC", _MASKED.sub(CITED, _UNSEEN.sub("", text))))
    if _MARKS.search(text):
        text = _MARKUP.sub(lambda m: m[0] if m[0] == CITED else "", text)
    return _worded(text)


def _worded(text: str) -> str:
    """Undecorated text in lower case, without contractions and needless spaces."""
    text = text.casefold()
    if MASK in text:
        text = _MASKED.sub(CITED, text)
    worn = "im " in text or "ive " in text or "can not" in text or "gonna" in text
    if worn or ("nt" in text and any(map(text.__contains__, _NT))):
        text = _WORN_WORD.sub(lambda m: _WORN[m[0]], text)
    if "'" in text:
        for short, long in _IRREGULAR:
            text = text.replace(short, long)
        text = _ENDING.sub(lambda m: _ENDINGS[m[0]], text)
    if text.isprintable() and text.isascii() and "  " not in text:
        return text.strip(" ")
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
    quotes = [m.span() for m in _QUOTED.finditer(text)] if _may_quote(text) else []
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
            parts += [text[at:start], MASK * (end - start)]
            at = end
    return "".join(parts) + text[at:]


def _may_quote(text: str) -> bool:
    """Whether a quotation could begin somewhere; most apostrophes stand within words."""
    if '"' in text:
        return True
    return "'" in text and not all(before and before[-1].isalnum() for before in text.split("'")[:-1])


# -- lines, sentences, clauses -------------------------------------------------------------------
_ITEM = re.compile(
    r"[\s*_#>]{0,8}(?:[-*+\u2022\u25cf\u2023\u25aa]|\(?\d{1,3}[.):]|\(?[a-z][.)]|step \d{1,2}[:.]?)[*_]*\s+\S", re.I
)
_ITEM_MARK = re.compile(r"[\s*_#>]{0,8}(?:[-+\u2022\u25cf\u2023\u25aa]|\(?\d{1,3}[.):]|\(?[a-z][.)])(?=[*_]*\s)", re.I)
_INITIAL_I = re.compile(r"[\s*_#>]{0,8}[iI] ")
_SENTENCE_END = re.compile(r"[.!?](?<![.!?][.!?])[.!?]*+[\"')\]*_\u200b\ufffc]{0,6}(?=\s|$)")
_SHORT: Final = ("e.g.", "i.e.", " dr.", " mr.", " mrs.", " ms.", " vs.", " st.", " prof.", "u.s.")
_SHORTENED: Final = frozenset(short[-3:-1] for short in _SHORT)
_UNABLE = r"(?:and|so|therefore) (?:cannot|do not|will not|am not|am unable|must decline|have to decline)\b"
_BUT = r"(?=but (?!also\b|rather\b))"
_CLAUSE = re.compile(
    rf",(?: (?:(?=yet\b|however\b|(?:so|and) i (?:am|cannot|will|must|have|do)\b|{_UNABLE})|(?<!cannot help, )"
    rf"(?<!nothing, )(?<!anything, )(?<!\ball, ){_BUT})| - (?=\w))|; | (?:(?<=\w: )(?=\w)|(?={_UNABLE})|- (?=\w)"
    rf"|(?<!cannot help )(?<!nothing )(?<!anything )(?<!\ball ){_BUT})"
)
_JOINTS: Final = (", so i ", ", and i ", ", yet", ", however")
_BARE_DENIAL = re.compile(_UNABLE)
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


_Place = tuple[int, int, bool, int]


class Reading(NamedTuple):
    """An answer made ready: places in `text` are places in the answer.

    `text`: what is cited is masked; `letter`: where a letter's salutation ends, -1 without one; `sentences`: places of
    sentences and of blocks of code: start, end, whether it is code, and the number of its list item, 0 outside lists.
    """

    text: str
    letter: int
    sentences: Sequence[_Place]

    def clauses(self) -> Iterator[Clause]:
        """The clauses of the answer in order, and a block of code as one clause."""
        lists = max((item for *_, item in self.sentences), default=0) > 1
        for start, end, code, item in self.sentences:
            if code:
                yield Clause(CITED, start, end, code=True, cited=0 <= self.letter < start)
            else:
                yield from self.clauses_at(start, end, item if lists else 0)

    def clauses_at(self, start: int, end: int, item: int = 0) -> list[Clause]:
        """The clauses of the sentence at a place of the answer."""
        letter = 0 <= self.letter < start
        return [
            Clause(part, start, end, words, item, False, cited or letter, question, colon)
            for part, words, cited, question, colon in said(self.text[start:end])
        ]


def reading(text: str) -> Reading:
    """Make an answer ready to be read in clauses; it is in one form of quotes and spaces, as `same` gives it."""
    begin = 0
    if "<" in text and (thought := _THOUGHT.match(text)) and (close := text.find(f"</{thought[1]}>")) >= 0:
        begin = close + len(thought[1]) + 3
    masked = _masked(text)
    letter = _SALUTATION.search(masked, begin) if _greets(masked) else None
    if letter and letter[1] and not _SIGNED.search(masked, letter.end()):
        letter = None  # the speaker greets the user
    return Reading(masked, letter.end() if letter else -1, _places(masked, begin))


def _greets(text: str) -> bool:
    """Whether a line could begin with a salutation; False is certain."""
    return any(line.lstrip(" *_")[:8].casefold().startswith(_GREETS) for line in text.split("\n"))


@lru_cache(maxsize=8192)  # assistants repeat themselves
def said(raw: str) -> tuple[tuple[str, int, bool, bool, bool], ...]:
    """Of each clause of a sentence as it stands: `text`, `words`, `cited`, `question` and `colon` of a `Clause`."""
    sentence = form(raw)
    question = "?" in sentence and sentence.rstrip("\"') ").endswith("?")
    parts = _parts(sentence)
    last = len(parts) - 1
    out = []
    cited = False
    for n, part in enumerate(parts):
        if n and (before := parts[n - 1]).endswith(":") and _CITES.search(before) and not _SELF.search(before):
            cited = True
        quoted = cited or (CITED in part and part.strip(" .,!:-") == CITED)
        out.append((part, part.count(" ") + 1, quoted, question and n == last, n == last and part.endswith(":")))
    return tuple(out)


def words(text: str, without: bytes = b"") -> list[str]:
    """The words of a text in lower case; of a text in ASCII, `without` some signs that then part no words."""
    if text.isascii():  # as bytes, since these have a table for every sign
        return text.encode().translate(_SPREAD, without).decode().split()
    return _WORDS(text.casefold())


def stems(text: str) -> frozenset[str]:
    """The words of a text in lower case, by their first four letters."""
    return frozenset([word[:4] for word in words(text)])


def _places(text: str, begin: int) -> list[_Place]:
    out: list[_Place] = []
    items = 0
    for start, end, code in _blocks(text, begin):
        if code:
            out.append((start, end, True, 0))
        elif _is_item(text, start, end):
            items += 1
            mark = _ITEM_MARK.match(text, start, end)
            _sentences(text, mark.end() if mark else start, end, items, out)
        else:
            _sentences(text, start, end, 0, out)
    return out


def _blocks(text: str, begin: int) -> list[tuple[int, int, bool]]:
    """Places of lines (wrapped ones joined) and of fenced code; a fence around the whole answer is no code."""
    if "'''" not in text and "~~~" not in text:
        return _lines(text, begin, len(text))
    fences = list(_FENCE.finditer(text, begin))
    if len(fences) >= 2 and not (text[begin : fences[0].start()] + text[fences[-1].end() :]).strip():
        fences = fences if len(fences) > 2 or len(text) > 600 else []
    out: list[tuple[int, int, bool]] = []
    at = begin
    for opening, closing in zip(fences[::2], [*fences[1::2], None], strict=False):
        out += _lines(text, at, opening.start())
        at = closing.end() if closing else len(text)
        out.append((opening.start(), at, True))
    return out + _lines(text, at, len(text))


def _lines(text: str, begin: int, end: int) -> list[tuple[int, int, bool]]:
    out: list[tuple[int, int, bool]] = []
    start = begin
    here = text.find("\n", begin, end)
    while here >= 0:
        after = here + 1
        while after < end and text[after] == "\n":
            after += 1
        within = after - here == 1 and text[after : after + 1].islower() and text[here - 1 : here] not in ".!?:"
        if not within:  # a sentence that is wrapped
            if text[start:here].strip():
                out.append((start, here, False))
            start = after
        here = text.find("\n", after, end)
    if text[start:end].strip():
        out.append((start, end, False))
    return out


def _is_item(text: str, start: int, end: int) -> bool:
    return _ITEM.match(text, start, end) is not None and not _INITIAL_I.match(text, start, end)


def _parts(sentence: str) -> list[str]:
    """The clauses of a sentence; what follows "although ...," turns round like what follows "but"."""
    if turn := _CONCESSION.match(sentence):
        sentence = f"{sentence[: turn.end() - 2]}; but {sentence[turn.end() :]}"
    if not _is_joint(sentence):
        return [sentence] if _WORD(sentence) else []
    out: list[str] = []
    for part in _CLAUSE.split(sentence):
        if out and (elided := _ELIDED.match(part)):  # "I see, but cannot": whoever spoke before
            subject = "i" if _FIRST_PERSON.search(out[-1]) else "it"
            part = f"{elided[0]}{subject} {part[elided.end() :]}"
        if _WORD(part):
            out.append(part)
    return out


def _is_joint(sentence: str) -> bool:
    """Whether a sentence could have two clauses; False is certain."""
    if "but " in sentence or "; " in sentence or "- " in sentence or ": " in sentence:
        return True
    if ", " in sentence and any(map(sentence.__contains__, _JOINTS)):
        return True
    denies = " not" in sentence or " cannot" in sentence or " unable" in sentence or " decline" in sentence
    return denies and _BARE_DENIAL.search(sentence) is not None


def _sentences(text: str, start: int, end: int, item: int, out: list[_Place]) -> None:
    """Add the places of the sentences of a line to `out`."""
    at = start
    for m in _SENTENCE_END.finditer(text, start, end):
        stop, after = m.span()
        if text[stop - 2 : stop].lower() in _SHORTENED and _is_short(text, at, stop):
            continue
        if after - at <= _PIECE:
            out.append((at, after, False, item))
        else:
            out += [(a, b, False, item) for a, b in _pieces(text, at, after)]
        at = after
    if at < end:
        out += [(a, b, False, item) for a, b in _pieces(text, at, end)]


def _is_short(text: str, at: int, stop: int) -> bool:
    """Whether a full stop ends a shortened word, in a sentence that begins at `at`."""
    return text[stop] == "." and (" " + text[max(at, stop - 5) : stop + 1].lower()).endswith(_SHORT)


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    while end - start > _PIECE:
        cut = text.rfind(" ", start, start + _PIECE)
        cut = cut if cut > start else start + _PIECE
        out.append((start, cut))
        start = cut
    if text[start:end].strip():
        out.append((start, end))
    return out
