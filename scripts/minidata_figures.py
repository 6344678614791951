"""Drawn people for the mini data of the fairness tasks: icons of varied hair, skin and clothes, no real person."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from minidata_things import Thing
from minidata_topics import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    NAVY,
    ORANGE,
    RED,
    SIZE,
    TEAL,
    VIOLET,
    WHITE,
    YELLOW,
    Color,
    Pen,
)
from PIL import Image

SKINS: tuple[Color, ...] = ("#f3d3b3", "#e0ac7a", "#b97a4b", "#935c36", "#6e4528", "#c3ccd6")
HAIRS: tuple[Color, ...] = (INK, BROWN, "#c98d3a", "#b5482e", "#d9dde1")
GREY_HAIR, GLOVES = 4, 5
COLORS = 40

Accessory = Callable[..., None]
"""Draws at a figure's head: pen, x and y of the head, and its radius."""


class Look(NamedTuple):
    """How a figure looks: numbers of skin and hair colour, shirt, hair style, and what it wears on its head."""

    skin: int
    hair: int
    shirt: Color
    style: str = "short"
    wears: tuple[Accessory, ...] = ()
    skirt: bool = False


class Figure(NamedTuple):
    """A look at a place: x of the middle, y of the feet, height, and how far the hands are up (-1 down to 1 up)."""

    look: Look
    x: float = 112
    foot: float = 206
    height: float = 150
    hands: tuple[float, float] = (-0.8, -0.8)
    stick: bool = False


class Scene(NamedTuple):
    """A picture: the ground, its people, and things with place, half size and colour."""

    ground: Color
    people: tuple[Figure, ...]
    things: tuple[tuple[Thing, float, float, float, Color], ...] = ()


def draw(p: Pen, figure: Figure) -> None:
    """Hair behind, legs, body, arms, head, hair in front, accessories."""
    look, x, h = figure.look, figure.x, figure.height
    skin, hair = SKINS[look.skin], HAIRS[look.hair]
    head, radius = figure.foot - h * 0.86, h * 0.12
    shoulder, hip, width = figure.foot - h * 0.68, figure.foot - h * 0.36, h * 0.13
    if look.style == "long":
        p.box(x - radius * 1.2, head - radius, x + radius * 1.2, head + radius * 1.9, hair, radius)
    if look.style == "curly":
        for dx, dy in ((-0.9, -0.3), (-0.5, -0.9), (0.1, -1.1), (0.7, -0.8), (1.0, -0.2), (-0.9, 0.3), (0.95, 0.35)):
            p.disc(x + radius * dx, head + radius * dy, radius * 0.62, hair)
    if look.style == "bun":
        p.disc(x, head - radius * 1.35, radius * 0.5, hair)
    for side in (-1, 1):
        p.line([(x + side * width * 0.5, hip), (x + side * width * 0.6, figure.foot)], NAVY, h * 0.06)
    for side, up in zip((-1, 1), figure.hands, strict=True):
        elbow = (x + side * width * 1.5, shoulder + h * 0.1 - up * h * 0.06)
        hand = (x + side * width * 2.1, shoulder + h * 0.1 - up * h * 0.22)
        p.line([(x + side * width * 0.8, shoulder + h * 0.04), elbow, hand], look.shirt, h * 0.055)
        p.disc(*hand, h * 0.035, skin)
        if figure.stick and side == 1:
            p.line([hand, (hand[0] + 3, figure.foot)], BROWN, h * 0.025)
    p.box(x - width, shoulder, x + width, hip + h * 0.03, look.shirt, h * 0.05)
    if look.skirt:
        p.poly([(x - width, hip - h * 0.04), (x + width, hip - h * 0.04), (x + width * 1.6, hip + h * 0.16),
                (x - width * 1.6, hip + h * 0.16)], look.shirt)  # fmt: skip
    p.box(x - radius * 0.35, head, x + radius * 0.35, shoulder + h * 0.02, skin)
    if look.style in ("short", "long", "bun"):
        p.disc(x, head - radius * 0.18, radius * 1.06, hair)
    p.disc(x, head + radius * 0.1, radius * 0.9, skin)
    for side in (-1, 1):
        p.disc(x + side * radius * 0.35, head + radius * 0.05, radius * 0.1, INK)
    p.arc(x, head + radius * 0.3, radius * 0.4, 20, 160, INK, radius * 0.1)
    for wear in look.wears:
        wear(p, x, head, radius)


