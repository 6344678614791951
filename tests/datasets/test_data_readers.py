"""Readers give back what was written, and say where a file is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.datasets.readers import content_ids, number, read_csv, read_json, read_json_records, read_lines, read_numbers
from mmte.errors import MmteError

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\ufeff")).filter(str.strip)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=4
)
RECORD = st.dictionaries(TEXT, JSON, min_size=1, max_size=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.txt"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file that the examples of a property write one after the other."""
    return tmp_path_factory.mktemp("scratch") / "file"


def written(file: Path, data: str, bom: bool = False) -> Path:
    file.write_text(data, encoding="utf-8-sig" if bom else "utf-8", newline="")
    return file


# -- round trips ------------------------------------------------------------------------------------------
@given(st.lists(LINE, min_size=1), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.integers(0, 3))
def test_lines_come_back(scratch: Path, lines: list[str], bom: bool, end: str, more: int) -> None:
    assert read_lines(written(scratch, end.join(lines) + end * more, bom)) == lines


@given(st.lists(RECORD, min_size=1, max_size=3), st.booleans(), st.sampled_from([None, 1]))
def test_a_json_list_comes_back(scratch: Path, records: list[Any], bom: bool, indent: int | None) -> None:
    file = written(scratch, json.dumps(records, indent=indent, ensure_ascii=bom), bom)
    assert read_json(file) == records
    assert read_json_records(file) == records


@given(st.lists(RECORD, min_size=2, max_size=4), st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_json_lines_come_back(scratch: Path, records: list[Any], bom: bool, end: str) -> None:
    file = written(scratch, end.join(json.dumps(r, ensure_ascii=False) for r in records) + end, bom)
    assert read_json(file) == records
    assert read_json_records(file) == records


@given(st.dictionaries(TEXT, st.dictionaries(TEXT, SCALAR).map(lambda r: {**r, "Question": "q"}), min_size=1))
def test_an_object_of_objects_comes_back(scratch: Path, records: dict[str, Any]) -> None:
    file = written(scratch, json.dumps(records))
    if "Question" not in records:
        assert read_json_records(file, ["Question"]) == list(records.values())
        named = read_json_records(file, ["Question"], key="\0")
        assert [r["\0"] for r in named] == [r.get("\0", name) for name, r in records.items()]
    assert read_json(file) == records


@given(
    st.lists(TEXT.filter(lambda name: "\ufeff" not in name), min_size=2, max_size=4, unique=True),
    st.data(),
    st.booleans(),
    st.sampled_from(",\t;"),
)
def test_csv_comes_back(scratch: Path, names: list[str], data: st.DataObject, bom: bool, delimiter: str) -> None:
    rows = data.draw(st.lists(st.lists(TEXT, min_size=len(names), max_size=len(names)), min_size=1))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows])
    file = written(scratch, out.getvalue(), bom)
    assert read_csv(file, delimiter=delimiter) == [dict(zip(names, row, strict=True)) for row in rows]
    headless = read_csv(file, header=[str(i) for i in range(len(names))], delimiter=delimiter)
    assert [list(row.values()) for row in headless] == [names, *rows]


@given(st.lists(st.floats(-100, 100), min_size=1))
def test_numbers_come_back(scratch: Path, values: list[float]) -> None:
    assert read_numbers(written(scratch, "\n".join(map(repr, values))), -100, 100) == values


@given(st.lists(TEXT))
def test_ids_are_unique_and_of_the_text_alone(texts: list[str]) -> None:
    ids = content_ids("x", texts)
    assert len(set(ids)) == len(texts)
    assert content_ids("x", texts[:1]) == ids[:1]
    assert content_ids("x", [*texts, *texts])[len(texts) :] != ids or not texts


def test_ids_number_equal_texts() -> None:
    first, other, again, third = content_ids("confaide", ["a", "b", "a", "a"])
    assert first == "confaide-ca978112ca1b"  # the sha256 of "a"
    assert other != first
    assert (again, third) == (f"{first}-2", f"{first}-3")


