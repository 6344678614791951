"""YAML with the line of every key, so that a message can point at it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from mmte.errors import MmteError

Where = tuple[str | int, ...]
MAX_DEPTH: Final = 50
"""Levels of nesting; the parser's own stack ends far beyond it."""
MAX_NODES: Final = 100_000
"""Values in a file, aliases counted each time, so that a small file cannot fill the memory."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TEXTS = tuple(f"{_TAG}{name}" for name in ("str", "timestamp", "value"))  # dates stay texts: the data is plain JSON
_SCALARS = tuple(f"{_TAG}{name}" for name in ("null", "bool", "int", "float"))


@dataclass(slots=True)
class Document:
    """Plain data and, for each place in it, the line it stands on (from 1)."""

    path: Path
    data: Any
    lines: dict[Where, int] = field(default_factory=dict)

    def error(self, where: Where, message: str) -> MmteError:
        """An error that names file, line and key."""
        at: Where = where
        while at and at not in self.lines:
            at = at[:-1]
        key = ".".join(map(str, where))
        return MmteError(f"{self.path}:{self.lines.get(at, 1)}: {f'{key}: ' if key else ''}{message}")


def load(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        MmteError: it cannot be read, is no YAML, or has a key twice; file and line are named.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MmteError(f"{path}: cannot be read: {error}") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Document:
    """Read YAML; `path` is what messages call it. Errors as in `load`."""
    document = Document(path, None)
    try:
        _check_size(text, path)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is not None:
                document.data = _Builder(loader, document).build(node, ())
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        hint = _hint("".join(text.split("\n")[line - 1 : line]))
        raise MmteError(f"{path}:{line}: no valid YAML: {error.problem or error.context}{hint}") from None
    except yaml.reader.ReaderError as error:
        line = text.encode("utf-8", "replace")[: error.position].count(b"\n") + 1
        raise MmteError(f"{path}:{line}: no valid YAML: a control character ({error.reason})") from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise MmteError(f"{path}: no valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise MmteError(f"{path}: no valid YAML: something contains itself") from None
    return document


def _hint(line: str) -> str:
    """What is often wrong with a line that is no YAML."""
    if "\t" in line:
        return " (a tab: YAML indents with spaces)"
    return " (quote a text that begins with >)" if re.search(r":\s+>", line) else ""


def _check_size(text: str, path: Path) -> None:
    """Refuse what would overflow the parser's stack, before it builds anything."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise MmteError(f"{path}:{line}: nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Builder:
    """Nodes to plain data: mappings, lists, texts, numbers, true and false, null."""

    def __init__(self, loader: Any, document: Document) -> None:
        self._loader, self._document = loader, document
        self._left = MAX_NODES
        self._open: set[int] = set()
        self._merged: set[int] = set()

    def build(self, node: Any, where: Where) -> Any:
        line = node.start_mark.line + 1
        self._document.lines.setdefault(where, line)
        self._left -= 1
        if self._left < 0:
            raise self._error(node, f"more than {MAX_NODES} values, those of aliases counted each time")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._open:
            raise self._error(node, "an alias that contains itself")
        self._open.add(id(node))
        if isinstance(node, yaml.MappingNode):
            self._expect(node, "map")
            built: Any = self._mapping(node, where)
        else:
            self._expect(node, "seq")
            built = [self.build(item, (*where, number)) for number, item in enumerate(node.value)]
        self._open.discard(id(node))
        return built

    def _mapping(self, node: Any, where: Where) -> dict[Any, Any]:
        if id(node) not in self._merged:  # merging (<<) changes the node, once
            self._merged.add(id(node))
            self._refuse_twice(node)
            self._loader.flatten_mapping(node)
        out: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self._scalar(key_node)
            at = (*where, str(key))
            self._document.lines[at] = key_node.start_mark.line + 1
            out[key] = self.build(value_node, at)
        return out

    def _refuse_twice(self, node: Any) -> None:
        first: dict[Any, int] = {}
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "a key must be a name")
            if key_node.tag == f"{_TAG}merge":
                continue
            key, line = self._scalar(key_node), key_node.start_mark.line + 1
            if key in first:
                raise self._error(key_node, f"'{key}' stands here a second time (first in line {first[key]})")
            first[key] = line

    def _scalar(self, node: Any) -> Any:
        if node.tag in _TEXTS:
            return node.value
        if node.tag not in _SCALARS:
            raise self._error(node, f"the tag '{node.tag.replace(_TAG, '!!')}' has no place in a task file")
        try:
            return self._loader.construct_object(node)
        except (ValueError, KeyError):
            raise self._error(node, f"{node.value!r} is no {node.tag.removeprefix(_TAG)}") from None

    def _expect(self, node: Any, kind: str) -> None:
        if node.tag != f"{_TAG}{kind}":
            raise self._error(node, f"the tag '{node.tag.replace(_TAG, '!!')}' has no place in a task file")

    def _error(self, node: Any, message: str) -> MmteError:
        return MmteError(f"{self._document.path}:{node.start_mark.line + 1}: {message}")
