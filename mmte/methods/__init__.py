"""Methods: what is done to a sample before a model sees it."""

INDEX: dict[str, dict[str, str]] = {
    "method": {
        **dict.fromkeys((f"unrelated-image-{kind}" for kind in ("color", "nature", "noise")), "mmte.methods.unrelated"),
        "related-image-txtembed": "mmte.methods.related",
        "no-image": "mmte.methods.controls",
        "blank": "mmte.methods.controls",
    },
}
