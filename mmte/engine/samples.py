"""From what a dataset yields to `Sample`s: stable ids, clusters, few-shot examples, the part that a limit selects."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmte.datasets.base import BaseDataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, Sample, TxtSample

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str).encode


def build_dataset(
    dataset_id: str, dataset_cfg: Mapping[str, Any], method_cfg: Mapping[str, Any], data_root: Path | None
) -> Any:
    """The dataset with its method hook; `data_root` is handed to datasets that take one.

    Raises:
        MmteError: unknown dataset, method or option, or data that cannot be read.
    """
    cls = registry.get_dataset_class(dataset_id)
    options = dict(dataset_cfg)
    if _takes(cls, "data_root"):
        options.setdefault("data_root", data_root)
    try:
        return cls(dataset_id=dataset_id, method_hook=build_method(method_cfg, data_root), **options)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise MmteError(f"dataset '{dataset_id}': {error}") from error


def build_method(method_cfg: Mapping[str, Any], data_root: Path | None = None) -> Any:
    """The method of `{method_id: its options}`; several are applied one after the other; None for none."""
    methods = []
    for name, given in method_cfg.items():
        cls, options = registry.get_method_class(name), dict(given or {})
        if _takes(cls, "data_root"):
            options.setdefault("data_root", data_root)
        methods.append(cls(name, **options))
    return _Chain(methods) if len(methods) > 1 else methods[0] if methods else None


def method_identity(method: Any, config: Any) -> Any:
    """What a method does, without where it keeps its files; its options where it does not say."""
    if isinstance(method, _Chain):
        return [method_identity(m, c) for m, c in zip(method.methods, config.items(), strict=True)]
    return method.digest() if hasattr(method, "digest") else config


class _Chain:
    """Several methods as one."""

    def __init__(self, methods: Sequence[Any]) -> None:
        self.methods = methods

    def run(self, data: Any) -> Any:
        """The sample after every method."""
        for method in self.methods:
            data = method.run(data)
        return data

    __call__ = run


@dataclass(frozen=True, slots=True)
class Shots:
    """Few-shot examples: `(sample id, its turns)`, one more than `n`, so that no question shows its own answer."""

    n: int = 0
    examples: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...] = ()

    def before(self, sample_id: str) -> tuple[Mapping[str, Any], ...]:
        """The turns that precede the question of a sample."""
        if not self.n:
            return ()
        others = [turns for name, turns in self.examples if name != sample_id][: self.n]
        return tuple(turn for turns in others for turn in turns)


class Samples:
    """The samples of a dataset, read one at a time; `len()` is the number selected.

    Args:
        limit: at most about this many per subset: whole clusters, in the order of a hash of their
            names, until the limit is reached. A smaller limit selects a part of a larger one.
        shots: few-shot examples that precede every question.
    """

    def __init__(self, dataset: Any, *, limit: int | None = None, shots: Shots = Shots()) -> None:  # noqa: B008
        self._dataset = dataset
        self.shots = shots
        # Names and clusters come from the sample before its method, where that can be had.
        self._before = _before_method(dataset)
        self._picked: Sequence[int] = range(len(dataset)) if limit is None else self._pick(limit)

    def __len__(self) -> int:
        return len(self._picked)

    def __iter__(self) -> Iterator[Sample]:
        seen: dict[int, int] = {}
        for index in self._picked:
            final = self._dataset[index]
            raw = final if self._before is None else self._before[index]
            yield self._sample(raw, final, seen)

    def _sample(self, raw: Any, final: Any, seen: dict[int, int]) -> Sample:
        if isinstance(final, Sample):
            return final
        name = raw.id or f"x{hashlib.sha256(_encode(_content(raw)).encode()).hexdigest()[:15]}"
        mark = hash(name)
        count = seen[mark] = seen.get(mark, 0) + 1
        if count > 1:
            if raw.id:
                raise MmteError(f"dataset '{_name(self._dataset)}' has two samples with the id '{name}'")
            name = f"{name}-{count}"
        text: Any = final.text
        cluster = raw.cluster or name
        if isinstance(final, ImageTxtSample):
            text = {"image_path": final.image_path, "text": final.text}
        if isinstance(raw, ImageTxtSample) and not raw.cluster:
            cluster = str(raw.image_path)
        messages = (*self.shots.before(name), {"role": "user", "content": text})
        return Sample(name, messages, final.target, final.extra, raw.subset or _subset(final.extra), cluster, raw.group)

    def _pick(self, limit: int) -> list[int]:
        """Indices of whole clusters by hash, until `limit` samples of each subset are reached."""
        subsets: dict[str, dict[str, list[int]]] = {}
        seen: dict[int, int] = {}
        for index in range(len(self._dataset)):
            raw = self._dataset[index] if self._before is None else self._before[index]
            sample = self._sample(raw, raw, seen)
            subsets.setdefault(sample.subset, {}).setdefault(sample.cluster, []).append(index)
        picked: list[int] = []
        for clusters in subsets.values():
            got = 0
            for cluster in sorted(clusters, key=lambda c: hashlib.sha256(c.encode("utf-8", "surrogatepass")).digest()):
                if got >= limit:
                    break
                picked += clusters[cluster]
                got += len(clusters[cluster])
        return sorted(picked)


def few_shot(config: Mapping[str, Any] | None, data_root: Path | None) -> Shots:
    """Example questions with their answers as earlier turns: `{n, dataset_id, dataset_cfg, answer}`.

    `answer` is a text with `{target}`; the examples come in the order of their ids' hashes.

    Raises:
        MmteError: the dataset has too few examples.
    """
    if not config or not config.get("n"):
        return Shots()
    n = int(config["n"])
    dataset = build_dataset(config["dataset_id"], config.get("dataset_cfg") or {}, {}, data_root)
    samples = sorted(Samples(dataset), key=lambda s: hashlib.sha256(s.id.encode()).digest())[: n + 1]
    if len(samples) < n:
        raise MmteError(f"few-shot: dataset '{config['dataset_id']}' has {len(samples)} samples, {n} are asked for")
    answer = str(config.get("answer", "{target}"))
    return Shots(n, tuple(
        (s.id, (*s.messages, {"role": "assistant", "content": answer.replace("{target}", str(s.target))}))
        for s in samples
    ))  # fmt: skip


def _before_method(dataset: Any) -> Sequence[Any] | None:
    """The samples as they were before the dataset's method, if they lie open in `dataset.dataset`."""
    kept = getattr(dataset, "dataset", None)
    if type(dataset).__getitem__ is BaseDataset.__getitem__:
        return dataset.dataset  # type: ignore[no-any-return]
    if not isinstance(kept, list) or len(kept) != len(dataset) or getattr(dataset, "method_hook", None) is None:
        return None
    return kept if all(isinstance(s, (TxtSample, ImageTxtSample)) for s in kept) else None


def _content(raw: Any) -> list[Any]:
    picture = Path(raw.image_path).name if isinstance(raw, ImageTxtSample) else None
    return [raw.text, picture, raw.target, raw.extra]


def _subset(extra: Any) -> str:
    found = extra.get("subset", "") if isinstance(extra, Mapping) else ""
    return str(found if found is not None else "")


def _name(dataset: Any) -> str:
    return str(getattr(dataset, "dataset_id", type(dataset).__name__))


def _takes(cls: type, name: str) -> bool:
    return name in inspect.signature(cls).parameters
