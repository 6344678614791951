"""What the controller tells its xdist workers, and what it hears from them between reports."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmte.plugin.collect import TaskFile, check_changes, judges_of
from mmte.plugin.names import check_names
from mmte.plugin.options import run_info
from mmte.plugin.scores import score_files


class Workers:
    """In the controller, or in the only process: knows which items are ours, and tells workers the run's folders.

    Attributes:
        files: the task files that were collected, as node ids.
        scores: the files of scores that lie beside them.
        judges: those that the selected items ask.
        remote: there are workers.
        line: called with a worker's id and a line of progress.
        begun: called with the node id of an item of ours that a worker begins.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.files: set[str] = set()
        self.scores: set[str] = set()
        self.judges: set[str] = set()
        self.remote = False
        self.line: Callable[[str, str], None] = lambda worker, line: None
        self.begun: Callable[[str], None] = lambda nodeid: None
        self._lock = threading.Lock()

    def ours(self, nodeid: str) -> bool:
        """Whether a node id is of an item of a task file."""
        return nodeid.partition("::")[0] in self.files

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Look for names that nothing has; where workers will collect, for a mistake of `--mmte-set`, too."""
        check_names(self.config)
        if self.config.option.mmte_set and self.config.pluginmanager.hasplugin("dsession"):
            check_changes(self.config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The only process has collected."""
        self.files |= task_files(session)
        self.scores |= score_files(session)
        self.judges |= judges_of(session)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called for each worker before it starts: a line of its own, beside xdist's."""
        self.remote = True
        node.workerinput["mmte_run"] = run_info(self.config)
        channel = node.gateway.newchannel()
        channel.setcallback(lambda message, worker=node.gateway.id: self._deliver(worker, message))
        node.workerinput["mmte_link"] = channel

    def _deliver(self, worker: str, message: tuple[str, Any]) -> None:
        """In the receiver's thread, hence quick."""
        what, value = message
        with self._lock:
            if what == "line":
                self.line(worker, value)
            elif what == "begun":
                self.begun(value)
            elif what == "scores":
                self.scores.update(value)
            elif what == "judges":
                self.judges.update(value)
            else:
                self.files.update(value)

    def pytest_unconfigure(self) -> None:
        """Remove what the processes of this run shared."""
        state = Path(run_info(self.config)["state"])
        if state.is_dir():
            shutil.rmtree(state, ignore_errors=True)


class Worker:
    """In an xdist worker: tells the controller, at once and before xdist does, what is ours and what begins."""

    def __init__(self, config: pytest.Config) -> None:
        self._channel = config.workerinput["mmte_link"]  # type: ignore[attr-defined]
        self._files: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """This worker has collected."""
        self._files = task_files(session)
        if self._files:
            self._channel.send(("scores", sorted(score_files(session))))
            self._channel.send(("judges", sorted(judges_of(session))))
            self._channel.send(("files", sorted(self._files)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """An item begins: xdist's own message may still wait in a queue when the run is interrupted."""
        if nodeid.partition("::")[0] in self._files:
            self._channel.send(("begun", nodeid))


def task_files(session: pytest.Session) -> set[str]:
    """The task files of the selected items, as node ids."""
    return {item.nodeid.partition("::")[0] for item in session.items if isinstance(item.parent, TaskFile)}
