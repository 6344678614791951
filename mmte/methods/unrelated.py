"""Pictures that have nothing to do with a sample: one colour, noise, or a picture of nature."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.datasets.root import DataRoot, FilesRead
from mmte.datasets.unrelated import SUFFIXES, natural_key, pick, unrelated_pool
from mmte.engine.keys import FileHashes
from mmte.methods.pictures import PictureMethod
from mmte.registry import registry

if TYPE_CHECKING:
    from PIL.Image import Image

SIZE: Final = (224, 224)


class UnrelatedImage(PictureMethod):
    """A picture of a given size that depends on the sample's id alone (its text, when it has none).

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), which pairs questions in words with unrelated
    images to see whether they change the answer.

    Args:
        img_size: `(height, width)` in pixels.

    Raises:
        MmteError: see `PictureMethod`.
    """

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        img_size: Sequence[int] = SIZE,
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        self.height, self.width = self.check_size(img_size)

    def settings(self) -> Mapping[str, Any]:
        """The size."""
        return {"img_size": [self.height, self.width]}

    def random_bytes(self, seed: str, count: int) -> bytes:
        """Bytes of a seed: the same for ever, which a generator of numpy does not promise."""
        return hashlib.shake_256(f"{self.method_id}\0{seed}".encode("utf-8", "surrogatepass")).digest(count)


@registry.register_method()
class UnrelatedColorImage(UnrelatedImage):
    """One colour; every RGB value is as likely as any other."""

    method_ids: ClassVar[Sequence[str]] = ("unrelated-image-color",)

    def draw(self, seed: str) -> Image:
        """The picture of a seed."""
        from PIL import Image

        red, green, blue = self.random_bytes(seed, 3)
        return Image.new("RGB", (self.width, self.height), (red, green, blue))


@registry.register_method()
class UnrelatedNoiseImage(UnrelatedImage):
    """A colour for each pixel; every RGB value is as likely as any other."""

    method_ids: ClassVar[Sequence[str]] = ("unrelated-image-noise",)
    compress_level: ClassVar[int] = 0  # noise cannot be made smaller

    def draw(self, seed: str) -> Image:
        """The picture of a seed."""
        import numpy as np
        from PIL import Image

        shape = (self.height, self.width, 3)
        return Image.fromarray(np.frombuffer(self.random_bytes(seed, shape[0] * shape[1] * 3), np.uint8).reshape(shape))


@registry.register_method()
class UnrelatedNatureImage(UnrelatedImage):
    """A picture out of a folder, cut to the proportions of `img_size` around its middle and scaled.

    Args:
        nature_src_dir: folder with pictures (pixel files: no svg). Default: the files with `nature` in
            their name of `unrelated_images/` under the data root.
        data_root: folder of `--mmte-data`; None: the mini data of the package.

    Raises:
        DataMissing: the data root has no such picture.
        MmteError: `nature_src_dir` is no folder or has no picture, or a picture cannot be read.
    """

    method_ids: ClassVar[Sequence[str]] = ("unrelated-image-nature",)

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        img_size: Sequence[int] = SIZE,
        nature_src_dir: str = "",
        data_root: str | Path | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, img_size=img_size, **unknown)
        if nature_src_dir:
            self.pool = self._folder_pool(nature_src_dir)
        else:
            self.pool = unrelated_pool(FilesRead(DataRoot(data_root), method_id), "nature", part=False)
        self._hashes = FileHashes()

    def digest(self) -> str:
        """As of other methods, with the names of the pictures to choose from; their bytes are part of what is asked."""
        names = "\0".join((super().digest(), *(path.name for path in self.pool)))
        return hashlib.sha256(names.encode("utf-8", "surrogateescape")).hexdigest()

    def source(self, seed: str) -> str:
        """sha256 of the picture that a seed chooses."""
        path = self._pick(seed)
        try:
            return self._hashes(str(path))
        except OSError as error:
            raise self.wrong(f"{path} cannot be read: {error.strerror}") from None

    def draw(self, seed: str) -> Image:
        """The picture of a seed."""
        from PIL import Image, ImageOps

        path = self._pick(seed)
        try:
            with Image.open(path) as file:
                image = ImageOps.exif_transpose(file).convert("RGBA")
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise self.wrong(f"{path} is no picture that can be read ({error}); replace or remove it") from None
        white = Image.new("RGBA", image.size, "white")
        opaque = Image.alpha_composite(white, image).convert("RGB")
        return ImageOps.fit(opaque, (self.width, self.height), Image.Resampling.LANCZOS)

    def _pick(self, seed: str) -> Path:
        return pick(self.pool, seed, "nature")

    def _folder_pool(self, nature_src_dir: Any) -> list[Path]:
        if not isinstance(nature_src_dir, (str, Path)) or not Path(nature_src_dir).expanduser().is_dir():
            raise self.wrong(f"nature_src_dir {nature_src_dir!r} is not a folder; name one with pictures")
        folder = Path(nature_src_dir).expanduser()
        found = (p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith("."))
        pool = sorted(found, key=lambda p: natural_key(p.name))
        if not pool:
            kinds = ", ".join(sorted(suffix[1:] for suffix in SUFFIXES))
            raise self.wrong(f"nature_src_dir {folder} has no picture; put some into it ({kinds})")
        return pool
