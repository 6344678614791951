"""Image-text models in the manner of CLIP, as an attacker uses them: pictures and texts as vectors."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mmte.errors import MissingExtra, MmteError
from mmte.models.hf_files import Source, fingerprint, read_json
from mmte.models.text import one_line

if TYPE_CHECKING:
    from torch import Tensor

DEFAULT: Final = (
    "openai/clip-vit-large-patch14",
    "laion/CLIP-ViT-B-32-laion2B-s34B-b79K",
    "laion/CLIP-ViT-B-16-laion2B-s34B-b88K",
    "laion/CLIP-ViT-bigG-14-laion2B-39B-b160k",
    "google/siglip-so400m-patch14-384",
)
"""The surrogates of MultiTrust that transformers loads; its sixth (a ConvNeXt CLIP of LAION) it does not."""


class Clip:
    """A model of transformers with an image and a text tower (CLIP, SigLIP and their like), frozen, in float32.

    Args:
        told: a folder with a saved model, an id of the hub, or `id@revision`.
        where: what stands before messages.

    Raises:
        MmteError: it is neither; one line says why.
    """

    def __init__(self, told: str, where: str) -> None:
        target, _, revision = (told, "", "") if Path(told).expanduser().is_dir() else told.partition("@")
        self.source = Source(target, revision, where)
        self.source.check()
        self.name, self._where, self.size = told, where, 0
        self._model: Any = None
        self._device = "cpu"

    @cached_property
    def _folder(self) -> Path:
        return self.source.small_files()

    @cached_property
    def _config(self) -> dict[str, Any]:
        return read_json(self._folder / "config.json")

    @cached_property
    def identity(self) -> dict[str, str]:
        """Commit or digest of the files; nothing is loaded.

        Raises:
            MmteError: the files cannot be had or read.
        """
        return fingerprint(self.source, self._folder)

    def load(self, device: str) -> None:
        """Fetch what is missing and put the weights on the device.

        Raises:
            MissingExtra: torch or transformers is not installed.
            MmteError: the files cannot be had, or are no such model.
        """
        if self._model is not None:
            return
        transformers = _transformers()
        folder = self.source.all_files(self._folder.name)
        try:
            model, info = transformers.AutoModel.from_pretrained(
                folder, dtype="float32", local_files_only=True, output_loading_info=True
            )
        except Exception as error:  # noqa: BLE001  a dozen libraries read these files; what they raise is not ours to know
            raise self._wrong(f"transformers cannot load it: {_said(error)}") from None
        if not hasattr(model, "get_image_features") or not hasattr(model, "get_text_features"):
            kind = type(model).__name__
            raise self._wrong(f"a {kind} has no common space of pictures and texts; name a CLIP or SigLIP")
        if missing := sorted(info["missing_keys"]):
            raise self._wrong(f"the weights lack {len(missing)} tensors, e.g. {missing[0]}; fetch the files again")
        self.size = int(model.config.vision_config.image_size)
        self._model, self._device = model.to(device).eval().requires_grad_(False), device
        self._mean, self._std = (self._channels(name, device) for name in ("image_mean", "image_std"))

    def close(self) -> None:
        """Free the weights."""
        self._model = None

    def embed(self, pictures: Tensor) -> Tensor:
        """Pictures `(n, 3, size, size)` with values from 0 to 1, as unit vectors `(n, d)`."""
        return _unit(self._model.get_image_features(pixel_values=(pictures - self._mean) / self._std))

    def embed_text(self, text: str) -> Tensor:
        """A text as a unit vector `(d,)`.

        Raises:
            MmteError: the tokenizer cannot be loaded.
        """
        longest = int(self._model.config.text_config.max_position_embeddings)
        # SigLIP was trained on texts filled up to their full length.
        padding: Any = "max_length" if "siglip" in str(self._config.get("model_type")) else False
        try:
            tokenizer = _transformers().AutoTokenizer.from_pretrained(self._folder, local_files_only=True)
        except Exception as error:  # noqa: BLE001  as above
            raise self._wrong(f"its tokenizer cannot be loaded: {_said(error)}") from None
        ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=longest, padding=padding).input_ids
        with import_module("torch").no_grad():
            vector: Tensor = _unit(self._model.get_text_features(input_ids=ids.to(self._device)))[0]
        return vector

    def _channels(self, name: str, device: str) -> Tensor:
        """A number for each colour, from the model's own preprocessing."""
        files = [read_json(self._folder / f) for f in ("preprocessor_config.json", "processor_config.json")]
        found = files[0].get(name) or (files[1].get("image_processor") or {}).get(name)
        if not isinstance(found, list) or len(found) != 3:
            raise self._wrong(f"preprocessor_config.json has no {name} of three numbers; fetch the files again")
        tensor: Tensor = import_module("torch").tensor(found, dtype=import_module("torch").float32, device=device)
        return tensor[:, None, None]

    def _wrong(self, what: str) -> MmteError:
        return MmteError(f"{self._where}: {self.name}: {what}")


def _transformers() -> Any:
    try:
        import_module("torch")
        transformers = import_module("transformers")
    except ImportError:
        raise MissingExtra("an adversarial method", "hf", "transformers and torch") from None
    transformers.logging.set_verbosity_error()  # advice and bars would end up between pytest's lines
    transformers.logging.disable_progress_bar()
    return transformers


def _unit(output: Any) -> Tensor:
    vectors: Tensor = output if hasattr(output, "norm") else output.pooler_output
    unit: Tensor = vectors / vectors.norm(dim=-1, keepdim=True)
    return unit


def _said(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}", 160)
