"""`mmte merge`: several reports as one, so that scores can be made of parts that were measured in several runs."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mmte.errors import MmteError

_FLEETING: Final = ("from", "notes", "gated", "violations", "outcome", "reason", "thresholds")
"""What may differ between two rows with the same numbers, beside what differs from run to run."""
_ONE: Final = ("scoring", "multitrust", "imported")
"""Settings that all reports must share: else their numbers are not of one kind."""


def add_parser(commands: Any) -> None:
    """Add the command to those of `mmte`."""
    parser = commands.add_parser(
        "merge", help="several reports as one",
        description="Combines reports of other tasks or models into a new one and makes its task scores.",
    )  # fmt: skip
    add = parser.add_argument
    add("out", type=Path, metavar="OUT", help="new folder for the report")
    add("reports", type=Path, nargs="+", metavar="REPORT", help="folders of the reports")
    add("--scores", type=Path, metavar="FILE", help="the file of scores (default: benchmarks/scores.yaml, or that of"
        " the package)")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Merge, and show the scores.

    Raises:
        MmteError: a report that cannot be read, reports that do not go together, or a folder that is there.
    """
    from mmte.report.score_table import begun, score_lines

    report = merge(args.reports, args.out, args.scores)
    for line, _ in score_lines(begun(report["scores"], report["results"])):
        sys.stdout.write(line + "\n")
    rows = len(report["results"])
    sys.stdout.write(f"{rows} results of {len(args.reports)} reports: {args.out / 'report.json'}\n")
    return 0


def merge(folders: Sequence[Path], out: Path, scores: Path | None = None) -> dict[str, Any]:
    """The merged report, written to the new folder `out`; errors as in `run`.

    A case without numbers (skipped, say) gives way to the same case with numbers. A model is one model in all reports.
    """
    from mmte.report.made import load_report, new_folder, write_report
    from mmte.report.scores import load_scores
    from mmte.report.scoring import score_section

    reports = [(_folder(folder), load_report(folder)) for folder in folders]
    settings = _settings(reports)
    kept: dict[str, tuple[Path, dict[str, Any]]] = {}
    for folder, report in reports:
        limit = report["settings"]["limit"] if settings["limit"] is None else None
        for row in report["results"]:
            _keep(kept, folder, _marked(row, report["run"]["id"], limit))
    rows = [row for _, row in kept.values()]
    _check_models(kept.values())
    tree = load_scores(scores or _shipped(settings))
    new_folder(out, "merge")
    for folder, row in kept.values():
        _bring_samples(folder, row, out)
    models, differ = _models([report for _, report in reports])
    notes = [f"'{name}' judged as another model in some of the reports" for name in differ]
    section = score_section([tree], rows, out, settings["limit"], settings["scoring"], notes)
    of_logs = [found for _, report in reports for found in report.get("multitrust", ())]
    told: dict[str, Any] = {"merged": [m for _, report in reports for m in _origins(report)]}
    told |= {"multitrust": of_logs} if of_logs else {}
    told["models"] = models
    told["run"] = {
        "started": min(report["run"]["started"] for _, report in reports),
        "seconds": round(sum(report["run"]["seconds"] for _, report in reports), 3),
    }
    return write_report(out, settings, rows, section, told)


def _folder(report: Path) -> Path:
    return report.parent if report.is_file() else report


