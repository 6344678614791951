"""A picture of a sample's own text, made by a diffusion model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.errors import MmteError
from mmte.methods.pictures import PictureMethod
from mmte.methods.pipelines import Pipeline
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

if TYPE_CHECKING:
    from PIL.Image import Image

MODEL: Final = "stabilityai/stable-diffusion-xl-base-1.0"


@registry.register_method()
class RelatedGeneratedImage(PictureMethod):
    """The sample's text as the prompt of a diffusion model of diffusers; the question in words stays as it is.

    The start is drawn on the CPU from the sample's id, hence the same for every device; the model is loaded when
    a picture is missing. A device may round otherwise, and the first picture made is kept: to give pictures
    to a machine without a GPU, copy `img_dir`.

    Source: MultiTrust (Zhang et al. 2024, arXiv:2406.07057), which uses Stable Diffusion XL.

    Args:
        model: an id of the hub (`org/name` or `org/name@revision`) or a folder with a saved pipeline.
        img_size: `(height, width)` in pixels, multiples of 8; None: the model's own.
        steps: of the diffusion; None: the pipeline's own number.
        guidance: how closely the prompt is followed; None: the pipeline's own value.
        device: auto (a GPU where torch sees one), cpu, cuda or cuda:N.

    Raises:
        MissingExtra: a picture must be made and diffusers is not installed.
        MmteError: see `PictureMethod`; or the model cannot be had or loaded, or withheld a picture.
    """

    method_ids: ClassVar[Sequence[str]] = ("related-image-generated",)

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        model: str = MODEL,
        img_size: Sequence[int] | None = None,
        steps: int | None = None,
        guidance: float | None = None,
        device: str = "auto",
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        self.img_size = None if img_size is None else self.check_size(img_size)
        if self.img_size and any(n % 8 for n in self.img_size):
            raise self.wrong(f"img_size must be multiples of 8 for a diffusion model, not {list(self.img_size)}")
        if steps is not None and (type(steps) is not int or not 1 <= steps <= 1000):
            raise self.wrong(f"steps must be a whole number from 1 to 1000, not {steps!r}")
        number = isinstance(guidance, (int, float)) and not isinstance(guidance, bool)
        if guidance is not None and not (number and 0 <= guidance <= 100):
            raise self.wrong(f"guidance must be a number from 0 to 100, not {guidance!r}")
        kind, colon, digits = str(device).partition(":")
        if kind not in ("auto", "cpu", "cuda") or (colon and (kind != "cuda" or not digits.isdecimal())):
            raise self.wrong(f"device must be auto, cpu, cuda or cuda:N, not {device!r}")
        if not isinstance(model, str) or not model:
            raise self.wrong(f"model must be an id of the hub or a folder, not {model!r}")
        self.steps, self.guidance = steps, None if guidance is None else float(guidance)
        self.pipeline = Pipeline(model, f"method_cfg of {method_id}: model", device)

    def settings(self) -> Mapping[str, Any]:
        """The model's files, all options, the libraries' versions."""
        return {
            "model": self.pipeline.identity, "img_size": list(self.img_size or ()), "steps": self.steps,
            "guidance": self.guidance, "engine": self.pipeline.engine(),
        }  # fmt: skip

    def seed(self, data: TxtSample | ImageTxtSample) -> str:
        """The sample's id and its text.

        Raises:
            MmteError: there is no text.
        """
        if not isinstance(data.text, str) or not data.text.strip():
            which = f"sample '{data.id}'" if data.id else "a sample"
            raise MmteError(f"{self.method_id}: {which} has no text to draw; leave it out or use an unrelated image")
        return f"{data.id}\0{data.text}"

    def draw(self, seed: str) -> Image:
        """The picture of a sample.

        Raises:
            MmteError: the model cannot be had or loaded, or withheld the picture.
        """
        run = self.pipeline.load()
        name, _, prompt = seed.partition("\0")
        start = hashlib.sha256(f"{self.method_id}\0{name or prompt}".encode("utf-8", "surrogatepass")).digest()
        generator = import_module("torch").Generator("cpu").manual_seed(int.from_bytes(start[:8]) >> 1)
        options: dict[str, Any] = {"num_inference_steps": self.steps, "guidance_scale": self.guidance}
        if self.img_size:
            options |= {"height": self.img_size[0], "width": self.img_size[1]}
        given = {name: value for name, value in options.items() if value is not None}
        made = run(prompt, generator=generator, **given)
        if any(getattr(made, "nsfw_content_detected", None) or ()):
            raise MmteError(f"{self.method_id}: the model's safety checker withheld the picture of {prompt!r:.60}")
        image: Image = made.images[0].convert("RGB")
        return image

    def close(self) -> None:
        """Free the model; it is loaded again when a picture is missing."""
        self.pipeline.close()
