"""Pictures of a text by a tiny diffusion model with random weights: names, reuse, seeds, and what goes wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mmte.errors import MissingExtra, MmteError
from mmte.methods.generated import MODEL, RelatedGeneratedImage
from mmte.types import ImageTxtSample, TxtSample

NAME = "related-image-generated"
SIZE = [24, 32]


def made(folder: Path, model: str | Path, **options: Any) -> RelatedGeneratedImage:
    return RelatedGeneratedImage(NAME, str(folder), **{"model": str(model), "steps": 2, "img_size": SIZE, **options})


def values(sample: ImageTxtSample) -> Any:
    with Image.open(sample.image_path) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        return np.asarray(image).astype(int)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    torch = pytest.importorskip("torch")
    pytest.importorskip("diffusers")
    import tiny_models

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield tiny_models.diffusion(tmp_path_factory.mktemp("diffusion") / "pipeline")
    torch.set_num_threads(before)


def test_a_text_gets_a_picture_of_its_own(model: Path, tmp_path: Path) -> None:
    method = made(tmp_path, model)
    texts = (("A cat", "1"), ("A dog", "1"), ("A cat", "2"))
    cat, dog, other = (method.run(TxtSample(text, 1, {"a": 2}, id)) for text, id in texts)
    assert (cat.text, cat.target, cat.extra, cat.id) == ("A cat", 1, {"a": 2}, "1")
    assert values(cat).shape == (24, 32, 3)
    assert values(cat).std() > 5
    assert (values(cat) != values(dog)).any()  # the prompt decides
    assert (values(cat) != values(other)).mean() > 0.5  # and so does the sample
    assert len({s.image_path for s in (cat, dog, other)}) == 3


def test_every_process_makes_the_same_picture(model: Path, tmp_path: Path) -> None:
    code = (
        "import sys, torch; torch.set_num_threads(1)\n"
        "from mmte.methods.generated import RelatedGeneratedImage; from mmte.types import TxtSample\n"
        f"method = RelatedGeneratedImage({NAME!r}, sys.argv[1], model=sys.argv[2], steps=2, img_size={SIZE})\n"
        "method.run(TxtSample('A cat', id='1'))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "there"), str(model)], check=True, timeout=120)
    here = Path(made(tmp_path / "here", model).run(TxtSample("A cat", id="1")).image_path)
    assert (tmp_path / "there" / here.name).read_bytes() == here.read_bytes()


def test_a_picture_that_is_there_needs_no_model(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(tmp_path, model)
    path = first.run(TxtSample("A cat", id="1")).image_path
    monkeypatch.setitem(sys.modules, "diffusers", None)
    again = made(tmp_path, model)
    assert again.run(TxtSample("A cat", id="1")).image_path == path
    with pytest.raises(MissingExtra, match=r"related-image-generated needs diffusers.*'mmte\[diffusion\]'"):
        again.run(TxtSample("A dog", id="1"))


def test_loaded_once_and_freed(model: Path, tmp_path: Path) -> None:
    method = made(tmp_path, model)
    method.run(TxtSample("A cat"))
    loaded = method.pipeline.load()
    method.run(TxtSample("A dog"))
    assert method.pipeline.load() is loaded
    method.close()
    assert method.pipeline.load() is not loaded


def test_all_that_decides_the_picture_is_in_its_name(model: Path, tmp_path: Path) -> None:
    import tiny_models

    copy = shutil.copytree(model, tmp_path / "copy")
    other = tiny_models.diffusion(tmp_path / "other", seed=1)
    options = [{}, {"steps": 3}, {"guidance": 3}, {"img_size": [32, 24]}, {"img_size": None}]
    names = [made(tmp_path, model, **o).hash("x") for o in options] + [made(tmp_path, other).hash("x")]
    assert len(set(names)) == len(names)
    assert made(tmp_path / "elsewhere", copy, device="cpu").hash("x") == names[0]
    (copy / "scheduler" / "scheduler_config.json").write_text("{}", "utf-8")
    assert made(tmp_path, copy).hash("x") != names[0]


def test_from_the_hub_and_then_without_it(model: Path, tmp_path: Path) -> None:
    from loopback_hub import serving

    code = (
        "import sys, torch; torch.set_num_threads(1)\n"
        "from mmte.methods.generated import RelatedGeneratedImage; from mmte.types import TxtSample\n"
        f"method = RelatedGeneratedImage({NAME!r}, sys.argv[1], model='org/sd', steps=1, img_size={SIZE})\n"
        "print(method.run(TxtSample('A cat', id=sys.argv[2])).image_path, method.settings()['model']['commit'])"
    )
    outputs = []
    with serving({"org/sd": model}) as hub:
        env = {**os.environ, **hub.environment(tmp_path / "home")}
        for id, home in (("1", "home"), ("2", "home"), ("3", "empty")):
            env["HF_HOME"] = str(tmp_path / home)
            command = [sys.executable, "-c", code, str(tmp_path / "out"), id]
            outputs.append(subprocess.run(command, env=env, capture_output=True, text=True, timeout=120))
            env["HF_HUB_OFFLINE"] = "1"
    assert [o.returncode for o in outputs] == [0, 0, 1], outputs[0].stderr + outputs[1].stderr
    assert outputs[0].stdout.endswith("a" * 40 + "\n")
    assert "model: org/sd cannot be fetched and is not in the local cache" in outputs[2].stderr


def test_a_withheld_picture_is_no_black_one(tmp_path: Path) -> None:
    pytest.importorskip("diffusers")
    import tiny_models

    strict = tiny_models.diffusion(tmp_path / "strict", sees=False)
    with pytest.raises(MmteError, match="the model's safety checker withheld the picture of 'A cat'"):
        made(tmp_path / "out", strict, steps=1).run(TxtSample("A cat"))
    assert list((tmp_path / "out").iterdir()) == []


def test_a_sample_without_text(model: Path, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="sample 's1' has no text to draw"):
        made(tmp_path, model).run(TxtSample(" ", id="s1"))


def test_a_folder_that_is_no_pipeline(model: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MmteError, match=r"model: .*empty has no model_index\.json"):
        made(tmp_path, tmp_path / "empty")
    broken = Path(shutil.copytree(model, tmp_path / "broken"))
    shutil.rmtree(broken / "unet")
    with pytest.raises(MmteError, match=r"model: .*broken: diffusers cannot load it: ") as caught:
        made(tmp_path, broken).run(TxtSample("A cat"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"img_size": [100, 100]}, "img_size must be multiples of 8"),
        ({"steps": 0}, "steps must be a whole number from 1 to 1000, not 0"),
        ({"guidance": "much"}, "guidance must be a number from 0 to 100, not 'much'"),
        ({"device": "tpu"}, "device must be auto, cpu, cuda or cuda:N, not 'tpu'"),
        ({"model": ""}, "model must be an id of the hub or a folder"),
        ({"model": "a b/c d"}, "model: 'a b/c d' is neither a folder nor an id"),
        ({"step": 3}, "unknown option 'step'. Did you mean 'steps'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=f"^method_cfg of {NAME}: {message}"):
        RelatedGeneratedImage(NAME, str(tmp_path), **options)


def test_the_default_model_is_named_without_being_fetched(tmp_path: Path) -> None:
    assert RelatedGeneratedImage(NAME, str(tmp_path)).pipeline.name == MODEL
