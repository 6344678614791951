"""`mmte compare`: paired differences, which samples flipped, and what cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_reports import report, row

from mmte.cli import main
from mmte.report.differences import Change, changes
from mmte.report.made import load_report

ONES, HALF = [1.0] * 40, [1.0, 0.0] * 20


def compared(before: Path, after: Path) -> list[Change]:
    return changes((before, load_report(before)), (after, load_report(after)))


def two(tmp_path: Path, before: Any, after: Any, **more: Any) -> list[Change]:
    """The changes between two values of one case."""
    a, b = tmp_path / "a", tmp_path / "b"
    return compared(report(a, row(a, before, **more)), report(b, row(b, after, **more)))


def test_a_difference_is_paired_by_sample(tmp_path: Path) -> None:
    before = [float(n % 2) for n in range(200)]
    after = [1.0 if n % 20 == 0 else value for n, value in enumerate(before)]  # ten zeros become ones
    (change,) = two(tmp_path, before, after)
    assert (change.before, change.after) == (0.5, 0.55)
    assert change.change == pytest.approx(0.05)
    assert change.low is not None
    assert change.high is not None
    assert 0.02 < change.low < 0.05 < change.high < 0.1  # unpaired it would be [-0.05, 0.15]
    assert change.method.startswith("bootstrap")
    assert change.verdict == "better"
    assert [flip.id for flip in change.better] == [f"s{n}" for n in range(0, 200, 20)]
    assert change.worse == change.lost == change.found == ()


def test_the_direction_says_what_is_worse(tmp_path: Path) -> None:
    (change,) = two(tmp_path, [0.0] * 40, [1.0 if n < 12 else 0.0 for n in range(40)], direction="down")
    assert change.verdict == "worse"
    assert len(change.worse) == 12
    assert change.gain == pytest.approx(-0.3)


def test_accuracy_flips_where_its_hits_do(tmp_path: Path) -> None:
    labels = [0.0] * 10 + [1.0] * 10
    (change,) = two(tmp_path, [0.0] * 20, [1.0] * 20, metric="accuracy_score", labels=labels)
    assert change.change == 0
    assert (len(change.worse), len(change.better)) == (10, 10)
    assert change.verdict == "no difference shown"


def test_a_verdict_that_is_lost_or_found(tmp_path: Path) -> None:
    (change,) = two(tmp_path, [None, 1.0, 1.0, 0.0] * 10, [1.0, None, 1.0, 0.0] * 10)
    assert len(change.lost) == len(change.found) == 10
    assert change.lost[0].after is None
    assert change.found[0].before is None
    assert change.n == 20


def test_all_samples_flip(tmp_path: Path) -> None:
    (change,) = two(tmp_path, ONES, [0.0] * 40)
    assert (change.change, change.method, change.verdict) == (-1.0, "unpaired", "worse")
    assert change.low is not None
    assert change.low < -1 + 1e-12
    assert change.high is not None
    assert -1 < change.high < -0.8


def test_nothing_changed(tmp_path: Path) -> None:
    (change,) = two(tmp_path, HALF, HALF)
    assert change.change == 0
    assert change.verdict in ("no difference shown", "")
    assert change.worse == change.better == ()


def test_a_correlation_has_an_interval_too(tmp_path: Path) -> None:
    labels = [float(n % 7) for n in range(60)]
    noisy = [label + 3 * ((n * 37 % 11) / 10 - 0.5) for n, label in enumerate(labels)]
    (change,) = two(tmp_path, labels, noisy, metric="pearson_corr", labels=labels)
    assert change.low is not None
    assert change.high is not None
    assert change.before == pytest.approx(1)
    assert change.low < (change.change or 0) < change.high <= 0.01
    assert change.verdict == "worse"


@pytest.mark.parametrize(
    ("identity", "told"),
    [
        ("data", "not comparable: another data"),
        ("samples", "not comparable: another samples (40, 40)"),
        ("evaluators", "not comparable: another evaluators or judges"),
        ("generation", "not comparable: another generation settings"),
        ("task_version", "not comparable: another version of the task (1, other)"),
    ],
)
def test_another_identity_is_not_comparable(tmp_path: Path, identity: str, told: str) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    other = row(b, HALF)
    other["identities"][identity] = "other"
    (change,) = compared(report(a, row(a, ONES)), report(b, other))
    assert change.why == told
    assert change.change is None


def test_another_model_is_what_a_comparison_is_for(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    other = row(b, HALF, model="new")
    other["identities"]["model"] = "other"
    (change,) = compared(report(a, row(a, ONES, model="old")), report(b, other))
    assert (change.case, change.change) == ("t1[d/rule/new]", -0.5)


def test_several_models_are_compared_by_name(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    one = report(a, row(a, ONES, model="x"), row(a, HALF, model="y"))
    found = compared(one, report(b, row(b, HALF, model="y"), row(b, HALF, model="z")))
    assert {(c.case, c.why) for c in found} == {
        ("t1[d/rule/y]", ""), ("t1[d/rule/z]", "only in the second report"),
        ("t1[d/rule/x]", "only in the first report"),
    }  # fmt: skip


def test_largest_loss_first(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    names = ("same", "worse", "better", "skipped")
    one = [row(a, HALF, dataset=name) for name in names]
    other = [row(b, values, dataset=n) for n, values in zip(names, (HALF, [0.0] * 40, ONES, HALF), strict=True)]
    other[3] |= {"estimates": [], "outcome": "skipped", "reason": "no images"}
    found = compared(report(a, *one), report(b, *other))
    assert [c.case.split("[")[1].split("/")[0] for c in found] == ["worse", "same", "better", "skipped"]
    assert found[3].why == "no numbers in the second report (no images)"


@pytest.mark.parametrize("damage", ["gone", "outside", "other", "cut"])
def test_without_samples_there_is_a_difference_and_no_interval(tmp_path: Path, damage: str) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    one, other = row(a, ONES), row(b, HALF, ids=[f"o{n}" for n in range(40)] if damage == "other" else None)
    file = b / "samples" / other["samples_file"]
    if damage == "gone":
        file.unlink()
    elif damage == "outside":
        other["samples_file"] = "../../secret.jsonl"
    elif damage == "cut":
        file.write_text(file.read_text()[:-30])
    (change,) = compared(report(a, one), report(b, other))
    assert (change.change, change.low, change.why) == (-0.5, None, "")
    assert change.note.startswith("no interval: ")


def test_numbers_that_the_samples_do_not_have(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    other = row(b, HALF)
    other["estimates"][0]["value"] = 0.7
    (change,) = compared(report(a, row(a, ONES)), report(b, other))
    assert change.low is None
    assert "the samples do not lead to its numbers" in change.note


def test_the_options_of_a_metric_count(tmp_path: Path) -> None:
    """`failure` of ratings where 0 stands for none."""
    a, b = tmp_path / "a", tmp_path / "b"
    told = {"metric_options": {"failure": {"fails_num": 0.0}}}
    rows = [row(folder, values, metric="failure", **told) for folder, values in ((a, ONES), (b, HALF))]
    rows[0]["estimates"][0]["value"], rows[1]["estimates"][0]["value"] = 0.0, 0.5
    (change,) = compared(report(a, rows[0]), report(b, rows[1]))
    assert (change.change, change.verdict, len(change.worse)) == (0.5, "worse", 20)
    assert change.low is not None


def test_multitrust_reports_are_compared_by_its_metrics(tmp_path: Path) -> None:
    """All answers yes is fair there, and has no value in the strict reading."""
    a, b = tmp_path / "a", tmp_path / "b"
    labels = [[str(n % 2)] for n in range(40)]
    rows = []
    for folder, values in ((a, ONES), (b, HALF)):
        made = row(folder, values, labels=[0.0] * 40)
        file = folder / "samples" / made["samples_file"]
        samples = [json.loads(line) for line in file.read_text().splitlines()]
        lines = [json.dumps({**s, "label": label}) for s, label in zip(samples, labels, strict=True)]
        file.write_text("\n".join(lines) + "\n")
        (estimate,) = made["estimates"]
        made["estimates"] = [{**estimate, "metric": "independence", "value": 1.0 if values is ONES else 0.0}]
        rows.append(made)
    (change,) = compared(report(a, rows[0], scoring="multitrust"), report(b, rows[1], scoring="multitrust"))
    assert change.change == -1.0
    assert change.low is not None, change.note


# -- the command ---------------------------------------------------------------------------------
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    ids = ["\x1b[2J", *(f"s{n}" for n in range(39))]
    report(a, row(a, ONES, ids=ids), row(a, HALF, dataset="e"))
    report(b, row(b, [0.0] * 12 + [1.0] * 28, ids=ids), row(b, HALF, dataset="f"))
    assert main(["compare", str(a), str(b / "report.json")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("(largest loss first)")
    assert out[1].split()[:5] == ["t1[d/rule/x]", "pred_mean", "1.000", "0.700", "-0.300"]
    assert out[1].endswith("worse")
    assert out[2] == "    flipped: 12 worse (\\x1b[2J, s0, s1, ...)"
    assert out[-1] == (
        "1 compared, 1 worse, 0 better, 2 not comparable or without a score; of 1 intervals, 0.1 miss 0 by chance alone"
    )
    assert main(["compare", "--flips", str(a), str(b)]) == 0
    assert capsys.readouterr().out.count(": 1 -> 0") == 12
    assert main(["compare", "--json", str(a), str(b)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found[0]["verdict"], len(found[0]["worse"])) == ("worse", 12)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["a"], "compare needs two reports, or one and --published MODEL; 1 was given"),
        (["a", "b", "a"], "3 were given"),
        (["a", "nowhere"], "nowhere: no report there"),
        (["a", "old"], "old: report.json is no report of this version"),
        (["a", "b", "--published", "gpt-4o"], "takes one report"),
        (["a", "--published", "gpt-5o"], "Did you mean 'gpt-4o'"),
    ],
)
def test_mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        report(Path(name), row(Path(name), ONES))
    Path("old").mkdir()
    Path("old/report.json").write_text("{}")
    assert main(["compare", *args]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_our_run_stands_beside_no_published_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = report(tmp_path / "a", row(tmp_path / "a", ONES), limit=3)
    assert main(["compare", str(folder), "--published", "gpt-4o"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("not comparable: prompts are mmte's own; data are mini data")
    assert "--mmte-limit=3" in line
    assert "76.61" not in line


TASK = """# mmte.task/1
aspect: privacy
datasets: [confaide-text]
evaluators:
  rule: {rule_match_and_score_eval: {metrics_cfg: {pearson_corr: {}, failure: {}}}}
