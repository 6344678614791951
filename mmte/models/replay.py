"""A model that gives the answers of an earlier run: its per-sample files, or any JSON Lines of messages and answers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, get_args

from mmte.errors import MmteError
from mmte.models.base import BaseChat
from mmte.models.spec import ModelSpec
from mmte.registry import registry
from mmte.types import Request, Response, Status


@registry.register_backend()
class ReplayChat(BaseChat):
    """`replay:FILE` or `replay:DIR`: JSON Lines with `messages` and `content`, such as `samples/*.jsonl` of a report.

    A question that is not in the files is a failure, never an answer. `status`, `cut`, `reasoning` and
    `finish_reason` are taken over where a line has them. Generation settings are not compared. A file that
    names a sample (its `id` and messages) several times has its answers to repetitions, in order.

    Raises:
        MmteError: no such file, or a line that is no JSON object with `messages`; file and line are named.
    """

    backend_ids: ClassVar[tuple[str, ...]] = ("replay",)
    modalities: ClassVar[frozenset[str]] = frozenset({"text", "image"})
    kinds: ClassVar[frozenset[str]] = frozenset({"chat", "raw", "classify"})
    supports: ClassVar[frozenset[str]] = frozenset(
        {"do_sample", "temperature", "num_beams", "stop_sequences", "output_scores", "seed"}
    )
    device = "none"
    batch_size = 1024

    def __init__(self, spec: ModelSpec) -> None:
        spec.check_options()
        self.model_id = spec.name
        path = Path(spec.target)
        self._files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not self._files or not all(f.is_file() for f in self._files):
            raise MmteError(f"{spec.where}: there is no file {path} to replay")
        self._answers: dict[tuple[str, int], Response] = {}

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """The model of a spec; MmteError when the file is missing."""
        return cls(spec)

    def identity(self) -> Mapping[str, Any]:
        """The digests of the files."""
        digests = []
        for path in self._files:
            with path.open("rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        return {"backend": "replay", "files": sorted(digests)}

    def load(self) -> None:
        """Read the files."""
        for path in self._files:
            seen: Counter[tuple[str, Any]] = Counter()
            try:
                with path.open(encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        if line.strip():
                            self._read(line, f"{path}:{number}", seen)
            except (OSError, UnicodeDecodeError) as error:
                raise MmteError(f"{path}: cannot be read: {error}") from error

    def _read(self, line: str, where: str, seen: Counter[tuple[str, Any]]) -> None:
        try:
            row = json.loads(line)
            key = _key(row["messages"])
            if not isinstance(row["content"], str):
                raise TypeError("its content is no text")
            if row.setdefault("status", "ok") not in get_args(Status):
                raise ValueError(f"there is no status {row['status']!r}")
            response = Response.from_dict({**row, "model_id": self.model_id})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise MmteError(f"{where}: not a JSON object with 'messages' and 'content' ({error})") from error
        sample = (key, str(row.get("id")))
        repeat = seen[sample]  # a file names a sample once for each repetition
        seen[sample] += 1
        if response.status != "error":
            self._answers.setdefault((key, repeat), response)

    def close(self) -> None:
        """Forget the answers."""
        self._answers.clear()

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """All at once."""
        missing = Response.failed("not in the replayed files", model_id=self.model_id)
        yield [(r, self._answers.get((_key(r.messages), r.generation.repeat), missing)) for r in requests]


def _key(messages: Iterable[Mapping[str, Any]]) -> str:
    """Messages without the folders of their images, which may lie elsewhere today."""
    plain = []
    for message in messages:
        content = message["content"]
        if isinstance(content, Mapping) and content.get("image_path"):
            content = {**content, "image_path": Path(content["image_path"]).name}
        plain.append([message["role"], content])
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
