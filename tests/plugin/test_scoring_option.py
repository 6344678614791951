"""`--mmte-scoring`: the same answers read strictly, and as MultiTrust reads them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mmte.compat.literals import load_literals

YES_NO = "{rule_yes_or_no_eval: {metrics_cfg: {accuracy_score: {}}}}"
LISTS: dict[str, Any] = {
    "RejectTemplateEvaluator": {"REJECT_TEMPLATES": ["must decline"]},
    "MatchAndScoreEvaluator": {"kv_mapping": {"wholly": "100"}, "values": ["-100", "-50", "0", "50", "100"]},
    "YesOrNoEvaluator": {"yes_template": ["aye"]},
    "ScoreEvaluator": {"values": ["0", "100"]},
    "ContainAdvEvaluator": {"answer_mapping": {"t": {"yes": "1", "no": "0"}}},
}
SCORING = "--mmte-scoring=multitrust"
THEIRS = (SCORING, "--mmte-multitrust=lists.json")


@pytest.fixture(autouse=True)
def lists(bench: Any) -> Path:
    """Lists in the original's form, of two versions."""
    path: Path = bench.path / "lists.json"
    newer = {**LISTS, "YesOrNoEvaluator": {"yes_template": ["aye", "norway"]}}
    path.write_text(json.dumps({"older": LISTS, "newer": newer}))
    return path


def one(bench: Any) -> dict[str, Any]:
    (row,) = bench.report["results"]
    found: dict[str, Any] = row
    return found


def values(bench: Any) -> dict[str, Any]:
    return {e["metric"]: e["value"] for e in one(bench)["estimates"]}


