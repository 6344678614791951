"""Text in pictures: PP-OCRv4 as the package rapidocr-onnxruntime ships it, on one CPU thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import atan2, cos, sin
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mmte.errors import MissingExtra, MmteError
from mmte.models.images import open_rgb
from mmte.models.store import file_sha256
from mmte.models.text import one_line, storable

if TYPE_CHECKING:
    import numpy as np

READING: Final = 1
"""Part of the identity: to be raised when this module reads the same picture differently."""

_PACKAGE, _MODULE = "rapidocr-onnxruntime", "rapidocr_onnxruntime"
_SPACE, _SPACE_BEFORE_STOP = 0.01, 0.5  # probability from which there is a space between two characters
_CROP = 100  # pixels of height up to which a picture may be one line and nothing else
_LEAST, _SURE = 0.6, 0.9  # mean probability of its letters from which such a line may be, and is, the text
_SIDE, _SLIM = 100, 8  # least side, and most sides to one, of a picture that is searched without a margin


class Word(NamedTuple):
    """A piece of a line: its middle, size (pixels) and slope (radians) in the picture, and its text."""

    x: float
    y: float
    width: float
    height: float
    slope: float
    text: str


@cache
def identity() -> Mapping[str, Any]:
    """What decides what is read: versions, and the sha256 of the network files. Imports and loads nothing.

    Raises:
        MissingExtra: rapidocr-onnxruntime is not installed.
    """
    found = find_spec(_MODULE)
    if found is None or found.origin is None:
        raise MissingExtra("an ocr: model", "ocr", _PACKAGE)
    folder = Path(found.origin).parent
    files = [folder / "config.yaml", *sorted((folder / "models").glob("*.onnx"))]
    return {
        "engine": {name: _version(name) for name in (_PACKAGE, "onnxruntime", "opencv-python")},
        "files": {file.name: file_sha256(file) for file in files if file.is_file()},
        "reading": READING,
    }


class Engine:
    """One reader of pictures; not for several threads at a time.

    A thread for each operation of the networks is the least work for a picture; several engines side by
    side use several CPUs (docs/performance.md).

    Raises:
        MissingExtra: rapidocr-onnxruntime is not installed.
        MmteError: it cannot be loaded.
    """

    def __init__(self) -> None:
        identity()
        try:
            from rapidocr_onnxruntime import RapidOCR  # type: ignore[import-untyped]

            self._ocr = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)
            recogniser = self._ocr.text_rec
            recogniser.postprocess_op = _Decoder(recogniser.postprocess_op.character)
        except Exception as error:  # of three packages with native parts: a library or a file that is not there
            raise MmteError(f"OCR cannot be loaded: {type(error).__name__}: {one_line(str(error))}") from error

    def read(self, path: str) -> str:
        """The text in an image file, line by line from top to bottom; empty when there is none.

        Raises:
            BadImage: the file cannot be opened as an image.
        """
        import numpy as np

        picture = np.ascontiguousarray(np.asarray(open_rgb(path))[:, :, ::-1])
        line, sure = self._as_line(picture)
        if sure < _SURE:
            found, score = self._found(picture)
            if sure < max(score, _LEAST):
                return storable("\n".join(lines(found)))
        return storable(line)

    def _as_line(self, picture: np.ndarray) -> tuple[str, float]:
        """A small crop read as one line, since text that fills its picture is often not found; else nothing."""
        height, width = picture.shape[:2]
        if height > _CROP or width < 1.5 * height:
            return "", 0.0
        result, _ = self._ocr(picture, use_det=False, use_cls=False)
        text, sure = result[0] if result else ("", 0.0)
        return (text, sure) if len(text) > 1 else ("", 0.0)

    def _found(self, picture: np.ndarray) -> tuple[list[Word], float]:
        """The words in a picture, and the mean probability of their letters."""
        import numpy as np

        # Small and slim pictures would be enlarged up to a hundred times: slow, and letters of that size are not found.
        height, width = picture.shape[:2]
        more = [
            max(0, _SIDE - side, other // 4 - side if other > _SLIM * side else 0)
            for side, other in ((height, width), (width, height))
        ]
        picture = np.pad(picture, (*((n // 2, n - n // 2) for n in more), (0, 0)), mode="edge")
        result, _ = self._ocr(picture)
        pieces = [(box, text.strip(), score) for box, text, score in result or () if text.strip()]
        words = [_word(box, text) for box, text, _ in pieces]
        return words, sum(score for *_, score in pieces) / len(pieces) if pieces else 0.0


class _Decoder:
    """Reads a line off the recogniser's output as rapidocr does, but with the spaces between words.

    PP-OCRv4 seldom prefers a space to "nothing here", and words come out glued; yet it gives the space
    a far higher probability between words than within them.
    """

    def __init__(self, characters: Sequence[str]) -> None:
        self._characters, self._space = characters, list(characters).index(" ")

    def __call__(self, outputs: Any, *_: Any, **__: Any) -> list[tuple[str, float]]:
        """(text, mean probability of its letters) of each line; `outputs` is lines x columns x characters."""
        return [self._line(output) for output in outputs]

    def _line(self, output: np.ndarray) -> tuple[str, float]:
        import numpy as np

        best = output.argmax(axis=1)
        starts = np.append(True, best[1:] != best[:-1]) & (best != 0) & (best != self._space)
        places = np.flatnonzero(starts)
        if not places.size:
            return "", 0.0
        text = [self._characters[best[places[0]]]]
        for before, place in zip(places, places[1:], strict=False):
            character = self._characters[best[place]]
            least = _SPACE_BEFORE_STOP if character in ",.;:!?" else _SPACE
            if output[before + 1 : place, self._space].max(initial=0.0) > least:
                text.append(" ")
            text.append(character)
        return "".join(text), float(output[places, best[places]].mean())


def lines(words: Sequence[Word]) -> list[str]:
    """The words as lines from top to bottom, each from left to right; a page that is askew is turned first.

    Two words share a line when their middles are closer than half the height of the lower one.
    """
    slopes = [word.slope for word in words if word.width > 2 * word.height]
    turn = -median(slopes) if slopes else 0.0
    across, down = cos(turn), sin(turn)
    placed = sorted((w.x * down + w.y * across, w.x * across - w.y * down, w) for w in words)
    rows: list[list[tuple[float, float, Word]]] = []
    for piece in placed:
        y, _, word = piece
        row = rows[-1] if rows else None
        if row and abs(y - row[-1][0]) < 0.5 * min(word.height, row[-1][2].height):
            row.append(piece)
        else:
            rows.append([piece])
    return [" ".join(word.text for _, _, word in sorted(row, key=lambda piece: piece[1])) for row in rows]


def _word(box: Sequence[Sequence[float]], text: str) -> Word:
    """From four corners, clockwise from the upper left."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = box
    right, down = ((bx + cx - ax - dx) / 2, (by + cy - ay - dy) / 2), ((cx + dx - ax - bx) / 2, (cy + dy - ay - by) / 2)
    width, height = (right[0] ** 2 + right[1] ** 2) ** 0.5, (down[0] ** 2 + down[1] ** 2) ** 0.5
    return Word((ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4, width, height, atan2(right[1], right[0]), text)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
