"""Where the lines of a text break."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

Measure = Callable[[str], float]


def wrap(text: str, width: float, measure: Measure) -> list[str]:
    """The lines of a text, none wider than `width` unless a single character is.

    Lines of the text stay lines, empty ones between others too; other white space becomes one space. A line
    breaks before the word that does not fit; a word wider than a line starts on one of its own and breaks
    between characters.

    Args:
        text: any text.
        width: in the unit of `measure`.
        measure: the width of a piece of one line.
    """
    lines: list[str] = []
    for paragraph in text.strip().splitlines():
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if measure(longer) <= width:
                line = longer
                continue
            if line:
                lines.append(line)
            *full, line = _pieces(word, width, measure)
            lines += full
        lines.append(line)
    return lines


def _pieces(word: str, width: float, measure: Measure) -> Iterator[str]:
    piece = ""
    for character in _characters(word):
        if piece and measure(piece + character) > width:
            yield piece
            piece = ""
        piece += character
    yield piece


def _characters(word: str) -> Iterator[str]:
    """The characters of a word, each with the marks and joiners that follow it."""
    whole = ""
    for character in word:
        if whole and unicodedata.category(character) not in ("Mn", "Mc", "Me", "Cf"):
            yield whole
            whole = ""
        whole += character
    yield whole
