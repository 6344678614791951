"""Papers, cards and screens with invented private information: shown, blotted out, or blotted out and framed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

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
    SKIN,
    TEAL,
    WHITE,
    YELLOW,
    Color,
    Pen,
)
from minidata_truth_pen import typeface
from PIL import Image


class Owner(NamedTuple):
    """A made-up person; what is said of them is nobody's (exchange 555-01, example.com, cards that begin with 9999)."""

    name: str
    street: str
    town: str
    born: str
    phone: str
    mail: str
    card: str
    number: str
    password: str
    plate: str
    illness: str
    mark: str


OWNERS = (
    Owner("Orla Thistlewood", "17 Alder Court", "Ashmere", "4 May 1987", "735-555-0114", "orla@example.com",
          "9999 4120 7735 2008", "KX 204 918", "plum-Kettle-42", "BRK 417", "asthma", "C"),
    Owner("Bastian Quickfell", "260 Dovecote Road", "Brookvale", "19 June 1991", "412-555-0162", "bq@example.net",
          "9999 0381 5524 6617", "MV 733 051", "wren9Harbour", "TFD 902", "diabetes", "D"),
    Owner("Saskia Penhallick", "8 Inkwell Passage", "Greywick", "30 March 1979", "908-555-0139", "saskia@example.org",
          "9999 6642 1190 3375", "PA 118 462", "Lantern_77_oak", "GWK 365", "migraine", "E"),
)  # fmt: skip


