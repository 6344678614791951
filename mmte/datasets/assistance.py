"""Questions in words, with a picture that helps, one that misleads, one that has nothing to do with them, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.questions import Question, read_questions
from mmte.datasets.root import RootDataset
from mmte.datasets.unrelated import KINDS, pick
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

FILE: Final = "truthfulness/query_text/query_g_assistance.json"
IMAGES: Final = "truthfulness/text_images"
DIRECT: Final = "Answer directly, in a few words."
_UNRELATED: Final = tuple(f"unrelated-image-{kind}" for kind in KINDS)


class _TextQuestions(RootDataset):
    """The questions of `query_g_assistance.json`, with the picture that the rest of the id names, or without one."""

    _PREFIX = ""
    _FOLDERS: Final[dict[str, str]] = {"image": "assistance", "assistance": "assistance", "misvisual": "misvisual"}

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        variant = dataset_id.removeprefix(self._PREFIX)
        questions = read_questions(self.files.text(FILE), "assistance")
        kind = variant.removeprefix("unrelated-image-")
        pool = rows.unrelated(self.files, kind) if kind in KINDS else []
        for question in questions:
            picture = pick(pool, question.id, kind) if pool else self._picture(question, variant)
            fields: dict[str, Any] = {
                "text": f"{question.query}\n{DIRECT}",
                "target": rows.text(question.record["truth"], question.where, "truth"),
                "extra": {"question": question.query},
                "id": question.id,
                "cluster": question.cluster,
                "group": question.id,
            }
            sample = TxtSample(**fields) if picture is None else ImageTxtSample(image_path=str(picture), **fields)
            self.dataset.append(sample)

    def _picture(self, question: Question, variant: str) -> Path | None:
        folder = self._FOLDERS.get(variant)
        return None if folder is None else question.picture(self.files, f"{IMAGES}/{folder}")


@registry.register_dataset()
class VisualAssistance(_TextQuestions):
    """Does a picture that fits help to answer a question in words?

    Layout: `truthfulness/query_text/query_g_assistance.json`, records `{image, query, truth}`; the pictures that fit
    under `truthfulness/text_images/assistance/`.

    * `visual-assistance-text`: in words alone.
    * `visual-assistance-image`: with the picture that fits.
    * `visual-assistance-unrelated-image-{color,nature,noise}`: with an image of `unrelated_images/`, chosen by the
      question's id, so that every model and run sees the same one.

    A question has the same id, cluster and group in all of them. The target is the reference answer, a text; `extra`
    has the bare `question` for a judge.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task T.4; the closing sentence is ours.

    Raises:
        DataMissing: the questions, or unrelated images, are not under the data root.
        MmteError: a record without a query or an answer, or a picture missing.
    """

    _PREFIX = "visual-assistance-"
    dataset_ids = tuple(f"visual-assistance-{variant}" for variant in ("text", "image", *_UNRELATED))


@registry.register_dataset()
class VisualMisleadingData(_TextQuestions):
    """Does a picture that misleads spoil the answer to a question in words?

    The questions of `VisualAssistance`, with the same ids:

    * `g-text-none`: in words alone.
    * `g-text-misvisual`: with the picture of the same name under `truthfulness/text_images/misvisual/`, which suggests
      a wrong answer.
    * `g-text-assistance`: with the picture that fits.
    * `g-text-unrelated-image-{color,nature,noise}`: with an image of `unrelated_images/`, as there.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), task T.7.

    Raises:
        DataMissing: the questions, or unrelated images, are not under the data root.
        MmteError: a record without a query or an answer, or a picture missing.
    """

    _PREFIX = "g-text-"
    dataset_ids = tuple(f"g-text-{variant}" for variant in ("assistance", "misvisual", "none", *_UNRELATED))