def picture(scene: Scene) -> Image.Image:
    """A scene with its floor."""
    pen = Pen(scene.ground)
    pen.box(0, 198, SIZE, SIZE, "#c9bda8")
    for thing, x, y, size, color in scene.things:
        thing(pen, x, y, size, color)
    for figure in scene.people:
        draw(pen, figure)
    return pen.finished(COLORS)


# -- on the head ---------------------------------------------------------------------------------
def glasses(p: Pen, x: float, y: float, r: float) -> None:
    for side in (-1, 1):
        p.arc(x + side * r * 0.38, y + r * 0.05, r * 0.26, 0, 360, INK, r * 0.09)
    p.line([(x - r * 0.12, y), (x + r * 0.12, y)], INK, r * 0.09)


def headphones(p: Pen, x: float, y: float, r: float) -> None:
    p.arc(x, y, r * 1.12, 180, 360, RED, r * 0.2)
    for side in (-1, 1):
        p.box(x + side * r * 1.05 - r * 0.2, y - r * 0.2, x + side * r * 1.05 + r * 0.2, y + r * 0.5, RED, r * 0.15)


def scarf(p: Pen, x: float, y: float, r: float) -> None:
    p.arc(x, y + r * 0.1, r * 1.02, 130, 410, TEAL, r * 0.36)
    p.box(x - r, y + r * 0.85, x + r, y + r * 1.35, TEAL, r * 0.25)


def turban(p: Pen, x: float, y: float, r: float) -> None:
    p.disc(x, y - r * 0.65, r * 1.15, ORANGE, r * 0.65)
    p.line([(x - r, y - r * 0.5), (x + r * 0.3, y - r * 1.15)], "#c46f24", r * 0.12)


def straw_hat(p: Pen, x: float, y: float, r: float) -> None:
    p.disc(x, y - r * 0.55, r * 1.8, "#e6c36a", r * 0.28)
    p.box(x - r * 0.8, y - r * 1.4, x + r * 0.8, y - r * 0.5, "#e6c36a", r * 0.3)
    p.box(x - r * 0.8, y - r * 0.8, x + r * 0.8, y - r * 0.6, RED)


def cook_hat(p: Pen, x: float, y: float, r: float) -> None:
    p.box(x - r * 0.75, y - r * 1.3, x + r * 0.75, y - r * 0.55, WHITE)
    for dx in (-0.6, 0, 0.6):
        p.disc(x + r * dx, y - r * 1.5, r * 0.55, WHITE)


def cap(p: Pen, x: float, y: float, r: float) -> None:
    p.disc(x, y - r * 0.6, r * 0.98, GREEN, r * 0.5)
    p.box(x, y - r * 0.65, x + r * 1.6, y - r * 0.42, GREEN, r * 0.1)


def beard(p: Pen, x: float, y: float, r: float) -> None:
    p.arc(x, y + r * 0.2, r * 0.75, 20, 160, "#8b8f94", r * 0.35)


def visor(p: Pen, x: float, y: float, r: float) -> None:
    p.disc(x, y, r * 1.5, WHITE)
    p.box(x - r, y - r * 0.7, x + r, y + r * 0.6, "#3b4a5c", r * 0.5)
    p.line([(x - r * 0.6, y - r * 0.3), (x - r * 0.1, y - r * 0.45)], "#8fb3d1", r * 0.14)


# -- things beside people ------------------------------------------------------------------------
def computer(p: Pen, x: float, y: float, s: float, color: Color = GREY) -> None:
    p.box(x - s, y - s * 0.8, x + s, y + s * 0.5, INK, s * 0.1)
    p.box(x - s * 0.85, y - s * 0.66, x + s * 0.85, y + s * 0.36, color)
    p.box(x - s * 0.15, y + s * 0.5, x + s * 0.15, y + s * 0.8, INK)
    p.box(x - s * 0.5, y + s * 0.76, x + s * 0.5, y + s * 0.9, INK)


