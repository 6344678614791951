"""What `--model` takes: a catalogue name, a registered chat model, or NAME=SPEC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mmte.errors import MmteError, near
from mmte.registry import registry

if TYPE_CHECKING:
    from mmte.models.base import BaseChat

_NAME = re.compile(r"[\w.+-]+")
_BACKEND = re.compile(r"([a-z][\w-]*):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model that can be built anywhere: picklable until `build()`.

    `backend` is the prefix of the spec, `target` what follows it, `options` the `?key=value&...` at
    its end (texts, for the backend to check). `given` is the option that named the model.
    """

    name: str
    backend: str
    target: str
    options: dict[str, str] = field(default_factory=dict, hash=False)
    given: str = field(default="--model", compare=False)

    @property
    def where(self) -> str:
        """What messages call it: the option and the model's name."""
        return f"{self.given} {self.name}"

    def build(self) -> BaseChat:
        """The model, not loaded.

        Raises:
            MmteError: unknown backend, option or file; one line says which.
        """
        if self.backend == "chatmodel":
            model = registry.get_chatmodel_class(self.target)(self.target)
        else:
            model = registry.get_backend_class(self.backend).from_spec(self)
        built: BaseChat = model
        return built

    def option(self, name: str, kind: type[Any], default: Any) -> Any:
        """One option as a number, text or flag (`yes`/`no`, `true`/`false`, `1`/`0`)."""
        text = self.options.get(name)
        if text is None:
            return default
        try:
            if kind is bool:
                return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[text.lower()]
            return kind(text)
        except (ValueError, KeyError):
            raise MmteError(f"{self.where}: {name}={text!r} is no {kind.__name__}") from None

    def check_options(self, *known: str) -> None:
        """Raise MmteError for an option that the backend does not have."""
        for name in self.options:
            if name not in known:
                raise MmteError(f"{self.where}: {self.backend} has no option '{name}'.{near(name, known)}")


@cache
def catalogue() -> dict[str, dict[str, Any]]:
    """The models known by name: `{name: {spec, about, ...}}`, from `catalogue.yaml`."""
    import yaml

    loaded = yaml.safe_load(files("mmte.models").joinpath("catalogue.yaml").read_text("utf-8"))
    return dict(loaded)


def parse_model(text: str, option: str = "--model") -> ModelSpec:
    """Read what stands after `--model` (or `--judge`).

    `NAME=backend:target?key=value&key=value`, a name of the catalogue, the id of a registered chat
    model, or `backend:target`, which is named after itself.

    Raises:
        MmteError: nothing of that name; near names are in the message.
    """
    name, equals, rest = text.partition("=")
    if not (equals and _NAME.fullmatch(name)):
        if equals and not _BACKEND.fullmatch(text):
            raise MmteError(f"{option} {text!r}: a name has letters, digits and _ . + - only")
        name, rest = "", text
    if match := _BACKEND.fullmatch(rest):
        backend, target = match.groups()
        try:
            registry.get_backend_class(backend)
        except MmteError as error:
            raise MmteError(f"{option}: {error}") from None
        target, _, query = target.partition("?")
        options = {}
        for part in filter(None, query.split("&")):
            key, eq, value = part.partition("=")
            options[key] = unquote(value) if eq else "yes"
        return ModelSpec(name or re.sub(r"[^\w.+-]+", "-", rest).strip("-"), backend, target, options, option)
    if rest in catalogue():
        return parse_model(f"{name or rest}={catalogue()[rest]['spec']}", option)
    known = [*catalogue(), *registry.list_chatmodels()]
    if rest in known:
        return ModelSpec(name or re.sub(r"[^\w.+-]+", "-", rest), "chatmodel", rest, given=option)
    prefixes = ", ".join(f"{b}:" for b in registry.list_backends())
    example = f"{rest if _NAME.fullmatch(rest) else 'NAME'}=openai:MODEL@URL"
    raise MmteError(
        f"{option}: unknown model '{rest}'.{near(rest, known)} Or NAME=SPEC, SPEC one of {prefixes} ...; "
        f"a model behind an API is {example}"
    )


def seats(specs: Iterable[ModelSpec]) -> tuple[dict[str, ModelSpec], dict[str, tuple[str, ...]]]:
    """Judges by name, and panels: a name that stands for several different models, who are called NAME#1, NAME#2 ...

    Raises:
        MmteError: a name is given the same model twice.
    """
    given: dict[str, list[ModelSpec]] = {}
    for spec in specs:
        others = given.setdefault(spec.name, [])
        if spec in others:
            raise MmteError(
                f"{spec.where}: given twice with the same SPEC; a panel needs different judges; to repeat the questions"
                " of one use --mmte-judge-repeats"
            )
        others.append(spec)
    models: dict[str, ModelSpec] = {}
    panels: dict[str, tuple[str, ...]] = {}
    for name, found in given.items():
        names = [name] if len(found) == 1 else [f"{name}#{n}" for n in range(1, len(found) + 1)]
        models |= {seat: replace(spec, name=seat) for seat, spec in zip(names, found, strict=True)}
        if len(found) > 1:
            panels[name] = tuple(names)
    return models, panels
