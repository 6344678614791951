"""What the pictures of the truthfulness tasks are drawn with, beside the pen: writing, arrows, panels, weather."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence

from minidata_things import Thing
from minidata_topics import BLUE, GREY, INK, SCALE, SIZE, WHITE, YELLOW, Color, Pen
from PIL import Image, ImageFont

Placed = tuple[Thing, float, float, float, Color]
Drawing = Callable[[Pen], None]
Pairs = tuple[tuple[str, str], ...]
Scene = tuple[Color, Drawing | tuple[Placed, ...], Pairs]
"""Background, what is drawn on it, and the questions on it with their answers."""

GROUND, TABLE, SKY, NIGHT, ROAD = "#cfe3c3", "#e9d6bd", "#cde5f3", "#1b2740", "#7a828b"
COLORS = 32


def say(p: Pen, x: float, y: float, text: str, size: float, color: Color = INK) -> None:
    """A line of writing, centred on a point."""
    p.draw.text((round(x * SCALE), round(y * SCALE)), text, color, typeface(size), anchor="mm")


def typeface(size: float) -> ImageFont.FreeTypeFont:
    """The typeface that comes with Pillow; it has plain Latin letters only."""
    font = ImageFont.load_default(round(size * SCALE))
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow lacks FreeType"
    return font


def listing(p: Pen, lines: Sequence[str], size: float, left: float, top: float, color: Color) -> None:
    """Lines of code: each character in a cell of the same width."""
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            say(p, left + (column + 0.5) * size * 0.62, top + (row + 0.5) * size * 1.5, character, size, color)


def arrow(p: Pen, x0: float, y0: float, x1: float, y1: float, color: Color = INK, width: float = 5) -> None:
    p.line([(x0, y0), (x1, y1)], color, width)
    angle = math.atan2(y1 - y0, x1 - x0)
    tip, wing = width * 1.6, width * 2.2
    for turn in (2.5, -2.5):
        p.line([(x1, y1), (x1 + wing * math.cos(angle + turn), y1 + wing * math.sin(angle + turn))], color, width)
    p.disc(x1, y1, tip / 4, color)


def panels(p: Pen, count: int, color: Color = WHITE) -> list[float]:
    """White panels in a row, numbered from left to right; the middle of each."""
    width = (SIZE - 8) / count
    for number in range(count):
        p.box(8 + number * width, 40, number * width + width, 190, color, 5)
        say(p, 4 + (number + 0.5) * width, 208, str(number + 1), 16)
    return [4 + (number + 0.5) * width for number in range(count)]


def halves(p: Pen, color: Color = INK) -> None:
    p.line([(112, 16), (112, 208)], color, 3)


def cloud(p: Pen, x: float, y: float, s: float, color: Color = WHITE) -> None:
    for dx, dy, r in ((-0.6, 0.1, 0.4), (0, -0.1, 0.55), (0.6, 0.1, 0.4)):
        p.disc(x + s * dx, y + s * dy, s * r, color)
    p.box(x - s, y + s * 0.1, x + s, y + s * 0.5, color, s * 0.2)


def rain(p: Pen, x: float, y: float, s: float) -> None:
    cloud(p, x, y, s, GREY)
    for dx in (-0.7, -0.25, 0.2, 0.65):
        p.line([(x + s * dx, y + s * 0.7), (x + s * (dx - 0.15), y + s * 1.3)], BLUE, max(2.0, s * 0.09))


def sun(p: Pen, x: float, y: float, s: float, color: Color = YELLOW) -> None:
    p.disc(x, y, s * 0.55, color)
    for i in range(8):
        a = i * math.tau / 8
        inner, outer = s * 0.72, s
        p.line([(x + inner * math.cos(a), y + inner * math.sin(a)), (x + outer * math.cos(a), y + outer * math.sin(a))],
               color, s * 0.1)  # fmt: skip


def polygon(p: Pen, x: float, y: float, r: float, sides: int, color: Color) -> None:
    turn = math.pi / sides - math.pi / 2 if sides % 2 == 0 else -math.pi / 2
    angles = [turn + i * math.tau / sides for i in range(sides)]
    p.poly([(x + r * math.cos(a), y + r * math.sin(a)) for a in angles], color)


def hands(p: Pen, x: float, y: float, s: float, hour: float, color: Color = INK) -> None:
    """A clock face that shows an hour of 0 to 12, e.g. 3.5 for half past three."""
    p.disc(x, y, s, color)
    p.disc(x, y, s * 0.86, WHITE)
    for i in range(12):
        a = i * math.tau / 12
        p.disc(x + s * 0.72 * math.cos(a), y + s * 0.72 * math.sin(a), s * (0.07 if i % 3 == 0 else 0.04), INK)
    for part, length, width in ((hour / 12, 0.42, 0.1), (hour % 1, 0.64, 0.07)):
        a = part * math.tau - math.pi / 2
        p.line([(x, y), (x + s * length * math.cos(a), y + s * length * math.sin(a))], INK, s * width)


def drawn(background: Color, content: Drawing | Sequence[Placed], colors: int = COLORS) -> Image.Image:
    """A picture of a drawing, or of things placed on a plain ground."""
    pen = Pen(background)
    if callable(content):
        content(pen)
    else:
        for draw, x, y, size, color in content:
            draw(pen, x, y, size, color)
    return pen.finished(colors)


def questions(rows: Sequence[dict[str, str]]) -> str:
    """The text of a file of questions."""
    return json.dumps(rows, indent=1) + "\n"


def asked(scenes: Sequence[Scene]) -> str:
    """The file of the questions on scenes, whose pictures are numbered."""
    return questions([
        {"image": f"{number}.png", "query": query, "truth": truth}
        for number, (_, _, pairs) in enumerate(scenes) for query, truth in pairs
    ])  # fmt: skip
