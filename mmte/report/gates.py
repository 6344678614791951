"""Limits on scores: from task files, and from the TOML file of `--mmte-gates`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate
from pathlib import Path
from re import compile as pattern
from typing import Any

from mmte.errors import MmteError, near
from mmte.report.limits import Limit

KEYS = ("case", "metric", "subset", "require", "known_bad")
_HEAD = re.compile(r"\s*\[\[\s*gate\s*]]")


@dataclass(frozen=True, slots=True)
class Gate:
    """One limit: `case` is a case id in which `*` and `?` are wildcards (brackets are not).

    `place` is the option, file and line that it comes from.
    """

    case: str
    metric: str
    limit: Limit
    subset: str = ""
    known_bad: str = ""
    place: str = field(default="", compare=False)

    def covers(self, case: str) -> bool:
        """Whether the gate speaks of a case."""
        return pattern(translate(self.case.replace("[", "[[]"))).fullmatch(case) is not None


def load_gates(path: Path) -> list[Gate]:
    """Read `[[gate]]` tables: `case`, `metric`, `require`, and perhaps `subset` and `known_bad` (a reason).

    Raises:
        MmteError: the file cannot be read, or a gate is malformed; the gate is named by its number.
    """
    where = f"--mmte-gates={path}"
    try:
        text = path.read_text("utf-8")
        data = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise MmteError(f"{where}: cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise MmteError(f"{where}: no valid TOML: {error}") from None
    for key in data:
        if key != "gate":
            raise MmteError(f"{where}: unknown table '{key}'; gates are written as [[gate]]")
    if not isinstance(data.get("gate", []), list):
        raise MmteError(f"{where}: write [[gate]] with two brackets")
    found = [_gate(f"{where}: gate {number}", entry) for number, entry in enumerate(data.get("gate", []), 1)]
    lines = [n for n, line in enumerate(text.splitlines(), 1) if _HEAD.match(line)]
    if len(lines) != len(found):  # written in another way, e.g. as a list of tables
        return found
    return [replace(gate, place=f"{where}:{line}") for gate, line in zip(found, lines, strict=True)]


def _gate(where: str, entry: Any) -> Gate:
    if not isinstance(entry, dict):
        raise MmteError(f"{where}: write [[gate]] and a line for each of {', '.join(KEYS)}")
    for key, value in entry.items():
        if key not in KEYS:
            raise MmteError(f"{where}: unknown key '{key}'.{near(key, KEYS)}")
        if not isinstance(value, str):
            raise MmteError(f"{where}: {key} must be a text")
    for key in ("case", "metric", "require"):
        if not entry.get(key):
            raise MmteError(f"{where}: '{key}' is missing")
    try:
        limit = Limit.parse(entry["require"])
    except MmteError as error:
        raise MmteError(f"{where}: require: {error}") from None
    return Gate(entry["case"], entry["metric"], limit, entry.get("subset", ""), entry.get("known_bad", ""), where)


def gates_of(record: Mapping[str, Any], gates: Iterable[Gate]) -> list[Gate]:
    """The limits of one result: those of its task file (`metric` or `metric/subset`), then those of the gates file."""
    own = []
    for name, rule in (record.get("thresholds") or {}).items():
        metric, _, subset = name.partition("/")
        own.append(Gate(record["case"], metric, Limit.parse(rule), subset))
    return own + [gate for gate in gates if gate.covers(record["case"])]


def violations(estimates: Sequence[Mapping[str, Any]], gates: Iterable[Gate]) -> list[tuple[str, str]]:
    """One `(what is wrong, why it is known)` for each limit that does not hold."""
    by_name = {(e["metric"], e["subset"]): e for e in estimates}
    bad = []
    for gate in gates:
        name = gate.metric + (f"/{gate.subset}" if gate.subset else "")
        e = by_name.get((gate.metric, gate.subset))
        if e is None:
            known = ", ".join(m + (f"/{s}" if s else "") for m, s in by_name)
            text = f"{name} was not measured where {gate.limit} is required (measured: {known or 'nothing'})"
            bad.append((text, gate.known_bad))
        elif text := gate.limit.violated(e["value"], e["low"], e["high"]):
            bad.append((f"{name} {text}", gate.known_bad))
    return bad
