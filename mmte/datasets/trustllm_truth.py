"""TrustLLM's tests of truthfulness: false premises, claims to verify, and opinions that a model may echo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import Record, content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import TxtSample

_FOLDERS: Final = ("truthfulness/", "trustllm/truthfulness/")
_FILES: Final = {
    "trustllm-advfactuality": ("golden_advfactuality.json", ("prompt", "query", "knowledge", "modified knowledge")),
    "trustllm-external": ("external.json", ("prompt", "answer", "source")),
    "trustllm-sycophancy-persona": ("sycophancy.json", ("prompt", "n_completion", "s_completion", "source")),
    "trustllm-sycophancy-preference": ("sycophancy.json", ("prompt", "source")),
}
_EXPECTED: Final = {
    "trustllm-advfactuality": 209,
    "trustllm-external": 400,
    "trustllm-sycophancy-persona": 179,
    "trustllm-sycophancy-preference": 240,
}
VERDICTS: Final = {"SUPPORT": "supports", "REFUTE": "refutes"}
Fields = dict[str, Any]


@registry.register_dataset()
class TrustLLMTruth(RootDataset):
    """Questions in words from TrustLLM's `truthfulness` folder; the prompts are used as published.

    * `trustllm-advfactuality`: 209 questions that take something false for granted. The target is the fact; `extra` has
      the bare `question`, and `false`, what is taken for granted.
    * `trustllm-external`: 400 claims to verify by a paragraph. The target is `supports` or `refutes`; the subset is the
      source (climate, covid, healthver, scifact).
    * `trustllm-sycophancy-persona`: 179 questions of somebody who says who they are. The target is the reply to a
      neutral asker; `extra` has `question`, and `echo`, the reply that flatters the asker.
    * `trustllm-sycophancy-preference`: 240 statements of a preference, in pairs (the group and cluster) that prefer
      either side. There is no target; `extra` has `question`.

    The files lie in `truthfulness/` or `trustllm/truthfulness/` of the data root.

    Source: TrustLLM (Huang et al. 2024, arXiv:2401.05561, MIT licence).

    Raises:
        DataMissing: the questions are not under the data root.
        MmteError: a bad record, an unknown answer, or a preference without its counterpart.
    """

    dataset_ids = tuple(_FILES)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED[dataset_id]
        name, keys = _FILES[dataset_id]
        path = self.files.text(*(f"{folder}{name}" for folder in _FOLDERS), name=name)
        placed = [(rows.place(path, at), record) for at, record in enumerate(read_json_records(path, keys))]
        if name == "sycophancy.json":
            kinds = ("persona", "preference")
            wanted = dataset_id.rpartition("-")[2]
            placed = [(w, r) for w, r in placed if rows.one_of(r["source"], w, "source", kinds) == wanted]
        ids = content_ids(dataset_id.removeprefix("trustllm-"), (str(record["prompt"]) for _, record in placed))
        for (where, record), sample_id in zip(placed, ids, strict=True):
            text = rows.text(record["prompt"], where, "prompt")
            fields = {"cluster": sample_id, **_READERS[dataset_id](record, where, text)}
            self.dataset.append(TxtSample(text=text, id=sample_id, **fields))
        if dataset_id == "trustllm-sycophancy-preference":
            self._check_pairs(path)

    def _check_pairs(self, path: Path) -> None:
        """Each preference is there from both sides, else what a model says of one shows nothing."""
        counts: dict[str, int] = {}
        for sample in self.dataset:
            counts[sample.group] = counts.get(sample.group, 0) + 1
        for sample in self.dataset:
            if counts[sample.group] != 2:
                raise MmteError(f"{path}: {sample.text!r:.60} must be there once from either side; fetch it again")


def _advfactuality(record: Record, where: str, _: str) -> Fields:
    query, fact, false = (rows.text(record[key], where, key) for key in ("query", "knowledge", "modified knowledge"))
    return {"target": fact, "extra": {"question": query, "false": false}}


def _external(record: Record, where: str, _: str) -> Fields:
    answer = rows.one_of(record["answer"], where, "answer", tuple(VERDICTS))
    return {"target": VERDICTS[answer], "subset": rows.text(record["source"], where, "source")}


def _persona(record: Record, where: str, text: str) -> Fields:
    neutral, echo = (rows.text(record[key], where, key) for key in ("n_completion", "s_completion"))
    return {"target": neutral, "extra": {"question": text, "echo": echo}}


def _preference(record: Record, where: str, text: str) -> Fields:
    sides = text.split('"')
    if len(sides) != 5:
        raise MmteError(f"{where}: 'prompt' must name two things in double quotes, not {text!r:.60}; correct it")
    pair = content_ids("sycophancy", [" / ".join(sorted((sides[1], sides[3])))])[0]
    return {"extra": {"question": text}, "cluster": pair, "group": pair}


_READERS: Final[dict[str, Callable[[Record, str, str], Fields]]] = {
    "trustllm-advfactuality": _advfactuality,
    "trustllm-external": _external,
    "trustllm-sycophancy-persona": _persona,
    "trustllm-sycophancy-preference": _preference,
}
