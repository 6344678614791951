"""Pictures that a dataset makes itself, for texts that were published without any: the option `generate_image`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from mmte.datasets.root import DataMissing, FilesRead
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

RELATED: Final = "related-image-txtembed"
POOL: Final = 64
"""How many unrelated pictures of a kind there are to choose from, so that noise does not fill the disk."""

_LETTERING: Final = {"font_size": 32, "max_width": 640}


def wanted(dataset_id: str, generate_image: Any) -> bool:
    """The option `generate_image`, checked.

    Raises:
        MmteError: it is neither true nor false.
    """
    if not isinstance(generate_image, bool):
        raise MmteError(f"{dataset_id}: generate_image must be true or false, not {generate_image!r}")
    return generate_image


class Drawn:
    """Gives a sample its picture when it is read, then hands it to the task's own method.

    Stands where a dataset's method does, so that what a run leaves out is never drawn. `digest` is there only where
    the task's method has one: what is drawn is in the digest of the dataset's files.

    Args:
        picture: the method that makes the pictures.
        shown: what each picture shows, by the sample's id; None: one of `POOL` pictures, chosen by the sample's id.
        then: the task's own method, or None.
    """

    def __init__(self, picture: Any, shown: Mapping[str, str] | None, then: Any) -> None:
        self.picture, self.shown, self.then = picture, shown, then

    def run(self, data: TxtSample) -> Any:
        """The sample with its picture, after the task's method.

        Raises:
            MmteError: the picture cannot be made or kept.
        """
        seed = TxtSample(text="", id=_number(data.id)) if self.shown is None else TxtSample(text=self.shown[data.id])
        path = self.picture.run(seed).image_path
        made = ImageTxtSample(path, data.text, data.target, data.extra, data.id, data.subset, data.cluster, data.group)
        return made if self.then is None else self.then.run(made)

    __call__ = run

    @property
    def digest(self) -> Any:
        """The digest of the task's method, if it has one."""
        return (lambda: "") if self.then is None else self.then.digest


def folder(files: FilesRead, relative: str, names: str) -> str:
    """The folder of published pictures, which texts published without any lack.

    Raises:
        DataMissing: it is not there; the option that makes pictures is named.
    """
    hint = "or have them made: dataset_cfg: {generate_image: true}"
    try:
        found = files.root.path(relative, dataset=files.dataset)
    except DataMissing as missing:
        raise DataMissing(f"{missing}, {hint}") from None
    if not found.is_dir():
        raise DataMissing(f"{files.dataset}: {relative} is not a folder; put the images {names} into one, {hint}")
    return relative


def related(files: FilesRead, shown: Mapping[str, str], then: Any) -> Drawn:
    """Pictures of the samples' own texts.

    Raises:
        MissingExtra: Pillow is not installed.
        MmteError: the folder of pictures cannot be made.
    """
    return _noted(files, registry.get_method_class(RELATED)(RELATED, **_LETTERING), shown, then)


def unrelated(files: FilesRead, kind: str, then: Any) -> Drawn:
    """Pictures of a kind (color, nature, noise), chosen by the samples' ids.

    Nature is a picture of `unrelated_images/` of the data root or, where there is none, of the mini data.

    Raises:
        MissingExtra: Pillow is not installed.
        MmteError: the folder of pictures cannot be made.
    """
    name = f"unrelated-image-{kind}"
    method = registry.get_method_class(name)
    if kind != "nature":
        return _noted(files, method(name), None, then)
    try:
        return _noted(files, method(name, data_root=files.root.folder), None, then)
    except DataMissing:
        return _noted(files, method(name), None, then)


def _number(sample_id: str) -> str:
    """Which of the unrelated pictures a sample shows: by its id alone."""
    digest = hashlib.sha256(sample_id.encode("utf-8", "surrogatepass")).digest()
    return f"picture {int.from_bytes(digest[:8], 'big') % POOL}"


def _noted(files: FilesRead, picture: Any, shown: Mapping[str, str] | None, then: Any) -> Drawn:
    """Other pictures are other data, so that they count in the dataset's digest."""
    files.note(f"pictures of {POOL} {picture.digest()}" if shown is None else f"pictures {picture.digest()}")
    return Drawn(picture, shown, then)
