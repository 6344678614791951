"""Perturbed texts: what changes, what never does, and by how much."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmte.errors import MmteError
from mmte.methods.text import KEEP, PerturbedText
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

NAMES = PerturbedText.method_ids
QUESTION = "Which colour does the small wooden boat near the harbour have?"
FORM = "Look closely and reply with one word, [Red] or [Blue], and nothing else."


def changed(name: str, text: str, strength: float = 1.0, seed: str = "s1", **options: Any) -> str:
    return PerturbedText(name, strength=strength, **options).changed(text, seed)


def differing(one: str, other: str) -> int:
    """Words of the question that are not in the other text as they were."""
    return sum(word not in other.replace("?", "").split() for word in one.replace("?", "").split())


@pytest.mark.parametrize("name", NAMES)
def test_all_but_the_text_stays(name: str) -> None:
    about = {"target": 1, "extra": {"a": 2}, "id": "s1", "subset": "b", "cluster": "c", "group": "g"}
    for before in (TxtSample(QUESTION, **about), ImageTxtSample("a.png", QUESTION, **about)):
        after = PerturbedText(name, strength=1).run(before)
        assert type(after) is type(before)
        assert after.text != QUESTION
        assert {**after.to_dict(), "text": ""} == {**before.to_dict(), "text": ""}
        assert before.text == QUESTION


@pytest.mark.parametrize("name", NAMES)
def test_the_form_of_the_answer_is_left_alone(name: str) -> None:
    assert changed(name, FORM) == FORM
    whole = changed(name, f"{QUESTION}\n{FORM}")
    assert whole.endswith("\n" + FORM)
    assert not whole.startswith(QUESTION)
    assert changed(name, f"{QUESTION} Answer with yes or no.").endswith(" Answer with yes or no.")
    options = "A. a wooden boat\n(B) two wooden boats\n3) three"
    assert changed(name, f"{QUESTION}\n{options}").endswith("\n" + options)
    same = "no 12 345 a of <image> {name} [Yes] `code here` https://example.org/page jo@example.org"
    assert changed(name, same) == same


def test_keep_is_a_choice() -> None:
    assert changed("perturb-case", FORM, keep=[]) != FORM
    assert "[Red] or [Blue]" in changed("perturb-case", FORM, keep=[])
    assert changed("perturb-case", QUESTION, keep=["Harbour"]) == QUESTION
    assert changed("perturb-case", QUESTION, keep=["harbou"]) != QUESTION  # whole words
    assert "reply" in KEEP


@pytest.mark.parametrize("name", ["perturb-typos", "perturb-case", "perturb-emoji"])
def test_strength_is_the_part_of_the_words(name: str) -> None:
    text = " ".join(["boat"] * 40)
    counts = [sum(w == "boat" for w in changed(name, text, s / 10).split()) for s in range(0, 11)]
    if name == "perturb-emoji":
        assert [len(changed(name, text, s / 10).split()) - 40 for s in range(0, 11)] == [4 * s for s in range(11)]
    else:
        assert counts == [40 - 4 * s for s in range(11)]


@pytest.mark.parametrize("name", NAMES)
def test_a_weaker_change_is_part_of_a_stronger_one(name: str) -> None:
    texts = [changed(name, QUESTION, s / 10) for s in range(11)]
    counts = [differing(QUESTION, t) for t in texts]
    assert texts[0] == QUESTION
    assert len(set(texts)) > 4
    if name != "perturb-emoji":
        assert counts == sorted(counts)


@pytest.mark.parametrize("name", NAMES)
def test_samples_differ_and_runs_do_not(name: str) -> None:
    text = f"{QUESTION} {QUESTION}"
    assert changed(name, text, 0.5) == changed(name, text, 0.5)
    assert len({changed(name, text, 0.5, seed=str(n)) for n in range(5)}) == 5
    assert PerturbedText(name).run(TxtSample("Where?", id="")).text == changed(name, "Where?", 0.3, seed="Where?")


def test_every_process_makes_the_same_text() -> None:
    code = (
        "import sys; from mmte.methods.text import PerturbedText as P\n"
        "sys.stdout.reconfigure(encoding='utf-8')\n"
        "for n in P.method_ids: print(P(n, strength=0.7).changed(sys.argv[1], 's1'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, QUESTION], check=True, capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.stdout.splitlines() == [changed(name, QUESTION, 0.7) for name in NAMES]


def test_what_the_kinds_do() -> None:
    assert changed("perturb-case", QUESTION).casefold() == QUESTION.casefold()
    assert changed("perturb-spaces", QUESTION).replace(" ", "") == QUESTION.replace(" ", "")
    look = changed("perturb-homoglyphs", QUESTION)
    assert len(look) == len(QUESTION)
    assert not look.isascii()
    emoji = changed("perturb-emoji", QUESTION)
    assert "".join(c for c in emoji if c.isascii()).split() == QUESTION.replace("?", " ?").split()
    typos = changed("perturb-typos", QUESTION).split()
    for before, after in zip(QUESTION.split(), typos, strict=True):
        assert before[0] == after[0]
        assert abs(len(before) - len(after)) <= 1


@given(st.text(max_size=200), st.sampled_from(NAMES), st.floats(0, 1), st.text(max_size=5))
def test_any_text_can_be_changed(text: str, name: str, strength: float, seed: str) -> None:
    found = changed(name, text, strength, seed)
    assert len(text.splitlines()) == len(found.splitlines())
    if strength == 0:
        assert found == text


@pytest.mark.parametrize("name", NAMES)
def test_a_digest_covers_the_options(name: str) -> None:
    options: list[dict[str, Any]] = [{}, {"strength": 0.5}, {"keep": []}, {"keep": ["a"]}]
    assert len({PerturbedText(name, **o).digest() for o in options}) == len(options)
    assert PerturbedText(name, keep=["b", "A"]).digest() == PerturbedText(name, keep=["a", "b"]).digest()
    assert len({PerturbedText(n).digest() for n in NAMES}) == len(NAMES)
    assert name in registry.list_methods()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strength": 1.5}, "strength must be a number from 0 to 1, not 1.5"),
        ({"strength": True}, "strength must be"),
        ({"keep": "yes"}, "keep must be a list of words, not 'yes'"),
        ({"strenght": 1}, "unknown option 'strenght'. Did you mean 'strength'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MmteError, match=f"^method_cfg of perturb-typos: {message}"):
        PerturbedText("perturb-typos", **options)


def test_what_is_no_sample_of_one_text() -> None:
    for wrong in ("text", TxtSample(["a", "b"])):  # type: ignore[arg-type]
        with pytest.raises(MmteError, match="perturb-case takes a TxtSample or ImageTxtSample of one text"):
            PerturbedText("perturb-case").run(wrong)