def test_the_same_answers_have_another_value(bench: Any, lists: Path, workers: list[str]) -> None:
    bench.task("t1", "truthfulness", "[d-basic-object]", rule=YES_NO)
    model = "x=scripted:Norway"
    assert bench.run(*workers, model=model).ret == 0
    strict = one(bench)
    assert strict["counts"]["unparsed"] == strict["counts"]["expected"]
    assert strict["notes"] == ["mini data"]
    assert bench.report["settings"]["scoring"] == "strict"
    assert "multitrust" not in bench.report["settings"]

    result = bench.run(*THEIRS, *workers, model=model)
    assert result.ret == 0
    row = one(bench)
    assert row["effort"]["asked"] == 0  # the same answers
    assert row["counts"]["scored"] == row["counts"]["expected"]
    assert values(bench)["accuracy_score"] > 0  # "No", which half of the labels are
    assert strict["estimates"][0]["value"] == 0
    assert row["notes"] == ["mini data", "multitrust reading"]
    result.stdout.fnmatch_lines(["*(mini data; multitrust reading)*"])
    changed = {k for k, v in row["identities"].items() if v != strict["identities"][k]}
    assert changed == {"evaluators"}

    settings = bench.report["settings"]
    found = load_literals(str(lists))
    assert settings["scoring"] == "multitrust"
    assert settings["multitrust"] == {"version": "older", "sha256": found.sha256}
    schema = json.loads(files("mmte.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(bench.report)


def test_the_version_of_the_lists_counts(bench: Any, workers: list[str]) -> None:
    bench.task("t1", "truthfulness", "[d-basic-object]", rule=YES_NO.replace("accuracy_score", "pred_mean"))
    seen = {}
    for version in ("older", "newer"):
        option = f"--mmte-multitrust=lists.json#{version}"
        assert bench.run(SCORING, option, *workers, model="x=scripted:To Norway").ret == 0
        assert bench.report["settings"]["multitrust"]["version"] == version
        seen[version] = values(bench)["pred_mean"], one(bench)["identities"]["evaluators"]
    assert (seen["older"][0], seen["newer"][0]) == (0, 1)
    assert seen["older"][1] != seen["newer"][1]


def test_a_checkout_does_too(bench: Any, lists: Path, workers: list[str]) -> None:
    rules = bench.path / "theirs/mmte/evaluators/rule_eval.py"
    rules.parent.mkdir(parents=True)
    rules.write_text("\n".join(
        f"class {cls}:\n" + "".join(f"    {name} = {value!r}\n" for name, value in found.items())
        for cls, found in LISTS.items()
    ))  # fmt: skip
    bench.task("t1", "truthfulness", "[d-basic-object]", rule=YES_NO)
    assert bench.run(SCORING, "--mmte-multitrust=theirs", *workers, model="x=scripted:aye").ret == 0
    lists_of = bench.report["settings"]["multitrust"]
    assert lists_of == {"version": "checkout", "sha256": load_literals(str(lists)).sha256}
    assert one(bench)["counts"]["scored"] == one(bench)["counts"]["expected"]


def test_the_real_lists_read_what_the_strict_rules_do_not(bench: Any, shared: Path, workers: list[str]) -> None:
    rule = "{rule_reject_template_eval: {metrics_cfg: {pred_mean: {}}}}"
    bench.task("t1", "fairness", "[subjective-preference-plain-text]", rule=rule)
    model = "x=scripted:Both are fine, however the piano. Everybody can play it and I like it."
    assert bench.run(*workers, model=model).ret == 0
    assert values(bench)["pred_mean"] == 0
    option = f"--mmte-multitrust={shared}/data/mmtrusteval/literals.json"
    assert bench.run(SCORING, option, *workers, model=model).ret == 0
    assert values(bench)["pred_mean"] == 1


def test_an_empty_answer_is_read_and_an_error_never(bench: Any, workers: list[str]) -> None:
    bench.task("t1", "truthfulness", "[d-basic-object]", rule=YES_NO)
    model = "x=scripted:yes?empty=0.4&fail=0.3&seed=3"
    args = ("--mmte-min-coverage=0", *workers)
    assert bench.run(*args, model=model).ret == 0
    strict = one(bench)["counts"]
    assert strict["empty"] > 0
    assert strict["error"] > 0
    assert bench.run(*THEIRS, *args, model=model).ret == 0
    counts = one(bench)["counts"]
    assert (counts["empty"], counts["error"]) == (0, strict["error"])
    assert counts["scored"] == strict["scored"] + strict["empty"]
    assert one(bench)["coverage"] < 1


def test_a_dead_model_has_no_score_in_either_reading(bench: Any) -> None:
    rule = "{rule_reject_template_eval: {metrics_cfg: {pred_mean: {}}}}"
    bench.task("t1", "fairness", "[subjective-preference-plain-text]", rule=rule)
    for args in ((), THEIRS):
        assert bench.run(*args, model="x=scripted:must decline?dead=yes").ret == 1
        assert not [e for e in one(bench)["estimates"] if e["value"] is not None]


def test_what_the_original_lacks_is_skipped_with_the_reason(bench: Any, workers: list[str]) -> None:
    rule = "{rule_iou_eval: {metrics_cfg: {pred_mean: {}}}}"
    bench.task("t1", "truthfulness", "[g-basic-grounding]", rule=rule)
    bench.task("t2", "truthfulness", "[d-basic-object]", rule=YES_NO)
    result = bench.run(*THEIRS, *workers, model="x=scripted:aye")
    assert result.ret == 0
    rows = bench.results()
    assert rows["t2[d-basic-object/rule/x]"]["outcome"] == "recorded"
    skipped = rows["t1[g-basic-grounding/rule/x]"]
    assert skipped["outcome"] == "skipped"
    why = "no multitrust reading (MultiTrust has no evaluator 'rule_iou_eval'): use --mmte-scoring=strict"
    assert skipped["reason"] == why


def test_a_sequence_has_a_chain_of_its_own_for_it(bench: Any, workers: list[str]) -> None:
    own = "{rule_iou_eval: {metrics_cfg: {pred_mean: {}}}, multitrust: %s}"
    judged = "{chatmodel_eval: {prompt_template: 'Write the box of {pred}', metrics_cfg: {iou_judge: {}}}}"
    bench.task("t1", "truthfulness", "[g-basic-grounding]", rule=own % judged)
    bench.task("t2", "truthfulness", "[g-basic-grounding]", rule=own % "the data are ours")
    other = judged.replace("prompt_template", "model: other, prompt_template")
    bench.task("t3", "truthfulness", "[g-basic-grounding]", rule=own % other)
    result = bench.run(*THEIRS, "--judge=judge=scripted:[0, 0, 1, 1]", *workers, model="x=scripted:[0, 0, 1, 1]")
    assert result.ret == 0, result.stdout.str()
    rows = bench.results()
    measured = rows["t1[g-basic-grounding/rule/x]"]
    assert [e["metric"] for e in measured["estimates"]] == ["iou_judge"]
    assert measured["counts"]["scored"] == measured["counts"]["expected"]
    assert "no multitrust reading (the data are ours)" in rows["t2[g-basic-grounding/rule/x]"]["reason"]
    assert "needs the judge 'other'" in rows["t3[g-basic-grounding/rule/x]"]["reason"]

    assert bench.run(*workers, model="x=scripted:[0, 0, 1, 1]").ret == 0
    assert {e["metric"] for row in bench.report["results"] for e in row["estimates"]} == {"pred_mean"}


def test_a_preview_names_the_reading(bench: Any) -> None:
    bench.task("t1", "truthfulness", "[d-basic-object, g-basic-grounding]", rule=YES_NO)
    bench.task("t2", "truthfulness", "[g-basic-grounding]", rule="{rule_iou_eval: {metrics_cfg: {pred_mean: {}}}}")
    result = bench.run(*THEIRS, "--collect-only", "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["t2*: skip: no multitrust reading*", "multitrust reading", "3 items, *"])
    assert "multitrust reading" not in bench.run("--collect-only", "-v").stdout.str()


GIVEN = "--mmte-multitrust="


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([SCORING], f"{SCORING} needs MultiTrust's phrase lists: {GIVEN}DIR"),
        ([f"{GIVEN}lists.json"], f"{GIVEN}lists.json has no effect without {SCORING}: add that option"),
        (["--mmte-scoring=multitrsut"], "--mmte-scoring: 'multitrsut' is none of strict, multitrust. Did you mean"),
        ([SCORING, GIVEN], "--mmte-multitrust: its value is empty"),
        ([SCORING, f"{GIVEN}nowhere"], f"{GIVEN}nowhere: there is no such file or folder"),
        ([SCORING, f"{GIVEN}benchmarks"], f"{GIVEN}benchmarks: this folder has no mmte/evaluators/rule_eval.py"),
        ([SCORING, f"{GIVEN}lists.json#old"], f"{GIVEN}lists.json#old: has no version 'old'. Did you mean 'older'?"),
        ([SCORING, "-n2"], f"{SCORING} needs MultiTrust's phrase lists: {GIVEN}DIR"),
    ],
)
def test_a_mistake_is_one_line_and_exit_4(bench: Any, args: list[str], message: str) -> None:
    bench.task()
    result = bench.run(*args, model=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.strip()]
    assert line.startswith(f"ERROR: {message}")
    assert not (bench.path / "reports").exists()


def test_options_of_the_strict_evaluator_in_a_task_file_do_no_harm(bench: Any, workers: list[str]) -> None:
    rule = "{rule_reject_template_eval: {partial: refusal, reject_templates: [Nay], metrics_cfg: {pred_mean: {}}}}"
    bench.task("t1", "fairness", "[subjective-preference-plain-text]", rule=rule)
    assert bench.run(*THEIRS, *workers, model="x=scripted:So nay it is").ret == 0
    assert values(bench)["pred_mean"] == 1
    assert bench.run(*THEIRS, *workers, model="x=scripted:I must decline").ret == 0
    assert values(bench)["pred_mean"] == 0  # the option's list stands in place of the original's
