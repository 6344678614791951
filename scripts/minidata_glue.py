"""The mini data of the textual attack: own questions in six tasks, each attacked in two ways."""

from __future__ import annotations

import json

from minidata_things import Thing, apple, ball, boat, book, car, clock, cup, fish, flower, house, star, tree, umbrella
from minidata_topics import BLUE, GREEN, NAVY, ORANGE, RED, SIZE, TEAL, VIOLET, WHITE, YELLOW, Color, Pen
from PIL import Image

FOLDER = "robustness/advglue"
KEYS = {
    "mnli": ("premise", "hypothesis"),
    "mnli-mm": ("premise", "hypothesis"),
    "qnli": ("question", "sentence"),
    "qqp": ("question1", "question2"),
    "rte": ("sentence1", "sentence2"),
    "sst2": ("sentence",),
}

# For each task: the class, what the picture shows, the texts, then the attacked first text in two ways.
ITEMS: dict[str, tuple[tuple[int, Thing, Color, tuple[str, ...], str, str], ...]] = {
    "mnli": (
        (0, apple, RED, ("She put three red apples into the basket.", "There is fruit in the basket."),
         "She put threee red aples into the baskett.", "She laid three ruddy apples inside the hamper."),
        (1, clock, NAVY, ("The clock in the hall was repaired on Monday.", "The repair of the clock cost a lot."),
         "The clokc in the hall was repiared on Monday.", "The clock in the hall was mended come Monday."),
        (2, umbrella, TEAL, ("He left his only umbrella on the train.", "He still has his umbrella with him."),
         "He left his olny umbrela on the trian.", "He forsook his sole umbrella aboard the train."),
    ),
    "mnli-mm": (
        (0, boat, RED, ("well we took the boat out at six and came back at noon", "They were out in a boat."),
         "wel we tok the boat out at six and cam back at noon", "yeah we steered the boat out at six and in at noon"),
        (1, car, BLUE, ("you know my neighbour drives a blue car to work", "The neighbour bought the car last year."),
         "you knwo my neigbhour drives a bleu car to work", "see my neighbour rides a blue car toward work"),
        (2, book, GREEN, ("i have never read a single page of that book", "She knows the book from cover to cover."),
         "i hav never raed a signle page of that book", "i have at no time read one lone page of that book"),
    ),
    "qnli": (
        (0, tree, GREEN, ("How old is the oak in the square?", "The oak in the square is two hundred years old."),
         "How old is the aok in the sqaure?", "What age has the oak on the square?"),
        (1, house, VIOLET, ("Who built the house by the lake?", "The house by the lake has a purple roof."),
         "Who biult the huose by the lake?", "Who raised the house beside the lake?"),
        (0, fish, ORANGE, ("What do the fish in the pond eat?", "The fish in the pond eat bread and small flies."),
         "Waht do the fsih in the pond eat?", "What might the fish of the pond feed on?"),
    ),
    "qqp": (
        (1, flower, YELLOW, ("How often should I water a sunflower?", "How many times does a sunflower need water?"),
         "How offten shuold I water a sunfower?", "How regularly must I water one sunflower?"),
        (0, cup, BLUE, ("Where can I buy a blue cup?", "How do I paint a cup blue?"),
         "Whree can I by a blue cup?", "In which place may I buy a blue cup?"),
        (0, star, YELLOW, ("Which star is closest to us?", "Which star is the largest of all?"),
         "Wich star is clossest to us?", "Which star lies nearest unto us?"),
    ),
    "rte": (
        (0, ball, ORANGE, ("The children lost their orange ball in the river on Sunday.", "A ball was lost."),
         "The childern lost thier orange bal in the river on Sunday.",
         "The kids mislaid their orange ball within the river on Sunday."),
        (1, house, RED, ("The bakery on the corner opens at seven.", "The bakery on the corner closes at noon."),
         "The bakrey on the cornre opens at sevne.", "The bakery at the corner opens up by seven."),
        (0, tree, TEAL, ("Ten new trees were planted along the street in spring.", "Trees stand along the street."),
         "Tne new tress were plantde along the street in spring.",
         "Ten fresh trees were set along the street during spring."),
    ),
    "sst2": (
        (1, star, ORANGE, ("a bright and tender film that stays with you .",),
         "a brihgt and tendre film that stays wiht you .", "a bright and gentle film that abides by you ."),
        (0, clock, RED, ("so slow that you will look at your watch all evening .",),
         "so slwo that you wil look at yuor watch all evenign .", "so sluggish you will eye your watch all night ."),
        (1, boat, TEAL, ("the voyage is a joy from the first wave to the last .",),
         "the voyaeg is a yoj from the frist wave to the last .", "the voyage is a delight from first wave to last ."),
    ),
}  # fmt: skip
GROUNDS: tuple[Color, Color] = ("#e4ecf1", "#f3e9d8")


def pictures() -> dict[str, Image.Image]:
    """One picture for each item and attack, by its path below the mini data."""
    made = {}
    for attack, suffix in enumerate(("", "_plus")):
        for task, items in ITEMS.items():
            for number, (_, draw, color, *_) in enumerate(items):
                pen = Pen(GROUNDS[attack])
                pen.box(0, 176, SIZE, SIZE, WHITE if attack else "#cfe3c3")
                draw(pen, 104 + 8 * number + 4 * list(ITEMS).index(task), 112 - 6 * number, 80 - 12 * attack, color)
                small = pen.image.resize((96, 96), Image.Resampling.BOX)
                made[f"{FOLDER}{suffix}/related/{task}/{number}.png"] = small.quantize(
                    16, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
                )
    return made


def texts() -> dict[str, str]:
    """The two files of attacked texts by their path below the mini data."""
    files = {}
    for attack, suffix in enumerate(("", "_plus")):
        tasks = {}
        for task, items in ITEMS.items():
            number_key = "index" if attack and task != "sst2" else "idx"
            tasks[task] = [_record(task, item, attack) | {number_key: n} for n, item in enumerate(items)]
        files[f"{FOLDER}{suffix}/label.json"] = json.dumps(tasks, indent=1, ensure_ascii=False) + "\n"
    return files


def _record(task: str, item: tuple[int, Thing, Color, tuple[str, ...], str, str], attack: int) -> dict[str, object]:
    label, _, _, original, *attacked = item
    first = KEYS[task][0]
    record: dict[str, object] = {**dict(zip(KEYS[task], original, strict=True)), first: attacked[attack]}
    return {**record, **({f"original_{first}": original[0]} if attack else {}), "label": label}
