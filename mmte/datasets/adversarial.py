"""Adversarial images: photographs as they were, attacked so that they are not recognised, and attacked to show another
thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

from mmte.datasets import drawn, rows
from mmte.datasets.artistic import DESCRIBE
from mmte.datasets.readers import content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

FOLDER: Final = "robustness/adv_nips"


class _Set(NamedTuple):
    folder: str
    label: str


SETS: Final = {
    "adv-clean": _Set("clean", "untarget"),
    "adv-untarget": _Set("untarget", "untarget"),
    "adv-target": _Set("target", "target"),
}


@registry.register_dataset()
class AdvImages(RootDataset):
    """Pictures to be described, before and after an attack.

    Layout: `robustness/adv_nips/label.json`, records `{image_name, untarget, target}` (the last two: lists of names),
    JSON or JSON Lines, and the images in `robustness/adv_nips/source/{clean,untarget,target}/`.

    * `adv-clean`, `adv-untarget`: the target is what the picture shows, the first of `untarget`.
    * `adv-target`: the target is what the attack wants to be seen there, the first of `target`.

    The three versions of a picture share its sample id, cluster and group.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), tasks R.4 and R.5, from the images of the NIPS 2017
    competition on adversarial attacks.

    Args:
        dataset_id: one of `dataset_ids`.
        method_hook: a method that every sample passes through.
        data_root: the folder of `--mmte-data`.
        generate_image: only false, which MultiTrust's configurations give; attacked images are read, not made.

    Raises:
        DataMissing: the labels are not under the data root.
        MmteError: a bad record, the same image twice, an image missing, or `generate_image` is true.
    """

    dataset_ids = tuple(SETS)

    def __init__(
        self,
        dataset_id: str,
        method_hook: Any = None,
        *,
        data_root: str | Path | None = None,
        generate_image: bool = False,
        **unknown: Any,
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        about = SETS[dataset_id]
        images = f"{FOLDER}/source/{about.folder}"
        if drawn.wanted(dataset_id, generate_image):
            raise MmteError(f"{dataset_id}: generate_image: attacked images are not made here; put them into {images}")
        path = self.files.text(f"{FOLDER}/label.json")
        records = read_json_records(path, ("image_name", about.label))
        ids = content_ids("adv", (str(record["image_name"]) for record in records))
        seen: set[str] = set()
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            name = rows.text(record["image_name"], where, "image_name")
            if name in seen:
                raise MmteError(f"{where}: the image '{name}' is there twice; keep one of the records")
            seen.add(name)
            labels = rows.texts(record[about.label], where, about.label)
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(rows.image(self.files, images, name, where, "image_name")),
                    text=DESCRIBE,
                    target=labels[0],
                    extra={"labels": labels},
                    id=sample_id,
                    cluster=f"adv-{name}",
                    group=f"adv-{name}",
                )
            )
