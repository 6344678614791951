"""Subjective preference: the mini data, broken copies of it, and TrustLLM's published questions."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from mmte.datasets.preference import SubPreference
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

TASK = Path(__file__).resolve().parents[2] / "benchmarks" / "fairness" / "f7-subjective-preference.yaml"
PLAIN, FORCE = "subjective-preference-plain-", "subjective-preference-force-"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for part in ("fairness", "unrelated_images"):
        shutil.copytree(DataRoot().folder / part, tmp_path / "copy" / part)
    return tmp_path / "copy"


def questions(root: Path) -> Path:
    return root / "fairness" / "preference.json"


def edited(root: Path, edit: Callable[[list[dict[str, Any]]], object]) -> None:
    records = json.loads(questions(root).read_text())
    edit(records)
    questions(root).write_text(json.dumps(records))


def broken(root: Path, name: str = PLAIN + "text") -> str:
    with pytest.raises(MmteError) as caught:
        SubPreference(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", SubPreference.dataset_ids)
def test_mini_data(name: str) -> None:
    data = SubPreference(name)
    assert len(data) == len({s.id for s in data}) == len({s.group for s in data}) == 12
    assert Counter(s.subset for s in data) == {"ideology": 6, "culture/lifestyle": 6}
    assert {type(s) for s in data} == {TxtSample if name.endswith("-text") else ImageTxtSample}
    assert {s.target for s in data} == {None}
    assert [s.to_dict() for s in data] == [s.to_dict() for s in SubPreference(name)]


def test_plain_and_forced_questions_are_about_the_same_choice() -> None:
    plain, force = SubPreference(PLAIN + "text"), SubPreference(FORCE + "text")
    assert [(s.group, s.cluster, s.subset) for s in plain] == [(s.group, s.cluster, s.subset) for s in force]
    assert not {s.id for s in plain} & {s.id for s in force}
    for one, other in zip(plain, force, strict=True):
        assert one.text.rpartition(". ")[0] != one.text
        assert one.text.split(" Tell me")[0] == other.text.split(" Reply")[0]


def test_the_picture_is_that_of_one_of_the_two_options() -> None:
    plain, force = SubPreference(PLAIN + "image"), SubPreference(FORCE + "image")
    shown = [Path(s.image_path) for s in plain]
    assert [path.stem for path in shown] == [str(n) for n in range(12)]  # natural order: 10 comes after 9
    assert set(Counter(path.parent.name for path in shown)) == {"choice_a_images", "choice_b_images"}
    assert [s.image_path for s in force] == [s.image_path for s in plain]
    texts = [s.text for s in SubPreference(PLAIN + "text")]
    assert [s.text for s in plain] == texts


def test_the_choice_of_the_picture_goes_with_the_question(copy: Path) -> None:
    before = {s.id: Path(s.image_path).parent.name for s in SubPreference(PLAIN + "image")}
    edited(copy, lambda records: records.__setitem__(slice(None), records[11::-1] + records[:11:-1]))
    after = {s.id: Path(s.image_path).parent.name for s in SubPreference(PLAIN + "image", data_root=copy)}
    assert list(after) == list(before)[::-1]
    assert after == before


def test_unrelated_images() -> None:
    for kind in ("color", "nature", "noise"):
        shown = [Path(s.image_path).name for s in SubPreference(f"{FORCE}unrelated-image-{kind}")]
        assert {name.split("_")[0] for name in shown} == {kind}
        assert shown == [Path(s.image_path).name for s in SubPreference(f"{PLAIN}unrelated-image-{kind}")]


def test_topics_of_one_half_count_for_both(copy: Path) -> None:
    edited(copy, lambda records: [record.pop("topic") for record in records[12:]])
    assert Counter(s.subset for s in SubPreference(FORCE + "text", data_root=copy)) == {
        "ideology": 6,
        "culture/lifestyle": 6,
    }


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda r: r.pop(), "has 12 plain and 11 force questions"),
        (lambda r: r[3].update(prompt=""), "record 4: 'prompt' must be a text, not ''"),
        (lambda r: r[3].pop("prompt"), "record 4: no key 'prompt'"),
        (lambda r: r[3].update(topic=7), "record 4: 'topic' must be a text, not 7"),
        (lambda r: [x.update(type="plane") for x in r], "record 1: unknown 'type' 'plane'. Did you mean 'plain'"),
        (lambda r: [x.update(type="plain") for x in r], "has 24 plain and 0 force questions"),
        (lambda r: r[2].update(option_a="x"), "question 3 has two versions of 'option_a'"),
    ],
)
def test_a_bad_record_is_named(copy: Path, edit: Callable[[list[dict[str, Any]]], object], said: str) -> None:
    edited(copy, edit)
    message = broken(copy)
    assert "preference.json" in message
    assert said in message


def test_an_empty_file(copy: Path) -> None:
    questions(copy).write_text("\n")
    assert "preference.json: the file is empty" in broken(copy)


def test_a_missing_picture_is_an_error_and_missing_pictures_a_skip(copy: Path) -> None:
    folder = copy / "fairness" / "subjective_choice_images" / "choice_b_images"
    (folder / "5.png").unlink()
    assert "choice_b_images has 11 images for 12 questions" in broken(copy, PLAIN + "image")
    shutil.rmtree(folder.parent)
    with pytest.raises(DataMissing, match="needs fairness/subjective_choice_images/choice_a_images under"):
        SubPreference(FORCE + "image", data_root=copy)
    assert len(SubPreference(FORCE + "text", data_root=copy)) == 12


def test_the_digest_follows_questions_and_names_of_pictures(copy: Path) -> None:
    def digest() -> str:
        return SubPreference(PLAIN + "image", data_root=copy).digest()

    before = digest()
    assert before == SubPreference(PLAIN + "image").digest()
    folder = copy / "fairness" / "subjective_choice_images" / "choice_a_images"
    (folder / "0.png").rename(folder / "00.png")
    assert digest() != before


@pytest.mark.parametrize("kind", ["plain", "force"])
def test_the_published_questions(shared: Path, kind: str, tmp_path: Path) -> None:
    name = f"subjective-preference-{kind}-"
    data = SubPreference(name + "text", data_root=shared / "data" / "trustllm")
    assert len(data) == data.expected == len({s.id for s in data}) == 120
    assert {s.subset for s in data} == {""}
    assert all(("tell me why" in s.text) == (kind == "plain") for s in data)
    assert "A. capitalism B. socialism" in data[0].text
    above = SubPreference(name + "text", data_root=shared / "data")
    assert (above.digest(), [s.to_dict() for s in above]) == (data.digest(), [s.to_dict() for s in data])
    with pytest.raises(DataMissing, match="choice_a_images"):
        SubPreference(name + "image", data_root=shared / "data")
    # Beside pictures numbered from 1, question i gets the one of number i + 1.
    (tmp_path / "fairness").mkdir()
    shutil.copyfile(shared / "data" / "trustllm" / "fairness" / "preference.json", questions(tmp_path))
    for choice in "ab":
        folder = tmp_path / "fairness" / "subjective_choice_images" / f"choice_{choice}_images"
        folder.mkdir(parents=True)
        for number in range(1, 121):
            (folder / f"{number}.jpg").write_bytes(b"x")
    shown = [Path(s.image_path) for s in SubPreference(name + "image", data_root=tmp_path)]
    assert [path.stem for path in shown] == [str(n) for n in range(1, 121)]
    assert 40 < sum(path.parent.name == "choice_a_images" for path in shown) < 80


def test_mini_pictures_are_all_different() -> None:
    folder = DataRoot().folder / "fairness" / "subjective_choice_images"
    seen = set()
    for path in folder.rglob("*.png"):
        with Image.open(path) as image:
            seen.add(image.convert("RGB").tobytes())
    assert len(seen) == 24


def test_the_task_names_these_datasets() -> None:
    task = yaml.safe_load(TASK.read_text())
    assert sorted(task["datasets"]) == sorted(SubPreference.dataset_ids)
    assert {registry.get_dataset_class(name) for name in task["datasets"]} == {SubPreference}
