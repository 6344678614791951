"""Scenes of the advanced inference tasks: daily life, traffic, and what causes what."""

from __future__ import annotations

import math

from minidata_things import ball, car, flower, person
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
    WHITE,
    YELLOW,
    Color,
    Pen,
)
from minidata_truth_pen import ROAD, SKY, TABLE, Scene, arrow, polygon, rain, say, sun


# -- daily life ----------------------------------------------------------------------------------
def wet(p: Pen) -> None:
    p.box(0, 186, SIZE, SIZE, "#7fa07a")
    rain(p, 80, 50, 44)
    rain(p, 164, 64, 38)
    person(p, 112, 150, 44, RED)


def laid(p: Pen) -> None:
    p.disc(112, 112, 62, WHITE)
    p.disc(112, 112, 42, LIGHT)
    p.line([(30, 92), (30, 178)], GREY, 7)
    for x in (22, 30, 38):
        p.line([(x, 52), (x, 86)], GREY, 4)
    p.line([(22, 88), (38, 88)], GREY, 5)
    p.line([(194, 120), (194, 178)], GREY, 7)
    p.poly([(190, 122), (190, 48), (204, 64), (204, 122)], GREY)


def telephone(p: Pen) -> None:
    p.box(66, 14, 158, 210, INK, 14)
    p.box(74, 32, 150, 192, WHITE, 4)
    p.box(84, 84, 136, 112, INK, 4)
    p.box(136, 92, 142, 104, INK, 2)
    p.box(87, 87, 133, 109, WHITE, 2)
    p.box(89, 89, 93, 107, RED)
    say(p, 112, 142, "5 %", 26, RED)


def heat(p: Pen) -> None:
    sun(p, 160, 66, 48)
    p.box(54, 26, 80, 170, WHITE, 12)
    p.disc(67, 178, 24, WHITE)
    p.disc(67, 178, 17, RED)
    p.box(61, 52, 73, 176, RED, 5)
    for y in range(44, 160, 18):
        p.line([(84, y), (94, y)], INK, 3)
    say(p, 160, 176, "35 C", 32, INK)


def shopping_list(p: Pen) -> None:
    p.box(40, 14, 184, 210, WHITE, 4)
    for y, word, done in ((52, "MILK", True), (106, "BREAD", True), (160, "EGGS", False)):
        p.box(56, y - 14, 84, y + 14, INK)
        p.box(59, y - 11, 81, y + 11, WHITE)
        if done:
            p.line([(62, y), (69, y + 8), (80, y - 10)], GREEN, 5)
        say(p, 132, y, word, 22)


def shop_hours(p: Pen) -> None:
    p.box(30, 18, 194, 114, NAVY, 6)
    say(p, 112, 44, "SHOP OPEN", 21, WHITE)
    say(p, 112, 84, "9:00 - 17:00", 24, YELLOW)
    p.box(58, 134, 166, 200, INK, 8)
    say(p, 112, 156, "NOW", 14, GREY)
    say(p, 112, 178, "18:30", 28, "#7fe08a")


DAILY: tuple[Scene, ...] = (
    ("#b9c6cf", wet, (("Would an umbrella be of use in the weather of the picture?", "Yes"),
                      ("Is this a good moment to hang washing out to dry?", "No"))),
    (TABLE, laid, (("Is the table laid for exactly one person?", "Yes"),
                   ("Is there a spoon for soup on the table?", "No"))),
    (LIGHT, telephone, (("Should the telephone be charged soon?", "Yes"), ("Is its battery full?", "No"))),
    (SKY, heat, (("Is it weather for a cold drink?", "Yes"), ("Is it weather for a thick winter coat?", "No"))),
    (BROWN, shopping_list, (("Are the eggs still to be bought?", "Yes"),
                            ("Has everything on the list been bought?", "No"))),
    (LIGHT, shop_hours, (("Is the shop open at the time that is shown?", "No"),
                         ("Did the shop close less than two hours ago?", "Yes"))),
)  # fmt: skip


