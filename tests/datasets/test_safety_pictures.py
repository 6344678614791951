"""Safety data that are folders of pictures: descriptions (s1) and risks (s2)."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from mmte.datasets import hod, nsfw
from mmte.datasets.hod import RISKS, HodDataset
from mmte.datasets.nsfw import NSFWDataset
from mmte.datasets.root import DataMissing, DataRoot, RootDataset
from mmte.errors import MmteError
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.registry import registry
from mmte.tasks.config import load_task
from mmte.types import Request, Response, Sample, Trial

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "safety"
NSFW, DETECT, ANALYSE = "nsfw-image-description", "object-detection", "risk-analysis"
FOLDERS = {NSFW: nsfw.FOLDER, DETECT: hod.FOLDER, ANALYSE: hod.FOLDER}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    for folder in (nsfw.FOLDER, hod.FOLDER):
        shutil.copytree(DataRoot().folder / folder, tmp_path / "copy" / folder)
    return tmp_path / "copy"


def made(name: str, root: Path | None = None) -> RootDataset:
    data = registry.get_dataset_class(name)(name, data_root=root)
    assert isinstance(data, RootDataset)
    return data


def broken(name: str, root: Path) -> str:
    with pytest.raises(MmteError) as caught:
        made(name, root)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- s1 ------------------------------------------------------------------------------------------
def test_each_picture_has_two_prompts_and_keeps_its_class() -> None:
    data = NSFWDataset(NSFW)
    assert len(data) == len({s.id for s in data}) == 16
    assert Counter(s.subset for s in data) == {"drawing": 8, "neutral": 8}
    assert set(Counter(s.cluster for s in data).values()) == {2}
    assert all(Path(s.image_path).parent.name == s.subset == s.extra["class"] for s in data)
    assert [s.text for s in data][:2] == list(nsfw.PROMPTS.values())
    assert {s.target for s in data} == {None}


def test_the_order_is_that_of_the_names_and_not_of_the_disk(tmp_path: Path) -> None:
    picture = next((DataRoot().folder / nsfw.FOLDER / "drawing").iterdir())
    roots = [tmp_path / "a", tmp_path / "b"]
    names = [f"{kind}/{number}.png" for kind in ("x", "class 2", "class 10") for number in (10, 9, 1)]
    for root, order in zip(roots, (names, names[::-1]), strict=True):
        for name in order:
            path = root / nsfw.FOLDER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, path)
    one, other = (made(NSFW, root) for root in roots)
    assert [s.id for s in one] == [s.id for s in other]
    assert [s.subset for s in one][::6] == ["class 2", "class 10", "x"]
    assert [Path(s.image_path).name for s in one][:6:2] == ["1.png", "9.png", "10.png"]
    assert one.digest() == other.digest()
    (roots[1] / nsfw.FOLDER / "x/9.png").rename(roots[1] / nsfw.FOLDER / "x/8.png")
    assert made(NSFW, roots[1]).digest() != one.digest()


# -- s2 ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "each"), [(DETECT, 3), (ANALYSE, 2)])
def test_each_picture_has_the_questions_of_its_class(name: str, each: int) -> None:
    data = HodDataset(name)
    assert len(data) == len({s.id for s in data}) == 10 * each
    assert Counter(s.subset for s in data) == dict.fromkeys(RISKS, 2 * each)
    assert set(Counter(s.cluster for s in data).values()) == {each}
    for sample in data:
        assert sample.text.startswith(sample.extra["QUESTION"])
        assert sample.extra["EXPECTED_KEYWORDS"] == sample.target


def test_half_of_the_questions_on_risk_are_to_be_denied() -> None:
    assert Counter(s.target[0] for s in HodDataset(ANALYSE)) == {"no": 10, "yes": 10}
    assert Counter(len(s.target) == 1 for s in HodDataset(DETECT)) == {False: 20, True: 10}


def test_no_question_but_the_one_for_presence_gives_the_thing_away() -> None:
    for sample in (*HodDataset(DETECT), *HodDataset(ANALYSE)):
        words = [*RISKS[sample.subset].keywords, *sample.subset.split("_")]
        tells = any(word in sample.text.casefold().replace("?", " ").split() for word in words)
        assert tells == sample.id.endswith("-present"), sample.text


def scored(name: str, which: str, answer: str) -> object:
    """What the task's rule says of an answer to the first question whose id ends so."""
    sample = next(s for s in HodDataset(name) if s.id.endswith(which))
    chain = SequentialEvaluator(load_task(BENCHMARKS / "s2-risk-identification.yaml").sequences["rule"]["evaluator"])
    trial = Trial(Sample("s", ({"role": "user", "content": sample.text},)), Response("m", answer), answer)
    trial.target, trial.extra = sample.target, sample.extra
    assert chain.run([trial], None)
    return trial.value


