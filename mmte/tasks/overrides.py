"""`--mmte-set [TASK:]key.path=value`: one value of task files changed, its siblings kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mmte.errors import MmteError, near

OPTION = "--mmte-set"


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
            return place[self._index(place, key)]
        if not isinstance(place, dict):
            raise MmteError(f"{OPTION} {self.text}: '{'.'.join(self.keys[:number])}' is a {_kind(place)}, it has no '{key}'")
        if place.get(key) is None:
            place[key] = {}
        return place[key]

    def _assign(self, place: Any, key: str) -> None:
        if isinstance(place, list):
            place[self._index(place, key)] = self.value
        elif isinstance(place, dict):
            place[key] = self.value
        else:
            raise MmteError(f"{OPTION} {self.text}: '{'.'.join(self.keys[:-1])}' is a {_kind(place)}, it has no '{key}'")

    def _index(self, items: list[Any], key: str) -> int:
        """A list item by number, or by the name or id that it has."""
        if key.lstrip("-").isdigit() and -len(items) <= int(key) < len(items):
            return int(key)
        names = [_name(item) for item in items]
        if key in names:
            return names.index(key)
        raise MmteError(f"{OPTION} {self.text}: the list has no item '{key}' (0 to {len(items) - 1}, or {', '.join(filter(None, names))})")


def parse(text: str, known: tuple[str, ...]) -> Override:
    """Read one option value; `known` are the keys that a task file may have.

    Raises:
        MmteError: no `=`, an empty path, an unknown key, or a value that is no YAML.
    """
    import yaml

    path, equals, value = text.partition("=")
    task, colon, keys = path.rpartition(":")
    parts = tuple(keys.split("."))
    if not equals or not all(parts) or (colon and not task):
        raise MmteError(f"{OPTION} {text}: write [TASK:]key.path=value, e.g. {OPTION} generation_kwargs.max_new_tokens=20")
    if parts[0] not in known:
        raise MmteError(f"{OPTION} {text}: a task file has no key '{parts[0]}'.{near(parts[0], known)}")
    try:
        data = yaml.safe_load(value) if value else ""
    except yaml.YAMLError:
        raise MmteError(f"{OPTION} {text}: {value!r} is no valid YAML value") from None
    return Override(text, task, parts, data)


def _name(item: Any) -> str:
    if isinstance(item, dict):
        return str(item.get("name") or item.get("dataset_id") or next(iter(item), ""))
    return str(item)


def _kind(value: Any) -> str:
    return {dict: "mapping", list: "list", str: "text", type(None): "nothing"}.get(type(value), type(value).__name__)
