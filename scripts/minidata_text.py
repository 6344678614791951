"""Pictures of words: signs, notices and pages, in the typeface that comes with Pillow."""

from __future__ import annotations

from minidata_topics import INK, SCALE, WHITE, Color
from PIL import Image, ImageDraw, ImageFont


def wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """The lines of a text, none wider than `width` pixels where its words allow it."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}".strip()
            if line and font.getlength(longer) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines


def written(
    text: str,
    size: int,
    background: Color = WHITE,
    color: Color = INK,
    *,
    width: int = 320,
    frame: Color | None = None,
) -> Image.Image:
    """A text, wrapped and centred on a plain ground, as high as it needs; one word fills the width at most."""
    margin = 14 * SCALE
    font = _font(size * SCALE)
    inner = width * SCALE - 2 * margin
    while max(font.getlength(word) for word in text.split()) > inner:
        size -= 1
        font = _font(size * SCALE)
    lines = wrapped(text, font, inner)
    step = round(size * SCALE * 1.3)
    image = Image.new("RGB", (width * SCALE, (step * len(lines) + 2 * margin) // SCALE * SCALE), background)
    draw = ImageDraw.Draw(image)
    if frame is not None:
        draw.rectangle((0, 0, image.width - 1, image.height - 1), outline=frame, width=4 * SCALE)
    for at, line in enumerate(lines):
        draw.text((image.width / 2, margin + step * (at + 0.5)), line, color, font, anchor="mm")
    small = image.reduce(SCALE)
    return small.quantize(16, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow lacks FreeType"
    return font
