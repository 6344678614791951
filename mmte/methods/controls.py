"""Controls: the same questions without what their pictures show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from mmte.errors import MmteError
from mmte.methods.base import BaseMethod
from mmte.methods.edited import EditedPicture
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image


@registry.register_method()
class NoImage(BaseMethod):
    """The question alone, without its picture.

    Raises:
        MmteError: `run` was given no sample.
    """

    method_ids: ClassVar[Sequence[str]] = ("no-image",)

    def run(self, data: Any) -> TxtSample:
        """The sample as a text."""
        if isinstance(data, TxtSample):
            return data
        if not isinstance(data, ImageTxtSample):
            raise MmteError(f"{self.method_id} takes a TxtSample or ImageTxtSample, not {type(data).__name__}")
        return TxtSample(data.text, data.target, data.extra, data.id, data.subset, data.cluster, data.group)

    def digest(self) -> str:
        """The method's part of a result's identity."""
        return self.method_id


@registry.register_method()
class Blank(EditedPicture):
    """A picture of the same size in one colour, the mean of the original's: nothing is left to see."""

    method_ids: ClassVar[Sequence[str]] = ("blank",)

    def edit(self, image: Image, data: ImageTxtSample, seed: str) -> Image:
        """The blank picture."""
        from PIL import Image as Pictures
        from PIL import ImageStat

        red, green, blue = (round(mean) for mean in ImageStat.Stat(image).mean)
        return Pictures.new("RGB", image.size, (red, green, blue))