class Sheet:
    """Writes on a pen's picture; what is secret is written, blotted out, or blotted out and framed in red."""

    def __init__(self, background: Color, mode: str = "shown") -> None:
        self.pen = Pen(background)
        self.mode = mode

    def word(self, x: float, y: float, text: str, size: float, color: Color = INK) -> None:
        """A line of writing that begins at x, with y in its middle."""
        self.pen.draw.text((round(x * SCALE), round(y * SCALE)), text, color, typeface(size), anchor="lm")

    def secret(self, x: float, y: float, text: str, size: float, color: Color = INK) -> None:
        """A line of private writing."""
        if self.mode == "shown":
            self.word(x, y, text, size, color)
            return
        at = (round(x * SCALE), round(y * SCALE))
        box = self.pen.draw.textbbox(at, text, typeface(size), anchor="lm")
        self.blot(box[0] / SCALE - 2, y - size * 0.45, box[2] / SCALE + 2, y + size * 0.55)

    def blot(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Nothing where it is shown; else the blot, and its frame."""
        if self.mode == "framed":
            self.pen.box(x0 - 2, y0 - 2, x1 + 2, y1 + 2, "#e01010")
        if self.mode != "shown":
            self.pen.box(x0, y0, x1, y1, "#8c8c8c")

    def finished(self, turn: float = 0, ground: Color = GREY) -> Image.Image:
        """The picture, turned by some degrees."""
        if turn:
            self.pen.image = self.pen.image.rotate(turn, Image.Resampling.BICUBIC, fillcolor=ground)
        return self.pen.finished(24)


def portrait(s: Sheet, x: float, y: float, r: float, hair: Color) -> None:
    """A face of a few discs, which is private, too."""
    p = s.pen
    p.box(x - r * 1.3, y - r * 1.6, x + r * 1.3, y + r * 1.7, LIGHT)
    p.disc(x, y + r * 1.7, r * 1.1, TEAL, r * 0.7)
    p.disc(x, y - r * 0.2, r * 0.95, hair)
    p.disc(x, y + r * 0.1, r * 0.75, SKIN)
    for dx in (-0.3, 0.3):
        p.disc(x + r * dx, y, r * 0.1, INK)
    p.arc(x, y + r * 0.3, r * 0.3, 20, 160, INK, r * 0.1)
    s.blot(x - r * 1.3, y - r * 1.6, x + r * 1.3, y + r * 1.7)


def id_card(s: Sheet, o: Owner) -> None:
    s.pen.box(14, 46, 210, 178, "#dbe8d4", 10)
    s.pen.box(14, 46, 210, 70, GREEN, 10)
    s.word(24, 59, "CITIZEN CARD", 14, WHITE)
    portrait(s, 52, 122, 26, BROWN)
    for y, label, value in ((86, "Name", o.name), (114, "Born", o.born), (142, "Number", o.number)):
        s.word(92, y, label, 9, GREEN)
        s.secret(92, y + 12, value, 13)


def envelope(s: Sheet, o: Owner) -> None:
    s.pen.box(14, 52, 210, 176, PAPER, 3)
    s.pen.box(172, 62, 200, 96, BLUE)
    s.pen.disc(186, 79, 9, YELLOW)
    for y, value in ((118, o.name), (136, o.street), (154, o.town)):
        s.secret(64, y, value, 15)


def login(s: Sheet, o: Owner) -> None:
    s.pen.box(96, 176, 128, 204, GREY)
    s.pen.box(66, 200, 158, 210, GREY, 4)
    s.pen.box(12, 24, 212, 180, INK, 8)
    s.pen.box(20, 32, 204, 172, "#e8f1f5")
    s.word(32, 50, "Sign in", 17, NAVY)
    for y, label, value in ((74, "User", o.mail), (120, "Password", o.password)):
        s.word(32, y, label, 11, NAVY)
        s.pen.box(32, y + 9, 192, y + 33, WHITE)
        s.secret(38, y + 21, value, 14)


def bank_card(s: Sheet, o: Owner) -> None:
    s.pen.box(12, 50, 212, 174, NAVY, 12)
    s.word(24, 68, "Bank of Elmstead", 13, WHITE)
    s.pen.box(26, 84, 56, 106, YELLOW, 4)
    s.secret(26, 128, o.card, 16, WHITE)
    s.secret(26, 154, o.name.upper(), 12, WHITE)
    s.secret(160, 154, "09/31", 12, WHITE)


def medicine(s: Sheet, o: Owner) -> None:
    s.pen.box(74, 14, 150, 44, WHITE, 5)
    s.pen.box(56, 40, 168, 212, ORANGE, 12)
    s.pen.box(56, 74, 168, 186, WHITE)
    s.word(62, 86, "Lakeside Pharmacy", 10, TEAL)
    s.word(62, 104, "for", 9, GREY)
    s.secret(62, 118, o.name, 11)
    s.word(62, 138, "against", 9, GREY)
    s.secret(62, 152, o.illness, 14)
    s.word(62, 174, "1 in the morning", 10)


def boarding(s: Sheet, o: Owner) -> None:
    s.pen.box(8, 58, 216, 168, WHITE, 8)
    s.pen.box(8, 58, 216, 82, TEAL, 8)
    s.word(18, 71, "BOARDING PASS", 13, WHITE)
    s.word(18, 94, "Passenger", 9, TEAL)
    s.secret(18, 107, o.name, 14)
    s.word(18, 126, "Booking", 9, TEAL)
    s.secret(18, 139, o.number.replace(" ", "")[:6], 15)
    s.word(100, 126, "Seat", 9, TEAL)
    s.word(100, 139, "14C", 15)
    for at, width in enumerate((3, 1, 2, 4, 1, 3, 2, 1, 3)):
        s.pen.box(160 + at * 5, 96, 160 + at * 5 + width, 156, INK)


def badge(s: Sheet, o: Owner) -> None:
    s.pen.line([(72, 0), (104, 54)], BLUE, 8)
    s.pen.line([(152, 0), (120, 54)], BLUE, 8)
    s.pen.box(20, 52, 204, 196, RED, 12)
    s.pen.box(20, 100, 204, 180, WHITE)
    s.word(66, 76, "MY NAME IS", 16, WHITE)
    s.secret(34, 128, o.name.split()[0], 26)
    s.secret(34, 158, o.name.split()[1], 22)


def car_plate(s: Sheet, o: Owner) -> None:
    s.pen.box(0, 160, 224, 224, GREY)
    s.pen.poly([(44, 84), (66, 40), (158, 40), (180, 84)], BLUE)
    s.pen.poly([(58, 82), (74, 50), (150, 50), (166, 82)], "#bcdcea")
    s.pen.box(16, 80, 208, 174, BLUE, 14)
    s.pen.box(28, 166, 62, 200, INK, 6)
    s.pen.box(162, 166, 196, 200, INK, 6)
    s.pen.box(22, 92, 52, 108, RED, 4)
    s.pen.box(172, 92, 202, 108, RED, 4)
    s.pen.box(56, 122, 168, 156, WHITE, 4)
    s.secret(66, 139, o.plate, 24)


def caller(s: Sheet, o: Owner) -> None:
    s.pen.box(48, 8, 176, 216, INK, 18)
    s.pen.box(56, 24, 168, 200, "#2f5b5b", 6)
    s.word(78, 42, "Incoming call", 12, WHITE)
    portrait(s, 112, 86, 20, INK)
    s.secret(66, 138, o.name, 13, WHITE)
    s.secret(66, 156, o.phone, 15, WHITE)
    s.pen.disc(84, 182, 12, RED)
    s.pen.disc(140, 182, 12, GREEN)


def clinic_letter(s: Sheet, o: Owner) -> None:
    s.pen.box(30, 10, 194, 214, WHITE, 2)
    s.word(40, 28, "Fallowford Clinic", 15, BLUE)
    s.word(40, 58, "Dear", 12)
    s.secret(70, 58, o.name, 12)
    s.word(40, 84, "your tests have shown", 12)
    s.secret(40, 104, o.illness, 15)
    s.word(40, 126, "Call us or come by.", 12)
    for y in (150, 164, 178):
        s.pen.line([(42, y), (178 if y < 178 else 110, y)], LIGHT, 4)


def visiting_card(s: Sheet, o: Owner) -> None:
    s.pen.box(14, 58, 210, 170, "#fbf6ea", 4)
    s.pen.poly([(14, 58), (60, 58), (14, 104)], ORANGE)
    for y, value, size in ((92, o.name, 17), (120, o.mail, 13), (140, o.phone, 13)):
        s.secret(48, y, value, size)


def school_report(s: Sheet, o: Owner) -> None:
    s.pen.box(28, 14, 196, 212, PAPER, 3)
    s.word(40, 34, "School report", 16, NAVY)
    s.secret(40, 60, o.name, 14)
    for y, subject in ((92, "Drawing"), (116, "History"), (140, "Spelling")):
        s.word(40, y, subject, 13)
        s.pen.line([(40, y + 12), (184, y + 12)], LIGHT, 2)
    for y, mark in ((92, "A"), (116, "B"), (140, o.mark)):
        s.secret(166, y, mark, 16)


Paper = Callable[[Sheet, Owner], None]
PAPERS: tuple[tuple[Paper, Color], ...] = (
    (id_card, "#cfd9e3"), (envelope, "#b98d62"), (login, "#d9d2e6"), (bank_card, "#e9d6bd"), (medicine, "#cde5f3"),
    (boarding, "#e6d3c4"), (badge, "#dfe5ea"), (car_plate, "#cfe3c3"), (caller, "#f0dcd6"), (clinic_letter, "#a9bccb"),
    (visiting_card, "#9c8468"), (school_report, "#c7d8c9"),
)  # fmt: skip


def paper(number: int, owner: int, mode: str = "shown", turn: float = 0) -> Image.Image:
    """A paper of an owner; a turned one lies on another ground."""
    draw, ground = PAPERS[number]
    sheet = Sheet(ground, mode)
    draw(sheet, OWNERS[owner])
    return sheet.finished(turn, ground)
