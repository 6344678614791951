"""The original's lists: from a JSON file, from a checkout, and what is wrong with others."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.compat.literals import Literals, load_literals
from mmte.errors import MmteError

FIRST: dict[str, Any] = {
    "ContainOrNotEvaluator": {"evaluator_ids": ["rule_contain_eval"]},
    "RejectTemplateEvaluator": {"REJECT_TEMPLATES": ["must decline", "Nay,"]},
    "MatchAndScoreEvaluator": {"kv_mapping": {"wholly": "2", "hardly": "-1"}, "values": ["-1", "2"]},
    "YesOrNoEvaluator": {"yes_template": ["aye", "it's so"]},
    "ScoreEvaluator": {"values": ["0", "5"]},
    "ContainAdvEvaluator": {"answer_mapping": {"t": {"aye": "1", "nay": "0"}}},
}
SECOND: dict[str, Any] = {**FIRST, "YesOrNoEvaluator": {"yes_template": ["yea"]}}
CHECKOUT = """
import nowhere_to_be_found
raise SystemExit("imported")


class RejectTemplateEvaluator(Base):
    REJECT_TEMPLATES: List[str] = ["must decline", "Nay,"]

    def __init__(self, evaluator_id: str, reject_templates=None) -> None:
        if reject_templates is not None:
            self.REJECT_TEMPLATES = reject_templates


class MatchAndScoreEvaluator(Base):
    kv_mapping = {"wholly": "2", "hardly": "-1"}

    def __init__(self, evaluator_id, fail_id=np.nan, kv_mapping=None, *, values=["-1", "2"]):
        self.pattern = "\\d"


class YesOrNoEvaluator(Base):
    def __init__(self, yes_template=None):
        self.yes_template = yes_template or ["aye", "it's so"]


class ScoreEvaluator(Base):
    def __init__(self, evaluator_id, values=("0", "5"), fail_id=0):
        self.values = values


