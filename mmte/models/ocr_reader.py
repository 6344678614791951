"""What is written in image files, remembered by their bytes."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue

from mmte.engine.cache import AnswerCache
from mmte.engine.keys import FileHashes, digest
from mmte.engine.settings import default_cache
from mmte.errors import MmteError
from mmte.models.cpus import cpus
from mmte.models.images import BadImage
from mmte.models.ocr_engine import Engine, identity
from mmte.models.text import one_line
from mmte.types import Response

_log = logging.getLogger(__name__)


def texts_file() -> Path:
    """Where texts are kept: beside the answer cache of `MMTE_CACHE` or the user's cache folder."""
    answers = default_cache()
    return answers.with_name(f"{answers.stem}-ocr{answers.suffix}")


class Reader:
    """Reads image files with one engine for each CPU; OCR is loaded for the first one that is not remembered.

    A text is kept under the sha256 of the file and the identity of OCR, in a file that several processes
    may use at once. Where that file cannot be used, texts are remembered until `close`.
    """

    def __init__(self) -> None:
        self._hashes = FileHashes()
        self._cache: AnswerCache | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._free: SimpleQueue[Engine] = SimpleQueue()

    def read(self, paths: Iterable[str]) -> dict[str, str | BadImage]:
        """The text in each image; a BadImage says why there is none.

        Raises:
            MissingExtra: rapidocr-onnxruntime is not installed.
            MmteError: OCR cannot be loaded.
        """
        found: dict[str, str | BadImage] = {}
        keys: dict[str, bytes] = {}
        for path in dict.fromkeys(paths):
            try:
                keys[path] = self._key(path)
            except OSError as error:
                found[path] = BadImage(f"image {Path(path).name} cannot be read: {error.strerror}")
        if not keys:
            return found
        cache = self._opened()
        texts: dict[bytes, str | BadImage] = {k: r.content for k, r in cache.get(list(set(keys.values()))).items()}
        todo = {key: path for path, key in keys.items() if key not in texts}  # equal files are read once
        for key, text in self._ocr(todo):
            texts[key] = text
            if isinstance(text, str):  # at once: what was read survives an interrupt
                cache.put([(key, Response("ocr", text))])
        return found | {path: texts[key] for path, key in keys.items()}

    def close(self) -> None:
        """Free the engines and close the file."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        if self._cache is not None:
            self._cache.close()
        self._pool, self._cache, self._free = None, None, SimpleQueue()

    # -- inside ----------------------------------------------------------------------------------
    def _key(self, path: str) -> bytes:
        return hashlib.sha256(f"mmte.ocr/1 {digest(identity())} {self._hashes(path)}".encode()).digest()

    def _opened(self) -> AnswerCache:
        if self._cache is None:
            self._cache = AnswerCache(texts_file(), None)
            if self._cache.problem:
                _log.warning("texts of images: %s", self._cache.problem)
        return self._cache

    def _ocr(self, todo: dict[bytes, str]) -> Iterator[tuple[bytes, str | BadImage]]:
        if not todo:
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(cpus(), thread_name_prefix="mmte-ocr")
        yield from zip(todo, self._pool.map(self._one, todo.values()), strict=True)

    def _one(self, path: str) -> str | BadImage:
        try:
            engine = self._free.get_nowait()
        except Empty:  # at most one for each thread of the pool
            engine = Engine()
        try:
            return engine.read(path)
        except BadImage as error:
            return error
        except MmteError:
            raise
        except Exception as error:  # noqa: BLE001  whatever its libraries raise at one picture costs that picture
            return BadImage(f"image {Path(path).name}: OCR failed: {type(error).__name__}: {one_line(str(error), 160)}")
        finally:
            self._free.put(engine)
