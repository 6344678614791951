"""What stands for the labels of a dataset in MultiTrust's reading, from the code of the dataset in a checkout.

`stereo-classification` (f3) is the one dataset whose labels are lists of phrases, any of which will do. A function of
its module turns each label into them: `if label == "...": phrases = [...]`. The module is parsed, never run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError

_MODULES: Final = {"stereo-classification": "mmte/datasets/stereo_classification.py"}
KEY: Final = "phrases"
"""Where a JSON file of lists has them: `{dataset: {label: [phrase, ...]}}` beside its classes."""

Phrases = dict[str, dict[str, tuple[str, ...]]]


def phrases_of(checkout: Path, parse: Callable[[Path], ast.Module]) -> Phrases:
    """The phrases of each dataset whose module a checkout has; none of one of another form.

    Raises:
        MmteError: of `parse`, for a module that cannot be parsed.
    """
    files = {name: checkout / module for name, module in _MODULES.items()}
    found = {name: dict(_branches(parse(file))) for name, file in files.items() if file.is_file()}
    return {name: labels for name, labels in found.items() if labels}


def phrases_in_json(lists: Mapping[str, Any], where: str) -> Phrases:
    """Those of a version in a JSON file.

    Raises:
        MmteError: they are of another form.
    """
    given = lists.get(KEY, {})
    if not isinstance(given, dict) or not all(isinstance(labels, dict) for labels in given.values()):
        raise MmteError(f"{where}: '{KEY}' must map datasets to labels and their lists of phrases")
    found = {name: {label: _texts(texts) for label, texts in labels.items()} for name, labels in given.items()}
    for name, labels in found.items():
        for label, texts in labels.items():
            if not texts:
                raise MmteError(f"{where}: '{KEY}', {name}, {label}: must be a list of phrases")
    return found


def _branches(module: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Label and phrases of each branch `if NAME == "label": NAME = [...]` of the module's functions."""
    for node in ast.walk(module):
        if isinstance(node, ast.If) and (label := _compared(node.test)) is not None:
            values = [statement.value for statement in node.body if isinstance(statement, ast.Assign)]
            if len(values) == 1 and (texts := _literal(values[0])):
                yield label, texts


def _compared(test: ast.expr) -> str | None:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return None
    other = test.comparators[0]
    good = isinstance(test.left, ast.Name) and isinstance(other, ast.Constant) and isinstance(other.value, str)
    return str(other.value) if good and isinstance(other, ast.Constant) else None


def _literal(node: ast.expr) -> tuple[str, ...]:
    try:
        return _texts(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ()


def _texts(value: Any) -> tuple[str, ...]:
    good = isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)
    return tuple(value) if good else ()
