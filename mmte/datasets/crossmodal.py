"""Jailbreaks in words: does it matter which picture stands beside them?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.folders import images_in
from mmte.datasets.multimodal_jailbreak import requests
from mmte.datasets.readers import content_ids
from mmte.datasets.root import RootDataset
from mmte.datasets.typographic import request_cluster
from mmte.datasets.unrelated import KINDS
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

FOLDER: Final = "safety/crossmodal-jailbreak"
EACH: Final = 3
"""How many unrelated images of each kind a jailbreak is shown with."""


@registry.register_dataset()
class CrossModalJailbreakDataset(RootDataset):
    """Jailbreaks in words, all rows of the file, with and without pictures.

    * `crossmodal-jailbreak-text`: `safety/crossmodal-jailbreak/text_jailbreak.csv`, columns `id`, `question` (the
      request) and `jailbreak` (the prompt, used as it is).
    * `crossmodal-jailbreak-unrelated`: nine times, with three images of each kind of `unrelated_images/`, chosen by the
      row's id; the kind is the subset.
    * `crossmodal-jailbreak-pos`, `-neg`: with every image of `jailbreak_pos/` or `jailbreak_neg/` beside the file.

    The target is the request. Jailbreaks of one request share its cluster; a jailbreak and its pictures are a group.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task S.6. MultiTrust's code asks only the first ten of
    these samples; here all are asked.

    Raises:
        DataMissing: the jailbreaks, or the folder of their pictures, are not under the data root.
        MmteError: a blank field, a folder without an image, or too few unrelated images.
    """

    dataset_ids = tuple(f"crossmodal-jailbreak-{variant}" for variant in ("text", "unrelated", "pos", "neg"))

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        variant = dataset_id.removeprefix("crossmodal-jailbreak-")
        columns = ("id", "question", "jailbreak")
        read = [record for _, record in requests(self.files.text(f"{FOLDER}/text_jailbreak.csv"), columns)]
        ids = content_ids("crossmodal", ("\0".join(record[column] for column in columns) for record in read))
        pools = {kind: rows.unrelated(self.files, kind) for kind in KINDS} if variant == "unrelated" else {}
        shown = images_in(self.files, f"{FOLDER}/jailbreak_{variant}") if variant in ("pos", "neg") else []
        for record, name in zip(read, ids, strict=True):
            fields: dict[str, Any] = {
                "text": record["jailbreak"],
                "target": record["question"],
                "cluster": request_cluster(record["question"]),
                "group": name,
            }
            if variant == "text":
                self.dataset.append(TxtSample(id=name, **fields))
            for picture in shown:
                self.dataset.append(ImageTxtSample(str(picture), id=f"{name}-{picture.name}", **fields))
            for kind, pool in pools.items():
                for number, picture in enumerate(self._some(pool, name, kind), 1):
                    sample = ImageTxtSample(str(picture), id=f"{name}-{kind}-{number}", subset=kind, **fields)
                    self.dataset.append(sample)

    def _some(self, pool: Sequence[Path], name: str, kind: str) -> list[Path]:
        """Different images of a pool, by the row's id alone."""
        if len(pool) < EACH:
            raise MmteError(
                f"{self.dataset_id}: needs {EACH} images with '{kind}' in their names in {pool[0].parent}, which has "
                f"{len(pool)}; put more there"
            )

        def place(path: Path) -> bytes:
            return hashlib.sha256(f"{kind}\0{name}\0{path.name}".encode("utf-8", "surrogatepass")).digest()

        return sorted(pool, key=place)[:EACH]
