"""A picture of a sample's own text."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.errors import MmteError
from mmte.methods.lettering import Lettering
from mmte.methods.pictures import LARGEST, PictureMethod
from mmte.methods.wrap import wrap
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

SMALLEST: Final = 8
TALLEST: Final = 4 * LARGEST


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines of text with their font, and what they take up; all in pixels."""

    lines: list[str]
    font: FreeTypeFont
    margin: int
    step: int
    width: int
    height: int


@registry.register_method()
class RelatedTextEmbedImage(PictureMethod):
    """The sample's text, word-wrapped, black on white; the question in words stays as it is.

    The picture is as wide as its longest line and as tall as its lines, with a margin of a quarter of the
    font size. With `img_size` it has that size, and the font becomes smaller until the text fits.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057).

    Args:
        img_size: `(height, width)` in pixels; None: what the text takes up.
        font_size: in pixels; with `img_size`, the largest one.
        max_width: of the picture, in pixels, margins included.
        font: a TrueType or OpenType file. Default: Pillow's own font, for English; see `Lettering.shown` for
            characters that a font lacks. Text of other languages needs a font of its own.

    Raises:
        MmteError: see `PictureMethod`; or the font cannot be read.
    """

    method_ids: ClassVar[Sequence[str]] = ("related-image-txtembed",)

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        img_size: Sequence[int] | None = None,
        font_size: int = 90,
        max_width: int = 1024,
        font: str | Path = "",
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        self.img_size = None if img_size is None else self.check_size(img_size)
        self.font_size = self._pixels("font_size", font_size, SMALLEST, 1000)
        self.max_width = self._pixels("max_width", max_width, 1, LARGEST)
        if img_size is None and max_width < 2 * font_size:
            raise self.wrong(f"max_width {max_width} is too small for font_size {font_size}; it must be twice that")
        if not isinstance(font or "", (str, Path)):
            raise self.wrong(f"font must be the name of a font file, not {font!r}")
        try:
            self.lettering = Lettering(font or "")
        except MmteError as error:
            raise self.wrong(str(error)) from None

    def settings(self) -> Mapping[str, Any]:
        """Sizes and font."""
        size = list(self.img_size) if self.img_size else None
        return {
            "img_size": size, "font_size": self.font_size, "max_width": self.max_width, "font": self.lettering.key()
        }  # fmt: skip

    def seed(self, data: TxtSample | ImageTxtSample) -> str:
        """The text: what the picture shows.

        Raises:
            MmteError: there is none.
        """
        if not isinstance(data.text, str) or not data.text.strip():
            which = f"sample '{data.id}'" if data.id else "a sample"
            raise MmteError(f"{self.method_id}: {which} has no text to draw; leave it out or use an unrelated image")
        return data.text

    def draw(self, seed: str) -> Image:
        """The picture of a text.

        Raises:
            MmteError: the text does not fit, or most of it cannot be shown.
        """
        from PIL import Image, ImageDraw

        page = self._page(self._shown(seed))
        image = Image.new("RGB", (page.width, page.height), "white")
        canvas = ImageDraw.Draw(image)
        for number, line in enumerate(page.lines):
            if line:
                canvas.text((page.margin, page.margin + number * page.step), line, fill="black", font=page.font)
        return image

    def _shown(self, text: str) -> str:
        try:
            found = self.lettering.shown(text)
        except MmteError as error:
            raise MmteError(f"{self.method_id}: {error}") from None
        if not found.strip():
            raise MmteError(f"{self.method_id}: a text has no character that can be drawn: {ascii(text[:20])}")
        return found

    def _page(self, text: str) -> _Page:
        if self.img_size is None:
            page = self._set(text, self.font_size, self.max_width)
            if page.width <= self.max_width and page.height <= TALLEST:
                return page
            raise MmteError(
                f"{self.method_id}: a text of {len(text)} characters takes {page.height}x{page.width} pixels; "
                f"at most {TALLEST}x{self.max_width} are allowed, so lower font_size"
            )
        height, width = self.img_size
        sizes = range(SMALLEST, self.font_size + 1)

        def too_large(size: int) -> bool:
            page = self._set(text, size, min(width, self.max_width))
            return page.height > height or page.width > min(width, self.max_width)

        if too_large(SMALLEST):
            raise MmteError(
                f"{self.method_id}: a text of {len(text)} characters does not fit into img_size "
                f"{height}x{width} with letters of {SMALLEST} pixels; make img_size larger"
            )
        page = self._set(text, sizes[bisect_right(sizes, False, key=too_large) - 1], min(width, self.max_width))
        return _Page(page.lines, page.font, page.margin, page.step, width, height)

    def _set(self, text: str, size: int, max_width: int) -> _Page:
        """A text in lines, with the size of the picture that they need."""
        font, margin = self.lettering.size(size), math.ceil(size / 4)

        def measure(line: str) -> float:
            return max(font.getlength(line), font.getbbox(line)[2]) if line else 0

        lines = wrap(text, max_width - 2 * margin, measure)
        step = max(math.ceil(size * 1.1), sum(font.getmetrics()))
        width = math.ceil(max(map(measure, lines))) + 2 * margin
        return _Page(lines, font, margin, step, width, len(lines) * step + 2 * margin)

    def _pixels(self, name: str, value: Any, least: int, most: int) -> int:
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(f"{name} must be a whole number from {least} to {most} (pixels), not {value!r}")
        return value
