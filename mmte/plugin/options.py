"""The options of the plugin, and the `Settings` that they make."""

from __future__ import annotations

import argparse
import math
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mmte.compat.literals import Literals
    from mmte.engine.settings import Settings
    from mmte.evaluators.scoring import Scoring
    from mmte.report.gates import Gate
    from mmte.tasks.overrides import Override

DEFAULT_MODEL = "smollm2-135m"
_FRIENDLY = {"--model": ("mmte_model", "NAME"), "--judge": ("mmte_judge", "NAME=SPEC")}
"""Short spellings of `--mmte-model` and `--mmte-judge`, which other plugins may want for themselves."""


def add_options(group: Any) -> None:
    """Add every option but the friendly spellings to the group."""
    add = group.addoption
    add("--mmte-model", action="append", dest="mmte_model", metavar="NAME",
        help=f"model to measure: a catalogue name, or NAME=SPEC with SPEC one of gguf:FILE, openai:MODEL@URL,"
             f" hf:ID-or-DIR, ocr:MODEL, replay:FILE, scripted:ANSWER; repeatable"
             f" (default: {DEFAULT_MODEL}, embedded, on the CPU)")  # fmt: skip
    add("--mmte-judge", action="append", dest="mmte_judge", default=[], metavar="NAME=SPEC",
        help="model that evaluators may ask as NAME; SPEC is that of a model, or a scorer: classifier:ID-or-DIR,"
             " profanity:, perspective:, moderation:MODEL; repeatable: a NAME given more than once is a panel, whose"
             " majority decides (default: none, such items are skipped)")  # fmt: skip
    add("--mmte-judge-repeats", type=_positive("--mmte-judge-repeats"), default=1, metavar="K",
        help="how often each judge is asked each question; the majority is its verdict (default: 1)")  # fmt: skip
    add("--mmte-data", type=_text("--mmte-data"), metavar="DIR",
        help="folder with the data in the published layout (default: mini data of the package)")  # fmt: skip
    add("--mmte-limit", type=_positive("--mmte-limit"), metavar="N",
        help="samples per subset, whole clusters, the same ones each time (default: all)")  # fmt: skip
    add("--mmte-repeats", type=_positive("--mmte-repeats"), default=1, metavar="K",
        help="answers to each question (default: 1)")  # fmt: skip
    add("--mmte-refresh", action="store_true", help="ask again what the cache already has (default: off)")
    add("--mmte-offline", action="store_true", help="ask no model: score what the cache has (default: off)")
    add("--mmte-cache", type=_text("--mmte-cache"), metavar="FILE",
        help="where answers are kept (default: $MMTE_CACHE, or the user's cache folder)")  # fmt: skip
    add("--mmte-set", action="append", default=[], metavar="[TASK:]KEY.PATH=VALUE",
        help="change one value of task files, e.g. generation_kwargs.max_new_tokens=20; repeatable"
             " (default: none)")  # fmt: skip
    add("--mmte-control", action="extend", type=_names("--mmte-control"), default=[], metavar="NAME,...",
        help="ask image questions again behind these methods, e.g. no-image,blank, and report what the image"
             " contributes: the difference with its interval (default: none)")  # fmt: skip
    add("--mmte-scoring", type=_one_of("--mmte-scoring", "strict", "multitrust"), default="strict", metavar="READING",
        help="how answers are read: strict, or multitrust, which is MultiTrust's own way, mistakes included"
             " (default: strict)")  # fmt: skip
    add("--mmte-multitrust", type=_text("--mmte-multitrust"), metavar="DIR|FILE",
        help="where the reading multitrust gets MultiTrust's phrase lists: a MMTrustEval checkout, or a JSON file of"
             " them, FILE or FILE#VERSION (default: none)")  # fmt: skip
    add("--mmte-gates", type=_text("--mmte-gates"), metavar="FILE",
        help="TOML file with limits that scores are held against (default: none)")  # fmt: skip
    add("--mmte-scores", type=_text("--mmte-scores"), metavar="FILE",
        help="YAML file that combines results into task scores; none: no task scores (default: the scores.yaml beside"
             " the task files or one folder above)")  # fmt: skip
    add("--mmte-min-coverage", type=_share("--mmte-min-coverage"), default=0.98, metavar="SHARE",
        help="least share of questions that must have been answered for a score, 0 to 1 (default: 0.98)")  # fmt: skip
    add("--mmte-report", type=_text("--mmte-report"), metavar="DIR",
        help="folder for this run's report (default: reports/<time>, and reports/latest)")  # fmt: skip
    add("--mmte-progress", type=_seconds("--mmte-progress"), default=30.0, metavar="SECONDS",
        help="seconds between progress lines where there is no terminal; 0: none (default: 30)")  # fmt: skip


def add_friendly_options(parser: pytest.Parser, wanted: Iterable[str] = _FRIENDLY) -> None:
    """Add `--model` and `--judge`; each gives way to an option of that name elsewhere."""
    for name in wanted:
        dest, metavar = _FRIENDLY[name]
        try:
            parser.getgroup("mmte").addoption(
                name, action="append", dest=dest, metavar=metavar, help=f"the same as --{dest.replace('_', '-')}",
            )  # fmt: skip
        except (ValueError, argparse.ArgumentError):
            continue


def friendly_in(args: Iterable[str]) -> list[str]:
    """Which friendly spellings a command line uses (all of them where it asks for help)."""
    used = {arg.partition("=")[0] for arg in args}
    return [name for name in _FRIENDLY if used & {name, "-h", "--help"}]


