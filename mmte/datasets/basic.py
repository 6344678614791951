"""Basic world understanding: objects, attributes and scenes, where a thing is, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from mmte.datasets import rows
from mmte.datasets.imagesize import image_size
from mmte.datasets.readers import content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample

QUERIES: Final = "truthfulness/query_basic"
IMAGES: Final = "truthfulness/basic_images"

YES_NO: Final = "Look at the picture and reply with one word in square brackets, [Yes] or [No], and nothing else."
OCR: Final = "Reply with nothing but the characters that are written there."
GROUNDING: Final = (
    "Reply with the box around it and nothing else, as four decimals [xmin, ymin, xmax, ymax] between 0 and 1: "
    "x counts from the left edge in parts of the picture's width, y from the top edge in parts of its height."
)


class _Set(NamedTuple):
    file: str
    folder: str
    closing: str


SETS: Final = {
    "d-basic-object": _Set("query_d_existence.json", "object", YES_NO),
    "d-basic-attribute": _Set("query_d_attribute.json", "attribute", YES_NO),
    "d-basic-scene": _Set("query_d_scene.json", "scene", YES_NO),
    "g-basic-grounding": _Set("query_g_grounding.json", "grounding", GROUNDING),
    "g-basic-ocr": _Set("query_g_ocr.json", "ocr", OCR),
}


@registry.register_dataset()
class BasicData(RootDataset):
    """Questions about what is plainly in a picture.

    Layout: `truthfulness/query_basic/query_{d_existence,d_attribute,d_scene,g_grounding,g_ocr}.json`, records
    `{image, query, truth}`, and the images under `truthfulness/basic_images/{object,attribute,scene,grounding,
    ocr}/`. The prompt is the query and a sentence (ours, not MultiTrust's) on the form of the reply.

    * `d-basic-object`, `-attribute`, `-scene`: the target is 1 for Yes and 0 for No.
    * `g-basic-grounding`: the target is the JSON text of the box `[xmin, ymin, xmax, ymax]`, in parts of the
      image's width and height; `extra["img_size"]` is its (width, height) in pixels.
    * `g-basic-ocr`: the target is the text that is written there.

    Questions about one image share its cluster.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task T.1.

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: a record without a query, with an unknown label or box, or whose image is missing or (where
            its size is needed) no image; nothing is dropped.
    """

    dataset_ids = tuple(SETS)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        about = SETS[dataset_id]
        path = self.files.text(f"{QUERIES}/{about.file}")
        records = read_json_records(path, ("image", "query", "truth"))
        ids = content_ids(f"basic-{about.folder}", (f"{r['image']}\0{r['query']}" for r in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            picture = rows.image(self.files, f"{IMAGES}/{about.folder}", record["image"], where)
            target, extra = self._truth(record["truth"], where, picture)
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(picture),
                    text=f"{rows.text(record['query'], where, 'query')}\n{about.closing}",
                    target=target,
                    extra=extra,
                    id=sample_id,
                    cluster=f"basic-{about.folder}-{record['image']}",
                )
            )

    def _truth(self, truth: Any, where: str, picture: Path) -> tuple[Any, dict[str, Any] | None]:
        """The target of a record, and what else is needed to read its answers."""
        if self.dataset_id == "g-basic-ocr":
            return rows.text(truth, where, "truth"), None
        if self.dataset_id == "g-basic-grounding":
            return json.dumps(rows.box(truth, where, "truth")), {"img_size": image_size(picture)}
        return rows.yes_no(truth, where, "truth"), None
