"""Pictures that datasets make for texts published without any: `generate_image` of OOD texts and attacked texts."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from mmte.datasets.drawn import POOL
from mmte.datasets.ood_text import STYLES
from mmte.datasets.root import DataMissing, DataRoot
from mmte.engine.control import Control
from mmte.engine.samples import Samples, build_dataset
from mmte.errors import MmteError
from mmte.tasks.base import BaseTask
from mmte.types import ImageTxtSample, TxtSample

KINDS = ("color", "nature", "noise")
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "robustness"
MAKE = {"generate_image": True}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this test's own; where the pictures go."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "answers.sqlite"))
    return tmp_path / "cache" / "mmte" / "images"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A data root with the texts of the mini data and no image."""
    for name in ("ood-text", "advglue", "advglue_plus"):
        folder = tmp_path / "texts" / "robustness" / name
        folder.mkdir(parents=True)
        shutil.copy(DataRoot().folder / "robustness" / name / "label.json", folder)
    return tmp_path / "texts"


def built(name: str, root: Path, **options: Any) -> Any:
    return build_dataset(name, options, {}, root)


@pytest.mark.parametrize("family", ["dt", "advglue", "advglue-plus"])
def test_all_variants_run_where_there_are_only_texts(family: str, texts: Path) -> None:
    asked = [(s.id, s.text, s.target, s.subset, s.cluster, s.group) for s in built(f"{family}-text", texts)]
    for variant in ("related-image", *(f"unrelated-image-{kind}" for kind in KINDS)):
        data = list(built(f"{family}-{variant}", texts, **MAKE))
        assert [(s.id, s.text, s.target, s.subset, s.cluster, s.group) for s in data] == asked
        assert {type(s) for s in data} == {ImageTxtSample}
        for path in {s.image_path for s in data}:
            with Image.open(path) as image:
                assert image.format == "PNG"
                image.load()


@pytest.mark.parametrize("family", ["dt", "advglue", "advglue-plus"])
def test_without_the_option_texts_alone_are_a_skip_that_names_it(family: str, texts: Path) -> None:
    with pytest.raises(DataMissing, match=r"related.* have them made: dataset_cfg: \{generate_image: true\}"):
        built(f"{family}-related-image", texts)
    with pytest.raises(DataMissing, match="needs unrelated_images"):
        built(f"{family}-unrelated-image-color", texts)


def test_a_text_in_letters_differs_from_text_to_text(texts: Path) -> None:
    data = built("dt-related-image", texts, **MAKE)
    assert len({s.image_path for s in data}) == len({s.text for s in data}) == 66
    with Image.open(data[0].image_path) as image:
        assert image.width <= 640
        assert image.convert("L").getextrema() == (0, 255)


def test_unrelated_pictures_are_chosen_by_the_id_out_of_a_few(texts: Path) -> None:
    first = {s.id: s.image_path for s in built("dt-unrelated-image-noise", texts, **MAKE)}
    again = {s.id: s.image_path for s in reversed(list(built("dt-unrelated-image-noise", texts, **MAKE)))}
    assert again == first
    assert 20 < len(set(first.values())) <= POOL


def test_nature_comes_from_the_data_root_first(texts: Path) -> None:
    drawn = {Path(s.image_path).read_bytes() for s in built("dt-unrelated-image-nature", texts, **MAKE)}
    assert len(drawn) == 4
    (texts / "unrelated_images").mkdir()
    Image.new("RGB", (64, 64), "#3b7a57").save(texts / "unrelated_images" / "nature_9.png")
    own = built("dt-unrelated-image-nature", texts, **MAKE)
    shown = {s.image_path for s in own}
    with Image.open(shown.pop()) as image:
        assert image.getpixel((5, 5)) == (0x3B, 0x7A, 0x57)


def test_nothing_is_drawn_before_it_is_read(texts: Path, cache: Path) -> None:
    data = built("advglue-related-image", texts, **MAKE)
    assert len(Samples(data, limit=1)) == 6  # one of each task
    assert list(cache.iterdir()) == []
    assert len(list(Samples(data, limit=1))) == 6
    assert len(list(cache.iterdir())) == 6


@pytest.mark.parametrize("name", ["dt-related-image", "advglue-related-image", "dt-unrelated-image-color"])
def test_made_pictures_are_other_data_than_read_ones(name: str) -> None:
    read, made = build_dataset(name, {}, {}, None), build_dataset(name, MAKE, {}, None)
    assert read.digest() != made.digest()
    assert made.digest() == build_dataset(name, MAKE, {}, None).digest()
    assert build_dataset(name, {"generate_image": False}, {}, None).digest() == read.digest()