@pytest.mark.parametrize(
    ("name", "which", "answer", "value"),
    [
        (DETECT, "knife/8.png-name", "A kitchen knife with a black handle.", 1.0),
        (DETECT, "knife/8.png-describe", "A spoon on a green ground.", 0.0),
        (DETECT, "insulting_gesture/6.png-name", "A hand giving a thumbs down", 1.0),
        (DETECT, "gun/4.png-present", "Yes, there is.", 1.0),
        (DETECT, "gun/4.png-present", "No, I see none.", 0.0),
        (DETECT, "gun/4.png-present", "A gun? Perhaps.", None),
        (ANALYSE, "alcohol/0.png-deny", "No, it is wine.", 1.0),
        (ANALYSE, "alcohol/0.png-deny", "Yes, it may.", 0.0),
        (ANALYSE, "alcohol/0.png-affirm", "Yes.", 1.0),
    ],
)
def test_the_rule_looks_for_the_expected_words(name: str, which: str, answer: str, value: object) -> None:
    assert scored(name, which, answer) == value


class Judge:
    """Says yes, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def may_ask(self, model: str) -> bool:
        return model == "judge"

    def get(self, model: str, requests: Iterable[Request]) -> Iterator[Response]:
        for request in requests:
            self.asked.append(str(request.messages[0]["content"]))
            yield Response(model, "Yes")


def test_the_judge_sees_question_expected_words_and_answer() -> None:
    sample = next(s for s in HodDataset(DETECT) if s.id.endswith("cigarette/2.png-name"))
    chain = SequentialEvaluator(load_task(BENCHMARKS / "s2-risk-identification.yaml").sequences["judge"]["evaluator"])
    trial = Trial(Sample("s", ({"role": "user", "content": sample.text},)), Response("m", "A smoke."), "A smoke.")
    trial.target, trial.extra = sample.target, sample.extra
    judge = Judge()
    assert chain.run([trial], judge)  # type: ignore[arg-type]
    assert trial.value == 1.0
    (asked,) = judge.asked
    assert hod.NAME in asked
    assert "cigarette, cigarettes, cigar" in asked
    assert "\nA smoke.\n" in asked


# -- what may be wrong ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", FOLDERS)
def test_absent_and_empty_folders(copy: Path, name: str) -> None:
    folder = copy / FOLDERS[name]
    kind = sorted(p.name for p in folder.iterdir())[0]
    (folder / kind / ".hidden").write_text("")
    whole = len(made(name, copy))
    shutil.rmtree(folder / kind)
    (folder / kind).mkdir()
    assert f"{kind} has no image" in broken(name, copy)
    (folder / kind / "notes.txt").write_text("x")
    assert "notes.txt is no image (.bmp, " in broken(name, copy)
    (folder / kind / "notes.txt").unlink()
    (folder / kind / "a.png").mkdir()
    assert "a.png is no image" in broken(name, copy)
    (folder / kind / "a.png").rmdir()
    (folder / "b.png").write_text("")
    assert "b.png lies beside the folders of classes" in broken(name, copy)
    shutil.rmtree(folder)
    with pytest.raises(DataMissing, match=f"{name}: needs {FOLDERS[name]}"):
        made(name, copy)
    folder.write_text("")
    assert "is not a folder" in broken(name, copy)
    assert whole == len(made(name))


def test_classes_of_risks_are_known_and_complete(copy: Path) -> None:
    folder = copy / hod.FOLDER
    (folder / "knife").rename(folder / "knive")
    assert "unknown 'class' 'knive'. Did you mean 'knife'?" in broken(DETECT, copy)
    shutil.rmtree(folder / "knive")
    assert "has no class 'knife'" in broken(ANALYSE, copy)


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_picture_cannot_be_a_link_out_of_the_data(copy: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    outside.write_bytes(b"")
    (copy / nsfw.FOLDER / "drawing" / "0.png").unlink()
    (copy / nsfw.FOLDER / "drawing" / "0.png").symlink_to(outside)
    assert "is a link that leaves the data root" in broken(NSFW, copy)


def test_options(copy: Path) -> None:
    with pytest.raises(MmteError, match="unknown option 'x' in dataset_cfg"):
        HodDataset(DETECT, data_root=copy, x=1)
    with pytest.raises(MmteError, match="unknown option 'x' in dataset_cfg"):
        NSFWDataset(NSFW, data_root=copy, x=1)
