"""Text-to-image pipelines of diffusers: where their files are, who they are, how they are loaded."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from mmte.errors import MissingExtra, MmteError
from mmte.models.cpus import cpus
from mmte.models.hf_files import Source, fingerprint
from mmte.models.text import one_line

INDEX: Final = "model_index.json"


class Pipeline:
    """A saved pipeline: a folder with `model_index.json`, or such a repository of the hub.

    Args:
        told: a folder, an id of the hub, or `id@revision`.
        where: what stands before messages.
        device: auto, cpu, cuda or cuda:N.

    Raises:
        MmteError: it is neither.
    """

    def __init__(self, told: str, where: str, device: str) -> None:
        target, _, revision = (told, "", "") if Path(told).expanduser().is_dir() else told.partition("@")
        self.source, self.name, self._where, self._device = Source(target, revision, where), told, where, device
        if self.source.folder is None:
            self.source.check()
        elif not (self.source.folder / INDEX).is_file():
            raise MmteError(f"{where}: {told} has no {INDEX}; name a folder with a saved pipeline")
        self._loaded: Any = None

    @cached_property
    def _folder(self) -> Path:
        return self.source.small_files()

    @cached_property
    def identity(self) -> dict[str, str]:
        """Commit or digest of the files; nothing is loaded.

        Raises:
            MmteError: the files cannot be had or read.
        """
        if self.source.folder is None:
            return fingerprint(self.source, self._folder)
        parts = [self._folder, *sorted(p for p in self._folder.iterdir() if p.is_dir())]
        total = hashlib.sha256("\n".join(f"{p.name if p != self._folder else ''} {fingerprint(self.source, p)}"
                                         for p in parts).encode())  # fmt: skip
        return {"files": total.hexdigest()}

    def engine(self) -> dict[str, str]:
        """Versions of what draws, without the part that names the build."""
        found = {}
        for name in ("diffusers", "torch", "transformers"):
            try:
                found[name] = version(name).partition("+")[0]
            except PackageNotFoundError:
                found[name] = ""
        return found

    def load(self) -> Any:
        """The pipeline on its device; what is missing of it is fetched.

        On a GPU it runs in float16, from the files of that type where there are such.

        Raises:
            MissingExtra: diffusers, torch or transformers is not installed.
            MmteError: the files cannot be had, or are no pipeline that diffusers can load.
        """
        if self._loaded is not None:
            return self._loaded
        torch, diffusers = _libraries()
        if self._device.startswith("cuda") and not torch.cuda.is_available():
            raise MmteError(f"{self._where}: torch sees no CUDA device; give device: cpu")
        place = ("cuda" if torch.cuda.is_available() else "cpu") if self._device == "auto" else self._device
        kind = torch.float32 if place == "cpu" else torch.float16
        if place == "cpu":
            torch.set_num_threads(min(torch.get_num_threads(), cpus()))
        try:
            loaded = self._read(diffusers.DiffusionPipeline, kind, half=place != "cpu").to(place)
        except Exception as error:  # noqa: BLE001  a dozen libraries read these files; what they raise is not ours to know
            said = one_line(f"{type(error).__name__}: {error}", 160)
            raise MmteError(f"{self._where}: {self.name}: diffusers cannot load it: {said}") from None
        loaded.set_progress_bar_config(disable=True)
        self._loaded = loaded
        return loaded

    def close(self) -> None:
        """Free the weights and the device's cache."""
        if self._loaded is not None:
            self._loaded = None
            torch = import_module("torch")
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    def _read(self, family: Any, kind: Any, *, half: bool) -> Any:
        if self.source.folder is not None:
            return family.from_pretrained(self.source.folder, dtype=kind, local_files_only=True)
        at = {"dtype": kind, "revision": self._folder.name}
        if half:
            try:
                return family.from_pretrained(self.source.target, variant="fp16", **at)
            except (ValueError, OSError):  # the repository has no files of that type
                pass
        return family.from_pretrained(self.source.target, **at)


def _libraries() -> tuple[Any, Any]:
    try:
        torch, transformers, diffusers = (import_module(name) for name in ("torch", "transformers", "diffusers"))
    except ImportError:
        raise MissingExtra("related-image-generated", "diffusion", "diffusers, transformers and torch") from None
    for library in (transformers, diffusers):  # advice and bars would end up between pytest's lines
        library.utils.logging.set_verbosity_error()
        library.utils.logging.disable_progress_bar()
    return torch, diffusers
