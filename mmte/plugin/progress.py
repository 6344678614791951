"""Where a long item stands: a bar on a terminal, a plain line now and then everywhere else."""

from __future__ import annotations

import time
from typing import Any

import pytest

from mmte.engine.progress import Progress
from mmte.plugin.show import show

_BAR_EVERY = 0.2
_BAR_AFTER = 1.0
_WIDTH = 24


class Counter(Progress):
    """Counts answers of the running item and shows a line through `tell` when it is time.

    `every` is the number of seconds between lines; 0 shows none.
    """

    def __init__(self, every: float) -> None:
        self.every = every
        self._case, self._expected = "", 0
        self._done: dict[str, int] = {}
        self._started = self._shown = time.monotonic()

    def start(self, case: str, expected: int) -> None:
        """A new item."""
        self._case, self._expected, self._done = case, expected, {}
        self._started = self._shown = time.monotonic()

    def advance(self, model: str, n: int) -> None:
        """More answers of the item's model, or of one that reads them."""
        self._done[model] = self._done.get(model, 0) + n
        now = time.monotonic()
        if self.every and now - self._shown >= self.every:
            self._shown = now
            self.tell(self.line(model, now))

    def stop(self) -> None:
        """The item has ended, however."""

    def line(self, model: str, now: float) -> str:
        """`CASE  48/100  3.1/s  17 s left`."""
        done = self._done[model]
        speed = done / max(now - self._started, 1e-6)
        text = f"{self._case}  {done}/{self._expected}" if done <= self._expected else f"{self._case}  {done}"
        if not self._case.endswith(f"/{model}]"):
            text += f" {model}"
        left = f"  {(self._expected - done) / speed:.0f} s left" if 0 < done < self._expected else ""
        return f"{text}  {speed:.1f}/s{left}"

    def tell(self, line: str) -> None:
        """Show a line."""


class ToController(Counter):
    """In an xdist worker: lines go to the controller."""

    def __init__(self, every: float, channel: Any) -> None:
        super().__init__(every)
        self._channel = channel

    def tell(self, line: str) -> None:
        """Send a line; when the controller is on its way out, so are we."""
        try:
            self._channel.send(("line", line))
        except OSError:
            self.every = 0


class Lines(Counter):
    """In the only process, where output is no terminal: one line now and then."""

    def __init__(self, every: float, config: pytest.Config) -> None:
        super().__init__(every)
        self._config = config

    def tell(self, line: str) -> None:
        """A line of its own, past the capture of the running test."""
        show(self._config, line)


class Bar(Counter):
    """In the only process, on a terminal: a bar that is redrawn in place."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(_BAR_EVERY)
        self._config = config
        self._drawn = False

    def start(self, case: str, expected: int) -> None:
        """The next bar comes on a clean line."""
        self.stop()
        super().start(case, expected)

    def advance(self, model: str, n: int) -> None:
        """As `Counter.advance`, not before the item has taken a second; the bar goes when all is answered."""
        super().advance(model, n)
        if self._done[model] >= self._expected:
            self.stop()

    def tell(self, line: str) -> None:
        """Redraw the bar."""
        if time.monotonic() - self._started < _BAR_AFTER:
            return
        filled = round(_WIDTH * min(1.0, max(self._done.values()) / max(1, self._expected)))
        bar = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {line}"
        self._write(f"\r{bar[: self._width()]}\x1b[K", first=not self._drawn)
        self._drawn = True

    def stop(self) -> None:
        """Take the bar away."""
        if self._drawn:
            self._drawn = False
            self._write("\r\x1b[K", first=False)

    def _width(self) -> int:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        return max(20, int(reporter._tw.fullwidth) - 1) if reporter else 79

    def _write(self, text: str, *, first: bool) -> None:
        reporter, capture = (self._config.pluginmanager.getplugin(n) for n in ("terminalreporter", "capturemanager"))
        if reporter is None or capture is None:
            return
        with capture.global_and_fixture_disabled():
            if first:
                reporter.ensure_newline()
            reporter._tw._file.write(text)
            reporter._tw._file.flush()


def reporter(config: pytest.Config) -> Counter:
    """What shows progress in this process."""
    every = config.option.mmte_progress
    if (channel := getattr(config, "workerinput", {}).get("mmte_link")) is not None:
        return ToController(every, channel)
    terminal = config.pluginmanager.getplugin("terminalreporter")
    if every and terminal is not None and terminal.isatty:
        return Bar(config)
    return Lines(every, config)
