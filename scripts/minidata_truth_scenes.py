"""Scenes of the advanced inference tasks: where things are, what comes first, and how two pictures differ."""

from __future__ import annotations

from minidata_things import apple, ball, book, car, clock, cup, fish, flower, house, person, star, tree, umbrella
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
    SIZE,
    TEAL,
    VIOLET,
    WHITE,
    YELLOW,
    Pen,
)
from minidata_truth_pen import GROUND, NIGHT, SKY, TABLE, Scene, halves, hands, panels, say, sun


# -- space ---------------------------------------------------------------------------------------
def crate(p: Pen) -> None:
    p.box(0, 176, SIZE, SIZE, "#d9b98c")
    ball(p, 84, 146, 30, RED)
    p.line([(36, 92), (36, 178), (132, 178), (132, 92)], BROWN, 9)
    ball(p, 182, 152, 28, YELLOW)


def queue(p: Pen) -> None:
    p.box(0, 176, SIZE, SIZE, "#8fbf7f")
    house(p, 46, 132, 44, TEAL)
    for x, color in ((106, RED), (152, BLUE), (196, GREEN)):
        person(p, x, 142, 40, color)


SPATIAL: tuple[Scene, ...] = (
    (TABLE, ((cup, 40, 120, 34, BLUE), (book, 112, 116, 38, GREEN), (clock, 186, 116, 32, NAVY)),
     (("Is the book between the cup and the clock?", "Yes"), ("Is the clock to the left of the cup?", "No"))),
    (GROUND, ((tree, 38, 150, 40, GREEN), (house, 132, 152, 50, RED), (star, 132, 48, 28, YELLOW)),
     (("Is the star straight above the house?", "Yes"), ("Is the tree to the right of the house?", "No"))),
    (LIGHT, crate, (("Is the red ball inside the open box?", "Yes"), ("Is the yellow ball inside it, too?", "No"))),
    (SKY, ((house, 112, 92, 70, RED), (car, 134, 158, 62, YELLOW)),
     (("Does the car stand in front of the house?", "Yes"), ("Does the house hide a part of the car?", "No"))),
    (PAPER, ((apple, 48, 52, 32, RED), (fish, 172, 52, 36, ORANGE), (flower, 48, 170, 40, VIOLET),
             (umbrella, 172, 166, 38, TEAL)),
     (("Is the fish in the upper right corner?", "Yes"),
      ("Are the apple and the flower in corners that lie diagonally opposite?", "No"))),
    (SKY, queue, (("Of the three people, does the one in red stand nearest to the house?", "Yes"),
                  ("Does the person in green stand between the other two?", "No"))),
)  # fmt: skip


# -- time ----------------------------------------------------------------------------------------
def growth(p: Pen) -> None:
    for number, x in enumerate(panels(p, 3)):
        p.box(x - 32, 168, x + 32, 188, BROWN, 4)
        if number == 0:
            p.disc(x, 177, 7, "#4b3426", 5)
        elif number == 1:
            p.line([(x, 168), (x, 138)], GREEN, 5)
            p.disc(x + 9, 138, 10, GREEN, 5)
        else:
            flower(p, x, 122, 48, RED)


def candle(p: Pen) -> None:
    for x, height in zip(panels(p, 3, NAVY), (96, 60, 24), strict=True):
        top = 176 - height
        p.box(x - 13, top, x + 13, 178, PAPER, 3)
        p.line([(x, top), (x, top - 8)], INK, 3)
        p.disc(x, top - 17, 6, ORANGE, 11)
        p.box(x - 24, 176, x + 24, 184, GREY, 4)


def three_hours(p: Pen) -> None:
    for x, hour in zip(panels(p, 2), (2, 5), strict=True):
        hands(p, x, 114, 44, hour, NAVY)


def eaten(p: Pen) -> None:
    first, second, third = panels(p, 3, PAPER)
    p.box(first - 6, 96, first + 6, 144, "#f3e3b0", 4)
    for y in (96, 146):
        p.disc(first, y, 16, RED, 8)
    p.line([(first, 90), (first + 4, 76)], BROWN, 4)
    apple(p, second, 120, 30, RED)
    p.disc(second + 26, 122, 16, PAPER)
    apple(p, third, 120, 30, RED)


def day(p: Pen) -> None:
    first, second, third = panels(p, 3, "#a9cbe6")
    sun(p, first, 148, 24, ORANGE)
    sun(p, second, 78, 26)
    p.box(third - 32, 40, third + 34, 190, NIGHT, 5)
    p.disc(third, 84, 20, "#f6efc9")
    p.disc(third - 9, 78, 18, NIGHT)
    for x in (first, second, third):
        p.box(x - 35, 168, x + 35, 190, GREEN if x != third else "#24452f", 5)


