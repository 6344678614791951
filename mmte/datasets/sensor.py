"""Pictures of unusual sensors: infrared, X-ray, MRI, CT, from above, from a car."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

from mmte.datasets import rows
from mmte.datasets.readers import Record, content_ids, read_json_records
from mmte.datasets.root import DataMissing, RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample

FOLDER: Final = "robustness/ood-sensor"
_PREFIX: Final = "benchlmm-"
_ORIGINAL: Final = "benchlmm-original-"
_PARENTS: Final = ("", "benchlmm/", "BenchLMM/")


class _Set(NamedTuple):
    file: str
    folder: str
    expected: int


SETS: Final = {
    "infrared": _Set("Benchmark_infrard", "infrard", 200),
    "lxray": _Set("Benchmark_xray", "Xray", 200),
    "hxray": _Set("Benchmark_Med-X-RAY", "Med", 100),
    "mri": _Set("Benchmark_MRI", "Med", 100),
    "ct": _Set("Benchmark_CT", "Med", 100),
    "remote": _Set("Benchmark_RS", "RS", 200),
    "driving": _Set("Benchmark_AD", "AD", 250),
}
"""The sensors (X-rays: of luggage, of people); for each, BenchLMM's own file, folder of images and count."""


@registry.register_dataset()
class OODSensor(RootDataset):
    """Questions on pictures of unusual sensors, answered freely and graded by a judge against a right answer.

    Layout: `robustness/ood-sensor/label/<sensor>.json`, records `{image_name, question, answer}`, JSON or JSON Lines,
    and the images in `robustness/ood-sensor/source/`. The prompt is the question as it is. The target is the answer as
    a text; where it is yes or no, `extra` has the two as `options`. Questions on one image share its cluster.

    Source: BenchLMM: Cai et al. 2023, arXiv:2312.02896; MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task R.2.

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: a bad record, or an image missing; nothing is dropped.
    """

    dataset_ids = tuple(_PREFIX + sensor for sensor in SETS)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        path = self.files.text(f"{FOLDER}/label/{dataset_id.removeprefix(_PREFIX)}.json")
        records = read_json_records(path, ("image_name", "question", "answer"))
        ids = content_ids(dataset_id, (f"{r['image_name']}\0{r['question']}" for r in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            picture = rows.image(self.files, f"{FOLDER}/source", record["image_name"], where, "image_name")
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(picture),
                    text=rows.text(record["question"], where, "question"),
                    target=(answer := _answer(record, where)),
                    extra=rows.closed_options(answer) or None,
                    id=sample_id,
                    cluster=f"{dataset_id}-{record['image_name']}",
                )
            )


@registry.register_dataset()
class BenchLMM(RootDataset):
    """BenchLMM's own files of the same sensors, whole: MultiTrust has a selection of them.

    Layout: `jsonl/Benchmark_{infrard,xray,Med-X-RAY,MRI,CT,RS,AD}.jsonl`, records `{question_id, image, text, answer}`,
    and the images in `images/{infrard,Xray,Med,Med,Med,RS,AD}/`, in the data root itself, in `benchlmm/` or in
    `BenchLMM/`. The marks "Q:" and "A:" of the driving set are left out, and so is a question whose answer is blank
    (one of CT): reports say how many samples of how many published there are.

    Source: BenchLMM: Cai et al. 2023, arXiv:2312.02896; github.com/AIFEG/BenchLMM, Apache-2.0.

    Raises:
        DataMissing: the questions, or all of their images, are not under the data root; the message counts them.
        MmteError: a bad record, the same question twice, or some of the images missing; nothing is dropped.
    """

    dataset_ids = tuple(_ORIGINAL + sensor for sensor in SETS)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        about = SETS[dataset_id.removeprefix(_ORIGINAL)]
        self.expected = about.expected
        name = f"jsonl/{about.file}.jsonl"
        path = self.files.text(*(parent + name for parent in _PARENTS), name=name)
        parent = path.relative_to(self.files.root.folder).as_posix().removesuffix(name)
        records = read_original(path)
        folder = self._image_folder(f"{parent}images/{about.folder}", records)
        for at, record in enumerate(records):
            picture = rows.image(self.files, folder, record["image"], rows.place(path, at))
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(picture),
                    text=record["text"],
                    target=record["answer"],
                    extra=rows.closed_options(record["answer"]) or None,
                    id=f"{dataset_id}-{record['question_id']}",
                    cluster=f"{dataset_id}-{record['image']}",
                )
            )

    def _image_folder(self, folder: str, records: list[Record]) -> str:
        """The folder of the images, if at least one of them is there."""
        images = dict.fromkeys(record["image"] for record in records)
        for image in images:
            try:
                self.files.root.path(f"{folder}/{image}")
            except DataMissing:
                continue
            return folder
        raise DataMissing(
            f"{self.dataset_id}: has {len(records)} questions, but none of their {len(images)} images is in {folder} "
            f"under --mmte-data {self.files.root.folder}; put the images of BenchLMM there"
        )


def read_original(path: Path) -> list[Record]:
    """The records of one of BenchLMM's files that have an answer: the texts `question_id`, `image`, `text`, `answer`.

    Raises:
        MmteError: the file cannot be read, a record lacks a text, or two have the same `question_id`.
    """
    found, seen = [], set()
    for at, record in enumerate(read_json_records(path, ("question_id", "image", "text", "answer"))):
        where = rows.place(path, at)
        number = rows.text(str(record["question_id"]), where, "question_id")
        if number in seen:
            raise MmteError(f"{where}: the question_id '{number}' is there twice; give each question its own")
        seen.add(number)
        if record["answer"] == "":
            continue
        found.append({
            "question_id": number,
            "image": rows.text(record["image"], where, "image"),
            "text": rows.text(record["text"], where, "text").removeprefix("Q:").strip(),
            "answer": _answer(record, where).removeprefix("A:").strip(),
        })  # fmt: skip
    return found


def _answer(record: Record, where: str) -> str:
    """The right answer as a text; a number stays what it is."""
    answer = record["answer"]
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        return f"{answer:.10g}"
    return rows.text(answer, where, "answer")
