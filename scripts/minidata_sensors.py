"""The mini data of the sensor task: drawings in the manner of seven sensors, and the questions on them."""

from __future__ import annotations

import math
from collections.abc import Callable

from minidata_things import car, house, person, tree
from minidata_topics import BLUE, GREEN, GREY, ORANGE, RED, SCALE, SIZE, WHITE, YELLOW, Color, Pen
from PIL import Image, ImageFilter, ImageFont, ImageOps

WORD = "Answer with one word or a number."


# -- infrared: the warmer, the brighter ------------------------------------------------------------
def walkers(p: Pen) -> None:
    p.box(0, 160, SIZE, SIZE, "#3a3a3a")
    for x in (60, 130):
        _warm_person(p, x, 118)


def parked_car(p: Pen) -> None:
    p.box(0, 168, SIZE, SIZE, "#444444")
    car(p, 112, 140, 84, "#6a6a6a")
    p.disc(46, 147, 19, WHITE, 13)


def cup_of_tea(p: Pen) -> None:
    p.box(0, 170, SIZE, SIZE, "#4a4a4a")
    p.box(70, 90, 150, 172, "#f0f0f0", 10)
    p.arc(152, 128, 24, -80, 80, "#d8d8d8", 10)
    for x in (90, 112, 134):
        p.line([(x, 78), (x + 6, 60), (x - 4, 42)], "#7c7c7c", 5)


def night_house(p: Pen) -> None:
    p.box(0, 180, SIZE, SIZE, "#2c2c2c")
    p.box(50, 90, 174, 182, "#5a5a5a")
    p.poly([(36, 92), (112, 36), (188, 92)], "#4a4a4a")
    p.box(66, 108, 96, 136, "#f4f4f4")
    p.box(128, 108, 158, 136, "#f4f4f4")
    p.box(100, 140, 124, 182, "#3c3c3c")


def _warm_person(p: Pen, x: float, y: float) -> None:
    person(p, x, y, 68, "#c8c8c8")
    p.disc(x, y - 42, 20, WHITE)


# -- X-ray of luggage: dense things dark and blue, others orange ------------------------------------
def _case(p: Pen) -> None:
    p.box(20, 50, 204, 190, "#f2d9b0", 16)
    p.box(30, 60, 194, 180, "#fbeed6", 10)
    p.box(88, 32, 136, 44, "#8aa0b8", 6)


def scissors(p: Pen) -> None:
    _case(p)
    for dx in (-1, 1):
        p.line([(112 - 34 * dx, 84), (112 + 24 * dx, 140)], "#23406e", 9)
        p.disc(112 + 32 * dx, 156, 17, "#23406e")
        p.disc(112 + 32 * dx, 156, 9, "#fbeed6")


def bottles(p: Pen) -> None:
    _case(p)
    for x in (66, 112, 158):
        p.box(x - 15, 98, x + 15, 168, "#e2964a", 8)
        p.box(x - 6, 78, x + 6, 100, "#e2964a", 2)


def keys(p: Pen) -> None:
    _case(p)
    p.disc(70, 116, 24, "#23406e")
    p.disc(70, 116, 12, "#fbeed6")
    p.line([(94, 116), (168, 116)], "#23406e", 10)
    for x in (146, 164):
        p.line([(x, 116), (x, 138)], "#23406e", 9)


def shoes(p: Pen) -> None:
    _case(p)
    for y in (96, 150):
        p.poly([(58, y - 22), (92, y - 22), (110, y - 4), (160, y + 4), (164, y + 18), (58, y + 18)], "#e7ab62")
        p.line([(58, y + 18), (164, y + 18)], "#b9742f", 6)


# -- X-ray of people --------------------------------------------------------------------------------
def hand(p: Pen) -> None:
    p.box(66, 110, 166, 200, "#3d3d3d", 30)
    for n, (x, top) in enumerate(((76, 66), (100, 42), (124, 36), (148, 52))):
        p.line([(x, 116), (x, top)], "#4a4a4a", 24)
        for a, b in ((top + 4, top + 22), (top + 28, top + 50), (top + 56, 150 + 4 * n)):
            p.line([(x, a), (x, b)], "#e6e6e6", 9)
    p.line([(70, 150), (38, 112)], "#4a4a4a", 24)
    p.line([(72, 160), (56, 136)], "#e6e6e6", 9)
    p.line([(52, 130), (40, 114)], "#e6e6e6", 9)


