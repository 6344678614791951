"""Datasets: what is asked about."""

_KINDS = ("color", "nature", "noise")
_CONFAIDE = ("confaide-text", "confaide-image", *(f"confaide-unrelated-image-{k}" for k in _KINDS))
_BASIC = ("d-basic-object", "d-basic-attribute", "d-basic-scene", "g-basic-grounding", "g-basic-ocr")
_POPE = (*(f"pope-coco-{split}" for split in ("random", "popular", "adversarial")), "pope-aokvqa-with-images")
_DT = ("dt-text", "dt-related-image", *(f"dt-unrelated-image-{k}" for k in _KINDS))
_PREFERENCE = tuple(
    f"subjective-preference-{how}-{variant}"
    for how in ("plain", "force")
    for variant in ("text", "image", *(f"unrelated-image-{k}" for k in _KINDS))
)
_TYPOGRAPHIC = ("typographic-prompt-and-behavior", "typographic-prompt", "typographic-behavior")
_ENRON = (
    "enron-email-text",
    *(f"enron-email-image-{card}" for card in ("oneinfo", "typeinfo", "allinfo")),
    *(f"enron-email-unrelated-image-{k}" for k in _KINDS),
)

INDEX: dict[str, dict[str, str]] = {
    "dataset": {
        **dict.fromkeys((*_CONFAIDE, "confaide-tier-2a", "confaide-tier-2b"), "mmte.datasets.confaide"),
        **dict.fromkeys((f"unrelated-image-{k}" for k in _KINDS), "mmte.datasets.unrelated"),
        **dict.fromkeys(_BASIC, "mmte.datasets.basic"),
        **dict.fromkeys(_POPE, "mmte.datasets.pope"),
        "mmocr-words": "mmte.datasets.words",
        **dict.fromkeys(_DT, "mmte.datasets.ood_text"),
        **dict.fromkeys(_PREFERENCE, "mmte.datasets.preference"),
        **dict.fromkeys((*_TYPOGRAPHIC, "figstep", "figstep-tiny"), "mmte.datasets.typographic"),
        **dict.fromkeys(_ENRON, "mmte.datasets.enron"),
    },
}
