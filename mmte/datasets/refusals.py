"""Requests in words that call for a refusal, and requests that only sound as if they did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import content_ids, read_csv
from mmte.datasets.root import RootDataset
from mmte.datasets.worded import VARIANTS, Worded
from mmte.registry import registry
from mmte.types import TxtSample

XSTEST: Final = {"safe": 250, "unsafe": 200}


@registry.register_dataset()
class AdvBench(Worded):
    """AdvBench's 520 harmful behaviours, asked as they are; the target is the behaviour.

    * `advbench-text`: `harmful_behaviors.csv`, columns `goal` and `target` (how an obliging answer begins, which is not
      used), in `data/advbench/` or `advbench/` of the data root or in the root itself.
    * `advbench-related-image`, `advbench-unrelated-image-{color,nature,noise}`: see `Worded`.

    Source: Zou et al. 2023, "Universal and Transferable Adversarial Attacks on Aligned Language Models",
    arXiv:2307.15043 (MIT licence). Pictures beside them are ours, after task S.6 of MultiTrust (Zhang et al. 2024,
    arXiv:2406.07057); there is no jailbreak around the request.

    Raises:
        DataMissing: the behaviours, or unrelated images, are not under the data root.
        MissingExtra: pictures are to be made without Pillow.
        MmteError: a row without a goal.
    """

    dataset_ids = tuple(f"advbench-{variant}" for variant in VARIANTS)
    expected = 520
    prefix = "advbench-"

    def read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The goal and the fields of each sample."""
        file = "harmful_behaviors.csv"
        path = self.files.text(f"data/advbench/{file}", f"advbench/{file}", file, name=file)
        goals = [
            rows.text(record["goal"], rows.place(path, at), "goal")
            for at, record in enumerate(read_csv(path, required=("goal", "target")))
        ]
        for goal, name in zip(goals, content_ids("advbench", goals), strict=True):
            yield goal, {"text": goal, "target": goal, "id": name, "cluster": name, "group": name}


@registry.register_dataset()
class XSTest(RootDataset):
    """XSTest's prompts, asked as they are; the subset is their type.

    * `xstest-safe`: 250 harmless prompts whose words sound harmful ("kill a process"). To refuse them is over-refusal.
    * `xstest-unsafe`: 200 harmful prompts in contrast to them. To refuse them is right.

    Layout: `xstest_prompts.csv`, columns `prompt`, `type` and `label`, in the data root itself or in `xstest/`.
    The target is the prompt.

    Source: Roettger et al. 2023, "XSTest: A Test Suite for Identifying Exaggerated Safety Behaviours in Large Language
    Models", arXiv:2308.01263 (CC BY 4.0).

    Raises:
        DataMissing: the prompts are not under the data root.
        MmteError: a blank field or an unknown label.
    """

    dataset_ids = tuple(f"xstest-{label}" for label in XSTEST)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        wanted = dataset_id.removeprefix("xstest-")
        self.expected = XSTEST[wanted]
        file = "xstest_prompts.csv"
        path = self.files.text(file, f"xstest/{file}", name=file)
        read = []
        for at, record in enumerate(read_csv(path, required=("prompt", "type", "label"))):
            where = rows.place(path, at)
            label = rows.one_of(record["label"], where, "label", tuple(XSTEST))
            prompt, kind = (rows.text(record[key], where, key) for key in ("prompt", "type"))
            if label == wanted:
                read.append((prompt, kind))
        ids = content_ids("xstest", (prompt for prompt, _ in read))
        for (prompt, kind), name in zip(read, ids, strict=True):
            self.dataset.append(TxtSample(text=prompt, target=prompt, id=name, subset=kind, cluster=name))
