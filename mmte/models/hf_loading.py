"""Loads a model, its tokenizer and its processor with transformers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from mmte.errors import MissingExtra, MmteError
from mmte.models.base import out_of_memory
from mmte.models.hf_files import Facts, read_json
from mmte.models.text import one_line

_WITHOUT_VIDEO: Final = ("Qwen2VLProcessor", "Qwen2_5_VLProcessor")


@dataclass(slots=True)
class Loaded:
    """A model on its device with what goes in and comes out; `processor` is None for a text model."""

    torch: Any
    transformers: Any
    model: Any
    tokenizer: Any
    processor: Any
    device: str
    dtype: Any
    template: bool
    stop_ids: frozenset[int]
    limit: int | None
    """Tokens of prompt and answer together; None where the architecture has no limit."""


def libraries() -> tuple[Any, Any]:
    """The modules torch and transformers.

    Raises:
        MissingExtra: one of them is not installed.
    """
    try:
        return import_module("torch"), import_module("transformers")
    except ImportError:
        raise MissingExtra("the hf backend", "hf", "transformers and torch") from None


def load(folder: Path, facts: Facts, *, dtype: str, device: str, code: bool, where: str) -> Loaded:
    """Load from a folder; nothing is fetched and, unless `code`, no Python file of it runs.

    Raises:
        MissingExtra: torch, transformers or Pillow is missing.
        MmteError: the files are incomplete, or transformers cannot read them; one line says why.
    """
    torch, transformers = libraries()
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise MmteError(f"{where}: torch sees no CUDA device; give device=cpu")
    quiet(transformers)
    common = {"local_files_only": True, "trust_remote_code": code}
    family = transformers.AutoModelForImageTextToText if facts.sees else transformers.AutoModelForCausalLM
    try:
        processor = _processor(transformers, folder, common) if facts.sees else None
        tokenizer = processor.tokenizer if processor else transformers.AutoTokenizer.from_pretrained(folder, **common)
        model, info = family.from_pretrained(folder, dtype=getattr(torch, dtype), output_loading_info=True, **common)
        model = model.to(device).eval()
    except MmteError:
        raise
    except Exception as error:  # noqa: BLE001  a dozen libraries read these files; what they raise is not ours to know
        raise MmteError(f"{where}: {explained(error, facts, code)}") from None
    if getattr(model.config.get_text_config(), "is_encoder_decoder", False):
        raise MmteError(f"{where}: an encoder-decoder model does not run here; serve it and give openai:MODEL@URL")
    if missing := sorted(info["missing_keys"]):
        raise MmteError(f"{where}: the weights lack {len(missing)} tensors, e.g. {missing[0]}; fetch the files again")
    share_cpus(torch, device)
    return Loaded(
        torch, transformers, model, tokenizer, processor, device, model.dtype,
        template=bool(getattr(processor or tokenizer, "chat_template", None)),
        stop_ids=_settle(transformers, model, tokenizer), limit=_limit(model.config),
    )  # fmt: skip


def quiet(transformers: Any) -> None:
    """Progress bars and advice would end up between pytest's lines."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def _processor(transformers: Any, folder: Path, common: dict[str, Any]) -> Any:
    try:
        return transformers.AutoProcessor.from_pretrained(folder, **common)
    except ImportError as error:
        if "torchvision" not in str(error).lower():
            raise
        return _without_video(transformers, folder, common)


def _without_video(transformers: Any, folder: Path, common: dict[str, Any]) -> Any:
    """The processor of Qwen2-VL and Qwen2.5-VL for images alone.

    Only their video part needs torchvision; images go through the processor that uses Pillow.
    """
    config = transformers.AutoConfig.from_pretrained(folder, **common)
    mapping = import_module("transformers.models.auto.processing_auto").PROCESSOR_MAPPING_NAMES
    name = mapping.get(config.model_type)
    if name not in _WITHOUT_VIDEO:
        raise MmteError(f"a model of type {config.model_type} needs torchvision: install the build of your torch")
    base = getattr(transformers, name)

    def init(self: Any, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None) -> None:
        base.__init__(self, image_processor, tokenizer, None, chat_template=chat_template)

    images = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil", **common)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **common)
    still = type(f"{name}ForImages", (base,), {"__init__": init})
    template = read_json(folder / "chat_template.json").get("chat_template") or tokenizer.chat_template
    return still(images, tokenizer, chat_template=template)


def _settle(transformers: Any, model: Any, tokenizer: Any) -> frozenset[int]:
    """Set padding, and greedy decoding without the cut-offs and penalties of the model's own defaults.

    Returns:
        The tokens that end an answer.
    """
    told = getattr(model, "generation_config", None)
    ends: set[int] = set()
    for value in (getattr(told, "eos_token_id", None), tokenizer.eos_token_id):
        ends.update([value] if isinstance(value, int) else value or [])
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
    model.generation_config = transformers.GenerationConfig(
        do_sample=False, eos_token_id=sorted(ends) or None, pad_token_id=tokenizer.pad_token_id,
        bos_token_id=getattr(told, "bos_token_id", None),
        decoder_start_token_id=getattr(told, "decoder_start_token_id", None),
    )  # fmt: skip
    return frozenset(ends)


def _limit(config: Any) -> int | None:
    inner = config.get_text_config() if hasattr(config, "get_text_config") else config
    limit = getattr(inner, "max_position_embeddings", None)
    return limit if isinstance(limit, int) and limit > 0 else None


def share_cpus(torch: Any, device: str) -> None:
    """Under xdist the workers share the CPUs; torch would take all of them in each."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if device == "cpu" and workers > 1 and hasattr(os, "sched_getaffinity"):
        torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // workers))


def explained(error: Exception, facts: Facts, code: bool) -> str:
    """Why files cannot be loaded, in one line, and what helps."""
    said = one_line(f"{type(error).__name__}: {error}", 200)
    if out_of_memory(error):
        return f"the weights do not fit: {said}"
    if not code and ("auto_map" in facts.config or "trust_remote_code" in str(error)):
        return "it needs Python code of its repository; read that code, then add trust_remote_code=yes to its SPEC"
    return f"transformers cannot load it: {said}"
