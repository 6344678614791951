"""Task files: read, checked to the line, and turned into cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from mmte.registry import registry
from mmte.tasks import yamlfile
from mmte.tasks.checks import Checks
from mmte.tasks.overrides import Override
from mmte.tasks.sequences import SequenceReader
from mmte.tasks.yamlfile import Where
from mmte.types import ASPECTS, KINDS, Case, Generation

KEYS = (
    "task", "title", "aspect", "sub_aspect", "description", "metadata", "generation_kwargs", "kind", "datasets",
    "dataset_id", "dataset_cfg", "method_cfg", "variants", "languages", "fewshot", "evaluators", "evaluator_seq_cfgs",
    "direction", "thresholds", "model_id", "log_file",
)  # fmt: skip
DATASET_KEYS = (
    "dataset_id", "name", "dataset_cfg", "method_cfg", "variants", "languages", "fewshot", "generation_kwargs",
)  # fmt: skip
FEWSHOT_KEYS = ("n", "dataset_id", "dataset_cfg", "answer")
METADATA_KEYS = ("version", "changes", "sources", "licence", "authors")


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task file, checked: its datasets (name -> config) and evaluator sequences (name -> config)."""

    name: str
    aspect: str
    common: Mapping[str, Any]
    datasets: Mapping[str, Mapping[str, Any]]
    sequences: Mapping[str, Mapping[str, Any]]
    default_model: str = ""
    title: str = ""
    path: Path = field(default_factory=Path)

    def cases(self, models: Sequence[str]) -> Iterator[Case]:
        """One case for each model x dataset x evaluator sequence."""
        for model in models:
            for dataset, about in self.datasets.items():
                for sequence, chain in self.sequences.items():
                    config = {**self.common, **about, **chain}
                    name = f"{self.name}[{dataset}/{sequence}/{model}]"
                    yield Case(name, self.name, self.aspect, dataset, sequence, model, config)


def load_task(path: Path, overrides: Sequence[Override] = ()) -> TaskSpec:
    """Read and check a task file.

    Raises:
        MmteError: one line with file, line, key, what is wrong, and a near name.
    """
    document = yamlfile.load(path)
    if not isinstance(document.data, dict):
        raise document.error((), "a task file is a mapping of keys to values")
    name = _task_name(document)
    for override in overrides:
        override.apply(name, document.data)
    spec = _Reader(document).read()
    changed = [o.text for o in overrides if o.task in ("", name)]
    return replace(spec, common={**spec.common, "changed": changed}) if changed else spec


def _task_name(document: yamlfile.Document) -> str:
    """The task's name: its key, or the name of its file."""
    path = document.path
    return str(document.data.get("task") or path.name.removesuffix(path.suffix))


