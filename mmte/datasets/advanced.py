"""Advanced inference: questions that need more of a picture than what is plainly in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.questions import read_questions
from mmte.datasets.readers import read_json_records
from mmte.datasets.root import RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample

QUERIES: Final = "truthfulness/query_advanced"
IMAGES: Final = "truthfulness/advanced_images"
KINDS: Final = ("spatial", "temporal", "compare", "daily", "traffic", "causality", "math", "code", "translate")
YES_NO_WHY: Final = "Start your reply with [Yes] or [No], in square brackets, and then give a short reason."


@registry.register_dataset()
class AdvancedData(RootDataset):
    """Yes/no questions on pictures in nine fields: space, time, comparison, daily life, traffic, cause, and so on.

    Layout: `truthfulness/query_advanced/query_d_<field>.json`, records `{image, query, truth}`, and the images under
    `truthfulness/advanced_images/<field>/`. The target is 1 for Yes and 0 for No. Records without a query, which the
    published files may have, are no questions; the number of all records is `expected`, so that reports say how many
    were left out.

    Questions about one image share its cluster.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task T.2; the closing sentence is ours.

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: an unknown label, or an image missing; no label is ever taken from another record.
    """

    dataset_ids = tuple(f"advanced-{kind}" for kind in KINDS)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        kind = dataset_id.removeprefix("advanced-")
        path = self.files.text(f"{QUERIES}/query_d_{kind}.json")
        for question in read_questions(path, dataset_id, blank=True):
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(question.picture(self.files, f"{IMAGES}/{kind}")),
                    text=f"{question.query}\n{YES_NO_WHY}",
                    target=rows.yes_no(question.record["truth"], question.where, "truth"),
                    id=question.id,
                    cluster=question.cluster,
                )
            )
        if (count := len(read_json_records(path))) != len(self.dataset):
            self.expected = count
