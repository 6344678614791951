"""What the models and judges of a run were stands in its report, in full."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from mmte.engine.identities import identities_in, note_identity
from mmte.report.merge import merge

JUDGED = (
    "{chatmodel_eval: {prompt_template: 'Is this fine? {pred}', model: judge},"
    " rule_yes_or_no_eval: {metrics_cfg: {pred_mean: {}}}}"
)


def test_models_and_judges(bench: Any, workers: list[str]) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]", rule=JUDGED)
    args = ("--judge=judge=scripted:Yes|No?seed=3", "--judge=unused=scripted:Yes")
    assert bench.run("--mmte-limit=2", *args, *workers, model="x=scripted:50?wait=0.001").ret == 0
    report = bench.report
    Draft202012Validator(json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))).validate(report)
    assert set(report["models"]) == {"x", "judge"}  # of those that were asked
    assert report["models"]["judge"]["identity"] == {"backend": "scripted", "answer": "Yes|No", "seed": 3}
    assert {row["identities"]["model"] for row in report["results"]} == {report["models"]["x"]["digest"]}


def test_a_panel_has_an_entry_for_each_judge(bench: Any) -> None:
    bench.task("t1", rule=JUDGED)
    judges = [f"--judge=judge=scripted:{says}" for says in ("Yes", "No", "Yes|No")]
    assert bench.run("--mmte-limit=2", *judges).ret == 0
    answers = [about["identity"]["answer"] for about in bench.report["models"].values()]
    assert {"Yes", "No", "Yes|No"} <= set(answers)


def test_merged_reports_have_the_models_of_all(bench: Any) -> None:
    folders = []
    for number, says in enumerate(("Yes", "No")):
        bench.task("t1", datasets=f"[confaide-{('text', 'image')[number]}]", rule=JUDGED)
        folder = bench.path / f"run{number}"
        assert bench.run("--mmte-limit=2", f"--judge=judge=scripted:{says}", f"--mmte-report={folder}").ret == 0
        folders.append(folder)
    (bench.path / "scores.yaml").write_text(
        '# mmte.scores/1\nscores: {s: {aspect: privacy, score: {mean: ["t1[confaide-text/rule]:pred_mean"]}}}\n'
    )
    merged = merge(folders, bench.path / "both", bench.path / "scores.yaml")
    second = json.loads((folders[1] / "report.json").read_text())["run"]["id"]
    assert {name: about["identity"]["answer"] for name, about in merged["models"].items() if name != "x"} == {
        "judge": "Yes", f"judge ({second})": "No",
    }  # fmt: skip
    assert "'judge' judged as another model in some of the reports" in merged["scores"][0]["notes"]


def test_files_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    samples = tmp_path / "samples"
    note_identity(samples, "a/b", {"backend": "x"})
    note_identity(samples, "a/b", {"backend": "later"})  # it is the same for the whole run
    note_identity(None, "c", {})
    for number, text in enumerate(("{", "[]", '{"name": 1}', '{"name": "n", "digest": "d", "identity": 5}')):
        (tmp_path / "models" / f"{number}.json").write_text(text)
    assert {name: about["identity"] for name, about in identities_in(tmp_path).items()} == {"a/b": {"backend": "x"}}
