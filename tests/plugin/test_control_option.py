"""`--mmte-control`: what the images contribute, as a difference."""

from __future__ import annotations

import json
from typing import Any

YES_NO = "{rule_yes_or_no_eval: {metrics_cfg: {accuracy_score: {}}}}"
SEES = '''
from mmte.models.base import BaseChat
from mmte.registry import registry
from mmte.types import Response


@registry.register_chatmodel()
class Sees(BaseChat):
    """Says yes or no by the question's letters where there is a picture, and no where there is none."""

    model_family = ("sees",)
    modalities = frozenset({"text", "image"})

    def __init__(self, model_id):
        super().__init__(model_id)

    def identity(self):
        return {"sees": 1}

    def chat(self, messages, **kwargs):
        content = messages[-1]["content"]
        picture = not isinstance(content, str)
        yes = picture and sum(map(ord, content["text"])) % 3
        return Response(self.model_id, "yes" if yes else "no", "ok")
'''


def share_right(bench: Any, name: str) -> float:
    rows = [json.loads(line) for line in (bench.path / "reports/latest/samples" / name).read_text().splitlines()]
    assert all(isinstance(row["messages"][-1]["content"], str) for row in rows)
    return sum(row["value"] == row["target"] for row in rows) / len(rows)


def test_the_difference_is_reported_with_its_interval(bench: Any, workers: list[str]) -> None:
    (bench.path / "conftest.py").write_text(SEES)
    bench.task("t1", "truthfulness", "[d-basic-object]", rule=YES_NO)
    result = bench.run("--mmte-control=no-image,blank", *workers, model="sees", how="subprocess")
    assert result.ret == 0, result.stdout.str()
    row = bench.results()["t1[d-basic-object/rule/sees]"]
    found = {e["metric"]: e for e in row["estimates"]}
    assert list(found) == ["accuracy_score", "accuracy_score.vs.no-image", "accuracy_score.vs.blank"]
    alone = found["accuracy_score.vs.no-image"]
    right = found["accuracy_score"]["value"] - share_right(bench, "t1[d-basic-object~rule~sees].vs.no-image.jsonl")
    assert abs(alone["value"] - right) < 1e-9
    assert alone["low"] < alone["high"]
    assert found["accuracy_score.vs.blank"]["value"] == 0
    assert row["effort"]["asked"] > 2 * row["counts"]["expected"]  # equal questions without a picture are asked once
    assert bench.report["settings"]["controls"] == ["no-image", "blank"]
    result.stdout.fnmatch_lines(["*accuracy_score.vs.no-image*"])


def test_a_text_dataset_has_nothing_to_control(bench: Any, workers: list[str]) -> None:
    bench.task()
    assert bench.run("--mmte-control=no-image", *workers).ret == 0
    row = bench.results()["t1[confaide-text/rule/x]"]
    assert [e["metric"] for e in row["estimates"]] == ["pearson_corr", "failure"]


def test_a_gate_may_ask_for_a_difference(bench: Any, workers: list[str]) -> None:
    bench.task("t1", "truthfulness", "[d-basic-object]", rule=YES_NO)
    gate = bench.path / "gates.toml"
    gate.write_text('[[gate]]\ncase = "t1*"\nmetric = "accuracy_score.vs.blank"\nrequire = ">= 0.1"\n')
    result = bench.run("--mmte-control=blank", f"--mmte-gates={gate}", *workers, model="x=scripted:yes")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["gate: accuracy_score.vs.blank = 0 is not >= 0.1"])


def test_a_wrong_name_is_one_line(bench: Any) -> None:
    bench.task()
    result = bench.run("--mmte-control=no-imgae")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --mmte-control: unknown method 'no-imgae'. Did you mean 'no-image'?*"])
    result = bench.run("--mmte-control=no-image,")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--mmte-control: 'no-image,' has an empty name*"])
