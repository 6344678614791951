"""Words written over the sample's own picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from mmte.errors import MmteError, near
from mmte.methods.edited import EditedPicture
from mmte.methods.lettering import Lettering
from mmte.methods.wrap import wrap
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image

PLACES: Final = {
    "top-left": (0.0, 0.0), "top": (0.5, 0.0), "top-right": (1.0, 0.0),
    "left": (0.0, 0.5), "center": (0.5, 0.5), "right": (1.0, 0.5),
    "bottom-left": (0.0, 1.0), "bottom": (0.5, 1.0), "bottom-right": (1.0, 1.0),
}  # fmt: skip
SMALLEST: Final = 8


class _Note(NamedTuple):
    """Lines of words with the size of their letters, their note and the way from line to line; in pixels."""

    letters: int
    lines: list[str]
    width: int
    height: int
    step: int


@registry.register_method()
class TypographicOverlay(EditedPicture):
    """A white note with words in black, laid on the picture: will a model read it instead of looking?

    Sources: the typographic attack of Goh et al. 2021, Multimodal neurons in artificial neural networks
    (Distill, doi 10.23915/distill.00030); notes on photographs as in SCAM (Westerhoff et al. 2025, arXiv:2504.04893).

    Args:
        text: the words, the same for all samples.
        field: instead of `text`: `target`, or a key of the sample's `extra`, which holds the words.
        position: top-left, top, top-right, left, center, right, bottom-left, bottom or bottom-right.
        size: height of the letters, as a part of the picture's shorter side; smaller, down to 8 pixels, where
            the words would not fit.
        font: a TrueType or OpenType file; default: Pillow's own font, for English (see `Lettering`).

    Raises:
        MmteError: see `EditedPicture`; both or neither of `text` and `field`, a wrong option, a sample without the
            field, words that do not fit, or letters that the font lacks.
    """

    method_ids: ClassVar[Sequence[str]] = ("typographic-overlay",)

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        text: str = "",
        field: str = "",
        position: str = "bottom",
        size: float = 0.12,
        font: str | Path = "",
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        for name, value in (("text", text), ("field", field), ("position", position)):
            if not isinstance(value, str):
                raise self.wrong(f"{name} must be a text, not {value!r}")
        if bool(text.strip()) == bool(field):
            raise self.wrong("give the words as text, or field: target or a key of extra")
        if position not in PLACES:
            raise self.wrong(f"position {position!r} is not known.{near(position, PLACES)}")
        if isinstance(size, bool) or not isinstance(size, (int, float)) or not 0.01 <= size <= 1:
            raise self.wrong(f"size must be a part of the picture's shorter side from 0.01 to 1, not {size!r}")
        self.text, self.field, self.position, self.size = text, field, position, float(size)
        try:
            self.lettering = Lettering(font or "")
        except MmteError as error:
            raise self.wrong(str(error)) from None

    def settings(self) -> Mapping[str, Any]:
        """All options."""
        return {
            "text": self.text, "field": self.field, "position": self.position, "size": self.size,
            "font": self.lettering.key(),
        }  # fmt: skip

    def seed(self, data: TxtSample | ImageTxtSample) -> str:
        """The words.

        Raises:
            MmteError: the sample does not have them.
        """
        if self.text:
            return self.text
        extra = data.extra if isinstance(data.extra, Mapping) else {}
        found = data.target if self.field == "target" else extra.get(self.field)
        if isinstance(found, bool) or not isinstance(found, (str, int, float)) or not str(found).strip():
            holds = "its target" if self.field == "target" else f"'{self.field}' of its extra"
            hint = "" if self.field == "target" else near(self.field, ("target", *map(str, extra)))
            raise MmteError(f"{self.method_id}: sample '{data.id}': {holds} is no words but {found!r:.60}.{hint}")
        return str(found)

    def edit(self, image: Image, data: ImageTxtSample, seed: str) -> Image:
        """The picture with its note."""
        from PIL import ImageDraw

        note = self._fitted(self._shown(seed), image.size)
        across, down = PLACES[self.position]
        left, top = round(across * (image.width - note.width)), round(down * (image.height - note.height))
        made = image.copy()
        canvas = ImageDraw.Draw(made)
        canvas.rectangle((left, top, left + note.width - 1, top + note.height - 1), fill="white")
        font, margin = self.lettering.size(note.letters), math.ceil(note.letters / 4)
        for number, line in enumerate(note.lines):
            canvas.text((left + margin, top + margin + number * note.step), line, fill="black", font=font)
        return made

    def _shown(self, words: str) -> str:
        try:
            found = self.lettering.shown(words)
        except MmteError as error:
            raise MmteError(f"{self.method_id}: {error}") from None
        if not found.strip():
            raise MmteError(f"{self.method_id}: no character of {words!r:.40} can be drawn")
        return found

    def _fitted(self, words: str, room: tuple[int, int]) -> _Note:
        """A note with letters as large as asked for, or as large as fit."""
        for letters in range(max(SMALLEST, round(self.size * min(room))), SMALLEST - 1, -1):
            font, margin = self.lettering.size(letters), math.ceil(letters / 4)
            lines = wrap(words, room[0] - 2 * margin, font.getlength)
            step = max(math.ceil(letters * 1.1), sum(font.getmetrics()))
            widest = max(max(font.getlength(line), font.getbbox(line)[2]) for line in lines if line)
            note = _Note(letters, lines, math.ceil(widest) + 2 * margin, len(lines) * step + 2 * margin, step)
            if note.width <= room[0] and note.height <= room[1]:
                return note
        raise MmteError(
            f"{self.method_id}: words of {len(words)} characters do not fit on a picture of {room[1]}x{room[0]} pixels "
            f"with letters of {SMALLEST} pixels; give fewer words or a larger picture"
        )
