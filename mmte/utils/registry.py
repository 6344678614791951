"""The registry under the name that MMTrustEval's users import."""

from mmte.registry import Registry, registry

__all__ = ["Registry", "registry"]
