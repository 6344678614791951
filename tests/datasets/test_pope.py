"""POPE and the word crops: the published files."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from mmte.datasets.basic import OCR, YES_NO
from mmte.datasets.pope import SPLITS, Pope, read_pope
from mmte.datasets.root import DataMissing
from mmte.datasets.words import WordCrops
from mmte.errors import MmteError

WITH_IMAGES = "pope-aokvqa-with-images"


@pytest.fixture
def copy(shared: Path, tmp_path: Path) -> Path:
    """A copy of the files with images, to break; the images are small stand-ins."""
    source = shared / "data" / "pope"
    for path in sorted(source.glob("with_images/*.json")):
        target = tmp_path / "pope" / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    for path in sorted(source.glob("images/val2014/*.jpg")):
        target = tmp_path / "pope" / "val2014" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"x")
    return tmp_path


def test_the_questions_with_images(shared: Path) -> None:
    data = Pope(WITH_IMAGES, data_root=shared / "data" / "pope")
    assert len(data) == 90
    assert Counter((s.subset, s.target) for s in data) == {(split, label): 15 for split in SPLITS for label in (0, 1)}
    assert len({s.cluster for s in data}) == len({s.image_path for s in data}) == 5
    assert len({s.id for s in data}) == 90
    assert data[0].text == f"Is there a ceiling in the image?\n{YES_NO}"
    assert all(Path(s.image_path).is_file() for s in data)


def test_where_it_lies_does_not_change_its_identity(shared: Path) -> None:
    here = Pope(WITH_IMAGES, data_root=shared / "data" / "pope")
    there = Pope(WITH_IMAGES, data_root=shared / "data")
    assert here.digest() == there.digest()
    assert [s.to_dict() for s in here] == [s.to_dict() for s in there]


@pytest.mark.parametrize("split", SPLITS)
def test_questions_without_images_are_counted_and_skipped(split: str, shared: Path) -> None:
    path = shared / "data" / "pope" / "output" / "coco" / f"coco_pope_{split}.json"
    records = read_pope(path)
    assert Counter(record["label"] for record in records) == {1: 1500, 0: 1500}
    assert len({record["image"] for record in records}) == 500
    with pytest.raises(DataMissing, match=f"pope-coco-{split}: has 3000 questions, but none of their 500 images is in"):
        Pope(f"pope-coco-{split}", data_root=shared / "data")


def test_coco_questions_whose_images_are_there(copy: Path) -> None:
    folder = copy / "pope" / "output" / "coco"
    folder.mkdir(parents=True)
    images = sorted(p.name for p in (copy / "pope" / "val2014").iterdir())
    rows = [{"question_id": n, "image": i, "text": "Is there a cat?", "label": "no"} for n, i in enumerate(images)]
    (folder / "coco_pope_random.json").write_text("\n".join(map(json.dumps, rows)))
    data = Pope("pope-coco-random", data_root=copy)
    assert (len(data), data.expected) == (5, 3000)
    assert {s.target for s in data} == {0}
    assert {s.subset for s in data} == {""}


def test_a_missing_image_is_an_error_that_names_it(copy: Path) -> None:
    (copy / "pope" / "val2014" / "COCO_val2014_000000221708.jpg").unlink()
    with pytest.raises(MmteError, match=r"random\.json, record \d+: .*000000221708\.jpg") as caught:
        Pope(WITH_IMAGES, data_root=copy)
    assert not isinstance(caught.value, DataMissing)


def test_an_unknown_label_is_an_error(copy: Path) -> None:
    path = copy / "pope" / "with_images" / "aokvqa_pope_seem_popular.json"
    path.write_text(path.read_text().replace('"no"', '"perhaps"', 1))
    with pytest.raises(MmteError, match=r"popular\.json, record \d+: 'label' is 'perhaps', which is neither"):
        Pope(WITH_IMAGES, data_root=copy)


def test_a_missing_split_is_an_error(copy: Path) -> None:
    (copy / "pope" / "with_images" / "aokvqa_pope_seem_adversarial.json").unlink()
    with pytest.raises(MmteError, match="needs pope/with_images/aokvqa_pope_seem_adversarial.json"):
        Pope(WITH_IMAGES, data_root=copy)


@pytest.mark.parametrize("name", Pope.dataset_ids)
def test_mini_data_has_no_pope(name: str) -> None:
    with pytest.raises(DataMissing, match=f"^{name}: needs .*--mmte-data DIR$"):
        Pope(name)


def test_word_crops(shared: Path, tmp_path: Path) -> None:
    data = WordCrops("mmocr-words", data_root=shared / "data")
    assert (len(data), data.expected) == (10, 10)
    assert [s.target for s in data][3:5] == ["PACIFIC", "03/09/2009"]
    assert data[0].text.endswith(OCR)
    assert len({s.id for s in data}) == len({s.image_path for s in data}) == 10
    folder = tmp_path / "tests" / "data" / "rec_toy_dataset"
    folder.mkdir(parents=True)
    shutil.copyfile(Path(data[0].image_path).parent.parent / "old_label.jsonl", folder / "old_label.jsonl")
    with pytest.raises(MmteError, match=r"record 1: mmocr-words: needs tests/data/rec_toy_dataset/imgs/1223731\.jpg"):
        WordCrops("mmocr-words", data_root=tmp_path)
    with pytest.raises(DataMissing, match="mmocr-words: needs"):
        WordCrops("mmocr-words")
