"""Where and in which precision a model of transformers runs: options of its SPEC, and what this machine has."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Final

from mmte.engine.pool import visible_gpus
from mmte.errors import MmteError, near
from mmte.models.base import out_of_memory
from mmte.models.spec import ModelSpec

DTYPES: Final = ("auto", "float32", "bfloat16", "float16")


def read_options(spec: ModelSpec) -> tuple[str, str, int]:
    """The options dtype, device and batch; auto, auto and 0 where they are not given.

    Raises:
        MmteError: a value that is none of the known ones.
    """
    where = spec.where
    dtype, device = spec.option("dtype", str, "auto"), spec.option("device", str, "auto")
    if dtype not in DTYPES:
        raise MmteError(f"{where}: dtype={dtype!r} is not known.{near(dtype, DTYPES)}")
    kind, colon, number = device.partition(":")
    if kind not in ("auto", "cpu", "cuda") or (colon and (kind != "cuda" or not number.isdecimal())):
        raise MmteError(f"{where}: device={device!r} is not known. Known: auto, cpu, cuda, cuda:N.")
    batch = spec.option("batch", int, 0)
    if batch < 0 or ("batch" in spec.options and not 1 <= batch <= 4096):
        raise MmteError(f"{where}: batch={batch} is not within 1 to 4096")
    return dtype, device, batch


def place_of(device: str) -> str:
    """The device as torch names it; auto is the first GPU, or the CPU where there is none.

    Asked before torch is imported, since the pool picks the GPU until then.
    """
    if device != "auto":
        return device
    return "cuda" if visible_gpus() and not version_of("torch").endswith("+cpu") else "cpu"


def memory_ran_out(error: BaseException) -> bool:
    """Of a GPU, or of the host: torch's CPU allocator raises a RuntimeError that says so in words."""
    return out_of_memory(error) or "DefaultCPUAllocator" in str(error)


def version_of(package: str) -> str:
    """The installed version; empty where there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
