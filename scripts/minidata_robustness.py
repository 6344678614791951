"""The mini data of robustness beside the OOD texts: styles, sensors, attacked pictures and attacked texts."""

from __future__ import annotations

import hashlib
import json

import minidata_glue
import minidata_sensors
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
from minidata_topics import BLUE, GREEN, NAVY, ORANGE, RED, SKIN, TEAL, VIOLET, Color, Pen
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

ARTISTIC, SENSOR, ADVERSARIAL = (f"robustness/{name}" for name in ("ood-artistic", "ood-sensor", "adv_nips"))
THINGS: tuple[tuple[str, Thing, Color], ...] = (
    ("apple", apple, RED), ("ball", ball, ORANGE), ("boat", boat, RED), ("book", book, GREEN), ("car", car, BLUE),
    ("clock", clock, NAVY), ("cup", cup, BLUE), ("fish", fish, ORANGE), ("flower", flower, VIOLET),
    ("house", house, RED), ("tree", tree, GREEN), ("umbrella", umbrella, TEAL),
)  # fmt: skip
STYLES = ("cartoon", "handmake", "painting", "sketch", "tattoo", "weather")
SIDE = 112
EPS = 16
TINY = 64


def thing(number: int, background: Color, size: float = 74) -> Image.Image:
    """One of the things, twice as large as its picture will be."""
    pen = Pen(background)
    _, draw, color = THINGS[number]
    draw(pen, 112, 114, size, color)
    return pen.image.resize((2 * SIDE, 2 * SIDE), Image.Resampling.BOX)


def edges(image: Image.Image, thick: int) -> Image.Image:
    """Its outlines, black (0) on white (255)."""
    found = ImageOps.grayscale(image).filter(ImageFilter.FIND_EDGES).point(lambda v: 255 if v > 24 else 0)
    box = (2, 2, found.width - 2, found.height - 2)
    clean = Image.new("L", found.size, 0)
    clean.paste(found.crop(box), box)
    return ImageOps.invert(clean.filter(ImageFilter.MaxFilter(thick)))


