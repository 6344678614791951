"""Names to classes: lazy, open to other packages, and clear about names that do not exist."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import EntryPoint, entry_points
from sys import _getframe
from types import FrameType
from typing import Any, TypeVar

from mmte.errors import MmteError, near

T = TypeVar("T", bound=type)

# kind -> (attribute that lists a class's ids, package whose INDEX names the modules of our own ids)
_KINDS = {
    "dataset": ("dataset_ids", "mmte.datasets"),
    "method": ("method_ids", "mmte.methods"),
    "chatmodel": ("model_family", "mmte.models"),
    "backend": ("backend_ids", "mmte.models"),
    "evaluator": ("evaluator_ids", "mmte.evaluators"),
}


class PluginWarning(UserWarning):
    """A package that offers mmte plugins could not be loaded."""


class Registry:
    """Classes by kind and id.

    Our own modules are imported when one of their ids is asked for. Modules named by entry points of
    group `mmte` are imported when an id is not ours, or when ids are listed; one that fails to
    import is a warning, and named in the error when the missing id may have been its own.
    """

    def __init__(self, group: str = "mmte") -> None:
        self._classes: dict[str, dict[str, type]] = {kind: {} for kind in _KINDS}
        self._group = group
        self._places: dict[tuple[str, str], str] = {}
        self._loaded_plugins = False
        self._broken: dict[str, str] = {}

    # -- registering ---------------------------------------------------------------------------
    def _register(self, kind: str, ids: Sequence[str] | None) -> Callable[[T], T]:
        attribute = _KINDS[kind][0]
        if ids is not None and not all(isinstance(name, str) for name in ids):
            raise MmteError(f"{_place(ids[0], _getframe(2))}: write @registry.register_{kind}(), with brackets")

        def decorate(cls: T) -> T:
            place = _place(cls, _getframe(1))
            names = ids if ids is not None else getattr(cls, attribute, ())
            if isinstance(names, str) or not names:
                raise MmteError(f"{place}: a {kind} class needs `{attribute}`, a list with at least one id")
            for name in names:
                old = self._classes[kind].get(name) or self._ours(kind, name, cls)
                known = self._places.get((kind, name), "")
                if old not in (None, cls) and not _imported_again(known, place):
                    raise MmteError(f"{kind} '{name}' is registered twice: by {known} and by {place}")
            for name in names:
                self._classes[kind][name] = cls
                self._places[kind, name] = place
            return cls

        return decorate

    def _ours(self, kind: str, name: str, cls: type) -> type | None:
        """The class of one of our own ids that another package takes for its own, loaded or not."""
        module = self._index(kind).get(name)
        if module is None or cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            return None
        importlib.import_module(module)
        return self._classes[kind].get(name)

    def register_dataset(self, *ids: str) -> Callable[[T], T]:
        """Class decorator: registers a dataset class for its `dataset_ids` (or the ids given)."""
        return self._register("dataset", ids or None)

    def register_method(self, *ids: str) -> Callable[[T], T]:
        """Class decorator: registers a method class for its `method_ids` (or the ids given)."""
        return self._register("method", ids or None)

    def register_chatmodel(self, *ids: str) -> Callable[[T], T]:
        """Class decorator: registers a chat model class for its `model_family` (or the ids given)."""
        return self._register("chatmodel", ids or None)

    def register_evaluator(self, *ids: str) -> Callable[[T], T]:
        """Class decorator: registers an evaluator class for its `evaluator_ids` (or the ids given)."""
        return self._register("evaluator", ids or None)

    def register_backend(self, *ids: str) -> Callable[[T], T]:
        """Class decorator: registers a model backend for the prefixes of its specs (`backend_ids`)."""
        return self._register("backend", ids or None)

    # -- looking up ----------------------------------------------------------------------------
    def get_dataset_class(self, name: str) -> type[Any]:
        """The dataset class of an id; MmteError with near names when there is none."""
        return self._get("dataset", name)

    def get_method_class(self, name: str) -> type[Any]:
        """The method class of an id; MmteError with near names when there is none."""
        return self._get("method", name)

    def get_chatmodel_class(self, name: str) -> type[Any]:
        """The chat model class of an id; MmteError with near names when there is none."""
        return self._get("chatmodel", name)

    def get_evaluator_class(self, name: str) -> type[Any]:
        """The evaluator class of an id; MmteError with near names when there is none."""
        return self._get("evaluator", name)

    def get_backend_class(self, name: str) -> type[Any]:
        """The backend class of a spec's prefix; MmteError with near names when there is none."""
        return self._get("backend", name)

    def list_datasets(self) -> list[str]:
        """All dataset ids, sorted."""
        return self._list("dataset")

    def list_methods(self) -> list[str]:
        """All method ids, sorted."""
        return self._list("method")

    def list_chatmodels(self) -> list[str]:
        """All ids of registered chat model classes, sorted."""
        return self._list("chatmodel")

    def list_evaluators(self) -> list[str]:
        """All evaluator ids, sorted."""
        return self._list("evaluator")

    def list_backends(self) -> list[str]:
        """All prefixes of model specs, sorted."""
        return self._list("backend")

    # -- inside --------------------------------------------------------------------------------
    def _index(self, kind: str) -> dict[str, str]:
        package = importlib.import_module(_KINDS[kind][1])
        index: dict[str, dict[str, str]] = getattr(package, "INDEX", {})
        return index.get(kind, {})

    def _get(self, kind: str, name: str) -> type[Any]:
        found = self._classes[kind].get(name)
        if found is None and (module := self._index(kind).get(name)):
            importlib.import_module(module)
            found = self._classes[kind].get(name)
        if found is None:
            self._load_plugins()
            found = self._classes[kind].get(name)
        if found is None:
            broken = "".join(f" Plugin {plugin} could not be loaded: {why}." for plugin, why in self._broken.items())
            hint = near(name, self._list(kind)) or f" `mmte list {kind}s` shows what there is."
            raise MmteError(f"unknown {kind} '{name}'.{hint}{broken}")
        return found

    def _list(self, kind: str) -> list[str]:
        self._load_plugins()
        return sorted({*self._classes[kind], *self._index(kind)})

    def _entry_points(self) -> Iterable[EntryPoint]:
        return entry_points(group=self._group)

    def _load_plugins(self) -> None:
        if self._loaded_plugins:
            return
        self._loaded_plugins = True
        messages = []
        for point in self._entry_points():
            try:
                point.load()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - what a foreign package does at import is not ours
                origin = f"'{point.name}'" + (f" of {point.dist.name} {point.dist.version}" if point.dist else "")
                why = " ".join(f"{type(error).__name__}: {error}".split())
                self._broken[origin] = why
                messages.append(f"mmte: plugin {origin} ({point.value}) could not be loaded: {why}")
        for message in messages:  # after the last one was loaded, for warnings may be errors here
            warnings.warn(message, PluginWarning, 4)


def _place(cls: Any, frame: FrameType) -> str:
    """A class with the file and line that register it."""
    name = f"{getattr(cls, '__module__', '?')}.{getattr(cls, '__qualname__', repr(cls))}"
    return f"{name} ({frame.f_code.co_filename}:{frame.f_lineno})"


def _imported_again(one: str, other: str) -> bool:
    """Whether two places are the same class in the same file, whatever its line is now."""
    return one.rpartition(":")[0] == other.rpartition(":")[0]


registry = Registry()
"""The registry that decorators fill and task files are resolved with."""
