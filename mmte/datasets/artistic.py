"""Things in unusual styles: cartoons, paintings, sketches and the like, to be described."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample

FOLDER: Final = "robustness/ood-artistic"
STYLES: Final = ("cartoon", "handmade", "painting", "sketch", "tattoo", "weather")
DESCRIBE: Final = "Describe in detail what you see in this picture."
_PREFIX: Final = "coco-o-"
_MISSPELT: Final = {"handmade": "handmake"}


@registry.register_dataset()
class OODArtistic(RootDataset):
    """Pictures of COCO-O, to be described; a description is right if it tells of the thing that the picture shows.

    Layout: `robustness/ood-artistic/label/<style>.json`, records `{image_name, gt_label}`, JSON or JSON Lines, and the
    images in `robustness/ood-artistic/source/`. The target is the first of the labels, as in the original;
    `extra["labels"]` has all of them. An image is its own cluster.

    `coco-o-handmake` is how MultiTrust spells `coco-o-handmade`; the label file may have either name.

    Source: COCO-O: Mao et al. 2023, arXiv:2307.12730; MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task R.1.

    Raises:
        DataMissing: the labels are not under the data root.
        MmteError: a bad record, or an image missing; nothing is dropped.
    """

    dataset_ids = (*(_PREFIX + style for style in STYLES), *(_PREFIX + wrong for wrong in _MISSPELT.values()))

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        style = dataset_id.removeprefix(_PREFIX)
        style = next((right for right, wrong in _MISSPELT.items() if wrong == style), style)
        spellings = [_MISSPELT[style], style] if style in _MISSPELT else [style]
        path = self.files.text(*(f"{FOLDER}/label/{name}.json" for name in spellings), name=f"{style}.json")
        records = read_json_records(path, ("image_name", "gt_label"))
        ids = content_ids(_PREFIX + style, (str(record["image_name"]) for record in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            labels = rows.texts(record["gt_label"], where, "gt_label")
            picture = rows.image(self.files, f"{FOLDER}/source", record["image_name"], where, "image_name")
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(picture),
                    text=DESCRIBE,
                    target=labels[0],
                    extra={"labels": labels},
                    id=sample_id,
                    cluster=f"{_PREFIX}{style}-{record['image_name']}",
                )
            )
