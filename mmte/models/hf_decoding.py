"""Answers and log-likelihoods of encoded batches; a row's answer does not depend on its neighbours."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from inspect import signature
from typing import Any

from mmte.models.hf_loading import Loaded
from mmte.models.hf_prompts import BadPrompt, Prompt, Prompts
from mmte.models.text import finish
from mmte.types import Response


def answer(loaded: Loaded, inputs: dict[str, Any], prompts: Sequence[Prompt], model_id: str) -> list[Response]:
    """Decode a left-padded batch, greedily or by beams, or draw with a seed for each row."""
    generation = prompts[0].request.generation
    width = inputs["input_ids"].shape[1]
    settings: dict[str, Any] = {"max_new_tokens": generation.max_new_tokens, "num_beams": generation.num_beams}
    if generation.stop_sequences:
        settings["stopping_criteria"] = [_StopAt(loaded, generation.stop_sequences, width)]
    if generation.do_sample and generation.temperature > 0:
        settings["logits_processor"] = [_Noise(loaded, generation.temperature, [_seed(p) for p in prompts])]
    with loaded.torch.inference_mode():
        rows = loaded.model.generate(**inputs, **settings)[:, width:].tolist()
    lengths = inputs["attention_mask"].sum(dim=1).tolist()
    return [
        _respond(loaded, row, length, generation.stop_sequences, generation.max_new_tokens, model_id)
        for row, length in zip(rows, lengths, strict=True)
    ]


def _respond(
    loaded: Loaded, row: list[int], prompt_tokens: int, stops: Sequence[str], most: int, model_id: str
) -> Response:
    end = next((i for i, token in enumerate(row) if token in loaded.stop_ids), None)
    text = loaded.tokenizer.decode(row[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    found = [at for stop in stops if (at := text.find(stop)) >= 0]
    if found:
        text = text[: min(found)]
        while row and row[-1] == loaded.tokenizer.pad_token_id:
            row.pop()
    cut = end is None and not found and len(row) >= most
    used = len(row) if end is None else end + 1
    reason = "length" if cut else "stop"
    return finish(text, model_id=model_id, finish_reason=reason, cut=cut, usage=(prompt_tokens, used))


def log_likelihoods(loaded: Loaded, maker: Prompts, prompts: Sequence[Prompt], model_id: str) -> list[Response]:
    """The sum of log P(token) over the tokens of each prompt's continuation, in nats.

    Prompt and continuation are tokenised together; what differs from the prompt alone is scored, so
    that a token across the seam counts as the continuation's. Padded on the right, where a causal
    model does not look.

    Raises:
        BadPrompt: the processor refuses a prompt.
    """
    torch = loaded.torch
    whole = maker.encode(prompts, [p.text + p.request.continuation for p in prompts], padding_side="right")
    alone = maker.encode(prompts, [p.text for p in prompts], padding_side="right")
    bare = [_row(alone, i) for i in range(len(prompts))]
    full = [_row(whole, i) for i in range(len(prompts))]
    firsts = [max(1, _common(a, b)) for a, b in zip(bare, full, strict=True)]  # nothing comes before token 0
    for ids, first in zip(full, firsts, strict=True):
        if first >= len(ids):
            raise BadPrompt("loglikelihood needs a continuation that is not empty")
        if loaded.limit is not None and len(ids) > loaded.limit:
            raise BadPrompt(f"prompt and continuation have {len(ids)} tokens, more than the model's {loaded.limit}")
    with torch.inference_mode():
        logits, skipped = _logits(loaded, whole, min(firsts) - 1)
        responses = []
        for row, ids, first in zip(logits, full, firsts, strict=True):
            scores = torch.log_softmax(row[first - 1 - skipped : len(ids) - 1 - skipped].float(), dim=-1)
            wanted = torch.tensor(ids[first:], device=scores.device)
            total = float(scores.gather(1, wanted[:, None]).sum())
            responses.append(Response(model_id, "", total, "stop", usage=(first, len(ids) - first)))
    return responses


def _logits(loaded: Loaded, inputs: dict[str, Any], start: int) -> tuple[Any, int]:
    """The logits from a position on, or all where the model cannot leave some out, and how many are left out."""
    settings: dict[str, Any] = {"use_cache": False}
    if start > 0 and "logits_to_keep" in signature(loaded.model.forward).parameters:
        settings["logits_to_keep"] = inputs["input_ids"].shape[1] - start
    logits = loaded.model(**inputs, **settings).logits
    return logits, inputs["input_ids"].shape[1] - logits.shape[1]


def _row(inputs: dict[str, Any], i: int) -> list[int]:
    ids: list[int] = inputs["input_ids"][i, : int(inputs["attention_mask"][i].sum())].tolist()
    return ids


def _common(one: list[int], other: list[int]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _seed(prompt: Prompt) -> int:
    generation = prompt.request.generation
    text = f"{generation.seed}:{generation.repeat}:{prompt.text}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") >> 1


class _Noise:
    """Sampling as greedy decoding of noisy scores.

    The largest of `score / temperature + Gumbel noise` is a draw from the softmax (Gumbel-max). Each
    row has a generator of its own, so a draw is the same in any batch.
    """

    def __init__(self, loaded: Loaded, temperature: float, seeds: Sequence[int]) -> None:
        self._torch, self._temperature = loaded.torch, temperature
        self._generators = [loaded.torch.Generator(device=loaded.device).manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        noise = self._torch.empty(scores.shape, dtype=self._torch.float32, device=scores.device)
        for row, generator in zip(noise, self._generators, strict=True):
            row.exponential_(generator=generator)
        return scores.float() / self._temperature - noise.log_()


class _StopAt:
    """Ends a row when its answer holds one of the texts."""

    def __init__(self, loaded: Loaded, stops: Sequence[str], width: int) -> None:
        self._torch, self._tokenizer, self._stops, self._width = loaded.torch, loaded.tokenizer, stops, width

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        texts = self._tokenizer.batch_decode(
            input_ids[:, self._width :], skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        done = [any(stop in text for stop in self._stops) for text in texts]
        return self._torch.tensor(done, device=input_ids.device, dtype=self._torch.bool)
