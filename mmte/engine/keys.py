"""What makes two requests the same: model identity, generation, messages, and the bytes of images."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmte.types import Generation, Request

_SCHEMA = "mmte.answer/1"
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str).encode


def digest(value: Any) -> str:
    """A short, stable digest of plain data."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()[:16]


class FileHashes:
    """sha256 of files, memoised by path, size and modification time."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, int], str] = {}

    def __call__(self, path: str) -> str:
        stat = Path(path).stat()
        key = (path, stat.st_size, stat.st_mtime_ns)
        if key not in self._known:
            with Path(path).open("rb") as file:
                self._known[key] = hashlib.file_digest(file, "sha256").hexdigest()
        return self._known[key]


class Keys:
    """Cache keys of requests to one model; 32 bytes each."""

    def __init__(self, identity: Mapping[str, Any], files: FileHashes) -> None:
        self._identity = _canonical([_SCHEMA, identity])
        self._files = files
        self._prefixes: dict[tuple[Generation, str], Any] = {}

    def __call__(self, request: Request) -> bytes:
        """The key of a request.

        Raises:
            OSError: an image that the request names cannot be read.
        """
        which = (request.generation, request.kind)
        prefix = self._prefixes.get(which)
        if prefix is None:
            g = request.generation
            settings = [getattr(g, name) for name in Generation.__slots__]
            prefix = hashlib.sha256(f"{self._identity}{_canonical([settings, request.kind])}".encode())
            self._prefixes[which] = prefix
        h = prefix.copy()
        h.update(_canonical([self._plain(m) for m in request.messages]).encode())
        if request.continuation:
            h.update(b"\0" + request.continuation.encode("utf-8", "surrogatepass"))
        key: bytes = h.digest()
        return key

    def _plain(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        content = message["content"]
        if isinstance(content, str):
            return message
        plain = dict(content)
        if path := plain.pop("image_path", None):
            plain["image_sha256"] = self._files(str(path))
        return {**message, "content": plain}
