"""Methods: what is done to a sample before a model sees it."""

INDEX: dict[str, dict[str, str]] = {"method": {}}
