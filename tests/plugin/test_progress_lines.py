"""Long items show where they stand: lines in logs, a bar on a terminal that is gone afterwards."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from typing import Any

import pytest

SLOW = "x=scripted:50|100?batch=2&wait=0.06"
LINE = r"  \.\.\. t1\[confaide-text/rule/x\]  (\d+)/28  \d+\.\d/s(  \d+ s left)?"


def test_a_line_now_and_then_where_output_is_captured(bench: Any) -> None:
    bench.task()
    result = bench.run("--mmte-progress=0.05", model=SLOW)
    assert result.ret == 0
    shown = [match for line in result.outlines if (match := re.fullmatch(LINE, line))]
    assert len(shown) >= 5
    done = [int(match[1]) for match in shown]
    assert done == sorted(set(done))
    assert all(match[2] for match in shown if match[1] != "28")
    assert "\r" not in result.stdout.str()


def test_lines_of_workers_say_whose_they_are(bench: Any) -> None:
    bench.task()
    result = bench.run("--mmte-progress=0.05", "-n2", model=SLOW)
    assert result.ret == 0
    shown = [line for line in result.outlines if re.fullmatch(LINE.replace(r"\.\.\. ", r"\.\.\. \[gw[01]\] "), line)]
    assert len(shown) >= 5


def test_no_lines_with_0(bench: Any, workers: list[str]) -> None:
    bench.task()
    assert " ... " not in bench.run("--mmte-progress=0", *workers, model=SLOW).stdout.str()


def test_no_lines_for_what_the_cache_has(bench: Any) -> None:
    bench.task()
    bench.run("--mmte-progress=0", model=SLOW)
    assert " ... " not in bench.run("--mmte-progress=0.05", model=SLOW).stdout.str()


def on_a_terminal(bench: Any, *args: str) -> tuple[int, str]:
    """Run pytest with a terminal of its own; its status and all that it wrote there."""
    command = [sys.executable, "-m", "pytest", f"--mmte-cache={bench.cache}", *args]
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=bench.path, env=environ)
    os.close(theirs)
    shown = b""
    try:
        while select.select([ours], [], [], 60)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        status = process.wait(60)
    finally:
        process.kill()
        os.close(ours)
    return status, shown.decode("utf-8", "replace")


@pytest.mark.parametrize("args", [[], ["--mmte-progress=0"]], ids=["bar", "none"])
def test_a_bar_on_a_terminal_is_erased(bench: Any, args: list[str]) -> None:
    bench.task()
    status, shown = on_a_terminal(bench, f"--model={SLOW.replace('0.06', '0.2')}", *args)
    assert status == 0
    bars = re.findall(r"\r(\[[#.]{24}\] t1\[confaide-text/rule/x\]  \d+/28 [^\r\n]*?)\x1b\[K", shown)
    if args:
        assert bars == []
        return
    assert len(bars) >= 3
    assert all(len(bar) < 120 for bar in bars)
    after = shown.rpartition(bars[-1])[2]
    assert "\r\x1b[K" in after.partition("trust scores")[0]
    assert " ... t1[" not in shown


def test_a_bar_of_an_item_that_fails_is_erased_too(bench: Any) -> None:
    bench.task()
    status, shown = on_a_terminal(bench, "--model=x=scripted:50?batch=2&wait=0.2&fail=1")
    assert status == 1
    before, bar, after = shown.rpartition("/28 ")
    assert bar
    assert not before.endswith("28")  # the model was given up half-way
    assert "\r\x1b[K" in after.partition("ERRORS")[0]
