"""What a method is: it turns one sample into another, usually by giving it a picture."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from mmte.errors import MmteError, near


class BaseMethod:
    """Base class of methods (dataset hooks).

    Args:
        method_id: one of `method_ids`.
        img_dir: folder for the pictures that the method makes.
        lazy_mode: reuse a picture that is there already.

    Raises:
        MmteError: `method_id` is not one of the class's.
    """

    method_id: str = ""
    method_ids: ClassVar[Sequence[str]] = ()

    def __init__(self, method_id: str, img_dir: str = "", lazy_mode: bool = True, **kwargs: Any) -> None:
        if method_id not in self.method_ids:
            raise MmteError(f"{type(self).__name__} has no method '{method_id}'.{near(method_id, self.method_ids)}")
        self.method_id = method_id
        self.lazy_mode = lazy_mode
        self.img_dir = img_dir
        if img_dir:
            Path(img_dir).mkdir(parents=True, exist_ok=True)

    def run(self, data: Any) -> Any:
        """The sample that takes the place of `data`."""
        raise NotImplementedError(f"{type(self).__name__}.run")

    def hash(self, to_hash_str: str, **kwargs: Any) -> str:
        """A name for what is made from a text; covers the method and its settings."""
        return hashlib.sha256(f"{self.method_id}\0{to_hash_str}".encode("utf-8", "surrogatepass")).hexdigest()

    def __call__(self, data: Any, **kwargs: Any) -> Any:
        return self.run(data, **kwargs)