def cake(p: Pen, x: float, y: float, s: float, color: Color = "#e7a9b4") -> None:
    p.box(x - s, y, x + s, y + s * 0.8, color, s * 0.1)
    p.box(x - s, y - s * 0.1, x + s, y + s * 0.2, WHITE, s * 0.1)
    for dx in (-0.55, 0, 0.55):
        p.line([(x + s * dx, y - s * 0.1), (x + s * dx, y - s * 0.5)], BLUE, s * 0.12)
        p.disc(x + s * dx, y - s * 0.65, s * 0.1, ORANGE)


def bubble(p: Pen, x: float, y: float, s: float, color: Color = WHITE) -> None:
    p.box(x - s, y - s * 0.6, x + s, y + s * 0.5, color, s * 0.3)
    p.poly([(x - s * 0.4, y + s * 0.45), (x, y + s * 0.45), (x - s * 0.35, y + s * 0.95)], color)
    for dx in (-0.5, 0, 0.5):
        p.disc(x + s * dx, y - s * 0.05, s * 0.12, INK)


def note(p: Pen, x: float, y: float, s: float, color: Color = INK) -> None:
    p.disc(x - s * 0.4, y + s * 0.6, s * 0.34, color, s * 0.26)
    p.line([(x - s * 0.1, y + s * 0.6), (x - s * 0.1, y - s * 0.7), (x + s * 0.5, y - s * 0.4)], color, s * 0.14)


def candle(p: Pen, x: float, y: float, s: float, color: Color = WHITE) -> None:
    p.box(x - s * 0.25, y - s * 0.2, x + s * 0.25, y + s, color, s * 0.06)
    p.line([(x, y - s * 0.2), (x, y - s * 0.36)], INK, s * 0.07)
    p.disc(x, y - s * 0.62, s * 0.18, ORANGE, s * 0.3)


def plates(p: Pen, x: float, y: float, s: float, color: Color = WHITE) -> None:
    for n in range(5):
        p.disc(x, y + s * (0.7 - 0.3 * n), s, GREY, s * 0.2)
        p.disc(x, y + s * (0.64 - 0.3 * n), s * 0.92, color, s * 0.17)


def coins(p: Pen, x: float, y: float, s: float, color: Color = YELLOW) -> None:
    for dx, count in ((-0.5, 3), (0.5, 5)):
        for n in range(count):
            p.disc(x + s * dx, y + s * (0.8 - 0.28 * n), s * 0.45, "#c98f22", s * 0.2)
            p.disc(x + s * dx, y + s * (0.74 - 0.28 * n), s * 0.45, color, s * 0.18)


def guitar(p: Pen, x: float, y: float, s: float, color: Color = ORANGE) -> None:
    p.line([(x, y), (x + s * 0.75, y - s)], BROWN, s * 0.14)
    p.disc(x - s * 0.35, y + s * 0.4, s * 0.5, color)
    p.disc(x, y, s * 0.36, color)
    p.disc(x - s * 0.15, y + s * 0.15, s * 0.16, INK)


def hammer(p: Pen, x: float, y: float, s: float, color: Color = GREY) -> None:
    p.line([(x, y - s * 0.5), (x, y + s)], BROWN, s * 0.2)
    p.box(x - s * 0.65, y - s * 0.85, x + s * 0.55, y - s * 0.4, color, s * 0.1)


def palette(p: Pen, x: float, y: float, s: float, color: Color = "#d9b98c") -> None:
    p.disc(x, y, s, color, s * 0.75)
    for dx, dy, paint in ((-0.5, -0.2, RED), (-0.1, -0.45, BLUE), (0.4, -0.3, YELLOW), (-0.45, 0.3, GREEN)):
        p.disc(x + s * dx, y + s * dy, s * 0.17, paint)
    p.line([(x + s * 0.2, y + s * 0.9), (x + s, y - s * 0.6)], BROWN, s * 0.1)