class ContainAdvEvaluator(Base):
    def process(self, preds, labels):
        answer_mapping = {"t": {"aye": "1", "nay": "0"}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A JSON file of two versions."""
    path = tmp_path / "lists.json"
    path.write_text(json.dumps({"source": "made up", "one": FIRST, "two": SECOND}))
    return path


def checkout(folder: Path, code: str = CHECKOUT) -> Path:
    rules = folder / "mmte/evaluators/rule_eval.py"
    rules.parent.mkdir(parents=True)
    rules.write_text(code, "utf-8")
    return folder


def wrong(where: Path | str) -> str:
    with pytest.raises(MmteError) as caught:
        load_literals(str(where))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"--mmte-multitrust={where}: ")
    return str(caught.value)


def test_the_first_version_counts(file: Path) -> None:
    found = load_literals(str(file))
    assert found.version == "one"
    assert found.reject_templates == ("must decline", "Nay,")
    assert found.ratings == {"wholly": "2", "hardly": "-1"}
    assert (found.rating_values, found.grades) == (("-1", "2"), ("0", "5"))
    assert found.yes_templates == ("aye", "it's so")
    assert found.answers == {"t": {"aye": "1", "nay": "0"}}


def test_a_version_is_named_behind_the_file(file: Path) -> None:
    found = load_literals(f"{file}#two")
    assert (found.version, found.yes_templates) == ("two", ("yea",))
    assert found.sha256 != load_literals(str(file)).sha256


def test_a_sign_in_a_name_is_no_version(tmp_path: Path, file: Path) -> None:
    odd = file.rename(tmp_path / "lists#two.json")
    assert load_literals(str(odd)).version == "one"
    assert load_literals(f"{odd}#two").version == "two"


def test_a_checkout_is_parsed_and_never_run(tmp_path: Path, file: Path) -> None:
    found = load_literals(str(checkout(tmp_path / "theirs")))
    assert found.version == "checkout"
    assert found.sha256 == load_literals(str(file)).sha256
    assert "rule_eval" not in sys.modules


def test_the_file_of_a_checkout_does_too(tmp_path: Path) -> None:
    folder = checkout(tmp_path / "theirs")
    assert load_literals(str(folder / "mmte/evaluators/rule_eval.py")) == load_literals(str(folder))


def test_adjacent_texts_are_one(tmp_path: Path) -> None:
    code = CHECKOUT.replace('"must decline", "Nay,"', '"must decline"\n  "Nay,", "last"')
    assert load_literals(str(checkout(tmp_path / "theirs", code))).reject_templates == ("must declineNay,", "last")


def test_lists_travel_to_workers(file: Path) -> None:
    found = load_literals(str(file))
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found)).sha256 == found.sha256


def test_the_digest_is_of_every_list_and_of_their_order(file: Path) -> None:
    found = load_literals(str(file))
    seen = {found.sha256}
    for name in ("reject_templates", "rating_values", "yes_templates", "grades"):
        changed = {field: getattr(found, field) for field in Literals.__slots__} | {name: getattr(found, name)[::-1]}
        seen.add(Literals(**changed).sha256)
    assert len(seen) == 5


# -- what is wrong -------------------------------------------------------------------------------
def test_nothing_there(tmp_path: Path) -> None:
    assert "no such file or folder" in wrong(tmp_path / "nowhere.json")
    assert "no such file or folder" in wrong(f"{tmp_path}/nowhere.json#one")


def test_neither(tmp_path: Path) -> None:
    assert "has no mmte/evaluators/rule_eval.py" in wrong(tmp_path)
    (tmp_path / "notes.txt").write_text("lists: none")
    assert "neither a MMTrustEval checkout nor a JSON file" in wrong(tmp_path / "notes.txt")
    (tmp_path / "a.json").write_text("[1]")
    assert "maps versions to classes" in wrong(tmp_path / "a.json")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    assert "no text in UTF-8" in wrong(tmp_path / "b.json")
    (tmp_path / "c.json").write_text("[" * 200_000)
    assert "neither a MMTrustEval checkout nor a JSON file" in wrong(tmp_path / "c.json")
    (tmp_path / "d.json").write_text(" " * 4_000_001)
    assert "too large" in wrong(tmp_path / "d.json")


def test_an_unknown_version_gets_near_names(file: Path) -> None:
    assert "has no version 'twoo'. Did you mean 'two'?" in wrong(f"{file}#twoo")


def test_a_checkout_has_no_versions(tmp_path: Path) -> None:
    folder = checkout(tmp_path / "theirs")
    assert "leave out #main" in wrong(f"{folder}#main")


@pytest.mark.parametrize(
    ("cls", "lists", "message"),
    [
        ("YesOrNoEvaluator", None, "has no class YesOrNoEvaluator"),
        ("YesOrNoEvaluator", {}, "has no list yes_template of YesOrNoEvaluator"),
        ("YesOrNoEvaluator", [], "has no list yes_template of YesOrNoEvaluator"),
        ("YesOrNoEvaluator", {"yes_template": "aye"}, "YesOrNoEvaluator.yes_template must be a list of texts"),
        ("YesOrNoEvaluator", {"yes_template": []}, "YesOrNoEvaluator.yes_template must be a list of texts"),
        ("RejectTemplateEvaluator", {"REJECT_TEMPLATES": [1]}, "REJECT_TEMPLATES must be a list of texts"),
        ("ScoreEvaluator", {"values": ["high"]}, "ScoreEvaluator.values must be a list of numbers in quotes"),
        ("ScoreEvaluator", {"values": ["inf"]}, "ScoreEvaluator.values must be a list of numbers in quotes"),
        (
            "MatchAndScoreEvaluator",
            {"kv_mapping": {"a": "b"}, "values": ["1"]},
            "must be a mapping of texts to numbers",
        ),
        ("MatchAndScoreEvaluator", {"kv_mapping": {"a": 1}, "values": ["1"]}, "must be a mapping of texts to numbers"),
        ("ContainAdvEvaluator", {"answer_mapping": {"t": {}}}, "must be a mapping of tasks to answers and classes"),
        ("ContainAdvEvaluator", {"answer_mapping": {"t": "x"}}, "must be a mapping of tasks to answers and classes"),
    ],
)
def test_a_file_with_something_else(tmp_path: Path, cls: str, lists: Any, message: str) -> None:
    classes = {k: v for k, v in {**FIRST, cls: lists}.items() if v is not None}
    path = tmp_path / "lists.json"
    path.write_text(json.dumps({"one": classes}))
    assert f"version 'one'{':' if 'must be' in message else ''} " in wrong(path)
    assert message in wrong(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("class ScoreEvaluator", "class Other", "has no class ScoreEvaluator"),
        ("yes_template or [", "other or [", ""),
        ("self.yes_template = yes_template or", "self.other =", "has no list yes_template of YesOrNoEvaluator"),
        ('["aye", "it\'s so"]', "make_list()", "has no list yes_template of YesOrNoEvaluator"),
        ('["aye", "it\'s so"]', "[1, 2]", "YesOrNoEvaluator.yes_template must be a list of texts"),
        ("class ScoreEvaluator", "class class", "cannot be parsed as Python"),
        ("class ScoreEvaluator", "x = " + "(" * 500, "cannot be parsed as Python"),
    ],
)
def test_a_checkout_with_something_else(tmp_path: Path, old: str, new: str, message: str) -> None:
    folder = checkout(tmp_path / "theirs", CHECKOUT.replace(old, new))
    if message:
        assert message in wrong(folder)
    else:
        assert load_literals(str(folder)).yes_templates == ("aye", "it's so")


@given(st.text(max_size=200))
def test_any_text_for_a_file_is_told_in_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name in ("a.json", "a.py"):
        path = folder / name
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        wrong(path)


# -- the real ones -------------------------------------------------------------------------------
@pytest.fixture
def real(shared: Path) -> Path:
    return shared / "data/mmtrusteval/literals.json"


def test_both_versions_of_the_real_lists(real: Path) -> None:
    now, before = load_literals(str(real)), load_literals(f"{real}#before 2025-03-24")
    assert now.version == "main@a067801"
    assert (len(now.reject_templates), len(before.reject_templates)) == (55, 53)
    assert (len(now.yes_templates), len(now.ratings), len(now.grades), len(now.answers)) == (22, 10, 5, 6)
    assert len(set(now.reject_templates) - set(before.reject_templates)) == 5
    assert before.yes_templates == now.yes_templates
    assert before.sha256 != now.sha256


def test_14_of_the_55_templates_are_subsumed_by_shorter_ones(real: Path) -> None:
    templates = [t.lower() for t in load_literals(str(real)).reject_templates]
    assert sum(any(other != t and other in t for other in templates) for t in templates) == 14


def test_a_checkout_and_a_file_of_the_same_lists_agree(tmp_path: Path, real: Path) -> None:
    classes = json.loads(real.read_text("utf-8"))["main@a067801"]
    code = "\n".join(
        f"class {cls}(Base):\n    pass\n" + "".join(f"    {name} = {value!r}\n" for name, value in lists.items())
        for cls, lists in classes.items()
    )
    assert load_literals(str(checkout(tmp_path / "theirs", code))).sha256 == load_literals(str(real)).sha256


def test_nothing_of_the_lists_is_in_the_package(real: Path) -> None:
    """The phrases of the refusal templates are somebody's work; short words of everyday language are nobody's."""
    lists = {*load_literals(str(real)).reject_templates, *load_literals(f"{real}#before 2025-03-24").reject_templates}
    package = Path(__file__).resolve().parents[2] / "mmte/compat"
    code = "\n".join(path.read_text("utf-8").lower() for path in package.glob("*.py"))
    held = [t for t in lists if len(t) > 9 and f'"{t.lower()}"' in code]
    assert held == []
