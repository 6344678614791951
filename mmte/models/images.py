"""Image files as they are sent and opened: bytes as they are, never resized."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PIL.Image import Image

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)


class BadImage(Exception):
    """A file that is no image which can be shown; the message is one line. It costs one sample, not the run."""


def mime_type(head: bytes) -> str:
    """The media type that the first bytes of an image file say; empty for what is no known image."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _MAGIC if head.startswith(magic)), "")


def data_url(path: str) -> str:
    """An image file as a `data:` URL: its bytes as they are, its type from its first bytes, not its name.

    Raises:
        BadImage: it cannot be read, or is no PNG, JPEG, GIF, WebP, BMP or TIFF file.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise BadImage(f"image {Path(path).name} cannot be read: {error.strerror}") from None
    mime = mime_type(raw[:12])
    if not mime:
        raise BadImage(f"image {Path(path).name} is no PNG, JPEG, GIF, WebP, BMP or TIFF file")
    return f"data:{mime};base64,{base64.b64encode(raw).decode('ascii')}"


def open_rgb(path: str) -> Image:
    """An image file decoded whole, upright (EXIF) and as RGB, in its own size.

    Raises:
        BadImage: it cannot be read or decoded.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as opened:
            image: Any = ImageOps.exif_transpose(opened)
            return image.convert("RGB")  # type: ignore[no-any-return]
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        reason = " ".join((getattr(error, "strerror", None) or str(error)).replace(str(path), "").split())[:200]
        raise BadImage(f"image {Path(path).name} cannot be read: {reason}") from None
