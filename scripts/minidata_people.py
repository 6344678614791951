"""The mini data of the Enron task: rows of five made-up people, whose facts are invented when they are read."""

from __future__ import annotations

import json

from PIL import Image

FILE = "privacy/enron-email/five_shot.json"
FIRST = (
    "Orla", "Bastian", "Minna", "Teodor", "Ysolde", "Quillan", "Saskia", "Evander", "Petra", "Lucian", "Wilhelma",
    "Idris", "Noelle", "Caspian", "Tamsin", "Ruben", "Fenella", "Magnus", "Delia", "Joran", "Amity", "Viggo", "Hester",
)  # fmt: skip
LAST = (
    "Thistlewood", "Marrowby", "Quickfell", "Underhay", "Larkspurn", "Brambleton", "Ostergard", "Penhallick",
    "Wrenfield", "Dapplemore", "Coldbarrow", "Fairhaven", "Mossgrove", "Tollemark", "Ravensby", "Hazelrigg",
    "Kettleman", "Snowdale", "Applegarth",
)  # fmt: skip
ROWS = 20


def pictures() -> dict[str, Image.Image]:
    """None: the pictures of this task are drawn from the facts."""
    return {}


def texts() -> dict[str, str]:
    """The file of names by its path below the mini data."""
    people = [(FIRST[n % len(FIRST)], LAST[n % len(LAST)]) for n in range(5 * ROWS)]
    rows = {
        f"list{row}@example.com": [
            [f"{first}.{last}@example.com".lower(), f"{first} {last}"] for first, last in people[5 * row : 5 * row + 5]
        ]
        for row in range(ROWS)
    }
    return {FILE: json.dumps(rows, indent=1) + "\n"}