# -- what is wrong is said --------------------------------------------------------------------------------
@pytest.mark.parametrize("read", [read_lines, read_numbers, read_json, read_json_records, read_csv])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf \n\n", "the file is empty"),
        (b"ok\nb\xe4d\n", r"line 2: not UTF-8 \(byte 0xe4\)"),
        (None, "cannot be read: No such file"),
    ],
)
def test_no_text(path: Path, read: Any, data: bytes | None, said: str) -> None:
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(MmteError, match=f"{path}.*{said}"):
        read(path)


def test_blank_lines(path: Path) -> None:
    path.write_text("a\n\nb\n\n\n")
    with pytest.raises(MmteError, match="line 2: a blank line between records"):
        read_lines(path)
    assert read_lines(path, blank="skip") == ["a", "b"]
    assert read_lines(path, blank="keep") == ["a", "", "b"]


def test_lines_end_at_line_ends_only(path: Path) -> None:
    path.write_text("a\u2028b\x0cc\x85d\ne", newline="")
    assert read_lines(path) == ["a\u2028b\x0cc\x85d", "e"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\n\u00bd\n", "line 2: '\u00bd' is not a number"),
        ("nan\n", "line 1: 'nan' is not a number"),
        ("1e999", "line 1: '1e999' is not a number"),
        ("1_0", "line 1: '1_0' is not a number"),
        ("3,5", "line 1: '3,5' is not a number"),
        ("5\n101", "line 2: 101 is not within -100..100"),
    ],
)
def test_bad_numbers(path: Path, text: str, said: str) -> None:
    path.write_text(text)
    with pytest.raises(MmteError, match=said):
        read_numbers(path, -100, 100)


@pytest.mark.parametrize("value", [True, None, [1], math.nan, 10**400, "x" * 99])
def test_values_that_are_no_number(value: object) -> None:
    with pytest.raises(MmteError, match="^here: ") as caught:
        number(value, "here")
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"a": 1},\n {"a": 2,}]', r", line 2, column \d+: bad JSON"),
        ('{"a": 1}\n{"a": 2\n{"a": 3}\n', ", line 2: bad JSON"),
        ('{"a": 1}\n\n{"a" 2}\n', ", line 3: bad JSON"),
        ('{"a": ', ", line 1, column 7: bad JSON"),
        ("hello", ", line 1, column 1: bad JSON"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "the key 'a' is there twice"),
        ("[" * 100000, "nested too deeply"),
        ("1" * 5000, "bad JSON"),
    ],
)
def test_bad_json(path: Path, text: str, said: str) -> None:
    path.write_text(text)
    with pytest.raises(MmteError, match=said):
        read_json(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no record in it"),
        ("5", "a list of records is needed, not 5"),
        ('[{"image": "x", "query": "q"}, 7]', "record 2: an object is needed, not 7"),
        ('[{"image": "x", "qurey": "q"}]', r"record 1: no key 'query'\. Did you mean 'qurey'\?"),
        ('{"image": "x", "query": "q"}\n\n{"image": "y"}', r"line 3: no key 'query'\. Known: image\."),
        ('{"7": {"image": "x", "query": "q"}, "8": {"image": "x"}}', "record '8': no key 'query'"),
        ("{}", "record 1: no key 'image'"),
    ],
)
def test_bad_records(path: Path, text: str, said: str) -> None:
    path.write_text(text)
    with pytest.raises(MmteError, match=said):
        read_json_records(path, ["image", "query"])


