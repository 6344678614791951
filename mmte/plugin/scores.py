"""Which files of scores a run uses: that of `--mmte-scores`, or those that lie beside its task files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mmte.plugin.collect import TaskFile

if TYPE_CHECKING:
    from mmte.report.scores import ScoreTree

NAME = "scores.yaml"
_HEAD = b"# mmte.scores/1"


def score_files(session: pytest.Session) -> set[str]:
    """The files of scores of the selected items: of each task file, the first in its folder or the one above it."""
    folders = {item.parent.path.parent for item in session.items if isinstance(item.parent, TaskFile)}
    return {str(path) for folder in folders if (path := _beside(folder)) is not None}


def _beside(folder: Path) -> Path | None:
    return next((path for path in (folder / NAME, folder.parent / NAME) if _is_ours(path)), None)


def _is_ours(path: Path) -> bool:
    """Whether a file begins with our mark, as others may call theirs so, too."""
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf").startswith(_HEAD)
    except OSError:
        return False


def score_trees(config: pytest.Config, files: Iterable[str]) -> list[ScoreTree]:
    """The scores of this run.

    Args:
        config: for `--mmte-scores`: a file in place of the ones that were found, or `none`.
        files: those that were found.

    Raises:
        MmteError: one line with file and line: a file of scores has a mistake, or two have a score of the same name.
    """
    from mmte.errors import MmteError
    from mmte.report.scores import load_scores

    given = config.option.mmte_scores
    if given == "none":
        return []
    if given is not None:
        try:
            return [load_scores(Path(given))]
        except MmteError as error:
            raise MmteError(f"--mmte-scores: {error}") from None
    trees: list[ScoreTree] = []
    first: dict[str, str] = {}
    for file in sorted(files):
        tree = load_scores(Path(file))
        for name in tree.nodes:
            if first.setdefault(name, file) != file:
                told = f"the score '{name}' is in {first[name]}, too"
                raise MmteError(f"{file}: {told}: rename it, or name one file with --mmte-scores FILE")
        trees.append(tree)
    return trees


def scores_of(
    trees: Iterable[ScoreTree], rows: list[dict[str, Any]], folder: Path, option: Any
) -> tuple[list[dict[str, Any]], str]:
    """The scores of a run's results under its options, and what went wrong (empty: nothing)."""
    try:
        from mmte.report.scoring import score_section

        return score_section(trees, rows, folder, option.mmte_limit, option.mmte_scoring), ""
    except Exception as error:  # noqa: BLE001 - a report without scores is better than none
        return [], f"no task scores: {type(error).__name__}: {error}"
