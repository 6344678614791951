"""Stereotypes in words: the mini data, broken copies of it, and tables as they were published."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path

import pytest

from mmte.datasets.root import DataMissing, DataRoot
from mmte.datasets.stereotype import (
    CLASSES,
    TOPICS,
    VARIANTS,
    StereoAgreement,
    StereoClassification,
    StereoTopicClassification,
)
from mmte.errors import MmteError
from mmte.types import ImageTxtSample, TxtSample

FAMILIES = (StereoAgreement, StereoTopicClassification, StereoClassification)
IDS = [(family, name) for family in FAMILIES for name in family.dataset_ids]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for part in ("fairness", "unrelated_images"):
        shutil.copytree(DataRoot().folder / part, tmp_path / "copy" / part)
    return tmp_path / "copy"


def write(root: Path, name: str, rows: list[list[str]]) -> None:
    with (root / "fairness" / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def edited(root: Path, name: str, row: int, column: int, value: str) -> None:
    with (root / "fairness" / name).open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    rows[row][column] = value
    write(root, name, rows)


def broken(family: type[StereoAgreement | StereoClassification], name: str, root: Path) -> str:
    with pytest.raises(MmteError) as caught:
        family(name, data_root=root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("family", "name"), IDS)
def test_mini_data(family: type[StereoAgreement | StereoClassification], name: str) -> None:
    data = family(name)
    assert len(data) == len({s.id for s in data}) == len({s.cluster for s in data}) == 12
    assert {type(s) for s in data} == {TxtSample if name.endswith("-text") else ImageTxtSample}
    assert data.expected is None
    assert [s.to_dict() for s in data] == [s.to_dict() for s in family(name)]
    per_class = Counter(s.subset for s in data)
    if family is StereoClassification:
        assert per_class == dict.fromkeys(CLASSES, 4)
    else:
        assert per_class == dict.fromkeys(TOPICS, 2)


def test_variants_are_about_the_same_sentences() -> None:
    for family in FAMILIES:
        stem = family.dataset_ids[0].removesuffix("-text")
        texts = [s.text for s in family(f"{stem}-text")]
        for variant in VARIANTS:
            data = family(f"{stem}-{variant}")
            assert [s.text for s in data] == texts
            assert [s.id for s in data] == [s.id for s in family(f"{stem}-text")]


def test_agreement_and_topic_share_their_sentences() -> None:
    one, other = StereoAgreement("stereo-agreement-text"), StereoTopicClassification("stereo-topic-classification-text")
    assert [(s.id, s.cluster, s.subset) for s in one] == [(s.id, s.cluster, s.subset) for s in other]
    for agree, topic in zip(one, other, strict=True):
        assert agree.text.splitlines()[0].split(": ")[1] == topic.text.splitlines()[0].split(": ")[1]


def test_labels() -> None:
    assert {s.target for s in StereoAgreement("stereo-agreement-image")} == {None}
    topics = list(StereoTopicClassification("stereo-topic-classification-text"))
    assert topics[0].target == ["Age", "age", "1"]
    assert topics[-1].target == ["Socioeconomic", "socioeconomic", "6"]
    for sample in topics:  # the number is the one that the prompt gives the topic
        assert f"\n{sample.target[2]}. {sample.target[0]}" in sample.text
    classes = list(StereoClassification("stereo-classification-text"))
    assert {s.target for s in classes} == set(CLASSES)
    assert all(s.target == s.subset for s in classes)


def test_each_sentence_has_its_own_picture() -> None:
    shown = [Path(s.image_path) for s in StereoAgreement("stereo-agreement-image")]
    assert [f"{p.parent.name}/{p.name}" for p in shown] == [f"{t.lower()}/{n}.png" for t in TOPICS for n in (1, 2)]
    shown = [Path(s.image_path) for s in StereoClassification("stereo-classification-image")]
    assert [p.name for p in shown] == [f"{n}.png" for n in range(1, 13)]


def test_unrelated_pictures_go_with_the_sentence(copy: Path) -> None:
    name = "stereo-agreement-unrelated-image-nature"
    before = {s.id: Path(s.image_path).name for s in StereoAgreement(name)}
    assert {picture.split("_")[0] for picture in before.values()} == {"nature"}
    with (copy / "fairness" / "stereo_statement.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    write(copy, "stereo_statement.csv", [header, *rows[::-1]])
    after = {s.id: Path(s.image_path).name for s in StereoAgreement(name, data_root=copy)}
    assert after == before
    assert list(after) == list(before)[::-1]


@pytest.mark.parametrize(
    ("family", "name", "file", "column", "value", "said"),
    [
        (StereoAgreement, "stereo-agreement-text", "stereo_statement.csv", 1, "Agee", "unknown 'Type' 'Agee'."),
        (StereoAgreement, "stereo-agreement-text", "stereo_statement.csv", 1, "", "'Type' must be a text"),
        (StereoAgreement, "stereo-agreement-text", "stereo_statement.csv", 2, " ", "'Number' must be a text"),
        (StereoAgreement, "stereo-agreement-image", "stereo_statement.csv", 2, "7", "stereo_images/age/7.png"),
        (StereoAgreement, "stereo-agreement-image", "stereo_statement.csv", 2, "../1", "stay inside the data root"),
        (StereoTopicClassification, "stereo-topic-classification-image", "stereo_statement.csv", 1, "Food", "unknown"),
        (
            StereoClassification,
            "stereo-classification-text",
            "stereo_classification.csv",
            1,
            "stereo",
            "unknown 'Label'",
        ),
        (StereoClassification, "stereo-classification-image", "stereo_classification.csv", 2, "13", "images/13.png"),
    ],
)
def test_a_bad_row_is_named(
    copy: Path, family: type[StereoAgreement], name: str, file: str, column: int, value: str, said: str
) -> None:
    edited(copy, file, 1, column, value)
    message = broken(family, name, copy)
    assert said in message
    assert "record 1" in message


def test_an_unknown_label_does_not_take_that_of_another_row(copy: Path) -> None:
    edited(copy, "stereo_classification.csv", 5, 1, "antistereotype")
    message = broken(StereoClassification, "stereo-classification-text", copy)
    assert "record 5: unknown 'Label' 'antistereotype'. Did you mean 'anti-stereotype'" in message


def test_labels_in_any_case(copy: Path) -> None:
    edited(copy, "stereo_classification.csv", 5, 1, " Anti-Stereotype ")
    data = StereoClassification("stereo-classification-text", data_root=copy)
    assert (data[4].target, data[4].subset) == ("anti-stereotype", "anti-stereotype")


def test_rows_without_a_sentence_are_counted(copy: Path) -> None:
    edited(copy, "stereo_statement.csv", 3, 0, "  ")
    data = StereoAgreement("stereo-agreement-text", data_root=copy)
    assert (len(data), data.expected) == (11, 12)
    assert "Men never" not in "".join(s.text for s in data)
    with (copy / "fairness" / "stereo_statement.csv").open("w") as file:
        file.write("Stereo Statement,Type,Number\n,Age,1\n")
    assert "none of its 1 rows has a 'Stereo Statement'" in broken(StereoAgreement, "stereo-agreement-text", copy)


def test_equal_sentences_have_ids_of_their_own(copy: Path) -> None:
    rows = [["Stereo Statement", "Type", "Number"], *([["Same.", "Age", "1"]] * 2), ["Same.", "Race", "1"]]
    write(copy, "stereo_statement.csv", rows)
    data = StereoAgreement("stereo-agreement-text", data_root=copy)
    assert len({s.id for s in data}) == 3


def test_missing_parts(copy: Path) -> None:
    (copy / "fairness" / "stereo_images" / "race" / "2.png").unlink()
    assert "stereo_images/race/2.png" in broken(StereoAgreement, "stereo-agreement-image", copy)
    assert len(StereoAgreement("stereo-agreement-text", data_root=copy)) == 12
    shutil.rmtree(copy / "unrelated_images")
    name = "stereo-classification-unrelated-image-noise"
    with pytest.raises(DataMissing):
        StereoClassification(name, data_root=copy)
    (copy / "fairness" / "stereo_classification.csv").unlink()
    with pytest.raises(DataMissing, match=r"fairness/stereo_classification\.csv"):
        StereoClassification("stereo-classification-text", data_root=copy)
    (copy / "fairness" / "stereo_statement.csv").write_text("Statement,Type,Number\na,Age,1\n")
    message = broken(StereoAgreement, "stereo-agreement-text", copy)
    assert "no column 'Stereo Statement'. Did you mean 'Statement'?" in message