"""


def test_two_runs(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    (pytester.path / "t1.yaml").write_text(TASK)
    for name, model in (("a", "scripted:-100|-50|0|50|100"), ("b", "scripted:-100|-50|0|50|no idea")):
        done = pytester.runpytest_inprocess(
            f"--model={name}={model}", f"--mmte-report={name}", f"--mmte-cache={pytester.path / 'c.sqlite'}"
        )
        assert done.ret == 0
    capsys.readouterr()
    assert main(["compare", str(pytester.path / "a"), str(pytester.path / "b")]) == 0
    out = capsys.readouterr().out
    assert "t1[confaide-text/rule/b] failure" in out
    assert "worse" in out
    assert " lost (" in out
    assert "0 not comparable" in out


def test_an_answer_that_is_empty_now_is_lost_and_no_wrong_one(tmp_path: Path) -> None:
    """`accuracy_score` counts an unread answer as wrong, but not one that is no answer."""
    a, b = tmp_path / "a", tmp_path / "b"
    rows = [row(folder, ONES, metric="accuracy_score", labels=[1.0] * 40) for folder in (a, b)]
    file = b / "samples" / rows[1]["samples_file"]
    samples = [json.loads(line) for line in file.read_text().splitlines()]
    samples[0] |= {"value": None, "reason": "empty"}
    samples[1] |= {"value": None, "reason": "unparsed"}
    file.write_text("".join(json.dumps(s) + "\n" for s in samples))
    rows[1]["estimates"][0] |= {"value": 38 / 39, "n": 39}
    (change,) = compared(report(a, rows[0]), report(b, rows[1]))
    assert [(flip.id, flip.after) for flip in change.worse] == [("s1", 0.0)]
    assert [flip.id for flip in change.lost] == ["s0"]