def _origins(report: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The reports that went into one; it alone, if it is no merged one."""
    return report.get("merged") or [{"run": report["run"], "settings": report["settings"]}]


def _settings(reports: Sequence[tuple[Path, Mapping[str, Any]]]) -> dict[str, Any]:
    """Those of the merged report: what differs is told by `merged`, report by report."""
    first_folder, first = reports[0]
    for folder, report in reports[1:]:
        for name in _ONE:
            one, other = first["settings"].get(name), report["settings"].get(name)
            if one != other:
                name = "judge or lists" if name == "imported" and one and other else name
                told = f"{first_folder} has {_short(one)}, {folder} has {_short(other)}"
                raise MmteError(f"merge: reports with another {name} do not go together: {told}")
    all_of = [report["settings"] for _, report in reports]
    data, limits = {s["data"] for s in all_of}, {s["limit"] for s in all_of}
    return {
        **first["settings"],
        "data": data.pop() if len(data) == 1 else "mixed",
        "limit": limits.pop() if len(limits) == 1 else None,
        "repeats": max(s["repeats"] for s in all_of),
        "offline": all(s["offline"] for s in all_of),
        "min_coverage": min(s["min_coverage"] for s in all_of),
        "set": sorted({text for s in all_of for text in s["set"]}),
        "controls": sorted({text for s in all_of for text in s.get("controls", ())}),
    }


def _short(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value or "none")
    if "from" in value:
        return f"judge {value['judge'] or 'unknown'} and lists {_short(value['lists'])}"
    return str(value["version"])


def _marked(row: Mapping[str, Any], run: str, limit: int | None) -> dict[str, Any]:
    """A row with the run that it is of, and with the limit that its report had, where others had another one."""
    notes = [*row.get("notes", ()), *([f"--mmte-limit={limit}"] if limit else [])]
    marked = {**row, "from": row.get("from", run)}
    return {**marked, "notes": list(dict.fromkeys(notes))} if notes else marked


def _keep(kept: dict[str, tuple[Path, dict[str, Any]]], folder: Path, row: dict[str, Any]) -> None:
    case = str(row["case"])
    if case not in kept:
        kept[case] = folder, row
        return
    there, old = kept[case]
    if not row["estimates"]:
        return
    if not old["estimates"]:
        kept[case] = folder, row
    elif _numbers(old) != _numbers(row):
        what = next(key for key in {**old, **row} if _numbers(old).get(key) != _numbers(row).get(key))
        told = f"{there} and {folder} both have {case}, and their '{what}' differ"
        raise MmteError(f"merge: {told}; leave one of them out, or give their models different names")


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    from mmte.report.build import VOLATILE

    return {key: value for key, value in row.items() if key not in (*_FLEETING, *VOLATILE)}


def _check_models(rows: Iterable[tuple[Path, Mapping[str, Any]]]) -> None:
    """A score must not be made of two models that go by one name."""
    first: dict[str, tuple[Path, str]] = {}
    for folder, row in rows:
        identity = (row.get("identities") or {}).get("model")
        if identity is None:
            continue
        there, known = first.setdefault(row["model"], (folder, identity))
        if known != identity:
            told = f"'{row['model']}' is another model in {folder} than in {there}"
            raise MmteError(f"merge: {told}; give them different names with --model=NAME=SPEC")


def _models(reports: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """The models and judges of all reports; judges of one name that differ are told apart by their runs, and named."""
    found: dict[str, Any] = {}
    differ = []
    for report in reports:
        for name, about in (report.get("models") or {}).items():
            if found.setdefault(name, about) != about:
                found[f"{name} ({report['run']['id']})"] = about
                differ.append(name)
    return found, list(dict.fromkeys(differ))


def _shipped(settings: Mapping[str, Any]) -> Path:
    from mmte.listing import shipped

    if settings.get("imported"):
        return Path(__file__).parents[1] / "compat" / "logs_scores.yaml"
    local = Path("benchmarks/scores.yaml")
    return local if local.is_file() else shipped() / "scores.yaml"


def _bring_samples(folder: Path, row: Mapping[str, Any], out: Path) -> None:
    """Link the files of a row's samples into the new folder, or copy them where that cannot be done."""
    name = str(row.get("samples_file") or "")
    if not name:
        return
    if Path(name).name != name:
        raise MmteError(f"{folder}: the samples of {row['case']} are outside of the report")
    stem = name.removesuffix(".jsonl")
    parts = (".jsonl", ".evaluators.json")
    found = [f for f in (folder / "samples").glob("*") if f.name in [stem + p for p in parts] or _of_control(f, stem)]
    for file in found:
        target = out / "samples" / file.name
        try:
            os.link(file.resolve(), target)
        except OSError:
            shutil.copyfile(file, target)


def _of_control(file: Path, stem: str) -> bool:
    return file.name.startswith(f"{stem}.vs.") and file.name.endswith(".jsonl")
