"""MultiTrust's 32 tasks: the folders of their result files, their data sets, and which sub-aspect they belong to.

Source: the run scripts of github.com/thu-ml/MMTrustEval (Zhang et al. 2024, arXiv:2406.07057); names only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

UNRELATED: Final = tuple(f"unrelated-image-{kind}" for kind in ("color", "nature", "noise"))


@dataclass(frozen=True, slots=True)
class Task:
    """A task: its short name, title, aspect, the folders of its result files, and its data sets."""

    name: str
    title: str
    aspect: str
    folders: tuple[str, ...]
    datasets: tuple[str, ...]


def _each(start: str, *ends: str) -> tuple[str, ...]:
    return tuple(f"{start}-{end}" for end in ends)


def _variants(start: str, *ends: str) -> tuple[str, ...]:
    return _each(start, *ends, *UNRELATED)


_PII: Final = tuple(
    f"celebrities-personal-{what}-{name}-{occupation}"
    for what in ("email", "phone", "address")
    for name in ("name", "wo-name")
    for occupation in ("occupation", "wo-occupation")
)
_ROWS: Final = (
    ("t1", "Basic world understanding", ("t1-basic",), (*_each("d-basic", "object", "attribute", "scene"),
     *_each("g-basic", "grounding", "ocr"))),
    ("t2", "Advanced cognitive inference", ("t2-advanced",), _each("advanced", "spatial", "temporal", "compare",
     "daily", "traffic", "causality", "math", "code", "translate")),
    ("t3", "VQA under instruction enhancement", ("t3-instruction-enhancement",),
     _each("instruction-enhancement", "factual", "logic")),
    ("t4", "QA under visual assistance", ("t4-visual-assistance",), _variants("visual-assistance", "text", "image")),
    ("t5", "Text misleading VQA", ("t5-text-misleading",), ("g-text-misleading",)),
    ("t6", "Visual confusion VQA", ("t6-visual-confusion",), ("d-mis-visual-confusion",)),
    ("t7", "Visual misleading QA", ("t7-visual-misleading",), _variants("g-text", "none", "misvisual", "assistance")),
    ("s1", "NSFW image description", ("s1-nsfw-image-description",), ("nsfw-image-description",)),
    ("s2", "Risk identification", ("s2-risk-identification",), ("object-detection", "risk-analysis")),
    ("s3", "Toxic content generation", ("s3-toxic-content-generation",),
     _each("toxicity-prompt", "text", "image", "unrelated")),
    ("s4", "Plain typographic jailbreaking", ("s4-typographic-jailbreaking",),
     _each("typographic", "prompt-and-behavior", "prompt", "behavior")),
    ("s5", "Optimized multimodal jailbreaking", ("s5-multimodal-jailbreaking",),
     ("opimized-jailbreak-graphic", "mm-safety-bench", "safebench")),
    ("s6", "Cross-modal influence on jailbreaking", ("s6-crossmodal-jailbreaking",),
     _each("crossmodal-jailbreak", "text", "unrelated", "pos", "neg")),
    ("r1", "VQA for artistic style images", ("r1-ood-artistic",),
     _each("coco-o", "cartoon", "handmake", "painting", "sketch", "tattoo", "weather")),
    ("r2", "VQA for sensor style images", ("r2-ood-sensor",),
     _each("benchlmm", "infrared", "lxray", "hxray", "mri", "ct", "remote", "driving")),
    ("r3", "Sentiment analysis for OOD texts", ("r3-ood-text",), _variants("dt", "text", "related-image")),
    ("r4", "Captioning under untargeted attack", ("r4-adversarial-untarget",), ("adv-clean", "adv-untarget")),
    ("r5", "Captioning under targeted attack", ("r5-adversarial-target",), ("adv-target",)),
    ("r6", "Textual adversarial attack", ("r6-adversarial-text",), (*_variants("advglue", "text", "related-image"),
     *_variants("advglue-plus", "text", "related-image"))),
    ("f1", "Stereotypes in descriptions", ("f1-stereo-generation",), ("stereo-generation",)),
    ("f2", "Agreement on stereotypes", ("f2-stereo-agreement",), _variants("stereo-agreement", "text", "image")),
    ("f3", "Classification of stereotypes", ("f3-stereo-classification", "f3-stereo-topic-classification"),
     (*_variants("stereo-classification", "text", "image"),
      *_variants("stereo-topic-classification", "text", "image"))),
    ("f4", "Stereotype query test", ("f4-stereo-query",), _variants("stereo-query", "text", "image")),
    ("f5", "Preference selection in VQA", ("f5-vision-preference",), ("vision-preference",)),
    ("f6", "Profession prediction", ("f6-profession-pred",), ("profession-pred", "profession-pred-with-description")),
    ("f7", "Preference selection in QA", ("f7-subjective-preference",),
     (*_variants("subjective-preference-plain", "text", "image"),
      *_variants("subjective-preference-force", "text", "image"))),
    ("p1", "Visual privacy recognition", ("p1-vispriv-recognition",), ("vispr-recognition", "vizwiz-recognition")),
    ("p2", "Privacy-sensitive QA recognition", ("p2-vqa-recognition-vispr",), ("vispr-recognition-pri-query",)),
    ("p3", "InfoFlow expectation", ("p3-infoflow",), _variants("confaide", "text", "image")),
    ("p4", "PII query with visual cues", ("p4-pii-query",), _PII),
    ("p5", "Privacy leakage in vision", ("p5-visual-leakage",), ("vispr-leakage", "vispr-leakage-protected")),
    ("p6", "PII leakage in conversations", ("p6-pii-leakage-in-conversation",),
     _variants("enron-email", "text", "image-oneinfo", "image-typeinfo", "image-allinfo")),
)  # fmt: skip
_ASPECTS: Final = {"t": "truthfulness", "s": "safety", "r": "robustness", "f": "fairness", "p": "privacy"}

TASKS: Final[Mapping[str, Task]] = {
    name: Task(name, title, _ASPECTS[name[0]], folders, datasets) for name, title, folders, datasets in _ROWS
}
"""The tasks by name. Safety is numbered as in the scripts: s1 is the description of images, s2 the identification."""


def _equal(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 1 / len(names))


SUB_ASPECTS: Final[Mapping[str, tuple[str, Mapping[str, float]]]] = {
    "T-I": ("inherent deficiency", _equal("t1", "t2", "t3", "t4")),
    "T-M": ("misguided mistakes", _equal("t5", "t6", "t7")),
    "S-T": ("toxicity", _equal("s1", "s2", "s3")),
    "S-J": ("jailbreaking", _equal("s4", "s5", "s6")),
    "R-O": ("out of distribution", _equal("r1", "r2", "r3")),
    "R-A": ("adversarial", _equal("r4", "r5", "r6")),
    "F-S": ("stereotype", _equal("f1", "f2", "f3", "f4")),
    "F-B": ("bias and preference", _equal("f5", "f6", "f7")),
    "P-A": ("awareness", {"p1": 0.4, "p2": 0.3, "p3": 0.3}),
    "P-L": ("leakage", _equal("p4", "p5", "p6")),
}
"""The ten sub-aspects: title, and the weights of their tasks. The total is their mean."""
