"""What a run was told: plain, picklable, the same in every worker."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mmte.models.spec import ModelSpec

if TYPE_CHECKING:
    from mmte.compat.literals import Literals


def default_cache() -> Path:
    """Where answers are kept: `MMTE_CACHE`, or the user's cache folder."""
    if told := os.environ.get("MMTE_CACHE"):
        return Path(told)
    from platformdirs import user_cache_path

    return user_cache_path("mmte") / "answers.sqlite"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run.

    `state_dir` is a folder that the processes of this run share and nobody else; `worker` names this
    process in it, None when there is only one. `limit` counts samples per subset.
    `scoring` is the reading of the answers; multitrust needs `literals`. `panels` names the `judges` that sit for
    one judge of the task files, and each is asked `judge_repeats` times.
    """

    models: dict[str, ModelSpec] = field(default_factory=dict)
    judges: dict[str, ModelSpec] = field(default_factory=dict)
    panels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    judge_repeats: int = 1
    cache: Path | None = None
    state_dir: Path | None = None
    worker: str | None = None
    data_root: Path | None = None
    samples_dir: Path | None = None
    limit: int | None = None
    repeats: int = 1
    refresh: bool = False
    offline: bool = False
    min_coverage: float = 0.98
    controls: tuple[str, ...] = ()
    scoring: str = "strict"
    literals: Literals | None = None
