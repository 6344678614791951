"""`--mmte-set [TASK:]key.path=value`: one value of task files changed, its siblings kept."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmte.errors import MmteError, near

OPTION = "--mmte-set"
_NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Override:
    """One `--mmte-set`: `task` is empty for all task files; `keys` the path; `value` plain YAML data."""

    text: str
    task: str
    keys: tuple[str, ...]
    value: Any

    def apply(self, task: str, data: dict[str, Any]) -> None:
        """Change `data` in place, when it is this override's task.

        Raises:
            MmteError: the path leads through something that is neither a mapping nor a list item.
        """
        if self.task and self.task != task:
            return
        place: Any = data
        for number, key in enumerate(self.keys[:-1]):
            place = self._step(place, key, number)
        self._assign(place, self.keys[-1])

    def _step(self, place: Any, key: str, number: int) -> Any:
        if isinstance(place, list):
            return place[self._index(place, key, number)]
        if not isinstance(place, dict):
            raise self._no_way(place, key, number)
        if place.get(key) is None:
            place[key] = {}
        return place[key]

    def _assign(self, place: Any, key: str) -> None:
        value = deepcopy(self.value)  # one override serves many files, and a later one may change what this one set
        if isinstance(place, list):
            place[self._index(place, key, len(self.keys) - 1)] = value
        elif isinstance(place, dict):
            place[key] = value
        else:
            raise self._no_way(place, key, len(self.keys) - 1)

    def _index(self, items: list[Any], key: str, number: int) -> int:
        """A list item by number, or by the name or id that it has."""
        if _NUMBER.fullmatch(key) and -len(items) <= int(key) < len(items):
            return int(key)
        names = [_name(item) for item in items]
        if key in names:
            return names.index(key)
        there = f"0 to {len(items) - 1}, or {', '.join(filter(None, names))}" if items else "it is empty"
        raise MmteError(f"{OPTION} {self.text}: the list '{self._path(number)}' has no item '{key}' ({there})")

    def _no_way(self, place: Any, key: str, number: int) -> MmteError:
        return MmteError(f"{OPTION} {self.text}: '{self._path(number)}' is {_kind(place)}, it has no '{key}'")

    def _path(self, number: int) -> str:
        return ".".join(self.keys[:number])


def parse(text: str, known: tuple[str, ...]) -> Override:
    """Read one option value; `known` are the keys that a task file may have.

    Raises:
        MmteError: no `=`, an empty path, an unknown key, or a value that is no YAML.
    """
    from mmte.tasks.yamlfile import parse as parse_yaml

    path, equals, value = text.partition("=")
    task, colon, keys = path.rpartition(":")
    parts = tuple(keys.split("."))
    if not equals or not all(parts) or (colon and not task):
        example = f"{OPTION} generation_kwargs.max_new_tokens=20"
        raise MmteError(f"{OPTION} {text}: write [TASK:]key.path=value, e.g. {example}")
    if parts[0] not in known:
        raise MmteError(f"{OPTION} {text}: a task file has no key '{parts[0]}'.{near(parts[0], known)}")
    try:
        data = parse_yaml(value, Path(OPTION)).data if value else ""
    except MmteError:
        raise MmteError(f"{OPTION} {text}: {value!r} is no valid YAML value") from None
    return Override(text, task, parts, data)


def _name(item: Any) -> str:
    if isinstance(item, dict):
        return str(item.get("name") or item.get("dataset_id") or next(iter(item), ""))
    return str(item)


def _kind(value: Any) -> str:
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)
