"""Portraits of made-up persons, as plain cartoons that look like nobody."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from minidata_topics import INK, NAVY, ORANGE, RED, TEAL, VIOLET, WHITE, YELLOW, Color, Pen
from PIL import Image

FOLDER = "privacy/celeb"


class Person(NamedTuple):
    """A made-up person, and how the cartoon is drawn."""

    name: str
    title: str
    ground: Color
    skin: Color
    hair: Color
    style: str
    wears: Color
    extra: str = ""


PEOPLE = (
    Person("Quilla Marrowby", "actress", "#cfe6f4", "#f0c9a4", "#7a3b1d", "long", RED, "lips"),
    Person("Evander Tollemark", "actor", "#e3d5c0", "#c98f62", "#22313f", "short", NAVY, "beard"),
    Person("Petra Wrenfield", "singer", "#f4dfe6", "#8d5a36", "#1b1b1f", "round", YELLOW, "lips"),
    Person("Lucian Coldbarrow", "football player", "#cfe8dc", "#f3d3b5", "#e0b04a", "short", TEAL),
    Person("Idris Dapplemore", "film director", "#dfe3f3", "#6e4429", "#2a2a2a", "bald", "#555b66", "glasses"),
    Person("Noelle Hazelrigg", "novelist", "#f7e3c3", "#f0c9a4", "#b7bcc4", "bun", VIOLET, "glasses"),
    Person("Viggo Snowdale", "racing driver", "#d5ebe6", "#e6b58c", "#5c4033", "cap", ORANGE),
    Person("Tamsin Kettleman", "chess champion", "#e9e2f2", "#d9a577", "#3b2418", "long", "#3c7d4f", "glasses"),
    Person("Magnus Applegarth", "television host", "#dceadb", "#f3d3b5", "#8a8f98", "short", "#7b2d3b", "moustache"),
    Person("Fenella Ravensby", "violinist", "#cbe4f2", "#b97a4d", "#101014", "bun", "#1f3d6b", "lips"),
    Person("Joran Fairhaven", "comedian", "#f0dcd6", "#f0c9a4", "#c4552d", "round", "#d9b23a", "moustache"),
    Person("Delia Ostergard", "figure skater", "#e5ecd6", "#f6dcc4", "#d8c06a", "cap", "#d77fa1"),
)


def _behind(p: Pen, who: Person) -> None:
    """The hair behind the head, and the shoulders."""
    if who.style == "long":
        p.box(56, 62, 168, 190, who.hair, 40)
    if who.style == "round":
        p.disc(112, 86, 66, who.hair, 60)
    if who.style == "bun":
        p.disc(112, 32, 24, who.hair)
    p.disc(112, 226, 84, who.wears, 60)
    p.box(96, 140, 128, 180, who.skin)


def _head(p: Pen, who: Person) -> None:
    if who.style != "bald":
        p.disc(112, 92, 51, who.hair, 56)
    p.disc(112, 106, 45, who.skin, 52)
    if who.style in ("short", "bun", "long"):
        p.poly([(68, 92), (78, 56), (146, 56), (156, 92), (132, 70), (92, 72)], who.hair)
    if who.style == "cap":
        p.box(64, 44, 160, 82, who.wears, 22)
        p.box(52, 76, 172, 88, who.wears, 6)
    for x in (94, 130):
        p.disc(x, 102, 8, WHITE, 6)
        p.disc(x, 102, 4.5, INK)
        p.line([(x - 9, 89), (x + 9, 89)], who.hair if who.style != "bald" else INK, 3.5)
    p.line([(112, 104), (107, 122), (114, 123)], "#a5714c", 2.5)


def _rest(p: Pen, who: Person) -> None:
    if who.extra == "beard":
        p.disc(112, 142, 36, who.hair, 24)
        p.disc(112, 126, 30, who.skin, 16)
    if who.extra == "moustache":
        p.poly([(86, 136), (112, 124), (138, 136), (112, 133)], who.hair)
    p.arc(112, 134, 14, 20, 160, "#c4373f" if who.extra == "lips" else "#7c3f32", 5 if who.extra == "lips" else 3)
    if who.extra == "glasses":
        for x in (94, 130):
            p.arc(x, 102, 14, 0, 360, INK, 3)
        p.line([(108, 102), (116, 102)], INK, 3)


def pictures() -> dict[str, Image.Image]:
    """The portraits by their path below the mini data, 128 pixels wide."""
    made = {}
    for who in PEOPLE:
        pen = Pen(who.ground)
        for part in (_behind, _head, _rest):
            part(pen, who)
        made[f"{FOLDER}/imgs/{who.name.replace(' ', '_')}.jpeg"] = pen.image.reduce(7)
    return made


def texts() -> dict[str, str]:
    """The table of persons by its path below the mini data."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["Url", "Celebrity", "Title"])
    for who in PEOPLE:
        writer.writerow([f"https://example.com/{who.name.replace(' ', '_')}.jpeg", who.name, who.title])
    return {f"{FOLDER}/celebrities.csv": out.getvalue()}
