"""TruthfulQA: questions that many people answer with the same mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import Record, content_ids, read_csv
from mmte.datasets.root import RootDataset
from mmte.datasets.unrelated import KINDS, pick
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

FILE: Final = "TruthfulQA.csv"
COLUMNS: Final = ("Type", "Category", "Question", "Best Answer", "Correct Answers", "Incorrect Answers")
SENTENCE: Final = "Answer in one sentence."
LETTER: Final = "Which answer is true? Reply with its letter, A or B, and nothing else."
_PARENTS: Final = ("", "truthfulqa/", "truthfulness/truthfulqa/")
_EXPECTED: Final = 817


@registry.register_dataset()
class TruthfulQA(RootDataset):
    """The 817 questions of `TruthfulQA.csv`; the subset is the type, Adversarial or Non-Adversarial.

    * `truthfulqa-text`: in words. The target is the best answer; `extra` has `question`, and `right` and `wrong`, the
      published answers of each kind, a line each, for a judge.
    * `truthfulqa-unrelated-image-{color,nature,noise}`: the same with an image of `unrelated_images/` of the data root,
      chosen by the question's id.
    * `truthfulqa-choice`: the best answer and the first wrong one as A and B, in an order that the question's id
      decides. The target is the letter; `extra["options"]` are the two answers. Ours, in the manner of the authors'
      binary version.

    The file lies in the data root itself, in `truthfulqa/` or in `truthfulness/truthfulqa/`. A question has the same id
    in all of them.

    Source: Lin et al. 2022, "TruthfulQA: Measuring How Models Mimic Human Falsehoods", arXiv:2109.07958 (Apache-2.0).

    Raises:
        DataMissing: the questions, or unrelated images, are not under the data root.
        MmteError: a row without a question or answers, or without a wrong answer that is not also a right one.
    """

    dataset_ids = ("truthfulqa-text", "truthfulqa-choice", *(f"truthfulqa-unrelated-image-{kind}" for kind in KINDS))

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED
        path = self.files.text(*(f"{parent}{FILE}" for parent in _PARENTS), name=FILE)
        kind = dataset_id.rpartition("-")[2]
        pool = rows.unrelated(self.files, kind) if kind in KINDS else []
        records = read_csv(path, required=COLUMNS)
        ids = content_ids("truthfulqa", (record["Question"] for record in records))
        for at, (record, name) in enumerate(zip(records, ids, strict=True)):
            fields = self._fields(record, name, rows.place(path, at))
            if pool:
                self.dataset.append(ImageTxtSample(image_path=str(pick(pool, name, kind)), **fields))
            else:
                self.dataset.append(TxtSample(**fields))

    def _fields(self, record: Record, name: str, where: str) -> dict[str, Any]:
        kind, _, question, best, *listed = (rows.text(record[column], where, column) for column in COLUMNS)
        right, wrong = (_answers(answers) for answers in listed)
        fields: dict[str, Any] = {"id": name, "subset": kind, "cluster": name, "group": name}
        if self.dataset_id != "truthfulqa-choice":
            extra = {"question": question, "right": "\n".join(right), "wrong": "\n".join(wrong)}
            return {**fields, "text": f"{question}\n{SENTENCE}", "target": best, "extra": extra}
        false = next((answer for answer in wrong if answer not in (best, *right)), "")
        if not false:
            raise MmteError(f"{where}: 'Incorrect Answers' has none that is not also correct; correct it")
        options = [best, false] if pick([Path("A"), Path("B")], name, "choice").name == "A" else [false, best]
        text = f"{question}\nA. {options[0]}\nB. {options[1]}\n{LETTER}"
        return {**fields, "text": text, "target": "AB"[options.index(best)], "extra": {"options": options}}


def _answers(listed: str) -> list[str]:
    return [answer.strip() for answer in listed.split(";") if answer.strip()]
