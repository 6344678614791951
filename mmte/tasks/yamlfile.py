"""YAML with the line of every key, so that a message can point at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mmte.errors import MmteError

Where = tuple[str | int, ...]
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
    document = Document(path, None)
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is not None:
            document.data = _plain(loader, node, (), document)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise MmteError(f"{path}:{line}: no valid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise MmteError(f"{path}: no valid YAML: {' '.join(str(error).split())}") from None
    finally:
        loader.dispose()
    return document


def _plain(loader: Any, node: Any, where: Where, document: Document) -> Any:
    document.lines.setdefault(where, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        out: dict[Any, Any] = {}
        loader.flatten_mapping(node)
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            if isinstance(key, (list, dict)):
                raise document.error(where, "a key must be a name")
            at = (*where, str(key))
            if key in out:
                line = key_node.start_mark.line + 1
                raise MmteError(f"{document.path}:{line}: '{key}' stands here a second time (first in line {document.lines[at]})")
            document.lines[at] = key_node.start_mark.line + 1
            out[key] = _plain(loader, value_node, at, document)
        return out
    if isinstance(node, yaml.SequenceNode):
        return [_plain(loader, item, (*where, number), document) for number, item in enumerate(node.value)]
    return loader.construct_object(node, deep=True)
