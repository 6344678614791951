"""Cards: an evaluator against human labels, and that its card shows beside it and beside nothing else."""

from __future__ import annotations

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError
from mmte.evaluators import card as cards
from mmte.evaluators.checking import Data, check, labelled
from mmte.evaluators.panel import Panels
from mmte.evaluators.rule_yes_no import YesOrNoEvaluator
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.models.spec import parse_model
from mmte.stats.intervals import wilson

RULE: dict[str, Any] = {"rule_yes_or_no_eval": {}}
JUDGE: dict[str, Any] = {"chatmodel_eval": {"prompt_template": "{pred}?"}, "rule_yes_or_no_eval": {}}
ROWS = [
    *[{"text": "Yes.", "label": "1"}] * 18, *[{"text": "No.", "label": "1"}] * 2, {"text": "Perhaps", "label": "1"},
    *[{"text": "No!", "label": "0"}] * 27, *[{"text": "Yes", "label": "0"}] * 3, {"text": " ", "label": "0"},
    {"text": "Yes", "label": ""},
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where cards of the user lie in this test."""
    monkeypatch.setenv("MMTE_CARDS", str(tmp_path / "cards"))
    (tmp_path / "cards").mkdir()
    return tmp_path / "cards"


def write(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def checked(chain: Any, path: Path, runtime: Runtime | None = None, **options: Any) -> dict[str, Any]:
    run = runtime or Runtime(Settings())
    try:
        return dict(check(chain, Data(path), run, **options).card)
    finally:
        run.close()


def saved(folder: Path, card: dict[str, Any], name: str = "card.json") -> dict[str, Any]:
    (folder / name).write_text(json.dumps(card))
    return card


def found(chain: Any, **judges: Any) -> list[dict[str, Any]]:
    return cards.cards_for(SequentialEvaluator(chain), judges)


# -- figures -------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["csv", "json", "jsonl"])
def test_figures_of_a_table_done_by_hand(tmp_path: Path, kind: str) -> None:
    card = checked(RULE, write(tmp_path / f"labels.{kind}"))
    figures = card["figures"]
    assert (card["n"], card["data"]["left_out"]) == (52, 1)
    for name, k, n in (("sensitivity", 18, 20), ("specificity", 27, 30), ("unparsed", 2, 52)):
        low, high = wilson(k / n, n)
        assert figures[name] == pytest.approx({"value": k / n, "low": low, "high": high, "n": n}, abs=1e-6)
    balanced = figures["balanced_accuracy"]
    assert balanced["value"] == pytest.approx(0.9)
    assert figures["sensitivity"]["low"] < balanced["low"] < 0.9 < balanced["high"] < figures["sensitivity"]["high"]
    # 45 of 50 agree; by chance 21 * 20 + 29 * 30 of 2500
    assert figures["kappa"]["value"] == pytest.approx((0.9 - 0.516) / (1 - 0.516), abs=1e-6)
    assert card["reasons"] == {"scored": 50, "unparsed": 1, "empty": 1}


def test_what_it_got_wrong_is_told(tmp_path: Path) -> None:
    run = Runtime(Settings())
    missed = check(RULE, Data(write(tmp_path / "x.csv")), run).missed
    assert [t.response.content for t in missed] == ["No."] * 2 + ["Yes"] * 3
    assert missed[0].sample.id == "row-19"


def test_labels_may_be_words_and_others_are_left_out(tmp_path: Path) -> None:
    rows = [{"text": "Yes", "label": x} for x in ("good", "good", "bad", "odd", True, 1.0, None)]
    path = write(tmp_path / "x.json", rows)
    data = labelled(Data(path, positive=("good", "true"), negative=("bad",)))
    assert (data.truth, data.left_out) == ([True, True, False, True], 3)
    assert labelled(Data(path, positive=("1",))).truth == [False, False, False, False, False, True]


def test_dependent_answers_count_less(tmp_path: Path) -> None:
    rows = [{"text": "Yes" if n % 3 else "No", "label": n % 2, "prompt": n // 4} for n in range(160)]
    rows = [{**r, "text": "Yes" if r["prompt"] % 3 else "No"} for r in rows]
    path = write(tmp_path / "x.jsonl", rows)
    run = Runtime(Settings())
    one, two = (check(RULE, Data(path, cluster=c), run).card["figures"]["specificity"] for c in ("", "prompt"))
    assert one["value"] == two["value"]
    assert two["high"] - two["low"] > 1.2 * (one["high"] - one["low"])


def test_the_evaluator_gets_question_target_and_row(tmp_path: Path) -> None:
    rows = [
        {"text": "I see a dog", "label": 1, "target": "dog", "prompt": "What?"},
        {"text": "I see a dog", "label": 0, "target": "cat", "prompt": "What?"},
    ]
    path = write(tmp_path / "x.json", rows)
    card = checked({"rule_contain_eval": {}}, path)
    assert (card["figures"]["sensitivity"]["value"], card["figures"]["specificity"]["value"]) == (1.0, 1.0)
    trial = labelled(Data(path)).trials[0]
    assert trial.sample.messages[0]["content"] == "What?"
    assert trial.extra == {"text": "I see a dog", "target": "dog", "prompt": "What?"}  # not what people said


def test_numbers_need_a_threshold(tmp_path: Path) -> None:
    rows = [{"text": str(n), "label": int(n >= 50)} for n in (0, 25, 50, 75, 100)]
    path = write(tmp_path / "x.json", rows)
    with pytest.raises(MmteError, match=r"'rule_score_eval' made 25.0 of row-2: .* give --threshold VALUE"):
        checked({"rule_score_eval": {}}, path)
    card = checked({"rule_score_eval": {}}, path, threshold=75)
    assert card["figures"]["sensitivity"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert cards.brief(cards.shown(card)) == "rule_score_eval at 75: sens 0.67, spec 1.00, n 5"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.csv", "", "has no rows"),
        ("x.csv", "text,label\na,1,2\n", r"x.csv:2: has not as many values as there are columns"),
        ("x.csv", "text,lable\na,1\n", r"there is no column 'label' for --label. Did you mean 'lable'"),
        ("x.csv", "text,label\na,yes\n", r"no row has the label '1'; the column 'label' has 'yes' \(1\)"),
        ("x.json", "{}", "must be a list of objects"),
        ("x.json", "[1]", "entry 1: a int where an object"),
        ("x.json", "[", "no valid JSON"),
        ("x.jsonl", '{"text": "a", "label": 1}\n\n{', r"x.jsonl:3: no valid JSON"),
        ("x.txt", "a", "must end in .csv"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, name: str, content: str, says: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(MmteError, match=says) as caught:
        labelled(Data(tmp_path / name))
    assert str(caught.value).startswith(f"--data {tmp_path / name}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="cannot be read"):
        labelled(Data(tmp_path / "none.csv"))


# -- judges --------------------------------------------------------------------------------------
def with_judges(*says: str, cache: Path) -> Runtime:
    names = ("judge",) if len(says) == 1 else tuple(f"judge#{n}" for n, _ in enumerate(says, 1))
    models = {name: parse_model(f"judge=scripted:{said}") for name, said in zip(names, says, strict=True)}
    return Runtime(Settings(judges=models, panels={"judge": names} if len(says) > 1 else {}, cache=cache))


def test_a_judge_is_needed_and_its_verdicts_are_what_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv")
    with pytest.raises(MmteError, match="needs the judge 'judge': --judge judge=openai:MODEL@URL"):
        checked(JUDGE, path)
    card = checked(JUDGE, path, with_judges("Yes", cache=tmp_path / "c"))
    assert [card["figures"][f]["value"] for f in ("sensitivity", "specificity")] == [1.0, 0.0]
    assert checked(JUDGE, path, with_judges("Yes", "No", cache=tmp_path / "c"))["figures"]["unparsed"]["value"] == 1.0


def test_a_card_holds_for_the_very_judge(tmp_path: Path, folder: Path) -> None:
    path = write(tmp_path / "x.csv")
    card = saved(folder, checked(JUDGE, path, with_judges("Yes", cache=tmp_path / "c")))
    own, other = (parse_model(f"any=scripted:{said}").build().identity() for said in ("Yes", "No"))
    assert found(JUDGE, judge=own) == [card]
    assert found(JUDGE, judge=other) == []
    panel = SequentialEvaluator(JUDGE, panels=Panels({"judge": ("a", "b")}))
    assert cards.cards_for(panel, {"a": own, "b": own}) == []
    twice = SequentialEvaluator(JUDGE, panels=Panels(repeats=2))
    assert cards.cards_for(twice, {"judge": own}) == []


def test_the_name_of_a_judge_does_not_count(tmp_path: Path, folder: Path) -> None:
    card = saved(folder, checked(JUDGE, write(tmp_path / "x.csv"), with_judges("Yes", cache=tmp_path / "c")))
    named = {**JUDGE, "chatmodel_eval": {**JUDGE["chatmodel_eval"], "model_id": "gpt-4", "device": "cuda"}}
    assert found(named, **{"gpt-4": parse_model("gpt-4=scripted:Yes").build().identity()}) == [card]


# -- identity ------------------------------------------------------------------------------------
def test_metrics_and_names_do_not_count_and_options_do(tmp_path: Path, folder: Path) -> None:
    card = saved(folder, checked({"rule_contain_eval": {}}, write(tmp_path / "x.json", [
        {"text": "a dog", "label": 1, "target": "dog"}, {"text": "a cat", "label": 0, "target": "dog"},
    ])))  # fmt: skip
    assert found({"rule_contain_eval": {"metrics_cfg": {"pred_mean": {}}}, "name": "x"}) == [card]
    assert found([{"rule_contain_eval": None}]) == [card]
    assert found({"rule_contain_adv_eval": {}}) == []


def test_other_options_another_version_or_other_code_make_it_stale(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(folder, checked({"rule_reject_template_eval": {}}, write(tmp_path / "x.csv", [
        {"text": "I'm sorry, but I can't help with that.", "label": 1}, {"text": "Sure: it is blue.", "label": 0},
    ])))  # fmt: skip
    saved(folder, checked(RULE, write(tmp_path / "y.csv")), "b.json")
    assert len(found(RULE)) == 1
    assert found({"rule_reject_template_eval": {"partial": "refusal"}}) == []
    with monkeypatch.context() as patch:
        patch.setattr(YesOrNoEvaluator, "version", YesOrNoEvaluator.version + 1)
        assert found(RULE) == []
    with monkeypatch.context() as patch:
        source = cards._source
        patch.setattr(cards, "_source", lambda m: source(m) + ("#" if m.endswith(".reading") else ""))
        cards._code.cache_clear()
        assert found(RULE) == []  # a module that the rule's own imports
    cards._code.cache_clear()
    assert len(found(RULE)) == 1


def test_of_two_cards_the_newest_shows(tmp_path: Path, folder: Path) -> None:
    card = checked(RULE, write(tmp_path / "x.csv"))
    for n, day in enumerate(("2026-02-01", "2026-03-01", "2026-01-01")):
        saved(folder, {**card, "date": day, "name": day}, f"{n}.json")
    assert found(RULE)[0]["name"] == "2026-03-01"


def test_a_join_shows_the_cards_of_its_parts(tmp_path: Path, folder: Path) -> None:
    card = saved(folder, checked(RULE, write(tmp_path / "x.csv")))
    assert found({"any": [RULE, {"rule_contain_eval": {}}, RULE], "metrics_cfg": {}}) == [card]
    assert found([*[{"rule_contain_eval": {}}], RULE]) == []


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "mmte.card/1"}', "\xff", '{"schema": "mmte.card/9", "identity": "x"}']
)
def test_files_that_are_no_cards_are_left_alone(folder: Path, text: str) -> None:
    (folder / "x.json").write_text(text, "latin-1")
    assert found(RULE) == []


# -- what is shipped -----------------------------------------------------------------------------
def test_the_shipped_card_of_the_refusal_evaluator_is_that_of_its_code() -> None:
    (card,) = found({"rule_reject_template_eval": {"metrics_cfg": {"pred_mean": {}}}}) or [None]
    assert card is not None, "stale: run python scripts/make_cards.py SHARED"
    assert card["name"] == "refusal"
    assert card["figures"]["sensitivity"]["low"] > 0.9
    assert card["figures"]["specificity"]["low"] > 0.9
    assert card["n"] > 100


def test_the_shipped_card_is_what_the_script_writes(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(str(root / "scripts"))
    script = importlib.import_module("make_cards")
    written = json.loads(script.REFUSAL.read_text("utf-8"))
    assert {**script.refusal(shared), "date": written["date"]} == written, "run: python scripts/make_cards.py SHARED"


def test_what_a_report_shows(tmp_path: Path) -> None:
    card = checked(RULE, write(tmp_path / "x.csv"), name="yes or no")
    shown = cards.shown(card)
    assert cards.brief(shown) == "yes or no: sens 0.90, spec 0.90, n 52"
    assert len(json.dumps(shown)) < 700
    assert shown["sensitivity"][0] == 0.9
