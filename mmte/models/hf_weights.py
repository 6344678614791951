"""What models of transformers in this process share, whatever they answer: files, identity, weights, memory."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from mmte.models.base import BaseChat
from mmte.models.hf_device import memory_ran_out, place_of, version_of
from mmte.models.hf_files import Source, fingerprint
from mmte.models.hf_loading import libraries
from mmte.models.text import one_line
from mmte.types import Request, Response


class Weights(Protocol):
    """Loaded weights; `torch` is the module that they live in."""

    torch: Any


class WeightsModel(BaseChat):
    """Base class of backends that hold weights.

    A subclass implements `details` (what else decides its answers), `read` (the weights from a folder), `check` (of one
    request) and `answer` (a list, with loaded weights).

    Args:
        name: of the model.
        source: its folder or its id on the hub.
        dtype: the precision, or `auto`.
        device: as torch names it, or `auto`.
        auto_dtype: what `auto` means on the CPU and on a GPU.
    """

    device: Literal["none", "cpu", "gpu"] = "gpu"

    def __init__(self, name: str, source: Source, *, dtype: str, device: str, auto_dtype: tuple[str, str]) -> None:
        super().__init__(name)
        self._source, self._where = source, source.where
        self._place = place_of(device)
        self.device = "cpu" if self._place == "cpu" else "gpu"
        self._dtype = dtype if dtype != "auto" else auto_dtype[self.device == "gpu"]
        self._loaded: Any = None

    # -- for subclasses ------------------------------------------------------------------------
    def details(self) -> Mapping[str, Any]:
        """What the answers depend on beside files, precision, device and the versions of torch and transformers."""
        raise NotImplementedError(f"{type(self).__name__}.details")

    def read(self, folder: Path) -> Weights:
        """The weights of a folder, on the device."""
        raise NotImplementedError(f"{type(self).__name__}.read")

    def check(self, request: Request) -> None:
        """Raise MmteError for a request that cannot be answered."""
        raise NotImplementedError(f"{type(self).__name__}.check")

    def answer(self, batch: Sequence[Request]) -> list[Response]:
        """One response for each request of a list; the weights are loaded."""
        raise NotImplementedError(f"{type(self).__name__}.answer")

    # -- the backend ---------------------------------------------------------------------------
    @cached_property
    def _folder(self) -> Path:
        return self._source.small_files()

    @cached_property
    def _identity(self) -> dict[str, Any]:
        engine = {name: version_of(name) for name in ("transformers", "torch")}
        details = dict(self.details())
        return {
            "backend": self.backend_ids[0], **fingerprint(self._source, self._folder),
            "dtype": self._dtype, "device": self._place.split(":")[0], "trust_remote_code": self._source.code,
            "engine": engine | details.pop("engine", {}), **details,
        }  # fmt: skip

    def identity(self) -> Mapping[str, Any]:
        """The files (commit or sha256), how they are computed with, and by which versions.

        Raises:
            MmteError: the files cannot be had or read.
        """
        return self._identity

    def load(self) -> None:
        """Fetch what is missing and put the weights on the device.

        Raises:
            MissingExtra: torch or transformers is not installed.
            MmteError: the files cannot be had or loaded, or are of another kind of model.
        """
        if self._loaded is None:
            libraries()
            self._loaded = self.read(self._source.all_files(self._folder.name))

    def close(self) -> None:
        """Free the weights and the device's cache."""
        if self._loaded is not None:
            torch, self._loaded = self._loaded.torch, None
            if self.device == "gpu":
                torch.cuda.empty_cache()

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """Answer list by list.

        Raises:
            MmteError: a request that cannot be answered; nothing is loaded then.
            torch.OutOfMemoryError: a list is too large; its memory is free again.
        """
        todo = list(requests)
        for request in todo:
            self.check(request)
        self.load()
        assert self._loaded is not None
        for batch in self.batches(todo):
            try:
                responses = self.answer(batch)
            except (RuntimeError, MemoryError) as error:
                if not memory_ran_out(error):
                    raise
                what = one_line(str(error), 160)
                traceback.clear_frames(error.__traceback__)  # they hold the tensors that did not fit
            else:
                yield list(zip(batch, responses, strict=True))
                continue
            if self.device == "gpu":
                self._loaded.torch.cuda.empty_cache()
            raise self._loaded.torch.OutOfMemoryError(what)
