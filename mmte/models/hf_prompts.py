"""From requests to what a transformers model takes: prompts, images, tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from mmte.models.base import out_of_memory
from mmte.models.hf_loading import Loaded
from mmte.models.images import BadImage, open_rgb
from mmte.models.text import one_line, storable
from mmte.types import Message, Request

TODAY: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""What a chat template that writes the date into the prompt is told: answers must not depend on the day."""


class BadPrompt(Exception):
    """A request that cannot become a prompt; one line. It costs one sample, not the run."""


@dataclass(slots=True)
class Prompt:
    """A request as text (with the places of its images) and its images."""

    request: Request
    text: str
    images: list[Any]


class Prompts:
    """Makes prompts with the chat template and tensors with the tokenizer or processor of a model."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    def make(self, request: Request) -> Prompt:
        """The prompt of a request; nothing is resized but by the model's own processor.

        Raises:
            BadPrompt: an image that cannot be read, or messages that the template refuses.
        """
        try:
            images = [open_rgb(str(path)) for m in request.messages if (path := _image_of(m))]
        except BadImage as error:
            raise BadPrompt(str(error)) from None
        if request.kind == "raw" or not self._loaded.template:
            return Prompt(request, self._plain(request), images)
        template = self._loaded.processor or self._loaded.tokenizer
        try:
            text = template.apply_chat_template(
                [self._turn(m) for m in request.messages],
                add_generation_prompt=True, tokenize=False, strftime_now=TODAY.strftime,
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001  a template is a program of its own
            raise BadPrompt(f"the chat template refuses these messages: {one_line(str(error), 160)}") from None
        return Prompt(request, text, images)

    def encode(self, prompts: Sequence[Prompt], texts: Sequence[str], *, padding_side: str) -> dict[str, Any]:
        """Tensors on the model's device, `len(texts)` rows, padded on one side.

        `texts` stand for those of the prompts, e.g. with a continuation added. All prompts are of one
        kind, and either all or none have images.

        Raises:
            BadPrompt: the processor refuses them.
        """
        loaded = self._loaded
        settings = {"return_tensors": "pt", "padding": True, "padding_side": padding_side}
        settings["add_special_tokens"] = self._adds_special(prompts[0])
        try:
            if loaded.processor is None:
                made = loaded.tokenizer(list(texts), **settings)
                made = {name: made[name] for name in ("input_ids", "attention_mask")}
            else:
                images = [p.images for p in prompts] if prompts[0].images else None
                made = loaded.processor(text=list(texts), images=images, **settings)
        except Exception as error:  # noqa: BLE001  processors raise what they like at an odd image
            if out_of_memory(error):
                raise
            raise BadPrompt(f"the model's processor refuses it: {one_line(str(error), 160)}") from None
        return {name: self._move(value) for name, value in made.items()}

    def _move(self, value: Any) -> Any:
        if not self._loaded.torch.is_tensor(value):
            return value
        moved = value.to(self._loaded.device)
        return moved.to(self._loaded.dtype) if moved.is_floating_point() else moved

    def _adds_special(self, prompt: Prompt) -> bool:
        """Whether the tokenizer puts its beginning-of-text token before; most chat templates write it."""
        loaded = self._loaded
        if prompt.request.kind == "raw" or not loaded.template:
            return True
        start = loaded.tokenizer.bos_token
        return loaded.processor is not None and not (start and prompt.text.startswith(start))

    def _plain(self, request: Request) -> str:
        """Texts one after the other (raw) or line by line, each image's place before its text."""
        place = getattr(self._loaded.processor, "image_token", None) or ""
        parts = [f"{place}\n{_text_of(m)}" if _image_of(m) and place else _text_of(m) for m in request.messages]
        return ("" if request.kind == "raw" else "\n").join(parts)

    def _turn(self, message: Message) -> dict[str, Any]:
        role = message.get("role", "user")
        if self._loaded.processor is None:
            return {"role": role, "content": _text_of(message)}
        parts = [{"type": "image"}] if _image_of(message) else []
        return {"role": role, "content": [*parts, {"type": "text", "text": _text_of(message)}]}


def _image_of(message: Message) -> Any:
    content = message.get("content", "")
    return content.get("image_path") if isinstance(content, Mapping) else None


def _text_of(message: Message) -> str:
    content = message.get("content", "")
    return storable(str(content.get("text") or "") if isinstance(content, Mapping) else content)


def has_image(request: Request) -> bool:
    """Whether a message of the request shows an image."""
    return any(map(_image_of, request.messages))


def length(request: Request) -> int:
    """The length of a request in bytes of text, by which batches are sorted."""
    return sum(len(_text_of(m).encode()) for m in request.messages) + len(request.continuation.encode())
