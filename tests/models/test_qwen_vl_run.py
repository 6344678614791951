"""`pytest benchmarks -k privacy --model=qwen-vl` as a user types it, a tiny random Qwen2-VL standing for the real one.

The catalogue's name leads to the hub on the loopback interface: the weights mean nothing, everything else is real.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from loopback_hub import Hub, serving  # noqa: E402

from mmte.models.spec import catalogue  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
ID = str(catalogue()["qwen-vl"]["spec"]).removeprefix("hf:")
LIMIT = 2
FOREIGN = ("HF_", "MMTE_", "GITHUB_", "PYTEST_", "CI", "BUILD_NUMBER")
IDENTITY = """
import json
from mmte.engine.keys import digest
from mmte.models.spec import parse_model
identity = parse_model("qwen-vl").build().identity()
print(json.dumps([identity, digest(identity)]))
"""


@dataclass
class Place:
    """A folder of its own for the hub's files, the answers and the reports of some runs."""

    folder: Path
    hub: Hub

    def environment(self) -> dict[str, str]:
        mine = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        mine |= {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "XDG_CACHE_HOME": str(self.folder / "cache")}
        return mine | self.hub.environment(self.folder / "home") | {"PYTEST_ADDOPTS": "-p no:cacheprovider"}

    def run(self, name: str, *args: str, **env: str) -> Run:
        command = [sys.executable, "-m", "pytest", "benchmarks", "-k", "privacy", "--model=qwen-vl",
                   f"--mmte-limit={LIMIT}", "--mmte-set=generation_kwargs.max_new_tokens=8",
                   f"--mmte-cache={self.folder / 'answers.sqlite'}", f"--mmte-report={self.folder / name}"]  # fmt: skip
        done = subprocess.run([*command, *args], cwd=ROOT, env=self.environment() | env, timeout=200,
                              capture_output=True, text=True, check=False)  # fmt: skip
        report = self.folder / name / "report.json"
        found = json.loads(report.read_text("utf-8"))["results"] if report.exists() else []
        return Run(done.returncode, done.stdout + done.stderr, found, self.folder / name / "samples")


@dataclass
class Run:
    status: int
    output: str
    results: list[dict[str, Any]]
    samples: Path

    def measured(self) -> dict[str, dict[str, Any]]:
        return {r["case"]: r for r in self.results if r["outcome"] == "recorded"}

    def asked(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Each result with each of its samples."""
        for result in self.measured().values():
            for line in (self.samples / result["samples_file"]).read_text("utf-8").splitlines():
                yield result, json.loads(line)

    def numbers(self) -> dict[str, Any]:
        """All that was found, without how long it took and where."""
        found: dict[str, Any] = {
            case: [r["estimates"], r["counts"], r["identities"]] for case, r in self.measured().items()
        }
        return found | {f"{r['case']} {s['id']}": s["content"] for r, s in self.asked()}


@dataclass
class Runs:
    asked: Run
    gone: Run
    offline: Run
    identity: dict[str, Any]
    digest: str
    fetched: list[tuple[str, int]]
    commit: str


@pytest.fixture(scope="module", params=[[], ["-n2"]], ids=["plain", "n2"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A run with the hub, then one while the hub is gone, then one that is told to be offline."""
    folder, workers = tmp_path_factory.mktemp("run"), request.param
    with serving({ID: tiny_models.qwen2_vl(folder / "model")}) as hub:
        place = Place(folder, hub)
        asked = place.run("asked", *workers)
    gone = place.run("gone", *workers)
    offline = place.run("offline", "--mmte-offline", *workers, HF_HUB_OFFLINE="1")
    told = subprocess.run([sys.executable, "-c", IDENTITY], env=place.environment() | {"HF_HUB_OFFLINE": "1"},
                          capture_output=True, text=True, timeout=60, check=True).stdout  # fmt: skip
    return Runs(asked, gone, offline, *json.loads(told), hub.began, hub.commit)


def test_every_privacy_item_is_measured(runs: Runs) -> None:
    run = runs.asked
    assert run.status == 0, run.output
    assert {r["aspect"] for r in run.results} == {"privacy"}
    outcomes = {r["case"]: r["outcome"] for r in run.results}
    assert set(outcomes.values()) <= {"recorded", "skipped"}, outcomes
    for r in run.results:  # what is not measured lacks data that is not in the package, or a judge
        assert r["outcome"] == "recorded" or "--mmte-data" in r["reason"] or "--judge" in r["reason"], r
    measured = run.measured()
    assert {r["task"] for r in measured.values()} >= {"p3-infoflow", "p6-enron"}
    for case, r in measured.items():
        assert r["counts"]["answered"] == r["counts"]["expected"] >= 1, case
        assert r["coverage"] == 1 and r["problem"] == ""


def test_the_images_are_shown(runs: Runs) -> None:
    """One question with several pictures (and without): greedy answers that differ saw different things."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    pictures = 0
    for result, sample in runs.asked.asked():
        content = sample["messages"][-1]["content"]
        shown = isinstance(content, dict) and bool(content.get("image_path"))
        if result["task"] in ("p3-infoflow", "p6-enron"):
            assert shown == ("image" in result["dataset"]), result["case"]
        pictures += shown
        text, path = (content["text"], content["image_path"]) if shown else (content, "")
        assert sample["status"] in ("ok", "empty")
        if "[redacted]" not in text + path:  # questions about different people look the same
            assert answers[text].setdefault(path, sample["content"]) == sample["content"]  # one prompt, one answer
    assert pictures >= 16
    several = [set(found.values()) for found in answers.values() if len(found) > 2]
    assert several and sum(len(found) > 1 for found in several) > len(several) / 2


def test_the_revision_is_in_the_identity(runs: Runs) -> None:
    assert (runs.identity["repo"], runs.identity["commit"]) == (ID, runs.commit)
    assert {r["identities"]["model"] for r in runs.asked.measured().values()} == {runs.digest}
    assert runs.fetched and {name for name, _ in runs.fetched} == {"model.safetensors"}


def test_without_the_hub_the_numbers_are_the_same(runs: Runs) -> None:
    expected = runs.asked.numbers()
    for run in (runs.gone, runs.offline):
        assert run.status == 0, run.output
        assert run.numbers() == expected
        assert sum(r["effort"]["asked"] for r in run.measured().values()) == 0
        assert [r["case"] for r in run.results if r["outcome"] == "skipped"] == [
            r["case"] for r in runs.asked.results if r["outcome"] == "skipped"
        ]
