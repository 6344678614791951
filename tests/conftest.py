"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parent.parent


def shared_root() -> Path:
    """Where the real data lies: `MMTE_SHARED`, or `../shared` beside the checkout."""
    return Path(os.environ.get("MMTE_SHARED", ROOT.parent / "shared")).resolve()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real published data; tests that need it skip together where it is absent."""
    root = shared_root()
    if not (root / "data").is_dir():
        pytest.skip("the shared data is absent (set MMTE_SHARED)")
    return root
