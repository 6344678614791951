"""Models: what is asked."""

INDEX: dict[str, dict[str, str]] = {
    "chatmodel": {},
    "backend": {
        "scripted": "mmte.models.scripted",
        "replay": "mmte.models.replay",
        "openai": "mmte.models.openai",
        "gguf": "mmte.models.gguf",
        "hf": "mmte.models.hf",
        "ocr": "mmte.models.ocr",
        "classifier": "mmte.models.classifier",
        "perspective": "mmte.models.perspective",
        "moderation": "mmte.models.moderation",
        "profanity": "mmte.models.profanity",
    },
}