def styled(style: str, number: int) -> Image.Image:
    """A thing in one of the styles."""
    grounds = {"cartoon": "#ffd3dd", "handmake": "#b4c6b0", "painting": "#a9c4d6", "weather": "#8fa3b0"}
    plain = thing(number, grounds.get(style, "#ffffff"))
    if style == "cartoon":
        image = Image.composite(plain, Image.new("RGB", plain.size, "black"), edges(plain, 7))
    elif style == "handmake":  # cut out of paper, with a shadow and a crooked edge
        shape = ImageChops.difference(plain, Image.new("RGB", plain.size, grounds[style])).convert("L")
        mask = shape.point(lambda v: 255 if v > 8 else 0).filter(ImageFilter.ModeFilter(9))
        paper = Image.new("RGB", plain.size, grounds[style])
        draw = ImageDraw.Draw(paper)
        for y in range(0, paper.height, 16):
            draw.line([(0, y), (paper.width, y + 5)], "#a8baa4", 2)
        paper.paste((118, 134, 114), (7, 9), mask)
        paper.paste(plain.filter(ImageFilter.ModeFilter(9)), (0, 0), mask)
        image = paper.rotate(5, Image.Resampling.BILINEAR, fillcolor=grounds[style])
    elif style == "painting":  # in strokes
        image = strokes(plain.filter(ImageFilter.GaussianBlur(4)), number)
    elif style == "sketch":
        image = Image.composite(Image.new("L", plain.size, 246), Image.new("L", plain.size, 60), edges(plain, 3))
    elif style == "tattoo":
        image = Image.new("RGB", plain.size, SKIN)
        image.paste("#2c3f4a", (0, 0), ImageOps.invert(edges(plain, 5)))
    else:  # fog and rain
        image = Image.blend(plain, Image.new("RGB", plain.size, "#c3cbd1"), 0.45)
        draw = ImageDraw.Draw(image)
        for at in range(90):
            x, y = (at * 83) % image.width, (at * 59 + 31 * number) % image.height
            draw.line([(x, y), (x - 6, y + 18)], "#eef3f6", 2)
    small = image.convert("RGB").reduce(2)
    return small.quantize(16, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def strokes(image: Image.Image, number: int) -> Image.Image:
    """The picture in short strokes of the brush."""
    painted = image.copy()
    draw = ImageDraw.Draw(painted)
    data = hashlib.shake_256(f"strokes {number}".encode()).digest(1400)
    for at in range(0, len(data), 2):
        x, y = data[at] * image.width // 256, data[at + 1] * image.height // 256
        lean = 3 if at % 4 else -3
        color = image.getpixel((x, y))
        draw.line([(x - 8, y + lean), (x + 8, y - lean)], color, 6)
    return painted


def clean(number: int) -> Image.Image:
    """A thing, tiny, in few colours; far enough from black and white that noise never leaves the range."""
    small = thing(number, "#d9d3c4").resize((TINY, TINY), Image.Resampling.BOX)
    few = small.quantize(8, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).convert("RGB")
    return few.point(lambda v: min(max(v, EPS), 255 - EPS))


def noisy(number: int, attack: str) -> Image.Image:
    """The same with every pixel `EPS` of 255 darker or brighter: noise, no attack on any model."""
    bits = hashlib.shake_256(f"{attack} {number}".encode()).digest(TINY * TINY)
    up = Image.frombytes("L", (TINY, TINY), bytes(255 * (b & 1) for b in bits))
    image = clean(number)
    moved = Image.composite(image.point(lambda v: v + EPS), image.point(lambda v: v - EPS), up)
    return _exact(moved)


def _exact(image: Image.Image) -> Image.Image:
    """The picture with a palette of its own colours, none changed."""
    data = image.tobytes()
    pixels = [data[at : at + 3] for at in range(0, len(data), 3)]
    colors = sorted(set(pixels))
    where = {color: n for n, color in enumerate(colors)}
    found = Image.frombytes("P", image.size, bytes(where[pixel] for pixel in pixels))
    found.putpalette(b"".join(colors))
    return found


def pictures() -> dict[str, Image.Image]:
    """All pictures by their path below the mini data."""
    made = dict(minidata_glue.pictures())
    for style in STYLES:
        for number, (name, _, _) in enumerate(THINGS):
            made[f"{ARTISTIC}/source/{style}_{name}.png"] = styled(style, number)
    for sensor, (background, drawings) in minidata_sensors.DRAWINGS.items():
        for number, (drawing, _) in enumerate(drawings):
            made[f"{SENSOR}/source/{sensor}_{number}.png"] = minidata_sensors.sensed(sensor, drawing, background)
    for number in range(len(THINGS)):
        made[f"{ADVERSARIAL}/source/clean/{number}.png"] = _exact(clean(number))
        for attack in ("untarget", "target"):
            made[f"{ADVERSARIAL}/source/{attack}/{number}.png"] = noisy(number, attack)
    return made


def texts() -> dict[str, str]:
    """All files of labels by their path below the mini data; JSON Lines, as published."""
    files = dict(minidata_glue.texts())
    for style in STYLES:
        files[f"{ARTISTIC}/label/{style}.json"] = _lines(
            [{"image_name": f"{style}_{name}.png", "gt_label": [name]} for name, _, _ in THINGS]
        )
    for sensor, (_, drawings) in minidata_sensors.DRAWINGS.items():
        files[f"{SENSOR}/label/{sensor}.json"] = _lines([
            {"image_name": f"{sensor}_{n}.png", "question": f"{question}?\n{minidata_sensors.WORD}", "answer": answer}
            for n, (_, asked) in enumerate(drawings) for question, answer in (one.split("? ") for one in asked)
        ])  # fmt: skip
    names = [name for name, _, _ in THINGS]
    files[f"{ADVERSARIAL}/label.json"] = _lines([
        {"image_name": f"{n}.png", "untarget": [name], "target": [names[(n + 5) % len(names)]]}
        for n, name in enumerate(names)
    ])  # fmt: skip
    return files


def _lines(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
