"""How many answers an item took: asked and taken from the cache, of its model and of its judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mmte.engine.answers import Answers


class Effort:
    """Counts from now on what is asked for one item.

    Args:
        answers: the door.
        early: by model, what was asked for this item in phases before it. It comes from the cache now, and counts as
            asked.
    """

    def __init__(self, answers: Answers, early: Mapping[str, int]) -> None:
        self._answers, self._early = answers, Counter(early)
        self._asked, self._cached = Counter(answers.asked_of), Counter(answers.cached_of)

    def counts(self, model: str, judged: bool) -> dict[str, int]:
        """`asked` and `cached` of the model; of all others `judge_asked` and `judge_cached`, where it is judged."""
        asked = self._answers.asked_of - self._asked + self._early
        cached = self._answers.cached_of - self._cached - self._early
        own = {"asked": asked.pop(model, 0), "cached": cached.pop(model, 0)}
        return own | {"judge_asked": asked.total(), "judge_cached": cached.total()} if judged else own
