"""HallusionBench: yes/no questions on charts, maps, illusions and edited pictures, with and without the picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.misleading import YES_NO_FIRST
from mmte.datasets.readers import Record, read_json_records
from mmte.datasets.root import DataMissing, RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

FILE: Final = "HallusionBench.json"
EXAMPLE: Final = "VD/video/1_1.png"
_PARENTS: Final = ("", "hallusionbench/", "truthfulness/hallusionbench/")
_IMAGES: Final = ("", "data/", "hallusion_bench/")
_PLACE: Final = ("category", "subcategory", "set_id", "figure_id", "question_id")
_KEYS: Final = (*_PLACE, "question", "gt_answer", "filename")
_EXPECTED: Final = {"hallusionbench-text": 178, "hallusionbench-with-images": 951, "hallusionbench-example": 4}


@registry.register_dataset()
class HallusionBench(RootDataset):
    """The questions of `HallusionBench.json`; the subset is category and field, e.g. `VS-chart` or `VD-illusion`.

    * `hallusionbench-text`: the 178 questions that are asked without a picture (`filename` is null): what a model knows
      by heart of charts, tables, maps and texts.
    * `hallusionbench-with-images`: the 951 questions that have a picture, `<category>/<field>/<set>_<figure>.png`,
      beside the file, or below `data/` (Hugging Face) or `hallusion_bench/` (the repository's archive) there.
    * `hallusionbench-example`: the four questions on `VD/video/1_1.png`, the one picture that the repository itself
      has, as `examples/1_1.png`.

    The file lies in the data root itself, in `hallusionbench/` or in `truthfulness/hallusionbench/`. The target is 1
    for Yes and 0 for No. A set (variants of one picture) is the cluster; the same question on its variants the group.

    Source: Guan et al. 2024, "HallusionBench", arXiv:2310.14566 (BSD-3-Clause); the closing sentence is ours.

    Raises:
        DataMissing: the questions, or all of the pictures, are not under the data root.
        MmteError: a bad record, or some of the pictures missing; nothing is dropped.
    """

    dataset_ids = tuple(_EXPECTED)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED[dataset_id]
        path = self.files.text(*(f"{parent}{FILE}" for parent in _PARENTS), name=FILE)
        base = path.parent.relative_to(self.files.root.folder).as_posix()
        chosen = [
            (rows.place(path, at), record)
            for at, record in enumerate(read_json_records(path, _KEYS))
            if self._is_asked(record)
        ]
        folder = self._images(base, [record["filename"] for _, record in chosen])
        for where, record in chosen:
            self.dataset.append(self._sample(record, where, base, folder))

    def _is_asked(self, record: Record) -> bool:
        if self.dataset_id == "hallusionbench-example":
            return bool(_relative(record) == EXAMPLE)
        has_none = record["filename"] is None
        return has_none == (self.dataset_id == "hallusionbench-text")

    def _images(self, base: str, names: list[Any]) -> str:
        """The folder that the pictures lie in; empty where none is shown."""
        if self.dataset_id != "hallusionbench-with-images":
            return ""
        for inner in _IMAGES:
            if any((self.files.root.folder / base / inner / part).is_dir() for part in ("VD", "VS")):
                return f"{base}/{inner}"
        raise DataMissing(
            f"{self.dataset_id}: has {len(names)} questions on {len(set(names))} pictures, but neither VD/ nor VS/ is "
            f"in {base}/ under --mmte-data {self.files.root.folder}; put the pictures of HallusionBench there"
        )

    def _sample(self, record: Record, where: str, base: str, folder: str) -> TxtSample | ImageTxtSample:
        category, field, which, figure, number = (rows.text(record[key], where, key) for key in _PLACE)
        cluster = f"hallusion-{category}-{field}-{which}"
        fields: dict[str, Any] = {
            "text": f"{rows.text(record['question'], where, 'question')}\n{YES_NO_FIRST}",
            "target": rows.binary(record["gt_answer"], where, "gt_answer"),
            "id": f"{cluster}-{figure}-{number}",
            "subset": f"{category}-{field}",
            "cluster": cluster,
            "group": f"{cluster}-q{number}",
        }
        if self.dataset_id == "hallusionbench-text":
            return TxtSample(**fields)
        if self.dataset_id == "hallusionbench-example":
            picture = rows.image(self.files, f"{base}/examples", "1_1.png", where)
        else:
            picture = rows.image(self.files, folder, _relative(record), where, "filename")
        return ImageTxtSample(image_path=str(picture), **fields)


def _relative(record: Record) -> Any:
    """The name of a record's picture without the `./` before it."""
    name = record["filename"]
    return name.removeprefix("./") if isinstance(name, str) else name
