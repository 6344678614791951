"""What models and servers say reaches no terminal, JUnit file or CI log raw."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any
from xml.etree import ElementTree

import pytest

HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07 \x00 \ud800 \u202e \x9b31m\r\n::error::boom\n##[error]boom\n##vso[task.complete]\n"
)
CONFTEST = f"""
from mmte.datasets.base import BaseDataset
from mmte.errors import MmteError
from mmte.evaluators.base import BaseEvaluator
from mmte.models.base import BaseChat
from mmte.registry import registry
from mmte.types import Response, TxtSample

HOSTILE = {HOSTILE!r}

@registry.register_backend()
class Talks(BaseChat):
    backend_ids = ("talks",)
    device = "none"
    @classmethod
    def from_spec(cls, spec):
        return cls(spec.target)
    def chat(self, messages, **kwargs):
        if self.model_id == "fails":
            return Response.failed(HOSTILE)
        return Response(self.model_id, HOSTILE)

@registry.register_evaluator()
class Raises(BaseEvaluator):
    evaluator_ids = ("raises", "refuses", "prints")
    def process(self, preds, labels=None, extras=None, **kwargs):
        print(preds[0])
        if self.evaluator_id == "raises":
            raise ValueError(preds[0])
        if self.evaluator_id == "refuses":
            raise MmteError(preds[0])
        assert preds[0] == "something else", preds[0]

@registry.register_evaluator()
class Counts(BaseEvaluator):
    evaluator_ids = ("counts",)
    def process(self, preds, labels=None, extras=None, **kwargs):
        return [1.0 for _ in preds], labels, extras

@registry.register_dataset()
class Named(BaseDataset):
    dataset_ids = ("named", "unreadable")
    def __init__(self, dataset_id, method_hook=None):
        super().__init__(dataset_id, method_hook)
        if dataset_id == "unreadable":
            raise MmteError(HOSTILE)
        part = HOSTILE.replace("\\ud800", "")
        self.dataset = [TxtSample(f"question {{n}} {{HOSTILE}}", 1.0, subset=part) for n in range(4)]
"""
METRIC = "{metrics_cfg: {pred_mean: {}}}"


def raw(text: str) -> list[str]:
    """What must not stand in a text as it is."""
    found = [repr(c) for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\n\t"]
    return found + [line for line in text.splitlines() if re.match(r"\s*(::[a-z]|##\w*\[)", line)]


def strings(data: Any) -> list[str]:
    """Every text in JSON data, keys included."""
    if isinstance(data, dict):
        return [s for k, v in data.items() for s in [k, *strings(v)]]
    if isinstance(data, list):
        return [s for v in data for s in strings(v)]
    return [data] if isinstance(data, str) else []


def assert_clean(bench: Any, result: pytest.RunResult) -> None:
    assert raw(result.stdout.str()) == []
    assert raw(result.stderr.str()) == []
    junit = (bench.path / "junit.xml").read_bytes().decode("utf-8")
    ElementTree.fromstring(junit)
    assert raw(junit) == []
    folder = bench.path / "reports" / "latest"
    for name in ("report.json", "results.jsonl"):
        text = (folder / name).read_text("ascii")
        assert raw(text) == []
        documents = [text] if name == "report.json" else text.splitlines()
        assert [bad for d in documents for s in strings(json.loads(d)) for bad in raw(s)] == []


@pytest.mark.parametrize("evaluator", ["raises", "refuses", "prints", "counts"])
def test_answers_in_failures_of_evaluators(bench: Any, workers: list[str], evaluator: str) -> None:
    bench.pytester.makeconftest(CONFTEST)
    bench.task(datasets="[named]", rule=f"{{{evaluator}: {METRIC}}}")
    result = bench.run("-v", "-rA", "-l", "--junit-xml=junit.xml", *workers, model="x=talks:sweetly")
    assert result.ret == (0 if evaluator == "counts" else 1)
    (row,) = bench.report["results"]
    assert row["outcome"] == ("recorded" if evaluator == "counts" else "error")
    if evaluator in ("raises", "refuses"):
        assert "\\x1b[31mred" in row["reason"]
    if evaluator == "counts":
        assert len({e["subset"] for e in row["estimates"]}) == 2
    assert_clean(bench, result)


@pytest.mark.parametrize("style", ["long", "short", "line", "native", "no"])
def test_answers_in_every_style_of_traceback(bench: Any, style: str) -> None:
    bench.pytester.makeconftest(CONFTEST)
    bench.task(datasets="[named]", rule=f"{{raises: {METRIC}}}")
    result = bench.run(f"--tb={style}", "-rA", "--junit-xml=junit.xml", model="x=talks:sweetly")
    assert result.ret == 1
    assert_clean(bench, result)


def test_messages_of_servers(bench: Any, workers: list[str]) -> None:
    bench.pytester.makeconftest(CONFTEST)
    bench.task(datasets="[named]", rule=f"{{counts: {METRIC}}}")
    result = bench.run("-v", "-rA", "--junit-xml=junit.xml", *workers, model="x=talks:fails")
    assert result.ret == 1
    (row,) = bench.report["results"]
    assert "first error: \\x1b[31mred" in row["reason"]
    assert_clean(bench, result)


def test_errors_of_datasets(bench: Any, workers: list[str]) -> None:
    bench.pytester.makeconftest(CONFTEST)
    bench.task(datasets="[unreadable]", rule=f"{{counts: {METRIC}}}")
    result = bench.run("-v", "-rA", "--junit-xml=junit.xml", *workers, model="x=talks:sweetly")
    assert result.ret == 1
    assert_clean(bench, result)
    preview = bench.run("--collect-only", "-v", model="x=talks:sweetly")
    preview.stdout.fnmatch_lines(["*would fail: *x1b?31mred*"])
    assert raw(preview.stdout.str()) == []


def test_task_files_of_others(bench: Any, workers: list[str]) -> None:
    path = bench.task()
    told = '"\\e[31m\\0\\u202e\\n::error::boom": 1\n'
    path.write_text(path.read_text() + told)
    result = bench.run("-v", "-rA", "--junit-xml=junit.xml", *workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*t1.yaml:*: *unknown key*x1b?31m*"])
    assert_clean(bench, result)


def test_a_test_in_python_that_shows_an_answer(bench: Any, workers: list[str]) -> None:
    bench.pytester.makeconftest(CONFTEST)
    bench.pytester.makepyfile(
        """
        def test_answer(mmte_chat, mmte_record):
            mmte_record(length=1)
            answer = mmte_chat.chat([{"role": "user", "content": "Hello?"}]).content
            print(answer)
            raise AssertionError(answer)
        """
    )
    result = bench.run("-rA", "--junit-xml=junit.xml", *workers, model="x=talks:sweetly")
    assert result.ret == 1
    assert_clean(bench, result)


def test_malformed_answers_are_scored_as_unparsed(bench: Any, workers: list[str]) -> None:
    bench.task()
    result = bench.run("-v", "--junit-xml=junit.xml", *workers, model="x=scripted:50|100?malformed=0.5")
    assert result.ret == 0
    (row,) = bench.report["results"]
    assert row["counts"]["unparsed"] > 0
    assert row["counts"]["scored"] + row["counts"]["unparsed"] + row["counts"]["empty"] == 28
    assert_clean(bench, result)
