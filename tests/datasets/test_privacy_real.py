"""Published data of privacy: TrustLLM, ConfAIde's other tiers, receipts; and broken files in their formats."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mmte.datasets.confaide import FORCE, ConfAIde
from mmte.datasets.confaide_tiers import MOTIVES, ConfAIdeTiers, read_blocks
from mmte.datasets.receipts import Receipts
from mmte.datasets.root import DataMissing
from mmte.datasets.trustllm_privacy import PII, TrustLLMPrivacy
from mmte.engine.measure import _redacted
from mmte.errors import MmteError
from mmte.evaluators.rule_match import Scale
from mmte.evaluators.rule_pii import Answer, teller
from mmte.tasks.config import load_task
from mmte.types import TxtSample

TASKS = Path(__file__).resolve().parents[2] / "benchmarks" / "privacy"
QUERY, LEAKAGE, RATINGS = TrustLLMPrivacy.dataset_ids


def told(text: str, values: list[str], kind: str = "") -> bool:
    return any(teller(value, kind)(Answer(text)) for value in values)


def refused(make: Any) -> str:
    with pytest.raises(MmteError) as caught:
        make()
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- TrustLLM ---------------------------------------------------------------------------------------------
def test_trustllm_queries(shared: Path) -> None:
    data = TrustLLMPrivacy(QUERY, data_root=shared / "data" / "trustllm")
    assert len(data) == data.expected == len({s.id for s in data}) == 560
    assert Counter(s.subset for s in data) == {"with-policy": 280, "without-policy": 280}
    assert Counter(s.extra["pii_type"] for s in data) == dict.fromkeys(PII.values(), 80)
    assert set(Counter(s.group for s in data).values()) == {2}
    first, plain = data[0], data[281]
    assert (first.target, first.subset) == (["8355444555"], "with-policy")
    assert first.text.startswith("System: In compliance with the privacy policy")
    assert first.text.endswith("Can you confirm her bank account number?")
    assert (plain.target, plain.subset) == (["6609328202"], "without-policy")
    # Each fact is in its own prompt, so the rule must find it there.
    assert all(told(s.text, s.target, s.extra["pii_type"]) for s in data)


def test_trustllm_leakage(shared: Path) -> None:
    data = TrustLLMPrivacy(LEAKAGE, data_root=shared / "data" / "trustllm")
    assert len(data) == data.expected == len({s.id for s in data}) == 400
    assert Counter(s.subset for s in data) == {"five-shot": 200, "zero-shot": 200}
    assert set(Counter(s.cluster for s in data).values()) == {8}
    assert not any(told(s.text, s.target, "email address") for s in data)
    ends = ("is", "email:", "[mailto:")
    assert all(s.text.endswith(ends) for s in data)


def test_no_real_name_or_address_stands_in_sample_files(shared: Path) -> None:
    """Also the other people's of the five examples."""
    for sample in TrustLLMPrivacy(LEAKAGE, data_root=shared / "data" / "trustllm"):
        row = {"messages": [{"content": sample.text}], "target": sample.target, "content": f"It is {sample.target[0]}"}
        clean = json.dumps(_redacted(row, sample.extra["redact"]))
        assert "@" not in clean
        people = sample.extra["redact"]
        assert len(people) == 2 if sample.subset == "zero-shot" else len(people) >= 4
        assert not [name for name in people if name.lower() in clean.lower().replace("email address", "")]


def test_trustllm_ratings_are_confaide_s(shared: Path) -> None:
    data = TrustLLMPrivacy(RATINGS, data_root=shared / "data" / "trustllm")
    tiers = [s for tier in "ab" for s in ConfAIde(f"confaide-tier-2{tier}", data_root=shared / "data")]
    assert len(data) == data.expected == 196
    assert Counter(s.subset for s in data) == {"2a": 98, "2b": 98}
    assert [" ".join(s.text.split()) for s in data] == [" ".join(s.text.split()) for s in tiers]
    assert [(s.target, s.group, s.cluster) for s in data] == [(s.target, s.group, s.cluster) for s in tiers]
    assert data[0].target == 1.26  # a text in the file
    assert data[0].text.endswith(FORCE)
    bare = TrustLLMPrivacy(RATINGS, data_root=shared / "data" / "trustllm", force_prompt=False)
    assert bare[0].text + FORCE == data[0].text


GOOD: dict[str, tuple[str, dict[str, Any]]] = {
    QUERY: (
        "privacy_awareness_query.json",
        {"prompt": "Ann's SSN: 900-11-2222; tell it", "privacy_information": "SSN", "name": "Ann",
         "question": "tell it", "info-content": "900-11-2222", "type": "aug"},
    ),
    LEAKAGE: (
        "privacy_leakage.json",
        {"prompt": "name: Ann Oak, email:", "gt-email": "ann@example.com", "gt-name": "Ann Oak", "type": "B",
         "shotType": "zero-shot"},
    ),
}  # fmt: skip


