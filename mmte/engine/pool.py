"""The models of a process: built when named, loaded at the first cache miss, one on a device at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from mmte.errors import MmteError, ModelGone, near
from mmte.models.base import BaseChat
from mmte.models.spec import ModelSpec


class Pool:
    """Models by name.

    Args:
        specs: the models of `--model` and `--judge`, by name.
        slots_dir: where processes of one run share GPU slots; None: a single process.
    """

    def __init__(self, specs: Mapping[str, ModelSpec], slots_dir: Path | None = None) -> None:
        self._specs = dict(specs)
        self._slots_dir = slots_dir
        self._built: dict[str, BaseChat] = {}
        self._loaded: dict[str, str] = {}  # name -> device
        self._slot: BaseFileLock | None = None
        self.loads: list[str] = []

    def add(self, name: str, model: BaseChat) -> None:
        """Put a model in that was built elsewhere."""
        self._built[name] = model

    def model(self, name: str) -> BaseChat:
        """The model, perhaps not loaded: for its identity, batches and modalities."""
        if name not in self._built:
            if name not in self._specs:
                raise MmteError(f"no model is called '{name}' in this run.{near(name, self._specs)}")
            self._built[name] = self._specs[name].build()
        return self._built[name]

    def ready(self, name: str) -> BaseChat:
        """The model, loaded; another one on the same device is closed first.

        Raises:
            ModelGone: it cannot be loaded; the reason is in the message.
        """
        model = self.model(name)
        if name in self._loaded:
            return model
        if model.device != "none":
            for other, device in list(self._loaded.items()):
                if device == model.device:
                    self._unload(other)
        if model.device == "gpu":
            self._take_slot()
        try:
            model.load()
        except (ModelGone, KeyboardInterrupt):
            raise
        except Exception as error:  # whatever a backend's libraries raise, the model is not there
            raise ModelGone(f"model '{name}' cannot be loaded: {_one_line(error)}") from error
        self._loaded[name] = model.device
        self.loads.append(name)
        return model

    def close(self) -> None:
        """Close every loaded model."""
        for name in list(self._loaded):
            self._unload(name)

    def _unload(self, name: str) -> None:
        device = self._loaded.pop(name)
        self._built[name].close()
        if device == "gpu" and self._slot is not None:
            self._slot.release()
            self._slot = None

    def _take_slot(self) -> None:
        """Under several workers, hold one GPU each; CUDA sees only that one."""
        gpus = visible_gpus()
        if self._slots_dir is None or not gpus:
            return
        locks = [(gpu, FileLock(self._slots_dir / f"gpu-{gpu}.lock")) for gpu in gpus]
        for gpu, lock in locks:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue
            os.environ["CUDA_VISIBLE_DEVICES"] = gpu
            self._slot = lock
            return
        gpu, lock = locks[os.getpid() % len(locks)]
        lock.acquire()
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
        self._slot = lock


def visible_gpus() -> list[str]:
    """The ids of the GPUs that this process may use, without importing torch."""
    told = os.environ.get("MMTE_GPUS", os.environ.get("CUDA_VISIBLE_DEVICES"))
    if told is not None:
        return [g for g in told.split(",") if g.strip()]
    return [p.name.removeprefix("nvidia") for p in sorted(Path("/dev").glob("nvidia[0-9]*"))]


def _one_line(error: Any) -> str:
    text = " ".join(str(error).split())
    return text[:300] if isinstance(error, MmteError) else f"{type(error).__name__}: {text}"[:300]
