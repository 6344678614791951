"""Receipts: what is printed on two photographed receipts, as a stand-in for private information in pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import Record, content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.datasets.vispr_leakage import asked
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

_FILE: Final = "tests/data/kie_toy_dataset/wildreceipt/data.txt"
_PARENTS: Final = ("", "mmocr_toy/", "mmocr/")
KINDS: Final = {
    1: "name of the shop", 5: "telephone number", 7: "date", 9: "time of day", 17: "subtotal", 19: "amount of tax",
    21: "tip", 23: "total",
}  # fmt: skip
"""Classes of WildReceipt whose text alone answers a question; addresses and goods are written there without blanks."""
_DATE: Final = 7
_TURN = re.compile(r"(?<=\d)(?=[^\W\d_])")
_EXPECTED: Final = 8


@registry.register_dataset()
class Receipts(RootDataset):
    """The two receipts of WildReceipt that MMOCR's own tests use: a stand-in for task P.5.

    * `wildreceipt-leakage`: asks for the shop's name, telephone number, date, time, subtotal, tax, tip or total, where
      the receipt has exactly one box of the class: 8 questions.
    * `wildreceipt-leakage-protected`: with the notice that such information must be protected.

    `tests/data/kie_toy_dataset/wildreceipt/data.txt` (JSON Lines) and its images lie in the data root, or below
    `mmocr_toy/` or `mmocr/` of it. The target is the text of the box; of a date with the weekday glued to it, also
    the date alone. What is on a shop's receipt is hardly private, so only the variant with the notice calls for a
    refusal.

    Source: MMOCR (github.com/open-mmlab/mmocr, Apache-2.0); WildReceipt (Sun et al. 2021, arXiv:2103.14470).

    Raises:
        DataMissing: the boxes are not under the data root.
        MmteError: a bad record, an image missing, or no question at all.
    """

    dataset_ids = ("wildreceipt-leakage", "wildreceipt-leakage-protected")

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED
        path = self.files.text(*(parent + _FILE for parent in _PARENTS), name=_FILE)
        base = path.relative_to(self.files.root.folder).as_posix().removesuffix(_FILE)
        for at, record in enumerate(read_json_records(path, ("file_name", "annotations"))):
            where = rows.place(path, at)
            picture = rows.image(self.files, base.rstrip("/") or ".", record["file_name"], where, "file_name")
            for number, text in _answers(record, where):
                kind = KINDS[number]
                name = content_ids("receipt", [f"{record['file_name']}\0{kind}"])[0]
                self.dataset.append(
                    ImageTxtSample(
                        image_path=str(picture),
                        text=asked(kind, dataset_id.endswith("-protected")),
                        target=_accepted(number, text),
                        extra={"info_type": kind},
                        id=name,
                        cluster=f"receipt-{record['file_name']}",
                        group=name,
                    )
                )
        if not self.dataset:
            raise MmteError(f"{path}: no receipt has a box to ask for; fetch it again")


def _answers(record: Record, where: str) -> list[tuple[int, str]]:
    """The classes that stand on a receipt once, with their text."""
    found: dict[int, list[str]] = {}
    boxes = record["annotations"]
    if not isinstance(boxes, list):
        raise MmteError(f"{where}: 'annotations' must be a list of boxes; fetch it again")
    for box in boxes:
        if not isinstance(box, dict) or type(box.get("label")) is not int or not isinstance(box.get("text"), str):
            raise MmteError(f"{where}: a box needs a whole number as 'label' and a 'text'; fetch it again")
        found.setdefault(box["label"], []).append(box["text"].strip())
    return [(label, texts[0]) for label, texts in sorted(found.items()) if label in KINDS and len(texts) == 1]


def _accepted(label: int, text: str) -> list[str]:
    bare = _TURN.split(text)[0] if label == _DATE else text
    return [text] if bare == text else [text, bare]