class _Reader(Checks):
    """Checks one document, key by key."""

    def read(self) -> TaskSpec:
        data = self.data
        self.known((), data, KEYS)
        name = self.name(("task",), _task_name(self.doc))
        aspect = self.one_of(("aspect",), data.get("aspect"), ASPECTS)
        for key in ("title", "sub_aspect", "description"):
            self.text((key,), data.get(key, ""))
        if data.get("log_file") is not None:
            self.text(("log_file",), data["log_file"])
        common = {
            "title": data.get("title", ""),
            "sub_aspect": data.get("sub_aspect", ""),
            "version": self._metadata(self.mapping(("metadata",), data.get("metadata"))),
            "kind": self.one_of(("kind",), data.get("kind", "chat"), KINDS),
        }
        datasets = self._datasets()
        sequences = SequenceReader(self.doc).read()
        model = self._default_model(data.get("model_id"))
        return TaskSpec(name, aspect, common, datasets, sequences, model, common["title"], self.doc.path)

    # -- datasets ------------------------------------------------------------------------------
    def _datasets(self) -> dict[str, dict[str, Any]]:
        data = self.data
        if ("datasets" in data) == ("dataset_id" in data):
            raise self.doc.error((), "name the data with either 'datasets' (a list) or 'dataset_id'")
        entries: list[tuple[Where, Any]]
        if "dataset_id" in data:
            entries = [((), {"dataset_id": data["dataset_id"]})]
        else:
            listed = self.items(("datasets",), data["datasets"], "dataset")
            entries = [(("datasets", n), entry) for n, entry in enumerate(listed)]
        found: dict[str, dict[str, Any]] = {}
        for where, entry in entries:
            for name, config in self._dataset(where, entry):
                if name in found:
                    raise self.doc.error(where, f"two datasets are called '{name}': give one a 'name'")
                found[name] = config
        return found

    def _dataset(self, where: Where, entry: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        about = {"dataset_id": entry} if isinstance(entry, str) else entry
        if not isinstance(about, dict):
            raise self.doc.error(where, f"a dataset is an id or a mapping with 'dataset_id', not {entry!r}")
        self.known(where, about, DATASET_KEYS)
        dataset_id = self._dataset_id((*where, "dataset_id"), about.get("dataset_id"))
        merged = {
            "dataset_cfg": self._options(where, about, "dataset_cfg"),
            "method_cfg": self._methods(where, about),
            "generation_kwargs": self._generation(where, about),
        }
        fewshot = self._fewshot(where, about)
        base = self.name((*where, "name"), about["name"]) if about.get("name") is not None else dataset_id
        for suffix, extra in self._versions(where, about):
            options = {**merged["dataset_cfg"], **extra.pop("dataset_cfg")}
            examples = {"dataset_id": dataset_id, "dataset_cfg": options, **fewshot} if fewshot else {}
            config = {**merged, "dataset_id": dataset_id, "dataset_cfg": options, "fewshot": examples, **extra}
            yield base + suffix, config

    def _dataset_id(self, where: Where, dataset_id: Any) -> str:
        if dataset_id is None:
            raise self.doc.error(where, "is missing: which dataset?")
        self.text(where, dataset_id)
        known = registry.list_datasets()
        if dataset_id not in known:  # asked for by name, so that a plugin that could not be loaded is named, too
            self.checked(where, registry.get_dataset_class, dataset_id)
        return str(dataset_id)

    def _versions(self, where: Where, about: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Variants x languages of a dataset: a suffix for the name and the options that they add."""
        axes: list[dict[str, dict[str, Any]]] = []
        for key in ("variants", "languages"):
            at = (*where, key) if key in about else (key,)
            table = self.mapping(at, about.get(key, self.data.get(key)), "a mapping of names to dataset options")
            for name in table:
                if name != "":
                    self.name((*at, str(name)), name)
            axes.append({name: self._checked_options((*at, name), table[name]) for name in table} or {"": {}})
        for variant, one in axes[0].items():
            for language, other in axes[1].items():
                suffix = "".join(f".{part}" for part in (variant, language) if part)
                yield suffix, {"dataset_cfg": {**one, **other}, "variant": variant, "language": language}

    def _merged(self, where: Where, about: Mapping[str, Any], key: str) -> dict[str, Any]:
        """The task's mapping with the dataset's own on top of it."""
        out = dict(self.mapping((key,), self.data.get(key)))
        if where:
            out |= self.mapping((*where, key), about.get(key))
        return out

    def _options(self, where: Where, about: Mapping[str, Any], key: str) -> dict[str, Any]:
        return self._checked_options(self.origin(where, key), self._merged(where, about, key))

    def _checked_options(self, where: Where, options: Any) -> dict[str, Any]:
        """Options of a dataset; the data's folder is the user's to choose."""
        checked = self.mapping(where, options, "a mapping of dataset options")
        for name in checked:
            if not isinstance(name, str):
                raise self.doc.error((*where, str(name)), "the name of an option is a text")
        if "data_root" in checked:
            rule = "a task file does not choose the data's folder: use --mmte-data"
            raise self.doc.error((*where, "data_root"), rule)
        return checked

    def _methods(self, where: Where, about: Mapping[str, Any]) -> dict[str, Any]:
        methods = self._merged(where, about, "method_cfg")
        for name, options in methods.items():
            at = self.origin(where, "method_cfg", str(name))
            self.checked(at, registry.get_method_class, str(name))
            told = self.mapping(at, options, "a mapping of the method's options")
            if "data_root" in told:
                raise self.doc.error((*at, "data_root"), "a task file cannot choose this: use --mmte-data=DIR")
            for key in ("img_dir", "font", "nature_src_dir"):
                path = PurePath(str(told.get(key) or ""))
                if path.is_absolute() or ".." in path.parts:
                    raise self.doc.error((*at, key), f"must be a path below the current folder, not {str(path)!r}")
        return methods

    def _generation(self, where: Where, about: Mapping[str, Any]) -> dict[str, Any]:
        settings = self._merged(where, about, "generation_kwargs")
        for name, value in settings.items():
            at = self.origin(where, "generation_kwargs", str(name))
            self.checked(at, Generation.from_kwargs, {name: value}, "generation")
        return settings

    def _fewshot(self, where: Where, about: Mapping[str, Any]) -> dict[str, Any]:
        config = self._merged(where, about, "fewshot")
        if not config:
            return {}
        at = self.origin(where, "fewshot")
        for key in config:
            self.known(self.origin(where, "fewshot", str(key))[:-1], {key: 0}, FEWSHOT_KEYS)
        if type(config.get("n")) is not int or config["n"] < 0:
            raise self.doc.error((*at, "n"), f"must be the number of examples, not {config.get('n')!r}")
        if "dataset_id" in config:
            self._dataset_id(self.origin(where, "fewshot", "dataset_id"), config["dataset_id"])
            config.setdefault("dataset_cfg", {})
        if "dataset_cfg" in config:
            config["dataset_cfg"] = self._checked_options((*at, "dataset_cfg"), config["dataset_cfg"])
        self.text(self.origin(where, "fewshot", "answer"), config.get("answer", ""))
        return config

    # -- small things --------------------------------------------------------------------------
    def _metadata(self, metadata: dict[Any, Any]) -> Any:
        self.known(("metadata",), metadata, METADATA_KEYS)
        version = metadata.get("version", 1)
        if isinstance(version, bool) or not isinstance(version, (int, float, str)):
            raise self.doc.error(("metadata", "version"), f"must be a number or a text, not {version!r}")
        at = ("metadata", "changes")
        for name, what in self.mapping(at, metadata.get("changes"), "a mapping of versions to what changed").items():
            self.text((*at, str(name)), what)
        for key in ("sources", "authors"):
            self.texts(("metadata", key), metadata.get(key, []))
        self.text(("metadata", "licence"), metadata.get("licence", ""))
        return version

    def _default_model(self, model: Any) -> str:
        if model is None:
            return ""
        if not isinstance(model, str) or ":" in model or "=" in model:
            rule = "a task file may name a model of the catalogue, not where it is served: use --model"
            raise self.doc.error(("model_id",), rule)
        return model