# -- traffic -------------------------------------------------------------------------------------
def signal(p: Pen, x: float, on: str) -> None:
    p.box(x - 4, 110, x + 4, 196, INK)
    p.box(x - 22, 16, x + 22, 120, INK, 8)
    for y, name, color in ((36, "red", RED), (68, "amber", YELLOW), (100, "green", "#3fbf5f")):
        p.disc(x, y, 13, color if name == on else "#4a5560")


def red_light(p: Pen) -> None:
    p.box(0, 150, SIZE, SIZE, ROAD)
    p.box(136, 150, 144, SIZE, WHITE)
    signal(p, 182, "red")
    car(p, 70, 160, 54, BLUE)


def zebra(p: Pen) -> None:
    p.box(0, 130, SIZE, SIZE, ROAD)
    for x in range(14, 140, 30):
        p.box(x, 138, x + 18, SIZE, WHITE)
    p.box(166, 16, 206, 104, INK, 7)
    p.box(182, 104, 190, 190, INK)
    p.disc(186, 38, 13, "#4a5560")
    p.disc(186, 80, 13, "#3fbf5f")
    person(p, 54, 116, 42, ORANGE)


def plate(p: Pen, x: float, y: float, r: float, text: str) -> None:
    p.disc(x, y, r, RED)
    p.disc(x, y, r * 0.78, WHITE)
    say(p, x, y, text, r * 0.8)


def too_fast(p: Pen) -> None:
    p.box(0, 150, SIZE, SIZE, ROAD)
    p.box(54, 86, 62, 160, GREY)
    plate(p, 58, 58, 40, "50")
    car(p, 152, 166, 54, GREEN)
    p.box(112, 34, 208, 92, INK, 8)
    say(p, 160, 63, "72 km/h", 21, "#7fe08a")


def stop(p: Pen) -> None:
    p.box(108, 130, 116, 224, GREY)
    polygon(p, 112, 90, 78, 8, WHITE)
    polygon(p, 112, 90, 72, 8, RED)
    say(p, 112, 90, "STOP", 42, WHITE)


def no_left_turn(p: Pen) -> None:
    p.box(108, 150, 116, 224, GREY)
    p.disc(112, 92, 76, RED)
    p.disc(112, 92, 60, WHITE)
    p.line([(132, 130), (132, 84)], INK, 11)
    arrow(p, 132, 84, 80, 84, INK, 11)
    p.line([(70, 50), (154, 134)], RED, 11)


def parked(p: Pen) -> None:
    p.box(0, 170, SIZE, SIZE, ROAD)
    p.box(52, 100, 60, 180, GREY)
    p.box(20, 16, 92, 104, BLUE, 6)
    say(p, 56, 48, "P", 48, WHITE)
    say(p, 56, 88, "2 hours", 17, WHITE)
    car(p, 150, 172, 56, RED)
    p.box(108, 28, 212, 88, PAPER, 6)
    say(p, 160, 46, "parked for", 15)
    say(p, 160, 68, "3 hours", 20, RED)


TRAFFIC: tuple[Scene, ...] = (
    (SKY, red_light, (("Must the car wait?", "Yes"), ("Does the traffic light show green?", "No"))),
    (SKY, zebra, (("May the person cross the road now?", "Yes"),
                  ("Does the light for people on foot show red?", "No"))),
    (SKY, too_fast, (("Is the car going faster than the sign allows?", "Yes"),
                     ("Does the sign allow 80 km/h?", "No"))),
    (SKY, stop, (("Must a driver come to a halt at this sign?", "Yes"),
                 ("Does the sign tell drivers to go on without slowing down?", "No"))),
    (SKY, no_left_turn, (("Does the sign forbid turning left?", "Yes"),
                         ("Does the sign forbid turning right?", "No"))),
    (SKY, parked, (("Has the car stood there longer than the sign allows?", "Yes"),
                   ("Does the sign forbid parking altogether?", "No"))),
)  # fmt: skip


