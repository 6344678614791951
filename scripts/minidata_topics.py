"""What the pictures of the mini data are drawn with, and one drawing for each topic of its texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw

SIZE = 224
SCALE = 4

Color = str | tuple[int, int, int]
Point = tuple[float, float]

INK, WHITE, PAPER = "#22313f", "#ffffff", "#f6f1e7"
RED, ORANGE, YELLOW, GREEN = "#d64545", "#e98a3a", "#f2c14e", "#4f9d69"
TEAL, BLUE, NAVY, VIOLET = "#3a9c9c", "#4a7fc1", "#2f4b7c", "#8662b5"
GREY, LIGHT, SKIN, BROWN = "#9aa5b1", "#dfe5ea", "#f0c9a4", "#8a5a3b"


class Pen:
    """Draws in units of the finished picture (0..224, from the top left corner)."""

    def __init__(self, background: Color) -> None:
        self.image = Image.new("RGB", (SIZE * SCALE, SIZE * SCALE), background)
        self.draw = ImageDraw.Draw(self.image)

    @staticmethod
    def _px(points: Sequence[Point]) -> list[tuple[int, int]]:
        return [(round(x * SCALE), round(y * SCALE)) for x, y in points]

    def box(self, x0: float, y0: float, x1: float, y1: float, color: Color, round_by: float = 0) -> None:
        corners = self._px([(x0, y0), (x1, y1)])
        self.draw.rounded_rectangle(corners, round(round_by * SCALE), fill=color)

    def disc(self, x: float, y: float, radius: float, color: Color, radius_y: float | None = None) -> None:
        high = radius if radius_y is None else radius_y
        self.draw.ellipse(self._px([(x - radius, y - high), (x + radius, y + high)]), fill=color)

    def poly(self, points: Sequence[Point], color: Color) -> None:
        self.draw.polygon(self._px(points), fill=color)

    def line(self, points: Sequence[Point], color: Color, width: float = 4) -> None:
        self.draw.line(self._px(points), fill=color, width=round(width * SCALE), joint="curve")
        for x, y in (points[0], points[-1]):
            self.disc(x, y, width / 2, color)

    def arc(
        self,
        x: float,
        y: float,
        radius: float,
        start: float,
        end: float,
        color: Color,
        width: float = 4,
        squeeze: float = 1,
    ) -> None:
        """An open arc from `start` to `end` degrees, clockwise from three o'clock."""
        steps = max(8, int(abs(end - start) / 4))
        angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
        self.line([(x + radius * math.cos(a), y + radius * squeeze * math.sin(a)) for a in angles], color, width)

    def finished(self, colors: int) -> Image.Image:
        return self.image.reduce(SCALE).quantize(colors, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def clinic(p: Pen) -> None:
    """A clipboard with a heart and its curve, and a cross."""
    p.box(48, 30, 160, 204, BROWN, 10)
    p.box(58, 44, 150, 194, PAPER, 4)
    p.box(84, 22, 124, 50, GREY, 6)
    p.disc(91, 86, 15, RED)
    p.disc(117, 86, 15, RED)
    p.poly([(77, 92), (131, 92), (104, 122)], RED)
    p.line([(66, 152), (86, 152), (94, 136), (106, 172), (114, 152), (142, 152)], NAVY, 5)
    p.disc(172, 60, 32, WHITE)
    p.box(165, 40, 179, 80, GREEN, 2)
    p.box(152, 53, 192, 67, GREEN, 2)


def route(p: Pen) -> None:
    """A street map with a route and a pin."""
    p.box(24, 36, 200, 194, "#e5ecd6", 8)
    p.box(24, 134, 84, 194, "#b9d8e8", 8)
    p.box(132, 126, 184, 176, "#b7d6a1", 6)
    for street in ([(24, 80), (200, 104)], [(104, 36), (92, 194)], [(24, 122), (200, 150)], [(164, 36), (156, 194)]):
        p.line(street, WHITE, 11)
    p.line([(44, 126), (96, 134), (102, 91), (158, 98)], BLUE, 7)
    p.disc(44, 126, 9, NAVY)
    p.poly([(138, 62), (178, 62), (158, 100)], RED)
    p.disc(158, 52, 23, RED)
    p.disc(158, 52, 9, WHITE)


def shopping(p: Pen) -> None:
    """A basket with fruit, bread and milk."""
    p.box(120, 46, 148, 120, WHITE, 3)
    p.poly([(120, 50), (134, 30), (148, 50)], LIGHT)
    p.box(120, 72, 148, 90, BLUE)
    p.line([(92, 112), (70, 44)], "#d9a15b", 17)
    for at in (58, 74, 90):
        p.line([(68 + (at - 44) / 3, at + 4), (82 + (at - 44) / 3, at - 6)], "#f0cf97", 3)
    p.disc(108, 98, 20, RED)
    p.line([(108, 80), (113, 68)], BROWN, 4)
    p.disc(164, 100, 18, ORANGE)
    p.poly([(34, 112), (190, 112), (170, 194), (54, 194)], TEAL)
    p.box(28, 102, 196, 120, "#2c7a7a", 8)
    for x in range(64, 176, 24):
        p.line([(x, 132), (112 + (x - 112) * 0.86, 182)], "#bfe3e0", 5)


def mail(p: Pen) -> None:
    """An envelope with a letter and a shield."""
    p.box(52, 34, 172, 150, WHITE, 4)
    for y in (52, 68, 84):
        p.line([(68, y), (156 if y < 80 else 124, y)], GREY, 5)
    p.poly([(28, 92), (112, 154), (196, 92), (196, 190), (28, 190)], YELLOW)
    p.poly([(28, 190), (98, 138), (112, 148), (126, 138), (196, 190)], "#e0a92f")
    p.poly([(146, 128), (176, 118), (206, 128), (203, 166), (176, 190), (149, 166)], WHITE)
    p.poly([(152, 133), (176, 125), (200, 133), (197, 163), (176, 182), (155, 163)], GREEN)
    p.line([(165, 152), (173, 161), (188, 142)], WHITE, 6)


def talk(p: Pen) -> None:
    """Two people with a speech bubble each."""
    for x, shirt, hair in ((62, BLUE, BROWN), (162, VIOLET, INK)):
        p.disc(x, 214, 46, shirt, 52)
        p.disc(x, 138, 27, hair, 29)
        p.disc(x, 144, 22, SKIN, 24)
        p.disc(x - 8, 142, 2.6, INK)
        p.disc(x + 8, 142, 2.6, INK)
        p.arc(x, 149, 8, 20, 160, INK, 2.5)
    p.box(22, 28, 116, 86, WHITE, 16)
    p.poly([(56, 84), (80, 84), (64, 106)], WHITE)
    p.box(124, 40, 204, 92, YELLOW, 16)
    p.poly([(146, 90), (170, 90), (162, 108)], YELLOW)
    p.line([(38, 48), (98, 48)], GREY, 5)
    p.line([(38, 64), (82, 64)], GREY, 5)
    for x in (146, 164, 182):
        p.disc(x, 66, 5, INK)


def doorbell(p: Pen) -> None:
    """A front door with a camera bell, and a parcel on the step."""
    p.box(0, 188, 224, 224, "#b9ab98")
    p.box(44, 26, 136, 190, WHITE, 4)
    p.box(52, 34, 128, 190, "#a8483f", 3)
    for x0, x1 in ((62, 86), (94, 118)):
        p.box(x0, 46, x1, 92, "#bcdcea", 3)
        p.box(x0, 106, x1, 174, "#8c3a33", 3)
    p.disc(118, 99, 6, YELLOW)
    p.box(156, 56, 186, 118, INK, 12)
    p.disc(171, 75, 11, BLUE)
    p.disc(171, 75, 5, "#10202f")
    p.disc(168, 72, 2, WHITE)
    p.disc(171, 103, 7, LIGHT)
    p.box(140, 150, 204, 200, "#c99a64", 3)
    p.box(166, 150, 178, 200, "#e4c79b")
    p.box(184, 180, 198, 192, WHITE)


def bank(p: Pen) -> None:
    """A payment card and coins."""
    p.box(30, 54, 182, 150, NAVY, 12)
    p.box(30, 72, 182, 92, INK)
    p.box(44, 104, 74, 126, YELLOW, 4)
    p.line([(44, 115), (74, 115)], "#b98a20", 2)
    for x in (88, 112, 136, 160):
        p.line([(x, 116), (x + 10, 116)], LIGHT, 5)
    p.line([(44, 138), (104, 138)], GREY, 4)
    for x, top, count in ((150, 190, 3), (190, 190, 5)):
        for i in range(count):
            y = top - 10 * i
            p.box(x - 20, y, x + 20, y + 8, "#c98f22")
            p.disc(x, y + 8, 20, "#c98f22", 7)
            p.disc(x, y, 20, YELLOW, 7)
            p.disc(x, y, 13, "#e5ac33", 4)


def library(p: Pen) -> None:
    """A shelf of books and an open book."""
    p.box(20, 100, 204, 112, BROWN, 2)
    shelf = ((30, 20, 44, RED), (52, 16, 38, TEAL), (70, 24, 52, NAVY), (96, 18, 42, YELLOW), (116, 22, 60, GREEN))
    for x, width, top, color in shelf:
        p.box(x, top, x + width, 100, color, 2)
        p.box(x + 3, top + 9, x + width - 3, top + 13, WHITE)
        p.box(x + 3, 84, x + width - 3, 88, WHITE)
    p.poly([(144, 96), (164, 38), (184, 45), (166, 100), (144, 100)], VIOLET)
    p.poly([(36, 136), (112, 150), (188, 136), (188, 194), (112, 208), (36, 194)], BROWN)
    p.poly([(42, 128), (82, 126), (112, 142), (112, 200), (80, 188), (42, 188)], WHITE)
    p.poly([(182, 128), (142, 126), (112, 142), (112, 200), (144, 188), (182, 188)], PAPER)
    for y in (144, 156, 168):
        p.line([(52, y - 2), (78, y - 2), (102, y + 10)], GREY, 3)
        p.line([(172, y - 2), (146, y - 2), (122, y + 10)], GREY, 3)


def heating(p: Pen) -> None:
    """A house with a thermostat in it."""
    p.box(0, 190, 224, 224, "#8fbf7f")
    p.box(150, 42, 172, 90, "#9c4a3c")
    p.poly([(20, 108), (112, 34), (204, 108)], RED)
    p.poly([(40, 106), (112, 50), (184, 106), (184, 194), (40, 194)], PAPER)
    p.disc(112, 122, 42, INK)
    p.disc(112, 122, 36, WHITE)
    p.arc(112, 122, 28, 140, 290, ORANGE, 7)
    p.arc(112, 122, 28, 290, 400, LIGHT, 7)
    p.line([(112, 122), (121, 98)], RED, 5)
    p.disc(112, 122, 7, INK)
    p.box(54, 158, 66, 194, BROWN, 2)
    p.box(160, 164, 176, 182, "#bcdcea", 2)


def bus(p: Pen) -> None:
    """A bus on a road."""
    p.box(0, 172, 224, 224, "#7a828b")
    for x in (10, 74, 138, 202):
        p.box(x, 196, x + 34, 202, WHITE)
    p.box(22, 60, 204, 172, ORANGE, 14)
    p.box(22, 128, 204, 138, WHITE)
    for x in (36, 74, 112):
        p.box(x, 76, x + 30, 114, "#bcdcea", 4)
    p.box(152, 76, 176, 164, INK, 3)
    p.box(156, 80, 172, 160, "#bcdcea", 2)
    p.box(184, 76, 204, 116, "#bcdcea", 4)
    p.box(194, 142, 204, 154, YELLOW, 3)
    p.box(60, 44, 140, 62, INK, 4)
    for x in range(70, 134, 12):
        p.box(x, 50, x + 7, 56, YELLOW)
    for x in (64, 138):
        p.disc(x, 172, 21, INK)
        p.disc(x, 172, 9, LIGHT)


def calendar(p: Pen) -> None:
    """A month with some days marked, and a clock."""
    p.box(34, 42, 178, 188, WHITE, 10)
    p.box(34, 42, 178, 78, RED, 10)
    p.box(34, 64, 178, 78, RED)
    for x in (66, 106, 146):
        p.box(x - 5, 30, x + 5, 58, INK, 5)
    marked = {(1, 0): BLUE, (3, 1): GREEN, (0, 2): BLUE, (4, 0): GREEN, (2, 2): YELLOW}
    for row in range(4):
        for column in range(5):
            x, y = 46 + 25 * column, 90 + 23 * row
            p.box(x, y, x + 19, y + 17, marked.get((column, row), LIGHT), 3)
    p.disc(172, 172, 36, NAVY)
    p.disc(172, 172, 29, WHITE)
    p.line([(172, 152), (172, 172), (186, 180)], INK, 5)


def fingerprint(p: Pen) -> None:
    """A telephone that shows a fingerprint and a lock."""
    p.box(56, 16, 168, 208, INK, 18)
    p.box(64, 32, 160, 190, "#e8f1f5", 6)
    p.disc(112, 199, 5, GREY)
    for radius in (9, 19, 29, 39):
        p.arc(112, 106, radius, -180 + radius / 3, 0 - radius / 4, TEAL, 5, 1.12)
        p.line([(112 - radius, 106), (112 - radius * 0.97, 122 + radius * 0.3)], TEAL, 5)
        p.line([(112 + radius, 106), (112 + radius * 0.92, 136 - radius * 0.1)], TEAL, 5)
    p.line([(112, 104), (112, 138), (106, 150)], TEAL, 5)
    p.arc(168, 160, 13, -180, 0, NAVY, 6)
    p.box(146, 160, 190, 198, YELLOW, 6)
    p.disc(168, 175, 5, INK)
    p.line([(168, 176), (168, 186)], INK, 4)


def school(p: Pen) -> None:
    """A report of marks, a pencil and an apple."""
    p.box(40, 24, 150, 200, WHITE, 5)
    p.box(54, 38, 108, 48, NAVY, 3)
    for i, length in enumerate((44, 30, 50, 36, 42)):
        y = 68 + 25 * i
        p.line([(56, y), (56 + length, y)], GREY, 5)
        p.box(122, y - 9, 140, y + 9, "#dcecdf", 4)
        p.line([(126, y), (130, y + 5), (137, y - 5)], GREEN, 3)
    p.poly([(160, 40), (178, 40), (178, 132), (169, 154), (160, 132)], YELLOW)
    p.box(160, 28, 178, 42, "#e58c8c", 3)
    p.poly([(160, 132), (178, 132), (169, 154)], SKIN)
    p.poly([(166, 147), (172, 147), (169, 154)], INK)
    p.disc(168, 186, 17, RED, 19)
    p.disc(184, 186, 17, RED, 19)
    p.line([(176, 172), (180, 160)], BROWN, 4)
    p.disc(190, 162, 9, GREEN, 5)


def music(p: Pen) -> None:
    """Headphones and notes."""
    p.arc(112, 116, 66, -180, 0, INK, 12)
    for x, inner in ((46, 58), (178, 166)):
        p.box(min(x - 16, inner - 10), 110, max(x + 16, inner + 10), 172, VIOLET, 14)
        p.box(inner - 6, 116, inner + 6, 166, "#5f4290", 6)
    p.line([(98, 154), (98, 98), (134, 90), (134, 146)], NAVY, 6)
    p.line([(98, 104), (134, 96)], NAVY, 10)
    p.disc(90, 156, 12, NAVY, 9)
    p.disc(126, 148, 12, NAVY, 9)
    for x, y in ((60, 34), (166, 30)):
        p.line([(x, y + 18), (x, y - 8), (x + 10, y)], ORANGE, 4)
        p.disc(x - 5, y + 19, 7, ORANGE, 5)


TOPICS: tuple[tuple[Callable[[Pen], None], Color], ...] = (
    (clinic, "#cfe8dc"), (route, "#d9e4ef"), (shopping, "#f7e3c3"), (mail, "#cfdff2"), (talk, "#d5ebe6"),
    (doorbell, "#e3d5c0"), (bank, "#dceadb"), (library, "#f3e4cf"), (heating, "#cbe4f2"), (bus, "#cfe6f4"),
    (calendar, "#f0dcd6"), (fingerprint, "#dfe3f3"), (school, "#cfe3cf"), (music, "#f4dfe6"),
)  # fmt: skip
