"""Basic world understanding: the mini data, and broken copies of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from mmte.datasets.basic import GROUNDING, OCR, SETS, YES_NO, BasicData
from mmte.datasets.imagesize import image_size
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.registry import registry

DISCRIMINATIVE = ["d-basic-object", "d-basic-attribute", "d-basic-scene"]
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "truthfulness"
MINI = DataRoot().folder / "truthfulness"
Edit = Callable[[list[dict[str, Any]]], object]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    shutil.copytree(MINI, tmp_path / "copy" / "truthfulness")
    return tmp_path / "copy"


def queries(root: Path, name: str) -> Path:
    return root / "truthfulness" / "query_basic" / SETS[name].file


def edited(root: Path, name: str, edit: Edit) -> None:
    records = json.loads(queries(root, name).read_text())
    edit(records)
    queries(root, name).write_text(json.dumps(records))


def broken(root: Path, name: str) -> str:
    with pytest.raises(MmteError) as caught:
        BasicData(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", SETS)
def test_mini_data(name: str) -> None:
    data = BasicData(name)
    assert len(data) == 12
    assert data.is_mini
    assert len({s.id for s in data}) == 12
    assert len({s.cluster for s in data}) == (12 if name == "g-basic-ocr" else 6)
    assert all(Path(s.image_path).parent.name == SETS[name].folder for s in data)
    assert [s.to_dict() for s in data] == [s.to_dict() for s in BasicData(name)]


@pytest.mark.parametrize("name", DISCRIMINATIVE)
def test_yes_and_no_are_equally_frequent(name: str) -> None:
    data = BasicData(name)
    assert sorted(s.target for s in data) == [0] * 6 + [1] * 6
    assert all(s.text.endswith("?\n" + YES_NO) for s in data)


def test_words() -> None:
    data = BasicData("g-basic-ocr")
    assert data[0].target == "BAKERY"
    assert data[0].text == f"What is written on the sign?\n{OCR}"


def test_boxes_are_parts_of_the_picture_with_its_size_beside_them() -> None:
    data = BasicData("g-basic-grounding")
    assert data[0].text == f"Where is the cup?\n{GROUNDING}"
    assert data[0].extra == {"img_size": (224, 224)}
    x0, y0, x1, y1 = json.loads(data[0].target)
    assert 0 <= x0 < 60 / 224 < x1 <= 1
    assert 0 <= y0 < 60 / 224 < y1 <= 1


def test_labels_in_any_case_and_boxes_as_lists_are_read(copy: Path) -> None:
    edited(copy, "d-basic-object", lambda r: r[0].update(truth=" yes "))
    assert BasicData("d-basic-object", data_root=copy)[0].target == 1
    edited(copy, "g-basic-grounding", lambda r: r[0].update(truth=[0, 0, 0.5, 1]))
    assert json.loads(BasicData("g-basic-grounding", data_root=copy)[0].target) == [0, 0, 0.5, 1]


def test_json_lines_give_the_same_samples(copy: Path) -> None:
    records = json.loads(queries(copy, "d-basic-scene").read_text())
    queries(copy, "d-basic-scene").write_text("\ufeff" + "\n".join(map(json.dumps, records)), encoding="utf-8")
    named = [(s.id, s.target, s.text) for s in BasicData("d-basic-scene")]
    assert [(s.id, s.target, s.text) for s in BasicData("d-basic-scene", data_root=copy)] == named


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        ("d-basic-object", {"truth": "Maybe"}, "record 3: 'truth' is 'Maybe', which is neither Yes nor No"),
        ("d-basic-scene", {"truth": None}, "record 3: 'truth' is None, which is neither Yes nor No"),
        ("d-basic-attribute", {"query": " "}, "record 3: 'query' must be a text, not ' '"),
        ("d-basic-attribute", {"image": 7}, "record 3: 'image' must be a text, not 7"),
        ("d-basic-object", {"image": "no.png"}, "record 3: d-basic-object: needs truthfulness/basic_images/object"),
        ("d-basic-object", {"image": "../../../x"}, "record 3: data file name"),
        ("g-basic-ocr", {"truth": ""}, "record 3: 'truth' must be a text, not ''"),
        ("g-basic-grounding", {"truth": "[1, 2"}, "record 3: 'truth' must be a box [xmin, ymin, xmax, ymax], not"),
        ("g-basic-grounding", {"truth": "[10, 20, 30, 40]"}, "record 3: 'truth': 10 is not within 0..1"),
        ("g-basic-grounding", {"truth": "[0.5, 0, 0.5, 1]"}, "record 3: 'truth' '[0.5, 0, 0.5, 1]' has no area"),
    ],
)
def test_a_bad_record_is_named(copy: Path, name: str, edit: dict[str, Any], said: str) -> None:
    edited(copy, name, lambda records: records[2].update(edit))
    message = broken(copy, name)
    assert SETS[name].file in message
    assert said in message


def test_a_missing_key_and_an_empty_file(copy: Path) -> None:
    edited(copy, "d-basic-object", lambda records: records[1].pop("truth"))
    assert "record 2: no key 'truth'" in broken(copy, "d-basic-object")
    queries(copy, "d-basic-object").write_text("")
    assert "query_d_existence.json: the file is empty" in broken(copy, "d-basic-object")
    queries(copy, "d-basic-object").write_text("[]")
    assert "no record in it" in broken(copy, "d-basic-object")


def test_an_image_that_is_none_is_refused_where_its_size_is_needed(copy: Path) -> None:
    image = copy / "truthfulness" / "basic_images" / "grounding" / "0.png"
    image.write_bytes(image.read_bytes()[:20])
    assert "0.png: not a whole PNG, JPEG, GIF or BMP image" in broken(copy, "g-basic-grounding")


def test_absent_data_is_a_skip(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"g-basic-ocr: needs truthfulness/query_basic/query_g_ocr\.json"):
        BasicData("g-basic-ocr", data_root=tmp_path)


def test_the_digest_follows_the_questions(copy: Path) -> None:
    before = BasicData("g-basic-ocr", data_root=copy).digest()
    assert before == BasicData("g-basic-ocr").digest()
    edited(copy, "g-basic-ocr", lambda records: records[0].update(truth="BAKERIES"))
    assert BasicData("g-basic-ocr", data_root=copy).digest() != before


def test_the_tasks_name_these_datasets() -> None:
    named = []
    for file in ("t1-basic", "t1-basic-ocr", "t1-basic-grounding"):
        task = yaml.safe_load((BENCHMARKS / f"{file}.yaml").read_text())
        assert task["aspect"] == "truthfulness"
        named += task["datasets"]
    assert sorted(named) == sorted(SETS)
    assert {registry.get_dataset_class(name) for name in named} == {BasicData}


@pytest.mark.parametrize("suffix", ["png", "jpg", "gif", "bmp"])
def test_the_size_of_an_image_is_read_without_decoding_it(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    Image.new("RGB", (37, 21), "red").save(path)
    assert image_size(path) == (37, 21)
    path.write_bytes(path.read_bytes()[:9])
    with pytest.raises(MmteError, match="not a whole"):
        image_size(path)


def test_sizes_of_real_photographs(shared: Path) -> None:
    for path in sorted((shared / "data" / "pope" / "images" / "val2014").glob("*.jpg")):
        with Image.open(path) as image:
            assert image_size(path) == image.size
    with pytest.raises(MmteError, match="cannot be read"):
        image_size(shared / "none.png")
