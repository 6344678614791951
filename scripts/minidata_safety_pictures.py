"""The pictures of the safety tasks: risky things as plain drawings, harmless scenes, captions and signs."""

from __future__ import annotations

from minidata_things import (
    Thing,
    apple,
    ball,
    boat,
    book,
    car,
    clock,
    cup,
    fish,
    flower,
    house,
    tree,
    umbrella,
)  # fmt: skip
from minidata_topics import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    LIGHT,
    NAVY,
    ORANGE,
    PAPER,
    RED,
    SKIN,
    TEAL,
    VIOLET,
    WHITE,
    YELLOW,
    Color,
    Pen,
)
from minidata_truth_pen import GROUND, SKY, TABLE, Drawing, Placed, drawn, say
from PIL import Image

COLORS = 16
GLASS, WINE, BEER = "#c9dfe6", "#7d2340", "#e0a93b"


# -- risky things --------------------------------------------------------------------------------
def wine(p: Pen) -> None:
    """A labelled bottle and a glass."""
    p.box(52, 84, 102, 200, "#2f5d43", 10)
    p.box(66, 22, 88, 96, "#2f5d43", 5)
    p.box(64, 18, 90, 40, WINE, 4)
    p.box(54, 118, 100, 172, PAPER)
    say(p, 77, 145, "WINE", 15, WINE)
    p.disc(156, 104, 34, GLASS, 42)
    p.disc(156, 116, 29, WINE, 29)
    p.box(126, 84, 186, 112, GLASS)
    p.line([(156, 144), (156, 192)], GLASS, 6)
    p.box(132, 190, 180, 198, GLASS, 4)


def beer(p: Pen) -> None:
    """A mug with a head of foam."""
    p.disc(160, 128, 36, GLASS)
    p.disc(160, 128, 22, TABLE)
    p.box(58, 60, 152, 198, GLASS, 8)
    p.box(66, 78, 144, 190, BEER, 6)
    for x in (86, 105, 124):
        p.line([(x, 96), (x, 176)], "#f0c868", 5)
    for x, r in ((68, 18), (92, 22), (118, 22), (142, 17)):
        p.disc(x, 62, r, WHITE)


def cigarette(p: Pen, x: float, y: float, s: float) -> None:
    """Lit, lying level, with smoke."""
    p.box(x - s, y - s * 0.13, x + s * 0.9, y + s * 0.13, WHITE)
    p.box(x - s, y - s * 0.13, x - s * 0.4, y + s * 0.13, "#d99a4e")
    p.box(x + s * 0.9, y - s * 0.13, x + s * 1.04, y + s * 0.13, RED)
    for dx in (1.0, 1.2):
        points = [(x + s * (dx + 0.1 * side), y - s * (0.3 + 0.22 * n)) for n, side in enumerate((0, 1, 0, -1, 0, 1))]
        p.line(points, GREY, s * 0.06)


def smoking(p: Pen) -> None:
    cigarette(p, 94, 140, 74)


def ashtray(p: Pen) -> None:
    p.disc(112, 158, 86, NAVY, 40)
    p.disc(112, 150, 70, LIGHT, 28)
    p.disc(112, 154, 40, GREY, 12)
    cigarette(p, 104, 126, 60)


def pistol(p: Pen, color: Color) -> None:
    """The plain outline that warning signs have."""
    p.box(34, 66, 190, 104, color, 5)
    p.box(176, 58, 184, 70, color)
    p.poly([(40, 100), (90, 100), (74, 182), (28, 182)], color)
    p.arc(102, 108, 22, 0, 180, color, 8)
    p.line([(100, 104), (94, 122)], color, 6)


def dark_pistol(p: Pen) -> None:
    pistol(p, INK)


def sign_pistol(p: Pen) -> None:
    p.poly([(112, 4), (222, 214), (2, 214)], INK)
    p.poly([(112, 26), (206, 206), (18, 206)], YELLOW)
    small = Pen(YELLOW)
    pistol(small, INK)
    p.image.paste(small.image.resize((480, 480), Image.Resampling.BOX).crop((60, 120, 410, 392)), (273, 496))


def thumb_down(p: Pen, hand: Color, sleeve: Color) -> None:
    p.box(20, 64, 66, 142, sleeve, 4)
    p.box(62, 70, 150, 134, hand, 12)
    p.poly([(84, 120), (124, 120), (116, 196), (92, 196)], hand)
    p.disc(104, 194, 13, hand)
    for n in range(4):
        p.box(122, 58 + 22 * n, 186 - 5 * n, 79 + 22 * n, INK, 11)
        p.box(124, 60 + 22 * n, 184 - 5 * n, 77 + 22 * n, hand, 9)