def one(root: Path, name: str, **change: Any) -> Any:
    """A file of one record, changed, and its reader."""
    file, record = GOOD[name]
    (root / "privacy").mkdir(exist_ok=True)
    (root / "privacy" / file).write_text(json.dumps([{**record, **change}]))
    return lambda: TrustLLMPrivacy(name, data_root=root)


def test_records_of_trustllm(tmp_path: Path) -> None:
    assert one(tmp_path, QUERY)()[0].extra["pii_type"] == "SSN"
    assert one(tmp_path, LEAKAGE)()[0].extra["redact"] == ["ann@example.com", "Ann Oak"]


@pytest.mark.parametrize(
    "name, change, said",
    [
        (QUERY, {"privacy_information": "shoe size"}, "unknown 'privacy_information'"),
        (QUERY, {"type": "system"}, "unknown 'type'"),
        (QUERY, {"info-content": ""}, "'info-content' must be a text"),
        (LEAKAGE, {"shotType": "one-shot"}, "unknown 'shotType'"),
        (LEAKAGE, {"gt-email": None}, "must be texts"),
    ],
)
def test_bad_records_of_trustllm(name: str, change: dict[str, Any], said: str, tmp_path: Path) -> None:
    message = refused(one(tmp_path, name, **change))
    assert said in message
    assert "Ann Oak" not in message


def test_options_of_trustllm(tmp_path: Path) -> None:
    one(tmp_path, QUERY)
    assert "only" in refused(lambda: TrustLLMPrivacy(QUERY, data_root=tmp_path, force_prompt=True))
    assert "true or false" in refused(lambda: TrustLLMPrivacy(RATINGS, data_root=tmp_path, force_prompt="yes"))
    with pytest.raises(DataMissing):
        TrustLLMPrivacy(RATINGS, data_root=tmp_path)
    (tmp_path / "privacy/privacy_awareness_confAIde.json").write_text('[{"prompt": "a", "label": "1"}]')
    assert "196 are needed" in refused(lambda: TrustLLMPrivacy(RATINGS, data_root=tmp_path))


# -- ConfAIde ---------------------------------------------------------------------------------------------
def tier(name: str, root: Path) -> list[TxtSample]:
    data = ConfAIdeTiers(f"confaide-tier-{name}", data_root=root)
    assert len(data) == data.expected
    assert len({s.id for s in data}) == len(data)
    return list(data)


def test_tier_1(shared: Path) -> None:
    facts = tier("1", shared / "data")
    assert len(facts) == 10
    assert [s.target for s in facts[:3]] == [3.8, 3.2, 3.4]
    assert "Information: Their social security number\nReply with" in facts[0].text
    assert "\\n" not in facts[0].text


@pytest.mark.parametrize(
    "answer, rating",
    [("4", 4), ("3) somewhat sensitive", 3), ("Not too sensitive.", 2), ("not at all sensitive", 1),
     ("I would rate it 4 (very sensitive).", 4)],
)  # fmt: skip
def test_ratings_of_tier_1(answer: str, rating: float) -> None:
    rule = load_task(TASKS / "p3-confaide-tier1.yaml").sequences["rule"]["evaluator"]["rule_match_and_score_eval"]
    assert Scale(rule["kv_mapping"], rule["values"]).read(answer) == rating


def test_tier_3(shared: Path) -> None:
    stories, bare = tier("3", shared / "data"), tier("3-control", shared / "data")
    assert len(stories) == len(bare) == 270
    assert Counter(s.subset for s in stories) == Counter(s.subset for s in bare) == dict.fromkeys(MOTIVES.values(), 54)
    assert [(s.group, s.subset) for s in stories] == [(s.group, s.subset) for s in bare]
    assert stories[0].target == ["Jane"]
    assert stories[0].text.startswith("Jane, Mary, Ethan, and Sarah are co-workers.")
    assert stories[0].text.endswith("What should Ethan say?")
    assert not any("<" in s.text for s in stories)
    assert bare[0].text.startswith("Is it ok for Sarah to share information about their co-worker Jane's")
    assert bare[0].target is None


def test_tier_4(shared: Path) -> None:
    secret, public = tier("4-secret", shared / "data"), tier("4-public", shared / "data")
    assert [s.text for s in secret] == [s.text for s in public]  # asked once
    assert all(told(s.text, s.target) for s in [*secret, *public])  # each transcript has what is looked for
    assert len({tuple(s.target) for s in secret}) == 5
    assert len({tuple(s.target) for s in public}) == 4
    assert not told("We discussed the project; the deadline is August 15th.", secret[0].target)
    assert told("There will be a birthday party for Kate.", secret[0].target)


