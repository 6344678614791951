"""The options of the plugin, and the `Settings` that they make."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mmte.engine.settings import Settings
    from mmte.report.gates import Gate
    from mmte.tasks.overrides import Override

DEFAULT_MODEL = "smollm2-135m"


def add_options(group: Any) -> None:
    """Add every option but `--model` to the group."""
    add = group.addoption
    add("--mmte-model", action="append", metavar="NAME",
        help=f"model to measure: a catalogue name, or NAME=SPEC with SPEC one of gguf:FILE, openai:MODEL@URL,"
             f" replay:FILE, scripted:ANSWER; repeatable (default: {DEFAULT_MODEL}, embedded, on the CPU)")  # fmt: skip
    add("--judge", "--mmte-judge", action="append", dest="mmte_judge", default=[], metavar="NAME=SPEC",
        help="model that evaluators may ask under NAME; repeatable (default: none, such items are skipped)")  # fmt: skip
    add("--mmte-data", metavar="DIR", help="folder with the data in the published layout (default: mini data of the package)")
    add("--mmte-limit", type=_positive, metavar="N",
        help="samples per subset, whole clusters, the same ones each time (default: all)")  # fmt: skip
    add("--mmte-repeats", type=_positive, default=1, metavar="K", help="answers to each question (default: 1)")
    add("--mmte-refresh", action="store_true", help="ask again what the cache already has")
    add("--mmte-offline", action="store_true", help="ask no model: score what the cache has")
    add("--mmte-cache", metavar="FILE", help="where answers are kept (default: $MMTE_CACHE, or the user's cache folder)")
    add("--mmte-set", action="append", default=[], metavar="[TASK:]KEY.PATH=VALUE",
        help="change one value of task files, e.g. generation_kwargs.max_new_tokens=20; repeatable")  # fmt: skip
    add("--mmte-gates", metavar="FILE", help="TOML file with limits that scores are held against (default: none)")
    add("--mmte-min-coverage", type=_share, default=0.98, metavar="SHARE",
        help="least share of questions that must have been answered for a score, 0 to 1 (default: 0.98)")  # fmt: skip
    add("--mmte-report", metavar="DIR", help="folder for this run's report (default: reports/<time>, and reports/latest)")
    add("--mmte-progress", type=_seconds, default=30.0, metavar="SECONDS",
        help="seconds between progress lines where there is no terminal; 0: none (default: 30)")  # fmt: skip


def check_options(config: pytest.Config) -> None:
    """Find mistakes in options before anything is collected.

    Raises:
        pytest.UsageError: one line that names the option.
    """
    option = config.option
    told = [option.mmte_model, option.mmte_judge, option.mmte_set, option.mmte_gates, option.mmte_data]
    if not any(told):
        return
    from mmte.errors import MmteError

    try:
        models(config)
        judges(config)
        overrides(config)
        gates(config)
    except MmteError as error:
        raise pytest.UsageError(str(error)) from None
    if option.mmte_data and not Path(option.mmte_data).is_dir():
        raise pytest.UsageError(f"--mmte-data={option.mmte_data}: there is no such folder")


def models(config: pytest.Config) -> dict[str, Any]:
    """The models of `--model`, by name; empty when none was named."""
    return _specs(config.option.mmte_model or [], "--model")


def judges(config: pytest.Config) -> dict[str, Any]:
    """The models of `--judge`, by name."""
    return _specs(config.option.mmte_judge, "--judge")


def _specs(texts: list[str], option: str) -> dict[str, Any]:
    if not texts:
        return {}
    from mmte.errors import MmteError
    from mmte.models.spec import parse_model

    found: dict[str, Any] = {}
    for text in texts:
        spec = parse_model(text, option)
        if spec.name in found and found[spec.name] != spec:
            raise MmteError(f"{option}: two models are called '{spec.name}': write NAME=SPEC")
        found[spec.name] = spec
    return found


def overrides(config: pytest.Config) -> list[Override]:
    """What `--mmte-set` says."""
    if not config.option.mmte_set:
        return []
    from mmte.tasks.config import KEYS
    from mmte.tasks.overrides import parse

    return [parse(text, KEYS) for text in config.option.mmte_set]


def gates(config: pytest.Config) -> list[Gate]:
    """The limits of `--mmte-gates`."""
    if not config.option.mmte_gates:
        return []
    from mmte.report.gates import load_gates

    return load_gates(Path(config.option.mmte_gates))


def settings(config: pytest.Config, model_names: list[str]) -> Settings:
    """The run's settings; `model_names` are those that the selected items name."""
    from mmte.engine.settings import Settings, default_cache
    from mmte.models.spec import parse_model

    option, run = config.option, run_info(config)
    told = models(config)
    return Settings(
        models={name: told[name] if name in told else parse_model(name) for name in model_names},
        judges=judges(config),
        cache=Path(option.mmte_cache) if option.mmte_cache else default_cache(),
        state_dir=Path(run["state"]),
        worker=getattr(config, "workerinput", {}).get("workerid"),
        data_root=Path(option.mmte_data) if option.mmte_data else None,
        samples_dir=Path(run["folder"]) / "samples",
        limit=option.mmte_limit,
        repeats=option.mmte_repeats,
        refresh=option.mmte_refresh,
        offline=option.mmte_offline,
        min_coverage=option.mmte_min_coverage,
    )


_RUN = pytest.StashKey[dict[str, str]]()


def run_info(config: pytest.Config) -> dict[str, str]:
    """This run's id, report folder and state folder: made up by the controller, told to its workers."""
    if (told := getattr(config, "workerinput", {}).get("mmte_run")) is not None:
        return dict(told)
    if _RUN not in config.stash:
        import tempfile
        from datetime import UTC, datetime

        now = datetime.now(UTC)
        run_id = f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"
        folder = Path(config.option.mmte_report or config.invocation_params.dir / "reports" / run_id)
        config.stash[_RUN] = {
            "id": run_id,
            "folder": str(folder.absolute()),
            "state": str(Path(tempfile.gettempdir()) / f"mmte-{run_id}-{uuid.uuid4().hex}"),
            "started": now.isoformat(timespec="seconds"),
        }
    return config.stash[_RUN]


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise pytest.UsageError(f"{text!r} is no whole number >= 1")
    return int(text)


def _share(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= 1:
        raise pytest.UsageError(f"{text!r} is no share between 0 and 1")
    return value


def _seconds(text: str) -> float:
    value = _number(text)
    if not 0 <= value < float("inf"):
        raise pytest.UsageError(f"{text!r} is no number of seconds >= 0")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise pytest.UsageError(f"{text!r} is no number") from None
