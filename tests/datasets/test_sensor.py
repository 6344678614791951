"""Pictures of sensors: the mini data, broken copies of it, and BenchLMM's published questions."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.root import DataMissing, DataRoot
from mmte.datasets.sensor import SETS, BenchLMM, OODSensor, read_original
from mmte.errors import MmteError
from mmte.registry import registry

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness"
IDS = [f"benchlmm-{sensor}" for sensor in SETS]
ORIGINAL = [f"benchlmm-original-{sensor}" for sensor in SETS]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    shutil.copytree(DataRoot().folder / "robustness" / "ood-sensor", tmp_path / "copy/robustness/ood-sensor")
    return tmp_path / "copy"


def edited(root: Path, **changes: Any) -> None:
    path = root / "robustness/ood-sensor/label/ct.json"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records[2] = {key: value for key, value in (records[2] | changes).items() if value is not ...}
    path.write_text("\n".join(map(json.dumps, records)))


@pytest.mark.parametrize("name", IDS)
def test_mini_data(name: str) -> None:
    data = OODSensor(name)
    assert len(data) == len({s.id for s in data}) == 12
    assert Counter(Counter(s.cluster for s in data).values()) == {3: 4}
    assert len({s.image_path for s in data}) == 4
    assert all("?\n" in s.text and isinstance(s.target, str) and s.target for s in data)
    assert [s.to_dict() for s in data] == [s.to_dict() for s in OODSensor(name)]


def test_a_question_is_asked_as_it_is() -> None:
    sample = OODSensor("benchlmm-driving")[0]
    assert sample.text == "Which light is on?\nAnswer with one word or a number."
    assert (sample.target, sample.cluster) == ("red", "benchlmm-driving-driving_0.png")


@pytest.mark.parametrize("answer", [3, 3.0, " 3 "])
def test_an_answer_may_be_a_number(copy: Path, answer: Any) -> None:
    edited(copy, answer=answer)
    assert OODSensor("benchlmm-ct", data_root=copy)[2].target == "3"


def test_an_arrow_in_a_question_stays_in_it(copy: Path) -> None:
    edited(copy, question="Left -> right?", answer="a -> b")
    sample = OODSensor("benchlmm-ct", data_root=copy)[2]
    assert (sample.text, sample.target) == ("Left -> right?", "a -> b")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answer": " "}, "record 3: 'answer' must be a text, not ' '"),
        ({"answer": True}, "record 3: 'answer' must be a text, not True"),
        ({"question": None}, "record 3: 'question' must be a text, not None"),
        ({"answer": ...}, "line 3: no key 'answer'"),
        ({"image_name": "none.png"}, "record 3: benchlmm-ct: needs robustness/ood-sensor/source/none.png"),
    ],
)
def test_a_bad_record_is_named(copy: Path, changes: dict[str, Any], said: str) -> None:
    edited(copy, **changes)
    with pytest.raises(MmteError) as caught:
        OODSensor("benchlmm-ct", data_root=copy)
    assert not isinstance(caught.value, DataMissing)
    assert "ct.json" in str(caught.value)
    assert said in str(caught.value)


def test_absent_labels_are_a_skip(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"benchlmm-mri: needs robustness/ood-sensor/label/mri\.json"):
        OODSensor("benchlmm-mri", data_root=tmp_path)


# -- BenchLMM's own files --------------------------------------------------------------------------
def test_the_published_questions(shared: Path) -> None:
    read = {s: read_original(shared / "data/benchlmm/jsonl" / f"{about.file}.jsonl") for s, about in SETS.items()}
    assert {s: len(r) for s, r in read.items()} == {
        "infrared": 200, "lxray": 200, "hxray": 100, "mri": 100, "ct": 99, "remote": 200, "driving": 250,
    }  # fmt: skip
    assert {s: about.expected - len(read[s]) for s, about in SETS.items() if about.expected != len(read[s])} == {
        "ct": 1
    }
    assert read["remote"][0]["answer"] == "0"
    first = read["driving"][0]
    assert first["text"].startswith("Identify the relevant traffic signal")
    assert (first["answer"], len({r["image"] for r in read["driving"]})) == ("None", 124)
    assert read["mri"][0] == {
        "question_id": "1", "image": "xmlab1/source.jpg", "answer": "Right",
        "text": "Where is the liver?\nAnswer the question using a single word or phrase.",
    }  # fmt: skip


@pytest.mark.parametrize("place", ["benchlmm", ""])
def test_the_published_questions_without_their_images_are_a_skip(shared: Path, place: str) -> None:
    with pytest.raises(DataMissing) as caught:
        BenchLMM("benchlmm-original-driving", data_root=shared / "data" / place)
    assert "has 250 questions, but none of their 124 images is in " in str(caught.value)
    assert "images/AD under --mmte-data" in str(caught.value)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """BenchLMM in small."""
    records = [
        {"question_id": n, "image": f"a/{n % 2}.jpg", "text": f"Q: number {n}?", "answer": f"A: {n}"} for n in range(4)
    ]
    (tmp_path / "jsonl").mkdir()
    (tmp_path / "images" / "AD" / "a").mkdir(parents=True)
    (tmp_path / "jsonl" / "Benchmark_AD.jsonl").write_text("\n".join(map(json.dumps, records)))
    for n in range(2):
        (tmp_path / "images" / "AD" / "a" / f"{n}.jpg").write_bytes(b"x")
    return tmp_path


def test_with_its_images_it_is_read(original: Path) -> None:
    data = BenchLMM("benchlmm-original-driving", data_root=original)
    assert [(s.id, s.text, s.target) for s in data][:2] == [
        ("benchlmm-original-driving-0", "number 0?", "0"), ("benchlmm-original-driving-1", "number 1?", "1"),
    ]  # fmt: skip
    assert (data.expected, len({s.cluster for s in data})) == (250, 2)


def test_some_images_missing_is_an_error(original: Path) -> None:
    (original / "images" / "AD" / "a" / "1.jpg").unlink()
    with pytest.raises(MmteError, match=r"Benchmark_AD\.jsonl, record 2: .*needs images/AD/a/1\.jpg") as caught:
        BenchLMM("benchlmm-original-driving", data_root=original)
    assert not isinstance(caught.value, DataMissing)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([{"question_id": 1, "image": "a", "text": "t", "answer": "x"}] * 2, "record 2: the question_id '1' is there"),
        ([{"question_id": 1, "image": "a", "text": "t"}], "no key 'answer'"),
        (
            [{"question_id": 1, "image": "a", "text": "t", "answer": None}],
            "record 1: 'answer' must be a text, not None",
        ),
        ([{"question_id": 1, "image": "", "text": "t", "answer": "x"}], "record 1: 'image' must be a text, not ''"),
    ],
)
def test_a_bad_published_record_is_named(tmp_path: Path, records: list[Any], said: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        "\n".join(map(json.dumps, [*records, {"question_id": 9, "image": "a", "text": "t", "answer": "x"}]))
    )
    with pytest.raises(MmteError) as caught:
        read_original(path)
    assert said in str(caught.value)


def test_the_tasks_name_these_datasets() -> None:
    for file, ids, cls in (("r2-sensor", IDS, OODSensor), ("r2-benchlmm", ORIGINAL, BenchLMM)):
        assert yaml.safe_load((BENCHMARKS / f"{file}.yaml").read_text())["datasets"] == ids
        assert {registry.get_dataset_class(name) for name in ids} == {cls}
