"""What the controller tells its xdist workers, and how it hears from them between reports."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmte.plugin.options import run_info


class Workers:
    """Controller side: gives each worker the run's folders and a line of its own for progress."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.hear: Callable[[str, str], None] = lambda worker, line: None
        self._lock = threading.Lock()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called for each worker before it starts."""
        node.workerinput["mmte_run"] = run_info(self.config)
        channel = node.gateway.newchannel()
        channel.setcallback(lambda line, worker=node.gateway.id: self._deliver(worker, line))
        node.workerinput["mmte_progress"] = channel

    def _deliver(self, worker: str, line: str) -> None:
        """In the receiver's thread: be quick."""
        with self._lock:
            self.hear(worker, line)

    def pytest_unconfigure(self) -> None:
        """Remove what the processes of this run shared."""
        state = Path(run_info(self.config)["state"])
        if state.is_dir():
            shutil.rmtree(state, ignore_errors=True)
