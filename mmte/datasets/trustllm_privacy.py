"""TrustLLM's tests of privacy: data that a system prompt guards, mail addresses from training data, and ratings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.confaide import FORCE
from mmte.datasets.readers import Record, content_ids, number, read_json_records
from mmte.datasets.root import RootDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import TxtSample

_FOLDERS: Final = ("privacy/", "trustllm/privacy/")
_FILES: Final = {
    "trustllm-privacy-query": (
        "privacy_awareness_query.json",
        ("prompt", "privacy_information", "name", "question", "info-content", "type"),
        560,
    ),
    "trustllm-privacy-leakage": ("privacy_leakage.json", ("prompt", "gt-email", "gt-name", "type", "shotType"), 400),
    "trustllm-confaide": ("privacy_awareness_confAIde.json", ("prompt", "label"), 196),
}
SYSTEMS: Final = {"aug": "with-policy", "normal": "without-policy"}
PII: Final = {
    "bank account number": "bank account number",
    "SSH private key": "ssh private key",
    "SSN": "SSN",
    "driver's license number": "driver's license number",
    "phone number": "phone number",
    "home address": "address",
    "phone password": "password",
}
"""TrustLLM's kinds of information, and what an evaluator of PII calls them."""
_SHOTS: Final = ("zero-shot", "five-shot")
_MAIL: Final = r"[^\s;:\]]+@[^\s;:\]]+"
_TOLD: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"the email address of (?P<name>[^;]+?) is (?P<mail>{_MAIL})",
        rf"name: (?P<name>[^;]+?), email: (?P<mail>{_MAIL})",
        rf"(?:^|\]; |From: )(?P<name>[^;\[\n]+?) \[mailto: (?P<mail>{_MAIL})",
    )
)
_HALF: Final = 98
Fields = dict[str, Any]


@registry.register_dataset()
class TrustLLMPrivacy(RootDataset):
    """Questions in words from TrustLLM's `privacy` folder.

    * `trustllm-privacy-query`: 560 prompts in which a third party asks for a fact of one of four people; a stand-in for
      p6. The target is the fact, `extra["pii_type"]` its kind. The same 280 questions (the group and cluster) are
      there `with-policy`, a system prompt that forbids to tell, and `without-policy`: the subset.
    * `trustllm-privacy-leakage`: 400 prompts, eight for each of 50 people (the cluster), that call for the mail address
      of somebody in the Enron mails, after five others' or after none (the subset). The target is the address.
      `extra["redact"]` has all names and addresses, which are those of real people and belong in no report.
    * `trustllm-confaide`: 196 ratings, tiers 2a and 2b of ConfAIde (the subset) in one file; but for blanks, the
      prompts are those of `confaide-tier-2a` and `-2b`. The target is the mean rating of people. Scenarios i of both
      tiers share the group and cluster `confaide-tier2-<i>`.

    The files lie in `privacy/` or `trustllm/privacy/` of the data root. Prompts are used as published.

    Source: TrustLLM (Huang et al. 2024, arXiv:2401.05561, MIT licence); ConfAIde (Mireshghallah et al. 2024); Enron
    addresses from DecodingTrust (Wang et al. 2023).

    Args:
        dataset_id: one of `dataset_ids`.
        method_hook: a method that every sample passes through.
        data_root: the folder of `--mmte-data`.
        force_prompt: only for `trustllm-confaide`: end the prompt with our sentence that asks for one number.

    Raises:
        DataMissing: the prompts are not under the data root.
        MmteError: a bad record, an unknown kind, or an option that the dataset does not have.
    """

    dataset_ids = tuple(_FILES)

    def __init__(
        self,
        dataset_id: str,
        method_hook: Any = None,
        *,
        data_root: str | Path | None = None,
        force_prompt: bool | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        rated = dataset_id == "trustllm-confaide"
        if force_prompt is not None and not (rated and isinstance(force_prompt, bool)):
            rule = "must be true or false" if rated else "is an option of trustllm-confaide only"
            raise MmteError(f"{dataset_id}: force_prompt {rule}, not {force_prompt!r}")
        name, keys, self.expected = _FILES[dataset_id]
        path = self.files.text(*(f"{folder}{name}" for folder in _FOLDERS), name=name)
        records = read_json_records(path, keys)
        if rated and len(records) != 2 * _HALF:
            raise MmteError(f"{path}: {len(records)} records, where {2 * _HALF} are needed; fetch it again")
        end = FORCE if rated and force_prompt in (None, True) else ""
        ids = content_ids(dataset_id, (str(record["prompt"]) for record in records))
        for at, (record, sample_id) in enumerate(zip(records, ids, strict=True)):
            where = rows.place(path, at)
            fields = _READERS[dataset_id](record, where, at)
            text = rows.text(record["prompt"], where, "prompt") + end
            self.dataset.append(TxtSample(text=text, id=sample_id, **fields))


def _query(record: Record, where: str, _: int) -> Fields:
    kind = rows.one_of(record["privacy_information"], where, "privacy_information", tuple(PII))
    content, question, name = (rows.text(record[key], where, key) for key in ("info-content", "question", "name"))
    pair = content_ids("trustllm-query", ["\0".join((kind, name, content, question))])[0]
    return {
        "target": [content],
        "extra": {"pii_type": PII[kind], "question": question},
        "subset": SYSTEMS[rows.one_of(record["type"], where, "type", tuple(SYSTEMS))],
        "cluster": pair,
        "group": pair,
    }


def _leakage(record: Record, where: str, _: int) -> Fields:
    """A message about a record never repeats what it holds."""
    if not all(isinstance(record[key], str) and record[key].strip() for key in ("prompt", "gt-email", "gt-name")):
        raise MmteError(f"{where}: prompt, gt-email and gt-name must be texts; correct it")
    mail, name = record["gt-email"].strip(), record["gt-name"].strip()
    told = [found for pattern in _TOLD for found in pattern.finditer(record["prompt"])]
    people = dict.fromkeys([mail, name, *(part.strip() for found in told for part in (found["name"], found["mail"]))])
    person = content_ids("trustllm-person", [f"{name}\0{mail}"])[0]
    return {
        "target": [mail],
        "extra": {"pii_type": "email address", "redact": list(people)},
        "subset": rows.one_of(record["shotType"], where, "shotType", _SHOTS),
        "cluster": person,
    }


def _rating(record: Record, where: str, at: int) -> Fields:
    scenario = f"confaide-tier2-{at % _HALF}"
    label = number(record["label"], f"{where}: 'label'", -100, 100)
    return {"target": label, "subset": "2a" if at < _HALF else "2b", "cluster": scenario, "group": scenario}


_READERS: Final[dict[str, Callable[[Record, str, int], Fields]]] = {
    "trustllm-privacy-query": _query,
    "trustllm-privacy-leakage": _leakage,
    "trustllm-confaide": _rating,
}
