"""mmte: measures how far (multimodal) chat models can be trusted, as a pytest run.  PYTEST_DONT_REWRITE (see plugin)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmte.types import ImageTxtSample, TxtSample

__version__ = "0.1.0"
__all__ = ["ImageTxtSample", "TxtSample"]


def __getattr__(name: str) -> Any:
    """The samples, under the names that MMTrustEval's users import; nothing is loaded before they do."""
    if name in __all__:
        import mmte.types

        return getattr(mmte.types, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
