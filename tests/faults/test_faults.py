"""What a run survives: signals, kills, dead workers, dead endpoints. Real processes, plain and with two workers."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mmte.report.build import comparable

TASK = """# mmte.task/1
aspect: privacy
datasets: [confaide-text, confaide-image, confaide-unrelated-image-color, confaide-unrelated-image-nature]
evaluators:
  rule: {rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}}}}
  failures: {rule_match_and_score_eval: {metrics_cfg: {failure: {}}}}
"""
ANSWER = "50|-50|100|0|-100|who knows"
BATCH = 4


class Command:
    """One pytest command in a folder, always the same one."""

    def __init__(self, folder: Path, *args: str, options: str = "") -> None:
        self.folder = folder
        (folder / "p.yaml").write_text(TASK)
        self.model = f"--model=x=scripted:{ANSWER}?batch={BATCH}&log={folder / 'log'}{options}"
        self.args = [
            "p.yaml",
            self.model,
            "--mmte-cache=c.sqlite",
            "--mmte-report=out",
            "-p",
            "no:cacheprovider",
            *args,
        ]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *self.args], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    def run(self) -> tuple[int, str]:
        process = self.start()
        out, _ = process.communicate(timeout=120)
        return process.returncode, out

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "out/report.json").read_text())
        return found

    def asked(self) -> Counter[str]:
        lines = (self.folder / "log").read_text().splitlines() if (self.folder / "log").exists() else []
        return Counter(line.split()[0] for line in lines if not line.startswith("LOAD"))

    def wait_for_answers(self, n: int, process: subprocess.Popen[str]) -> None:
        deadline = time.monotonic() + 60
        while sum(self.asked().values()) < n and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)


def end(process: subprocess.Popen[str], number: int) -> None:
    """A signal to a process that we started, and to its workers when it leads them."""
    os.killpg(process.pid, number)


@pytest.mark.parametrize("args", [(), ("-n2",)], ids=["plain", "n2"])
def test_twenty_kills_lose_nothing(tmp_path: Path, args: tuple[str, ...]) -> None:
    """20 SIGKILLs at random points, each resumed by the same command: the report of an undisturbed run."""
    calm = tmp_path / "calm"
    calm.mkdir()
    args = (*args, "--mmte-repeats=4")  # 448 questions: enough for twenty kills
    undisturbed = Command(calm, *args)
    code, out = undisturbed.run()
    assert code == 0, out
    disturbed = Command(tmp_path, *args, options="&wait=0.03")
    dice, kills = random.Random(7), 0
    workers = 2 if "-n2" in args else 1
    for _ in range(20):
        before = disturbed.asked()
        process = disturbed.start()
        disturbed.wait_for_answers(sum(before.values()) + dice.randrange(1, 8), process)
        time.sleep(dice.random() * 0.05)
        assert process.poll() is None, process.communicate()[0]
        end(process, signal.SIGKILL)
        kills += 1
        process.communicate(timeout=60)
        again = sum(n - before[q] for q, n in disturbed.asked().items() if before[q])
        assert again <= BATCH * workers, f"{again} answers asked again, a batch is {BATCH}"
    code, out = disturbed.run()
    assert code == 0, out
    assert kills == 20
    mine, theirs = comparable(disturbed.report()), comparable(undisturbed.report())
    assert mine == theirs
    for file in sorted((calm / "out/samples").glob("*.jsonl")):
        assert (tmp_path / "out/samples" / file.name).read_text() == file.read_text()
    sys.stdout.write(
        f"{kills} kills, {sum(disturbed.asked().values())} answers asked for {len(disturbed.asked())} questions\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("args", [(), ("-n2",)], ids=["plain", "n2"])
def test_an_interrupted_run_leaves_a_report_of_what_was_measured(
    tmp_path: Path, number: int, args: tuple[str, ...]
) -> None:
    command = Command(tmp_path, *args, "--mmte-repeats=4", options="&wait=0.1")  # an item takes seconds
    process = command.start()
    deadline = time.monotonic() + 60
    journal = tmp_path / "out/results.jsonl"
    while time.monotonic() < deadline and not (journal.exists() and len(journal.read_text().splitlines()) >= 3):
        time.sleep(0.02)
    time.sleep(0.7)  # past the items that the cache answers at once, into one that asks
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 2, out
    report = command.report()
    outcomes = Counter(row["outcome"] for row in report["results"])
    assert outcomes["recorded"] >= 3, out
    assert outcomes["interrupted"] >= 1, report["results"]
    assert sum(outcomes.values()) < 8 or not args
    for row in report["results"]:
        assert bool(row["estimates"]) == (row["outcome"] == "recorded")
    assert "trust scores" in out
    code, out = command.run()
    assert code == 0, out
    assert Counter(command.asked().values())[1] >= len(command.asked()) - 3 * BATCH


def test_a_worker_that_dies_costs_its_running_item(tmp_path: Path) -> None:
    command = Command(tmp_path, "-n2", options="&wait=0.02")
    (tmp_path / "conftest.py").write_text(
        "import os, pathlib\n"
        "from mmte.models.scripted import ScriptedChat\n"
        "whole = ScriptedChat._respond\n"
        "def respond(self, request, text):\n"
        "    flag = pathlib.Path('died')\n"
        "    if os.environ.get('PYTEST_XDIST_WORKER') == 'gw1' and not flag.exists():\n"
        "        flag.touch()\n"
        "        os._exit(9)\n"
        "    return whole(self, request, text)\n"
        "ScriptedChat._respond = respond\n"
    )
    code, out = command.run()
    assert code == 1, out
    outcomes = Counter(row["outcome"] for row in command.report()["results"])
    assert outcomes == {"recorded": 7, "failed": 1}, out
    assert max(command.asked().values()) <= 2
    assert sum(n > 1 for n in command.asked().values()) <= BATCH


def test_each_answer_once_and_one_load_per_worker(tmp_path: Path) -> None:
    command = Command(tmp_path, "-n2", options="&wait=0.05")
    code, out = command.run()
    assert code == 0, out
    assert set(command.asked().values()) == {1}
    assert len(command.asked()) == 4 * 28
    lines = (tmp_path / "log").read_text().splitlines()
    loads = Counter(line.split()[1] for line in lines if line.startswith("LOAD"))
    assert set(loads.values()) == {1}
    assert len(loads) == 2, "both workers answer"


@pytest.mark.parametrize("args", [(), ("-n2",)], ids=["plain", "n2"])
def test_a_dead_endpoint_has_no_score_anywhere(tmp_path: Path, args: tuple[str, ...]) -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = Command(tmp_path, *args, "--junitxml=junit.xml", "--json-report", "--json-report-file=plain.json")
    command.args[1] = f"--model=x=openai:m@http://127.0.0.1:{port}/v1"
    (tmp_path / "p.yaml").write_text(
        TASK.replace(", confaide-image, confaide-unrelated-image-color, confaide-unrelated-image-nature", "")
    )
    started = time.monotonic()
    code, out = command.run()
    assert code == 1, out
    assert time.monotonic() - started < 30, "within seconds"
    report = command.report()
    assert [row["estimates"] for row in report["results"]] == [[], []]
    assert {row["outcome"] for row in report["results"]} == {"error"}
    mirrored = json.loads((tmp_path / "plain.json").read_text())["mmte"]["results"]
    assert [row["estimates"] for row in mirrored] == [[], []]
    for text in (out, (tmp_path / "junit.xml").read_text()):
        assert "pearson_corr=" not in text
        assert 'name="pearson_corr"' not in text
    assert out.count("Traceback") == 0
    assert f"127.0.0.1:{port}" in out


def test_a_model_that_answers_nothing_but_errors_has_no_score(tmp_path: Path) -> None:
    command = Command(tmp_path, options="&dead=yes")
    code, out = command.run()
    assert code == 1, out
    assert all(row["estimates"] == [] for row in command.report()["results"])
    assert sum(command.asked().values()) <= 24 + BATCH