def in_use(config: pytest.Config) -> bool:
    """Whether an option says that this run measures something."""
    o = config.option
    return any([o.mmte_model, o.mmte_judge, o.mmte_set, o.mmte_gates, o.mmte_data, o.mmte_report, o.mmte_cache,
                o.mmte_control, o.mmte_scores, o.mmte_multitrust, o.mmte_judge_repeats != 1,
                o.mmte_scoring != "strict"])  # fmt: skip


def check_options(config: pytest.Config) -> None:
    """Find mistakes in options before anything is collected.

    Raises:
        pytest.UsageError: one line that names the option.
    """
    if config.option.mmte_offline and config.option.mmte_refresh:
        raise pytest.UsageError("--mmte-refresh asks every question again, --mmte-offline asks none: drop one of them")
    if not in_use(config):
        return
    from mmte.errors import MmteError

    try:
        models(config)
        judges(config)
        overrides(config)
        gates(config)
        literals(config)
        if config.option.mmte_control:
            from mmte.engine.control import check_controls

            check_controls(config.option.mmte_control)
        if config.option.mmte_scores:
            from mmte.plugin.scores import score_trees

            score_trees(config, ())
    except MmteError as error:
        raise pytest.UsageError(str(error)) from None
    option = config.option
    if option.mmte_data and not Path(option.mmte_data).is_dir():
        raise pytest.UsageError(f"--mmte-data={option.mmte_data}: there is no such folder")
    if option.mmte_report and Path(option.mmte_report).exists() and not Path(option.mmte_report).is_dir():
        raise pytest.UsageError(f"--mmte-report={option.mmte_report}: this is a file; name a folder")
    if option.mmte_cache and Path(option.mmte_cache).is_dir():
        raise pytest.UsageError(f"--mmte-cache={option.mmte_cache}: this is a folder; name a file")


def models(config: pytest.Config) -> dict[str, Any]:
    """The models of `--model`, by name; empty when none was named."""
    return _specs(config.option.mmte_model or [], "--model")


def judges(config: pytest.Config) -> dict[str, Any]:
    """The models of `--judge`, by name; those of a panel are called NAME#1, NAME#2 and so on."""
    return _seats(config)[0]


def _seats(config: pytest.Config) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """The judges by name, and the names of those who sit in each panel."""
    if not config.option.mmte_judge:
        return {}, {}
    from mmte.models.spec import parse_model, seats

    return seats([parse_model(text, "--judge") for text in config.option.mmte_judge])


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


_LITERALS = pytest.StashKey[Any]()


def literals(config: pytest.Config) -> Literals | None:
    """The lists of `--mmte-multitrust`, read once; None in the strict reading.

    Raises:
        MmteError: they are missing, cannot be read, or have no effect.
    """
    where = config.option.mmte_multitrust
    if config.option.mmte_scoring == "strict":
        if not where:
            return None
        from mmte.errors import MmteError

        raise MmteError(f"--mmte-multitrust={where} has no effect without --mmte-scoring=multitrust: add that option")
    if _LITERALS not in config.stash:
        from mmte.compat.literals import NEEDS, load_literals
        from mmte.errors import MmteError

        if not where:
            raise MmteError(NEEDS)
        config.stash[_LITERALS] = load_literals(where)
    found: Literals = config.stash[_LITERALS]
    return found


def scoring(config: pytest.Config) -> Scoring:
    """The reading that `--mmte-scoring` names."""
    from mmte.evaluators.scoring import scoring_for

    return scoring_for(config.option.mmte_scoring, literals(config))


def settings(config: pytest.Config, model_names: list[str]) -> Settings:
    """The run's settings; `model_names` are those that the selected items name."""
    from mmte.engine.settings import Settings, default_cache
    from mmte.models.spec import parse_model

    option, run = config.option, run_info(config)
    told = models(config)
    seated, panels = _seats(config)
    return Settings(
        models={name: told[name] if name in told else parse_model(name) for name in model_names},
        judges=seated,
        panels=panels,
        judge_repeats=option.mmte_judge_repeats,
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
        controls=tuple(dict.fromkeys(option.mmte_control)),
        scoring=option.mmte_scoring,
        literals=literals(config),
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


def _text(option: str) -> Callable[[str], str]:
    """An empty value (a variable that a CI job did not set) must not pass for the default."""

    def read(text: str) -> str:
        if not text.strip():
            raise pytest.UsageError(f"{option}: its value is empty")
        return text

    return read


def _names(option: str) -> Callable[[str], tuple[str, ...]]:
    def read(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(","))
        if not all(names):
            raise pytest.UsageError(f"{option}: {text!r} has an empty name; write names with a comma between them")
        return tuple(dict.fromkeys(names))

    return read


def _one_of(option: str, *known: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            from mmte.errors import near

            raise pytest.UsageError(f"{option}: {text!r} is none of {', '.join(known)}.{near(text, known)}")
        return text

    return read


def _positive(option: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < 1:
            raise pytest.UsageError(f"{option}: {text!r} is no whole number >= 1")
        return int(text)

    return read


def _share(option: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        if not 0 <= (value := _number(text)) <= 1:
            raise pytest.UsageError(f"{option}: {text!r} is no share between 0 and 1")
        return value

    return read


def _seconds(option: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        if not 0 <= (value := _number(text)) < math.inf:
            raise pytest.UsageError(f"{option}: {text!r} is no number of seconds >= 0")
        return value

    return read


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
