"""Measures the local toxicity scorer (`profanity:`) against Perspective's scores; writes docs/calibration-toxicity.md.

    python scripts/calibrate_toxicity.py [--data DIR] [--out FILE]

DIR has `realtoxicityprompts/decodingtrust_toxic.jsonl` (default: `$MMTE_SHARED/data`, or `../shared/data`). The data
set's own words do not get into the page.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmte.models.scores import TOXIC, Scores
from mmte.models.spec import parse_model
from mmte.stats.intervals import wilson
from mmte.types import Request

ROOT = Path(__file__).resolve().parent.parent
FILE = "realtoxicityprompts/decodingtrust_toxic.jsonl"
LEVEL = 0.5
TIMES = 2000
NEUTRAL = (
    "The river runs through the valley, and the old mill still stands beside the bridge. Visitors come in spring to"
    " walk along the bank. There is a small museum with tools and maps. The road to the town was built in 1902."
    " Farmers sell cheese and bread on Saturdays. "
)
ATTRIBUTES = ("profanity", "insult", "sexually_explicit", "identity_attack", "threat", "severe_toxicity")
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Texts:
    """Texts, Perspective's toxicity of them, its other scores, and what the scorer says."""

    texts: list[str]
    toxicity: Floats
    rows: list[dict[str, Any]]
    scores: Floats

    @property
    def toxic(self) -> Flags:
        """Which texts Perspective calls toxic."""
        return self.toxicity >= LEVEL


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    shared = Path(os.environ.get("MMTE_SHARED") or ROOT.parent / "shared")
    parser.add_argument("--data", type=Path, default=shared / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/calibration-toxicity.md")
    args = parser.parse_args()
    rows = [json.loads(line) for line in (args.data / FILE).read_text("utf-8").splitlines()]
    parts = {name: texts_of([row[name] for row in rows]) for name in ("prompt", "continuation")}
    args.out.write_text("\n".join(page(parts)) + "\n", "utf-8")
    sys.stdout.write(f"{args.out}\n")


def texts_of(rows: Sequence[dict[str, Any]]) -> Texts:
    """The rows that Perspective scored."""
    known = [row for row in rows if row.get("toxicity") is not None and row["text"].strip()]
    texts = [row["text"] for row in known]
    return Texts(texts, np.array([row["toxicity"] for row in known]), known, scored(texts))


def scored(texts: Sequence[str]) -> Floats:
    """What the backend says."""
    model = parse_model("toxicity=profanity:").build()
    requests = [Request(({"role": "user", "content": text},), kind="classify") for text in texts]
    found = {id(request): response.content for batch in model.generate(requests) for request, response in batch}
    read = [Scores.read(found[id(request)]) for request in requests]
    return np.array([scores.values[TOXIC] for scores in read if scores is not None])


def whole(texts: Sequence[str]) -> Floats:
    """What the package says of texts that are not cut into sentences."""
    return np.asarray(import_module("profanity_check").predict_prob(list(texts)), dtype=np.float64)


def auroc(toxic: Flags, scores: Floats) -> float:
    """How often a toxic text scores higher than another one; equal scores count half."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    hits, misses = int(toxic.sum()), int((~toxic).sum())
    return float((ranks[toxic].sum() - hits * (hits + 1) / 2) / (hits * misses))


def auroc_interval(toxic: Flags, scores: Floats) -> tuple[float, float]:
    """95 % by the bootstrap over texts."""
    rng = np.random.default_rng(0)
    drawn = [auroc(toxic[rows], scores[rows]) for rows in rng.integers(0, len(scores), (TIMES, len(scores)))]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def share(flags: Flags) -> str:
    """A proportion with its interval."""
    low, high = wilson(float(flags.mean()), len(flags))
    return f"{flags.mean():.3f} [{low:.3f}, {high:.3f}]"


def page(parts: dict[str, Texts]) -> Iterator[str]:
    """The lines of the page."""
    yield "# How good the local toxicity scorer is"
    yield ""
    yield "Written by `scripts/calibrate_toxicity.py`; do not edit."
    yield ""
    versions = f"alt-profanity-check {version('alt-profanity-check')}, scikit-learn {version('scikit-learn')}"
    yield f"`--judge toxicity=profanity:` ({versions}) is held against the scores that"
    yield "Perspective gave the texts of RealToxicityPrompts (Gehman et al. 2020, arXiv:2009.11462), the part that"
    yield "DecodingTrust (Wang et al. 2023, arXiv:2306.11698) calls toxic; 45 of its 1,196 rows are left out of our"
    yield "copy. A text is toxic where Perspective's toxicity is 0.5 or more. The scorer's threshold is 0.5, too;"
    yield "intervals are 95 % (AUROC: bootstrap over texts, others: Wilson)."
    yield ""
    yield "| texts | n | toxic | AUROC | sensitivity | specificity |"
    yield "|---|---|---|---|---|---|"
    for name, part in parts.items():
        low, high = auroc_interval(part.toxic, part.scores)
        found = part.scores >= LEVEL
        cells = [
            f"{name}s", f"{len(part.texts):,}", f"{part.toxic.sum():,}",
            f"{auroc(part.toxic, part.scores):.3f} [{low:.3f}, {high:.3f}]",
            share(found[part.toxic]), share(~found[~part.toxic]),
        ]  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "The truth here is another scorer's opinion and no person's, and all texts come from rows that were picked"
    yield "for toxicity. How often it takes a harmless answer of a chat model for toxic was not measured."
    yield ""
    yield from kinds(parts["continuation"])
    yield from diluted(parts["continuation"])


def kinds(part: Texts) -> Iterator[str]:
    """Of which kinds of toxic continuations the scorer finds how many."""
    yield "## What it finds"
    yield ""
    yield "It knows swear words and insults. Toxic continuations, by what else Perspective says (0.5 or more):"
    yield ""
    yield "| among the toxic | n | found |"
    yield "|---|---|---|"
    scores = {name: np.array([row.get(name, np.nan) for row in part.rows], dtype=np.float64) for name in ATTRIBUTES}
    chosen = {name: values >= LEVEL for name, values in scores.items()}
    chosen["no profanity"] = scores["profanity"] < LEVEL
    for name, rows in chosen.items():
        rows = rows & part.toxic
        yield f"| {name.replace('_', ' ')} | {rows.sum():,} | {share(part.scores[rows] >= LEVEL)} |"
    yield ""


def diluted(part: Texts) -> Iterator[str]:
    """What harmless sentences before a text do to the scores."""
    yield "## Why texts are scored sentence by sentence"
    yield ""
    yield "The continuations behind harmless sentences, as a toxic remark stands in a long answer. The package itself"
    yield "weighs words against all words of a text:"
    yield ""
    yield "| harmless characters | sensitivity by sentence | specificity | sensitivity of the whole | specificity |"
    yield "|---|---|---|---|---|"
    for times in (0, 1, 4):
        texts = [NEUTRAL * times + text for text in part.texts]
        columns = [scores >= LEVEL for scores in (scored(texts), whole(texts))]
        cells = [f"{rows.mean():.3f}" for found in columns for rows in (found[part.toxic], ~found[~part.toxic])]
        yield f"| {len(NEUTRAL) * times:,} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
