"""Single things that the pictures of the mini data show, each drawn around a point in a given size."""

from __future__ import annotations

import math
from collections.abc import Callable

from minidata_topics import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    LIGHT,
    NAVY,
    ORANGE,
    RED,
    SKIN,
    TEAL,
    WHITE,
    YELLOW,
    Color,
    Pen,
)

Thing = Callable[..., None]
"""Draws into a pen around (x, y), about `s` to each side."""


def apple(p: Pen, x: float, y: float, s: float, color: Color = RED) -> None:
    p.line([(x, y - s * 0.5), (x + s * 0.12, y - s * 0.95)], BROWN, s * 0.12)
    p.poly([(x + s * 0.1, y - s * 0.7), (x + s * 0.45, y - s), (x + s * 0.6, y - s * 0.68)], GREEN)
    p.disc(x - s * 0.32, y + s * 0.1, s * 0.6, color, s * 0.75)
    p.disc(x + s * 0.32, y + s * 0.1, s * 0.6, color, s * 0.75)


def cup(p: Pen, x: float, y: float, s: float, color: Color = BLUE) -> None:
    p.disc(x + s * 0.62, y, s * 0.36, color)
    p.disc(x + s * 0.62, y, s * 0.2, LIGHT)
    p.box(x - s * 0.8, y - s * 0.7, x + s * 0.6, y + s * 0.8, color, s * 0.18)
    p.disc(x - s * 0.1, y - s * 0.62, s * 0.6, BROWN, s * 0.16)


def ball(p: Pen, x: float, y: float, s: float, color: Color = ORANGE) -> None:
    p.disc(x, y, s * 0.9, color)
    p.line([(x - s * 0.85, y), (x + s * 0.85, y)], INK, s * 0.07)
    p.line([(x, y - s * 0.85), (x, y + s * 0.85)], INK, s * 0.07)


def tree(p: Pen, x: float, y: float, s: float, color: Color = GREEN) -> None:
    p.box(x - s * 0.14, y, x + s * 0.14, y + s, BROWN)
    for dx, dy, r in ((-0.4, -0.15, 0.45), (0.4, -0.15, 0.45), (0, -0.5, 0.5)):
        p.disc(x + s * dx, y + s * dy, s * r, color)


def house(p: Pen, x: float, y: float, s: float, color: Color = RED) -> None:
    p.box(x - s * 0.75, y - s * 0.15, x + s * 0.75, y + s * 0.9, "#f3dfb8")
    p.poly([(x - s, y - s * 0.12), (x, y - s), (x + s, y - s * 0.12)], color)
    p.box(x - s * 0.15, y + s * 0.35, x + s * 0.2, y + s * 0.9, BROWN)
    for dx in (-0.5, 0.5):
        p.box(x + s * (dx - 0.15), y + s * 0.1, x + s * (dx + 0.15), y + s * 0.38, BLUE)


def car(p: Pen, x: float, y: float, s: float, color: Color = BLUE) -> None:
    p.poly([(x - s * 0.55, y - s * 0.05), (x - s * 0.35, y - s * 0.5), (x + s * 0.35, y - s * 0.5),
            (x + s * 0.6, y - s * 0.05)], color)  # fmt: skip
    p.poly([(x - s * 0.42, y - s * 0.08), (x - s * 0.28, y - s * 0.4), (x - s * 0.04, y - s * 0.4),
            (x - s * 0.04, y - s * 0.08)], "#dff0fa")  # fmt: skip
    p.poly([(x + s * 0.06, y - s * 0.08), (x + s * 0.06, y - s * 0.4), (x + s * 0.3, y - s * 0.4),
            (x + s * 0.46, y - s * 0.08)], "#dff0fa")  # fmt: skip
    p.box(x - s, y - s * 0.08, x + s, y + s * 0.35, color, s * 0.12)
    for dx in (-0.55, 0.55):
        p.disc(x + s * dx, y + s * 0.35, s * 0.24, INK)
        p.disc(x + s * dx, y + s * 0.35, s * 0.1, GREY)


