"""What a report's folder holds, checked before it is shown: files may be of another hand, or damaged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError
from mmte.report.files import read_jsonl

_NUMBER: Final = (int, float)
_NAMES: Final = {str: "a text", dict: "an object", list: "a list", _NUMBER: "a number", bool: "true or false"}
_ROW: Final = {"case": str, "outcome": str}
_ROW_MORE: Final = {"counts": dict, "samples_file": str, "reason": str}
_SCORE: Final[Mapping[str, Any]] = {
    "name": str, "title": str, "aspect": str, "level": str, "model": str, "n": int, "expected": int, "parts": dict,
    "missing": list, "notes": list,
}  # fmt: skip
_SCORE_MORE: Final[Mapping[str, Any]] = {"value": _NUMBER, "low": _NUMBER, "high": _NUMBER, "bounds": list}
_SAMPLE: Final = {"id": str, "subset": str, "messages": list, "status": str, "content": str, "cut": bool, "reason": str}
_SAMPLE_MORE: Final = {"reasoning": str, "error": str, "steps": dict}


_COMPARED: Final = {
    **_ROW, **dict.fromkeys(("task", "dataset", "sequence", "model"), str), "estimates": list,
}  # fmt: skip
_COMPARED_MORE: Final = {**_ROW_MORE, "identities": dict, "metric_options": dict, "notes": list}
_ESTIMATE: Final[Mapping[str, Any]] = {"metric": str, "subset": str, "direction": str, "n": int, "expected": int}
_ESTIMATE_MORE: Final[Mapping[str, Any]] = {"value": _NUMBER, "low": _NUMBER, "high": _NUMBER, "bounds": list}


def check_results(folder: Path, report: Mapping[str, Any]) -> None:
    """Raise where the results of a report are not as mmte writes them, so that they can be compared or merged."""
    for n, row in enumerate(report["results"]):
        checked(folder, f"results.{n}", row, _COMPARED, _COMPARED_MORE)
        for m, estimate in enumerate(row["estimates"]):
            where = f"results.{n}.estimates.{m}"
            checked(folder, where, estimate, _ESTIMATE, _ESTIMATE_MORE)
            _present(folder, where, estimate, _ESTIMATE_MORE)
    checked(folder, "settings", report["settings"], {"data": str, "scoring": str, "set": list}, {"limit": int})
    checked(folder, "run", report.get("run"), {"id": str, "started": str}, {})


def stored_rows(folder: Path) -> list[dict[str, Any]]:
    """The results of a run by case id; of one that was killed, what its journal has.

    Raises:
        MmteError: the folder holds no report, or none that can be read; one line says where and why.
    """
    if (folder / "report.json").is_file():
        found = _report(folder).get("results")
        if not isinstance(found, list):
            raise _unread(folder, "report.json has no list of results")
        rows = [checked(folder, f"results.{n}", row, _ROW, _ROW_MORE) for n, row in enumerate(found)]
    elif (folder / "results.jsonl").is_file():
        lines = enumerate(read_jsonl(folder / "results.jsonl"), 1)
        read = [checked(folder, f"results.jsonl:{n}", row, {**_ROW, "node": str}, _ROW_MORE) for n, row in lines]
        rows = list({row["node"]: row for row in read}.values())
    else:
        raise MmteError(f"{folder}: no report there; run pytest first, or name its folder with --run DIR")
    return sorted(rows, key=lambda row: str(row["case"]))


def stored_scores(folder: Path) -> list[dict[str, Any]]:
    """The task scores of a run; none of one that was killed, or that had no file of scores. Errors as above."""
    found = _report(folder).get("scores", []) if (folder / "report.json").is_file() else []
    if not isinstance(found, list):
        raise _unread(folder, "its scores are no list")
    scores = [checked(folder, f"scores.{n}", score, _SCORE, _SCORE_MORE) for n, score in enumerate(found)]
    for n, score in enumerate(scores):
        _present(folder, f"scores.{n}", score, _SCORE_MORE)
        bounds = score.get("bounds") or [None, None]
        numbers = [*score["parts"].values(), *bounds]
        good = len(bounds) == 2 and all(value is None or isinstance(value, _NUMBER) for value in numbers)
        if not good or not all(isinstance(text, str) for text in (*score["missing"], *score["notes"])):
            raise _unread(folder, f"scores.{n}: its parts, bounds, missing or notes are not as mmte writes them")
    return scores


def stored_sample(file: Path, number: int, sample: Any) -> dict[str, Any]:
    """A line of a side file (from 1), as it is; MmteError where it is no sample."""
    found = checked(file.parent.parent, f"{file.name}:{number}", sample, _SAMPLE, _SAMPLE_MORE)
    _present(file.parent.parent, f"{file.name}:{number}", found, ("value", "target"))
    for n, message in enumerate(found["messages"]):
        where = f"{file.name}:{number}: messages.{n}"
        content = checked(file.parent.parent, where, message, {"role": str}, {}).get("content")
        if not isinstance(content, str):
            checked(file.parent.parent, f"{where}.content", content, {}, {"text": str, "image_path": str})
    return found


def _report(folder: Path) -> dict[str, Any]:
    try:
        report = json.loads((folder / "report.json").read_text("utf-8"))
    except OSError as error:
        raise _unread(folder, error.strerror) from None
    except UnicodeDecodeError:
        raise _unread(folder, "report.json is no text in UTF-8") from None
    except ValueError as error:
        raise _unread(folder, f"report.json is no valid JSON: {error}") from None
    except RecursionError:
        raise _unread(folder, "report.json is nested too deeply") from None
    if not isinstance(report, dict):
        raise _unread(folder, "report.json is no JSON object")
    return report


def checked(
    folder: Path, where: str, entry: Any, needed: Mapping[str, Any], more: Mapping[str, Any]
) -> dict[str, Any]:
    """An object with the keys that are needed; `more` may be missing or null.

    Raises:
        MmteError: it is none, or a key is missing or of another kind.
    """
    if not isinstance(entry, dict):
        raise _unread(folder, f"{where} is no JSON object")
    _present(folder, where, entry, needed)
    for key, kind in {**more, **needed}.items():
        value = entry.get(key)
        if not isinstance(value, kind) and (key in needed or value is not None):
            raise _unread(folder, f"{where}: '{key}' must be {_NAMES.get(kind, 'a number')}")
    return entry


def _present(folder: Path, where: str, entry: Mapping[str, Any], keys: Iterable[str]) -> None:
    for key in keys:
        if key not in entry:
            raise _unread(folder, f"{where}: '{key}' is missing")


def _unread(folder: Path, why: str | None) -> MmteError:
    return MmteError(f"{folder}: its report cannot be read: {why}")