def chest(p: Pen) -> None:
    p.disc(112, 120, 92, "#5a5a5a", 100)
    p.disc(72, 116, 34, "#1c1c1c", 66)
    p.disc(152, 116, 34, "#1c1c1c", 66)
    p.disc(128, 142, 30, "#a8a8a8", 38)
    p.box(105, 20, 119, 216, "#d6d6d6", 4)
    for y in range(52, 176, 24):
        for side in (-1, 1):
            p.line([(112 + 8 * side, y), (112 + 50 * side, y - 8), (112 + 74 * side, y + 14)], "#b8b8b8", 5)


def broken_arm(p: Pen) -> None:
    p.box(72, 0, 152, SIZE, "#484848", 30)
    p.line([(96, 6), (96, 216)], "#e2e2e2", 14)
    p.line([(128, 6), (128, 104)], "#e2e2e2", 14)
    p.line([(140, 116), (132, 216)], "#e2e2e2", 14)
    p.line([(118, 112), (148, 104)], "#1a1a1a", 6)


def tooth(p: Pen) -> None:
    p.box(0, 120, SIZE, SIZE, "#6e6e6e")
    for x in (52, 112, 172):
        p.box(x - 24, 50, x + 24, 120, "#e0e0e0", 14)
        p.poly([(x - 20, 112), (x - 4, 112), (x - 10, 184)], "#d0d0d0")
        p.poly([(x + 20, 112), (x + 4, 112), (x + 10, 184)], "#d0d0d0")
    p.disc(112, 64, 16, WHITE)


# -- MRI and CT: slices ------------------------------------------------------------------------------
def _head(p: Pen) -> None:
    p.disc(112, 112, 90, "#d8d8d8", 102)
    p.disc(112, 112, 82, "#202020", 94)
    p.disc(112, 112, 76, "#8c8c8c", 88)
    for side in (-1, 1):
        for n in range(6):
            a = math.radians(100 + 32 * n)
            p.disc(112 + side * abs(58 * math.cos(a)), 112 + 66 * math.sin(a), 13, "#6a6a6a")
    p.line([(112, 30), (112, 194)], "#3a3a3a", 4)


def brain(p: Pen) -> None:
    _head(p)
    for side in (-1, 1):
        p.disc(112 + 16 * side, 108, 10, "#181818", 26)


def brain_spot(p: Pen) -> None:
    _head(p)
    p.disc(152, 84, 18, WHITE)


def knee(p: Pen) -> None:
    p.box(60, 0, 164, SIZE, "#4c4c4c", 40)
    p.box(82, 0, 142, 92, "#b4b4b4", 18)
    p.box(80, 118, 144, 224, "#b4b4b4", 18)
    p.disc(54, 100, 16, "#9c9c9c", 30)
    p.box(84, 98, 140, 112, "#202020", 6)


def spine(p: Pen) -> None:
    p.box(40, 0, 184, SIZE, "#3e3e3e", 30)
    for y in range(12, 212, 40):
        p.box(84, y, 132, y + 28, "#b0b0b0", 6)
        p.box(86, y + 30, 130, y + 38, "#767676", 3)
    p.line([(150, 4), (150, 218)], "#dcdcdc", 10)


def _belly(p: Pen) -> None:
    p.disc(112, 112, 104, "#8a8a8a", 84)
    p.disc(112, 112, 96, "#5c5c5c", 76)
    p.disc(112, 166, 18, "#f2f2f2", 14)
    p.disc(112, 158, 6, "#3a3a3a")


def abdomen(p: Pen) -> None:
    _belly(p)
    p.disc(66, 98, 46, "#a4a4a4", 48)
    p.disc(164, 92, 26, "#868686", 34)
    p.disc(162, 92, 12, "#262626", 18)


def kidneys(p: Pen) -> None:
    _belly(p)
    for side in (-1, 1):
        p.disc(112 + 52 * side, 146, 18, "#c6c6c6", 24)
        p.disc(112 + 42 * side, 146, 8, "#5c5c5c", 10)


def lungs(p: Pen) -> None:
    _belly(p)
    for side in (-1, 1):
        p.disc(112 + 48 * side, 104, 36, "#0e0e0e", 56)
    p.disc(122, 96, 22, "#a8a8a8", 28)


def lung_spot(p: Pen) -> None:
    lungs(p)
    p.disc(56, 92, 10, "#e8e8e8")


