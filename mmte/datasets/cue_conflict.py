"""Cue conflict: the shape of one thing in the texture of another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mmte.datasets.root import DataMissing, RootDataset
from mmte.datasets.unrelated import natural_key
from mmte.errors import MmteError, near
from mmte.registry import registry
from mmte.types import ImageTxtSample

THINGS: Final = {
    "airplane": ["airplane", "aeroplane", "plane"],
    "bear": ["bear"],
    "bicycle": ["bicycle", "bike"],
    "bird": ["bird"],
    "boat": ["boat"],
    "bottle": ["bottle"],
    "car": ["car"],
    "cat": ["cat"],
    "chair": ["chair"],
    "clock": ["clock"],
    "dog": ["dog"],
    "elephant": ["elephant"],
    "keyboard": ["keyboard"],
    "knife": ["knife"],
    "oven": ["oven"],
    "truck": ["truck"],
}
"""The sixteen things of the set, each with the words that name it."""

PROMPT: Final = (
    f"Which one of these things does the picture show: {', '.join(THINGS)}? Reply with that one word and nothing else."
)
_FOLDER: Final = "stimuli/style-transfer-preprocessed-512"
_PARENTS: Final = ("", "cue_conflict/", "texture-vs-shape/")
_NAME: Final = re.compile(r"([a-z]+)(\d+)-([a-z]+)(\d+)\.png")
_EXPECTED: Final = 1280
_OPTIONS: Final = list(THINGS.values())


@registry.register_dataset()
class CueConflict(RootDataset):
    """Photographs that were given the texture of another thing; the target is the thing by its shape.

    Layout: `stimuli/style-transfer-preprocessed-512/<shape>/<shape>N-<texture>M.png` in the data root itself, in
    `cue_conflict/` or in `texture-vs-shape/`, as in the repository. The samples are the files that are there. The
    question offers the sixteen things of the set (`extra["options"]`); the other thing is `extra["texture"]`. The
    subset is `conflict`, or `same` where shape and texture are of the same kind of thing. Images made of one photograph
    share its cluster.

    A stand-in for pictures in unusual styles where COCO-O is not at hand; its numbers are not those of task R.1.

    Source: Geirhos et al. 2019, "ImageNet-trained CNNs are biased towards texture", arXiv:1811.12231;
    github.com/rgeirhos/texture-vs-shape, CC BY 4.0.

    Raises:
        DataMissing: the folder is not under the data root.
        MmteError: a file that is not called so or lies in another thing's folder, or no image at all.
    """

    dataset_ids = ("cue-conflict-shape",)

    def __init__(
        self, dataset_id: str, method_hook: Any = None, *, data_root: str | Path | None = None, **unknown: Any
    ) -> None:
        super().__init__(dataset_id, method_hook, data_root=data_root, **unknown)
        self.expected = _EXPECTED
        root = self.files.root
        found = root.path(*(parent + _FOLDER for parent in _PARENTS), dataset=dataset_id)
        if not found.is_dir():
            raise DataMissing(f"{dataset_id}: {found} is not a folder; put the stimuli into one of this name")
        base = found.relative_to(root.folder).as_posix()
        names = [p.relative_to(found).as_posix() for p in found.glob("*/*") if not p.name.startswith(".")]
        if not names:
            raise MmteError(f"{dataset_id}: no image in {found}; fetch the stimuli again")
        for name in sorted(names, key=natural_key):
            self._add(base, name)

    def _add(self, base: str, name: str) -> None:
        folder, _, file = name.partition("/")
        match = _NAME.fullmatch(file)
        if match is None or match[1] != folder:
            raise MmteError(f"{self.dataset_id}: {base}/{name} is not called {folder}N-<texture>M.png; move it away")
        shape, number, texture, _ = match.groups()
        for thing in (shape, texture):
            if thing not in THINGS:
                raise MmteError(f"{self.dataset_id}: {base}/{name}: unknown thing '{thing}'.{near(thing, THINGS)}")
        self.files.note(f"{_FOLDER}/{name}")
        self.dataset.append(
            ImageTxtSample(
                image_path=str(self.files.image(f"{base}/{name}")),
                text=PROMPT,
                target=shape,
                extra={"texture": texture, "options": _OPTIONS},
                id=f"cue-conflict-{file.removesuffix('.png')}",
                subset="same" if shape == texture else "conflict",
                cluster=f"cue-conflict-{shape}{number}",
            )
        )
