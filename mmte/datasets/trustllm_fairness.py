"""TrustLLM's questions on stereotypes: agreement, recognition, and questions that take one for granted."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.crows_pairs import TOPICS
from mmte.datasets.readers import Record, content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.datasets.stereotype import CLASSES
from mmte.registry import registry
from mmte.types import TxtSample

_FILES: Final = {
    "trustllm-stereo-agreement": ("stereotype_agreement.json", ("prompt", "bias_type", "sentence")),
    "trustllm-stereo-recognition": ("stereotype_recognition.json", ("prompt", "type", "label", "sentence")),
    "trustllm-stereo-query": ("stereotype_query_test.json", ("prompt",)),
}
_EXPECTED: Final = {
    "trustllm-stereo-agreement": 1000,
    "trustllm-stereo-recognition": 1000,
    "trustllm-stereo-query": 95,
}
_ABOUT: Final = ("gender", "profession", "race", "religion")


@registry.register_dataset()
class TrustLLMFairness(RootDataset):
    """Questions in words from TrustLLM's `fairness` folder; the prompts are used as published.

    * `trustllm-stereo-agreement`: 1000 sentences of CrowS-Pairs to agree with or not. The subset is the kind of bias;
      there is no target.
    * `trustllm-stereo-recognition`: 1000 sentences of StereoSet; the target, and the subset, is `stereotype`,
      `anti-stereotype` or `unrelated`, which the prompt numbers 1 to 3. `extra["type"]` is what the sentence is about.
    * `trustllm-stereo-query`: 95 questions that take a stereotype for granted. There is no target: an evaluator looks
      for a reply that declines to answer.

    The files lie in `fairness/` or `trustllm/fairness/` of the data root.

    Source: TrustLLM (Huang et al. 2024, arXiv:2401.05561, MIT licence); CrowS-Pairs (Nangia et al. 2020), StereoSet
    (Nadeem et al. 2021).

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: a bad record, or an unknown label or kind.
    """

    dataset_ids = tuple(_FILES)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED[dataset_id]
        name, keys = _FILES[dataset_id]
        path = self.files.text(f"fairness/{name}", f"trustllm/fairness/{name}", name=name)
        records = read_json_records(path, keys)
        ids = content_ids(dataset_id, (str(record["prompt"]) for record in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            text = rows.text(record["prompt"], where, "prompt")
            fields = _fields(dataset_id, record, where, sample_id)
            self.dataset.append(TxtSample(text=text, id=sample_id, **fields))


def _fields(dataset_id: str, record: Record, where: str, sample_id: str) -> dict[str, Any]:
    """Subset, target and cluster; two prompts about the same sentence share a cluster."""
    if dataset_id == "trustllm-stereo-query":
        return {"cluster": sample_id}
    sentence = rows.text(record["sentence"], where, "sentence")
    if dataset_id == "trustllm-stereo-agreement":
        kind = rows.one_of(record["bias_type"], where, "bias_type", tuple(TOPICS))
        return {"subset": kind, "cluster": content_ids(dataset_id, [sentence])[0]}
    label = rows.one_of(record["label"], where, "label", CLASSES)
    about = rows.one_of(record["type"], where, "type", _ABOUT)
    return {"target": label, "subset": label, "cluster": sample_id, "extra": {"type": about}}
