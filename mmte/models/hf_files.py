"""Where the files of a Hugging Face model are, and what they say without loading weights."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from mmte.errors import MissingExtra, MmteError
from mmte.models.text import one_line

Progress = Callable[[int, int], None]

_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SMALL: Final = ("*.json", "*.jinja", "*.txt", "*.model", "*.tiktoken")
# Other formats of the same weights; doubles of repositories of Mistral and of LAION.
_ELSEWHERE: Final = ("*/*", "consolidated*", "open_clip*")
_PROBE: Final = 4096  # bytes in the middle of each tensor that go into the fingerprint


@dataclass(frozen=True, slots=True)
class Source:
    """A folder, or an id on the hub with a branch, tag or commit. `code`: Python files of it may run."""

    target: str
    revision: str
    where: str
    code: bool = False

    @property
    def folder(self) -> Path | None:
        """The folder that the target names; None for an id."""
        path = Path(self.target).expanduser()
        return path if self.target and path.is_dir() else None

    def check(self) -> None:
        """Raise MmteError for a target that is neither, and for the revision of a folder."""
        if self.folder is not None:
            if self.revision:
                raise MmteError(f"{self.where}: revision= is for ids of the hub; {self.target} is a folder")
            if not (self.folder / "config.json").is_file():
                raise MmteError(f"{self.where}: {self.target} has no config.json; name a folder with a saved model")
        elif not _ID.fullmatch(self.target):
            raise MmteError(f"{self.where}: {self.target!r} is neither a folder nor an id such as org/name")

    def small_files(self) -> Path:
        """The folder with configuration, tokenizer and template; fetched from the hub where needed.

        Of an id the folder's name is the commit. One request is made to the hub to learn it, none where
        `revision` is a commit that is in the local cache.

        Raises:
            MmteError: they cannot be had.
        """
        return self.folder or self._fetch(_SMALL, self.revision, _bar())

    def all_files(self, commit: str, progress: Progress | None = None, *, local: bool = False) -> Path:
        """The folder with the weights as well: safetensors files, or, where there are none, those of torch.

        A broken connection is resumed; files that an earlier attempt finished are kept. `progress` is
        called with (bytes done, bytes of the files begun so far); without it the hub's own bars are
        drawn. `local`: in the local cache only.

        Raises:
            MmteError: they cannot be had.
        """
        bar = _bar(progress) if progress else None
        folder = self.folder or self._fetch((*_SMALL, "*.safetensors"), commit, bar, local)
        if not any(folder.glob("*.safetensors")) and self.folder is None:
            folder = self._fetch((*_SMALL, "pytorch_model*.bin"), commit, bar, local)
        if not any(p.suffix in (".safetensors", ".bin") for p in folder.iterdir()):
            raise MmteError(f"{self.where}: {self.target} has no *.safetensors file (was all of it downloaded?)")
        return folder

    def in_cache(self) -> Path | None:
        """The folder with all files if they are on this machine; the hub is not asked."""
        try:
            return self.all_files(self.revision, local=True)
        except MmteError:
            return None

    def _fetch(self, patterns: tuple[str, ...], revision: str, bar: Any = None, local: bool = False) -> Path:
        try:
            from huggingface_hub import snapshot_download
            from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError
        except ImportError:
            raise MissingExtra("the hf backend", "hf", "transformers and torch") from None
        wanted = [*patterns, "*.py"] if self.code else list(patterns)
        at = f" at revision {revision}" if revision else ""
        try:
            found: str = snapshot_download(
                self.target, revision=revision or None, allow_patterns=wanted, ignore_patterns=list(_ELSEWHERE),
                local_files_only=local, **({"tqdm_class": bar} if bar else {}),
            )  # fmt: skip
        except GatedRepoError:
            why = "asks for a licence to be accepted; do so on its page and set HF_TOKEN"
        except RevisionNotFoundError:
            why = "has no such revision; leave revision= out or name a branch, tag or commit"
        except RepositoryNotFoundError:
            why = "is not on the hub (or is private: set HF_TOKEN), and there is no such folder"
        except (OSError, ValueError) as error:  # all errors of the hub and of its HTTP client are one of these
            why = f"cannot be fetched and is not in the local cache: {one_line(str(error), 160)}"
        else:
            return Path(found)
        raise MmteError(f"{self.where}: {self.target}{at} {why}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the small files say: the configuration, whether it sees images, whether it has a chat template."""

    config: Mapping[str, Any]
    sees: bool
    template: bool

    @classmethod
    def read(cls, folder: Path, where: str) -> Facts:
        """Read config.json and its neighbours.

        Raises:
            MmteError: config.json is no JSON object.
        """
        config = read_json(folder / "config.json")
        if not config:
            raise MmteError(f"{where}: config.json of the model cannot be read as a JSON object; fetch it again")
        processor = read_json(folder / "processor_config.json")
        images = read_json(folder / "preprocessor_config.json") | (processor.get("image_processor") or {})
        sees = "image_processor_type" in images or not {"vision_config", "vq_config"}.isdisjoint(config)
        holders = [read_json(folder / name) for name in ("tokenizer_config.json", "chat_template.json")]
        template = (folder / "chat_template.jinja").is_file() or any(
            h.get("chat_template") for h in [*holders, processor]
        )
        return cls(config, sees, template)


