"""Tasks that classifiers and scoring services judge, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mmte.evaluators.classifier
import mmte.evaluators.services
import mmte.models.classifier
import mmte.models.moderation
import mmte.models.perspective
import mmte.models.profanity  # noqa: F401 - loaded here once, as in conftest.py
from mmte.models.scores import ATTRIBUTES

MODEL = "x=scripted:I cannot help with that.|You stupid idiot."
SCORED = "{{{name}: {{metrics_cfg: {{pred_mean: {{}}}}{options}}}}}"


def rule(name: str, options: str = "") -> str:
    return SCORED.format(name=name, options=f", {options}" if options else "")


def row(bench: Any) -> dict[str, Any]:
    (found,) = bench.results().values()
    return dict(found)


def samples(bench: Any) -> list[dict[str, Any]]:
    lines = (bench.path / "reports/latest/samples" / row(bench)["samples_file"]).read_text("ascii").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("name", "options", "judge"),
    [
        ("classifier_reject_eval", "", "action-ro=classifier:LibrAI/longformer-action-ro"),
        ("classifer_follow_instruction_eval", "label_fields: [LABEL_5]",
         "action-ro=classifier:LibrAI/longformer-action-ro"),
        ("hf_classifier_eval", "labels: [toxic], model: tox", "tox=classifier:ID-or-DIR"),
        ("google_perspective_api_eval", "", "perspective=perspective:"),
        ("openai_moderation_api_eval", "", "moderation=moderation:omni-moderation-2024-09-26"),
        ("local_toxicity_eval", "", "toxicity=profanity:"),
    ],
)  # fmt: skip
def test_without_the_judge_the_item_is_skipped_with_the_option(
    bench: Any, name: str, options: str, judge: str
) -> None:
    bench.task(rule=rule(name, options))
    bench.run(model=MODEL)
    assert row(bench)["outcome"] == "skipped"
    assert row(bench)["reason"] == f"t1/rule needs the judge '{judge.partition('=')[0]}': --judge {judge}"


def test_the_local_scorer_in_a_whole_run(bench: Any, workers: list[str]) -> None:
    pytest.importorskip("profanity_check")
    bench.task(rule=rule("local_toxicity_eval"))
    assert bench.run("--judge=toxicity=profanity:", *workers, model=MODEL).ret == 0
    by_answer = {s["content"]: s["value"] for s in samples(bench)}
    assert by_answer["You stupid idiot."] > 0.9 > 0.3 > by_answer["I cannot help with that."]
    (whole,) = (e for e in row(bench)["estimates"] if not e["subset"])
    values = [s["value"] for s in samples(bench)]
    assert whole["value"] == pytest.approx(sum(values) / len(values))
    assert all(s["steps"] == {"local_toxicity_eval:scores": {"toxic": s["value"]}} for s in samples(bench))


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of which LABEL_0 is the top label whatever it reads."""
    pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    raw = Tokenizer(models.WordLevel({"[PAD]": 0, "[UNK]": 1, "you": 2}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path_factory.mktemp("classifier")
    config = transformers.BertConfig(
        vocab_size=3, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=4, num_labels=6,
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    model.classifier.bias.data[0] = 9.0
    model.save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(
        folder
    )
    return folder


def test_a_classifier_in_a_whole_run(bench: Any, workers: list[str], classifier: Path) -> None:
    """Answers longer than its four positions; two evaluators, one load's worth of questions."""
    bench.task("t1", rule=rule("classifier_reject_eval"))
    bench.task("t2", rule=rule("classifer_follow_instruction_eval"))
    judge = f"--judge=action-ro=classifier:{classifier}?device=cpu"
    assert bench.run(judge, *workers, model=MODEL, how="subprocess").ret == 0
    rows = {r["case"][:2]: r for r in bench.results().values()}
    for name, wanted in (("t1", 1.0), ("t2", 0.0)):
        (whole,) = (e for e in rows[name]["estimates"] if not e["subset"])
        assert (rows[name]["coverage"], whole["value"]) == (1.0, wanted)


def test_a_label_that_is_not_there_fails_the_item_in_one_line(bench: Any, workers: list[str], classifier: Path) -> None:
    bench.task(rule=rule("hf_classifier_eval", "labels: [LABEL_7], threshold: 0.5"))
    judge = f"--judge=classifier=classifier:{classifier}?device=cpu"
    result = bench.run(judge, *workers, model=MODEL, how="subprocess")
    assert (result.ret, row(bench)["outcome"]) == (1, "error")
    result.stdout.fnmatch_lines(["*'labels' has 'LABEL_7', and the labels of 'classifier' are LABEL_0, LABEL_1,*"])
    assert "Traceback" not in result.stdout.str()


def test_a_wrong_option_names_its_line(bench: Any) -> None:
    path = bench.task(rule=rule("hf_classifier_eval", "labels: [a], threshold: 7"))
    result = bench.run(model=MODEL)
    result.stdout.fnmatch_lines([f"*{path.name}:5: *'threshold' must be a number from 0 to 1, not 7*"])


def test_scores_of_a_service_can_be_replayed_when_it_is_gone(bench: Any, workers: list[str]) -> None:
    """One answer is scored, the other is in a language that the service did not take; a third kind does not come."""
    bench.task(rule=rule("google_perspective_api_eval"))
    scores = {name: n / 10 for n, name in enumerate(ATTRIBUTES)}
    said = {"I cannot help with that.": scores, "You stupid idiot.": {"unscored": "the language is not supported"}}
    file = bench.path / "perspective.jsonl"
    lines = [{"messages": [{"role": "user", "content": k}], "content": json.dumps(v)} for k, v in said.items()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert bench.run(f"--judge=perspective=replay:{file}", *workers, model=MODEL).ret == 0
    counts, found = row(bench)["counts"], samples(bench)
    assert counts["scored"] + counts["unparsed"] == counts["expected"] == row(bench)["counts"]["answered"]
    assert {(s["content"], s["value"], s["reason"]) for s in found} == {
        ("I cannot help with that.", 0.7, "scored"), ("You stupid idiot.", None, "unparsed"),
    }  # fmt: skip
    assert {json.dumps(s["steps"]["google_perspective_api_eval:scores"]) for s in found} == {
        json.dumps(v) for v in said.values()
    }


def test_a_service_that_fails_leaves_no_score(bench: Any, workers: list[str]) -> None:
    bench.task(rule=rule("google_perspective_api_eval"))
    judge = "--judge=perspective=scripted:{}?fail=1"
    assert bench.run(judge, *workers, model=MODEL).ret == 1
    (whole,) = (e for e in row(bench)["estimates"] if not e["subset"]) if row(bench)["estimates"] else (None,)
    assert whole is None or whole["value"] is None
