"""Pictures that deceive the eye, of five kinds, and the yes/no questions on them."""

from __future__ import annotations

import math

from minidata_things import apple, boat, cup, house, person, tree
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
    SCALE,
    SIZE,
    TEAL,
    VIOLET,
    WHITE,
    YELLOW,
    Pen,
)
from minidata_truth_pen import SKY, TABLE, Scene, say
from PIL import Image


# -- one thing looks like another ----------------------------------------------------------------
def stroop(p: Pen) -> None:
    say(p, 112, 112, "BLUE", 76, RED)


def fish_cloud(p: Pen) -> None:
    p.box(0, 160, SIZE, SIZE, "#7fb565")
    for x, y, r in ((70, 80, 26), (104, 72, 32), (136, 82, 24), (100, 94, 28)):
        p.disc(x, y, r, WHITE)
    for x, y in ((176, 58), (182, 78), (176, 100)):
        p.disc(x, y, 16, WHITE)
    p.disc(62, 76, 4, "#9fb4c4")
    tree(p, 188, 170, 36)


def fruit_face(p: Pen) -> None:
    p.disc(112, 112, 100, WHITE)
    p.disc(112, 112, 84, LIGHT)
    apple(p, 76, 84, 22, GREEN)
    apple(p, 148, 84, 22, GREEN)
    p.poly([(112, 98), (126, 132), (98, 132)], ORANGE)
    p.arc(112, 124, 50, 30, 150, YELLOW, 16)


# -- the surroundings deceive --------------------------------------------------------------------
SAME_GREY = "#8c8c8c"


def greys(p: Pen) -> None:
    p.box(0, 0, 112, SIZE, "#1c1c1c")
    p.box(112, 0, SIZE, SIZE, "#f2f2f2")
    for x in (56, 168):
        p.box(x - 24, 88, x + 24, 136, SAME_GREY)


def rings(p: Pen) -> None:
    for x, count, far, radius in ((46, 8, 32, 8), (154, 6, 46, 19)):
        p.disc(x, 112, 18, ORANGE)
        for i in range(count):
            a = i * math.tau / count
            p.disc(x + far * math.cos(a), 112 + far * math.sin(a), radius, NAVY)


def arrowheads(p: Pen) -> None:
    for y, wing in ((70, 20), (154, -20)):
        for x, way in ((50, 1), (174, -1)):
            for up in (-1, 1):
                p.line([(x, y), (x + way * wing, y + up * 20)], INK, 5)
        p.line([(50, y), (174, y)], RED, 6)


# -- a painted thing looks real ------------------------------------------------------------------
def framed(p: Pen) -> None:
    p.box(0, 184, SIZE, SIZE, BROWN)
    p.box(40, 20, 184, 140, YELLOW, 3)
    p.box(50, 30, 174, 130, SKY)
    p.box(50, 100, 174, 130, BLUE)
    boat(p, 112, 78, 40, RED)
    p.box(20, 158, 204, 170, "#a8703f", 3)
    for x in (36, 188):
        p.box(x - 4, 168, x + 4, 200, "#a8703f")


def chalk_pit(p: Pen) -> None:
    p.poly([(56, 92), (168, 92), (196, 176), (28, 176)], WHITE)
    p.poly([(62, 97), (162, 97), (188, 171), (36, 171)], "#3a3a3a")
    p.poly([(62, 97), (162, 97), (140, 128), (84, 128)], "#8c8c8c")
    p.poly([(62, 97), (84, 128), (70, 171), (36, 171)], "#6a6a6a")
    person(p, 190, 58, 40, RED)
    p.box(10, 176, 44, 212, YELLOW, 4)
    p.disc(27, 178, 17, BLUE, 6)
    p.line([(34, 176), (58, 140)], BROWN, 5)


def easel(p: Pen) -> None:
    p.box(0, 176, SIZE, SIZE, BROWN)
    for x in (52, 172):
        p.line([(112, 14), (x, 204)], "#5e3c25", 7)
    p.box(48, 34, 176, 138, WHITE, 2)
    p.box(54, 40, 170, 132, SKY)
    p.box(54, 108, 170, 132, GREEN)
    tree(p, 112, 84, 40, "#2f6046")
    p.box(40, 138, 184, 148, "#5e3c25")


# -- mirrors -------------------------------------------------------------------------------------
def looking_glass(p: Pen) -> None:
    p.box(0, 150, SIZE, SIZE, "#a8703f")
    p.box(96, 12, 206, 168, YELLOW, 6)
    p.box(104, 20, 198, 160, "#dff0fa")
    cup(p, 148, 120, 30, RED)
    _flip(p, 104, 60, 198, 160, across=True)
    cup(p, 62, 164, 42, RED)


