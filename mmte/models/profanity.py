"""A toxicity scorer that needs no network: `profanity:`.

Source: alt-profanity-check (MIT), the maintained form of V. Zhou's profanity-check: a linear support vector machine
with calibrated probabilities over word counts (tf-idf), trained on 200,000 English texts that people labelled. How
well it does is in docs/calibration-toxicity.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, Self

from mmte.errors import MissingExtra, MmteError
from mmte.models.base import BaseChat
from mmte.models.hf_device import version_of
from mmte.models.scores import EMPTY, TOXIC, scored, text_of, unscored
from mmte.models.spec import ModelSpec
from mmte.models.wire import check_request
from mmte.registry import registry
from mmte.types import Request, Response

_PACKAGE: Final = "alt-profanity-check"
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@registry.register_backend()
class Profanity(BaseChat):
    """Scores texts on the CPU, thousands a second; an answer is `{"toxic": probability}` as JSON.

    A text is scored sentence by sentence and gets the largest probability. The scorer weighs words against all others
    of a text, so that over a whole text a few harmless sentences would hide what stands beside them.

    It knows words, and English ones: of a threat or an attack in polite words it sees nothing. So its scores stand
    beside published ones (of Perspective) only by their order.
    """

    backend_ids = ("profanity",)
    kinds = frozenset({"classify"})
    supports = frozenset()
    device: Literal["none", "cpu", "gpu"] = "none"
    batch_size = 512

    def __init__(self, name: str, where: str = "") -> None:
        super().__init__(name)
        self._where = where or f"--model {name}"
        self._scorer: Any = None

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> Self:
        """Build from `profanity:`; there is nothing to choose.

        Raises:
            MmteError: something behind the colon.
        """
        spec.check_options()
        if spec.target:
            raise MmteError(f"{spec.where}: the form is profanity: with nothing behind, not {spec.target!r:.60}")
        return cls(spec.name, spec.where)

    @cached_property
    def _identity(self) -> dict[str, Any]:
        found = find_spec("profanity_check")
        if found is None or not found.submodule_search_locations:
            raise MissingExtra("a profanity: model", "toxicity", _PACKAGE)
        total = hashlib.sha256()
        for path in sorted(Path(found.submodule_search_locations[0]).glob("data/*.joblib")):
            total.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        engine = {name: version_of(name) for name in (_PACKAGE, "scikit-learn")}
        return {"backend": "profanity", "files": total.hexdigest(), "sentences": 1, "engine": engine}

    def identity(self) -> Mapping[str, Any]:
        """The package's files and versions, and how texts are cut.

        Raises:
            MissingExtra: alt-profanity-check is not installed.
        """
        return self._identity

    def load(self) -> None:
        """Load the scorer.

        Raises:
            MissingExtra: alt-profanity-check is not installed.
        """
        if self._scorer is None:
            try:
                self._scorer = import_module("profanity_check")
            except ImportError:
                raise MissingExtra("a profanity: model", "toxicity", _PACKAGE) from None

    def close(self) -> None:
        """Nothing is held that must be freed."""
        self._scorer = None

    def generate(self, requests: Iterable[Request]) -> Iterator[list[tuple[Request, Response]]]:
        """One list, in the order of the requests.

        Raises:
            MmteError: a setting that is not supported, or an image.
        """
        todo, who = list(requests), f"{self._where} (profanity)"
        for request in todo:
            check_request(request, kinds=self.kinds, supports=self.supports, who=who)
        parts = [sentences(text_of(request, who)) for request in todo]
        self.load()
        flat = [sentence for part in parts for sentence in part]
        found = iter(self._scorer.predict_prob(flat).tolist() if flat else ())
        yield [(r, self._response([next(found) for _ in part])) for r, part in zip(todo, parts, strict=True)]

    def _response(self, found: list[float]) -> Response:
        if not found:
            return unscored(EMPTY, self.model_id)
        return scored({TOXIC: round(max(found), 5)}, self.model_id)


def sentences(text: str) -> list[str]:
    """The sentences of a text, as full stops, other marks of that kind and new lines part them."""
    return [part for part in _SENTENCE.split(text) if part.strip()]
