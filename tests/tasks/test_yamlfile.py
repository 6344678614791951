"""YAML with lines: plain data, no surprises of size, nesting or tags."""

from __future__ import annotations

import math
import string
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.tasks.yamlfile import MAX_DEPTH, load, parse

FILE = Path("task.yaml")
WORDS = st.text(string.ascii_letters + string.digits + " _-:#'\"{}[]\n", max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | WORDS
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4))


@given(DATA)
def test_what_was_dumped_is_read(data: Any) -> None:
    assert parse(yaml.safe_dump(data), FILE).data == data


@given(st.dictionaries(st.text(string.ascii_lowercase, min_size=1), st.integers(), min_size=1))
def test_each_key_has_its_line(data: dict[str, int]) -> None:
    text = "".join(f"# before {key}\n'{key}':\n  inner: {value}\n" for key, value in data.items())
    document = parse(text, FILE)
    for number, key in enumerate(data):
        assert document.lines[(key,)] == 3 * number + 2
        assert document.lines[(key, "inner")] == 3 * number + 3


def test_items_of_lists_have_lines() -> None:
    document = parse("a:\n- x\n- b: 1\n  c: 2\n", FILE)
    assert document.lines[("a", 1)] == 3
    assert document.lines[("a", 1, "c")] == 4
    assert str(document.error(("a", 1, "c", "deeper"), "wrong")) == "task.yaml:4: a.1.c.deeper: wrong"


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    file = tmp_path / "bom.yaml"
    file.write_bytes(b"\xef\xbb\xbf# mmte.task/1\naspect: privacy\n")
    document = load(file)
    assert (document.data, document.lines[("aspect",)]) == ({"aspect": "privacy"}, 2)


def test_dates_stay_texts_and_other_scalars_what_yaml_says() -> None:
    document = parse("a: 2024-01-31\nb: 2024-13-45\nc: =\nd: 1.5\ne: ~\nf: on\ng: .nan", FILE)
    assert {k: v for k, v in document.data.items() if k != "g"} == {
        "a": "2024-01-31", "b": "2024-13-45", "c": "=", "d": 1.5, "e": None, "f": True,
    }  # fmt: skip
    assert math.isnan(document.data["g"])


def test_merged_keys_may_be_overridden() -> None:
    text = "base: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo: {<<: *b}\nmany: [*b, *b]"
    data = parse(text, FILE).data
    assert data["one"] == {"x": 1, "y": 3}
    assert data["two"] == {"x": 1, "y": 2}
    data["many"][0]["x"] = 5  # what an alias names is not shared
    assert data["many"][1]["x"] == data["base"]["x"] == 1


BOMB = "\n".join(f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]" for a, b in zip("abcdef", "bcdefg", strict=True))
HOSTILE = {
    "alias of itself in a list": ("a: &x [*x]", "an alias that contains itself"),
    "alias of itself in a mapping": ("a: &x {b: *x}", "an alias that contains itself"),
    "deep lists": ("[" * 100_000, f"nested deeper than {MAX_DEPTH} levels"),
    "deep mappings": ("{a: " * 100_000, f"nested deeper than {MAX_DEPTH} levels"),
    "deep blocks": ("\n".join(" " * n + "a:" for n in range(100)), f"nested deeper than {MAX_DEPTH} levels"),
    "aliases of aliases": ("a: &a [x,x,x,x,x,x,x,x,x,x]\n" + BOMB, "more than 100000 values"),
    "python": ("a: !!python/object/apply:os.system ['true']", "the tag '!!python/object/apply:os.system' has no place"),
    "set": ("a: !!set {b}", "the tag '!!set' has no place"),
    "unknown tag": ("a: !mine b", "the tag '!mine' has no place"),
    "no number": ("a: !!int abc", "'abc' is no int"),
    "huge number": (f"a: {'9' * 5000}", "is no int"),
    "no bool": ("a: !!bool maybe", "'maybe' is no bool"),
    "bad merge": ("<<: 5", "expected a mapping"),
    "lone surrogate": ("a: \ud800", "no valid YAML"),
}


@pytest.mark.parametrize(("text", "expected"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused_in_one_line(text: str, expected: str) -> None:
    with pytest.raises(MmteError) as caught:
        parse(text, FILE)
    assert str(caught.value).startswith("task.yaml:")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_data_or_one_error(text: str) -> None:
    try:
        parse(text, FILE)
    except MmteError as error:
        assert str(error).startswith("task.yaml:")
        assert "\n" not in str(error)
