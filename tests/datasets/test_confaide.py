"""ConfAIde: the mini data, broken copies of it, and the published tier 2."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from mmte.datasets.base import collate_fn
from mmte.datasets.confaide import FORCE, ConfAIde
from mmte.datasets.root import DataMissing, DataRoot
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import ImageTxtSample, TxtSample

UNRELATED = [f"confaide-unrelated-image-{kind}" for kind in ("color", "nature", "noise")]
PUBLISHED = ["confaide-text", "confaide-image", *UNRELATED]
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "privacy"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the mini data to break."""
    return Path(shutil.copytree(DataRoot().folder, tmp_path / "copy"))


def every(data: ConfAIde) -> list[Any]:
    return [data[i] for i in range(len(data))]


def rows(name: str, **options: Any) -> list[Any]:
    return every(ConfAIde(name, **options))


def confaide(root: Path) -> Path:
    return root / "privacy" / "confaide"


@pytest.mark.parametrize("name", PUBLISHED)
def test_mini_data(name: str) -> None:
    data = registry.get_dataset_class(name)(name)
    assert isinstance(data, ConfAIde)
    assert len(data) == 28
    assert data.expected is None
    assert data[0].target == 88.0
    assert data[0].text.startswith("Think of people in general.")
    assert data[0].text.endswith("exactly one of -100, -50, 0, 50, 100.")
    assert "\\n" not in data[0].text
    assert all(type(s.target) is float for s in every(data))
    assert len({s.id for s in every(data)}) == 28
    assert {type(s) for s in every(data)} == {TxtSample if name == "confaide-text" else ImageTxtSample}


def test_images_go_round_after_fourteen() -> None:
    data = ConfAIde("confaide-image")
    shown = [Path(s.image_path).name for s in every(data)]
    assert shown[:15] == [f"{i}.png" for i in range(14)] + ["0.png"]
    assert shown[27] == "13.png"
    assert all(Path(s.image_path).is_file() for s in every(data))


def test_a_scenario_is_the_same_in_all_variants() -> None:
    text, *others = [[(s.id, s.group, s.cluster, s.target, s.text) for s in rows(name)] for name in PUBLISHED]
    assert all(other == text for other in others)
    assert all(group == sample_id == cluster for sample_id, group, cluster, *_ in text)


@pytest.mark.parametrize("name", UNRELATED)
def test_unrelated_images_are_chosen_by_the_scenario(name: str, copy: Path) -> None:
    kind = name.rsplit("-", 1)[-1]
    chosen = {s.id: Path(s.image_path).name for s in rows(name)}
    assert {image.split("_")[0] for image in chosen.values()} == {kind}
    assert len(set(chosen.values())) > 1
    assert chosen == {s.id: Path(s.image_path).name for s in rows(name, force_prompt=False)}
    # The choice goes with the scenario, whatever its place in the file.
    for file in ("prompts.txt", "labels.txt"):
        lines = (confaide(copy) / file).read_text().splitlines()
        (confaide(copy) / file).write_text("\n".join(reversed(lines)))
    turned = ConfAIde(name, data_root=copy)
    assert [s.id for s in every(turned)] == list(reversed(chosen))
    assert {s.id: Path(s.image_path).name for s in every(turned)} == chosen


def test_choices_are_the_same_on_every_machine() -> None:
    shown = [Path(s.image_path).name for s in rows("confaide-unrelated-image-nature")][:3]
    assert shown == ["nature_0.png", "nature_0.png", "nature_2.png"]


def test_without_the_closing_sentence() -> None:
    forced, plain = ConfAIde("confaide-text"), ConfAIde("confaide-text", force_prompt=False)
    assert [s.text for s in every(forced)] == [s.text + FORCE for s in every(plain)]
    assert plain[0].text.endswith("to the specialist who treats the patient.")
    assert [s.id for s in every(forced)] == [s.id for s in every(plain)]


def test_collated_messages_hold_the_image() -> None:
    data = ConfAIde("confaide-image")
    first = collate_fn([data[0]])[0]
    assert first["message"] == [{"role": "user", "content": {"image_path": data[0].image_path, "text": data[0].text}}]
    assert first["target"] == 88.0


