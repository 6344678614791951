"""Pictures beside questions: with a false premise, that help or mislead, and with a false word on them."""

from __future__ import annotations

import math

from minidata_things import apple, ball, boat, book, car, clock, cup, fish, flower, house, person, star, tree, umbrella
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
    Color,
    Pen,
)
from minidata_truth_pen import GROUND, NIGHT, SKY, TABLE, Drawing, Placed, hands, polygon, say, sun

Asked = tuple[Color, Drawing | tuple[Placed, ...], str, str]
"""Background, what is drawn on it, the question, and its answer."""

FACTUAL: tuple[Asked, ...] = (
    (TABLE, ((apple, 112, 116, 70, GREEN),),
     "Apples are dug out of the ground like stones. Which colour has the apple in the picture?", "green"),
    (SKY, ((boat, 112, 108, 84, RED),),
     "Boats fly to the moon every day. Which colour has the hull of the boat in the picture?", "red"),
    ("#bfe0ea", ((fish, 112, 112, 84, ORANGE),),
     "Fish live in dry deserts. Which colour has the fish in the picture?", "orange"),
    (GROUND, ((tree, 60, 124, 62, GREEN), (house, 160, 136, 50, TEAL)),
     "Trees are made of glass. Which building stands beside the tree in the picture?", "house"),
    (PAPER, ((clock, 112, 112, 90, NAVY),),
     "A day has forty hours. Which thing is in the picture: a clock or a compass?", "clock"),
    (LIGHT, ((umbrella, 112, 112, 84, BLUE),),
     "People cook soup in umbrellas. Which colour has the umbrella in the picture?", "blue"),
    (PAPER, ((book, 64, 112, 56, RED), (cup, 166, 124, 40, GREEN)),
     "Books are read with the ears only. Which thing stands to the right of the book in the picture?", "cup"),
    (NIGHT, ((star, 112, 104, 88, YELLOW),),
     "Stars are candles on strings. Which shape is in the sky of the picture?", "star"),
    (LIGHT, ((car, 84, 100, 76, GREEN), (ball, 192, 178, 22, ORANGE)),
     "Cars run on milk. Which of the two things in the picture is larger, the car or the ball?", "car"),
    (SKY, ((flower, 112, 122, 90, YELLOW),),
     "Flowers eat stones. Which colour have the petals of the flower in the picture?", "yellow"),
    (GROUND, ((tree, 156, 104, 80, GREEN), (person, 72, 138, 58, VIOLET)),
     "People have four legs. Which plant stands behind the person in the picture?", "tree"),
    (TABLE, ((cup, 76, 104, 54, WHITE), (apple, 176, 138, 34, RED)),
     "Cups are worn on the feet. Which fruit lies beside the cup in the picture?", "apple"),
)  # fmt: skip


