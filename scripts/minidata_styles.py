"""The mini data of the OOD text task: sentences of film reviews in eleven styles, and a picture for each."""

from __future__ import annotations

import json
from collections.abc import Callable

from minidata_things import boat, clock, person, tree
from minidata_topics import BLUE, BROWN, GREY, INK, LIGHT, NAVY, RED, SIZE, VIOLET, WHITE, YELLOW, Color, Pen
from PIL import Image

FOLDER = "robustness/ood-text"
ORDER = (
    "base", "augment", "bible_p0", "bible_p0.6", "romantic_p0", "romantic_p0.6", "shake_p0", "shake_p0.6", "shake_w",
    "tweet_p0", "tweet_p0.6",
)  # fmt: skip

# The label and the versions of each sentence, in the order of ORDER.
SENTENCES: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1, (
        "the boat race alone is worth the price of the ticket .",
        "the boat race by itself is worth the price of the ticket .",
        "Verily, the race of the ships alone repayeth the silver that thou gavest at the gate.",
        "And the race of the ships was good, and worth the coin which was given.",
        "O race upon the silver wave, thou alone art worth the traveller's coin!",
        "That race upon the wave repays the coin we gave, and gladly.",
        "This race of barks alone doth earn the coin thou gav'st at door.",
        "The race of barks alone is worth the groat we paid.",
        "the boat race alone is worth the groat of the ticket.",
        "omg that boat race alone = worth the ticket!!",
        "the boat race alone is so worth the ticket",
    )),
    (0, (
        "two hours of speeches , and not one of them is worth hearing .",
        "two hours of speeches , and no single one of them is worth hearing .",
        "For two hours they spake, and there was no word among them that was worthy of the ear.",
        "And they spake two hours, but not one saying was worth the hearing.",
        "Alas, two weary hours of speech, and never a word to stir the heart!",
        "Two hours of speech went by, and none that the heart would keep.",
        "Two hours they prate, and ne'er a word therein deserves an ear.",
        "Two hours of prating, and none worth the ear it wearied.",
        "two hours of speeches, and not one of 'em is worth the hearing.",
        "2 hrs of speeches & not one worth hearing, yawn",
        "two hours of speeches and not a single one worth hearing",
    )),
    (1, (
        "a warm , funny story about a clockmaker who learns to be late .",
        "a warm and funny story of a clockmaker who learns how to be late .",
        "A tale of gladness, wherein a maker of clocks learneth to tarry, and the heart is warmed.",
        "It is a glad tale of a maker of clocks, who learned to tarry.",
        "How warm the tale, how bright its mirth, of one who made the hours and let them go!",
        "A warm and merry tale of one who made the clocks and learned to linger.",
        "A merry tale and warm, of one who fashions clocks and learns to tarry.",
        "'Tis warm and merry, this tale of a clock-wright who learns to be late.",
        "a warm, merry tale about a clockmaker who learns to be tardy.",
        "so warm so funny!! clockmaker learns to be late lol love it",
        "warm funny story about a clockmaker who learns to be late",
    )),
    (0, (
        "the forest looks like painted cardboard and the actors look tired .",
        "the forest looks like cardboard that was painted , and the actors look tired .",
        "The forest was as a painted board, and weariness was upon the faces of the players.",
        "And the forest was like a painted board, and the players were weary.",
        "False painted wood, thou hast no leaf; and ye who walk in it are weary all!",
        "A painted wood without a breeze, and weary they who walk in it.",
        "The wood is but a painted board, and all the players droop.",
        "A forest of painted board, and players that do droop.",
        "the forest looks like painted board and the players look weary.",
        "forest = painted cardboard, actors = tired. pass",
        "the forest looks like cardboard and the actors look sooo tired",
    )),
    (1, (
        "its last scene is so quiet and so beautiful that nobody left their seat .",
        "the last scene of it is so quiet and so beautiful that no one left their seat .",
        "And the end thereof was still and exceeding fair, and no man rose from his seat.",
        "The last of it was quiet and fair, and none rose up from his seat.",
        "O last and stillest hour, so fair that none would rise and go!",
        "So quiet and so fair the last of it that none would rise.",
        "Its close is hushed and passing fair, that none would quit the bench.",
        "So hushed, so fair the close, that no man stirred.",
        "its last scene is so quiet and so fair that none did leave their seat.",
        "that last scene tho.. so quiet so beautiful, nobody moved",
        "last scene so quiet and beautiful nobody left their seat",
    )),
    (0, (
        "a sequel that repeats every joke and ruins all of them .",
        "a sequel which repeats each joke and which ruins all of them .",
        "It telleth again every jest of its father, and maketh them all as ashes.",
        "It told again each jest of the first, and spoiled them all.",
        "Thou second tale, thou robb'st the first of every smile it had!",
        "A second tale that takes each smile of the first, and spoils it.",
        "A second part that mouths each jest anew and mars the lot.",
        "It doth repeat each jest, and mar it too.",
        "a sequel that repeats every jest and doth ruin all of 'em.",
        "sequel repeats EVERY joke and ruins them all smh",
        "a sequel that repeats every joke and just ruins all of them",
    )),
)  # fmt: skip


