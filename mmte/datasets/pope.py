"""POPE: is an object in the photograph, or does a model only say so?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.basic import YES_NO
from mmte.datasets.readers import content_ids, read_json_records
from mmte.datasets.root import DataMissing, RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample

SPLITS: Final = ("random", "popular", "adversarial")
WITH_IMAGES: Final = "pope-aokvqa-with-images"
_COCO: Final = "pope-coco-"
_EXPECTED: Final = 3000
_PARENTS: Final = ("", "pope/", "truthfulness/pope/")
_IMAGES: Final = ("images/val2014", "val2014")


def read_pope(path: Path) -> list[dict[str, Any]]:
    """The questions of a POPE file, `{question_id, image, text, label}`, JSON or JSON Lines; the label is 1 or 0.

    Raises:
        MmteError: the file cannot be read, a record lacks a key, or a label is neither yes nor no.
    """
    records = read_json_records(path, ("image", "text", "label"))
    for at, record in enumerate(records):
        where = rows.place(path, at)
        record["image"], record["text"] = (rows.text(record[key], where, key) for key in ("image", "text"))
        record["label"] = rows.yes_no(record["label"], where, "label")
    return records


@registry.register_dataset()
class Pope(RootDataset):
    """Yes/no questions on objects in COCO photographs, as published.

    * `pope-coco-{random,popular,adversarial}`: `output/coco/coco_pope_<split>.json`, 3000 questions on 500
      images each; the absent objects asked about are random, frequent, or often seen together with those shown.
    * `pope-aokvqa-with-images`: the questions of `with_images/aokvqa_pope_seem_<split>.json`, a selection of
      the A-OKVQA files whose images are at hand; the split is the subset.

    Both lie in the data root itself, in `pope/` or in `truthfulness/pope/`, with the images in
    `images/val2014/` or `val2014/` beside them. Questions on one image share its cluster. The closing
    sentence is that of `d-basic-object`.

    Source: Li et al. 2023, "Evaluating Object Hallucination in Large Vision-Language Models" (POPE, MIT licence).

    Raises:
        DataMissing: the questions, or all of their images, are not under the data root; the message counts them.
        MmteError: a bad record, or some of the images missing; nothing is dropped.
    """

    dataset_ids = (*(_COCO + split for split in SPLITS), WITH_IMAGES)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        if dataset_id == WITH_IMAGES:
            names = {split: f"with_images/aokvqa_pope_seem_{split}.json" for split in SPLITS}
        else:
            split = dataset_id.removeprefix(_COCO)
            names = {split: f"output/coco/coco_pope_{split}.json"}
            self.expected = _EXPECTED
        parent = self._parent(next(iter(names.values())))
        for split, name in names.items():
            path = self.files.text(parent + name, part=True, name=name)
            self._add(path, parent, split if dataset_id == WITH_IMAGES else "")

    def _parent(self, name: str) -> str:
        """The folder, with its slash, that the published files lie in."""
        root = self.files.root
        found = root.path(*(parent + name for parent in _PARENTS), dataset=self.dataset_id)
        return found.relative_to(root.folder).as_posix().removesuffix(name)

    def _add(self, path: Path, parent: str, subset: str) -> None:
        records = read_pope(path)
        folder = self._image_folder(parent, records)
        prefix = "-".join(["pope", *([subset] if subset else [])])
        ids = content_ids(prefix, (f"{r['image']}\0{r['text']}" for r in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(rows.image(self.files, folder, record["image"], rows.place(path, at))),
                    text=f"{record['text']}\n{YES_NO}",
                    target=record["label"],
                    id=sample_id,
                    subset=subset,
                    cluster=f"coco-{record['image']}",
                )
            )

    def _image_folder(self, parent: str, records: list[dict[str, Any]]) -> str:
        """The folder that has the first image that is there at all."""
        images = list(dict.fromkeys(record["image"] for record in records))
        for folder in _IMAGES:
            if any(self._is_there(f"{parent}{folder}/{image}") for image in images):
                return parent + folder
        raise DataMissing(
            f"{self.dataset_id}: has {len(records)} questions, but none of their {len(images)} images is in "
            f"{parent}{_IMAGES[0]} under --mmte-data {self.files.root.folder}; put COCO's val2014 images there"
        )

    def _is_there(self, relative: str) -> bool:
        try:
            return self.files.root.path(relative).is_file()
        except DataMissing:
            return False
