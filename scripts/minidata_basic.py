"""The mini data of the basic world tasks: pictures of things and scenes, words on signs, and the questions on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from minidata_text import written
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
    person,
    star,
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
    SIZE,
    TEAL,
    VIOLET,
    WHITE,
    YELLOW,
    Color,
    Pen,
)  # fmt: skip
from PIL import Image, ImageChops

Placed = tuple[Thing, float, float, float, Color]
FOLDER = "truthfulness/basic_images"
QUERIES = "truthfulness/query_basic"
GROUND, TABLE, SKY = "#cfe3c3", "#e9d6bd", "#cde5f3"

# Background, then the things with centre, half size and colour; the questions with their answers.
OBJECTS: tuple[tuple[Color, tuple[Placed, ...], tuple[tuple[str, str], ...]], ...] = (
    (TABLE, ((cup, 70, 120, 44, BLUE), (apple, 160, 128, 36, RED)),
     (("Is there a cup in the picture?", "Yes"), ("Is there a clock in the picture?", "No"))),
    (GROUND, ((tree, 66, 112, 62, GREEN), (house, 158, 128, 48, RED)),
     (("Is there a house in the picture?", "Yes"), ("Is there a boat in the picture?", "No"))),
    (SKY, ((boat, 112, 112, 76, RED),),
     (("Is there a boat in the picture?", "Yes"), ("Is there a car in the picture?", "No"))),
    (PAPER, ((clock, 74, 78, 50, NAVY), (book, 158, 150, 48, GREEN)),
     (("Is there a book in the picture?", "Yes"), ("Is there an apple in the picture?", "No"))),
    (LIGHT, ((car, 146, 140, 66, RED), (person, 38, 116, 56, VIOLET)),
     (("Is there a person in the picture?", "Yes"), ("Is there a fish in the picture?", "No"))),
    ("#bfe0ea", ((fish, 84, 88, 58, ORANGE), (fish, 150, 164, 40, YELLOW)),
     (("Is there a fish in the picture?", "Yes"), ("Is there an umbrella in the picture?", "No"))),
)  # fmt: skip
ATTRIBUTES: tuple[tuple[Color, tuple[Placed, ...], tuple[tuple[str, str], ...]], ...] = (
    (GROUND, ((car, 112, 120, 84, YELLOW),), (("Is the car yellow?", "Yes"), ("Is the car blue?", "No"))),
    (TABLE, ((apple, 44, 120, 30, GREEN), (apple, 112, 120, 30, GREEN), (apple, 180, 120, 30, GREEN)),
     (("Are there exactly three apples in the picture?", "Yes"), ("Are the apples red?", "No"))),
    (LIGHT, ((ball, 64, 146, 26, RED), (ball, 148, 108, 62, RED)),
     (("Are the two balls of different sizes?", "Yes"), ("Is the larger ball on the left?", "No"))),
    (PAPER, ((umbrella, 112, 112, 78, RED),), (("Is the umbrella open?", "Yes"), ("Is the umbrella green?", "No"))),
    (SKY, ((flower, 68, 124, 66, VIOLET), (flower, 158, 124, 66, VIOLET)),
     (("Are the petals of the flowers purple?", "Yes"), ("Are there more than three flowers in the picture?", "No"))),
    ("#243447", ((star, 66, 70, 34, YELLOW), (star, 158, 70, 34, YELLOW), (star, 66, 158, 34, YELLOW),
                 (star, 158, 158, 34, YELLOW)),
     (("Are there four stars in the picture?", "Yes"), ("Are the stars arranged in one single row?", "No"))),
)  # fmt: skip
# The things asked about in each picture of the grounding set, with the words for them.
GROUNDING: tuple[tuple[Color, tuple[tuple[str, Placed], ...]], ...] = (
    (TABLE, (("the cup", (cup, 60, 60, 40, BLUE)), ("the apple", (apple, 166, 160, 38, RED)))),
    (GROUND, (("the house", (house, 156, 74, 56, RED)), ("the tree", (tree, 52, 140, 56, GREEN)))),
    (SKY, (("the boat", (boat, 72, 142, 58, RED)), ("the star", (star, 172, 52, 34, YELLOW)))),
    (PAPER, (("the clock", (clock, 150, 66, 52, NAVY)), ("the book", (book, 60, 150, 48, TEAL)))),
    (LIGHT, (("the car", (car, 96, 70, 72, YELLOW)), ("the ball", (ball, 170, 172, 32, ORANGE)))),
    ("#bfe0ea", (("the larger fish", (fish, 88, 150, 70, ORANGE)), ("the smaller fish", (fish, 164, 50, 34, RED)))),
)
SIGNS: tuple[tuple[str, Color, Color], ...] = (
    ("BAKERY", BROWN, WHITE), ("EXIT", GREEN, WHITE), ("LIBRARY", NAVY, YELLOW), ("Platform 7", WHITE, INK),
    ("GARDEN", TEAL, WHITE), ("OPEN", RED, WHITE), ("42", YELLOW, INK), ("Museum", VIOLET, WHITE),
    ("TEA 3.50", PAPER, INK), ("Harbour", BLUE, WHITE), ("TICKETS", INK, YELLOW), ("Room B12", LIGHT, NAVY),
)  # fmt: skip


def kitchen(p: Pen) -> None:
    p.box(0, 150, SIZE, SIZE, "#d9b98c")
    p.box(12, 96, 100, 200, "#b07a4a", 3)
    for y in (122, 160):
        p.line([(22, y), (90, y)], "#8a5a3b", 3)
    p.box(118, 92, 204, 204, WHITE, 4)
    p.box(130, 128, 192, 190, INK, 5)
    for x in (136, 156, 176, 192):
        p.disc(x, 108, 5, RED if x == 136 else GREY)
    p.box(138, 62, 186, 92, GREY, 5)
    p.line([(186, 72), (212, 68)], INK, 6)
    p.box(24, 18, 92, 64, "#b07a4a", 3)
    cup(p, 56, 80, 15, RED)


def street(p: Pen) -> None:
    p.box(0, 150, SIZE, SIZE, "#5d6670")
    for x in range(8, SIZE, 48):
        p.box(x, 184, x + 26, 189, WHITE)
    for x, top, color in ((6, 40, "#c98d6b"), (62, 64, "#8fa7b8"), (122, 30, "#b9a26f"), (176, 58, "#a67f8e")):
        p.box(x, top, x + 50, 152, color)
        for wx in (x + 9, x + 30):
            for wy in range(top + 12, 136, 26):
                p.box(wx, wy, wx + 11, wy + 14, "#e8f1f6")
    car(p, 64, 176, 34, RED)
    car(p, 166, 200, 36, YELLOW)


def desert(p: Pen) -> None:
    p.disc(176, 42, 22, "#fbe38a")
    p.poly([(0, 150), (60, 118), (130, 146), (190, 112), (224, 132), (224, 224), (0, 224)], "#e2b36d")
    p.poly([(0, 190), (80, 164), (224, 200), (224, 224), (0, 224)], "#cf9a52")
    for x, y, h in ((58, 172, 60), (160, 160, 42)):
        p.line([(x, y), (x, y - h)], GREEN, 12)
        p.line([(x, y - h * 0.4), (x - 18, y - h * 0.45), (x - 18, y - h * 0.8)], GREEN, 8)
        p.line([(x, y - h * 0.55), (x + 17, y - h * 0.6), (x + 17, y - h * 0.9)], GREEN, 8)


def classroom(p: Pen) -> None:
    p.box(0, 160, SIZE, SIZE, "#c8a77a")
    p.box(26, 24, 198, 106, BROWN, 3)
    p.box(32, 30, 192, 100, "#2f5d4a")
    p.line([(52, 54), (120, 54)], WHITE, 3)
    p.line([(52, 74), (96, 74)], WHITE, 3)
    p.poly([(140, 84), (160, 48), (180, 84)], WHITE)
    p.poly([(147, 80), (160, 56), (173, 80)], "#2f5d4a")
    for x in (20, 88, 156):
        p.box(x, 144, x + 50, 154, "#a8703f", 2)
        p.line([(x + 5, 154), (x + 5, 196)], INK, 4)
        p.line([(x + 45, 154), (x + 45, 196)], INK, 4)
    book(p, 44, 136, 10, RED)


def night(p: Pen) -> None:
    p.disc(164, 56, 28, "#f6efc9")
    p.disc(152, 48, 25, "#16223a")
    for i in range(26):
        p.disc((i * 67 + 9) % SIZE, (i * 41 + 11) % 130, 1.8, WHITE)
    p.poly([(0, 170), (70, 140), (140, 168), (224, 136), (224, 224), (0, 224)], "#0d1626")
    house(p, 74, 158, 30, "#3b3f58")


def meadow(p: Pen) -> None:
    p.box(0, 104, SIZE, SIZE, "#7fb565")
    p.disc(46, 42, 20, YELLOW)
    tree(p, 168, 100, 56, "#3f7d45")
    for x, y, color in ((30, 160, RED), (74, 184, VIOLET), (118, 160, YELLOW), (200, 190, RED), (156, 196, WHITE)):
        flower(p, x, y, 24, color)


SCENES: tuple[tuple[Callable[[Pen], None], Color, tuple[tuple[str, str], ...]], ...] = (
    (kitchen, "#f3e9d8", (("Does the picture show a kitchen?", "Yes"), ("Does the picture show a beach?", "No"))),
    (street, SKY, (("Does the picture show a street in a town?", "Yes"), ("Does the picture show a forest?", "No"))),
    (desert, "#f6d9a8", (("Does the picture show a desert?", "Yes"), ("Does the picture show a snowy forest?", "No"))),
    (classroom, "#e8ecd9", (("Does the picture show a classroom?", "Yes"), ("Does it show a bathroom?", "No"))),
    (night, "#16223a", (("Is it night in the picture?", "Yes"), ("Does it show a room with furniture?", "No"))),
    (meadow, SKY, (("Does the picture show a meadow?", "Yes"), ("Does the picture show a railway station?", "No"))),
)


def pictures() -> dict[str, Image.Image]:
    """All pictures by their path below the mini data."""
    made = {}
    for folder, table in (("object", OBJECTS), ("attribute", ATTRIBUTES)):
        for number, (background, things, _) in enumerate(table):
            made[f"{FOLDER}/{folder}/{number}.png"] = _scene(background, things)
    for number, (background, named) in enumerate(GROUNDING):
        made[f"{FOLDER}/grounding/{number}.png"] = _scene(background, [thing for _, thing in named])
    for number, (draw, background, _) in enumerate(SCENES):
        pen = Pen(background)
        draw(pen)
        made[f"{FOLDER}/scene/{number}.png"] = pen.finished(64)
    for number, (word, background, color) in enumerate(SIGNS):
        made[f"{FOLDER}/ocr/{number}.png"] = written(word, 44, background, color, width=SIZE, frame=GREY)
    return made


def texts() -> dict[str, str]:
    """The files of questions by their path below the mini data."""
    asked = {
        "d_existence": [(n, *qa) for n, (_, _, pairs) in enumerate(OBJECTS) for qa in pairs],
        "d_attribute": [(n, *qa) for n, (_, _, pairs) in enumerate(ATTRIBUTES) for qa in pairs],
        "d_scene": [(n, *qa) for n, (_, _, pairs) in enumerate(SCENES) for qa in pairs],
        "g_grounding": [(n, f"Where is {name}?", json.dumps(extent(thing)))
                        for n, (_, named) in enumerate(GROUNDING) for name, thing in named],
        "g_ocr": [(n, "What is written on the sign?", word) for n, (word, _, _) in enumerate(SIGNS)],
    }  # fmt: skip
    files = {}
    for name, rows in asked.items():
        records = [{"image": f"{number}.png", "query": query, "truth": truth} for number, query, truth in rows]
        files[f"{QUERIES}/query_{name}.json"] = json.dumps(records, indent=1, ensure_ascii=False) + "\n"
    return files


def extent(thing: Placed) -> list[float]:
    """The box around a thing, `[xmin, ymin, xmax, ymax]` in parts of the picture, from what is drawn."""
    draw, x, y, size, color = thing
    pen = Pen("#010203")
    draw(pen, x, y, size, color)
    alone = Image.new("RGB", pen.image.size, "#010203")
    found = ImageChops.difference(pen.image, alone).getbbox()
    assert found is not None
    return [round(edge / pen.image.width, 3) for edge in found]


def _scene(background: Color, things: Sequence[Placed]) -> Image.Image:
    pen = Pen(background)
    for draw, x, y, size, color in things:
        draw(pen, x, y, size, color)
    return pen.finished(64)