def test_texts_need_no_picture_whatever_the_option_says() -> None:
    for value in (True, False):
        assert {type(s) for s in build_dataset("dt-text", {"generate_image": value}, {}, None)} == {TxtSample}


@pytest.mark.parametrize("name", ["dt-text", "dt-related-image", "advglue-text", "adv-clean"])
@pytest.mark.parametrize("value", ["true", 1, None])
def test_the_option_is_true_or_false(name: str, value: Any) -> None:
    with pytest.raises(MmteError, match=f"{name}: generate_image must be true or false, not {value!r}"):
        build_dataset(name, {"generate_image": value}, {}, None)


def test_a_method_of_the_task_comes_after_the_picture(texts: Path) -> None:
    data = build_dataset("advglue-related-image", MAKE, {"blank": {}}, texts)
    with Image.open(data[0].image_path) as image:
        assert len(image.getcolors() or []) == 1
    assert data.method_hook.digest() == build_dataset("advglue-text", {}, {"blank": {}}, texts).method_hook.digest()
    assert type(build_dataset("dt-related-image", MAKE, {"no-image": {}}, texts)[0]) is TxtSample


def test_a_method_without_a_digest_keeps_its_options_in_the_identity(texts: Path) -> None:
    chained = build_dataset("dt-related-image", MAKE, {"blank": {}, "no-image": {}}, texts)
    assert not hasattr(chained.method_hook, "digest")
    task = BaseTask("dt-related-image", "scripted:positive", dataset_cfg=MAKE, method_cfg={"blank": {}, "no-image": {}},
                    evaluator_seq_cfgs=[{"rule_contain_exact_eval": {"metrics_cfg": {"pred_mean": {}}}}])  # fmt: skip
    assert task.pipeline()["total_results"]["rule_contain_exact_eval:pred_mean"] == 0.5


def test_a_control_shows_the_same_samples(texts: Path) -> None:
    task = BaseTask("dt-related-image", "scripted:positive?modalities=text,image", dataset_cfg=MAKE)
    task.get_handlers()
    control = Control(task, "no-image")
    assert [s.id for s in control.samples] == [s.id for s in task.samples]
    assert {type(s.messages[0]["content"]) for s in control.samples} == {str}


def test_the_score_is_the_mean_of_all_samples_and_the_styles_are_subsets() -> None:
    task = BaseTask("dt-related-image", "scripted:positive?modalities=text,image", dataset_cfg=MAKE,
                    evaluator_seq_cfgs=[{"rule_contain_exact_eval": {"metrics_cfg": {"pred_mean": {}}}}])  # fmt: skip
    totals = task.pipeline()["total_results"]
    assert totals["rule_contain_exact_eval:pred_mean"] == 0.5
    assert set(totals) == {"rule_contain_exact_eval:pred_mean" + s for s in ("", *(f"_{style}" for style in STYLES))}


@pytest.mark.parametrize("variant", ["related-image", *(f"unrelated-image-{kind}" for kind in KINDS)])
def test_the_published_styles_with_pictures(shared: Path, variant: str) -> None:
    data = built(f"dt-{variant}", shared / "data" / "decodingtrust", **MAKE)
    assert len(data) == data.expected == 9592
    assert Counter(s.subset for s in data.dataset) == dict.fromkeys(STYLES, 872)
    for at in (0, 5000, 9591):
        with Image.open(data[at].image_path) as image:
            assert image.size == (224, 224) or (variant == "related-image" and image.width <= 640)


@pytest.mark.parametrize("variant", ["related-image", *(f"unrelated-image-{kind}" for kind in KINDS)])
def test_the_published_attacks_with_pictures(shared: Path, variant: str) -> None:
    data = built(f"advglue-{variant}", shared / "data" / "advglue", **MAKE)
    assert len(data) == data.expected == 738
    assert all(Path(data[at].image_path).is_file() for at in range(0, 738, 41))


@pytest.mark.parametrize(
    ("file", "family"), [("r3-decodingtrust.yaml", "dt"), ("r6-advglue.yaml", "advglue")]
)  # fmt: skip
def test_the_tasks_ask_all_five_variants_with_pictures_made(file: str, family: str) -> None:
    task = yaml.safe_load((BENCHMARKS / file).read_text())
    assert task["dataset_cfg"] == {**MAKE, "published": True}
    assert task["datasets"] == [
        f"{family}-{variant}" for variant in ("text", "related-image", *(f"unrelated-image-{kind}" for kind in KINDS))
    ]
