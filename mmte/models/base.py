"""What a chat model is for the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from mmte.errors import MmteError, near
from mmte.types import Generation, Messages, Request, Response

__all__ = ["BaseChat", "Generation", "Request", "Response"]


class BaseChat:
    """Base class of models.

    A subclass implements `chat` (one conversation at a time) or, when it can do better, `generate`.
    Constructing one must be cheap: weights are loaded by `load`, at the first answer that the cache
    does not have. What `identity` returns is the model's part of the cache key.

    Class attributes:
        modalities: "text" and, for models that see, "image". A class with a `chat` of its own that says
            nothing is shown images, as MMTrustEval's models are.
        kinds: the request kinds that it answers.
        supports: the generation settings beyond max_new_tokens that it honours; others are an error.
        device: where it sits while loaded; one model at a time holds the GPU.
    """

    model_id: str = ""
    model_arch: str = ""
    model_family: ClassVar[Sequence[str]] = ()
    backend_ids: ClassVar[Sequence[str]] = ()
    modalities: ClassVar[frozenset[str]] = frozenset({"text"})
    kinds: ClassVar[frozenset[str]] = frozenset({"chat"})
    supports: ClassVar[frozenset[str]] = frozenset(
        {"do_sample", "temperature", "num_beams", "stop_sequences", "output_scores"}
    )
    device: Literal["none", "cpu", "gpu"] = "gpu"
    batch_size: int = 16

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "chat" in vars(cls) and cls.modalities is BaseChat.modalities:
            cls.modalities = frozenset({"text", "image"})

    def __init__(self, model_id: str) -> None:
        if self.model_family and model_id not in self.model_family:
            raise MmteError(f"{type(self).__name__} has no model '{model_id}'.{near(model_id, self.model_family)}")
        self.model_id = model_id

    def identity(self) -> Mapping[str, Any]:
        """What decides this model's answers, as plain data; read from files and settings without
        loading weights, without URL, port or path."""
        return {"class": f"{type(self).__module__}.{type(self).__qualname__}", "model_id": self.model_id}

    def load(self) -> None:
        """Make the model ready; called once, before the first answer that is not in the cache."""

    def close(self) -> None:
        """Free the device; `load` may be called again later."""

    def batches(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """Cut a window of requests into the lists that `generate` is called with.

        Done before the cache is looked into, so that a resumed run makes the same batches.
        """
        for start in range(0, len(requests), self.batch_size):
            yield list(requests[start : start + self.batch_size])

    def chat(self, messages: Messages | Sequence[Mapping[str, Any]], **generation_kwargs: Any) -> Response:
        """Answer one conversation. `generation_kwargs` are the fields of `Generation`."""
        if type(self).generate is BaseChat.generate:
            raise NotImplementedError(f"{type(self).__name__} implements neither chat() nor generate()")
        request = Request(tuple(messages), Generation.from_kwargs(generation_kwargs))
        for batch in self.generate([request]):
            for _, response in batch:
                return response
        raise RuntimeError(f"{type(self).__name__}.generate() returned no answer")

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """Answer many; yields lists of (request, response) in any order.

        Each list is one transaction of the cache. A sample that fails is a `Response` with status
        error; an exception means that the model is gone. The default asks `chat` one by one; where it
        raises, that sample has failed, unless the memory is full or the error is mmte's own.
        """
        if type(self).chat is BaseChat.chat:
            raise NotImplementedError(f"{type(self).__name__} implements neither chat() nor generate()")
        for request in requests:
            kwargs: dict[str, Any] = {"max_new_tokens": request.generation.max_new_tokens, "do_sample": False}
            kwargs |= request.generation.changed()
            try:
                response = self.chat(messages=[dict(m) for m in request.messages], **kwargs)
            except MmteError:
                raise
            except Exception as error:  # of a library that only the subclass knows: it costs this sample
                if out_of_memory(error):
                    raise
                response = self._failed(error)
            if not isinstance(response, Response):
                response = self._failed(TypeError(f"chat() returned a {type(response).__name__}, not a Response"))
            yield [(request, response)]

    def _failed(self, error: Exception) -> Response:
        what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        passing = isinstance(error, (ConnectionError, TimeoutError))
        return Response.failed(what, retryable=passing, model_id=self.model_id)


def out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, on the host or (torch's `OutOfMemoryError`) on a device."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