# -- from above --------------------------------------------------------------------------------------
def _roof(p: Pen, x: float, y: float, color: Color) -> None:
    p.box(x - 20, y - 15, x + 20, y + 15, color)
    p.line([(x - 20, y), (x + 20, y)], WHITE, 2)


def airfield(p: Pen) -> None:
    p.box(0, 130, SIZE, 176, "#7c8084")
    for x in range(10, SIZE, 36):
        p.box(x, 151, x + 18, 155, WHITE)
    for x, y in ((46, 56), (112, 56), (178, 56)):
        p.line([(x, y - 28), (x, y + 28)], WHITE, 9)
        p.poly([(x - 28, y + 10), (x, y - 8), (x + 28, y + 10), (x, y + 4)], WHITE)
        p.poly([(x - 12, y + 30), (x, y + 20), (x + 12, y + 30)], WHITE)


def village(p: Pen) -> None:
    p.box(98, 0, 126, SIZE, "#8a8d90")
    for x, y, color in ((50, 40, RED), (50, 104, RED), (50, 170, BLUE), (176, 66, RED), (176, 150, BLUE)):
        _roof(p, x, y, color)


def harbour(p: Pen) -> None:
    p.box(0, 0, SIZE, 138, BLUE)
    for x in (46, 110, 176):
        p.box(x - 5, 84, x + 5, 140, "#a07850")
    for x, y in ((28, 96), (142, 104)):
        p.poly([(x - 10, y - 24), (x, y - 40), (x + 10, y - 24), (x + 10, y + 20), (x - 10, y + 20)], WHITE)


def court(p: Pen) -> None:
    p.box(30, 40, 194, 184, GREEN)
    p.box(48, 58, 176, 166, "#c9663d")
    for points in (((48, 112), (176, 112)), ((112, 58), (112, 166))):
        p.line(list(points), WHITE, 4)
    for x in (12, 212):
        for y in (36, 90, 144, 198):
            p.disc(x, y, 12, "#2f6046")


# -- from a car --------------------------------------------------------------------------------------
def _road(p: Pen) -> None:
    p.box(0, 110, SIZE, SIZE, "#7fa36b")
    p.poly([(90, 110), (134, 110), (214, 224), (10, 224)], "#565b61")
    for y, w, h in ((124, 3, 10), (150, 4, 16), (186, 6, 24)):
        p.box(112 - w, y, 112 + w, y + h, WHITE)


def _light(p: Pen, lit: int) -> None:
    p.box(158, 60, 164, 130, "#30363c")
    p.box(146, 14, 176, 80, "#20262c", 6)
    for n, color in enumerate((RED, YELLOW, "#3fbf5f")):
        p.disc(161, 26 + 21 * n, 8, color if n == lit else "#454c54")


def red_light(p: Pen) -> None:
    _road(p)
    _light(p, 0)
    car(p, 104, 124, 16, BLUE)


def green_light(p: Pen) -> None:
    _road(p)
    _light(p, 2)
    tree(p, 34, 84, 40)


def crossing(p: Pen) -> None:
    _road(p)
    for x in range(44, 182, 24):
        p.box(x, 164, x + 13, 186, WHITE)
    person(p, 70, 140, 34, ORANGE)
    person(p, 150, 140, 34, RED)


def stop_sign(p: Pen) -> None:
    _road(p)
    house(p, 44, 82, 34)
    p.box(160, 60, 166, 150, GREY)
    angles = [math.radians(22.5 + 45 * n) for n in range(8)]
    p.poly([(163 + 50 * math.cos(a), 56 + 50 * math.sin(a)) for a in angles], WHITE)
    p.poly([(163 + 46 * math.cos(a), 56 + 46 * math.sin(a)) for a in angles], RED)
    p.draw.text((163 * SCALE, 56 * SCALE), "STOP", WHITE, ImageFont.load_default(30 * SCALE), anchor="mm")


