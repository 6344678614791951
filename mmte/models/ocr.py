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
from mmte.types import Message, Request, Response

FOUND: Final = "Text that OCR read in the picture:\n---\n{text}\n---"
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
        self.kinds, self.supports = inner.kinds, inner.supports  # type: ignore[misc]
        self.device, self.batch_size = inner.device, inner.batch_size

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `ocr:MODEL?options of MODEL`.

        Raises:
            MmteError: no such model, or what its backend finds wrong.
        """
        inner = parse_model(f"{spec.name}={spec.target}")
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
        given: dict[int, Request] = {}
        asked: list[Request] = []
        failed: list[tuple[Request, Response]] = []
        for request in todo:
            try:
                told = _told(request, texts)
            except BadImage as error:
                failed.append((request, Response.failed(str(error), model_id=self.model_id)))
            else:
                given[id(told)] = request
                asked.append(told)
        if failed:
            yield failed
        if asked:
            for answered in self._inner.generate(asked):
                yield [(given[id(told)], response) for told, response in answered]


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
