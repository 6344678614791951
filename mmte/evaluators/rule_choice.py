"""Reads the choice among lettered options, strictly: a letter where it stands as an answer, or an option's text.

1. A letter counts as the whole reply ("B", "(b)", "**B.**"), at the start of a line ("B. Paris", "B: Paris"), after a
   cue ("The answer is B", "option C", "I choose (d)"), before a verdict ("B is correct"), or in brackets ("(B)"). The
   words "a" and "I" are no letters: "A dog", "The answer is a dog".
2. Without any letter, the text of exactly one option counts, said and not denied, as whole words.
3. Letters that differ, a letter beside another option's text ("B. London", where B is Paris), a denied letter, one
   that is no option, letters joined to others ("A or B") and the options in a row make an answer UNPARSED.

The forms are those that multiple-choice benchmarks ask for, e.g. MMLU (Hendrycks et al. 2021, arXiv:2009.03300).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from mmte.errors import MmteError
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.reading import Options, label_error, plain, stance, text_of
from mmte.registry import registry
from mmte.types import UNPARSED

LETTERS: Final = string.ascii_uppercase
_MOST: Final = len(LETTERS)

_BARE = re.compile(r"\s{0,9}[(\[]?([A-Za-z])[)\].]{0,2}\s{0,9}")
_NOUN = r"(?:answer|option|choice|response|selection|letter|pick|solution|conclusion)"
_VERB = r"(?:choose|chose|select|selected|pick|picked|answer|say|go with|going with|opt for|prefer|guess|lean towards?)"
_COPULA = r"(?:is|was|be|would be|will be|should be|must be|=)"
_ADVERB = r"(?:therefore|thus|clearly|probably|likely|definitely|indeed|most likely|simply|hence|then|actually)"
_CUE = re.compile(
    rf"(?:\b{_NOUN}\b(?: (?:here|to (?:this|the) question))?,?[ ]?(?:{_COPULA}\b)?(?: {_ADVERB},?)?"
    rf"(?: (?:the |an? )?(?:{_NOUN}|letter))?"
    rf"|\b(?:i|i'd|i'll|i would|i will|we)(?: {_ADVERB}| would| will| must| have to)? {_VERB}\b(?: (?:the )?{_NOUN})?"
    rf"|\b(?:it|that|this)(?:'s| {_COPULA})(?: {_ADVERB})?(?: {_NOUN})?|\bso|\bhence|\btherefore|\bthus)"
    r"[ ,:;=>\n-]{0,6}$",
    re.I,
)
_LETTER = re.compile(
    r"(?<![^\W_])(?<!\w')(?<!\w-)(?:(?P<wrap>[(<]) ?(?P<in>[A-Za-z]) ?[)>]|(?P<out>[A-Za-z]))(?![^\W_]|'\w)"
)
_LINE_START = re.compile(r"(?:^|\n)[ \t>#-]{0,6}$")
_MARK = re.compile(r"[.):](?=\s|$)| ?[-\u2013\u2014:] ")
_CLOSE = re.compile(r"\s*(?:$|[.,;:!)\n\u2014]| - |(?:because|since|as|and|or|but|is|was|\()\b)|[.)]")
_LINE_CLOSE = re.compile(r"[ \t]*(?:\n|$|[,;!])")
_LOWER_CLOSE = re.compile(r"\s*(?:$|[.,;:!)\n])")
_VERDICT = re.compile(
    r"[.)]? (?:is|was|would be|seems?|must be|appears to be) (?:(?:the|my|most|best|clearly|definitely|probably) ){0,3}"
    r"(?:correct|right|best|answer|choice|true|appropriate|accurate)\b"
)
_WRONG = re.compile(
    r"[.)]?(?: is| was)?(?:n't| not\b)"
    r"|[.)]? (?:is|was|are|seems?) (?:wrong|incorrect|false|not|out|ruled out|eliminated)\b"
)
_JOINED = re.compile(r"[\s,;/&+)(.]{0,4}(?:\b(?:and|or|nor|to)\b|/|&|,)?[\s,(/&]{0,3}(?:option |choice |answer )?")
_IN_A_ROW = re.compile(r"(?<!\S)([A-Z])[.)](?=\s+\S)")


class Choices:
    """A reader of choices.

    Args:
        count: how many options there are, at most 26.
        texts: the texts of the options, in their order; none: letters only.
    """

    def __init__(self, count: int = _MOST, texts: Sequence[str] = ()) -> None:
        self.count = len(texts) or count
        worded = {text: n for n, text in enumerate(texts) if re.search(r"[^\W_]", text)}
        self._texts = Options(worded)

    def read(self, text: str) -> int | None:
        """The place of the chosen option, from 0; None: there is not exactly one."""
        if bare := _BARE.fullmatch(text):
            return self._place(bare[1])
        form = plain(text, fold=False).replace("$", " ")
        if bare := _BARE.fullmatch(form):
            return self._place(bare[1])
        chosen: set[int] = set()
        for place in self._letters(form):
            if place is None:
                return None
            chosen.add(place)
        if not chosen:
            only = self._texts.named(self._texts.form(text)).only
            return only if isinstance(only, int) else None
        return chosen.pop() if len(chosen) == 1 else None

    def _place(self, letter: str) -> int | None:
        place = LETTERS.index(letter.upper())
        return place if place < self.count else None

    def _letters(self, text: str) -> Iterator[int | None]:
        """The places of letters that stand as answers; None for what makes the answer unreadable."""
        last_end = -1
        row = 0
        for m in _LETTER.finditer(text):
            letter, start, end = m["in"] or m["out"], m.start(), m.end()
            joined = last_end >= 0 and start - last_end <= 16 and _JOINED.fullmatch(text, last_end, start) is not None
            if letter == LETTERS[row % _MOST] and _IN_A_ROW.match(text, start):
                row += 1
                if row > 1:
                    yield None
            if not self._stands(text, m, letter) and not (joined and self._may_join(text, m)):
                continue
            last_end = end
            if _WRONG.match(text, end):
                continue
            if stance(text, start, end) != "said":
                yield None
                continue
            place = self._place(letter)
            yield place if place is None or self._fits(text, end, place) else None

    def _stands(self, text: str, m: re.Match[str], letter: str) -> bool:
        start, end = m.start(), m.end()
        leads = _LINE_START.search(text[max(0, start - 8) : start]) is not None
        if m["wrap"]:
            return letter.isupper() or leads or self._cued(text, m)
        if leads and _MARK.match(text, end):
            return True
        if leads and letter.isupper() and _LINE_CLOSE.match(text, end):
            return True
        if letter.isupper() and (_VERDICT.match(text, end) or (_WRONG.match(text, end) and letter != "I")):
            return True
        close = _LOWER_CLOSE if letter in "ai" else _CLOSE
        return close.match(text, end) is not None and self._cued(text, m)

    def _cued(self, text: str, m: re.Match[str]) -> bool:
        return _CUE.search(text[max(0, m.start() - 80) : m.start()]) is not None

    def _may_join(self, text: str, m: re.Match[str]) -> bool:
        return m["wrap"] is not None or (m["out"].isupper() and _CLOSE.match(text, m.end()) is not None)

    def _fits(self, text: str, end: int, place: int) -> bool:
        """Whether what stands right behind a letter is not the text of another option."""
        after = self._texts.form(text[end : end + 200]).lstrip(" .,:;)-\u2014\n>")
        said = self._texts.meaning_at(after, 0)
        return said is None or said == place


@lru_cache(maxsize=4096)
def _reader(count: int, texts: tuple[str, ...]) -> Choices:
    return Choices(count, texts)


@registry.register_evaluator()
class ChoiceEvaluator(BaseEvaluator):
    """The place of the chosen option (0.0 for A, 1.0 for B, ...), UNPARSED where there is not exactly one reading.

    Labels become places too, so that `accuracy_score` and the metrics by class work. A label is a letter, a place
    from 0, or the text of an option; None stays (a preference has no right answer).

    An answer that was cut at max_new_tokens is read too: where a letter is asked for it mostly comes first,
    and naming another one beside it makes it unparsed.

    Args:
        evaluator_id: `rule_choice_eval`.
        metrics_cfg: see `BaseEvaluator`.
        options: how many options there are, or their texts in their order; a sample's `extra["options"]` (either
            form) goes before it. Without both, any letter is an option.

    Raises:
        MmteError: options of another form, or a label that is no option.
    """

    evaluator_ids = ("rule_choice_eval",)
    version = 1
    chunk = 1024
    reads_cut = True

    def __init__(
        self,
        evaluator_id: str,
        metrics_cfg: Mapping[str, Any] | None = None,
        options: int | Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(evaluator_id, metrics_cfg, **kwargs)
        self._options = _checked(options, f"evaluator '{evaluator_id}'")

    def process(self, preds: Sequence[Any], labels: Any = None, extras: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """Answers to places of options, labels too."""
        values, places = [], []
        for row, pred in enumerate(preds):
            options = self._options
            extra = None if extras is None else extras[row]
            if isinstance(extra, Mapping) and extra.get("options") is not None:
                where = f"evaluator '{self.evaluator_id}', sample {row + 1} of this batch"
                options = _checked(extra["options"], where)
            text = text_of(pred)
            place = None if text is None else _reader(*options).read(text)
            values.append(UNPARSED if place is None else float(place))
            places.append(None if labels is None else self._label(labels[row], row, options))
        return values, places if labels is not None else None, extras

    def _label(self, label: Any, row: int, options: tuple[int, tuple[str, ...]]) -> float | None:
        if label is None:
            return None
        count, texts = options
        place: int | None = None
        if isinstance(label, str):
            if label in texts:
                place = texts.index(label)
            elif letter := re.fullmatch(r"\s*\(?([A-Za-z])[).]?\s*", label):
                place = LETTERS.index(letter[1].upper())
        elif isinstance(label, (int, float)) and not isinstance(label, bool) and float(label).is_integer():
            place = int(label)
        if place is None or not 0 <= place < count:
            raise label_error(self.evaluator_id, row, label, f"a letter from A to {LETTERS[count - 1]}, or its place")
        return float(place)


def _checked(options: Any, where: str) -> tuple[int, tuple[str, ...]]:
    """The number of options and their texts."""
    if options is None:
        return _MOST, ()
    if isinstance(options, int) and not isinstance(options, bool) and 2 <= options <= _MOST:
        return options, ()
    if isinstance(options, (list, tuple)) and 2 <= len(options) <= _MOST and all(isinstance(t, str) for t in options):
        return len(options), tuple(options)
    raise MmteError(f"{where}: options must be 2 to {_MOST} texts, or their number, not {options!r:.60}")
