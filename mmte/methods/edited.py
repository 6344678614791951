"""What methods that change a sample's own picture share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmte.engine.keys import FileHashes
from mmte.errors import MmteError
from mmte.methods.pictures import PictureMethod, is_whole, save_png
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image


class EditedPicture(PictureMethod):
    """Base class of methods that make a new picture out of the one that a sample shows.

    A subclass implements `edit`. The new picture depends on the bytes of the old one, on the settings and on the
    sample's seed. A sample without a picture passes as it is, so that a method may stand before a mixed dataset.

    Raises:
        MmteError: see `PictureMethod`; or a picture cannot be read.
    """

    def __init__(self, method_id: str, img_dir: str = "", lazy_mode: bool = True, **unknown: Any) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        self._hashes = FileHashes()

    def edit(self, image: Image, data: ImageTxtSample, seed: str) -> Image:
        """The new picture; `image` has mode RGB.

        Raises:
            MmteError: it cannot be made.
        """
        raise NotImplementedError(f"{type(self).__name__}.edit")

    def run(self, data: Any) -> Any:
        """The sample with its changed picture; text, target, extra, id, subset, cluster and group stay as they are.

        Raises:
            MmteError: `data` is no sample, or its picture cannot be read or the new one cannot be kept.
        """
        if isinstance(data, TxtSample):
            return data
        if not isinstance(data, ImageTxtSample):
            raise MmteError(f"{self.method_id} takes a TxtSample or ImageTxtSample, not {type(data).__name__}")
        seed = self.seed(data)
        path = self._folder / f"{self.hash(seed, picture=self._sha256(data.image_path))}.png"
        if not (self.lazy_mode and is_whole(path)):
            save_png(self.edit(self._opened(data.image_path), data, seed), path, self.method_id, self.compress_level)
        return ImageTxtSample(
            str(path), data.text, data.target, data.extra, data.id, data.subset, data.cluster, data.group
        )

    def _sha256(self, path: str) -> str:
        try:
            return self._hashes(str(path))
        except OSError as error:
            raise MmteError(f"{self.method_id}: {path} cannot be read: {error.strerror}") from None

    def _opened(self, path: str) -> Image:
        from PIL import Image, ImageOps

        try:
            with Image.open(Path(path)) as file:
                image = ImageOps.exif_transpose(file).convert("RGBA")
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise MmteError(f"{self.method_id}: {path} is no picture that can be read ({error}); replace it") from None
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
