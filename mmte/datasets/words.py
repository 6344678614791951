"""Word crops: one word in a small picture, to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.basic import OCR
from mmte.datasets.readers import content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample

_FOLDER: Final = "tests/data/rec_toy_dataset"
_PARENTS: Final = ("", "mmocr_toy/", "mmocr/")


@registry.register_dataset()
class WordCrops(RootDataset):
    """The word crops that MMOCR's own tests use: `old_label.jsonl`, `{filename, text}`, images in `imgs/`.

    Lies in `tests/data/rec_toy_dataset/` of the data root, or below `mmocr_toy/` or `mmocr/` of it. The target is
    the word.

    Source: MMOCR (open-mmlab/mmocr, Apache-2.0); crops of street scenes in the style of SVT and ICDAR 2015.

    Raises:
        DataMissing: the labels are not under the data root.
        MmteError: a bad record, or an image missing.
    """

    dataset_ids = ("mmocr-words",)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = 10
        names = [f"{parent}{_FOLDER}/old_label.jsonl" for parent in _PARENTS]
        path = self.files.text(*names, name="old_label.jsonl")
        folder = path.parent.relative_to(self.files.root.folder).as_posix()
        records = read_json_records(path, ("filename", "text"))
        ids = content_ids("word", (str(record["filename"]) for record in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            picture = rows.image(self.files, f"{folder}/imgs", record["filename"], where, "filename")
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(picture),
                    text=f"Which word is in the picture?\n{OCR}",
                    target=rows.text(record["text"], where, "text"),
                    id=sample_id,
                    cluster=sample_id,
                )
            )