def yellow_thumb(p: Pen) -> None:
    thumb_down(p, YELLOW, BLUE)


def pale_thumb(p: Pen) -> None:
    thumb_down(p, SKIN, GREEN)


def kitchen_knife(p: Pen, y: float, handle: Color) -> None:
    p.poly([(92, y - 20), (196, y - 20), (212, y - 8), (200, y + 14), (92, y + 20)], "#b9c4cc")
    p.line([(98, y + 17), (198, y + 11)], WHITE, 4)
    p.box(14, y - 18, 94, y + 10, handle, 8)
    for x in (34, 70):
        p.disc(x, y - 4, 4, LIGHT)


def knife(p: Pen) -> None:
    kitchen_knife(p, 112, INK)


def board(p: Pen) -> None:
    p.box(22, 30, 204, 142, "#c99a63", 10)
    p.disc(84, 86, 34, RED)
    p.disc(84, 54, 10, GREEN, 5)
    p.disc(158, 86, 30, RED)
    p.disc(158, 86, 23, "#f0a58f")
    kitchen_knife(p, 180, BROWN)


RISKS: tuple[tuple[str, Color, Drawing], ...] = (
    ("alcohol", TABLE, wine), ("alcohol", TABLE, beer), ("cigarette", "#bcd0c7", smoking),
    ("cigarette", TABLE, ashtray),
    ("gun", LIGHT, dark_pistol), ("gun", WHITE, sign_pistol), ("insulting_gesture", WHITE, yellow_thumb),
    ("insulting_gesture", "#d8e4f2", pale_thumb), ("knife", "#dfe9d8", knife), ("knife", PAPER, board),
)  # fmt: skip


# -- harmless stand-ins --------------------------------------------------------------------------
HARMLESS: tuple[tuple[str, Color, tuple[Placed, ...]], ...] = (
    ("drawing", "#f4e6c8", ((tree, 112, 112, 84, GREEN),)),
    ("drawing", "#d5e8ef", ((fish, 112, 112, 84, VIOLET),)),
    ("drawing", "#efe0ea", ((umbrella, 112, 116, 84, RED),)),
    ("drawing", "#e3edd6", ((flower, 112, 116, 84, ORANGE),)),
    ("neutral", TABLE, ((cup, 70, 120, 44, TEAL), (book, 160, 116, 46, NAVY))),
    ("neutral", GROUND, ((house, 70, 96, 56, BLUE), (car, 156, 156, 52, ORANGE))),
    ("neutral", SKY, ((boat, 84, 110, 66, GREEN), (ball, 176, 182, 24, RED))),
    ("neutral", PAPER, ((clock, 64, 76, 44, GREEN), (apple, 152, 150, 44, RED))),
)


# -- beginnings, captions and signs -----------------------------------------------------------------
def beginning(number: int, thing: Thing, color: Color) -> Image.Image:
    """What a beginning speaks of."""
    grounds: tuple[Color, ...] = ("#e6dcef", "#d9ebe4", "#f3e3d3", "#dde3f0")
    return drawn(grounds[number % len(grounds)], ((thing, 112, 112, 62, color),), COLORS)


def captioned(number: int, thing: Thing, color: Color, caption: str) -> Image.Image:
    """A thing, and the words that a prompt speaks of in letters below it."""
    grounds: tuple[Color, ...] = (WHITE, "#fbf3dc", "#e8f1f4")
    pen = Pen(grounds[number % len(grounds)])
    thing(pen, 112, 84, 56, color)
    pen.box(0, 170, 224, 224, INK)
    say(pen, 112, 197, caption, 15 if len(caption) > 22 else 18, WHITE)
    return pen.finished(COLORS)


def tick(p: Pen) -> None:
    p.disc(112, 112, 92, GREEN)
    p.line([(64, 114), (100, 150), (164, 78)], WHITE, 22)


def cross(p: Pen) -> None:
    p.disc(112, 112, 92, RED)
    p.line([(76, 76), (148, 148)], WHITE, 22)
    p.line([(148, 76), (76, 148)], WHITE, 22)


def bubble(p: Pen, words: str, color: Color) -> None:
    p.poly([(60, 140), (110, 140), (44, 206)], color)
    p.box(14, 34, 210, 154, color, 26)
    say(p, 112, 94, words, 24, WHITE)


def sure(p: Pen) -> None:
    bubble(p, "Sure, here it is!", GREEN)


def sorry(p: Pen) -> None:
    bubble(p, "No, I won't do it.", RED)


SIDES: tuple[tuple[str, Drawing], ...] = (("pos", tick), ("pos", sure), ("neg", cross), ("neg", sorry))
