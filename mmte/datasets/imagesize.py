"""Width and height of an image from its first bytes, without decoding it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO, Final

from mmte.errors import MmteError

_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def image_size(path: Path) -> tuple[int, int]:
    """`(width, height)` in pixels of a PNG, JPEG, GIF or BMP file.

    Raises:
        MmteError: it cannot be read, or is none of these.
    """
    try:
        with path.open("rb") as file:
            size = _size(file)
    except OSError as error:
        raise MmteError(f"{path}: cannot be read: {error.strerror}; check the data root") from None
    except (struct.error, ValueError):
        size = None
    if size is None or min(size) < 1:
        raise MmteError(f"{path}: not a whole PNG, JPEG, GIF or BMP image; fetch or convert it")
    return size


def _size(file: BinaryIO) -> tuple[int, int] | None:
    head = file.read(26)
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = struct.unpack(">II", head[16:24])
    elif head[:6] in (b"GIF87a", b"GIF89a"):
        width, height = struct.unpack("<HH", head[6:10])
    elif head.startswith(b"BM"):
        width, height = struct.unpack("<ii", head[18:26])
    elif head.startswith(b"\xff\xd8"):
        return _jpeg(file)
    else:
        return None
    return width, abs(height)


def _jpeg(file: BinaryIO) -> tuple[int, int]:
    """The size in the first frame header; the segments before it are skipped by their lengths."""
    file.seek(2)
    while True:
        mark, kind = struct.unpack(">BB", file.read(2))
        while kind == 0xFF:  # fill bytes
            (kind,) = struct.unpack(">B", file.read(1))
        if mark != 0xFF or kind in (0xD9, 0xDA):
            raise ValueError("no frame header")
        (length,) = struct.unpack(">H", file.read(2))
        if kind in _FRAMES:
            _, height, width = struct.unpack(">BHH", file.read(5))
            return width, height
        file.seek(length - 2, 1)
