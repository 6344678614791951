"""GGUF files through llama.cpp in this process: `gguf:FILE`, or `gguf:NAME` for a pulled one."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, Self

from mmte.errors import MissingExtra, MmteError
from mmte.models.base import BaseChat
from mmte.models.cpus import cpus
from mmte.models.pull import Pinned, pinned, pull
from mmte.models.spec import ModelSpec
from mmte.models.store import file_sha256, model_file
from mmte.models.text import one_line
from mmte.models.wire import chat_body, check_request, raw_body, read_reply
from mmte.registry import registry
from mmte.types import Request, Response

_SMALL = 2**30  # bytes; several engines side by side are for files below this


@registry.register_backend()
class GGUFChat(BaseChat):
    """Answers with `slots` independent llama.cpp engines of `threads` threads each, on the CPU.

    Options: ctx (tokens of prompt and answer, 2048), slots and threads (default: one engine with one
    thread per CPU for files below 1 GiB, else one engine with all; CPUs are shared among xdist workers).

    One request at a time per engine, since engines without a common barrier are faster than one engine
    with more threads or parallel sequences, above all on a busy machine (docs/performance.md). Within a
    list of requests an engine keeps the common beginning of two greedy prompts. Flash attention is off:
    its kernels depend on the length of what is computed together, so that kept beginnings changed
    greedy answers; without it none of 80 differed.

    The chat template is that of the file. mmte adds no system prompt, but a template may: that of
    SmolLM2 puts "You are a helpful AI assistant named SmolLM, trained by Hugging Face" before a
    conversation that does not start with a system message.
    """

    backend_ids = ("gguf",)
    modalities = frozenset({"text"})
    kinds = frozenset({"chat", "raw"})
    supports = frozenset({"do_sample", "temperature", "stop_sequences", "seed"})
    device: Literal["none", "cpu", "gpu"] = "cpu"

    def __init__(
        self, name: str, file: Path, pin: Pinned | None, *, ctx: int, slots: int, threads: int, where: str = ""
    ) -> None:
        super().__init__(name)
        self._where = where or f"--model {name}"
        self._file, self._pin, self._ctx = file, pin, ctx
        size = pin.bytes if pin else _checked_size(file, self._where)
        self._slots = slots or (cpus() if size < _SMALL and not threads else 1)
        self._threads = threads or max(1, cpus() // self._slots)
        self.batch_size = 32 if size < _SMALL else 8  # by the file alone: resuming elsewhere cuts the same
        self._engines: list[Any] = []
        self._pool: ThreadPoolExecutor | None = None
        self._stopped = False

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `gguf:FILE?ctx=..&slots=..&threads=..`, or from the name of a catalogue model.

        Raises:
            MmteError: no such file, no GGUF file, or a bad option.
        """
        spec.check_options("ctx", "slots", "threads")
        numbers = {"ctx": spec.option("ctx", int, 2048), "slots": 0, "threads": 0}
        for option in ("slots", "threads"):
            numbers[option] = spec.option(option, int, 0)
        for option, value in numbers.items():
            if value < 0 or (option in spec.options and value < 1) or value > 2**20:
                raise MmteError(f"{spec.where}: {option}={value} must be a whole number from 1")
        pin = pinned(spec.target)
        file = model_file(pin.name) if pin else Path(spec.target).expanduser()
        return cls(spec.name, file, pin, **numbers, where=spec.where)

    def identity(self) -> Mapping[str, Any]:
        """The file's sha256 (for a catalogue model the pinned one, file or no file) and the engine's version."""
        try:
            engine = f"xllamacpp {version('xllamacpp')}"
        except PackageNotFoundError:
            engine = "xllamacpp"
        sha256 = self._pin.sha256 if self._pin else file_sha256(self._file)
        return {"backend": "gguf", "sha256": sha256, "chat_template": "gguf", "engine": engine}

    def load(self) -> None:
        """Map the file and start the engines; a catalogue model that is not there is pulled.

        Raises:
            MmteError: the file cannot be fetched, is not the pinned one, or llama.cpp cannot read it.
            MissingExtra: xllamacpp is not installed.
        """
        if self._engines:
            return
        try:
            import xllamacpp  # type: ignore[import-untyped]
        except ImportError:
            raise MissingExtra("a gguf: model", "gguf", "xllamacpp") from None
        if self._pin:
            pull(self._pin.name)
        _checked_size(self._file, self._where)
        params = self._params(xllamacpp)
        try:
            self._engines = [xllamacpp.Server(params) for _ in range(self._slots)]
        except RuntimeError as error:
            self._engines = []
            raise MmteError(f"{self._where}: llama.cpp cannot load {self._file}: {one_line(str(error))}") from None
        self._pool = ThreadPoolExecutor(self._slots, thread_name_prefix="mmte-gguf")

    def close(self) -> None:
        """Stop the engines and free their memory; waits for the answer that each is at."""
        self._stopped = True
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None
        self._engines = []

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """Answer a list at a time; the same list gives the same answers whatever was asked before.

        Raises:
            MmteError: a setting that is not supported.
        """
        todo = list(requests)
        for request in todo:
            check_request(request, kinds=self.kinds, supports=self.supports, who=f"{self._where} (gguf)")
        self.load()
        assert self._pool is not None
        self._stopped = False
        try:
            # Fixed shares, not a common queue: which answers an engine gave before must not depend on timing.
            shares = [todo[k :: self._slots] for k in range(self._slots)]
            answers = list(self._pool.map(self._answer_share, self._engines, shares))
        finally:
            self._stopped = True
        if todo:
            yield [(request, answers[i % self._slots][i // self._slots]) for i, request in enumerate(todo)]

    # -- inside ----------------------------------------------------------------------------------
    def _answer_share(self, engine: Any, share: Sequence[Request]) -> list[Response]:
        answers: list[Response] = []
        for request in share:
            if self._stopped:
                break
            # Nothing is kept from an earlier list, nor for a sampled answer, where the smallest
            # difference in a logit can change the token that a seed draws.
            answers.append(self._answer(engine, request, keep=bool(answers) and not request.generation.do_sample))
        return answers

    def _answer(self, engine: Any, request: Request, *, keep: bool) -> Response:
        # Plain sampling: no cut-off but the temperature, as `Generation` says.
        extra = {"cache_prompt": keep, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
        build, ask = (
            (raw_body, engine.handle_completions)
            if request.kind == "raw"
            else (chat_body, engine.handle_chat_completions)
        )
        failed = partial(Response.failed, model_id=self.model_id)
        try:
            reply = ask(build(request, who=self._where) | extra)
        except (RuntimeError, ValueError) as error:
            return failed(one_line(f"llama.cpp: {error}"))
        problem = reply.get("error") if isinstance(reply, Mapping) else None
        if isinstance(problem, Mapping) and problem.get("type") == "exceed_context_size_error":
            tokens = problem.get("n_prompt_tokens")
            return failed(f"the prompt has {tokens} tokens, which do not fit into ctx={self._ctx}; raise ctx")
        response = read_reply(reply, self.model_id)
        if response.finish_reason == "length" and response.usage[1] < request.generation.max_new_tokens:
            return failed(
                f"the prompt of {response.usage[0]} tokens leaves no room for {request.generation.max_new_tokens} "
                f"more within ctx={self._ctx}; raise ctx"
            )
        return response

    def _params(self, xllamacpp: Any) -> Any:
        params = xllamacpp.CommonParams()
        params.model.path = str(self._file)
        params.n_ctx, params.n_parallel = self._ctx, 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.n_gpu_layers, params.fit_params, params.warmup = 0, False, False
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.cache_ram_mib = params.n_ctx_checkpoints = 0
        params.verbosity = -1
        # The engine opens a loopback port of its own, which nobody shall use.
        params.api_keys, params.n_threads_http = [secrets.token_hex()], 1
        params.ui = params.endpoint_slots = False
        return params


def _checked_size(file: Path, where: str) -> int:
    try:
        with file.open("rb") as opened:
            magic = opened.read(4)
        size = file.stat().st_size
    except OSError as error:
        raise MmteError(f"{where}: {file}: {error.strerror}; gguf: takes a GGUF file or a catalogue name") from None
    if magic != b"GGUF":
        raise MmteError(f"{where}: {file} is no GGUF file")
    return size
