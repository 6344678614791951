"""What methods that make pictures share: options, names of files, keeping and reusing what was made."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.errors import MissingExtra, MmteError, near
from mmte.methods.base import BaseMethod
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST: Final = 8192
_HEAD: Final = b"\x89PNG\r\n\x1a\n"
_END: Final = b"\0\0\0\0IEND\xaeB`\x82"


def default_img_dir() -> Path:
    """Where pictures are kept unless `img_dir` says otherwise: the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("mmte") / "images"


class PictureMethod(BaseMethod):
    """Base class of methods that give a sample a picture of their own, in place of one that it has.

    A subclass makes the picture of a seed in `draw` and names in `settings` all that it depends on. The
    seed is the sample's id, or its text when it has none: every model, run and machine sees the same
    pixels. The name of the file covers method, settings, seed and versions, so that a folder can be shared
    by any tasks and processes: one name, one picture. Files are lossless PNG.

    Args:
        method_id: one of `method_ids`.
        img_dir: folder for the pictures; default: `default_img_dir()`.
        lazy_mode: reuse a picture that is there; False: draw it again (which gives the same bytes).

    Raises:
        MissingExtra: Pillow is not installed.
        MmteError: an unknown or wrong option, or the folder cannot be made.
    """

    version: ClassVar[int] = 1
    """Raised whenever the same settings and seed give other pixels."""
    compress_level: ClassVar[int] = 6

    def __init__(self, method_id: str, img_dir: str = "", lazy_mode: bool = True, **unknown: Any) -> None:
        super().__init__(method_id, "", lazy_mode)
        if unknown:
            option = next(iter(unknown))
            raise self.wrong(f"unknown option '{option}'.{near(option, self._options())}")
        if not isinstance(lazy_mode, bool):
            raise self.wrong(f"lazy_mode must be true or false, not {lazy_mode!r}")
        if not isinstance(img_dir, (str, os.PathLike)):
            raise self.wrong(f"img_dir must be the name of a folder, not {img_dir!r}")
        self._pillow = _pillow_version()
        self._folder = Path(img_dir).expanduser() if str(img_dir) else default_img_dir()
        self.img_dir = str(self._folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self.wrong(f"img_dir {self._folder} cannot be made: {error.strerror}; name another folder") from None

    # -- for subclasses ------------------------------------------------------------------------
    def draw(self, seed: str) -> Image:
        """The picture of a seed.

        Raises:
            MmteError: it cannot be made.
        """
        raise NotImplementedError(f"{type(self).__name__}.draw")

    def settings(self) -> Mapping[str, Any]:
        """All options that decide the pixels, as plain data; files by their digests, never by their paths."""
        return {}

    def source(self, seed: str) -> str:
        """The digest of a file that the picture of a seed is made from; empty: of none."""
        return ""

    def seed(self, data: TxtSample | ImageTxtSample) -> str:
        """What a sample's picture is made from.

        Raises:
            MmteError: the sample has neither an id nor a text nor a picture.
        """
        if data.id:
            return f"id\0{data.id}"
        if data.text:
            return f"text\0{data.text}"
        if isinstance(data, ImageTxtSample) and data.image_path:
            return f"image\0{Path(data.image_path).name}"
        raise MmteError(f"{self.method_id}: a sample has neither an id nor a text to choose its picture by")

    def wrong(self, what: str) -> MmteError:
        """An error about the options of this method."""
        return MmteError(f"method_cfg of {self.method_id}: {what}")

    def check_size(self, img_size: Any) -> tuple[int, int]:
        """`img_size` as `(height, width)` in pixels.

        Raises:
            MmteError: it is something else.
        """
        whole = isinstance(img_size, Sequence) and not isinstance(img_size, str) and len(img_size) == 2
        if not whole or not all(type(n) is int and 1 <= n <= LARGEST for n in img_size):
            raise self.wrong(f"img_size must be [height, width], each from 1 to {LARGEST} pixels, not {img_size!r}")
        return img_size[0], img_size[1]

    # -- the method ----------------------------------------------------------------------------
    def run(self, data: Any) -> ImageTxtSample:
        """The sample with its picture: text, target, extra, id, subset, cluster and group stay as they are.

        Raises:
            MmteError: `data` is no `TxtSample` or `ImageTxtSample`, or its picture cannot be made or kept.
        """
        if not isinstance(data, (TxtSample, ImageTxtSample)):
            raise MmteError(f"{self.method_id} takes a TxtSample or ImageTxtSample, not {type(data).__name__}")
        seed = self.seed(data)
        path = self._folder / f"{self.hash(seed)}.png"
        if not (self.lazy_mode and is_whole(path)):
            save_png(self.draw(seed), path, self.method_id, self.compress_level)
        return ImageTxtSample(
            str(path), data.text, data.target, data.extra, data.id, data.subset, data.cluster, data.group
        )

    def hash(self, to_hash_str: str, **kwargs: Any) -> str:
        """The name of the picture of a seed: covers all that decides its bytes, and no path."""
        return _digest([self._what(), self._pillow, self.source(to_hash_str), kwargs, to_hash_str])

    def digest(self) -> str:
        """The method's part of a result's identity: what it does, not where it keeps its pictures."""
        return _digest(self._what())

    def _what(self) -> list[Any]:
        return ["mmte.picture", self.version, self.method_id, self.settings()]

    def _options(self) -> list[str]:
        parameters = inspect.signature(type(self).__init__).parameters.values()
        named = [p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
        return [name for name in named if name not in ("self", "method_id")]


def is_whole(path: Path) -> bool:
    """Whether a file is a PNG with a beginning and an end: none that a crash of the machine cut short."""
    try:
        with path.open("rb") as file:
            if file.read(len(_HEAD)) != _HEAD:
                return False
            file.seek(-len(_END), os.SEEK_END)
            return file.read() == _END
    except OSError:
        return False


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all, also when others write it at the same time.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        # Not synced: a picture that a crash of the machine cuts short is found by `is_whole` and drawn again.
        with temporary.open("xb") as file:
            file.write(data)
        os.replace(temporary, path)  # noqa: PTH105 - the name says that an existing file is replaced
    finally:
        temporary.unlink(missing_ok=True)


def save_png(image: Image, path: Path, method_id: str, compress_level: int = 6) -> None:
    """Write a picture, lossless and as a whole.

    Raises:
        MmteError: it cannot be written.
    """
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=compress_level)
    try:
        write_whole(path, data.getvalue())
    except OSError as error:
        told = f"{method_id}: {path} cannot be written: {error.strerror}; name another folder: img_dir"
        raise MmteError(told) from error


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _pillow_version() -> str:
    """Pillow's version, as another one may encode or draw differently.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        from PIL import __version__
    except ImportError:
        raise MissingExtra("an image method", "images", "pillow") from None
    return __version__
