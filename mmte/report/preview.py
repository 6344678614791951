"""What items would ask, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from mmte.engine.runtime import Runtime
from mmte.errors import MmteError
from mmte.report.text import clean
from mmte.types import Case


def preview_lines(runtime: Runtime, cases: Sequence[Case]) -> list[str]:
    """A line for each case: answers expected, in the cache, to ask; or why it would be skipped or fail."""
    lines, total, asks = [], 0, 0
    for case in cases:
        try:
            preview = runtime.preview(case)
        except MmteError as error:
            lines.append(f"{case.id}: would fail: {clean(str(error))}")
            continue
        except Exception as error:  # noqa: BLE001 - a dataset of another package: the item would fail, the others not
            lines.append(f"{case.id}: would fail: {type(error).__name__}: {clean(str(error))}")
            continue
        if preview.skip:
            lines.append(f"{case.id}: skip: {clean(preview.skip)}")
            continue
        total, asks = total + preview.n, asks + preview.to_ask
        lines.append(f"{case.id}: n={preview.n} cached={preview.cached} to ask={preview.to_ask}")
    if runtime.scoring.note:
        lines.append(runtime.scoring.note)
    items = "1 item" if len(cases) == 1 else f"{len(cases)} items"
    return [*lines, f"{items}, {total} answers, {asks} to ask (items that share answers count them each)"]