# -- pictures that help, and pictures that mislead -----------------------------------------------
def spider(legs: int) -> Drawing:
    def draw(p: Pen) -> None:
        for side in (-1, 1):
            for i in range(legs // 2):
                y = 112 + (i - (legs / 2 - 1) / 2) * 26
                p.line([(112, 112), (112 + side * 56, y - 20), (112 + side * 86, y + 18)], INK, 6)
        p.disc(112, 124, 34, INK, 40)
        p.disc(112, 78, 20, INK)

    return draw


def shape(sides: int) -> Drawing:
    def draw(p: Pen) -> None:
        polygon(p, 112, 96, 80, sides, TEAL)
        say(p, 112, 202, "HEXAGON", 26)

    return draw


def paints(mixed: Color) -> Drawing:
    def draw(p: Pen) -> None:
        for x, color, sign in ((36, BLUE, "+"), (112, YELLOW, "="), (188, mixed, "")):
            p.disc(x, 112, 25, color)
            say(p, x + 38, 112, sign, 30)

    return draw


def cycle(wheels: int) -> Drawing:
    def draw(p: Pen) -> None:
        for x in (56, 168, 112)[:wheels]:
            p.disc(x, 146, 36 if x != 112 else 26, INK)
            p.disc(x, 146, 28 if x != 112 else 18, LIGHT)
        p.line([(56, 146), (92, 88), (150, 88), (110, 146), (56, 146)], RED, 7)
        p.line([(110, 146), (92, 88)], RED, 7)
        p.line([(168, 146), (146, 66), (162, 60)], RED, 7)
        p.line([(78, 78), (104, 78)], INK, 8)

    return draw


def board(text: str, size: float = 36) -> Drawing:
    def draw(p: Pen) -> None:
        p.box(12, 46, 212, 178, BROWN, 5)
        p.box(20, 54, 204, 170, "#2f5d4a", 3)
        for number, words in enumerate(text.split("\n")):
            say(p, 112, 112 + (number - text.count("\n") / 2) * size * 1.3, words, size, WHITE)

    return draw


def planets(largest: str, small: str) -> Drawing:
    def draw(p: Pen) -> None:
        p.disc(86, 96, 62, ORANGE)
        p.disc(184, 96, 20, RED)
        say(p, 86, 186, largest, 22, WHITE)
        say(p, 184, 140, small, 18, WHITE)

    return draw


def kettle(degrees: str) -> Drawing:
    def draw(p: Pen) -> None:
        p.box(56, 104, 150, 190, GREY, 16)
        p.poly([(146, 120), (188, 96), (180, 140), (148, 150)], GREY)
        for x in (80, 104, 128):
            p.line([(x, 92), (x + 8, 74), (x, 56)], WHITE, 5)
        p.box(104, 14, 214, 50, WHITE, 6)
        say(p, 159, 32, f"{degrees} C", 24, RED)

    return draw


def signpost(place: str) -> Drawing:
    def draw(p: Pen) -> None:
        p.box(106, 60, 118, 216, BROWN)
        p.poly([(16, 40), (186, 40), (212, 76), (186, 112), (16, 112)], GREEN)
        say(p, 104, 60, "AUSTRALIA: CAPITAL", 15, WHITE)
        say(p, 104, 90, place, 28, WHITE)

    return draw


def hour(text: str) -> Drawing:
    def draw(p: Pen) -> None:
        hands(p, 112, 90, 74, 12, NAVY)
        say(p, 112, 196, f"1 hour = {text} min", 22)

    return draw


def compass(side: int) -> Drawing:
    def draw(p: Pen) -> None:
        p.box(0, 130, SIZE, SIZE, GREEN)
        sun(p, 112 + side * 66, 118, 34, ORANGE)
        p.box(0, 134, SIZE, SIZE, GREEN)
        for x, letter in ((34, "W"), (190, "E")):
            say(p, x, 182, letter, 34, WHITE)

    return draw


def violin(strings: int) -> Drawing:
    def draw(p: Pen) -> None:
        p.disc(112, 158, 56, BROWN, 50)
        p.disc(112, 96, 42, BROWN, 36)
        p.box(100, 10, 124, 90, INK)
        p.disc(112, 128, 26, BROWN)
        for i in range(strings):
            x = 112 + (i - (strings - 1) / 2) * 18 / (strings - 1)
            p.line([(x, 14), (112 + (x - 112) * 1.8, 190)], WHITE, 2)

    return draw


def jar(word: str, color: Color) -> Drawing:
    def draw(p: Pen) -> None:
        p.box(28, 52, 128, 196, color, 16)
        p.box(22, 36, 134, 60, RED, 6)
        p.box(34, 100, 122, 148, WHITE, 3)
        say(p, 78, 124, word, 24)
        p.disc(178, 96, 32, YELLOW, 20)
        for x in (166, 182, 198):
            p.box(x - 3, 78, x + 3, 114, INK)
        for dx in (-8, 16):
            p.disc(178 + dx, 68, 12, WHITE, 16)

    return draw


ASSISTANCE: tuple[tuple[Color, str, str, Drawing, Drawing], ...] = (
    (PAPER, "How many legs does a spider have? Write the number as a word.", "eight", spider(8), spider(6)),
    (PAPER, "How many sides does a hexagon have? Write the number as a word.", "six", shape(6), shape(8)),
    (PAPER, "Which colour do blue and yellow paint give when they are mixed?", "green", paints(GREEN), paints(RED)),
    (LIGHT, "How many wheels does a bicycle have? Write the number as a word.", "two", cycle(2), cycle(3)),
    (PAPER, "What is 7 times 8? Write the number in digits.", "56", board("7 x 8 = 56"), board("7 x 8 = 54")),
    (NIGHT, "Which planet of the solar system is the largest?", "Jupiter",
     planets("JUPITER", "MARS"), planets("MARS", "JUPITER")),
    (SKY, "At how many degrees Celsius does water boil at sea level? Write the number in digits.", "100",
     kettle("100"), kettle("70")),
    (SKY, "Which city is the capital of Australia?", "Canberra", signpost("CANBERRA"), signpost("SYDNEY")),
    (PAPER, "How many minutes does an hour have? Write the number in digits.", "60", hour("60"), hour("100")),
    (SKY, "In which direction, east or west, does the sun rise?", "east", compass(1), compass(-1)),
    (PAPER, "How many strings does a violin have? Write the number as a word.", "four", violin(4), violin(7)),
    (SKY, "What sweet food do bees make?", "honey", jar("HONEY", ORANGE), jar("JAM", VIOLET)),
)  # fmt: skip


# -- false words ---------------------------------------------------------------------------------
def labelled(thing: Placed, word: str) -> Drawing:
    """A thing with a paper on it that calls it something else."""

    def draw(p: Pen) -> None:
        what, x, y, size, color = thing
        what(p, x, y, size, color)
        half = 9 * len(word) + 10
        p.poly([(112 - half, 176), (112 + half, 170), (112 + half, 208), (112 - half, 214)], WHITE)
        say(p, 112, 192, word, 26)

    return draw


def bulb(p: Pen) -> None:
    p.disc(112, 88, 58, YELLOW)
    p.poly([(84, 132), (140, 132), (132, 160), (92, 160)], YELLOW)
    p.box(92, 158, 132, 196, GREY, 6)
    for i in range(8):
        a = math.pi + i * math.pi / 7
        p.line([(112 + 72 * math.cos(a), 88 + 72 * math.sin(a)), (112 + 88 * math.cos(a), 88 + 88 * math.sin(a))],
               ORANGE, 5)  # fmt: skip


MISTEXT: tuple[Asked, ...] = (
    (TABLE, labelled((apple, 112, 92, 66, RED), "BANANA"), "Which fruit is in the picture?", "apple"),
    ("#bfe0ea", labelled((fish, 112, 92, 76, YELLOW), "BIRD"), "Which animal is in the picture?", "fish"),
    (LIGHT, labelled((car, 112, 100, 84, RED), "TRAIN"), "Which vehicle is in the picture?", "car"),
    (PAPER, labelled((clock, 112, 86, 72, BROWN), "PIZZA"), "Which thing is in the picture?", "clock"),
    (GROUND, labelled((tree, 112, 84, 74, GREEN), "ROSE"), "Is a tree or a rose in the picture?", "tree"),
    (PAPER, labelled((book, 112, 84, 72, TEAL), "CHAIR"), "Which thing is in the picture?", "book"),
    (LIGHT, ((ball, 112, 112, 80, RED),),
     "As everybody can see, the ball is blue. Which colour has the ball in the picture?", "red"),
    (GROUND, ((house, 112, 112, 88, BLUE),),
     "My friend says that the roof of this house is yellow. Which colour has the roof?", "blue"),
    (SKY, ((umbrella, 112, 112, 90, RED),),
     "This umbrella is closed, and it is green. Which colour has the umbrella in the picture?", "red"),
    (NIGHT, ((star, 70, 70, 40, YELLOW), (star, 160, 150, 40, YELLOW)),
     "Here are two moons in the sky. Which shape have the two yellow things in the picture?", "star"),
    (TABLE, ((cup, 112, 112, 76, TEAL), (apple, 196, 176, 22, GREEN)),
     "The apple is larger than the cup. Which of the two is larger in the picture?", "cup"),
    (PAPER, bulb, "The picture shows a candle that gives light. Is it a candle or a bulb?", "bulb"),
)  # fmt: skip
