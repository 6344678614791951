"""Task files: read, checked to the line, and turned into cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmte.errors import MmteError, near
from mmte.evaluators.metrics import metric_for
from mmte.evaluators.sequence import JOINS, SETTINGS, SequentialEvaluator
from mmte.registry import registry
from mmte.report.limits import Limit
from mmte.tasks import yamlfile
from mmte.tasks.overrides import Override
from mmte.tasks.yamlfile import Document, Where
from mmte.types import ASPECTS, KINDS, Case, Generation

KEYS = (
    "task", "title", "aspect", "sub_aspect", "description", "metadata", "generation_kwargs", "kind", "datasets",
    "dataset_id", "dataset_cfg", "method_cfg", "variants", "languages", "fewshot", "evaluators", "evaluator_seq_cfgs",
    "direction", "thresholds", "model_id", "log_file",
)  # fmt: skip
DATASET_KEYS = ("dataset_id", "name", "dataset_cfg", "method_cfg", "variants", "languages", "fewshot", "generation_kwargs")
FEWSHOT_KEYS = ("n", "dataset_id", "dataset_cfg", "answer")
METADATA_KEYS = ("version", "changes", "sources", "licence", "authors")
_NAME = re.compile(r"[\w.+-]+")


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
                    yield Case(f"{self.name}[{dataset}/{sequence}/{model}]", self.name, self.aspect, dataset, sequence, model, config)


def load_task(path: Path, overrides: Sequence[Override] = ()) -> TaskSpec:
    """Read and check a task file.

    Raises:
        MmteError: one line with file, line, key, what is wrong, and a near name.
    """
    document = yamlfile.load(path)
    if not isinstance(document.data, dict):
        raise document.error((), "a task file is a mapping of keys to values")
    name = str(document.data.get("task") or path.name.removesuffix(path.suffix))
    for override in overrides:
        override.apply(name, document.data)
    return _Reader(document, name).read()


class _Reader:
    """Checks one document, key by key."""

    def __init__(self, document: Document, name: str) -> None:
        self.doc, self.data, self.name = document, document.data, name

    def read(self) -> TaskSpec:
        data = self.data
        self._known((), data, KEYS)
        self._named(("task",), self.name)
        aspect = self._one_of(("aspect",), data.get("aspect"), ASPECTS)
        for key in ("title", "sub_aspect", "description"):
            self._text((key,), data.get(key, ""))
        self._log_file(data.get("log_file"))
        common = {
            "title": data.get("title", ""),
            "sub_aspect": data.get("sub_aspect", ""),
            "version": self._metadata(data.get("metadata") or {}),
            "kind": self._one_of(("kind",), data.get("kind", "chat"), KINDS),
        }
        datasets = self._datasets()
        sequences = self._sequences()
        model = self._default_model(data.get("model_id"))
        return TaskSpec(self.name, aspect, common, datasets, sequences, model, common["title"], self.doc.path)

    # -- datasets ------------------------------------------------------------------------------
    def _datasets(self) -> dict[str, dict[str, Any]]:
        data = self.data
        if ("datasets" in data) == ("dataset_id" in data):
            raise self.doc.error((), "name the data with either 'datasets' (a list) or 'dataset_id'")
        if "dataset_id" in data:
            entries: list[tuple[Where, Any]] = [((), data["dataset_id"])]
        else:
            if not isinstance(data["datasets"], list) or not data["datasets"]:
                raise self.doc.error(("datasets",), "must be a list with at least one dataset")
            entries = [(("datasets", n), entry) for n, entry in enumerate(data["datasets"])]
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
        self._known(where, about, DATASET_KEYS)
        at = (*where, "dataset_id")
        dataset_id = about.get("dataset_id")
        known = registry.list_datasets()
        if dataset_id not in known:
            raise self.doc.error(at, f"unknown dataset '{dataset_id}'.{near(dataset_id, known)}")
        merged = {key: self._merged(where, about, key) for key in ("dataset_cfg", "method_cfg", "generation_kwargs", "fewshot")}
        for method in merged["method_cfg"]:
            self._checked((*where, "method_cfg", method), lambda m=method: registry.get_method_class(m))
        self._generation(where, merged["generation_kwargs"])
        merged["fewshot"] = self._fewshot(where, merged["fewshot"], dataset_id)
        base = self._named((*where, "name"), about.get("name") or dataset_id)
        for suffix, extra in self._versions(where, about):
            config = {**merged, "dataset_id": dataset_id, "dataset_cfg": {**merged["dataset_cfg"], **extra["dataset_cfg"]}}
            config["language"], config["variant"] = extra["language"], extra["variant"]
            yield base + suffix, config

    def _versions(self, where: Where, about: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Variants x languages of a dataset: a suffix for the name and the options that they add."""
        axes = []
        for key in ("variants", "languages"):
            at = (*where, key) if key in about else (key,)
            table = about.get(key, self.data.get(key)) or {"": {}}
            if not isinstance(table, dict):
                raise self.doc.error(at, "must be a mapping of names to dataset options")
            for name, options in table.items():
                if name:
                    self._named((*at, name), name)
                if not isinstance(options or {}, dict):
                    raise self.doc.error((*at, name), "must be a mapping of dataset options")
            axes.append(table)
        for variant, one in axes[0].items():
            for language, other in axes[1].items():
                suffix = "".join(f".{part}" for part in (variant, language) if part)
                options = {**(one or {}), **(other or {})}
                yield suffix, {"dataset_cfg": options, "variant": variant, "language": language}

    def _merged(self, where: Where, about: Mapping[str, Any], key: str) -> dict[str, Any]:
        """The task's mapping with the dataset's own on top of it."""
        out: dict[str, Any] = {}
        for at, source in (((key,), self.data), ((*where, key), about)):
            value = source.get(key) or {}
            if not isinstance(value, dict):
                raise self.doc.error(at, f"must be a mapping, not {value!r}")
            out |= value
        return out

    def _generation(self, where: Where, kwargs: Mapping[str, Any]) -> None:
        at = (*where, "generation_kwargs") if where and (*where, "generation_kwargs") in self.doc.lines else ("generation_kwargs",)
        self._checked(at, lambda: Generation.from_kwargs(kwargs, "generation"))

    def _fewshot(self, where: Where, config: dict[str, Any], dataset_id: str) -> dict[str, Any]:
        if not config:
            return {}
        at = (*where, "fewshot") if where and (*where, "fewshot") in self.doc.lines else ("fewshot",)
        self._known(at, config, FEWSHOT_KEYS)
        if not isinstance(config.get("n"), int) or config["n"] < 0:
            raise self.doc.error((*at, "n"), "must be the number of examples")
        return {"dataset_id": dataset_id, **config}

    # -- evaluators ----------------------------------------------------------------------------
    def _sequences(self) -> dict[str, dict[str, Any]]:
        data = self.data
        if ("evaluators" in data) == ("evaluator_seq_cfgs" in data):
            raise self.doc.error((), "name the evaluators with either 'evaluators' (name -> sequence) or 'evaluator_seq_cfgs' (a list)")
        if "evaluators" in data:
            if not isinstance(data["evaluators"], dict) or not data["evaluators"]:
                raise self.doc.error(("evaluators",), "must be a mapping of names to evaluator sequences")
            entries = [(("evaluators", str(name)), str(name), chain) for name, chain in data["evaluators"].items()]
        else:
            if not isinstance(data["evaluator_seq_cfgs"], list) or not data["evaluator_seq_cfgs"]:
                raise self.doc.error(("evaluator_seq_cfgs",), "must be a list with at least one evaluator sequence")
            entries = [(("evaluator_seq_cfgs", n), _chain_name(c), c) for n, c in enumerate(data["evaluator_seq_cfgs"])]
        found: dict[str, dict[str, Any]] = {}
        for where, name, chain in entries:
            self._named(where, name)
            if name in found:
                raise self.doc.error(where, f"two evaluator sequences are called '{name}': give one a 'name'")
            found[name] = self._sequence(where, chain)
        return found

    def _sequence(self, where: Where, chain: Any) -> dict[str, Any]:
        metrics = self._chain(where, chain)
        settings = chain if isinstance(chain, dict) else {}
        direction = {**(self.data.get("direction") or {}), **(settings.get("direction") or {})}
        thresholds = {**(self.data.get("thresholds") or {}), **(settings.get("thresholds") or {})}
        for metric, way in direction.items():
            at = (*where, "direction", metric) if metric in (settings.get("direction") or {}) else ("direction", metric)
            self._one_of(at, way, ("up", "down"))
        for metric, rule in thresholds.items():
            at = (*where, "thresholds", metric) if metric in (settings.get("thresholds") or {}) else ("thresholds", metric)
            name = str(metric).partition("/")[0]
            if name not in metrics and at[0] != "thresholds":
                raise self.doc.error(at, f"the sequence has no metric '{name}'.{near(name, metrics)}")
            self._checked(at, lambda r=rule: Limit.parse(r))
        self._checked(where, lambda: SequentialEvaluator(chain))
        return {"evaluator": chain, "direction": direction, "thresholds": {k: v for k, v in thresholds.items() if str(k).partition("/")[0] in metrics}}

    def _chain(self, where: Where, chain: Any) -> list[str]:
        """Check a sequence; returns the metrics of its last stage."""
        if isinstance(chain, list):
            if not chain:
                raise self.doc.error(where, "an evaluator sequence needs at least one evaluator")
            return [self._chain((*where, n), part) for n, part in enumerate(chain)][-1]
        if not isinstance(chain, dict):
            raise self.doc.error(where, f"an evaluator sequence is a mapping of evaluators to their options, not {chain!r}")
        metrics: list[str] = []
        stages = [key for key in chain if key not in SETTINGS]
        if not stages:
            raise self.doc.error(where, "an evaluator sequence needs at least one evaluator")
        for key in stages:
            at = (*where, str(key))
            if key in JOINS:
                if not isinstance(chain[key], list) or len(chain[key]) < 2:
                    raise self.doc.error(at, "a join needs a list of at least two evaluator sequences")
                for number, part in enumerate(chain[key]):
                    self._chain((*at, number), part)
                options = chain
            else:
                self._checked(at, lambda k=key: registry.get_evaluator_class(str(k)))
                options = chain[key] or {}
                if not isinstance(options, dict):
                    raise self.doc.error(at, "the options of an evaluator are a mapping")
            metrics = self._metrics((*at, "metrics_cfg"), options.get("metrics_cfg") or {})
        return metrics

    def _metrics(self, where: Where, config: Any) -> list[str]:
        if not isinstance(config, dict):
            raise self.doc.error(where, "must be a mapping of metrics to their arguments")
        for name, kwargs in config.items():
            self._checked((*where, str(name)), lambda n=name: metric_for(str(n)))
            if not isinstance(kwargs or {}, dict):
                raise self.doc.error((*where, str(name)), "the arguments of a metric are a mapping")
        return [str(name) for name in config]

    # -- small things --------------------------------------------------------------------------
    def _metadata(self, metadata: Any) -> Any:
        if not isinstance(metadata, dict):
            raise self.doc.error(("metadata",), "must be a mapping")
        self._known(("metadata",), metadata, METADATA_KEYS)
        if not isinstance(metadata.get("changes") or {}, dict):
            raise self.doc.error(("metadata", "changes"), "must be a mapping of versions to what changed")
        return metadata.get("version", 1)

    def _default_model(self, model: Any) -> str:
        if model is None:
            return ""
        if not isinstance(model, str) or ":" in model or "=" in model:
            raise self.doc.error(("model_id",), "a task file may name a model of the catalogue, not where it is served: use --model")
        return model

    def _log_file(self, value: Any) -> None:
        if value is not None and not isinstance(value, str):
            raise self.doc.error(("log_file",), "must be a path")

    def _known(self, where: Where, mapping: Mapping[Any, Any], known: Sequence[str]) -> None:
        for key in mapping:
            if key not in known:
                raise self.doc.error((*where, str(key)), f"unknown key '{key}'.{near(key, known)}")

    def _one_of(self, where: Where, value: Any, known: Sequence[str]) -> Any:
        if value not in known:
            what = "is missing" if value is None else f"cannot be {value!r}"
            raise self.doc.error(where, f"{what}: one of {', '.join(known)}.{near(value, known) if value else ''}")
        return value

    def _text(self, where: Where, value: Any) -> None:
        if not isinstance(value, str):
            raise self.doc.error(where, f"must be a text, not {value!r}")

    def _named(self, where: Where, value: Any) -> str:
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise self.doc.error(where, f"{value!r} is no name: letters, digits and _ . + - only")
        return value

    def _checked(self, where: Where, check: Callable[[], Any]) -> None:
        try:
            check()
        except MmteError as error:
            raise self.doc.error(where, str(error)) from None


def _chain_name(chain: Any) -> str:
    """The name of a sequence that has none: its evaluators."""
    if isinstance(chain, dict):
        return str(chain.get("name") or "+".join(str(k) for k in chain if k not in SETTINGS))
    if isinstance(chain, list):
        return "+".join(_chain_name(part) for part in chain)
    return str(chain)
