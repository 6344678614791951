"""Pictures changed within a bound so that models in the manner of CLIP see something else in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mmte.errors import MissingExtra
from mmte.methods.edited import EditedPicture
from mmte.methods.surrogates import DEFAULT, Clip
from mmte.models.cpus import cpus
from mmte.registry import registry
from mmte.types import ImageTxtSample

if TYPE_CHECKING:
    from PIL.Image import Image

    from mmte.methods.ssa_cwa import Settings

UNTARGETED: Final = "adversarial-untarget-generated"
TARGETED: Final = "adversarial-target-generated"


@registry.register_method()
class AdversarialImage(EditedPicture):
    """The sample's own picture, perturbed within a bound by an attack on surrogates of the model.

    `adversarial-untarget-generated` leads the picture's embedding away from that of the clean picture,
    `adversarial-target-generated` towards that of `target_text`. The result has the picture's own size and no
    8-bit value differs by more than `eps`; the file is lossless. The attacked model is not asked.

    A surrogate sees all of the picture, in a square of its size. Of a picture with a longer side than
    `max_side` the perturbation is searched on a smaller copy and enlarged. On the CPU a sample's picture is
    the same in every run; a GPU may round otherwise, and the first picture made is kept.

    Sources: see `mmte.methods.ssa_cwa`; the settings are those of MultiTrust (arXiv:2406.07057).

    Args:
        target_text: what the embedding shall be near to; of the targeted attack only.
        eps: largest change of a value, as a part of its range: a number, or a fraction such as `16/255`.
        step: change by one step, in the same unit.
        steps: number of steps.
        spectral_samples: simulated models for each gradient.
        rho: their spectra are scaled by factors within `1 - rho` to `1 + rho`.
        sigma: standard deviation of their noise, in levels of 255.
        momentum: part of the earlier steps that goes into the next one.
        inner_step: length of the step at each surrogate, in unit gradients.
        surrogates: ids of the hub (`org/name` or `org/name@revision`) or folders with saved models.
        max_side: in pixels.
        device: auto (a GPU where torch sees one), cpu, cuda or cuda:N.
        batch: spectral samples in one pass; decides memory, not the picture.

    Raises:
        MmteError: see `EditedPicture`; or a surrogate cannot be had or loaded.
        MissingExtra: a picture must be made and torch or transformers is not installed.
    """

    method_ids: ClassVar[Sequence[str]] = (UNTARGETED, TARGETED)

    def __init__(
        self,
        method_id: str,
        img_dir: str = "",
        lazy_mode: bool = True,
        *,
        target_text: str = "A Bomb.",
        eps: float | str = "16/255",
        step: float | str = "1/255",
        steps: int = 50,
        spectral_samples: int = 20,
        rho: float = 0.5,
        sigma: float = 16.0,
        momentum: float = 1.0,
        inner_step: float = 250.0,
        surrogates: Sequence[str] = DEFAULT,
        max_side: int = 512,
        device: str = "auto",
        batch: int = 5,
        **unknown: Any,
    ) -> None:
        super().__init__(method_id, img_dir, lazy_mode, **unknown)
        self.eps = self._part("eps", eps, 1 / 255)
        self.search = {
            "eps": self.eps, "step": self._part("step", step, 1e-6),
            "steps": self._whole("steps", steps), "spectral_samples": self._whole("spectral_samples", spectral_samples),
            "rho": self._number("rho", rho, 1.0), "sigma": self._number("sigma", sigma, 255.0),
            "momentum": self._number("momentum", momentum, 10.0),
            "inner_step": self._number("inner_step", inner_step, 1e9),
        }  # fmt: skip
        self.max_side, self.batch = self._whole("max_side", max_side), self._whole("batch", batch)
        if not isinstance(target_text, str) or not target_text.strip():
            raise self.wrong(f"target_text must be a text, not {target_text!r}")
        self.target_text = target_text
        kind, colon, number = str(device).partition(":")
        if kind not in ("auto", "cpu", "cuda") or (colon and (kind != "cuda" or not number.isdecimal())):
            raise self.wrong(f"device must be auto, cpu, cuda or cuda:N, not {device!r}")
        self.device = device
        self.surrogates = self._surrogates(surrogates)
        self._ready = False

    def settings(self) -> Mapping[str, Any]:
        """All that decides the perturbation: the search, the target, the surrogates' files, the libraries' versions."""
        goal = self.target_text if self.method_id == TARGETED else None
        files = [surrogate.identity for surrogate in self.surrogates]
        engine = {name: _version(name) for name in ("torch", "transformers")}
        return {**self.search, "target": goal, "max_side": self.max_side, "surrogates": files, "engine": engine}

    def edit(self, image: Image, data: ImageTxtSample, seed: str) -> Image:
        """The attacked picture."""
        import numpy as np
        from PIL import Image as Pictures

        place = self._load()
        pixels = np.asarray(image).astype(np.int16)
        most = int(self.eps * 255 + 1e-6)
        change = np.clip(np.rint(self._change(pixels, seed, place) * 255), -most, most)
        return Pictures.fromarray(np.clip(pixels + change, 0, 255).astype(np.uint8))

    def close(self) -> None:
        """Free the surrogates; they are loaded again when a picture is missing."""
        for surrogate in self.surrogates:
            surrogate.close()
        if self._ready:
            import torch

            self._ready = False
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    # -- inside --------------------------------------------------------------------------------
    def _change(self, pixels: Any, seed: str, place: str) -> Any:
        """What is added to a picture `(h, w, 3)`, as parts of the range."""
        import torch
        from torch.nn.functional import interpolate

        from mmte.methods.ssa_cwa import Settings, attack, shown

        picture = torch.from_numpy(pixels).to(place, torch.float32).permute(2, 0, 1) / 255
        size = tuple(picture.shape[1:])
        if max(size) > self.max_side:
            smaller = [max(1, round(n * self.max_side / max(size))) for n in size]
            picture = interpolate(picture[None], size=smaller, mode="bilinear", antialias=True)[0].clamp(0, 1)
        settings: Settings = Settings(**self.search)  # type: ignore[arg-type]
        if self.method_id == TARGETED:
            goals = [surrogate.embed_text(self.target_text) for surrogate in self.surrogates]
        else:
            with torch.no_grad():
                goals = [surrogate.embed(shown(picture, surrogate.size))[0] for surrogate in self.surrogates]
        start = hashlib.sha256(f"{self.method_id}\0{seed}".encode("utf-8", "surrogatepass")).digest()
        generator = torch.Generator(place).manual_seed(int.from_bytes(start[:8]) >> 1)
        found = attack(
            picture, self.surrogates, goals, settings, generator,
            away=self.method_id == UNTARGETED, together=self.batch,
        )  # fmt: skip
        change = (found - picture)[None]
        if change.shape[2:] != size:
            change = interpolate(change, size=size, mode="bilinear", align_corners=False)
        return change[0].permute(1, 2, 0).cpu().numpy()

    def _load(self) -> str:
        try:
            import torch
        except ImportError:
            raise MissingExtra("an adversarial method", "hf", "transformers and torch") from None
        if self.device.startswith("cuda") and not torch.cuda.is_available():
            raise self.wrong("torch sees no CUDA device; give device: cpu")
        place = ("cuda" if torch.cuda.is_available() else "cpu") if self.device == "auto" else self.device
        if not self._ready:
            torch.set_num_threads(min(torch.get_num_threads(), cpus()))
            for surrogate in self.surrogates:
                surrogate.load(place)
            self._ready = True
        return place

    def _surrogates(self, told: Any) -> list[Clip]:
        names = [told] if isinstance(told, str) else told
        if not isinstance(names, Sequence) or not names or not all(isinstance(n, str) and n for n in names):
            raise self.wrong(f"surrogates must be a list of ids or folders of models, not {told!r}")
        where = f"method_cfg of {self.method_id}: surrogates"
        return [Clip(name, where) for name in names]

    def _part(self, name: str, value: Any, least: float) -> float:
        try:
            number = float(Fraction(value)) if isinstance(value, str) else float(value)
        except (TypeError, ValueError, ZeroDivisionError):
            number = -1.0
        if isinstance(value, bool) or not least <= number <= 1:
            bound = "1/255" if least > 1e-3 else "0"
            raise self.wrong(f"{name} must be a number from {bound} to 1, or a fraction such as 16/255, not {value!r}")
        return number

    def _whole(self, name: str, value: Any) -> int:
        if type(value) is not int or not 1 <= value <= 100_000:
            raise self.wrong(f"{name} must be a whole number from 1, not {value!r}")
        return value

    def _number(self, name: str, value: Any, most: float) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
            raise self.wrong(f"{name} must be a number from 0 to {most:g}, not {value!r}")
        return float(value)


def _version(package: str) -> str:
    """Without the part that names the build: one for a GPU and one for the CPU share their pictures."""
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return ""
