"""Intervals of scores from side files: which samples go in, and when there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmte.report.scores import Part
from mmte.report.scores_samples import SampleIntervals

HITS = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0]


def sample(number: int, value: Any, **more: Any) -> dict[str, Any]:
    about = {"id": f"s{number}", "cluster": f"c{number}", "subset": "odd" if number % 2 else "", "target": 1}
    return {**about, "value": value, "reason": "unparsed" if value is None else "scored", **more}


def written(folder: Path, rows: list[dict[str, Any]], name: str = "one.jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def found(value: float, metric: str = "pred_mean", subset: str = "", file: str = "one.jsonl", **more: Any) -> Any:
    row = {"case": "a[d/r/x]", "model": "x", "samples_file": file, **more}
    return {Part("a", "d", "r", metric, subset): (row, {"value": value, "low": None, "high": None})}


def only(values: Any) -> Any:
    return values[0]


def test_an_interval_of_samples(tmp_path: Path) -> None:
    folder = written(tmp_path / "samples", [sample(n, hit) for n, hit in enumerate(HITS)])
    low, high, method = SampleIntervals(folder)(found(8 / 12), only, "s")
    assert low is not None and high is not None
    assert 0.3 < low < 8 / 12 < high < 1
    assert method == "bootstrap-cluster"


def test_rows_of_a_subset(tmp_path: Path) -> None:
    folder = written(tmp_path / "samples", [sample(n, hit) for n, hit in enumerate(HITS)])
    odd = HITS[1::2]
    assert SampleIntervals(folder)(found(sum(odd) / len(odd), subset="odd"), only, "s")[0] is not None
    assert SampleIntervals(folder)(found(sum(odd) / len(odd)), only, "s") == (None, None, "")


def test_labels_are_those_that_an_evaluator_read(tmp_path: Path) -> None:
    rows = [sample(n, hit, target="Yes", label=1) for n, hit in enumerate(HITS)]
    assert (
        SampleIntervals(written(tmp_path / "samples", rows))(found(8 / 12, "accuracy_score"), only, "s")[0] is not None
    )
    rows = [sample(n, hit, target="Yes") for n, hit in enumerate(HITS)]
    assert SampleIntervals(written(tmp_path / "other", rows))(found(8 / 12, "accuracy_score"), only, "s")[0] is None


@pytest.mark.parametrize(
    "change",
    [
        {"file": "two.jsonl"},
        {"file": ""},
        {"file": "../samples/one.jsonl"},
        {"value": 0.7},
        {"metric": "nobody_knows"},
    ],
)
def test_none_where_the_samples_do_not_lead_to_the_value(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = written(tmp_path / "samples", [sample(n, hit) for n, hit in enumerate(HITS)])
    assert SampleIntervals(folder)(found(**{"value": 8 / 12, **change}), only, "s") == (None, None, "")


@pytest.mark.parametrize(
    ("metric", "options", "value"),
    [
        ("failure", {"fails_num": 0}, 3 / 12),
        ("precision_score", {"pos_label": 2}, 3 / 5),
        ("pearson_corr", {"nan_to_num": 0}, 0.21669453555438464),
    ],
)
def test_a_metric_counts_with_its_options(tmp_path: Path, metric: str, options: dict[str, Any], value: float) -> None:
    values = [2, 0, 1, 2, 0, 1, 1, None, 2, 2, 1, 2]
    labels = [2, 0, 1, 1, 1, 1, 2, 2, 2, 0, 1, 2]
    rows = [sample(n, v, target=t) for n, (v, t) in enumerate(zip(values, labels, strict=True))]
    folder = written(tmp_path / "samples", rows)
    told = {"pred_mean": {}, metric: options}
    low, high, method = SampleIntervals(folder)(found(value, metric, metric_options=told), only, "s")
    assert low is not None and high is not None
    assert low < value < high
    assert method == "bootstrap-cluster"
    unfits: list[dict[str, Any]] = [{}, {"metric_options": {}}, {"metric_options": {"pred_mean": options}}]
    for unfit in unfits:
        assert SampleIntervals(folder)(found(value, metric, **unfit), only, "s") == (None, None, "")


@pytest.mark.parametrize("options", [{"average": "macro"}, {"nobody_knows": 1}, ["average"], None, "macro"])
def test_none_where_options_have_no_form_as_sums_or_are_none(tmp_path: Path, options: Any) -> None:
    rows = [sample(n, hit, target=n % 2) for n, hit in enumerate(HITS)]
    folder = written(tmp_path / "samples", rows)
    for told in ({"f1_score": options}, options):
        row = found(0.3142857142857143, "f1_score", metric_options=told)
        assert SampleIntervals(folder)(row, only, "s") == (None, None, "")


@pytest.mark.parametrize("line", ["{", "[]", '{"value": 1}', '{"value": 1, "reason": "luck", "cluster": 1}'])
def test_none_where_a_file_is_damaged(tmp_path: Path, line: str) -> None:
    folder = written(tmp_path / "samples", [sample(n, hit) for n, hit in enumerate(HITS)])
    with (folder / "one.jsonl").open("a") as file:
        file.write(line + "\n")
    assert SampleIntervals(folder)(found(8 / 12), only, "s") == (None, None, "")
