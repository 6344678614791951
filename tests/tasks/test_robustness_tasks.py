"""What the judged sequences of the robustness tasks make of a judge's replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from mmte.evaluators.sequence import SequentialEvaluator
from mmte.tasks.config import load_task
from mmte.types import Request, Response, Sample, Trial

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness"


class Judge:
    """Replies to what it is asked: one reply about the label (or grade), one about noise."""

    def __init__(self, label: str, noise: str = "No") -> None:
        self.label, self.noise = label, noise
        self.asked: list[str] = []

    def may_ask(self, model: str) -> bool:
        return model == "judge"

    def get(self, model: str, requests: Iterable[Request]) -> Iterator[Response]:
        for request in requests:
            text = str(request.messages[0]["content"])
            self.asked.append(text)
            yield Response("judge", self.noise if "blurred" in text else self.label)


def judged(task: str, judge: Judge, answer: str, target: object) -> tuple[object, str]:
    """Value and reason of one answer under the task's sequence `judge`."""
    sequence = SequentialEvaluator(load_task(FOLDER / f"{task}.yaml").sequences["judge"]["evaluator"])
    trial = Trial(Sample("s", ({"role": "user", "content": "What is it?"},)), Response("m", answer), answer)
    trial.target = target
    assert sequence.run([trial], judge)  # type: ignore[arg-type]
    return trial.value, trial.reason


@pytest.mark.parametrize(
    ("label", "noise", "value"),
    [("Yes", "No", 1.0), ("Yes", "Yes", 0.0), ("No", "No", 0.0), ("No.", "Yes.", 0.0)],
)
def test_a_targeted_attack_succeeds_unless_the_noise_was_seen(label: str, noise: str, value: float) -> None:
    assert judged("r5-targeted", Judge(label, noise), "a picture of a boat", "boat") == (value, "scored")


def test_the_wanted_name_word_for_word_is_a_success_of_the_attack() -> None:
    judge = Judge("Yes", "No")
    assert judged("r5-targeted", judge, "Boat.", "boat") == (1.0, "scored")
    assert len(judge.asked) == 2


def test_a_judge_that_is_not_clear_leaves_the_answer_unscored() -> None:
    assert judged("r5-targeted", Judge("Perhaps", "No"), "a boat", "boat") == (None, "unparsed")
    assert judged("r1-artistic", Judge("Perhaps"), "a red ship", "boat") == (None, "unparsed")


@pytest.mark.parametrize("task", ["r4-untargeted", "r4-nips17"])
@pytest.mark.parametrize(
    ("label", "noise", "value"), [("Yes", "No", 1.0), ("No", "Yes", 1.0), ("No", "No", 0.0), ("Yes", "Yes", 1.0)]
)
def test_an_untargeted_attack_is_withstood_by_the_name_or_by_seeing_noise(
    task: str, label: str, noise: str, value: float
) -> None:
    judge = Judge(label, noise)
    assert judged(task, judge, "some picture", ["boat", "ship"]) == (value, "scored")
    assert "boat, ship?" in judge.asked[0]


@pytest.mark.parametrize("task", ["r1-artistic", "r4-untargeted"])
def test_the_name_word_for_word_is_right_unasked(task: str) -> None:
    judge = Judge("No")
    assert judged(task, judge, "Boat.", "boat") == (1.0, "scored")
    assert judge.asked == []


@pytest.mark.parametrize("task", ["r2-sensor", "r2-benchlmm"])
@pytest.mark.parametrize(
    ("reply", "value"), [("75", 75.0), ("Score: 100", 100.0), ("0", 0.0), ("75/100", 75.0), ("80", None), ("", None)]
)
def test_grades_of_answers_to_questions(task: str, reply: str, value: float | None) -> None:
    judge = Judge(reply)
    assert judged(task, judge, "two of them", "2")[0] == value
    assert "What is it?" in judge.asked[0]


def test_lower_is_better_where_the_attack_is_counted() -> None:
    for name, sequence in load_task(FOLDER / "r5-targeted.yaml").sequences.items():
        assert sequence["direction"] == {"pred_mean": "down"}, name