def race(p: Pen) -> None:
    p.box(0, 130, SIZE, SIZE, BLUE)
    boat(p, 66, 104, 56, RED)
    boat(p, 168, 126, 40, NAVY)


def speech(p: Pen) -> None:
    p.box(0, 168, SIZE, SIZE, BROWN)
    person(p, 112, 96, 72, NAVY)
    p.box(78, 118, 146, 186, "#b07a4a", 4)
    p.line([(104, 118), (98, 84)], INK, 4)
    p.box(146, 24, 208, 66, WHITE, 12)
    for y in (36, 46, 56):
        p.line([(156, y), (198, y)], GREY, 3)


def clocks(p: Pen) -> None:
    for x, y, s, color in ((62, 66, 44, NAVY), (158, 60, 38, RED), (70, 162, 36, VIOLET), (158, 158, 48, BROWN)):
        clock(p, x, y, s, color)


def cardboard(p: Pen) -> None:
    p.box(0, 176, SIZE, SIZE, BROWN)
    for x in (44, 112, 180):
        p.box(x - 34, 30, x + 34, 178, "#d3b083", 3)
        tree(p, x, 100, 30, "#6f9a6a")
        p.poly([(x - 8, 178), (x + 8, 178), (x + 22, 206), (x - 22, 206)], "#b08d5c")


def seats(p: Pen) -> None:
    p.box(36, 22, 188, 110, WHITE, 2)
    p.disc(112, 66, 24, YELLOW)
    for row, (y, shift) in enumerate(((142, 0), (180, 16))):
        for i in range(5):
            x = 26 + i * 42 + shift
            p.disc(x, y - 14, 11, INK)
            p.box(x - 16, y - 6, x + 16, y + 26, RED if row else "#9b2f2f", 6)


def reels(p: Pen) -> None:
    for x, y, color in ((76, 80, INK), (150, 146, GREY)):
        p.disc(x, y, 56, color)
        for dx, dy in ((0, -32), (30, -10), (19, 26), (-19, 26), (-30, -10)):
            p.disc(x + dx, y + dy, 12, LIGHT)
        p.disc(x, y, 8, LIGHT)


PICTURES: tuple[tuple[Callable[[Pen], None], Color], ...] = (
    (race, "#cde5f3"), (speech, "#efe5d2"), (clocks, "#f6f1e7"), (cardboard, "#20303f"), (seats, "#2a2233"),
    (reels, LIGHT),
)  # fmt: skip


def pictures() -> dict[str, Image.Image]:
    """One picture for each sentence, by its path below the mini data."""
    made = {}
    for number, (draw, background) in enumerate(PICTURES):
        pen = Pen(background)
        draw(pen)
        made[f"{FOLDER}/related/{number}.png"] = pen.finished(48)
    return made


def texts() -> dict[str, str]:
    """The file of sentences by its path below the mini data."""
    styles = {
        style: [
            {"sentence": versions[at], "label": str(label), "id": number}
            for number, (label, versions) in enumerate(SENTENCES)
        ]
        for at, style in enumerate(ORDER)
    }
    return {f"{FOLDER}/label.json": json.dumps(styles, indent=1, ensure_ascii=False) + "\n"}