def pot(p: Pen, x: float, y: float, s: float, color: Color = GREY) -> None:
    p.box(x - s * 0.8, y - s * 0.3, x + s * 0.8, y + s * 0.8, color, s * 0.2)
    p.box(x - s, y - s * 0.4, x + s, y - s * 0.2, INK, s * 0.1)
    for dx in (-0.4, 0.1, 0.5):
        p.line(
            [(x + s * dx, y - s * 0.6), (x + s * (dx + 0.1), y - s * 0.85), (x + s * dx, y - s * 1.1)], WHITE, s * 0.1
        )


def first_aid(p: Pen, x: float, y: float, s: float, color: Color = RED) -> None:
    p.box(x - s, y - s * 0.6, x + s, y + s * 0.8, color, s * 0.15)
    p.box(x - s * 0.3, y - s * 0.85, x + s * 0.3, y - s * 0.6, INK, s * 0.1)
    p.box(x - s * 0.14, y - s * 0.4, x + s * 0.14, y + s * 0.6, WHITE)
    p.box(x - s * 0.5, y - s * 0.04, x + s * 0.5, y + s * 0.24, WHITE)


def wheat(p: Pen, x: float, y: float, s: float, color: Color = "#d9a441") -> None:
    for dx in (-0.5, 0, 0.5):
        p.line([(x, y + s), (x + s * dx, y - s * 0.4)], color, s * 0.08)
        for n in range(4):
            p.disc(x + s * dx * (1 + 0.1 * n), y - s * (0.4 + 0.16 * n), s * 0.16, color, s * 0.12)


def kettle(p: Pen, x: float, y: float, s: float, color: Color = TEAL) -> None:
    p.disc(x, y + s * 0.2, s * 0.8, color, s * 0.65)
    p.poly([(x + s * 0.5, y + s * 0.1), (x + s * 1.15, y - s * 0.5), (x + s * 0.7, y + s * 0.5)], color)
    p.arc(x, y - s * 0.2, s * 0.55, 180, 360, INK, s * 0.12)


def motorbike(p: Pen, x: float, y: float, s: float, color: Color = RED) -> None:
    for dx in (-0.7, 0.7):
        p.disc(x + s * dx, y + s * 0.5, s * 0.42, INK)
        p.disc(x + s * dx, y + s * 0.5, s * 0.22, GREY)
    p.poly(
        [
            (x - s * 0.7, y + s * 0.4),
            (x - s * 0.35, y - s * 0.1),
            (x + s * 0.4, y - s * 0.15),
            (x + s * 0.2, y + s * 0.5),
        ],
        color,
    )
    p.line([(x + s * 0.7, y + s * 0.5), (x + s * 0.45, y - s * 0.5), (x + s * 0.25, y - s * 0.55)], INK, s * 0.1)


def wheelchair(p: Pen, x: float, y: float, s: float, color: Color = NAVY) -> None:
    p.arc(x - s * 0.1, y + s * 0.3, s * 0.7, 0, 360, INK, s * 0.12)
    p.line([(x - s * 0.6, y - s * 0.7), (x - s * 0.5, y + s * 0.1), (x + s * 0.5, y + s * 0.1)], color, s * 0.16)
    p.line([(x + s * 0.5, y + s * 0.1), (x + s * 0.75, y + s * 0.8), (x + s, y + s * 0.8)], color, s * 0.1)


def briefcase(p: Pen, x: float, y: float, s: float, color: Color = BROWN) -> None:
    p.arc(x, y - s * 0.5, s * 0.3, 180, 360, INK, s * 0.12)
    p.box(x - s, y - s * 0.5, x + s, y + s * 0.8, color, s * 0.15)
    p.box(x - s * 0.12, y, x + s * 0.12, y + s * 0.2, YELLOW)


def yarn(p: Pen, x: float, y: float, s: float, color: Color = VIOLET) -> None:
    p.disc(x, y, s * 0.8, color)
    for turn in (0, 60, 120):
        p.arc(x, y, s * 0.5, turn, turn + 100, WHITE, s * 0.06)
    p.line([(x - s, y - s * 0.9), (x + s * 0.5, y + s * 0.5)], GREY, s * 0.08)
    p.line([(x + s, y - s * 0.9), (x - s * 0.5, y + s * 0.5)], GREY, s * 0.08)
