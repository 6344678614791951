"""OCR in front of a model that reads text only: `ocr:MODEL`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Self

from mmte.engine.keys import digest
from mmte.models import ocr_engine
from mmte.models.base import BaseChat
from mmte.models.images import BadImage
from mmte.models.ocr_reader import Reader
from mmte.models.spec import ModelSpec, parse_model
from mmte.registry import registry
from mmte.types import Generation, Message, Request, Response

FOUND: Final = "Text that OCR read in the picture:\n---\n{text}\n---"
_KEPT: Final = 4096
NOTHING: Final = "OCR found no text in the picture."


@registry.register_backend()
class OcrChat(BaseChat):
    """`ocr:MODEL`, where MODEL is a catalogue name or any spec (`ocr:gguf:FILE?ctx=4096`), its options at the end.

    The model behind it is told in words what is written in each picture; it learns nothing else about
    the picture. Text is read by PP-OCRv4 (rapidocr-onnxruntime, Apache-2.0), for Latin letters, digits and
    Chinese. Texts are kept by the sha256 of the image file beside the answers of `MMTE_CACHE`, whatever
    `--mmte-cache` says. A picture that cannot be read is a failure of its question alone.
    """

    backend_ids = ("ocr",)
    modalities = frozenset({"text", "image"})

    def __init__(self, name: str, inner: BaseChat) -> None:
        super().__init__(name)
        self._inner, self._reader = inner, Reader()
        # Pictures without text all come down to the same words, and a greedy answer to these is the same one.
        self._answered: dict[str, Response] = {}
        self.kinds, self.supports = inner.kinds, inner.supports  # type: ignore[misc]
        self.device, self.batch_size = inner.device, inner.batch_size

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `ocr:MODEL?options of MODEL`.

        Raises:
            MmteError: no such model, or what its backend finds wrong.
        """
        inner = replace(parse_model(f"x={spec.target}", spec.given), name=spec.name)
        if inner.backend == "chatmodel":
            spec.check_options()
        return cls(spec.name, replace(inner, options=inner.options | spec.options).build())

    def identity(self) -> Mapping[str, Any]:
        """The model's own, the identity of OCR, and the words in which a text is told.

        Raises:
            MissingExtra: rapidocr-onnxruntime is not installed.
        """
        return {**self._inner.identity(), "ocr": {**ocr_engine.identity(), "words": digest([FOUND, NOTHING])}}

    def load(self) -> None:
        """Load the model; OCR is loaded for the first image whose text is not known."""
        self._inner.load()

    def close(self) -> None:
        """Free the model and OCR."""
        self._inner.close()
        self._reader.close()
        self._answered.clear()

    def batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """As the model cuts them."""
        return self._inner.batches(requests)

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """Read the images of all requests, then let the model answer; yields the requests that were given.

        Raises:
            MmteError: OCR is not installed or cannot be loaded; or what the model raises.
        """
        todo = list(requests)
        texts = self._reader.read(path for request in todo for path in map(_image, request.messages) if path)
        waiting: dict[str, list[Request]] = {}
        asked: dict[str, Request] = {}
        done: list[tuple[Request, Response]] = []
        for request in todo:
            try:
                told = _told(request, texts)
            except BadImage as error:
                done.append((request, Response.failed(str(error), model_id=self.model_id)))
                continue
            key = _key(told, request)
            if key in self._answered:
                done.append((request, self._answered[key]))
            else:
                asked.setdefault(key, told)
                waiting.setdefault(key, []).append(request)
        if done:
            yield done
        if asked:
            keys = {id(told): key for key, told in asked.items()}
            for answered in self._inner.generate(asked.values()):
                yield [pair for told, response in answered for pair in self._shared(keys[id(told)], response, waiting)]

    def _shared(
        self, key: str, response: Response, waiting: Mapping[str, list[Request]]
    ) -> Iterator[tuple[Request, Response]]:
        """The answer for every request that came down to the same words."""
        if response.status != "error" and not waiting[key][0].generation.do_sample:
            self._answered[key] = response
            if len(self._answered) > _KEPT:
                del self._answered[next(iter(self._answered))]
        for request in waiting[key]:
            yield request, response


def _key(told: Request, request: Request) -> str:
    """What a model can be asked only once: the words and the settings; a sampled answer is always a new one."""
    own = id(request) if request.generation.do_sample else 0
    settings = [getattr(told.generation, name) for name in Generation.__slots__]
    return digest([told.messages, settings, told.kind, told.continuation, own])


def _told(request: Request, texts: Mapping[str, str | BadImage]) -> Request:
    """The request in words only; BadImage when one of its images has no text because it cannot be read."""
    if not any(map(_image, request.messages)):
        return request
    return replace(request, messages=tuple(_message(m, texts) for m in request.messages))


def _message(message: Message, texts: Mapping[str, str | BadImage]) -> Message:
    path = _image(message)
    if not path:
        return message
    text = texts[path]
    if isinstance(text, BadImage):
        raise text
    block = FOUND.format(text=text) if text else NOTHING
    question = message["content"].get("text")
    return {**message, "content": f"{block}\n\n{question}" if question else block}


def _image(message: Message) -> str:
    content = message.get("content", "")
    return str(content.get("image_path") or "") if isinstance(content, Mapping) else ""
