"""Any method before any dataset: by one line of a task file, or of the command line, several one after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from mmte.engine.samples import build_dataset

YES_NO = "{rule_yes_or_no_eval: {metrics_cfg: {accuracy_score: {}}}}"
TWO = 'method_cfg: {corrupt-jpeg: {severity: 3, img_dir: made}, typographic-overlay: {text: "a fish", img_dir: made}}'
CASE = "t1-basic[d-basic-object/rule/x]"


def rows(bench: Any, case: str = CASE) -> list[dict[str, Any]]:
    name = case.replace("/", "~") + ".jsonl"
    lines = (bench.path / "reports/latest/samples" / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def shown(bench: Any, case: str = CASE) -> list[dict[str, str]]:
    return [row["messages"][-1]["content"] for row in rows(bench, case)]


def pixels(path: str | Path) -> Any:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_two_methods_by_one_line_of_a_task_file(bench: Any, workers: list[str]) -> None:
    bench.task("t1-basic", "truthfulness", "[d-basic-object]", TWO, rule=YES_NO)
    result = bench.run(*workers, model="x=scripted:yes")
    assert result.ret == 0, result.stdout.str()
    plain = {s.id: s for s in build_dataset("d-basic-object", {}, {}, None).dataset}
    assert len(rows(bench)) == len(plain) == 12
    for row in rows(bench):
        content = row["messages"][-1]["content"]
        before, after = pixels(plain[row["id"]].image_path), pixels(bench.path / content["image_path"])
        assert content["text"] == plain[row["id"]].text
        assert after.shape == before.shape
        note = (after == 255).all(axis=2)[-20:]  # and sharp letters on it: no JPEG came after
        assert note.mean() > 0.1
        assert (after[-20:] == 0).all(axis=2).any()
        assert 0 < np.abs(after[: len(after) // 2] - before[: len(before) // 2]).mean() < 20  # compressed above it
    assert len(list((bench.path / "made").iterdir())) == 2 * len({s.image_path for s in plain.values()})


def test_one_method_before_any_task_by_the_command_line(bench: Any, workers: list[str]) -> None:
    bench.task("t1-basic", "truthfulness", "[d-basic-object]", rule=YES_NO)
    bench.task("other", "truthfulness", "[d-basic-object]", rule=YES_NO)
    assert bench.run(*workers, model="x=scripted:yes").ret == 0
    before = {case: row["identities"] for case, row in bench.results().items()}
    told = "t1-basic:method_cfg={corrupt-jpeg: {severity: 3, img_dir: made}}"
    result = bench.run(f"--mmte-set={told}", *workers, model="x=scripted:yes")
    assert result.ret == 0, result.stdout.str()
    assert all(content["image_path"].startswith("made/") for content in shown(bench))
    assert not any("made" in c["image_path"] for c in shown(bench, "other[d-basic-object/rule/x]"))
    changed = {c: row["identities"]["data"] != before[c]["data"] for c, row in bench.results().items()}
    assert changed == {CASE: True, "other[d-basic-object/rule/x]": False}
    assert {c: row["identities"]["samples"] for c, row in bench.results().items()} == {
        c: i["samples"] for c, i in before.items()
    }


def test_before_all_tasks_and_one_more_beside_it(bench: Any) -> None:
    bench.task("t1-basic", "truthfulness", "[d-basic-object]", TWO, rule=YES_NO)
    bench.task("words", datasets="[confaide-text]")
    sets = ["--mmte-set=method_cfg.perturb-typos={strength: 1}"]
    result = bench.run(*sets, model="x=scripted:yes")
    assert result.ret == 0, result.stdout.str()
    before = {s.id: s.text for s in build_dataset("d-basic-object", {}, {}, None).dataset}
    for row in rows(bench):
        first, rest = row["messages"][-1]["content"]["text"].split("\n", 1)
        assert first != before[row["id"]].split("\n", 1)[0]
        assert rest == before[row["id"]].split("\n", 1)[1]  # how to answer
        assert "made" in row["messages"][-1]["content"]["image_path"]
    words = {s.id: s.text for s in build_dataset("confaide-text", {}, {}, None).dataset}
    for row in rows(bench, "words[confaide-text/rule/x]"):
        assert row["messages"][-1]["content"] != words[row["id"]]
        assert row["messages"][-1]["content"].splitlines()[-1] == words[row["id"]].splitlines()[-1]


def test_a_corruption_as_a_control(bench: Any) -> None:
    bench.task("t1-basic", "truthfulness", "[d-basic-object]", rule=YES_NO)
    assert bench.run("--mmte-control=corrupt-pixelate", model="x=scripted:yes").ret == 0
    found = {e["metric"]: e["value"] for e in bench.results()[CASE]["estimates"]}
    assert found["accuracy_score.vs.corrupt-pixelate"] == 0  # this model does not look


def test_a_wrong_option_is_one_line(bench: Any) -> None:
    bench.task("t1-basic", "truthfulness", "[d-basic-object]", rule=YES_NO)
    result = bench.run("--mmte-set=method_cfg={corrupt-jpeg: {severity: 9}}", model="x=scripted:yes")
    assert result.ret == 1
    told = "method_cfg of corrupt-jpeg: severity must be a whole number from 1 to 5, not 9"
    assert told in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    result = bench.run("--mmte-set=method_cfg={corrupt-jpg: {severity: 3}}", model="x=scripted:yes")
    assert result.ret != 0
    assert "Did you mean 'corrupt-jpeg'" in result.stdout.str() + result.stderr.str()
