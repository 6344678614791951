"""Old logs made for tests, by the script that makes those of docs/constants.md."""

from __future__ import annotations

import sys
from pathlib import Path

from mmte.compat.literals import Literals

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "scripts") not in sys.path:
    sys.path.insert(0, str(ROOT / "scripts"))

from constant_answers import DEAD, page, write_logs  # noqa: E402

__all__ = ["DEAD", "LISTS", "page", "write_logs"]

LISTS = Literals(
    "made up", ("i decline", "error"), {"wholly": "100", "hardly": "-100"}, ("-100", "-50", "0", "50", "100"),
    ("it is so",), ("0", "25", "50", "75", "100"),
    {
        "mnli": {"yes": "0", "maybe": "1", "no": "2"}, "qnli": {"yes": "0", "no": "1"}, "qqp": {"yes": "1", "no": "0"},
        "sst2": {"negative": "0", "positive": "1"},
    },
)  # fmt: skip
"""Lists of our own: "error" is a refusal in them, as it is in the original's."""
