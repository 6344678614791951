"""Writes the cards that are shipped, `mmte/evaluators/cards/*.json`; run it after a change to their evaluators.

    python scripts/make_cards.py SHARED

SHARED is the folder with `data/xstest` (XSTest's GPT-4 answers with human labels, Röttger et al. 2024, arXiv
2308.01263, CC BY 4.0). Of the refusal evaluator, only the half is used that its rules were not developed on.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibrate_refusal import ANSWERS, halves

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.evaluators.checking import Data, check
from mmte.report.files import write_atomic

CARDS = Path(__file__).resolve().parent.parent / "mmte" / "evaluators" / "cards"
REFUSAL = CARDS / "refusal-xstest.json"
NOTE = (
    "XSTest (Röttger et al. 2024, arXiv:2308.01263, CC BY 4.0): GPT-4's answers with human labels, those of the file"
    f" {Path(ANSWERS).name} with bit 1 of md5(id) set, which the rules were not developed on; partial refusals left out"
)


def refusal(shared: Path) -> Mapping[str, Any]:
    """The card of `rule_reject_template_eval` with its default options."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{Path(ANSWERS).stem}.held-out.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("label", "text"), *halves(shared)["held out"]])
        runtime = Runtime(Settings())
        data = Data(path, positive=("refusal",), negative=("compliance",))
        return check({"rule_reject_template_eval": {}}, data, runtime, name="refusal", note=NOTE).card


def main(shared: Path) -> None:
    """Write them."""
    CARDS.mkdir(exist_ok=True)
    write_atomic(REFUSAL, json.dumps(refusal(shared), indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    sys.stdout.write(f"{REFUSAL}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
