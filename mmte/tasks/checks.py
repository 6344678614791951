"""What every part of a task file is checked with: a message has file, line and key, and a near name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from mmte.errors import MmteError, near
from mmte.tasks.yamlfile import Document, Where

_NAME = re.compile(r"[\w.+-]+")


class Checks:
    """One document and the checks of its places; `where` is the path of keys to a place."""

    def __init__(self, document: Document) -> None:
        self.doc = document
        self.data: dict[Any, Any] = document.data

    def origin(self, where: Where, *keys: str) -> Where:
        """Where a value stands that a dataset (at `where`) has of its own or shares with the whole task."""
        own, shared = (*where, *keys), tuple(keys)
        return shared if own not in self.doc.lines and shared[:1] in self.doc.lines else own

    def known(self, where: Where, mapping: Mapping[Any, Any], known: Collection[str]) -> None:
        """Refuse keys that do not exist."""
        for key in mapping:
            if key not in known:
                raise self.doc.error((*where, str(key)), f"unknown key '{key}'.{near(key, known)}")

    def one_of(self, where: Where, value: Any, known: Collection[str]) -> Any:
        """One of a few words."""
        if value not in known:
            what = "is missing" if value is None else f"cannot be {value!r}"
            raise self.doc.error(where, f"{what}: one of {', '.join(known)}.{near(value, known) if value else ''}")
        return value

    def text(self, where: Where, value: Any) -> None:
        """A text."""
        if not isinstance(value, str):
            raise self.doc.error(where, f"must be a text, not {value!r}")

    def texts(self, where: Where, value: Any) -> None:
        """A text or a list of them."""
        for number, item in enumerate(value) if isinstance(value, list) else [(-1, value)]:
            self.text((*where, number) if number >= 0 else where, item)

    def name(self, where: Where, value: Any) -> str:
        """A name that `-k` and file systems take."""
        if isinstance(value, bool):
            why = "YAML reads yes, no, on and off as true and false, so quote them"
            raise self.doc.error(where, f"{value} is no name: {why}")
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise self.doc.error(where, f"{value!r} is no name: a text of letters, digits and _ . + - only")
        return value

    def mapping(self, where: Where, value: Any, what: str = "a mapping") -> dict[Any, Any]:
        """A mapping; nothing is an empty one."""
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.doc.error(where, f"must be {what}, not {value!r}")
        return value

    def items(self, where: Where, value: Any, what: str) -> list[Any]:
        """A list with something in it."""
        if not isinstance(value, list) or not value:
            raise self.doc.error(where, f"must be a list with at least one {what}")
        return value

    def checked(self, where: Where, check: Callable[..., Any], *args: Any) -> Any:
        """What `check(*args)` returns; its MmteError gets file, line and key."""
        try:
            return check(*args)
        except MmteError as error:
            raise self.doc.error(where, str(error)) from None
