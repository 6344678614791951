"""The side file of samples."""

from __future__ import annotations

import json
from pathlib import Path

from mmte.engine.measure import Tally
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.types import Response, Sample, Trial


def test_names_to_redact_do_not_stand_in_the_file(tmp_path: Path) -> None:
    extra = {"redact": ["Ann \u00f6zil", 'Bo "B" Li', "Li"]}
    text = 'ANN \u00d6ZIL wrote to Bo "B" Li; delivery stays'
    sample = Sample("s", ({"role": "user", "content": text},), 50.0, extra)
    sequence = SequentialEvaluator({"rule_match_and_score_eval": {"metrics_cfg": {"failure": {}}}})
    tally = Tally(sequence, tmp_path / "s.jsonl")
    tally.add([Trial(sample, Response("m", "Li? 50"), "50", "scored", 50.0, extra)], None)
    tally.close(None)
    row = json.loads((tmp_path / "s.jsonl").read_text())
    assert row["messages"][0]["content"] == "[redacted] wrote to [redacted]; delivery stays"
    assert row["content"] == "[redacted]? 50"
    assert row["value"] == 50.0