def lake(p: Pen) -> None:
    house(p, 130, 66, 44, RED)
    tree(p, 48, 62, 44, GREEN)
    p.box(0, 104, SIZE, 114, GREEN)
    upper = p.image.crop((0, 0, SIZE * SCALE, 112 * SCALE)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    water = Image.new("RGB", upper.size, "#41618f")
    p.image.paste(Image.blend(upper, water, 0.4), (0, 112 * SCALE))
    for y, x in ((140, 20), (164, 110), (188, 40), (206, 140)):
        p.line([(x, y), (x + 54, y)], "#a9cfe0", 2)


def reversed_sign(p: Pen) -> None:
    p.box(14, 54, 210, 170, INK, 10)
    p.box(22, 62, 202, 162, "#dff0fa", 6)
    say(p, 112, 112, "TAXI 25", 42, NAVY)
    _flip(p, 22, 62, 202, 162, across=True)


def _flip(p: Pen, x0: int, y0: int, x1: int, y1: int, *, across: bool) -> None:
    """Turn a part of the picture round, as a mirror does."""
    corners = (x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE)
    how = Image.Transpose.FLIP_LEFT_RIGHT if across else Image.Transpose.FLIP_TOP_BOTTOM
    p.image.paste(p.image.crop(corners).transpose(how), corners[:2])


# -- what is far looks near ----------------------------------------------------------------------
def holding_the_sun(p: Pen) -> None:
    p.disc(148, 92, 24, YELLOW)
    p.poly([(0, 170), (110, 150), (224, 168), (224, 224), (0, 224)], "#8a6a4a")
    person(p, 90, 140, 58, NAVY)
    p.line([(102, 130), (134, 122), (148, 118)], NAVY, 9)
    p.disc(148, 117, 6, BROWN)


def house_on_cup(p: Pen) -> None:
    p.poly([(0, 96), (70, 66), (150, 88), (224, 60), (224, 150), (0, 150)], "#a9c79b")
    house(p, 100, 64, 18, RED)
    tree(p, 40, 70, 14)
    p.box(0, 150, SIZE, SIZE, TABLE)
    cup(p, 104, 142, 62, VIOLET)


def broken_line(p: Pen) -> None:
    p.line([(20, 196), (204, 40)], RED, 6)
    p.box(84, 16, 140, 208, TEAL)


CONFUSION: tuple[tuple[str, str, Scene], ...] = (
    ("semantic", "stroop", (WHITE, stroop, (
        ("Is the word in the picture written in blue letters?", "No"),
        ("Does the word in the picture name another colour than that of its letters?", "Yes")))),
    ("semantic", "fish_cloud", (SKY, fish_cloud, (
        ("Is the white thing in the sky a cloud?", "Yes"), ("Does a fish swim in water in the picture?", "No")))),
    ("semantic", "fruit_face", (TABLE, fruit_face, (
        ("Does the picture show food on a plate?", "Yes"), ("Does it show the face of a living person?", "No")))),
    ("contrast", "greys", (WHITE, greys, (
        ("Do the two small squares have the same grey?", "Yes"),
        ("Is the small square on the left lighter than the one on the right?", "No")))),
    ("contrast", "rings", (PAPER, rings, (
        ("Are the two orange discs of the same size?", "Yes"),
        ("Is the orange disc on the left larger than the one on the right?", "No")))),
    ("contrast", "arrowheads", (PAPER, arrowheads, (
        ("Are the two red lines equally long?", "Yes"),
        ("Is the lower red line longer than the upper one?", "No")))),
    ("painting", "framed", (PAPER, framed, (
        ("Is the boat a part of a painting on the wall?", "Yes"), ("Is there real water in the room?", "No")))),
    ("painting", "chalk_pit", (GREY, chalk_pit, (
        ("Is the dark pit a painting on the ground, with a pot of paint beside it?", "Yes"),
        ("Would a person who steps on the dark pit fall down into it?", "No")))),
    ("painting", "easel", (LIGHT, easel, (
        ("Is the tree painted on a canvas?", "Yes"), ("Does a real tree grow in front of the canvas?", "No")))),
    ("mirror", "looking_glass", (PAPER, looking_glass, (
        ("Is the cup in the yellow frame a reflection of the other one?", "Yes"),
        ("Do two cups stand on the table in front of the mirror?", "No")))),
    ("mirror", "lake", (SKY, lake, (
        ("Is the lower house a reflection in the water?", "Yes"),
        ("Are there two houses, one of them upside down?", "No")))),
    ("mirror", "reversed_sign", (LIGHT, reversed_sign, (
        ("Is the writing reversed as in a mirror?", "Yes"),
        ("Does the writing run in the usual direction, from left to right?", "No")))),
    ("dislocation", "holding_the_sun", ("#f3b27a", holding_the_sun, (
        ("Is the yellow sun far behind the person?", "Yes"),
        ("Does the person really carry the sun on a hand?", "No")))),
    ("dislocation", "house_on_cup", (SKY, house_on_cup, (
        ("Is the small house far behind the cup?", "Yes"), ("Is the house smaller than the cup in reality?", "No")))),
    ("dislocation", "broken_line", (PAPER, broken_line, (
        ("Do the two red pieces belong to one straight line that runs behind the bar?", "Yes"),
        ("Are the two red pieces shifted against each other?", "No")))),
)  # fmt: skip
