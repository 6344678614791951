"""How many CPUs a model may use."""

from __future__ import annotations

import os


def cpus() -> int:
    """CPUs for this process; xdist workers share them."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, found // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