def thaw(p: Pen) -> None:
    for number, x in enumerate(panels(p, 3, "#7fa9cc")):
        p.box(x - 35, 170, x + 35, 190, GREEN, 5)
        scale = (1.0, 0.6, 0.0)[number]
        if scale:
            p.disc(x, 174 - 28 * scale, 28 * scale, WHITE)
            p.disc(x, 174 - 70 * scale, 19 * scale, WHITE)
            p.disc(x - 6 * scale, 170 - 70 * scale, 2.5, INK)
            p.disc(x + 6 * scale, 170 - 70 * scale, 2.5, INK)
            p.poly([(x, 174 - 70 * scale), (x + 16 * scale, 178 - 70 * scale), (x, 179 - 70 * scale)], ORANGE)
        if number:
            p.disc(x, 177, 14 + 12 * number, BLUE, 5)


TEMPORAL: tuple[Scene, ...] = (
    (LIGHT, growth, (("Do the pictures 1 to 3 show how a flower grows, in the right order?", "Yes"),
                     ("Is the flower in bloom before its first leaf comes up?", "No"))),
    (LIGHT, candle, (("Does the candle become shorter from picture 1 to picture 3?", "Yes"),
                     ("Is picture 3 the earliest one, if the candle burns all the time?", "No"))),
    (LIGHT, three_hours, (("Both clocks were seen on one afternoon. Did three hours pass between them?", "Yes"),
                          ("Does the clock of picture 1 show five o'clock?", "No"))),
    (LIGHT, eaten, (("Are the pictures 1 to 3 in the order in which an apple is eaten?", "No"),
                    ("Does picture 1 show what happens last?", "Yes"))),
    (LIGHT, day, (("Does the night come last in the pictures 1 to 3?", "Yes"),
                  ("Does the sun stand highest in picture 1?", "No"))),
    (LIGHT, thaw, (("Does the snowman melt from picture 1 to picture 3?", "Yes"),
                   ("Does the snowman become larger from picture 1 to picture 2?", "No"))),
)  # fmt: skip


# -- comparison ----------------------------------------------------------------------------------
def apples(p: Pen) -> None:
    halves(p)
    for x, y in ((34, 60), (78, 112), (34, 164)):
        apple(p, x, y, 22, RED)
    for x, y in ((138, 56), (194, 60), (166, 112), (138, 168), (194, 164)):
        apple(p, x, y, 22, RED)


def trees(p: Pen) -> None:
    p.box(0, 190, SIZE, SIZE, "#8fbf7f")
    tree(p, 64, 112, 82, GREEN)
    tree(p, 168, 152, 42, GREEN)


def bars(p: Pen) -> None:
    p.line([(30, 24), (30, 186), (206, 186)], INK, 4)
    for x, height, name, color in ((48, 60, "A", BLUE), (100, 140, "B", RED), (152, 96, "C", GREEN)):
        p.box(x, 184 - height, x + 36, 184, color)
        say(p, x + 18, 204, name, 20)


def glasses(p: Pen) -> None:
    for x, level in ((64, 62), (160, 122)):
        p.poly([(x - 34, level), (x + 34, level), (x + 28, 184), (x - 28, 184)], BLUE)
        p.line([(x - 38, 50), (x - 28, 186), (x + 28, 186), (x + 38, 50)], GREY, 5)


def missing_star(p: Pen) -> None:
    halves(p, WHITE)
    for x in (56, 168):
        house(p, x, 150, 40, RED)
        p.box(x - 50, 186, x + 50, 192, GREEN)
        p.disc(x + 26, 66, 14, "#f6efc9")
    star(p, 32, 52, 18, YELLOW)


COMPARE: tuple[Scene, ...] = (
    (PAPER, apples, (("Are there more apples on the right than on the left?", "Yes"),
                     ("Are there equally many apples on both sides?", "No"))),
    (SKY, trees, (("Is the tree on the left taller than the one on the right?", "Yes"),
                  ("Are the two trees equally tall?", "No"))),
    (WHITE, bars, (("Is bar B the highest of the three?", "Yes"), ("Is bar A higher than bar C?", "No"))),
    (LIGHT, ((car, 112, 62, 74, RED), (car, 112, 156, 74, BLUE)),
     (("Are the two cars of about the same size?", "Yes"), ("Do the two cars have the same colour?", "No"))),
    (PAPER, glasses, (("Is there more water in the left glass than in the right one?", "Yes"),
                      ("Is the right glass full to the brim?", "No"))),
    (NAVY, missing_star, (("Is something in the left picture that the right one lacks?", "Yes"),
                          ("Does the right picture lack the house?", "No"))),
)  # fmt: skip