# -- cause and effect ----------------------------------------------------------------------------
def puddle(p: Pen) -> None:
    rain(p, 56, 74, 40)
    arrow(p, 104, 100, 136, 100)
    p.box(146, 112, 218, 120, GREEN)
    p.disc(182, 118, 32, BLUE, 9)


def window(p: Pen) -> None:
    ball(p, 40, 112, 24, ORANGE)
    arrow(p, 74, 112, 108, 112)
    p.box(122, 50, 210, 174, BROWN, 3)
    p.box(130, 58, 202, 166, "#bcdcea")
    p.poly([(166, 84), (176, 104), (196, 112), (174, 120), (168, 146), (158, 120), (136, 112), (158, 102)], INK)


def dominoes(p: Pen) -> None:
    p.box(0, 176, SIZE, SIZE, BROWN)
    for number, x in enumerate((40, 66, 92, 178, 204), 1):
        p.box(x - 5, 104, x + 5, 176, INK, 2)
        say(p, x, 200, str(number), 16, WHITE)
    arrow(p, 6, 116, 26, 116, RED, 4)


def melting(p: Pen) -> None:
    for y, word, color in ((36, "HEAT", RED), (112, "ICE MELTS", BLUE), (188, "WATER", TEAL)):
        p.box(42, y - 22, 182, y + 22, color, 8)
        say(p, 112, y, word, 22, WHITE)
    arrow(p, 112, 60, 112, 82)
    arrow(p, 112, 136, 112, 158)


def two_seeds(p: Pen) -> None:
    for y, watered in ((62, True), (164, False)):
        p.disc(34, y, 10, "#4b3426", 7)
        say(p, 61, y, "+", 30)
        sun(p, 92, y, 20, ORANGE)
        if watered:
            say(p, 121, y, "+", 30)
            p.poly([(142, y - 20), (130, y + 4), (154, y + 4)], BLUE)
            p.disc(142, y + 5, 12, BLUE)
        arrow(p, 162, y, 178, y, INK, 4)
        if watered:
            flower(p, 202, y, 30, RED)
        else:
            p.disc(204, y, 8, "#4b3426", 6)
    p.line([(10, 113), (214, 113)], GREY, 2)


def gear(p: Pen, x: float, y: float, r: float, turn: float, color: Color) -> None:
    for i in range(10):
        a = turn + i * math.tau / 10
        p.line([(x, y), (x + r * math.cos(a), y + r * math.sin(a))], color, r * 0.24)
    p.disc(x, y, r * 0.8, color)
    p.disc(x, y, r * 0.2, WHITE)


def gears(p: Pen) -> None:
    gear(p, 66, 128, 52, 0, BLUE)
    gear(p, 160, 128, 52, math.tau / 20, GREEN)
    p.arc(66, 128, 66, 220, 300, RED, 5)
    arrow(p, 92, 67, 102, 73, RED, 5)


CAUSALITY: tuple[Scene, ...] = (
    (PAPER, puddle, (("Is the puddle there because of the rain?", "Yes"),
                     ("Does it rain because of the puddle?", "No"))),
    (PAPER, window, (("Did the ball break the window?", "Yes"),
                     ("Would the window be broken if nothing had hit it?", "No"))),
    (PAPER, dominoes, (("Domino 1 falls to the right. Does domino 3 fall, too?", "Yes"),
                       ("Domino 1 falls to the right. Does domino 5 fall, too?", "No"))),
    (PAPER, melting, (("According to the picture, does the ice melt because of the heat?", "Yes"),
                      ("According to the picture, does the water bring about the heat?", "No"))),
    (PAPER, two_seeds, (("According to the picture, does the seed need water in order to grow?", "Yes"),
                        ("According to the picture, is sunlight alone enough for the seed?", "No"))),
    (PAPER, gears, (("The blue wheel turns as the arrow says. Does the green one turn the other way?", "Yes"),
                    ("Do both wheels turn in the same direction?", "No"))),
)  # fmt: skip
