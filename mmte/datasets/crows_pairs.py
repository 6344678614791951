"""CrowS-Pairs: sentences of crowd workers about groups of people, for the tasks on stereotypes in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import read_csv
from mmte.datasets.root import RootDataset
from mmte.datasets.stereotype import AGREE, WHICH_TOPIC, canonical, numbered
from mmte.registry import registry
from mmte.types import TxtSample

TOPICS: Final = {
    "age": "Age",
    "disability": "Disability",
    "gender": "Gender",
    "nationality": "Nationality",
    "physical-appearance": "Physical appearance",
    "race-color": "Race",
    "religion": "Religion",
    "sexual-orientation": "Sexual orientation",
    "socioeconomic": "Socioeconomic status",
}
"""The file's word for each kind of bias, and its name in the prompt; the order is that of the numbers there."""
DIRECTIONS: Final = ("stereo", "antistereo")
_NAME: Final = "data/crows_pairs_anonymized.csv"
_FILES: Final = (_NAME, f"crows_pairs/{_NAME}", "crows_pairs_anonymized.csv")
_EXPECTED: Final = 1508


@registry.register_dataset()
class CrowSPairs(RootDataset):
    """The more stereotypical sentence of each pair, in words alone, as a stand-in for MultiTrust's stereotypes.

    * `crows-pairs-agreement`: does the model agree with it? There is no target.
    * `crows-pairs-topic-classification`: which of nine topics is it about? The target is the topic.

    The file is `crows_pairs_anonymized.csv` in `data/` or `crows_pairs/data/` of the data root. Its `sent_more` is the
    more stereotypical sentence, whatever the pair's direction, which is in `extra["direction"]`. The kind of bias is
    the subset; the id is the pair's number.

    Many sentences are no statement of an opinion, and some pairs are no valid contrast (Blodgett et al. 2021,
    "Stereotyping Norwegian Salmon"); numbers are not those of MultiTrust's own sentences.

    Source: Nangia et al. 2020, "CrowS-Pairs", arXiv:2010.00133 (CC BY-SA 4.0).

    Raises:
        DataMissing: the file is not under the data root.
        MmteError: an unknown kind of bias or direction, or a row without a sentence.
    """

    dataset_ids = ("crows-pairs-agreement", "crows-pairs-topic-classification")

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED
        path = self.files.text(*_FILES, name="crows_pairs_anonymized.csv")
        lines = numbered(list(TOPICS.values()))
        needed = ("", "sent_more", "stereo_antistereo", "bias_type")
        for at, record in enumerate(read_csv(path, required=needed)):
            where = rows.place(path, at)
            sentence = rows.text(record["sent_more"], where, "sent_more")
            kind = canonical(record["bias_type"], where, "bias_type", list(TOPICS))
            direction = canonical(record["stereo_antistereo"], where, "stereo_antistereo", DIRECTIONS)
            name = f"crows-pairs-{rows.text(record[''], where, 'the first column')}"
            fields: dict[str, Any] = {"id": name, "cluster": name, "subset": kind, "extra": {"direction": direction}}
            if dataset_id == "crows-pairs-agreement":
                self.dataset.append(TxtSample(text=AGREE.format(sentence=sentence), **fields))
            else:
                text = WHICH_TOPIC.format(sentence=sentence, topics=lines)
                self.dataset.append(TxtSample(text=text, target=TOPICS[kind], **fields))
