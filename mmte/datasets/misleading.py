"""Misled by words, or by the eyes: pictures with a false word beside them, and pictures that deceive."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.assistance import DIRECT
from mmte.datasets.questions import KEYS, read_questions
from mmte.datasets.root import RootDataset
from mmte.registry import registry
from mmte.types import ImageTxtSample

QUERIES: Final = "truthfulness/query_misleading"
IMAGES: Final = "truthfulness/misleading_images"
CONFUSIONS: Final = ("semantic", "contrast", "painting", "mirror", "dislocation")
YES_NO_FIRST: Final = "Say Yes or No first, and then why."


@registry.register_dataset()
class TextMisleadingData(RootDataset):
    """Questions on a picture that words lead away from what it shows.

    Layout: `truthfulness/query_misleading/query_g_mistext.json`, records `{image, query, truth}`, and the images under
    `truthfulness/misleading_images/mistext/`. The target is the reference answer, a text; `extra` has the bare
    `question` for a judge. Questions about one image share its cluster.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task T.5; the closing sentence is ours.

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: a record without a query or an answer, or an image missing; nothing is dropped.
    """

    dataset_ids = ("g-text-misleading",)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        for question in read_questions(self.files.text(f"{QUERIES}/query_g_mistext.json"), "mistext"):
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(question.picture(self.files, f"{IMAGES}/mistext")),
                    text=f"{question.query}\n{DIRECT}",
                    target=rows.text(question.record["truth"], question.where, "truth"),
                    extra={"question": question.query},
                    id=question.id,
                    cluster=question.cluster,
                )
            )


@registry.register_dataset()
class VisualConfusionData(RootDataset):
    """Yes/no questions on pictures that deceive the eye; the subset is how they do it.

    Layout: `truthfulness/query_misleading/query_d_confusion.json`, records `{image, query, truth, kind}`, and the
    images under `truthfulness/misleading_images/`. `kind` is semantic (one thing looks like another), contrast (the
    surroundings deceive), painting (a painted thing looks real), mirror, or dislocation (what is far looks near). The
    target is 1 for Yes and 0 for No. Questions about one image share its cluster.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task T.6; the closing sentence is ours.

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: an unknown kind or label, or an image missing; nothing is dropped.
    """

    dataset_ids = ("d-mis-visual-confusion",)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        path = self.files.text(f"{QUERIES}/query_d_confusion.json")
        for question in read_questions(path, "confusion", (*KEYS, "kind")):
            self.dataset.append(
                ImageTxtSample(
                    image_path=str(question.picture(self.files, IMAGES)),
                    text=f"{question.query}\n{YES_NO_FIRST}",
                    target=rows.yes_no(question.record["truth"], question.where, "truth"),
                    id=question.id,
                    subset=rows.one_of(question.record["kind"], question.where, "kind", CONFUSIONS),
                    cluster=question.cluster,
                )
            )
