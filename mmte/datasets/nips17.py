"""Images of the NIPS 2017 competition on adversarial attacks, clean and attacked by SSA-CWA."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.artistic import DESCRIBE
from mmte.datasets.readers import number, read_csv
from mmte.datasets.root import RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

_PARENTS: Final = ("", "nips17_adv/", "dataset/")
_CSV: Final = "dev_dataset.csv"
_ATTACKED: Final = "ssa-cwa-200"
_CLEAN: Final = ("clean", "NIPS17")
_NAME: Final = re.compile(r"(0|[1-9]\d{0,3})\.png")
_EXPECTED: Final = 200


def imagenet_names() -> list[list[str]]:
    """The names of the 1000 classes of ImageNet (ILSVRC 2012), in the order of their numbers from 0."""
    text = (files("mmte.datasets") / "imagenet.json").read_text(encoding="utf-8")
    names: list[list[str]] = json.loads(text)["classes"]
    return names


@registry.register_dataset()
class Nips17(RootDataset):
    """Photographs to be described, as they were (`nips17-clean`) and after an attack (`nips17-ssa-cwa`).

    Layout: `dev_dataset.csv` of the competition, columns `ImageId`, `TrueLabel`, ..., and beside it the folders
    `ssa-cwa-200/` and `clean/` (or `NIPS17/`) of images `<i>.png`, in the data root itself, in `nips17_adv/` or in
    `dataset/`. `<i>.png` is the i-th `ImageId` in sorted order, from 0. Both ids have the images that are in
    `ssa-cwa-200/`.

    The target is the list of names of the image's class (`TrueLabel` counts from 1). The two versions of an image share
    its sample id, cluster and group. The attack moves no value of a pixel by more than 16 of 255, plus rounding.

    Source: competition: Kurakin et al. 2018, arXiv:1804.00097 (images CC BY 2.0, by their authors); attack: Chen et al.
    2023, arXiv:2303.09105; attacked images: Dong et al. 2023, arXiv:2309.11751, github.com/thu-ml/Attack-Bard. A
    stand-in for task R.4 of MultiTrust where its images are not at hand.

    Raises:
        DataMissing: the table or the folder of attacked images is not under the data root.
        MmteError: a bad row, a file that is not called so, or a clean image missing.
    """

    dataset_ids = ("nips17-clean", "nips17-ssa-cwa")

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED
        root = self.files.root
        path = self.files.text(*(parent + _CSV for parent in _PARENTS), name=_CSV)
        parent = path.relative_to(root.folder).as_posix().removesuffix(_CSV)
        classes = _classes(path)
        attacked = root.path(parent + _ATTACKED, dataset=dataset_id)
        folder = parent + _ATTACKED
        if dataset_id == "nips17-clean":
            folder = (
                root.path(*(parent + name for name in _CLEAN), dataset=dataset_id).relative_to(root.folder).as_posix()
            )
        names = imagenet_names()
        for at in self._numbers(attacked, len(classes)):
            image_id, label = classes[at]
            self.files.note(f"{at}.png")
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(rows.image(self.files, folder, f"{at}.png", f"{path}, image {image_id}")),
                    text=DESCRIBE,
                    target=names[label - 1],
                    extra={"image_id": image_id, "class": label - 1},
                    id=f"nips17-{image_id}",
                    cluster=f"nips17-{image_id}",
                    group=f"nips17-{image_id}",
                )
            )

    def _numbers(self, folder: Path, count: int) -> list[int]:
        """The numbers of the images in a folder."""
        found = []
        for file in folder.iterdir() if folder.is_dir() else ():
            if file.name.startswith("."):
                continue
            match = _NAME.fullmatch(file.name)
            if match is None or int(match[1]) >= count:
                raise MmteError(f"{self.dataset_id}: {file} is not called 0.png to {count - 1}.png; move it away")
            found.append(int(match[1]))
        if not found:
            raise MmteError(f"{self.dataset_id}: no image in {folder}; fetch the attacked images again")
        return sorted(found)


def _classes(path: Path) -> list[tuple[str, int]]:
    """ImageId and TrueLabel of each row, in the order of the ids."""
    found: dict[str, int] = {}
    for at, record in enumerate(read_csv(path, required=("ImageId", "TrueLabel"))):
        where = rows.place(path, at)
        image_id = rows.text(record["ImageId"], where, "ImageId")
        label = number(record["TrueLabel"], f"{where}: 'TrueLabel'", 1, 1000)
        if image_id in found or not label.is_integer():
            wrong = f"the image '{image_id}' is there twice" if image_id in found else "'TrueLabel' is no whole number"
            raise MmteError(f"{where}: {wrong}; fetch the table again")
        found[image_id] = int(label)
    return sorted(found.items())
