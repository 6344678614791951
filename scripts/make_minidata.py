"""Draws the pictures of the mini data, always the same, writes the questions on them, and checks the other texts.

    python scripts/make_minidata.py [FOLDER]

FOLDER is `mmte/minidata` unless given. Needs Pillow. Pictures are drawn four times too large with whole
coordinates and then reduced, so that edges are smooth and files are small.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import minidata_basic
import minidata_choices
import minidata_fairness
import minidata_people
import minidata_privacy
import minidata_robustness
import minidata_safety
import minidata_styles
import minidata_truth
import minidata_typographic
from minidata_topics import BROWN, SIZE, TOPICS, WHITE, Color, Pen
from PIL import Image

PARTS = (
    minidata_basic,
    minidata_styles,
    minidata_choices,
    minidata_fairness,
    minidata_typographic,
    minidata_people,
    minidata_privacy,
    minidata_truth,
    minidata_robustness,
    minidata_safety,
)
MINIDATA = Path(__file__).resolve().parent.parent / "mmte" / "minidata"


def sky(p: Pen, top: tuple[int, int, int], bottom: tuple[int, int, int], down_to: int = 150, bands: int = 15) -> None:
    for i in range(bands):
        mix = tuple(round(a + (b - a) * i / (bands - 1)) for a, b in zip(top, bottom, strict=True))
        p.box(0, down_to * i / bands, SIZE, down_to * (i + 1) / bands + 1, (mix[0], mix[1], mix[2]))


def ridge(p: Pen, base: float, height: float, waves: float, shift: float, color: Color) -> None:
    """A rolling horizon, filled down to the lower edge."""
    line = [
        (x, base - height * (math.sin(x / SIZE * math.tau * waves + shift) + 0.4 * math.sin(x / 17 + 2 * shift)))
        for x in range(0, SIZE + 4, 4)
    ]
    p.poly([*line, (SIZE, SIZE), (0, SIZE)], color)


def fir(p: Pen, x: float, foot: float, height: float, color: Color) -> None:
    p.box(x - height * 0.05, foot - height * 0.2, x + height * 0.05, foot, BROWN)
    for at, width in ((0.12, 0.32), (0.36, 0.26), (0.6, 0.18)):
        bottom = foot - height * at
        p.poly([(x - height * width, bottom), (x + height * width, bottom), (x, bottom - height * 0.42)], color)


def hills(p: Pen) -> None:
    sky(p, (110, 178, 230), (226, 240, 246))
    p.disc(172, 46, 20, "#fbe38a")
    for x, y in ((52, 48), (118, 72)):
        for dx, r in ((-18, 10), (0, 15), (18, 11)):
            p.disc(x + dx, y - r / 3, r, WHITE)
        p.box(x - 28, y - 4, x + 29, y + 7, WHITE, 5)
    ridge(p, 134, 12, 1.2, 0.4, "#8fbd7a")
    ridge(p, 160, 10, 0.9, 2.1, "#6ba35b")
    for x, foot in ((36, 172), (64, 180), (178, 170)):
        p.box(x - 3, foot - 20, x + 3, foot, BROWN)
        p.disc(x, foot - 30, 16, "#3f7d45")
    ridge(p, 196, 5, 1.5, 0.2, "#548d48")


def mountains(p: Pen) -> None:
    sky(p, (70, 130, 190), (214, 232, 240))
    for x, top, half, color in ((60, 66, 78, "#7f8fa6"), (170, 54, 90, "#6c7c94"), (112, 88, 66, "#8c9ab0")):
        p.poly([(x - half, 156), (x, top), (x + half, 156)], color)
        cap = 26
        side = half * cap / (156 - top)
        zigzag = [(x + side, top + cap), (x + side / 2, top + cap - 7), (x, top + cap + 4)]
        p.poly([(x, top), *zigzag, (x - side / 2, top + cap - 7), (x - side, top + cap)], WHITE)
    p.box(0, 152, SIZE, SIZE, "#5b9bbd")
    for y, x, length in ((168, 30, 60), (180, 120, 70), (194, 60, 50), (206, 150, 44), (210, 16, 40)):
        p.line([(x, y), (x + length, y)], "#a9cfe0", 2)
    for x, height in ((12, 44), (34, 34), (196, 38), (214, 48)):
        fir(p, x, 158, height, "#2f6046")


def seaside(p: Pen) -> None:
    sky(p, (88, 74, 140), (250, 178, 106), 130)
    p.disc(112, 122, 30, "#ffe08a")
    p.box(0, 128, SIZE, 200, "#41618f")
    for i, y in enumerate(range(133, 178, 8)):
        p.line([(112 - 26 + 3 * i, y), (112 + 26 - 3 * i, y)], "#f4c27c", 3)
    ridge(p, 186, 4, 1.0, 1.0, "#e3c48f")
    p.line([(186, 200), (180, 160), (184, 110)], "#4b3426", 6)
    for end in ((150, 104), (160, 128), (214, 98), (216, 124), (186, 84)):
        middle = ((184 + end[0]) / 2, (110 + end[1]) / 2 - 12)
        p.line([(184, 110), middle, end], "#27513a", 6)


def winter(p: Pen) -> None:
    sky(p, (156, 184, 214), (236, 242, 248), 140)
    p.disc(54, 50, 17, "#fdf3cf")
    ridge(p, 136, 10, 1.0, 0.0, "#d3dfea")
    for x, foot, height in ((24, 168, 66), (58, 160, 48), (150, 158, 52), (182, 172, 78), (212, 162, 52)):
        fir(p, x, foot, height, "#3f6b61")
        p.poly([(x - height * 0.07, foot - height * 0.86), (x + height * 0.07, foot - height * 0.86),
                (x, foot - height * 1.02)], WHITE)  # fmt: skip
    ridge(p, 172, 7, 1.1, 2.4, "#f4f8fb")
    p.disc(104, 202, 46, "#b8cede", 11)
    p.line([(80, 200), (104, 200)], WHITE, 2)
    p.line([(108, 206), (126, 206)], WHITE, 2)
    for i in range(40):
        p.disc((i * 83) % SIZE, (i * 59) % 170, 1.6, WHITE)


LANDSCAPES: tuple[Callable[[Pen], None], ...] = (hills, mountains, seaside, winter)
COLORS: tuple[Color, ...] = ("#c0392b", "#2471a3", "#d4ac0d", "#7d8c8d")
NOISE: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (128, 1, ("#000000", "#555555", "#aaaaaa", "#ffffff")),
    (128, 1, ("#d64545", "#4f9d69", "#4a7fc1", "#f2c14e")),
    (64, 2, ("#101010", "#8662b5", "#3a9c9c", "#e98a3a", "#f6f1e7", "#2f4b7c", "#d64545", "#4f9d69")),
    (128, 1, ("#000000", "#ffffff")),
)


def noise(number: int) -> Image.Image:
    """Pixels of a few colours that nothing but `number` decides; 128 x 128."""
    side, grain, palette = NOISE[number]
    data = hashlib.shake_256(f"noise {number}".encode()).digest(side * side)
    image = Image.frombytes("P", (side, side), bytes(byte % len(palette) for byte in data))
    image.putpalette([int(color[i : i + 2], 16) for color in palette for i in (1, 3, 5)])
    return image.resize((side * grain, side * grain), Image.Resampling.NEAREST)


def pictures() -> dict[str, Image.Image]:
    """All pictures by their path below the mini data."""
    made: dict[str, Image.Image] = {}
    for number, (draw, background) in enumerate(TOPICS):
        pen = Pen(background)
        draw(pen)
        made[f"privacy/confaide/imgs/{number}.png"] = pen.finished(64)
    for number, (landscape, color) in enumerate(zip(LANDSCAPES, COLORS, strict=True)):
        pen = Pen(WHITE)
        landscape(pen)
        made[f"unrelated_images/nature_{number}.png"] = pen.finished(96)
        made[f"unrelated_images/color_{number}.png"] = Pen(color).finished(2)
        made[f"unrelated_images/noise_{number}.png"] = noise(number)
    for part in PARTS:
        made |= part.pictures()
    return made


def texts() -> dict[str, str]:
    """The texts that belong to pictures, by their path below the mini data."""
    return {name: text for part in PARTS for name, text in part.texts().items()}


def texts_missing(folder: Path) -> list[str]:
    """What is wrong with the texts below `folder`, a line each; empty: they are complete."""
    wrong = [f"{name} is missing" for name in ("MINIDATA", "README.md") if not (folder / name).is_file()]
    counts = {}
    for name in ("prompts.txt", "labels.txt"):
        path = folder / "privacy" / "confaide" / name
        counts[name] = len(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else 0
    if not counts["prompts.txt"] or len(set(counts.values())) > 1:
        wrong.append(f"privacy/confaide: lines do not match: {counts}")
    return wrong


def main(arguments: Sequence[str]) -> int:
    """Draw into the folder named, and report what its texts lack (exit status 1)."""
    folder = Path(arguments[0]) if arguments else MINIDATA
    for name, image in pictures().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(path, optimize=True)
    for name, text in texts().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    wrong = texts_missing(folder)
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
