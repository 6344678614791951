import pytest

from mmte.evaluators.base import process_columns
from mmte.evaluators.rows import RowEvaluator


class Same(RowEvaluator):
    evaluator_ids = ("rows_same_eval",)

    def value_of(self, pred, label, extra, row):
        return [pred, label, extra, row]


def test_each_answer_gets_its_label_and_extra():
    same = Same("rows_same_eval")
    values, labels, extras = process_columns(same, ["a", "b"], [1, 2], [None, {"k": 3}])
    assert values == [["a", 1, None, 0], ["b", 2, {"k": 3}, 1]]
    assert (labels, extras) == ([1, 2], [None, {"k": 3}])
    assert same.process(["a"]) == ([["a", None, None, 0]], None, None)
    assert same.process([]) == ([], None, None)


def test_a_rule_without_value_of_says_so():
    with pytest.raises(NotImplementedError, match="RowEvaluator must implement value_of"):
        RowEvaluator.value_of(RowEvaluator.__new__(RowEvaluator), "a", None, None, 0)
