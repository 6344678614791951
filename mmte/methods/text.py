"""The question in words, slightly wrong: typing mistakes, letter case, spaces, look-alike letters, emoji."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from mmte.errors import MmteError, near
from mmte.methods.base import BaseMethod
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

KEEP: Final = ("answer", "choose", "nothing", "reply", "respond", "response", "yes")
OPTIONS: Final = ("strength", "keep", "img_dir", "lazy_mode")
SHORTEST: Final = 3
"""Words of fewer letters stay: labels of options, `no`, and words that a change would turn into others."""

_WORD = re.compile(rf"[^\W\d_]{{{SHORTEST},}}")
_SENTENCE = re.compile(r".+?(?:[.!?]+(?=\s)|$)", re.DOTALL)
_OPTION = re.compile(r"\s*[(\[]?(?:[A-Za-z]|\d{1,2})[.):\]]\s")
_NOT_PROSE = re.compile(r"<[^<>\s]*>|\{[^{}]*\}|\[[^\[\]]*\]|`[^`]*`|\b[a-z]+://\S+|\S+@\S+")
_KEYS: Final = {
    key: row[max(0, i - 1) : i] + row[i + 1 : i + 2]
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for i, key in enumerate(row)
}
_LOOKALIKES: Final = str.maketrans("aceijopsxyABCEHIJKMOPSTXY", "асеіјорѕхуАВСЕНІЈКМОРЅТХУ")  # Latin to Cyrillic
_EMOJI: Final = ("🙂", "👍", "🎉", "🌟", "🔥", "🍀", "🐱", "🌈")


class Dice(random.Random):
    """Numbers of a seed. Only `random()` is used: of all generators here its numbers alone are promised to stay."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self.random() * n)


@registry.register_method()
class PerturbedText(BaseMethod):
    """The sample with changes in its text that a reader sees through; the picture, if any, stays.

    Of the words of three and more letters the part `strength` is changed, the same ones by every model and run;
    the words changed at a lower strength are among those of a higher one. So that the form of the answer stays
    clear, these are left as they are: a sentence with a word of `keep` (`Answer with yes or no.`), a line that is an
    option (`A. a cat`), words in brackets, braces, tags or back quotes, and addresses. What the evaluator compares
    with is not changed.

    Sources: Belinkov & Bisk 2018, Synthetic and natural noise (arXiv:1711.02173), for typing mistakes; Zhu et al.
    2023, PromptBench (arXiv:2306.04528); Boucher et al. 2022, Bad characters (arXiv:2106.09898), for look-alikes.

    Args:
        strength: part of the words, from 0 to 1.
        keep: words; a sentence with one of them stays. An empty list: every sentence may change.
        img_dir: not used.
        lazy_mode: not used.

    Raises:
        MmteError: an unknown or wrong option, or `run` was given no sample.
    """

    method_ids: ClassVar[Sequence[str]] = (
        "perturb-typos", "perturb-case", "perturb-spaces", "perturb-homoglyphs", "perturb-emoji"
    )  # fmt: skip
    version: ClassVar[int] = 1
    """Raised whenever the same settings and seed give another text."""

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        strength: float = 0.3,
        keep: Sequence[str] = KEEP,
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, "", lazy_mode)
        if unknown:
            option = next(iter(unknown))
            raise self._wrong(f"unknown option '{option}'.{near(option, OPTIONS)}")
        if isinstance(strength, bool) or not isinstance(strength, (int, float)) or not 0 <= strength <= 1:
            raise self._wrong(f"strength must be a number from 0 to 1, not {strength!r}")
        if isinstance(keep, str) or not isinstance(keep, Sequence) or not all(isinstance(w, str) and w for w in keep):
            raise self._wrong(f"keep must be a list of words, not {keep!r}")
        self.strength, self.keep = float(strength), sorted({word.casefold() for word in keep})
        any_of = "|".join(map(re.escape, self.keep))
        self._kept = re.compile(rf"(?<!\w)(?:{any_of})(?!\w)") if self.keep else None
        self._change = _CHANGES[method_id]

    def run(self, data: Any) -> Any:
        """The sample with its changed text; all else stays as it is.

        Raises:
            MmteError: `data` is no sample of one text.
        """
        if not isinstance(data, (TxtSample, ImageTxtSample)) or not isinstance(data.text, str):
            raise MmteError(f"{self.method_id} takes a TxtSample or ImageTxtSample of one text, not {data!r:.60}")
        return replace(data, text=self.changed(data.text, data.id or data.text))

    def changed(self, text: str, seed: str) -> str:
        """A text after the method; the seed decides what is changed, and how."""
        words = list(self._open(text))
        start = f"{self.method_id}\0{seed}\0".encode("utf-8", "surrogatepass")
        dice = [Dice(start + str(i).encode()) for i in range(len(words))]
        order = sorted((drawn.random(), i) for i, drawn in enumerate(dice))
        chosen = [i for _, i in order[: math.ceil(self.strength * len(words) - 1e-9)]]
        for i in sorted(chosen, reverse=True):
            begin, end = words[i]
            text = text[:begin] + self._change(text[begin:end], dice[i]) + text[end:]
        return text

    def digest(self) -> str:
        """The method's part of a result's identity."""
        told = "\0".join([self.method_id, str(self.version), repr(self.strength), *self.keep])
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def _open(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the words that may change begin and end."""
        at = 0
        for line in text.splitlines(keepends=True):
            for part in () if _OPTION.match(line) else _SENTENCE.finditer(line):
                if self._kept and self._kept.search(part[0].casefold()):
                    continue
                closed = [m.span() for m in _NOT_PROSE.finditer(part[0])]
                for word in _WORD.finditer(part[0]):
                    if not any(start < word.end() and word.start() < end for start, end in closed):
                        yield at + part.start() + word.start(), at + part.start() + word.end()
            at += len(line)

    def _wrong(self, what: str) -> MmteError:
        return MmteError(f"method_cfg of {self.method_id}: {what}")


def _typo(word: str, dice: Dice) -> str:
    """Two letters swapped, one left out, one doubled, or one of the next key; the first letter stays."""
    i, kind = 1 + dice.below(len(word) - 1), dice.below(4)
    if kind == 0 and i + 1 < len(word) and word[i] != word[i + 1]:
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if kind == 1:
        return word[:i] + word[i + 1 :]
    keys = _KEYS.get(word[i].lower(), "")
    if kind == 2 and keys:
        key = keys[dice.below(len(keys))]
        return word[:i] + (key.upper() if word[i].isupper() else key) + word[i + 1 :]
    return word[: i + 1] + word[i:]


def _case(word: str, dice: Dice) -> str:
    """Each letter large or small by chance; at least one is not as it was."""
    one = dice.below(len(word))
    return "".join(c.swapcase() if i == one or dice.random() < 0.5 else c for i, c in enumerate(word))


def _space(word: str, dice: Dice) -> str:
    """A space within the word."""
    i = 1 + dice.below(len(word) - 1)
    return f"{word[:i]} {word[i:]}"


def _lookalike(word: str, dice: Dice) -> str:
    """Latin letters replaced by Cyrillic ones of the same look; a word without such letters stays."""
    return word.translate(_LOOKALIKES)


def _emoji(word: str, dice: Dice) -> str:
    """An emoji after the word."""
    return f"{word} {_EMOJI[dice.below(len(_EMOJI))]}"


_CHANGES: Final[dict[str, Callable[[str, Dice], str]]] = {
    "perturb-typos": _typo,
    "perturb-case": _case,
    "perturb-spaces": _space,
    "perturb-homoglyphs": _lookalike,
    "perturb-emoji": _emoji,
}
