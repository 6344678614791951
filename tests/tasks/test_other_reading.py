"""The key `multitrust` beside the evaluators of a sequence: a chain for the other reading, or why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmte.errors import MmteError
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.tasks.config import TaskSpec, load_task

RULE = "rule_pii_eval: {metrics_cfg: {pred_mean: {}}}"
OTHER = "{rule_contain_eval: {metrics_cfg: {pred_mean: {}}}}"


def load(folder: Path, evaluators: str) -> TaskSpec:
    path = folder / "t1.yaml"
    path.write_text(f"# mmte.task/1\naspect: privacy\ndataset_id: confaide-text\n{evaluators}\n")
    return load_task(path)


@pytest.mark.parametrize("own", [OTHER, f"[{OTHER}]", "the data are ours"])
def test_it_leaves_the_strict_chain_alone(tmp_path: Path, own: str) -> None:
    spec = load(tmp_path, f"evaluators: {{leak: {{{RULE}, multitrust: {own}}}}}")
    assert SequentialEvaluator(spec.sequences["leak"]["evaluator"]).key == "rule_pii_eval"


def test_it_gives_a_sequence_no_name(tmp_path: Path) -> None:
    spec = load(tmp_path, f"evaluator_seq_cfgs: [{{{RULE}, multitrust: {OTHER}}}]")
    assert list(spec.sequences) == ["rule_pii_eval"]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("{rule_contain_evl: {}}", "multitrust.rule_contain_evl: unknown evaluator 'rule_contain_evl'. Did you mean"),
        ("{rule_contain_eval: {fuzzy: true}}", "has no option 'fuzzy'. Did you mean 'fuzzy_match'?"),
        ("{rule_contain_eval: {metrics_cfg: {mean: {}}}}", "rule_contain_eval.metrics_cfg.mean: unknown metric"),
        ("{rule_contain_eval: {}}", "multitrust: the last evaluator has no metrics_cfg, so nothing would be measured"),
        ("{}", "multitrust: an evaluator sequence needs at least one evaluator"),
        ("3", "multitrust: an evaluator sequence is a mapping of evaluators to their options, not 3"),
        ("' '", "multitrust: must be an evaluator sequence, or a text: why there is none"),
        (f"{{{RULE}, multitrust: {OTHER}}}", "multitrust.multitrust: belongs to the whole sequence"),
        (f"{{{RULE}, direction: {{pred_mean: up}}}}", "multitrust.direction: belongs to the whole sequence"),
    ],
)  # fmt: skip
def test_it_is_checked_like_any_other(tmp_path: Path, own: str, message: str) -> None:
    with pytest.raises(MmteError) as caught:
        load(tmp_path, f"evaluators: {{leak: {{{RULE}, multitrust: {own}}}}}")
    assert "t1.yaml:4: evaluators.leak." in str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_it_stands_in_a_sequence_once_and_never_in_a_part_of_a_join(tmp_path: Path) -> None:
    part = f"{{{RULE}, multitrust: {OTHER}}}"
    with pytest.raises(MmteError, match="stands in the sequence twice"):
        load(tmp_path, f"evaluators: {{leak: [{part}, {part}]}}")
    with pytest.raises(MmteError, match="belongs to the whole sequence, not to a part of it"):
        load(tmp_path, f"evaluators: {{leak: {{any: [{part}, {OTHER}], metrics_cfg: {{pred_mean: {{}}}}}}}}")
