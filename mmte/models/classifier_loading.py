"""Loads a sequence classifier with transformers, and computes probabilities of texts of any length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError
from mmte.models.hf_files import Facts
from mmte.models.hf_loading import explained, libraries, quiet, share_cpus

_NO_LIMIT: Final = 10**6  # tokenizers without a limit say a number far beyond this
_TOKENS: Final = 16_384  # padding included, that are computed at a time: 32 windows of 512, 4 of 4,096
_OVERLAP: Final = 4  # a window shares one part in four with the one before


@dataclass(slots=True)
class Classifier:
    """A classifier on its device. `limit`: tokens of one window, None where there is none; `independent`: the labels
    do not exclude each other."""

    torch: Any
    model: Any
    tokenizer: Any
    device: str
    labels: tuple[str, ...]
    independent: bool
    limit: int | None

    def probabilities(self, texts: Sequence[str], batch: int, mode: str) -> list[tuple[list[float], int]]:
        """For each text the probabilities in the order of `labels`, and its tokens (all windows together).

        Args:
            texts: none of them empty.
            batch: windows that are computed at a time; fewer where they are long.
            mode: how windows of one text are combined, mean (weighted by tokens) or max.
        """
        windows, owners = self._windows(texts)
        sizes = [len(ids) for ids in windows["input_ids"]]
        order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
        rows: dict[int, list[tuple[list[float], int]]] = {}
        start = 0
        while start < len(order):
            chosen = order[start : start + max(1, min(batch, _TOKENS // sizes[order[start]]))]
            start += len(chosen)
            for i, row in zip(chosen, self._computed(windows, chosen), strict=True):
                rows.setdefault(owners[i], []).append((row, sizes[i]))
        return [_combined(rows[i], mode) for i in range(len(texts))]

    def _windows(self, texts: Sequence[str]) -> tuple[dict[str, list[list[int]]], list[int]]:
        """Token lists with special tokens, and whose they are. `split_special_tokens`: a text brings none itself."""
        cut = {} if self.limit is None else {
            "truncation": True, "max_length": self.limit, "stride": self.limit // _OVERLAP,
            "return_overflowing_tokens": True,
        }  # fmt: skip
        found = dict(self.tokenizer(list(texts), split_special_tokens=True, **cut))
        owners = found.pop("overflow_to_sample_mapping", range(len(texts)))
        return found, [int(i) for i in owners]

    def _computed(self, windows: dict[str, list[list[int]]], chosen: Sequence[int]) -> list[list[float]]:
        part = {name: [column[i] for i in chosen] for name, column in windows.items()}
        inputs = self.tokenizer.pad(part, padding_side="right", return_tensors="pt").to(self.device)
        with self.torch.inference_mode():
            logits = self.model(**inputs).logits.float()
            found = logits.sigmoid() if self.independent else logits.softmax(-1)
        rows: list[list[float]] = found.cpu().tolist()
        return rows


def load_classifier(folder: Path, facts: Facts, *, dtype: str, device: str, code: bool, where: str) -> Classifier:
    """Load from a folder; nothing is fetched and, unless `code`, no Python file of it runs.

    Raises:
        MissingExtra: torch or transformers is missing.
        MmteError: the files are incomplete, are no classifier, or transformers cannot read them; one line says why.
    """
    torch, transformers = libraries()
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise MmteError(f"{where}: torch sees no CUDA device; give device=cpu")
    quiet(transformers)
    common = {"local_files_only": True, "trust_remote_code": code}
    family = transformers.AutoModelForSequenceClassification
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **common)
        model, info = family.from_pretrained(folder, dtype=getattr(torch, dtype), output_loading_info=True, **common)
        model = model.to(device).eval()
    except Exception as error:  # noqa: BLE001  a dozen libraries read these files; what they raise is not ours to know
        raise MmteError(f"{where}: {explained(error, facts, code)}") from None
    if missing := sorted(info["missing_keys"]):
        rule = "is it a text classifier, and complete?"
        raise MmteError(f"{where}: the weights lack {len(missing)} tensors, e.g. {missing[0]}; {rule}")
    if not tokenizer.is_fast:
        raise MmteError(f"{where}: its tokenizer has no fast version, which is needed for long texts")
    _settle(model, tokenizer)
    share_cpus(torch, device)
    independent = model.config.problem_type == "multi_label_classification" or model.config.num_labels == 1
    return Classifier(
        torch, model, tokenizer, device, _labels(model.config, where), independent, limit=_limit(model, tokenizer)
    )


def _labels(config: Any, where: str) -> tuple[str, ...]:
    """The names of the labels in the order of the outputs."""
    if config.problem_type == "regression":
        raise MmteError(f"{where}: the model computes a number and no probability (problem_type: regression)")
    labels = tuple(str(config.id2label[i]) for i in range(config.num_labels))
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise MmteError(f"{where}: two labels of the model are called {twice!r}; correct id2label in its config.json")
    return labels


def _settle(model: Any, tokenizer: Any) -> None:
    """Models that were made for generation have no token to pad with, and find the last one of a text by it."""
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id


def _limit(model: Any, tokenizer: Any) -> int | None:
    """Tokens that fit: what the tokenizer says, and what there are positions for.

    RoBERTa and its family (Longformer) count positions from the padding token on, so the first ones are never used.
    """
    known = [tokenizer.model_max_length] if tokenizer.model_max_length < _NO_LIMIT else []
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        tables = [m for name, m in model.named_modules() if name.endswith("position_embeddings")]
        padding = next((m.padding_idx for m in tables if getattr(m, "padding_idx", None) is not None), None)
        known.append(positions if padding is None else positions - padding - 1)
    return min(known, default=None)


def _combined(rows: Sequence[tuple[list[float], int]], mode: str) -> tuple[list[float], int]:
    """One row of probabilities for the windows of a text."""
    total = sum(size for _, size in rows)
    columns = list(zip(*(row for row, _ in rows), strict=True))
    if mode == "max":
        return [max(column) for column in columns], total
    return [sum(p * size for p, (_, size) in zip(column, rows, strict=True)) / total for column in columns], total
