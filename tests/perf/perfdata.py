"""A dataset of any size and an evaluator that costs next to nothing: what remains is the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mmte.datasets.base import BaseDataset, TxtSample
from mmte.evaluators.base import UNPARSED, BaseEvaluator
from mmte.registry import registry


class _Rows(Sequence[Any]):
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: Any) -> TxtSample:
        text = f"Is there a cat in picture number {i}? Answer with yes or no, and nothing else, please."
        return TxtSample(text, i % 2, None, f"s{i}", "", f"img{i // 6}")


@registry.register_dataset()
class PerfText(BaseDataset):
    dataset_ids: ClassVar[tuple[str, ...]] = ("perf-text",)

    def __init__(self, dataset_id: str, method_hook: Any = None, *, n: int = 1000) -> None:
        super().__init__(dataset_id, method_hook)
        self.dataset = _Rows(n)  # type: ignore[assignment]

    def digest(self) -> str:
        return str(len(self))


@registry.register_evaluator()
class PerfYesNo(BaseEvaluator):
    evaluator_ids: ClassVar[tuple[str, ...]] = ("perf-yes-no",)
    chunk = 1024

    def process(self, preds: Any, labels: Any = None, extras: Any = None, **kwargs: Any) -> Any:
        return [1.0 if p[:1] in "Yy" else 0.0 if p[:1] in "Nn" else UNPARSED for p in preds], labels, extras
