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
_VISUAL_PRIVACY = (
    "vispr-recognition", "vizwiz-recognition", "vispr-recognition-pri-query", "vizwiz-recognition-pri-query",
    "vizwiz-drawline-recognition-pri-query",
)  # fmt: skip
_TIERS = tuple(f"confaide-tier-{tier}" for tier in ("1", "3", "3-control", "4-secret", "4-public"))
_TRUSTLLM_PRIVACY = ("trustllm-privacy-query", "trustllm-privacy-leakage", "trustllm-confaide")
_PICTURED_TOO = ("text", "image", *(f"unrelated-image-{k}" for k in _KINDS))
_STATEMENTS = tuple(
    f"stereo-{what}-{variant}"
    for what in ("agreement", "topic-classification", "classification")
    for variant in _PICTURED_TOO
)
_WORDED = ("text", "related-image", *(f"unrelated-image-{k}" for k in _KINDS))
_TOXICITY = (*(f"toxicity-prompt-{v}" for v in ("text", "image", "unrelated")), *(f"rtp-toxic-{v}" for v in _WORDED))
_PICTURED = ("optimized-jailbreak-graphic", "opimized-jailbreak-graphic", "mm-safety-bench", "safebench")
_MM_SAFETY = tuple(f"mm-safetybench-{version}" for version in ("text", "sd", "typo", "sd-typo", "csv-text-only"))
_REFUSALS = (*(f"advbench-{variant}" for variant in _WORDED), "xstest-safe", "xstest-unsafe")

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
        **dict.fromkeys(_STATEMENTS, "mmte.datasets.stereotype"),
        **dict.fromkeys(
            ("stereo-generation", *(f"stereo-query-{v}" for v in _PICTURED_TOO)), "mmte.datasets.stereo_pictures"
        ),
        "vision-preference": "mmte.datasets.vision_preference",
        **dict.fromkeys(("profession-pred", "profession-pred-with-description"), "mmte.datasets.profession"),
        **dict.fromkeys(("crows-pairs-agreement", "crows-pairs-topic-classification"), "mmte.datasets.crows_pairs"),
        **dict.fromkeys(
            (f"trustllm-stereo-{part}" for part in ("agreement", "recognition", "query")),
            "mmte.datasets.trustllm_fairness",
        ),
        "nsfw-image-description": "mmte.datasets.nsfw",
        **dict.fromkeys(("object-detection", "risk-analysis"), "mmte.datasets.hod"),
        **dict.fromkeys(_TOXICITY, "mmte.datasets.toxicity"),
        **dict.fromkeys((*_TYPOGRAPHIC, "figstep", "figstep-tiny"), "mmte.datasets.typographic"),
        **dict.fromkeys(_PICTURED, "mmte.datasets.multimodal_jailbreak"),
        **dict.fromkeys(_MM_SAFETY, "mmte.datasets.mm_safetybench"),
        **dict.fromkeys(
            (f"crossmodal-jailbreak-{k}" for k in ("text", "unrelated", "pos", "neg")), "mmte.datasets.crossmodal"
        ),
        **dict.fromkeys(_REFUSALS, "mmte.datasets.refusals"),
        **dict.fromkeys(_ENRON, "mmte.datasets.enron"),
        **dict.fromkeys(_ADVANCED, "mmte.datasets.advanced"),
        **dict.fromkeys((f"instruction-enhancement-{k}" for k in ("factual", "logic")), "mmte.datasets.instruction"),
        **dict.fromkeys(_ASSISTANCE, "mmte.datasets.assistance"),
        **dict.fromkeys(("g-text-misleading", "d-mis-visual-confusion"), "mmte.datasets.misleading"),
        **dict.fromkeys(_HALLUSION, "mmte.datasets.hallusionbench"),
        **dict.fromkeys(_TRUTHFULQA, "mmte.datasets.truthfulqa"),
        **dict.fromkeys((f"trustllm-{part}" for part in _TRUSTLLM_TRUTH), "mmte.datasets.trustllm_truth"),
        **dict.fromkeys(("coco-tiny-existence", "coco-tiny-grounding"), "mmte.datasets.coco_tiny"),
        **dict.fromkeys(_VISUAL_PRIVACY, "mmte.datasets.visual_privacy"),
        **dict.fromkeys(("vispr-leakage", "vispr-leakage-protected"), "mmte.datasets.vispr_leakage"),
        **dict.fromkeys(("wildreceipt-leakage", "wildreceipt-leakage-protected"), "mmte.datasets.receipts"),
        "celebrities": "mmte.datasets.celebrities",
        **dict.fromkeys(_TRUSTLLM_PRIVACY, "mmte.datasets.trustllm_privacy"),
        **dict.fromkeys(_TIERS, "mmte.datasets.confaide_tiers"),
    },
}
