"""Subjective preference: does a model take sides where there is no right side?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from mmte.datasets import rows
from mmte.datasets.readers import Record, content_ids, read_json_records
from mmte.datasets.root import RootDataset
from mmte.datasets.unrelated import KINDS, SUFFIXES, natural_key, pick
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

FILE: Final = "fairness/preference.json"
IMAGES: Final = "fairness/subjective_choice_images"
TYPES: Final = ("plain", "force")
CHOICES: Final = ("choice_a_images", "choice_b_images")
_VARIANTS: Final = ("text", "image", *(f"unrelated-image-{kind}" for kind in KINDS))
_EXPECTED: Final = 120


@registry.register_dataset()
class SubPreference(RootDataset):
    """Questions that ask the model to prefer one of two options; the prompt is used as it is.

    * `subjective-preference-plain-*` asks for a choice with reasons, `-force-*` for one letter only.
    * `-text`: `fairness/preference.json`, records with `prompt`, and `type` (TrustLLM) or `topic` (MultiTrust). Without
      `type` the first half is plain and the second half is force. Question i of both halves is about the same
      choice, so that they share cluster and group. The topic is the subset; one without takes that of the other half.
    * `-image`: with the picture of one of the two options: file i (in natural order) of
      `fairness/subjective_choice_images/choice_a_images` or `choice_b_images`; which of the two is decided by the
      choice itself, so that plain and force show the same one, whatever the model and run.
    * `-unrelated-image-{color,nature,noise}`: with an image of `unrelated_images/`, chosen by the sample's id.

    There is no target: an evaluator looks for a reply that declines to choose.

    Source: TrustLLM (Huang et al. 2024, MIT licence); variants with images: MultiTrust (Zhang et al. 2024,
    arXiv:2406.07057), task F.7.

    Raises:
        DataMissing: the questions, or the folders of their pictures, are not under the data root.
        MmteError: an unknown type, halves that do not match, or not one picture for each question and option.
    """

    dataset_ids = tuple(f"subjective-preference-{kind}-{variant}" for kind in TYPES for variant in _VARIANTS)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        if not self.is_mini:
            self.expected = _EXPECTED
        kind, _, variant = dataset_id.removeprefix("subjective-preference-").partition("-")
        halves = read_halves(self.files.text(FILE, f"trustllm/{FILE}", name="preference.json"))
        pairs = content_ids("preference", (record["prompt"] for record in halves["plain"]))
        topics = [topic_of(halves, at, kind) for at in range(len(pairs))]
        images = self._images(variant, pairs)
        for at, (record, pair) in enumerate(zip(halves[kind], pairs, strict=True)):
            fields = {"id": f"{pair}-{kind}", "subset": topics[at], "cluster": pair, "group": pair}
            if images:
                self.dataset.append(ImageTxtSample(image_path=str(images[at]), text=record["prompt"], **fields))
            else:
                self.dataset.append(TxtSample(text=record["prompt"], **fields))

    def _images(self, variant: str, pairs: list[str]) -> list[Path]:
        """The image of each question; empty where the questions are in words alone."""
        if variant == "text":
            return []
        if variant == "image":
            pools = [self._choices(choice, len(pairs)) for choice in CHOICES]
            return [pick([pool[at] for pool in pools], pair, "choice") for at, pair in enumerate(pairs)]
        kind = variant.removeprefix("unrelated-image-")
        pool = rows.unrelated(self.files, kind)
        return [pick(pool, pair, kind) for pair in pairs]

    def _choices(self, choice: str, count: int) -> list[Path]:
        """The pictures of the first or second options, one for each question."""
        relative = f"{IMAGES}/{choice}"
        folder = self.files.root.path(relative, dataset=self.dataset_id)
        if not folder.is_dir():
            raise MmteError(f"{self.dataset_id}: {folder} is not a folder; put the pictures of the options into one")
        names = [p.name for p in folder.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith(".")]
        if len(names) != count:
            raise MmteError(
                f"{self.dataset_id}: {folder} has {len(names)} images for {count} questions; one for each is needed"
            )
        for name in names:
            self.files.note(f"{choice}/{name}")
        return [self.files.image(f"{relative}/{name}") for name in sorted(names, key=natural_key)]


def read_halves(path: Path) -> dict[str, list[Record]]:
    """The plain and the forced questions, of which question i is about the same choice."""
    records = read_json_records(path, ("prompt",))
    halves: dict[str, list[Record]] = {kind: [] for kind in TYPES}
    typed = any("type" in record for record in records)
    for at, record in enumerate(records):
        where = rows.place(path, at)
        record["prompt"] = rows.text(record["prompt"], where, "prompt")
        kind = TYPES[at >= len(records) / 2]
        if typed:
            kind = rows.one_of(record.get("type"), where, "type", TYPES)
        if record.get("topic") is not None:
            record["topic"] = rows.text(record["topic"], where, "topic")
        halves[kind].append(record)
    plain, force = (len(halves[kind]) for kind in TYPES)
    if plain != force:
        raise MmteError(f"{path}: has {plain} plain and {force} force questions; one of each belongs to every choice")
    for at, (one, other) in enumerate(zip(halves["plain"], halves["force"], strict=True)):
        for key in ("option_a", "option_b"):
            if one.get(key) != other.get(key):
                raise MmteError(f"{path}: question {at + 1} has two versions of '{key}'; sort plain and force alike")
    return halves


def topic_of(halves: dict[str, list[Record]], at: int, kind: str) -> str:
    """The topic of a question of a kind, or else of its other version; empty: TrustLLM has none."""
    order = [kind, *(other for other in TYPES if other != kind)]
    return next((str(halves[half][at]["topic"]) for half in order if halves[half][at].get("topic")), "")
