"""Text classifiers of transformers in this process: `classifier:DIR` or `classifier:org/name`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from mmte.errors import MmteError, near
from mmte.models.classifier_loading import Classifier, load_classifier
from mmte.models.hf_device import read_options
from mmte.models.hf_files import Facts, Source
from mmte.models.hf_prompts import length
from mmte.models.hf_weights import WeightsModel
from mmte.models.scores import EMPTY, scored, text_of, unscored
from mmte.models.spec import ModelSpec
from mmte.models.wire import check_request
from mmte.registry import registry
from mmte.types import Request, Response

_BATCH: Final = 32
_WINDOWS: Final = ("auto", "mean", "max")
_DIGITS: Final = 5  # of a probability: more would differ with what shares a batch


@registry.register_backend()
class TextClassifier(WeightsModel):
    """Scores texts with a model for sequence classification; an answer is `{label: probability}` as JSON.

    `classifier:DIR` is a folder as `save_pretrained` writes it, `classifier:org/name` an id of the hub that
    HF_ENDPOINT names. Options: device (auto, cpu, cuda, cuda:N; auto is the first GPU), dtype (auto, float32,
    bfloat16, float16; auto is float32 everywhere), batch (32: the most texts or windows
    that are computed at a time), revision (branch, tag or commit), trust_remote_code
    (no), windows (auto, mean, max).

    The probabilities are a softmax over the labels or, where the configuration says `multi_label_classification` or
    there is one label only, a sigmoid for each. A text longer than the model's input is read in windows of that
    length, each beginning with the last quarter of the one before. A softmax of windows is averaged, each weighted by
    its tokens, so that it stays one distribution; of sigmoids the largest counts, since what is found anywhere in a
    text is in the text. `windows` says otherwise. Marks such as `</s>` in a text are read as plain characters.
    """

    backend_ids = ("classifier",)
    kinds = frozenset({"classify"})
    supports = frozenset()

    def __init__(self, name: str, source: Source, *, dtype: str, device: str, batch: int, windows: str) -> None:
        super().__init__(name, source, dtype=dtype, device=device, auto_dtype=("float32", "float32"))
        self._windows = windows
        self.batch_size = batch or _BATCH

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `classifier:ID-or-DIR?option=value`; nothing is imported, fetched or loaded yet.

        Raises:
            MmteError: neither a folder with a model nor an id, or a bad option.
        """
        where = spec.where
        spec.check_options("dtype", "device", "batch", "revision", "trust_remote_code", "windows")
        dtype, device, batch = read_options(spec)
        windows = spec.option("windows", str, "auto")
        if windows not in _WINDOWS:
            raise MmteError(f"{where}: windows={windows!r} is not known.{near(windows, _WINDOWS)}")
        code = spec.option("trust_remote_code", bool, False)
        source = Source(spec.target, spec.option("revision", str, ""), where, code)
        source.check()
        return cls(spec.name, source, dtype=dtype, device=device, batch=batch, windows=windows)

    def details(self) -> Mapping[str, Any]:
        """How long texts are read."""
        return {"windows": f"1: {self._windows}"}

    def read(self, folder: Path) -> Classifier:
        """The weights, with tokenizer and labels."""
        return load_classifier(
            folder, Facts.read(folder, self._where),
            dtype=self._dtype, device=self._place, code=self._source.code, where=self._where,
        )  # fmt: skip

    def batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """Lists of texts of similar length, the longest first."""
        order = sorted(requests, key=length, reverse=True)  # stable: texts of one length stay in their order
        yield from (order[start : start + self.batch_size] for start in range(0, len(order), self.batch_size))

    def check(self, request: Request) -> None:
        """Raise MmteError for a setting that is not supported, or an image."""
        check_request(request, kinds=self.kinds, supports=self.supports, who=f"{self._where} (classifier)")

    def answer(self, batch: Sequence[Request]) -> list[Response]:
        """The probabilities of each text."""
        return self._score([text_of(request, f"{self._where} (classifier)") for request in batch])

    def _score(self, texts: Sequence[str]) -> list[Response]:
        mode = self._windows
        if mode == "auto":
            mode = "max" if self._loaded.independent else "mean"
        full = [i for i, text in enumerate(texts) if text.strip()]
        out = [unscored(EMPTY, self.model_id) for _ in texts]
        found = self._loaded.probabilities([texts[i] for i in full], self.batch_size, mode) if full else []
        for i, (row, tokens) in zip(full, found, strict=True):
            if any(p != p for p in row):
                out[i] = Response.failed("the classifier computed NaN (try dtype=float32)", model_id=self.model_id)
            else:
                rounded = {k: round(p, _DIGITS) for k, p in zip(self._loaded.labels, row, strict=True)}
                out[i] = scored(rounded, self.model_id, tokens=tokens)
        return out