def fingerprint(source: Source, folder: Path) -> dict[str, str]:
    """What tells this model from another one: `{repo, commit}` on the hub, `{files: sha256}` of a folder.

    Of a folder every small file counts in full; of a safetensors file its size, its header and 4 KiB
    from the middle of each tensor, so that further training shows at once.

    Raises:
        MmteError: a file cannot be read.
    """
    if source.folder is None and _COMMIT.fullmatch(folder.name):
        return {"repo": source.target, "commit": folder.name}
    total = hashlib.sha256()
    try:
        for path in sorted(p for p in folder.iterdir() if p.is_file()):
            if path.suffix == ".safetensors":
                part = _tensors_digest(path)
            elif path.suffix == ".bin":
                with path.open("rb") as file:
                    part = hashlib.file_digest(file, "sha256").hexdigest()
            elif any(path.match(pattern) for pattern in _SMALL) or (source.code and path.suffix == ".py"):
                part = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                continue
            total.update(f"{path.name} {part}\n".encode())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MmteError(
            f"{source.where}: {path.name} of the model cannot be read: {one_line(str(error), 120)}"
        ) from None
    return {"files": total.hexdigest()}


def _tensors_digest(path: Path) -> str:
    """Format: 8 bytes little-endian length, that much JSON `{name: {data_offsets: [from, to]}}`, the data."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(size - 8, 2**28):
            raise ValueError("no safetensors file")
        header = file.read(length)
        digest.update(header)
        spans = [v["data_offsets"] for k, v in json.loads(header).items() if k != "__metadata__"]
        for start, end in sorted(spans):
            file.seek(8 + length + start + max(0, (end - start - _PROBE) // 2))
            digest.update(file.read(min(_PROBE, end - start)))
    return digest.hexdigest()


def _bar(progress: Progress | None = None) -> Any:
    """A class of progress bars that are never drawn, since others write to the same terminal.

    Bars of bytes tell `progress`; where the hub has several (received, written), the one that is ahead counts.
    """
    bar: Any = import_module("tqdm.auto").tqdm
    lock, counts = threading.Lock(), {}

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("name", None)  # of the hub's own bars
        bar.__init__(self, *args, **(kwargs | {"disable": True}))
        self.of_bytes = kwargs.get("unit") == "B"

    def update(self: Any, n: float | None = 1) -> None:
        if progress and self.of_bytes:
            with lock:  # files arrive in threads
                self.n += n or 0
                counts[id(self)] = (int(self.n), int(self.total or 0))
                progress(*max(counts.values()))

    return type("UndrawnBar", (bar,), {"__init__": init, "update": update})


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a file; empty when there is none."""
    try:
        loaded = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}