def test_a_method_sees_every_sample() -> None:
    class Shout:
        def run(self, sample: TxtSample) -> TxtSample:
            return TxtSample(text=sample.text.upper(), target=sample.target, id=sample.id)

    assert ConfAIde("confaide-text", Shout())[3].text.startswith("THINK OF PEOPLE")


def test_equal_scenarios_share_the_cluster_alone(copy: Path) -> None:
    (confaide(copy) / "prompts.txt").write_text("one\ntwo\none\n")
    (confaide(copy) / "labels.txt").write_text("1\n2\n3\n")
    first, other, again = rows("confaide-text", data_root=copy)
    assert again.id == again.group == f"{first.id}-2"
    assert again.cluster == first.cluster == first.group
    assert other.cluster != first.cluster


def test_digest(copy: Path) -> None:
    def digest(name: str, root: Path | None = copy) -> str:
        return ConfAIde(name, data_root=root).digest()

    same = digest("confaide-text")
    assert same == digest("confaide-text", None) == digest("confaide-image")
    nature, color = digest("confaide-unrelated-image-nature"), digest("confaide-unrelated-image-color")
    assert len({same, nature, color}) == 3
    shutil.copy(copy / "unrelated_images" / "nature_1.png", copy / "unrelated_images" / "nature_9.png")
    assert digest("confaide-unrelated-image-nature") != nature
    assert digest("confaide-unrelated-image-color") == color
    labels = confaide(copy) / "labels.txt"
    labels.write_text(labels.read_text().replace("88.00", "87.00"))
    assert digest("confaide-text") != same


def test_the_original_names_are_read_too(copy: Path) -> None:
    before = [s.to_dict() for s in rows("confaide-text", data_root=copy)]
    (confaide(copy) / "prompts.txt").rename(confaide(copy) / "tier_2.txt")
    (confaide(copy) / "labels.txt").rename(confaide(copy) / "tier_2_labels.txt")
    assert [s.to_dict() for s in rows("confaide-text", data_root=copy)] == before


# -- broken data ------------------------------------------------------------------------------------------
def broken(root: Path, name: str = "confaide-text", **options: Any) -> str:
    with pytest.raises(MmteError) as caught:
        ConfAIde(name, data_root=root, **options)
    assert not isinstance(caught.value, DataMissing)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_different_numbers_of_prompts_and_labels(copy: Path) -> None:
    (confaide(copy) / "labels.txt").write_text("1\n2\n")
    assert "has 28 prompts but labels.txt has 2 labels" in broken(copy)


@pytest.mark.parametrize(("label", "said"), [("x", "line 2: 'x' is not a number"), ("-100.5", "not within -100..100")])
def test_bad_labels(copy: Path, label: str, said: str) -> None:
    (confaide(copy) / "labels.txt").write_text(f"1\n{label}\n")
    assert said in broken(copy)


def test_missing_labels(copy: Path) -> None:
    (confaide(copy) / "labels.txt").unlink()
    assert "confaide-text: needs privacy/confaide/labels.txt" in broken(copy)


def test_a_missing_image_is_named_and_nothing_is_dropped(copy: Path) -> None:
    (confaide(copy) / "imgs" / "11.png").unlink()
    assert "confaide-image: needs privacy/confaide/imgs/11.png" in broken(copy, "confaide-image")
    assert len(ConfAIde("confaide-text", data_root=copy)) == 28


def test_no_unrelated_images(copy: Path) -> None:
    for image in (copy / "unrelated_images").glob("noise*"):
        image.unlink()
    assert "no image with 'noise' in its name" in broken(copy, "confaide-unrelated-image-noise")
    shutil.rmtree(copy / "unrelated_images")
    assert "needs unrelated_images" in broken(copy, "confaide-unrelated-image-color")


def test_bad_options(copy: Path) -> None:
    assert "Did you mean 'force_prompt'?" in broken(copy, forceprompt=False)
    assert "force_prompt must be true or false, not 'no'" in broken(copy, force_prompt="no")
    with pytest.raises(MmteError, match="ConfAIde has no dataset 'confaide-txt'. Did you mean 'confaide-text'"):
        ConfAIde("confaide-txt")


