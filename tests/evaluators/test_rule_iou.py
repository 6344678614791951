import math
import pickle

import numpy as np
import pytest

from mmte.errors import MmteError
from mmte.evaluators import metrics
from mmte.evaluators.metrics import metric_for
from mmte.evaluators.rule_iou import IouEvaluator
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.registry import registry
from mmte.stats.estimate import Columns, estimate
from mmte.types import REASONS, UNPARSED

NAME = "rule_iou_eval"
LABEL = "[0.1, 0.2, 0.5, 0.6]"
GOOD, BAD = "```json\n[0.1, 0.2, 0.5, 0.58]\n```", "[0.5, 0.6, 0.9, 0.9]"


def test_it_is_registered():
    assert registry.get_evaluator_class(NAME) is IouEvaluator
    assert (IouEvaluator.chunk, IouEvaluator.reads_cut, IouEvaluator.version) == (1024, True, 1)


def test_hits():
    preds = [GOOD, BAD, "1/0", "no box", None, [GOOD], UNPARSED]
    hits, labels, extras = IouEvaluator(NAME).process(preds, [LABEL] * 7, None)
    assert hits == [1.0, 0.0, UNPARSED, UNPARSED, UNPARSED, 1.0, UNPARSED] and labels == [LABEL] * 7 and extras is None


def test_a_hit_exceeds_the_threshold():
    label = "[0, 0, 1, 1]"
    assert IouEvaluator(NAME).process(["[0, 0, 1, 0.5]"], [label])[0] == [0.0]
    assert IouEvaluator(NAME, threshold=0.4).process(["[0, 0, 1, 0.5]"], [label])[0] == [1.0]


def test_units():
    pixels = IouEvaluator(NAME, units="pixels")
    assert pixels.process(["[64, 96, 320, 288]"], [LABEL], [{"img_size": (640, 480)}])[0] == [1.0]
    assert IouEvaluator(NAME, units="thousandths").process(["[100, 200, 500, 600]"], [LABEL])[0] == [1.0]
    assert IouEvaluator(NAME).process(["[64, 96, 320, 288]"], [LABEL], [{"img_size": (640, 480)}])[0] == [UNPARSED]
    with pytest.raises(MmteError, match=r"needs extra\['img_size'\].*sample 1 of this batch"):
        pixels.process(["[64, 96, 320, 288]"], [LABEL], [{}])


@pytest.mark.parametrize("label", [None, "", "[1,2]", 5])
def test_a_label_that_is_no_box(label):
    with pytest.raises(MmteError, match="label of sample 2 of this batch is .* JSON text of a box"):
        IouEvaluator(NAME).process([GOOD, GOOD], [LABEL, label])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1}, "threshold must be a number from 0 to below 1"), ({"threshold": "0.5"}, "threshold must be"),
        ({"threshold": True}, "threshold must be"), ({"units": "pixel"}, "unknown units 'pixel'.*'pixels'"),
        ({"limit": 1}, "no option 'limit'"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_line(options, message):
    with pytest.raises(MmteError, match=message) as caught:
        IouEvaluator(NAME, **options)
    assert "\n" not in str(caught.value)


def test_it_can_be_sent_to_a_worker():
    assert pickle.loads(pickle.dumps(IouEvaluator(NAME))).process([GOOD], [LABEL])[0] == [1.0]


# -- the metric ----------------------------------------------------------------------------------
def test_the_metric_of_the_original_on_texts():
    metric = metric_for("iou_judge")
    assert metric.name == "iou_judge" and metric.direction == "up"
    assert metric([LABEL] * 4, [GOOD, BAD, GOOD, "1/0"]) == 50.0
    assert metric(["[0, 0, 1, 1]"], ["[0, 0, 1, 0.5]"]) == 0.0  # more than a half, not a half
    assert math.isnan(metric([], []))


def test_an_answer_without_a_box_is_a_miss():
    assert metrics.iou_judge([LABEL] * 4, [GOOD, UNPARSED, None, ""]) == 25.0


def test_the_metric_takes_hits_too():
    assert metrics.iou_judge([LABEL] * 3, [1.0, 0.0, np.float64(1)]) == pytest.approx(200 / 3)
    with pytest.raises(MmteError, match="needs texts or hits of 0 and 1, not 0.7"):
        metrics.iou_judge([LABEL], [0.7])
    with pytest.raises(MmteError, match="labels that are boxes"):
        metrics.iou_judge(["?"], [GOOD])


@pytest.mark.parametrize("texts", [True, False])
def test_its_interval_and_bounds_are_percentages(texts):
    answers = [GOOD] * 30 + [BAD] * 10
    values = answers if texts else [1.0] * 30 + [0.0] * 10
    columns = Columns(values, [LABEL] * 40, np.zeros(40, dtype=np.uint8), np.arange(40))
    found = estimate(metric_for("iou_judge"), {}, columns, expected=50, seed=1)
    assert found.value == 75.0 and found.n == 40
    assert 50 < found.low < 75 < found.high < 95 and found.bounds == (60.0, 80.0)


def test_an_unparsed_answer_is_a_miss_in_its_estimate():
    reasons = np.array([0, 0, REASONS.index("unparsed"), REASONS.index("error")], dtype=np.uint8)
    columns = Columns([GOOD, BAD, None, None], [LABEL] * 4, reasons, np.arange(4))
    found = estimate(metric_for("iou_judge"), {}, columns, expected=4, seed=1)
    assert found.value == pytest.approx(100 / 3) and found.n == 3 and found.bounds == (25.0, 75.0)


def test_in_a_chain():
    chain = SequentialEvaluator({NAME: {"metrics_cfg": {"pred_mean": {}, "iou_judge": {}}}})
    found = chain.eval([GOOD, BAD, "?"], [LABEL] * 3, None)
    assert found == {f"{NAME}:pred_mean": 0.5, f"{NAME}:iou_judge": pytest.approx(100 / 3)}
