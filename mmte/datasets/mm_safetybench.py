"""MM-SafetyBench: questions that a model should decline, asked by way of pictures; its own files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import content_ids, read_csv, read_json
from mmte.datasets.root import OPTION, DataMissing, RootDataset
from mmte.errors import MmteError, near
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

SCENARIOS: Final = {
    "01-Illegal_Activitiy": 97,  # spelt so in the published files
    "02-HateSpeech": 163,
    "03-Malware_Generation": 44,
    "04-Physical_Harm": 144,
    "05-EconomicHarm": 122,
    "06-Fraud": 154,
    "07-Sex": 109,
    "08-Political_Lobbying": 153,
    "09-Privacy_Violence": 139,
    "10-Legal_Opinion": 130,
    "11-Financial_Advice": 167,
    "12-Health_Consultation": 109,
    "13-Gov_Decision": 149,
}
"""The published scenarios with their numbers of questions."""

_VERSIONS: Final = {
    "mm-safetybench-text": ("", "Question"),
    "mm-safetybench-sd": ("SD", "Rephrased Question(SD)"),
    "mm-safetybench-typo": ("TYPO", "Rephrased Question"),
    "mm-safetybench-sd-typo": ("SD_TYPO", "Rephrased Question"),
}
_TEXT_ONLY: Final = "mm-safetybench-csv-text-only"
_BASES: Final = ("data/", "", "mm_safetybench/data/", "mm_safetybench/", "MM-SafetyBench/data/")


@registry.register_dataset()
class MMSafetyBench(RootDataset):
    """The 1,680 questions of 13 scenarios, which are the subsets; the target is the plain question.

    * `mm-safetybench-text`: the plain question in words.
    * `mm-safetybench-{sd,typo,sd-typo}`: the question rephrased so that it speaks of a picture, with a picture that was
      generated, one of its key phrase in letters, or both.
    * `mm-safetybench-csv-text-only`: the plain questions from a third party's tables, which have neither the rephrased
      questions nor pictures: not MM-SafetyBench's attack, only what it starts from.

    Layout: `processed_questions/<scenario>.json`, objects of records with `Question`, `Rephrased Question` and
    `Rephrased Question(SD)`, and `imgs/<scenario>/{SD,TYPO,SD_TYPO}/<number>.jpg`, below `data/`, the data root itself
    or `mm_safetybench/`; `<scenario>/...` may also lie there without `imgs/`. For the tables
    `processed_csv/<scenario>.csv`, columns `ID` and `Question`. The versions of a question have the same id.

    Sources: Liu et al. 2023, "MM-SafetyBench: A Benchmark for Safety Evaluation of Multimodal Large Language Models",
    arXiv:2311.17600 (CC BY-NC 4.0); tables: github.com/NY1024/Jailbreak_GPT4o.

    Args:
        dataset_id: one of `dataset_ids`.
        method_hook: a method that every sample passes through.
        data_root: the folder of `--mmte-data`.
        without: names of scenarios that are left out, e.g. because their files are not at hand.

    Raises:
        DataMissing: no scenario, or no folder of pictures, is under the data root.
        MmteError: an unknown scenario, one that is missing among others, a bad record, or an image missing.
    """

    dataset_ids = (*_VERSIONS, _TEXT_ONLY)
    expected = sum(SCENARIOS.values())

    def __init__(
        self,
        dataset_id: str,
        method_hook: Any = None,
        *,
        data_root: str | Path | None = None,
        without: list[str] | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self._names = _chosen(dataset_id, without)
        if dataset_id == _TEXT_ONLY:
            base = self._base("processed_csv", "csv")
            for scenario in self._names:
                self.dataset += self._table(f"{base}processed_csv/{scenario}.csv", scenario)
            return
        base = self._base("processed_questions", "json")
        folder, key = _VERSIONS[dataset_id]
        images = self._images(base) if folder else ""
        for scenario in self._names:
            path = self.files.text(f"{base}processed_questions/{scenario}.json", part=True, name=f"{scenario}.json")
            for number, record, where in _records(path):
                question = rows.text(record.get("Question"), where, "Question")
                asked = rows.text(record.get(key), where, key)
                fields = {"text": asked, "target": question, **_names(scenario, number)}
                if folder:
                    picture = rows.image(self.files, f"{images}{scenario}/{folder}", f"{number}.jpg", where)
                    self.dataset.append(ImageTxtSample(image_path=str(picture), **fields))
                else:
                    self.dataset.append(TxtSample(**fields))

    def _base(self, folder: str, suffix: str) -> str:
        """The folder that holds the scenarios' files: the first that has one of them."""
        for base in _BASES:
            for scenario in self._names:
                if (self.files.root.folder / f"{base}{folder}/{scenario}.{suffix}").is_file():
                    return base
        where = "the mini data" if self.is_mini else f"--mmte-data {self.files.root.folder}"
        raise DataMissing(
            f"{self.dataset_id}: needs {folder}/{self._names[0]}.{suffix} and its like under {where}, in data/, "
            f"mm_safetybench/ or itself; name a folder that has them: {OPTION}"
        )

    def _images(self, base: str) -> str:
        """Where the scenarios' folders of pictures lie."""
        for inner in (f"{base}imgs/", base):
            if any((self.files.root.folder / f"{inner}{scenario}").is_dir() for scenario in self._names):
                return inner
        raise DataMissing(
            f"{self.dataset_id}: has the questions, but {base}imgs/{self._names[0]}/ is not under --mmte-data "
            f"{self.files.root.folder}; put the pictures of MM-SafetyBench there"
        )

    def _table(self, relative: str, scenario: str) -> Iterator[TxtSample]:
        path = self.files.text(relative, part=True, name=f"{scenario}.csv")
        seen: set[str] = set()
        for at, record in enumerate(read_csv(path, required=("ID", "Question"))):
            where = rows.place(path, at)
            number, question = (rows.text(record[key], where, key) for key in ("ID", "Question"))
            if number in seen:
                raise MmteError(f"{where}: the ID '{number}' is there twice; give each row its own")
            seen.add(number)
            yield TxtSample(text=question, target=question, **_names(scenario, number, question))


def _names(scenario: str, number: str, question: str = "") -> dict[str, Any]:
    """Id, subset, cluster and group of a question; questions that a table repeats share their cluster."""
    name = f"mm-safetybench-{scenario}-{number}"
    cluster = content_ids(f"mm-safetybench-{scenario}", [question])[0] if question else name
    return {"id": name, "subset": scenario, "cluster": cluster, "group": cluster}


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Number, record and place of each question of a scenario."""
    document = read_json(path)
    if not isinstance(document, dict) or not document:
        raise MmteError(f"{path}: an object of questions by their number is needed, not {document!r:.40}")
    for number, record in document.items():
        where = f"{path}, record '{number}'"
        if not number.isdecimal() or not isinstance(record, dict):
            raise MmteError(f"{where}: a number with an object is needed, not {record!r:.40}; correct it")
        yield number, record, where


def _chosen(dataset_id: str, without: Any) -> list[str]:
    """The scenarios that are asked."""
    left_out = [] if without is None else without
    if not isinstance(left_out, list):
        raise MmteError(f"{dataset_id}: without must be a list of scenarios, not {left_out!r:.60}")
    for name in left_out:
        if name not in SCENARIOS:
            raise MmteError(f"{dataset_id}: without has no such scenario '{name}'.{near(str(name), SCENARIOS)}")
    if not (chosen := [name for name in SCENARIOS if name not in left_out]):
        raise MmteError(f"{dataset_id}: without leaves out every scenario; keep at least one")
    return chosen