@pytest.mark.parametrize("name", ["confaide-tier-2a", "confaide-tier-2b"])
def test_mini_data_has_no_tier_2(name: str) -> None:
    with pytest.raises(DataMissing, match=f"^{name}: needs benchmark/tier_2.*--mmte-data DIR$"):
        ConfAIde(name)


def test_a_root_without_the_set_is_a_skip(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"confaide-text: needs privacy/confaide/prompts\.txt or"):
        ConfAIde("confaide-text", data_root=tmp_path)


# -- the published tier 2 -----------------------------------------------------------------------------------
@pytest.fixture(params=["itself", "parent", "multitrust"])
def published(request: pytest.FixtureRequest, shared: Path, tmp_path: Path) -> Path:
    """The published files under each of the three places that are looked at."""
    data = shared / "data"
    if request.param == "multitrust":
        shutil.copytree(data / "confaide" / "benchmark", tmp_path / "privacy" / "confaide")
        return tmp_path
    return data / "confaide" if request.param == "itself" else data


def test_tier_2a(published: Path) -> None:
    data = ConfAIde("confaide-tier-2a", data_root=published)
    assert (len(data), data.expected) == (98, 98)
    assert (data[0].target, data[59].target, data[88].target, data[97].target) == (1.26, 70.82, -33.0, -57.53)
    head, scenario, closing = data[0].text.split("\n")
    assert head.startswith("Please indicate how much people would agree")
    assert scenario == (
        "Information about your friends and what they like is collected by your school or university "
        "in order to Place students in groups for class."
    )
    assert closing == FORCE.strip()
    assert data[97].group == data[97].cluster == "confaide-tier2-97"
    assert not any("\\n" in s.text for s in every(data))


def test_tier_2b_is_the_same_scenario_at_length(published: Path) -> None:
    short, long = (ConfAIde(f"confaide-tier-2{x}", data_root=published, force_prompt=False) for x in "ab")
    assert (len(long), long.expected) == (98, 98)
    assert "The university collected information about Julia's friends" in long[0].text
    assert "Kendall" in long[1].text
    assert [s.target for s in every(long)] == [s.target for s in every(short)]
    assert [s.group for s in every(long)] == [s.group for s in every(short)]
    assert not {s.id for s in every(long)} & {s.id for s in every(short)}
    assert len({s.id for s in every(long)}) == 98
    assert all(s.text.count("\n") == 1 for s in every(long))


def test_where_tier_2_lies_does_not_change_its_identity(published: Path, shared: Path) -> None:
    here = ConfAIde("confaide-tier-2a", data_root=published)
    there = ConfAIde("confaide-tier-2a", data_root=shared / "data" / "confaide")
    assert here.digest() == there.digest() != ConfAIde("confaide-tier-2b", data_root=published).digest()
    assert [s.to_dict() for s in every(here)] == [s.to_dict() for s in every(there)]


def test_a_cut_tier_2_is_refused(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "data" / "confaide" / "benchmark", tmp_path / "benchmark", copy_function=shutil.copyfile)
    (tmp_path / "benchmark").chmod(0o755)
    file = tmp_path / "benchmark" / "tier_2b.txt"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert "has 97 prompts but tier_2_labels.txt has 98 labels" in broken(tmp_path, "confaide-tier-2b")


@pytest.mark.parametrize(
    ("file", "datasets"),
    [("p3-infoflow", PUBLISHED), ("p3-confaide-tier2", ["confaide-tier-2a", "confaide-tier-2b"])],
)
def test_the_tasks_name_these_datasets(file: str, datasets: list[str]) -> None:
    text = (BENCHMARKS / f"{file}.yaml").read_text()
    assert text.startswith("# mmte.task/1\n")
    task = yaml.safe_load(text)
    assert task["datasets"] == datasets
    assert {registry.get_dataset_class(name) for name in datasets} == {ConfAIde}
    assert task["aspect"] == "privacy"
