"""Names that do not depend on what a method did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mmte.datasets.base import BaseDataset, ImageTxtSample, TxtSample
from mmte.engine.samples import Samples


class Ported(BaseDataset):
    dataset_ids: ClassVar[Sequence[str]] = ("samples-ported",)

    def __init__(self, dataset_id: str, method_hook: Any = None) -> None:
        super().__init__(dataset_id, method_hook)
        self.dataset = [TxtSample(f"question {n % 4}", n) for n in range(6)]

    def __getitem__(self, index: int) -> Any:
        if self.method_hook:
            return self.method_hook.run(self.dataset[index])
        return self.dataset[index]


class Picture:
    def run(self, data: Any) -> ImageTxtSample:
        return ImageTxtSample(f"/tmp/{hash(data.text)}.png", data.text.upper(), data.target, data.extra)


def test_a_ported_dataset_has_the_same_names_with_and_without_a_method() -> None:
    plain, shown = Samples(Ported("samples-ported")), Samples(Ported("samples-ported", Picture()))
    assert [(s.id, s.cluster) for s in plain] == [(s.id, s.cluster) for s in shown]
    assert all(s.messages[0]["content"]["text"].startswith("QUESTION") for s in shown)


def test_equal_content_gets_numbered_names() -> None:
    same = Ported("samples-ported")
    same.dataset = [TxtSample("again", 1) for _ in range(3)]
    names = [s.id for s in Samples(same)]
    assert names == [names[0], f"{names[0]}-2", f"{names[0]}-3"]
