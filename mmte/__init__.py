"""mmte: measures how far (multimodal) chat models can be trusted, as a pytest run."""

__version__ = "0.1.0"
