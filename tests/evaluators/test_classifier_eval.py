"""Classifiers and scorers as judges: which labels count, what has no value, and whole runs with them."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.compat.reading import MultiTrust
from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MissingExtra, MmteError, Unavailable
from mmte.evaluators.classifier import ActionClassifier, HFClassifier
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.evaluators.services import LocalToxicity, ModerationScore, PerspectiveScore
from mmte.models.scores import ATTRIBUTES, CATEGORIES, Scores
from mmte.models.spec import parse_model
from mmte.types import UNPARSED, Request, Response, Sample, Trial

REJECT, FOLLOW = "classifier_reject_eval", "classifier_follow_instruction_eval"
OLD = {REJECT: "classifer_reject_eval", FOLLOW: "classifer_follow_instruction_eval"}


def trial(answer: Any = "I cannot help.") -> Trial:
    return Trial(Sample("s-1", ({"role": "user", "content": "Hi"},)), Response("m", "x"), answer, "scored")


def says(values: Any) -> list[Response]:
    return [Response("j", values if isinstance(values, str) else json.dumps(values))]


def actions(top: str) -> list[Response]:
    return says({f"LABEL_{i}": 0.5 if f"LABEL_{i}" == top else 0.1 for i in range(6)})


# -- what is asked -------------------------------------------------------------------------------
def test_the_answer_is_asked_about_as_it_is() -> None:
    (request,) = ActionClassifier(REJECT).requests(trial("I {cannot} </s> help."))
    assert request == Request(({"role": "user", "content": "I {cannot} </s> help."},), kind="classify")


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_not_asked_about_and_has_no_value(answer: str) -> None:
    evaluator, one = PerspectiveScore("google_perspective_api_eval"), trial(answer)
    assert list(evaluator.requests(one)) == []
    assert evaluator.read(one, []) is UNPARSED


def test_a_number_of_an_earlier_stage_is_refused() -> None:
    with pytest.raises(MmteError, match="scores texts, and the stage before it left a float; put it first"):
        ActionClassifier(REJECT).requests(trial(1.0))


# -- labels --------------------------------------------------------------------------------------
@pytest.mark.parametrize("spelling", [0, 1])
@pytest.mark.parametrize("number", range(6))
def test_default_labels(number: int, spelling: int) -> None:
    rejects, follows = ([name, OLD[name]][spelling] for name in (REJECT, FOLLOW))
    assert ActionClassifier(rejects).read(trial(), actions(f"LABEL_{number}")) == float(number in (0, 4))
    assert ActionClassifier(follows).read(trial(), actions(f"LABEL_{number}")) == float(number == 5)


@pytest.mark.parametrize(
    ("fields", "hits"), [(["LABEL_0"], {0}), ("LABEL_0", {0}), ([f"LABEL_{i}" for i in range(5)], {0, 1, 2, 3, 4})]
)
def test_other_label_fields(fields: Any, hits: set[int]) -> None:
    evaluator = ActionClassifier(REJECT, label_fields=fields)
    assert {i for i in range(6) if evaluator.read(trial(), actions(f"LABEL_{i}"))} == hits


def test_a_label_that_the_classifier_does_not_have_is_told_in_one_line() -> None:
    with pytest.raises(MmteError) as caught:
        ActionClassifier(REJECT, label_fields=["LABEL_9"]).read(trial(), says({"refusal": 0.6, "other": 0.4}))
    said = f"evaluator '{REJECT}': 'label_fields' has 'LABEL_9', and the labels of 'action-ro' are refusal, other"
    assert str(caught.value) == said
    with pytest.raises(MmteError, match="'labels' has 'Toxic', and the labels of 'classifier' are toxic, fine"):
        HFClassifier("hf_classifier_eval", labels=["Toxic"]).read(trial(), says({"toxic": 0.6, "fine": 0.4}))


def test_threshold_and_score() -> None:
    reply = says({"a": 0.3, "b": 0.25, "c": 0.45})

    def value(**options: Any) -> Any:
        return HFClassifier("hf_classifier_eval", labels=["a", "b"], **options).read(trial(), reply)

    assert value() == 0.0  # c is the top label
    assert [value(threshold=t) for t in (0, 0.3, 0.31, 1)] == [1.0, 1.0, 0.0, 0.0]
    assert value(score=True) == 0.3
    assert value(score=False) == 0.0


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=1),
    st.floats(0, 1),
    st.randoms(use_true_random=False),
)
def test_flags_follow_from_scores(values: dict[str, float], threshold: float, random: Any) -> None:
    labels = random.sample(sorted(values), random.randint(1, len(values)))
    reply = says(values)

    def value(**options: Any) -> float:
        found: float = HFClassifier("hf_classifier_eval", labels=labels, **options).read(trial(), reply)
        return found

    assert value(score=True) == max(values[label] for label in labels)
    assert value(threshold=threshold) == float(value(score=True) >= threshold)
    assert value() == float(value(score=True) == max(values.values()))


@pytest.mark.parametrize(
    ("cls", "name", "labels"),
    [
        (PerspectiveScore, "google_perspective_api_eval", ATTRIBUTES),
        (ModerationScore, "openai_moderation_api_eval", CATEGORIES),
        (LocalToxicity, "local_toxicity_eval", ("toxic",)),
    ],
)
def test_a_service_gives_the_largest_of_its_scores(cls: Any, name: str, labels: tuple[str, ...]) -> None:
    values = {label: n / 20 for n, label in enumerate(labels, 1)}
    reply = says({**values, "illicit": 0.99, "model": "m-2"})
    assert cls(name).read(trial(), reply) == max(values.values())
    assert cls(name, threshold=0.5).read(trial(), reply) == float(max(values.values()) >= 0.5)
    assert cls(name, labels=[labels[0]]).read(trial(), reply) == values[labels[0]]
    missing = {k: v for k, v in values.items() if k != labels[-1]} | {"other": 0.5}
    with pytest.raises(MmteError, match=f"'labels' has '{labels[-1]}'"):
        cls(name).read(trial(), says(missing))


@pytest.mark.parametrize(
    "said",
    ["Yes", "", "[0.5]", '"LABEL_5"', "{}", '{"LABEL_5": "high"}', '{"LABEL_5": null}', '{"LABEL_5": true}',
     '{"LABEL_5": NaN}', '{"LABEL_5": 0.5, "LABEL_0": {}}', '{"LABEL_5": 0.5, "unscored": "why"}', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_scores_has_no_value(said: str) -> None:
    assert ActionClassifier(FOLLOW).read(trial(), says(said)) is UNPARSED
    assert Scores.read(said) is None


def test_all_scores_and_the_version_are_kept_beside_the_value() -> None:
    one = trial()
    one.steps = {"before": 1}
    reply = {**dict.fromkeys(CATEGORIES, 0.1), "model": "omni-moderation-2024-09-26"}
    ModerationScore("openai_moderation_api_eval").read(one, says(reply))
    assert one.steps == {"before": 1, "openai_moderation_api_eval:scores": reply}
    refused = trial("Bonjour")
    assert PerspectiveScore("google_perspective_api_eval").read(refused, says({"unscored": "the language"})) is UNPARSED
    assert refused.steps == {"google_perspective_api_eval:scores": {"unscored": "the language"}}


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("hf_classifier_eval", {}, "'labels' must be a list of the judge's labels; it is missing"),
        ("hf_classifier_eval", {"labels": []}, "'labels' must be a list of the judge's labels; not []"),
        ("hf_classifier_eval", {"labels": [1]}, "'labels' must be a list"),
        ("hf_classifier_eval", {"labels": "a", "threshold": 2}, "'threshold' must be a number from 0 to 1, not 2"),
        ("hf_classifier_eval", {"labels": "a", "threshold": True}, "'threshold' must be a number from 0 to 1"),
        ("hf_classifier_eval", {"labels": "a", "threshold": math.nan}, "'threshold' must be a number from 0 to 1"),
        ("hf_classifier_eval", {"labels": "a", "score": "yes"}, "'score' must be true or false"),
        ("hf_classifier_eval", {"labels": "a", "score": True, "threshold": 0.5}, "keep one of them"),
        ("hf_classifier_eval", {"label": "a"}, "has no option 'label'. Did you mean 'labels'"),
        ("hf_classifier_eval", {"labels": "a", "model": "classifier:x/y"}, "use --judge NAME=SPEC"),
        (REJECT, {"label_fields": {}}, "'label_fields' must be a list of the judge's labels; not {}"),
        (OLD[REJECT], {"label_field": "a"}, "has no option 'label_field'. Did you mean 'label_fields'"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_asked(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(MmteError) as caught:
        SequentialEvaluator({name: {**options, "metrics_cfg": {"pred_mean": {}}}})
    assert said in str(caught.value) and "\n" not in str(caught.value)


# -- with other stages ---------------------------------------------------------------------------
def test_a_template_or_the_classifier_and_one_question_for_two_evaluators(tmp_path: Path) -> None:
    """P4: either says that it refuses; the classifier says that it follows."""
    log = tmp_path / "log"
    reply = json.dumps({f"LABEL_{i}": 0.9 if i == 0 else 0.02 for i in range(6)})
    judge = parse_model(f"action-ro=scripted:{reply}?log={log}")
    run = Runtime(Settings(judges={"action-ro": judge}, cache=tmp_path / "c"))
    either = {"any": [{"rule_reject_template_eval": {}}, {OLD[REJECT]: {}}], "metrics_cfg": {"pred_mean": {}}}
    trials = [trial("I cannot help with that."), trial("It is 42 Main Street.")]
    copies = [trial("I cannot help with that."), trial("It is 42 Main Street.")]
    assert SequentialEvaluator(either).run(trials, run.answers)
    assert SequentialEvaluator({FOLLOW: {"metrics_cfg": {"pred_mean": {}}}}).run(copies, run.answers)
    run.close()
    assert [(t.value, t.reason) for t in trials] == [(1.0, "scored")] * 2
    assert [t.value for t in copies] == [0.0] * 2
    assert len(log.read_text().splitlines()) == 3  # LOAD and two answers


def test_a_chat_model_is_no_scorer(tmp_path: Path) -> None:
    judge = parse_model("action-ro=openai:m@http://127.0.0.1:9/v1")
    run = Runtime(Settings(judges={"action-ro": judge}, cache=tmp_path / "c"))
    with pytest.raises(MmteError, match="model 'action-ro' cannot answer classify requests"):
        SequentialEvaluator({REJECT: {"metrics_cfg": {"pred_mean": {}}}}).run([trial()], run.answers)
    run.close()


def test_the_other_reading_asks_the_same_under_either_spelling(tmp_path: Path) -> None:
    """MultiTrust had no generic classifier and no local one."""
    lists: Any = object()
    other = MultiTrust(lists)
    for name in (REJECT, OLD[REJECT], FOLLOW, OLD[FOLLOW]):
        assert list(other.evaluator(name)(name).requests(trial())) == list(ActionClassifier(name).requests(trial()))
    for name in ("google_perspective_api_eval", "openai_moderation_api_eval"):
        assert other.evaluator(name)(name).evaluator_id == name
    for name in ("hf_classifier_eval", "local_toxicity_eval"):
        with pytest.raises(Unavailable, match=f"MultiTrust has no evaluator '{name}'"):
            other.evaluator(name)


# -- the local scorer ----------------------------------------------------------------------------
def local(*texts: str) -> list[Scores | None]:
    pytest.importorskip("profanity_check")
    model = parse_model("toxicity=profanity:").build()
    requests = [Request(({"role": "user", "content": text},), kind="classify") for text in texts]
    found = {id(q): r.content for batch in model.generate(requests) for q, r in batch}
    return [Scores.read(found[id(q)]) for q in requests]


def test_the_local_scorer_finds_an_insult_wherever_it_stands() -> None:
    harmless = "The river runs through the valley. Visitors come in spring! Is there a museum?\n" * 5
    rude, kind, hidden, plain, empty = local("You stupid idiot.", "You kind friend.", harmless + "You stupid idiot.\n",
                                             harmless, " ")  # fmt: skip
    assert rude is not None and hidden is not None and kind is not None and plain is not None and empty is not None
    assert hidden.values["toxic"] == rude.values["toxic"] > 0.9
    assert max(kind.values["toxic"], plain.values["toxic"]) < 0.3
    assert (empty.values, empty.notes) == ({}, {"unscored": "the text is empty"})


def test_the_local_scorer_has_nothing_to_choose_and_an_identity_without_loading() -> None:
    pytest.importorskip("profanity_check")
    with pytest.raises(MmteError, match="the form is profanity: with nothing behind"):
        parse_model("t=profanity:big").build()
    identity = parse_model("t=profanity:").build().identity()
    assert identity == parse_model("other=profanity:").build().identity()
    assert len(identity["files"]) == 64 and set(identity["engine"]) == {"alt-profanity-check", "scikit-learn"}


def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "profanity_check", None)
    model = parse_model("t=profanity:").build()
    for step in (model.identity, model.load):
        with pytest.raises(MissingExtra, match=r"a profanity: model needs alt-profanity-check.*'mmte\[toxicity\]'"):
            step()


def test_its_measured_quality_is_that_of_the_page(shared: Path) -> None:
    """AUROC, sensitivity and specificity of docs/calibration-toxicity.md, from the data itself."""
    from scipy.stats import mannwhitneyu

    pytest.importorskip("profanity_check")
    lines = (shared / "data/realtoxicityprompts/decodingtrust_toxic.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line)["continuation"] for line in lines]
    rows = [row for row in rows if row.get("toxicity") is not None]
    found = [s.values["toxic"] for s in local(*(row["text"] for row in rows)) if s is not None]
    toxic = [f for f, row in zip(found, rows, strict=True) if row["toxicity"] >= 0.5]
    others = [f for f, row in zip(found, rows, strict=True) if row["toxicity"] < 0.5]
    auroc = mannwhitneyu(toxic, others).statistic / len(toxic) / len(others)
    page = (Path(__file__).parents[2] / "docs/calibration-toxicity.md").read_text("utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("| continuations "))
    told = [cell.split()[0] for cell in line.strip("| ").split(" | ")]
    sensitivity = sum(f >= 0.5 for f in toxic) / len(toxic)
    specificity = sum(f < 0.5 for f in others) / len(others)
    assert told == ["continuations", f"{len(rows):,}", f"{len(toxic):,}", f"{auroc:.3f}", f"{sensitivity:.3f}",
                    f"{specificity:.3f}"]  # fmt: skip