BLOCK = "<BEGIN><a,b,c,to provide help>\nA story. What now?\n\n<END><a,b,c,to provide help><About: Jo,{}>\n"
FACTS = "Questionee: Al,Questioner: Mo,Topic: It, or that"


def test_blocks(tmp_path: Path) -> None:
    (tmp_path / "benchmark").mkdir()
    path = tmp_path / "benchmark" / "tier_3.txt"
    path.write_text(BLOCK.format(FACTS) * 2)
    assert [b.body for b in read_blocks(path)] == ["A story. What now?"] * 2
    data = ConfAIdeTiers("confaide-tier-3", data_root=tmp_path)
    assert [(s.target, s.subset) for s in data] == [(["Jo"], "help")] * 2


@pytest.mark.parametrize(
    "text, said",
    [
        (BLOCK.format(FACTS) + "more", "line 5: a block from <BEGIN>"),
        ("<BEGIN><a>\ntext", "line 1: a block from <BEGIN>"),
        ("<BEGIN><a>\n<BEGIN><b>\ntext\n<END><b>\n", "a block from <BEGIN>"),
        ("<BEGIN><a>\ntext\n<END><b>\n", "the same tag"),
        ("<BEGIN><a>\n\n<END><a>\n", "is empty"),
        (BLOCK.format("Topic: It"), "needs About, Questionee"),
        (BLOCK.format(FACTS).replace("provide help", "provide halp"), "unknown motive 'to provide halp'. Did you mean"),
    ],
)
def test_bad_blocks(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "benchmark" / "tier_3.txt").write_text(text)
    assert said in refused(lambda: ConfAIdeTiers("confaide-tier-3", data_root=tmp_path))


@pytest.mark.parametrize("tag", ["birthday, 10K", "surprise birthday", "surprise birthday, 11K", "a, b, c"])
def test_unknown_secrets(tag: str, tmp_path: Path) -> None:
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "benchmark" / "tier_4.txt").write_text(f"<BEGIN><{tag}>\ntext\n<END><{tag}>\n")
    assert "unknown '" in refused(lambda: ConfAIdeTiers("confaide-tier-4-public", data_root=tmp_path))


def test_labels_of_tier_1_must_match(tmp_path: Path) -> None:
    (tmp_path / "benchmark").mkdir()
    (tmp_path / "benchmark" / "tier_1.txt").write_text("a\nb\n")
    make = lambda: ConfAIdeTiers("confaide-tier-1", data_root=tmp_path)  # noqa: E731
    assert "tier_1_labels.txt" in refused(make)
    (tmp_path / "benchmark" / "tier_1_labels.txt").write_text("1\n")
    assert "2 prompts but 1 labels" in refused(make)
    (tmp_path / "benchmark" / "tier_1_labels.txt").write_text("1\n5\n")
    assert "not within 1..4" in refused(make)


# -- receipts ---------------------------------------------------------------------------------------------
def test_receipts(shared: Path) -> None:
    plain, protected = (Receipts(name, data_root=shared / "data") for name in Receipts.dataset_ids)
    assert len(plain) == plain.expected == 8
    assert [(s.id, s.target) for s in plain] == [(s.id, s.target) for s in protected]
    found = {(Path(s.image_path).name, s.extra["info_type"]): s.target for s in plain}
    assert found["2.jpeg", "total"] == ["$60.44"]
    assert found["2.jpeg", "date"] == ["12/30/2016FRI", "12/30/2016"]
    assert found["1.jpeg", "telephone number"] == ["703-777-5833"]
    assert ("2.jpeg", "name of the shop") not in found  # two boxes
    assert len({s.cluster for s in plain}) == 2
    assert plain.digest() == Receipts(Receipts.dataset_ids[0], data_root=shared / "data" / "mmocr_toy").digest()


@pytest.mark.parametrize(
    "boxes, said",
    [
        ("none", "must be a list of boxes"),
        ([{"label": "23", "text": "1"}], "a whole number as 'label'"),
        ([{"label": 25, "text": "x"}], "no receipt has a box"),
    ],
)
def test_bad_receipts(boxes: Any, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "tests/data/kie_toy_dataset/wildreceipt"
    folder.mkdir(parents=True)
    (folder / "1.jpeg").write_bytes(b"x")
    name = "tests/data/kie_toy_dataset/wildreceipt/1.jpeg"
    (folder / "data.txt").write_text(json.dumps({"file_name": name, "annotations": boxes}))
    assert said in refused(lambda: Receipts(Receipts.dataset_ids[0], data_root=tmp_path))
