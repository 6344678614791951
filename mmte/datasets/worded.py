"""Real texts that were published without pictures: in words, with their words drawn, or with unrelated pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Final

from mmte.datasets import drawn, rows
from mmte.datasets.root import RootDataset
from mmte.datasets.unrelated import KINDS, pick
from mmte.types import ImageTxtSample, TxtSample

VARIANTS: Final = ("text", "related-image", *(f"unrelated-image-{kind}" for kind in KINDS))


class Worded(RootDataset):
    """Base class: a subclass has `dataset_ids`, which are `prefix` and one of `VARIANTS`, and `read`.

    * `-text`: in words alone.
    * `-related-image`: beside a picture of its own words, which is always made, when the sample is read.
    * `-unrelated-image-{color,nature,noise}`: beside an image of `unrelated_images/` of the data root, chosen by the
      sample's id or, with `generate_image`, one that is made.

    Args:
        dataset_id: one of `dataset_ids`.
        method_hook: a method that every sample passes through.
        data_root: the folder of `--mmte-data`.
        generate_image: make the unrelated pictures, whether or not there are some under the data root.

    Raises:
        DataMissing: the texts, or unrelated images, are not under the data root.
        MissingExtra: pictures are to be made without Pillow.
        MmteError: a bad record.
    """

    prefix: ClassVar[str] = ""

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
        make = drawn.wanted(dataset_id, generate_image)
        variant = dataset_id.removeprefix(self.prefix)
        kind = variant.rpartition("-")[2] if variant.startswith("unrelated") else ""
        read = list(self.read())
        if kind and not make:
            pool = rows.unrelated(self.files, kind)
            self.dataset = [
                ImageTxtSample(image_path=str(pick(pool, fields["id"], kind)), **fields) for _, fields in read
            ]
            return
        self.dataset = [TxtSample(**fields) for _, fields in read]
        if kind:
            self.method_hook = drawn.unrelated(self.files, kind, method_hook)
        elif variant == "related-image":
            shown = {fields["id"]: text for text, fields in read}
            self.method_hook = drawn.related(self.files, shown, method_hook)

    def read(self) -> Iterable[tuple[str, dict[str, Any]]]:
        """For each sample the words that a related picture shows, and its fields with an `id`."""
        raise NotImplementedError(f"{type(self).__name__}.read")
