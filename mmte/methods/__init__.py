"""Methods: what is done to a sample before a model sees it."""

_CORRUPTIONS = (
    "gaussian-noise", "shot-noise", "impulse-noise", "defocus-blur", "motion-blur", "pixelate", "jpeg", "brightness",
    "contrast",
)  # fmt: skip
_TEXTS = ("typos", "case", "spaces", "homoglyphs", "emoji")

INDEX: dict[str, dict[str, str]] = {
    "method": {
        **dict.fromkeys((f"unrelated-image-{kind}" for kind in ("color", "nature", "noise")), "mmte.methods.unrelated"),
        "related-image-txtembed": "mmte.methods.related",
        "related-image-generated": "mmte.methods.generated",
        **dict.fromkeys((f"adversarial-{kind}-generated" for kind in ("untarget", "target")), "mmte.methods.attack"),
        "no-image": "mmte.methods.controls",
        "blank": "mmte.methods.controls",
        **dict.fromkeys((f"corrupt-{kind}" for kind in _CORRUPTIONS), "mmte.methods.corruption"),
        "typographic-overlay": "mmte.methods.overlay",
        **dict.fromkeys((f"perturb-{kind}" for kind in _TEXTS), "mmte.methods.text"),
    },
}