DRAWINGS: dict[str, tuple[Color, tuple[tuple[Callable[[Pen], None], tuple[str, str, str]], ...]]] = {
    "infrared": ("#161616", (
        (walkers, ("How many people are there? 2", "Are the people warmer than the ground? yes", "Is there a car? no")),
        (parked_car, ("What kind of vehicle is it? car", "Is one end of it warm? yes", "How many people are there? 0")),
        (cup_of_tea, ("What is on the table? cup", "Is it warm or cold? warm", "Is there steam? yes")),
        (night_house, (
            "What kind of building is it? house", "How many warm windows are there? 2", "Is the door warm? no",
        )),
    )),
    "lxray": (WHITE, (
        (scissors, (
            "Which sharp thing is in the case? scissors",
            "Is there a bottle? no",
            "How many pairs of scissors are there? 1",
        )),
        (bottles, ("What is in the case? bottles", "How many bottles are there? 3", "Is there a knife? no")),
        (keys, ("What is in the case? key", "How many keys are there? 1", "Is there a shoe? no")),
        (shoes, ("What is in the case? shoes", "How many shoes are there? 2", "Is there anything sharp? no")),
    )),
    "hxray": ("#0c0c0c", (
        (hand, (
            "Which part of the body is it? hand",
            "How many fingers are there with the thumb? 5",
            "Is a tooth visible? no",
        )),
        (chest, ("Which part of the body is it? chest", "How many lungs are visible? 2", "Is the spine visible? yes")),
        (broken_arm, ("How many long bones are there? 2", "Is a bone broken? yes", "Is the left bone broken? no")),
        (tooth, (
            "What is it a picture of? teeth", "How many teeth are there? 3", "How many teeth have a white filling? 1",
        )),
    )),
    "mri": ("#050505", (
        (brain, ("Which organ is it? brain", "Is there a bright white spot? no", "Is it a picture of a knee? no")),
        (brain_spot, (
            "Which organ is it? brain",
            "Is there a bright white spot? yes",
            "On which side of the picture is the spot? right",
        )),
        (knee, (
            "Which joint is it? knee",
            "Is it a picture of the brain? no",
            "On which side of the picture is the kneecap? left",
        )),
        (spine, (
            "Which part of the body is it? spine",
            "How many vertebrae are whole in the picture? 5",
            "Is a lung visible? no",
        )),
    )),
    "ct": ("#000000", (
        (abdomen, (
            "Which large organ is on the left of the picture? liver",
            "Is the spine visible? yes",
            "Are lungs visible? no",
        )),
        (kidneys, (
            "Which two organs lie beside the spine? kidneys", "How many of them are there? 2", "Are lungs visible? no",
        )),
        (lungs, (
            "Which two dark organs are visible? lungs",
            "Is the heart visible between them? yes",
            "Is there a bright spot in a lung? no",
        )),
        (lung_spot, (
            "Is there a bright spot in a lung? yes",
            "On which side of the picture is it? left",
            "How many lungs are visible? 2",
        )),
    )),
    "remote": ("#a9b98c", (
        (airfield, ("How many planes are there? 3", "Is there a runway? yes", "Is there water? no")),
        (village, ("How many houses are there? 5", "How many roofs are blue? 2", "Is there a road? yes")),
        (harbour, ("How many boats are there? 2", "Is there water? yes", "How many piers are there? 3")),
        (court, ("Is it a court or a lake? court", "What grows along the sides? trees", "Is there a plane? no")),
    )),
    "driving": ("#cde5f3", (
        (red_light, ("Which light is on? red", "What is on the road ahead? car", "Should the driver go on? no")),
        (green_light, ("Which light is on? green", "Is there a car ahead? no", "What stands beside the road? tree")),
        (crossing, ("How many people are there? 2", "Is there a zebra crossing? yes", "Should the driver wait? yes")),
        (stop_sign, (
            "What does the red sign tell the driver to do? stop",
            "What stands on the left? house",
            "Is there a traffic light? no",
        )),
    )),
}  # fmt: skip
"""For each sensor: the ground, and each drawing with three questions, the answer behind the question mark."""


def sensed(sensor: str, drawing: Callable[[Pen], None], background: Color) -> Image.Image:
    """A drawing in the manner of a sensor."""
    pen = Pen(background)
    drawing(pen)
    image = pen.image.reduce(2)
    if sensor == "infrared":
        grey = ImageOps.grayscale(image.filter(ImageFilter.GaussianBlur(3)))
        image = ImageOps.colorize(grey, "#12063a", "#fdf6c0", mid="#c2304a")
    elif sensor in ("hxray", "mri", "ct"):
        image = ImageOps.grayscale(image.filter(ImageFilter.GaussianBlur(2))).convert("RGB")
    small = image.reduce(4)
    return small.quantize(16, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