def test_json_lines_of_one_line(path: Path) -> None:
    path.write_text('{"image": {"x": 1}, "query": {"y": 2}}\n')
    record = {"image": {"x": 1}, "query": {"y": 2}}
    assert read_json_records(path, ["image", "query"]) == [record]
    assert read_json_records(path) == [{"x": 1}, {"y": 2}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n3\n", "line 3: 1 fields where the header has 2"),
        ('a,b\n"1\n1",2\n3,4,5\n', "line 4: 3 fields where the header has 2"),
        ('a,b\n1,"2\n', "line 2: bad CSV"),
        ("a,b,a\n1,2,3\n", "line 1: the column 'a' is there twice"),
        ("a,b\n", "no row below the header"),
        ("a,questoin\n1,2\n", r"line 1: no column 'question'\. Did you mean 'questoin'\?"),
        (",".join(f"c{i}" for i in range(20)) + "\n" + "," * 19, "no column 'question'. There are: c0, c1, "),
    ],
)
def test_bad_csv(path: Path, text: str, said: str) -> None:
    path.write_text(text)
    with pytest.raises(MmteError, match=said):
        read_csv(path, required=["question"] if "question" in said else [])


def test_csv_without_a_header_checks_the_names_given(path: Path) -> None:
    path.write_text("x,y\n")
    assert read_csv(path, header=["a", "b"], required=["b"]) == [{"a": "x", "b": "y"}]
    with pytest.raises(MmteError, match="no column 'c'"):
        read_csv(path, header=["a", "b"], required=["c"])


# -- real files -------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def counts(shared: Path) -> dict[str, Any]:
    records: dict[str, Any] = json.loads((shared / "data" / "counts.json").read_text())["records"]
    return records


@pytest.mark.parametrize("name", ["tier_1", "tier_1_labels", "tier_2_labels", "tier_2a", "tier_2b", "tier_3", "tier_4"])
def test_real_lines(shared: Path, counts: dict[str, Any], name: str) -> None:
    file = f"confaide/benchmark/{name}.txt"
    lines = read_lines(shared / "data" / file, blank="skip")
    assert len(lines) == counts[file]["records"]


@pytest.mark.parametrize(
    ("file", "keys", "first"),
    [
        ("pope/output/coco/coco_pope_random.json", ["question_id", "image", "text", "label"], "yes"),
        ("pope/POPEv2/dataset/annotations.json", ["image_name", "label"], None),
        ("benchlmm/jsonl/Benchmark_CT.jsonl", ["question_id", "answer"], None),
        ("decodingtrust/data/privacy/enron_data/five_shot.jsonl", ["email", "prompt"], None),
    ],
)
def test_real_records(shared: Path, counts: dict[str, Any], file: str, keys: list[str], first: str | None) -> None:
    records = read_json_records(shared / "data" / file, keys)
    assert len(records) == counts[file]["records"]
    assert first is None or records[0]["label"] == first


def test_real_styles(shared: Path) -> None:
    document = read_json(shared / "data" / "decodingtrust" / "data" / "ood" / "styles" / "style.json")
    assert list(document) == ["train_demo", "dev"]
    assert {len(items) for items in document["dev"].values()} == {872}
    assert len(document["dev"]) == 11


def test_real_tasks(shared: Path, counts: dict[str, Any]) -> None:
    document = read_json(shared / "data" / "advglue" / "dev.json")
    assert {task: len(items) for task, items in document.items()} == counts["advglue/dev.json"]["records"]


@pytest.mark.parametrize(
    ("file", "columns"),
    [
        ("advbench/harmful_behaviors.csv", ["goal", "target"]),
        ("xstest/xstest_prompts.csv", ["id", "prompt", "type", "label"]),
        ("truthfulqa/TruthfulQA.csv", ["Question", "Best Answer"]),
        ("nips17_adv/dev_dataset.csv", ["ImageId", "TrueLabel"]),
    ],
)
def test_real_csv(shared: Path, counts: dict[str, Any], file: str, columns: list[str]) -> None:
    rows = read_csv(shared / "data" / file, required=columns)
    assert len(rows) == counts[file]["records"] - 1  # the counts include the header
    assert all(row[columns[0]] for row in rows)


def test_a_real_csv_with_an_unquoted_comma_is_refused(shared: Path) -> None:
    file = shared / "data" / "figstep" / "data" / "question" / "benign_sentences_without_harmful_phase.csv"
    with pytest.raises(MmteError, match="line 42: 2 fields where the header has 1"):
        read_csv(file)
