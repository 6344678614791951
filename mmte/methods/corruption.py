"""The sample's own picture, corrupted by noise, blur, light or compression."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.methods.edited import EditedPicture
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image

PREFIX: Final = "corrupt-"
RANDOM: Final = ("gaussian-noise", "shot-noise", "impulse-noise", "motion-blur")
FIXED: Final = ("defocus-blur", "pixelate", "jpeg", "brightness", "contrast")


@registry.register_method()
class Corruption(EditedPicture):
    """The sample's own picture, corrupted by noise, blur, light or compression; its size stays.

    Random parts depend on the sample's id alone, so that the severities of a sample differ in strength only.

    Source: ImageNet-C (Hendrycks & Dietterich 2019, arXiv:1903.12261); see `mmte.methods.distortions`.

    Args:
        severity: from 1 (weak) to 5 (strong).

    Raises:
        MmteError: see `EditedPicture`; or a wrong severity.
    """

    method_ids: ClassVar[Sequence[str]] = tuple(f"{PREFIX}{kind}" for kind in (*RANDOM, *FIXED))

    def __init__(
        self, method_id: str, img_dir: str = "", lazy_mode: bool = True, *, severity: int = 3, **unknown: Any
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        if type(severity) is not int or not 1 <= severity <= 5:
            raise self.wrong(f"severity must be a whole number from 1 to 5, not {severity!r}")
        self.severity, self.kind = severity, method_id.removeprefix(PREFIX)

    def settings(self) -> Mapping[str, Any]:
        """The severity."""
        return {"severity": self.severity}

    def seed(self, data: TxtSample | ImageTxtSample) -> str:
        """What random parts are made from; nothing where there are none, so that equal pictures stay equal."""
        return super().seed(data) if self.kind in RANDOM else ""

    def edit(self, image: Image, data: ImageTxtSample, seed: str) -> Image:
        """The corrupted picture."""
        import numpy as np
        from PIL import Image as Pictures

        from mmte.methods.distortions import KINDS

        start = hashlib.sha256(f"{self.method_id}\0{seed}".encode("utf-8", "surrogatepass")).digest()
        # The old generator of numpy is the one whose numbers are promised never to change.
        source = np.random.RandomState(np.frombuffer(start, np.uint32))
        found = KINDS[self.kind](np.asarray(image) / 255, self.severity, source)
        return Pictures.fromarray(np.rint(np.clip(found, 0, 1) * 255).astype(np.uint8))
