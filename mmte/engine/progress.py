"""What the engine tells whoever watches it."""

from __future__ import annotations


class Progress:
    """Told what is going on; a subclass shows it."""

    def start(self, case: str, expected: int) -> None:
        """An item begins to need `expected` answers of its model."""

    def advance(self, model: str, n: int) -> None:
        """A model has given, or the cache had, `n` more answers."""
