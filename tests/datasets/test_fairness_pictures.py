"""Pictures of people, questions with pictures, and options in pictures: the mini data and broken copies of it."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from mmte.datasets.preference import SubPreference
from mmte.datasets.root import DataMissing, DataRoot, RootDataset
from mmte.datasets.stereo_pictures import StereoGeneration, StereoQuery
from mmte.datasets.vision_preference import VisionPreference
from mmte.errors import MmteError
from mmte.types import ImageTxtSample, TxtSample


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for part in ("fairness", "unrelated_images"):
        shutil.copytree(DataRoot().folder / part, tmp_path / "copy" / part)
    return tmp_path / "copy"


def broken(family: type[RootDataset], name: str, root: Path) -> str:
    with pytest.raises(MmteError) as caught:
        family(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- descriptions of people ----------------------------------------------------------------------
def test_people_in_natural_order(copy: Path) -> None:
    data = StereoGeneration("stereo-generation")
    assert [Path(s.image_path).name for s in data] == [f"{n}.png" for n in range(12)]
    assert len({s.id for s in data}) == len({s.cluster for s in data}) == 12
    assert len({s.text for s in data}) == 1
    assert {s.target for s in data} == {None}
    folder = copy / "fairness" / "stereo_generation_images"
    (folder / "notes.txt").write_text("no picture")
    (folder / ".hidden.png").write_bytes(b"x")
    again = StereoGeneration("stereo-generation", data_root=copy)
    assert [s.id for s in again] == [s.id for s in data]
    assert again.digest() == data.digest()
    (folder / "3.png").rename(folder / "30.png")
    assert StereoGeneration("stereo-generation", data_root=copy).digest() != data.digest()


def test_no_people(copy: Path) -> None:
    folder = copy / "fairness" / "stereo_generation_images"
    for path in folder.iterdir():
        path.unlink()
    assert "no image in" in broken(StereoGeneration, "stereo-generation", copy)
    folder.rmdir()
    with pytest.raises(DataMissing, match="fairness/stereo_generation_images"):
        StereoGeneration("stereo-generation", data_root=copy)
    folder.write_text("x")
    assert "is not a folder" in broken(StereoGeneration, "stereo-generation", copy)


# -- questions -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", StereoQuery.dataset_ids)
def test_questions(name: str) -> None:
    data = StereoQuery(name)
    assert len(data) == len({s.id for s in data}) == len({s.text for s in data}) == 12
    assert {type(s) for s in data} == {TxtSample if name.endswith("-text") else ImageTxtSample}
    assert all(s.text.endswith("?") for s in data)
    assert [s.id for s in data] == [s.id for s in StereoQuery("stereo-query-text")]


def test_question_and_picture_are_paired_by_number(copy: Path) -> None:
    shown = [Path(s.image_path).name for s in StereoQuery("stereo-query-image")]
    assert shown == [f"{n}.png" for n in range(12)]
    # Neither the order of the directory nor that of letters: files numbered from 1, made in another order.
    folder = copy / "fairness" / "stereo_query_images"
    shutil.rmtree(folder)
    folder.mkdir()
    for number in (7, 12, 1, 10, 2, 11, 3, 9, 4, 8, 5, 6):
        (folder / f"query {number}.jpg").write_bytes(b"x")
    data = StereoQuery("stereo-query-image", data_root=copy)
    assert [Path(s.image_path).name for s in data] == [f"query {n}.jpg" for n in range(1, 13)]
    assert [s.text for s in data] == [s.text for s in StereoQuery("stereo-query-text")]


def test_a_missing_picture_is_an_error_and_leaves_the_other_variants_whole(copy: Path) -> None:
    folder = copy / "fairness" / "stereo_query_images"
    (folder / "11.png").unlink()
    assert "has 11 images for 12 questions" in broken(StereoQuery, "stereo-query-image", copy)
    assert len(StereoQuery("stereo-query-text", data_root=copy)) == 12
    assert len(StereoQuery("stereo-query-unrelated-image-color", data_root=copy)) == 12
    shutil.rmtree(folder)
    with pytest.raises(DataMissing, match="fairness/stereo_query_images"):
        StereoQuery("stereo-query-image", data_root=copy)
    assert len(StereoQuery("stereo-query-text", data_root=copy)) == 12


def test_a_question_without_text(copy: Path) -> None:
    path = copy / "fairness" / "stereo_query.csv"
    path.write_text('question\nWhy?\n" "\n')
    assert "record 2: 'question' must be a text" in broken(StereoQuery, "stereo-query-text", copy)
    path.write_text("questions\nWhy?\n")
    assert "no column 'question'. Did you mean 'questions'?" in broken(StereoQuery, "stereo-query-text", copy)


# -- options in pictures -------------------------------------------------------------------------
def test_vision_preference() -> None:
    data = VisionPreference("vision-preference", force_prompt=False)
    assert len(data) == len({s.id for s in data}) == 12
    assert Counter(s.subset for s in data) == {"ideology": 6, "culture/lifestyle": 6}
    assert all(s.subset in s.text for s in data)
    assert [Path(s.image_path).name for s in data] == [f"{n}.png" for n in range(12)]
    assert {s.target for s in data} == {None}
    words = SubPreference("subjective-preference-plain-text")
    assert [(s.group, s.cluster) for s in data] == [(s.group, s.cluster) for s in words]


def test_force_prompt_is_an_option_with_effect() -> None:
    plain, force = (VisionPreference("vision-preference", force_prompt=force) for force in (False, True))
    assert [s.text for s in VisionPreference("vision-preference")] == [s.text for s in force]
    assert all("one letter" in s.text for s in force)
    assert all("reasons" in s.text and "one letter" not in s.text for s in plain)
    assert not {s.id for s in plain} & {s.id for s in force}
    with pytest.raises(MmteError, match="force_prompt must be true or false, not 'no'"):
        VisionPreference("vision-preference", force_prompt="no")  # type: ignore[arg-type]
    with pytest.raises(MmteError, match="unknown option 'forced_prompt'.*force_prompt"):
        VisionPreference("vision-preference", forced_prompt=True)


def test_options_are_in_the_order_of_their_numbers(copy: Path) -> None:
    folder = copy / "fairness" / "vision_subjective_choice_images"
    (folder / "3.png").rename(folder / "003.jpg")
    data = VisionPreference("vision-preference", data_root=copy)
    assert Path(data[3].image_path).name == "003.jpg"
    (folder / "003.jpg").rename(folder / "three.png")
    assert "three.png has no number for a name" in broken(VisionPreference, "vision-preference", copy)
    (folder / "three.png").unlink()
    assert "has 11 images for 12 questions" in broken(VisionPreference, "vision-preference", copy)
    shutil.rmtree(folder)
    with pytest.raises(DataMissing, match="fairness/vision_subjective_choice_images"):
        VisionPreference("vision-preference", data_root=copy)


def test_a_choice_without_a_topic(copy: Path) -> None:
    path = copy / "fairness" / "preference.json"
    records = json.loads(path.read_text())
    del records[2]["topic"], records[14]["topic"]
    path.write_text(json.dumps(records))
    assert "choice 3 has no 'topic'" in broken(VisionPreference, "vision-preference", copy)


def test_forced_questions_have_topics_of_their_own(copy: Path) -> None:
    path = copy / "fairness" / "preference.json"
    records = json.loads(path.read_text())
    records[12]["topic"] = "culture/lifestyle"
    path.write_text(json.dumps(records))
    subsets = {
        kind: SubPreference(f"subjective-preference-{kind}-text", data_root=copy)[0].subset
        for kind in ("plain", "force")
    }
    assert subsets == {"plain": "ideology", "force": "culture/lifestyle"}


def test_the_tables_of_the_mini_data_are_read_whole() -> None:
    folder = DataRoot().folder / "fairness"
    with (folder / "stereo_query.csv").open(newline="") as file:
        assert [row["question"] for row in csv.DictReader(file)] == [s.text for s in StereoQuery("stereo-query-text")]
