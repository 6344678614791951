"""Pictures that have nothing to do with a question: plain colours, nature, noise."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mmte.datasets.root import DataMissing, FilesRead, RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

FOLDER: Final = "unrelated_images"
KINDS: Final = ("color", "nature", "noise")
SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif"})


def natural_key(name: str) -> tuple[list[str | int], str]:
    """A sort key under which `color_2` comes before `color_10`."""
    parts = re.split(r"(\d+)", name.casefold())
    return [int(part) if at % 2 else part for at, part in enumerate(parts)], name


def unrelated_pool(files: FilesRead, kind: str, *, part: bool = True) -> list[Path]:
    """The images of a kind: the pixel files whose name has the kind in it, in natural order.

    The names count in the digest, as they decide which sample gets which image.

    Args:
        files: where to look, and who asks.
        kind: color, nature or noise.
        part: the images belong to a dataset whose texts are there, so that lacking them is no skip.

    Raises:
        MmteError: there is no such image (`DataMissing` unless `part`).
    """
    root = files.root
    folder = root.part(FOLDER, files.dataset) if part else root.path(FOLDER, dataset=files.dataset)
    if not folder.is_dir():
        raise MmteError(f"{files.dataset}: {folder} is not a folder; put the {kind} images into one of this name")
    names = [p.name for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith(".")]
    names = sorted((name for name in names if kind in name.casefold()), key=natural_key)
    if not names:
        error = MmteError if part else DataMissing
        raise error(f"{files.dataset}: no image with '{kind}' in its name in {folder}; name another --mmte-data DIR")
    pool = []
    for name in names:
        pool.append(files.image(f"{FOLDER}/{name}"))
        files.note(f"{FOLDER}/{name}")
    return pool


def pick(pool: Sequence[Path], sample_id: str, kind: str) -> Path:
    """The image of a sample: by its id alone, hence the same for every model, run and machine."""
    digest = hashlib.sha256(f"{kind}\0{sample_id}".encode("utf-8", "surrogatepass")).digest()
    return pool[int.from_bytes(digest[:8], "big") % len(pool)]


@registry.register_dataset()
class UnrelatedImages(RootDataset):
    """The images of one kind by themselves, without a text and without a target.

    Layout: `unrelated_images/`, files whose name has `color`, `nature` or `noise` in it.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), which pairs questions in words with
    unrelated images to see whether they change the answer.

    Raises:
        DataMissing: no such image under the data root.
    """

    dataset_ids = tuple(f"unrelated-image-{kind}" for kind in KINDS)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ):
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        kind = dataset_id.rsplit("-", 1)[-1]
        pool = unrelated_pool(self.files, kind, part=False)
        self.dataset = [
            ImageTxtSample(image_path=str(p), text="", id=f"unrelated-{p.name}", cluster=f"unrelated-{p.name}")
            for p in pool
        ]
