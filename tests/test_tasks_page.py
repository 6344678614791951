"""docs/tasks.md is what the task files say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_page_is_up_to_date() -> None:
    script = ROOT / "scripts" / "make_tasks_doc.py"
    spec = importlib.util.spec_from_file_location("make_tasks_doc", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    told = (ROOT / "docs" / "tasks.md").read_text("utf-8")
    assert module.page() == told, "run: python scripts/make_tasks_doc.py"
    for task in ("t7-visual-misleading", "s6-crossmodal-jailbreak", "r6-textual-attack", "f6-profession-pred", "p5-"):
        assert f"\n### {task}" in told
