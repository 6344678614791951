"""COCO: is a thing in the photograph, and where? Questions made from the boxes of its annotations."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from mmte.datasets import rows
from mmte.datasets.basic import GROUNDING, YES_NO
from mmte.datasets.imagesize import image_size
from mmte.datasets.readers import Record, number, read_json
from mmte.datasets.root import RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

FILE: Final = "annotations/instances_val2017.json"
IMAGES: Final = "val2017"
_PARENTS: Final = ("coco_val2017_tiny/", "", "truthfulness/coco_val2017_tiny/")
_DIGITS: Final = 4


class _Picture(NamedTuple):
    """An image with the boxes of each category in it; a category that has a crowd has None among them."""

    name: str
    width: int
    height: int
    boxes: dict[str, list[list[float] | None]]


@registry.register_dataset()
class CocoTiny(RootDataset):
    """Questions on the photographs of a COCO annotation file, always the same ones.

    * `coco-tiny-existence`: for every image, one question on each category that is annotated in it (the target is 1)
      and on as many that are not (0), chosen by a hash of image and category.
    * `coco-tiny-grounding`: one question on each category with exactly one box in an image, and no crowd. The target is
      the JSON text of the box `[xmin, ymin, xmax, ymax]` in parts of the image's width and height; COCO's own boxes are
      `[x, y, width, height]` in pixels. `extra["img_size"]` is (width, height) in pixels.

    Layout: `annotations/instances_val2017.json` (COCO's `images`, `annotations` and `categories`) and the images in
    `val2017/`, both in `coco_val2017_tiny/`, in the data root itself or in `truthfulness/coco_val2017_tiny/`. The
    closing sentences are those of `d-basic-object` and `g-basic-grounding`. An image is a cluster.

    Source: COCO val2017 (Lin et al. 2014, arXiv:1405.0312; annotations CC BY 4.0); the small selection of it is that of
    github.com/zzowenzz/COCO_Tiny. The questions are ours.

    Raises:
        DataMissing: the annotations are not under the data root.
        MmteError: a bad annotation, or an image missing or of another size than annotated.
    """

    dataset_ids = ("coco-tiny-existence", "coco-tiny-grounding")

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        path = self.files.text(*(f"{parent}{FILE}" for parent in _PARENTS), name=FILE)
        base = path.parent.parent.relative_to(self.files.root.folder).as_posix()
        pictures, categories = read_annotations(path)
        for picture in pictures:
            file = rows.image(self.files, f"{base}/{IMAGES}", picture.name, str(path), "file_name")
            if (size := image_size(file)) != (picture.width, picture.height):
                raise MmteError(
                    f"{file}: is {size[0]} x {size[1]}, but annotated as {picture.width} x {picture.height}; "
                    "fetch the original image"
                )
            asked = self._existence(picture, categories) if dataset_id.endswith("existence") else _grounding(picture)
            for name, question, target, extra in asked:
                self.dataset.append(
                    ImageTxtSample(
                        image_path=str(file),
                        text=question,
                        target=target,
                        extra=extra,
                        id=f"coco-{Path(picture.name).stem}-{name.replace(' ', '_')}",
                        cluster=f"coco-{Path(picture.name).stem}",
                    )
                )
        if not self.dataset:
            raise MmteError(f"{path}: nothing to ask about in its {len(pictures)} images; fetch it again")

    def _existence(self, picture: _Picture, categories: list[str]) -> list[tuple[str, str, Any, Any]]:
        present = [name for name in categories if name in picture.boxes]
        others = [name for name in categories if name not in picture.boxes]
        others.sort(key=lambda name: hashlib.sha256(f"{picture.name}\0{name}".encode()).digest())
        chosen = [(name, 1) for name in present] + [(name, 0) for name in others[: len(present)]]
        question = 'Does the picture show at least one thing of the kind "{}"?\n' + YES_NO
        return [(name, question.format(name), label, None) for name, label in chosen]


def _grounding(picture: _Picture) -> list[tuple[str, str, Any, Any]]:
    """The categories with one box, and the box in parts of the picture."""
    asked = []
    for name, boxes in picture.boxes.items():
        if len(boxes) != 1 or (box := boxes[0]) is None:
            continue
        x, y, width, height = box
        parts = (x / picture.width, y / picture.height, (x + width) / picture.width, (y + height) / picture.height)
        truth = [round(min(1.0, part), _DIGITS) for part in parts]
        question = f'Where is the one thing of the kind "{name}"?\n{GROUNDING}'
        asked.append((name, question, json.dumps(truth), {"img_size": (picture.width, picture.height)}))
    return asked


def read_annotations(path: Path) -> tuple[list[_Picture], list[str]]:
    """The images of an annotation file, by their ids, with their boxes, and the names of all categories.

    Raises:
        MmteError: not COCO's form, or a box that is none, outside its image, or of an unknown image or category.
    """
    document = read_json(path)
    lists = ("images", "annotations", "categories")
    if not isinstance(document, dict) or not all(isinstance(document.get(key), list) for key in lists):
        raise MmteError(f"{path}: COCO annotations have the lists images, annotations and categories; fetch it again")
    images, annotations, kinds = (_records(path, document[key], key) for key in lists)
    names = {kind["id"]: rows.text(kind.get("name"), where, "name") for where, kind in kinds}
    pictures = {}
    for where, image in sorted(images, key=lambda pair: str(pair[1]["id"])):
        width, height = (int(number(image.get(key), f"{where}: '{key}'", 1)) for key in ("width", "height"))
        pictures[image["id"]] = _Picture(rows.text(image.get("file_name"), where, "file_name"), width, height, {})
    for where, annotation in annotations:
        picture = pictures.get(annotation.get("image_id"))
        name = names.get(annotation.get("category_id"))
        if picture is None or name is None:
            raise MmteError(f"{where}: its image or category is not in the file; fetch it again")
        picture.boxes.setdefault(name, []).append(_box(annotation, picture, where))
    return list(pictures.values()), list(names.values())


def _records(path: Path, items: list[Any], key: str) -> list[tuple[str, Record]]:
    """The records of a list, each with its place; all have an id."""
    found = [(f"{path}, {key} {at}", item) for at, item in enumerate(items, 1)]
    for where, item in found:
        if not isinstance(item, dict) or not isinstance(item.get("id"), int):
            raise MmteError(f"{where}: must be an object with an id; fetch it again")
    return found


def _box(annotation: Record, picture: _Picture, where: str) -> list[float] | None:
    """`[x, y, width, height]` in pixels, within the picture; None for a crowd."""
    given = annotation.get("bbox")
    if not isinstance(given, list) or len(given) != 4:
        raise MmteError(f"{where}: 'bbox' must be [x, y, width, height], not {given!r:.40}; correct it")
    x, y, width, height = (number(part, f"{where}: 'bbox'", 0) for part in given)
    # COCO rounds to hundredths of a pixel, so that a box may end that much behind the edge.
    if not width or not height or x + width > picture.width + 1 or y + height > picture.height + 1:
        raise MmteError(f"{where}: 'bbox' {given} is not within its {picture.width} x {picture.height} image")
    return None if annotation.get("iscrowd") else [x, y, width, height]
