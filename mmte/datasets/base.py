"""What a dataset is: a map from an index to a sample, with a digest of the files that were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from mmte.errors import MmteError, near
from mmte.types import ImageTxtSample, TxtSample

__all__ = ["BaseDataset", "ImageTxtSample", "TxtSample", "collate_fn"]


def collate_fn(batch_data: Iterable[TxtSample | ImageTxtSample]) -> list[dict[str, Any]]:
    """Samples to `{"message", "target", "extra"}` with one user message each.

    The content of a message is a text, or `{"image_path", "text"}`.

    Raises:
        TypeError: something that is neither `TxtSample` nor `ImageTxtSample`.
    """
    out = []
    for data in batch_data:
        if isinstance(data, ImageTxtSample):
            content: Any = {"image_path": data.image_path, "text": data.text}
        elif isinstance(data, TxtSample):
            content = data.text
        else:
            raise TypeError(f"a dataset must yield TxtSample or ImageTxtSample, not {type(data).__name__}")
        out.append({"message": [{"role": "user", "content": content}], "target": data.target, "extra": data.extra})
    return out


class BaseDataset:
    """Base class of datasets; map-style, so that anything with `__len__` and `__getitem__` can read it.

    A subclass fills `self.dataset` with `TxtSample`s or `ImageTxtSample`s. `data_root` is the folder
    of `--mmte-data` (None: the mini data of the package).

    Args:
        dataset_id: one of `dataset_ids`.
        method_hook: a method that every sample passes through when it is read.

    Raises:
        MmteError: `dataset_id` is not one of the class's.
    """

    dataset_id: str = ""
    dataset_ids: ClassVar[Sequence[str]] = ()
    dataset_config: Any = ""
    languages: ClassVar[Sequence[str]] = ()
    expected: int | None = None
    """How many samples the publication has; shown beside the number found when it differs."""

    def __init__(self, dataset_id: str, method_hook: Any = None, **kwargs: Any) -> None:
        if dataset_id not in self.dataset_ids:
            raise MmteError(
                f"{type(self).__name__} has no dataset '{dataset_id}'.{near(dataset_id, self.dataset_ids)}"
            )
        self.dataset_id = dataset_id
        self.method_hook = method_hook
        self.dataset: list[Any] = []

    def __getitem__(self, index: int) -> Any:
        sample = self.dataset[index]
        return self.method_hook.run(sample) if self.method_hook is not None else sample

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            yield self[index]

    @property
    def is_mini(self) -> bool:
        """Whether the samples are mini data, whose numbers are labelled so."""
        return False

    def digest(self) -> str:
        """A digest of the files read: the data's part of a result's identity; empty: of the samples."""
        return ""
