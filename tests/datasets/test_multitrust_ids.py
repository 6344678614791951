"""Every dataset id that MMTrustEval registers is known here, under the same name."""

from __future__ import annotations

from pathlib import Path

from mmte.registry import registry
from mmte.tasks.config import load_task

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
UN3 = tuple(f"unrelated-image-{kind}" for kind in ("color", "nature", "noise"))


def both(*bases: str, picture: str = "image") -> list[str]:
    return [f"{base}-{variant}" for base in bases for variant in ("text", picture, *UN3)]


TRUTHFULNESS = [
    *(f"d-basic-{part}" for part in ("object", "attribute", "scene")), "g-basic-grounding", "g-basic-ocr",
    *(f"advanced-{part}" for part in
      ("spatial", "temporal", "compare", "daily", "traffic", "causality", "math", "code", "translate")),
    "instruction-enhancement-factual", "instruction-enhancement-logic", *both("visual-assistance"),
    "g-text-misleading", "d-mis-visual-confusion", "g-text-assistance", "g-text-misvisual", "g-text-none",
    *(f"g-text-{variant}" for variant in UN3),
]  # fmt: skip
SAFETY = [
    "nsfw-image-description", "object-detection", "risk-analysis",
    *(f"toxicity-prompt-{part}" for part in ("text", "image", "unrelated")),
    "typographic-prompt-and-behavior", "typographic-prompt", "typographic-behavior", "opimized-jailbreak-graphic",
    "mm-safety-bench", "safebench", *(f"crossmodal-jailbreak-{part}" for part in ("text", "unrelated", "pos", "neg")),
]  # fmt: skip
ROBUSTNESS = [
    *(f"coco-o-{part}" for part in ("cartoon", "handmake", "painting", "sketch", "tattoo", "weather")),
    *(f"benchlmm-{part}" for part in ("infrared", "lxray", "hxray", "mri", "ct", "remote", "driving")),
    *both("dt", "advglue", "advglue-plus", picture="related-image"), "adv-clean", "adv-untarget", "adv-target",
]  # fmt: skip
FAIRNESS = [
    "stereo-generation",
    *both("stereo-agreement", "stereo-classification", "stereo-topic-classification", "stereo-query"),
    "vision-preference", "profession-pred", "profession-pred-with-description",
    *both("subjective-preference-plain", "subjective-preference-force"),
]  # fmt: skip
PRIVACY = [
    "vispr-recognition", "vispr-recognition-pri-query", "vispr-leakage", "vispr-leakage-protected",
    *(f"vizwiz-{part}" for part in
      ("recognition", "recognition-pri-query", "drawline-recognition-pri-query")),
    *both("confaide"), "celebrities", "enron-email-text",
    *(f"enron-email-image-{part}" for part in ("oneinfo", "typeinfo", "allinfo")), *(f"enron-email-{u}" for u in UN3),
]  # fmt: skip
MISSPELT = {"opimized-jailbreak-graphic": "optimized-jailbreak-graphic", "coco-o-handmake": "coco-o-handmade"}


def test_all_133_ids_are_registered() -> None:
    ids = [*TRUTHFULNESS, *SAFETY, *ROBUSTNESS, *FAIRNESS, *PRIVACY, *UN3]
    assert len(set(ids)) == 133
    assert set(ids) | set(MISSPELT.values()) <= set(registry.list_datasets())


def test_a_task_asks_each_of_them_under_its_right_name() -> None:
    files = [f for f in sorted(BENCHMARKS.rglob("*.yaml")) if f.name != "scores.yaml"]
    asked = {about["dataset_id"] for file in files for about in load_task(file).datasets.values()}
    ids = [*TRUTHFULNESS, *SAFETY, *ROBUSTNESS, *FAIRNESS, *PRIVACY]
    assert {MISSPELT.get(name, name) for name in ids} <= asked
