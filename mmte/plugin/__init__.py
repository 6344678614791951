"""The pytest plugin: options and wiring.  PYTEST_DONT_REWRITE (the root conftest imports it before pytest does).

Each concern is a class of its own, registered for the process that it belongs to. Nothing here imports
more than pytest and the standard library; the rest follows when one of our files is collected.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from mmte.plugin.collect import pytest_collect_file, pytest_collection_modifyitems
from mmte.plugin.options import add_friendly_options, add_options, friendly_in

__all__ = [
    "model_option", "pytest_addoption", "pytest_collect_file", "pytest_collection_modifyitems", "pytest_configure",
    "pytest_load_initial_conftests",
]  # fmt: skip

# One name for the fixtures in every kind of install: mmte.fixtures (wheel, editable); `fixtures` in a bare checkout.
pytest_plugins = ["mmte.fixtures.models" if find_spec("mmte.fixtures") else "fixtures.models"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """All options but those that give way to others."""
    add_options(parser.getgroup("mmte", "trust benchmarks of chat models (mmte)"))


def model_option(parser: pytest.Parser) -> None:
    """`pytest_addoption` for a conftest: `--model` and `--judge`, unless somebody else has them."""
    add_friendly_options(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Any:
    """Add `--model` and `--judge` when they are used, after the conftests had their chance to."""
    result = yield
    add_friendly_options(parser, friendly_in(args))
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Register the parts of the plugin that this process needs."""
    from mmte.plugin.collect import register_markers
    from mmte.plugin.options import check_options, in_use
    from mmte.plugin.recording import Recording

    check_options(config)
    if config.option.markers or in_use(config):
        register_markers(config)
    register = config.pluginmanager.register
    register(Recording(config), "mmte-recording")
    if hasattr(config, "workerinput"):
        from mmte.plugin.transport import Outgoing
        from mmte.plugin.workers import Worker

        register(Worker(config), "mmte-worker")
        register(Outgoing(config), "mmte-transport")
        return
    _register_controller(config)


def _register_controller(config: pytest.Config) -> None:
    """Where reports arrive: the controller of xdist's workers, or the only process."""
    from mmte.plugin.exitstatus import ExitStatus
    from mmte.plugin.journal import Journal
    from mmte.plugin.preview import Preview
    from mmte.plugin.summary import Summary
    from mmte.plugin.transport import Incoming
    from mmte.plugin.workers import Workers

    register = config.pluginmanager.register
    workers = Workers(config)
    register(workers, "mmte-workers")
    if config.option.collectonly:
        register(Preview(config), "mmte-preview")
    elif not config.option.setuponly:  # --setup-plan and --setup-only run no test
        journal, status = Journal(config, workers), ExitStatus(config, workers)
        register(Incoming(), "mmte-transport")
        register(journal, "mmte-journal")
        register(status, "mmte-exit")
        register(Summary(config, journal, status), "mmte-summary")
