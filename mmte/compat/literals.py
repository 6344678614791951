"""The original's phrase lists, read from where the user has them: a checkout of MMTrustEval, or a JSON file.

A checkout is parsed and never imported or run. Parsing joins adjacent string literals as Python does, so a comma that
is missing in a list of the original is missing here, too.

Source of the layout: github.com/thu-ml/MMTrustEval, `mmte/evaluators/rule_eval.py` (not part of this package).
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from mmte.compat.phrases import phrases_in_json, phrases_of
from mmte.errors import MmteError, near

RULES: Final = "mmte/evaluators/rule_eval.py"
_MOST: Final = 4_000_000  # characters; a file of rules has some thousand
_OPTION: Final = "--mmte-multitrust"
NEEDS: Final = (
    f"--mmte-scoring=multitrust needs MultiTrust's phrase lists: {_OPTION}=DIR (a checkout of MMTrustEval) or {_OPTION}"
    "=FILE (a JSON file of them)"
)


@dataclass(frozen=True, slots=True)
class Literals:
    """The lists of one version of the original, in their order.

    `version` names it for people; `sha256` is a digest of the lists alone, hence the same wherever they were read.
    Values stay texts, as the original compares them. `phrases` has what stands for the labels of a dataset, by its
    name, where the lists have it, as a checkout does.
    """

    version: str
    reject_templates: tuple[str, ...]
    ratings: Mapping[str, str]
    rating_values: tuple[str, ...]
    yes_templates: tuple[str, ...]
    grades: tuple[str, ...]
    answers: Mapping[str, Mapping[str, str]]
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """The digest of the lists."""
        lists = {name: value for name, value in asdict(self).items() if name != "version" and value}
        return hashlib.sha256(json.dumps(lists).encode("ascii")).hexdigest()


PLACEHOLDER: Final = Literals("none", ("a",), {"a": "0"}, ("0",), ("a",), ("0",), {}, defaultdict(dict))
"""Lists of no version, for checking options of evaluators that need some."""


def _texts(value: Any) -> tuple[str, ...] | None:
    good = isinstance(value, (list, tuple)) and value and all(isinstance(v, str) for v in value)
    return tuple(value) if good else None


def _numbers(value: Any) -> tuple[str, ...] | None:
    texts = _texts(value)
    return texts if texts and all(map(_is_number, texts)) else None


def _mapping(value: Any) -> dict[str, str] | None:
    good = isinstance(value, Mapping) and value and all(isinstance(t, str) for pair in value.items() for t in pair)
    return dict(value) if good else None


def _ratings(value: Any) -> dict[str, str] | None:
    found = _mapping(value)
    return found if found and all(map(_is_number, found.values())) else None


def _tables(value: Any) -> dict[str, dict[str, str]] | None:
    if not isinstance(value, Mapping) or not value or not all(isinstance(name, str) for name in value):
        return None
    tables = {name: _mapping(table) for name, table in value.items()}
    return {name: table for name, table in tables.items() if table} if all(tables.values()) else None


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class _Wanted(NamedTuple):
    """A list: the class and the name that it has there, its reader (None: another form), and what it must be."""

    cls: str
    name: str
    read: Callable[[Any], Any]
    form: str


_WANTED: Final = {
    "reject_templates": _Wanted("RejectTemplateEvaluator", "REJECT_TEMPLATES", _texts, "a list of texts"),
    "ratings": _Wanted("MatchAndScoreEvaluator", "kv_mapping", _ratings, "a mapping of texts to numbers in quotes"),
    "rating_values": _Wanted("MatchAndScoreEvaluator", "values", _numbers, "a list of numbers in quotes"),
    "yes_templates": _Wanted("YesOrNoEvaluator", "yes_template", _texts, "a list of texts"),
    "grades": _Wanted("ScoreEvaluator", "values", _numbers, "a list of numbers in quotes"),
    "answers": _Wanted("ContainAdvEvaluator", "answer_mapping", _tables, "a mapping of tasks to answers and classes"),
}


def load_literals(where: str) -> Literals:
    """Read the lists from `DIR`, a checkout of MMTrustEval, or from `FILE` or `FILE#VERSION`.

    A JSON file maps versions to `{class: {list: value}}`; without a VERSION, its first one counts. A file that ends
    in `.py` is read like that of a checkout.

    Raises:
        MmteError: one line that says what is missing or of another form, and where.
    """
    path, version = Path(where), ""
    if not path.exists() and "#" in where:
        name, _, version = where.rpartition("#")
        path = Path(name)
    said = f"{_OPTION}={where}"
    if not path.exists():
        raise MmteError(f"{said}: there is no such file or folder; name a MMTrustEval checkout or a file of its lists")
    rules = path / RULES if path.is_dir() else path
    if path.is_dir() and not rules.is_file():
        raise MmteError(f"{said}: this folder has no {RULES}; name the folder of a MMTrustEval checkout")
    if rules.suffix == ".py":
        if version:
            raise MmteError(f"{said}: only a JSON file has versions, and a checkout is one: leave out #{version}")
        found = _literals("checkout", _Code(_parsed(rules, said)).find, f"{said}: {rules.name}")
        return replace(found, phrases=phrases_of(path, lambda file: _parsed(file, said)) if path.is_dir() else {})
    versions = _versions(rules, said)
    version = version or next(iter(versions))
    if version not in versions:
        raise MmteError(f"{said}: has no version '{version}'.{near(version, versions)}")
    where = f"{said}: version '{version}'"
    found = _literals(version, _in_json(versions[version]), where)
    return replace(found, phrases=phrases_in_json(versions[version], where))


def _literals(version: str, find: Callable[[_Wanted], Iterator[Any]], where: str) -> Literals:
    """All lists; `find` yields what may be one, or raises KeyError where its class is not there."""
    found: dict[str, Any] = {}
    for name, wanted in _WANTED.items():
        try:
            candidates = list(find(wanted))
        except KeyError:
            raise MmteError(f"{where} has no class {wanted.cls}; is it of MMTrustEval?") from None
        if not candidates:
            raise MmteError(f"{where} has no list {wanted.name} of {wanted.cls}; is it of another version?")
        good = [value for candidate in candidates if (value := wanted.read(candidate)) is not None]
        if not good:
            raise MmteError(f"{where}: {wanted.cls}.{wanted.name} must be {wanted.form}, not {candidates[0]!r:.60}")
        found[name] = good[0]
    return Literals(version=version, **found)


# -- JSON ----------------------------------------------------------------------------------------
def _versions(path: Path, said: str) -> dict[str, dict[str, Any]]:
    try:
        document = json.loads(_text(path, said))
    except (ValueError, RecursionError) as error:
        raise MmteError(f"{said}: neither a MMTrustEval checkout nor a JSON file of its lists: {error}") from None
    versions = {k: v for k, v in document.items() if isinstance(v, dict)} if isinstance(document, dict) else {}
    if not versions:
        raise MmteError(f"{said}: a JSON object is needed that maps versions to classes and their lists")
    return versions


def _in_json(classes: Mapping[str, Any]) -> Callable[[_Wanted], Iterator[Any]]:
    def find(wanted: _Wanted) -> Iterator[Any]:
        lists = classes[wanted.cls]
        return iter([lists[wanted.name]] if isinstance(lists, dict) and wanted.name in lists else [])

    return find


# -- Python --------------------------------------------------------------------------------------
def _parsed(path: Path, said: str) -> ast.Module:
    text = _text(path, said)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in somebody else's strings
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MmteError(f"{said}: {path.name} cannot be parsed as Python: {str(error) or 'too deep'}") from None


class _Code:
    """The literals of the classes of a module."""

    def __init__(self, module: ast.Module) -> None:
        self._classes = {node.name: node for node in ast.walk(module) if isinstance(node, ast.ClassDef)}

    def find(self, wanted: _Wanted) -> Iterator[Any]:
        """Every literal that a name gets in a class: as its attribute, in a method, or as a default argument."""
        for value in _assigned(self._classes[wanted.cls], wanted.name):
            for node in ast.walk(value):
                if isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
                    try:
                        yield ast.literal_eval(node)
                    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                        continue  # made by code: no literal


def _assigned(cls: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(cls):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named = {t.id if isinstance(t, ast.Name) else getattr(t, "attr", "") for t in targets}
            if name in named and node.value is not None:
                yield node.value
        elif isinstance(node, ast.arguments):
            given = [*node.posonlyargs, *node.args]
            pairs = [*zip(given[::-1], node.defaults[::-1], strict=False),
                     *zip(node.kwonlyargs, node.kw_defaults, strict=True)]  # fmt: skip
            yield from (default for arg, default in pairs if arg.arg == name and default is not None)


def _text(path: Path, said: str) -> str:
    try:
        if path.stat().st_size > _MOST:
            raise MmteError(f"{said}: {path.name} is too large to be a file of lists")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise MmteError(f"{said}: {path.name} cannot be read: {why}") from None
