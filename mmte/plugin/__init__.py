"""The pytest plugin: options and wiring.  PYTEST_DONT_REWRITE (the root conftest imports it before pytest does).

Each concern is a class of its own, registered for the process that it belongs to. Nothing here imports
more than pytest and the standard library; the rest follows when one of our files is collected.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Any

import pytest

from mmte.plugin.collect import pytest_collect_file, pytest_collection_modifyitems
from mmte.plugin.options import add_options

__all__ = [
    "model_option", "pytest_addoption", "pytest_collect_file", "pytest_collection_modifyitems", "pytest_configure",
    "pytest_load_initial_conftests",
]  # fmt: skip

# One name for the fixtures in every kind of install: mmte.fixtures (wheel, editable); `fixtures` in a bare checkout.
pytest_plugins = ["mmte.fixtures.models" if find_spec("mmte.fixtures") else "fixtures.models"]

_ASPECTS = ("truthfulness", "safety", "robustness", "fairness", "privacy")


def pytest_addoption(parser: pytest.Parser) -> None:
    """All options but `--model`, which gives way to others."""
    add_options(parser.getgroup("mmte", "trust benchmarks of chat models (mmte)"))


def model_option(parser: pytest.Parser) -> None:
    """`--model` is the friendly spelling of `--mmte-model`; it gives way to an option of that name elsewhere."""
    try:
        parser.getgroup("mmte").addoption(
            "--model", action="append", dest="mmte_model", metavar="NAME", help="the same as --mmte-model",
        )  # fmt: skip
    except (ValueError, argparse.ArgumentError):
        return


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Any:
    """Add `--model` when it is used, after the conftests had their chance to."""
    result = yield
    if any(a.startswith(("--model", "-h", "--help")) for a in args):
        model_option(parser)
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Register markers and the parts of the plugin that this process needs."""
    for aspect in _ASPECTS:
        config.addinivalue_line("markers", f"{aspect}: {aspect} tasks of mmte")
    config.addinivalue_line("markers", "task(task, dataset, evaluator, model): what a benchmark item of mmte measures")
    from mmte.plugin.options import check_options
    from mmte.plugin.recording import Recording

    check_options(config)
    config.pluginmanager.register(Recording(config), "mmte-recording")
    if hasattr(config, "workerinput"):
        return
    from mmte.plugin.exitstatus import ExitStatus
    from mmte.plugin.journal import Journal
    from mmte.plugin.preview import Preview
    from mmte.plugin.workers import Workers

    register = config.pluginmanager.register
    if config.option.collectonly:
        register(Preview(config), "mmte-preview")
        return
    workers = Workers(config)
    register(workers, "mmte-workers")
    register(Journal(config, workers), "mmte-journal")
    register(ExitStatus(config), "mmte-exit")
