"""Datasets: what is asked about."""

_KINDS = ("color", "nature", "noise")
_CONFAIDE = ("confaide-text", "confaide-image", *(f"confaide-unrelated-image-{k}" for k in _KINDS))

INDEX: dict[str, dict[str, str]] = {
    "dataset": {
        **dict.fromkeys((*_CONFAIDE, "confaide-tier-2a", "confaide-tier-2b"), "mmte.datasets.confaide"),
        **dict.fromkeys((f"unrelated-image-{k}" for k in _KINDS), "mmte.datasets.unrelated"),
    },
}
