"""Professions: attributes that never slip to another row, in the mini data and in broken copies of it."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.datasets.profession import ATTRIBUTES, ProfessionPred
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError

COLUMNS = [column for columns in ATTRIBUTES.values() for column in columns]
PLAIN, DESCRIBED = ProfessionPred.dataset_ids


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    shutil.copytree(DataRoot().folder / "fairness", tmp_path / "copy" / "fairness")
    return tmp_path / "copy"


def write(root: Path, rows: list[dict[str, str]]) -> None:
    folder = root / "fairness" / "profession_images"
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        (folder / row["filename"]).touch()
    with (root / "fairness" / "profess_prediction.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["filename", "class1", *COLUMNS])
        writer.writeheader()
        writer.writerows(rows)


def row(name: str, *flags: str, job: str = "gardener") -> dict[str, str]:
    return {"filename": name, "class1": job, **{c: "1" if c in flags else "0" for c in COLUMNS}}


@pytest.mark.parametrize("name", ProfessionPred.dataset_ids)
def test_mini_data(name: str) -> None:
    data = ProfessionPred(name)
    assert len(data) == len({s.id for s in data}) == len({s.cluster for s in data}) == 26
    assert {s.target for s in data} == {None}
    assert Counter(s.extra["gender"] for s in data) == {"male": 12, "female": 12, None: 2}
    assert Counter(s.extra["age"] for s in data) == {"older": 8, "middle": 9, "young": 8, None: 1}
    assert Counter(s.extra["skintone"] for s in data) == {"light": 8, "medium": 9, "dark": 8, None: 1}
    assert all(s.extra["profession"] in s.text for s in data)
    assert not [s for s in data if s.subset]  # 52 professions of the published table would fill every report


def test_both_variants_show_the_same_people() -> None:
    plain, told = ProfessionPred(PLAIN), ProfessionPred(DESCRIBED)
    assert [(s.id, s.image_path, s.extra) for s in plain] == [(s.id, s.image_path, s.extra) for s in told]
    assert "who is male, is older and has light skin." in told[0].text
    assert not any("who" in s.text for s in plain)


def test_only_what_is_known_is_told() -> None:
    told = {Path(s.image_path).stem: s.text.split(". ")[0] for s in ProfessionPred(DESCRIBED)}
    assert told["person_25"] == "Look at the person in this picture"
    assert told["person_26"] == "Look at the person in this picture, who is middle-aged and has medium skin"


def test_a_row_with_no_or_two_flags_does_not_shift_the_others(tmp_path: Path) -> None:
    fem, masc = "gender_presentation_fem", "gender_presentation_masc"
    old, young, light, dark = "age_presentation_older", "age_presentation_young", "skin_tone_1_3", "skin_tone_7_10"
    write(
        tmp_path,
        [row("a.png", masc, old, light), row("b.png", old, dark), row("c.png", masc, fem, young, dark),
         row("d.png", fem, young, light, dark), row("e.png", fem, old, dark)],
    )  # fmt: skip
    got = [(s.extra["gender"], s.extra["age"], s.extra["skintone"]) for s in ProfessionPred(PLAIN, data_root=tmp_path)]
    assert got == [
        ("male", "older", "light"),
        (None, "older", "dark"),
        (None, "young", "dark"),
        ("female", "young", None),
        ("female", "older", "dark"),
    ]


@given(st.lists(st.sets(st.sampled_from(COLUMNS)), min_size=1, max_size=8))
def test_attributes_are_those_of_the_row(tmp_path_factory: pytest.TempPathFactory, flags: list[set[str]]) -> None:
    root = tmp_path_factory.mktemp("people")
    write(root, [row(f"{n}.png", *some) for n, some in enumerate(flags)])
    data = ProfessionPred(DESCRIBED, data_root=root)
    assert [Path(s.image_path).name for s in data] == [f"{n}.png" for n in range(len(flags))]
    for sample, some in zip(data, flags, strict=True):
        for name, columns in ATTRIBUTES.items():
            flagged = [value for column, value in columns.items() if column in some]
            assert sample.extra[name] == (flagged[0] if len(flagged) == 1 else None)


def test_two_people_in_one_picture_share_a_cluster(tmp_path: Path) -> None:
    write(tmp_path, [row("a.png", job="cook"), row("a.png", job="ballet_dancer"), row("b.png", job="cook")])
    data = ProfessionPred(PLAIN, data_root=tmp_path)
    assert len({s.id for s in data}) == 3
    assert len({s.cluster for s in data}) == 2
    assert data[1].extra["profession"] == "ballet dancer"


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("skin_tone_4_6", "yes", "'skin_tone_4_6' is 'yes', which is neither 0 nor 1"),
        ("age_presentation_young", "2", "'age_presentation_young' is '2'"),
        ("class1", " ", "'class1' must be a text"),
        ("filename", "", "'filename' must be a text"),
        ("filename", "gone.png", "profession_images/gone.png"),
    ],
)
def test_a_bad_row_is_named(copy: Path, column: str, value: str, said: str) -> None:
    path = copy / "fairness" / "profess_prediction.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rows[4][column] = value
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(MmteError) as caught:
        ProfessionPred(PLAIN, data_root=copy)
    assert not isinstance(caught.value, DataMissing)
    assert "record 5" in str(caught.value)
    assert said in str(caught.value)


def test_a_missing_column_and_a_missing_table(copy: Path) -> None:
    path = copy / "fairness" / "profess_prediction.csv"
    path.write_text(path.read_text().replace("skin_tone_1_3", "skin_tone_1"))
    with pytest.raises(MmteError, match="no column 'skin_tone_1_3'. Did you mean 'skin_tone_1'"):
        ProfessionPred(PLAIN, data_root=copy)
    path.unlink()
    with pytest.raises(DataMissing, match=r"fairness/profess_prediction\.csv"):
        ProfessionPred(PLAIN, data_root=copy)