def boat(p: Pen, x: float, y: float, s: float, color: Color = RED) -> None:
    p.box(x - s * 0.05, y - s, x + s * 0.05, y + s * 0.4, BROWN)
    p.poly([(x + s * 0.1, y - s * 0.95), (x + s * 0.1, y + s * 0.25), (x + s * 0.8, y + s * 0.25)], WHITE)
    p.poly([(x - s * 0.1, y - s * 0.7), (x - s * 0.1, y + s * 0.25), (x - s * 0.6, y + s * 0.25)], YELLOW)
    p.poly([(x - s, y + s * 0.36), (x + s, y + s * 0.36), (x + s * 0.65, y + s * 0.8), (x - s * 0.65, y + s * 0.8)],
           color)  # fmt: skip


def clock(p: Pen, x: float, y: float, s: float, color: Color = NAVY) -> None:
    p.disc(x, y, s * 0.95, color)
    p.disc(x, y, s * 0.8, WHITE)
    for i in range(12):
        a = i * math.tau / 12
        p.disc(x + s * 0.68 * math.cos(a), y + s * 0.68 * math.sin(a), s * 0.05, INK)
    p.line([(x, y), (x, y - s * 0.55)], INK, s * 0.08)
    p.line([(x, y), (x + s * 0.38, y)], INK, s * 0.1)


def book(p: Pen, x: float, y: float, s: float, color: Color = GREEN) -> None:
    p.box(x - s * 0.7, y - s * 0.9, x + s * 0.7, y + s * 0.9, color, s * 0.08)
    p.box(x - s * 0.7, y - s * 0.9, x - s * 0.5, y + s * 0.9, INK, s * 0.08)
    p.box(x - s * 0.3, y - s * 0.6, x + s * 0.5, y - s * 0.25, WHITE)


def flower(p: Pen, x: float, y: float, s: float, color: Color = YELLOW) -> None:
    p.line([(x, y - s * 0.2), (x, y + s * 0.95)], GREEN, s * 0.1)
    p.poly([(x, y + s * 0.7), (x + s * 0.5, y + s * 0.3), (x + s * 0.1, y + s * 0.85)], GREEN)
    for i in range(6):
        a = i * math.tau / 6
        p.disc(x + s * 0.36 * math.cos(a), y - s * 0.4 + s * 0.36 * math.sin(a), s * 0.24, color)
    p.disc(x, y - s * 0.4, s * 0.22, BROWN)


def fish(p: Pen, x: float, y: float, s: float, color: Color = ORANGE) -> None:
    p.poly([(x + s * 0.4, y), (x + s, y - s * 0.5), (x + s, y + s * 0.5)], color)
    p.disc(x - s * 0.15, y, s * 0.8, color, s * 0.5)
    p.disc(x - s * 0.55, y - s * 0.12, s * 0.1, WHITE)
    p.disc(x - s * 0.57, y - s * 0.12, s * 0.05, INK)
    p.line([(x - s * 0.1, y - s * 0.2), (x + s * 0.1, y), (x - s * 0.1, y + s * 0.2)], WHITE, s * 0.06)


def umbrella(p: Pen, x: float, y: float, s: float, color: Color = TEAL) -> None:
    rim = [(x + s * math.cos(math.radians(a)), y + s * 0.95 * math.sin(math.radians(a))) for a in range(180, 361, 10)]
    p.poly(rim, color)
    p.line([(x, y), (x, y + s * 0.8)], BROWN, s * 0.09)
    p.arc(x + s * 0.15, y + s * 0.8, s * 0.15, 0, 180, BROWN, s * 0.09)
    for dx in (-0.34, 0.34):
        p.line([(x, y - s * 0.9), (x + s * dx, y - s * 0.03)], WHITE, s * 0.04)


def person(p: Pen, x: float, y: float, s: float, color: Color = BLUE) -> None:
    p.line([(x - s * 0.14, y + s * 0.4), (x - s * 0.2, y + s * 0.92)], INK, s * 0.15)
    p.line([(x + s * 0.14, y + s * 0.4), (x + s * 0.2, y + s * 0.92)], INK, s * 0.15)
    p.box(x - s * 0.3, y - s * 0.35, x + s * 0.3, y + s * 0.5, color, s * 0.12)
    p.disc(x, y - s * 0.66, s * 0.28, BROWN)
    p.disc(x, y - s * 0.6, s * 0.22, SKIN)


def star(p: Pen, x: float, y: float, s: float, color: Color = YELLOW) -> None:
    points = []
    for i in range(10):
        r, a = s * (0.95 if i % 2 == 0 else 0.4), math.radians(i * 36 - 90)
        points.append((x + r * math.cos(a), y + r * math.sin(a)))
    p.poly(points, color)
