"""Models of transformers in this process: `hf:DIR` or `hf:org/name`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from mmte.errors import MmteError
from mmte.models.hf_device import read_options, version_of
from mmte.models.hf_files import Facts, Source
from mmte.models.hf_loading import Loaded, load
from mmte.models.hf_prompts import TODAY, BadPrompt, Prompt, Prompts, has_image, length
from mmte.models.hf_weights import WeightsModel
from mmte.models.spec import ModelSpec
from mmte.models.wire import check_request
from mmte.registry import registry
from mmte.types import Request, Response

_BATCH, _BATCH_IMAGES = 32, 8


@registry.register_backend()
class HFChat(WeightsModel):
    """Answers with a text model (AutoModelForCausalLM) or one that sees (AutoModelForImageTextToText).

    `hf:DIR` is a folder as `save_pretrained` writes it, `hf:org/name` an id of the hub that HF_ENDPOINT
    names. Options: dtype (auto, float32, bfloat16, float16), device (auto, cpu, cuda, cuda:N), batch
    (32; 8 for questions with images), revision (branch, tag or commit), trust_remote_code (no).
    Auto is the first GPU with bfloat16, and without a GPU the CPU with float32, which is several
    times faster there than bfloat16 (docs/performance.md).

    Batches are sorted by length and padded on the left. In float32 an answer does not depend on its
    batch; in the 16-bit types rounding does, as in every engine. Decoding is plain: greedy, by beams,
    or sampled from the softmax at the temperature; cut-offs and penalties of the model's own
    generation_config.json are left out. A row draws with its own seed. The chat template is the
    model's own, told that it is 2026-01-01; a model without one gets the texts line by line.
    Images reach the model's processor in their own size.
    """

    backend_ids = ("hf",)
    kinds = frozenset({"chat", "raw", "loglikelihood"})
    supports = frozenset({"do_sample", "temperature", "num_beams", "stop_sequences", "seed"})

    def __init__(self, name: str, source: Source, *, dtype: str, device: str, batch: int) -> None:
        super().__init__(name, source, dtype=dtype, device=device, auto_dtype=("float32", "bfloat16"))
        self._batch = batch

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `hf:ID-or-DIR?option=value`; nothing is imported, fetched or loaded yet.

        Raises:
            MmteError: neither a folder with a model nor an id, or a bad option.
        """
        where = spec.where
        spec.check_options("dtype", "device", "batch", "revision", "trust_remote_code")
        dtype, device, batch = read_options(spec)
        code = spec.option("trust_remote_code", bool, False)
        source = Source(spec.target, spec.option("revision", str, ""), where, code)
        source.check()
        return cls(spec.name, source, dtype=dtype, device=device, batch=batch)

    @cached_property
    def _facts(self) -> Facts:
        return Facts.read(self._folder, self._where)

    @cached_property
    def modalities(self) -> frozenset[str]:  # type: ignore[override]  # known once the configuration is read
        """Text, and images where the configuration has an image part."""
        return frozenset({"text", "image"} if self._facts.sees else {"text"})

    def details(self) -> Mapping[str, Any]:
        """The chat template, and torchvision where images are read."""
        return {
            "chat_template": f"the model's, on {TODAY:%Y-%m-%d}" if self._facts.template else "none: plain lines",
            "engine": {"torchvision": version_of("torchvision")} if self._facts.sees else {},
        }

    def read(self, folder: Path) -> Loaded:
        """The weights, with tokenizer or processor."""
        return load(
            folder, self._facts, dtype=self._dtype, device=self._place, code=self._source.code, where=self._where
        )

    def batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """Lists of one kind and setting, with images or without, of similar length, the longest first."""
        groups: dict[Any, list[Request]] = {}
        for request in requests:
            alike = replace(request.generation, seed=0, repeat=0)
            groups.setdefault((request.kind, alike, has_image(request)), []).append(request)
        for (_, _, image), group in groups.items():
            size = self._batch or (_BATCH_IMAGES if image else _BATCH)
            group.sort(key=length, reverse=True)  # stable: requests of one length stay in their order
            yield from (group[start : start + size] for start in range(0, len(group), size))

    def check(self, request: Request) -> None:
        """Raise MmteError for a setting that is not supported, or an image for a model that reads text only."""
        check_request(request, kinds=self.kinds, supports=self.supports, who=f"{self._where} (hf)")
        if request.generation.do_sample and request.generation.num_beams > 1:
            raise MmteError(f"{self._where} (hf): num_beams and do_sample exclude each other; drop one of them")
        if has_image(request) and "image" not in self.modalities:
            raise MmteError(f"{self._where} (hf) reads text only; this task shows it an image")

    def answer(self, batch: Sequence[Request]) -> list[Response]:
        """One response for each request; one that cannot become a prompt is a failure of its own."""
        return _Batch(self._loaded, self.model_id).answer(batch)


class _Batch:
    """Answers requests of one kind and setting together."""

    def __init__(self, loaded: Loaded, model_id: str) -> None:
        self._loaded, self._model_id, self._prompts = loaded, model_id, Prompts(loaded)

    def answer(self, batch: Sequence[Request]) -> list[Response]:
        """One response for each request, in their order."""
        done: dict[int, Response] = {}
        prompts: dict[int, Prompt] = {}
        for i, request in enumerate(batch):
            try:
                prompts[i] = self._prompts.make(request)
            except BadPrompt as error:
                done[i] = self._failed(str(error))
        done |= self._together(prompts)
        return [done[i] for i in range(len(batch))]

    def _together(self, prompts: dict[int, Prompt]) -> dict[int, Response]:
        """What fails together is tried one by one, so that only the culprit fails."""
        if not prompts:
            return {}
        try:
            return self._run(prompts)
        except BadPrompt as error:
            if len(prompts) == 1:
                return dict.fromkeys(prompts, self._failed(str(error)))
        return {i: r for i, p in prompts.items() for r in self._together({i: p}).values()}

    def _run(self, prompts: dict[int, Prompt]) -> dict[int, Response]:
        from mmte.models.hf_decoding import answer, log_likelihoods

        asked = list(prompts.values())
        request = asked[0].request
        if request.kind == "loglikelihood":
            return dict(zip(prompts, log_likelihoods(self._loaded, self._prompts, asked, self._model_id), strict=True))
        inputs = self._prompts.encode(asked, [p.text for p in asked], padding_side="left")
        long = self._too_long(prompts, inputs, request.generation.max_new_tokens)
        if long:
            return long | self._together({i: p for i, p in prompts.items() if i not in long})
        return dict(zip(prompts, answer(self._loaded, inputs, asked, self._model_id), strict=True))

    def _too_long(self, prompts: dict[int, Prompt], inputs: dict[str, Any], more: int) -> dict[int, Response]:
        limit = self._loaded.limit
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        return {
            i: self._failed(f"the prompt of {n} tokens leaves no room for {more} more within the model's {limit}")
            for i, n in zip(prompts, lengths, strict=True)
            if limit is not None and n + more > limit
        }

    def _failed(self, what: str) -> Response:
        return Response.failed(what, model_id=self._model_id)
