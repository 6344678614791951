"""Datasets: what is asked about."""

_KINDS = ("color", "nature", "noise")
_CONFAIDE = ("confaide-text", "confaide-image", *(f"confaide-unrelated-image-{k}" for k in _KINDS))
_BASIC = ("d-basic-object", "d-basic-attribute", "d-basic-scene", "g-basic-grounding", "g-basic-ocr")
_POPE = (*(f"pope-coco-{split}" for split in ("random", "popular", "adversarial")), "pope-aokvqa-with-images")
_GLUE = tuple(
    f"{data}-{variant}"
    for data in ("advglue", "advglue-plus")
    for variant in ("text", "related-image", *(f"unrelated-image-{k}" for k in _KINDS))
)
_STYLES = ("cartoon", "handmade", "handmake", "painting", "sketch", "tattoo", "weather")
_SENSORS = ("infrared", "lxray", "hxray", "mri", "ct", "remote", "driving")
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
_ADVANCED = tuple(
    f"advanced-{field}"
    for field in ("spatial", "temporal", "compare", "daily", "traffic", "causality", "math", "code", "translate")
)
_ASSISTANCE = (
    "visual-assistance-text",
    "visual-assistance-image",
    *(f"visual-assistance-unrelated-image-{k}" for k in _KINDS),
    *(f"g-text-{variant}" for variant in ("assistance", "misvisual", "none")),
    *(f"g-text-unrelated-image-{k}" for k in _KINDS),
)
_HALLUSION = tuple(f"hallusionbench-{part}" for part in ("text", "with-images", "example"))
_TRUTHFULQA = ("truthfulqa-text", "truthfulqa-choice", *(f"truthfulqa-unrelated-image-{k}" for k in _KINDS))
_TRUSTLLM_TRUTH = ("advfactuality", "external", "sycophancy-persona", "sycophancy-preference")

INDEX: dict[str, dict[str, str]] = {
    "dataset": {
        **dict.fromkeys((*_CONFAIDE, "confaide-tier-2a", "confaide-tier-2b"), "mmte.datasets.confaide"),
        **dict.fromkeys((f"unrelated-image-{k}" for k in _KINDS), "mmte.datasets.unrelated"),
        **dict.fromkeys(_BASIC, "mmte.datasets.basic"),
        **dict.fromkeys(_POPE, "mmte.datasets.pope"),
        "mmocr-words": "mmte.datasets.words",
        **dict.fromkeys(_DT, "mmte.datasets.ood_text"),
        **dict.fromkeys(_GLUE, "mmte.datasets.adv_text"),
        **dict.fromkeys((f"coco-o-{style}" for style in _STYLES), "mmte.datasets.artistic"),
        "cue-conflict-shape": "mmte.datasets.cue_conflict",
        **dict.fromkeys((f"benchlmm-{sensor}" for sensor in _SENSORS), "mmte.datasets.sensor"),
        **dict.fromkeys((f"benchlmm-original-{sensor}" for sensor in _SENSORS), "mmte.datasets.sensor"),
        **dict.fromkeys(("adv-clean", "adv-untarget", "adv-target"), "mmte.datasets.adversarial"),
        **dict.fromkeys(("nips17-clean", "nips17-ssa-cwa"), "mmte.datasets.nips17"),
        **dict.fromkeys(_PREFERENCE, "mmte.datasets.preference"),
        **dict.fromkeys((*_TYPOGRAPHIC, "figstep", "figstep-tiny"), "mmte.datasets.typographic"),
        **dict.fromkeys(_ENRON, "mmte.datasets.enron"),
        **dict.fromkeys(_ADVANCED, "mmte.datasets.advanced"),
        **dict.fromkeys((f"instruction-enhancement-{k}" for k in ("factual", "logic")), "mmte.datasets.instruction"),
        **dict.fromkeys(_ASSISTANCE, "mmte.datasets.assistance"),
        **dict.fromkeys(("g-text-misleading", "d-mis-visual-confusion"), "mmte.datasets.misleading"),
        **dict.fromkeys(_HALLUSION, "mmte.datasets.hallusionbench"),
        **dict.fromkeys(_TRUTHFULQA, "mmte.datasets.truthfulqa"),
        **dict.fromkeys((f"trustllm-{part}" for part in _TRUSTLLM_TRUTH), "mmte.datasets.trustllm_truth"),
        **dict.fromkeys(("coco-tiny-existence", "coco-tiny-grounding"), "mmte.datasets.coco_tiny"),
    },
}
