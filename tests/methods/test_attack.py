"""Transfer attacks on tiny surrogates with random weights: direction, bound, files, names, and what goes wrong."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from loopback_hub import serving  # noqa: E402

from mmte.errors import MissingExtra, MmteError  # noqa: E402
from mmte.methods.attack import AdversarialImage  # noqa: E402
from mmte.methods.ssa_cwa import cosine_matrix, resize_matrix, shown  # noqa: E402
from mmte.methods.surrogates import DEFAULT, Clip  # noqa: E402
from mmte.types import ImageTxtSample, TxtSample  # noqa: E402

AWAY, NEAR = "adversarial-untarget-generated", "adversarial-target-generated"
QUICK = {"steps": 12, "spectral_samples": 5}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other are many times slower on a machine that does other things too."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two surrogates of different sizes."""
    folder = tmp_path_factory.mktemp("clips")
    return [str(tiny_models.clip(folder / f"c{n}", seed=n, size=28 + 14 * n)) for n in range(2)]


def photo(path: Path, width: int = 72, height: int = 48) -> Path:
    """A picture with slopes, edges, and values at both ends of the range."""
    y, x = np.mgrid[:height, :width]
    pixels = np.stack([x * 255 / (width - 1), y * 255 / (height - 1), 128 + 90 * np.sin(x / 5) * np.cos(y / 7)], -1)
    pixels[height // 4 : height // 2, width // 4 : width // 2] = (255, 0, 40)
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return path


def sample(path: Path, id: str = "s1") -> ImageTxtSample:
    return ImageTxtSample(str(path), "What is it?", 1, {"a": 2}, id, "sub", "c1", "g1")


def values(path: str | Path) -> Any:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def made(name: str, folder: Path, clips: list[str], **options: Any) -> AdversarialImage:
    return AdversarialImage(name, str(folder), **{"surrogates": clips, "device": "cpu", **QUICK, **options})


def cosines(clips: list[str], pixels: Any, clean: Any, text: str = "") -> list[float]:
    """The cosine of a picture to the clean one, or to a text, for each model."""
    found = []
    for name in clips:
        clip = Clip(name, "test")
        clip.load("cpu")
        both = [shown(torch.tensor(p).permute(2, 0, 1) / 255, clip.size) for p in (pixels, clean)]
        seen, goal = (clip.embed(p)[0] for p in both)
        found.append(float(seen @ (clip.embed_text(text) if text else goal)))
    return found


def noise_of_equal_size(clean: Any, attacked: Any, seed: int) -> Any:
    """As many changes of each size as the attack made, in random places and directions."""
    rng = np.random.RandomState(seed)
    change = rng.permutation(np.abs(attacked - clean).ravel()) * rng.choice([-1, 1], clean.size)
    return np.clip(clean + change.reshape(clean.shape), 0, 255)


# -- what it does ----------------------------------------------------------------------------------
def test_untargeted_leads_away_further_than_noise(clips: list[str], tmp_path: Path) -> None:
    clean = values(photo(tmp_path / "a.png"))
    attacked = values(made(AWAY, tmp_path / "out", clips).run(sample(tmp_path / "a.png")).image_path)
    found = cosines(clips, attacked, clean)
    noisy = [cosines(clips, noise_of_equal_size(clean, attacked, n), clean) for n in range(3)]
    assert all(f < min(others) - 0.2 for f, others in zip(found, zip(*noisy, strict=True), strict=True))


def test_targeted_leads_to_the_text_further_than_noise(clips: list[str], tmp_path: Path) -> None:
    clean = values(photo(tmp_path / "a.png"))
    attack = made(NEAR, tmp_path / "out", clips, target_text="a bomb")
    attacked = values(attack.run(sample(tmp_path / "a.png")).image_path)
    found, before = (cosines(clips, p, clean, "a bomb") for p in (attacked, clean))
    noisy = [cosines(clips, noise_of_equal_size(clean, attacked, n), clean, "a bomb") for n in range(3)]
    assert all(f > max(b, *others) + 0.1 for f, b, *others in zip(found, before, *noisy, strict=True))


@pytest.mark.parametrize("eps", ["16/255", "3/255", 0.0301])
@pytest.mark.parametrize(("width", "height", "max_side"), [(72, 48, 512), (90, 61, 40), (1, 30, 512)])
def test_no_value_changes_by_more_than_eps(
    eps: Any, width: int, height: int, max_side: int, clips: list[str], tmp_path: Path
) -> None:
    clean = values(photo(tmp_path / "a.png", width, height)) if width > 1 else None
    if clean is None:
        Image.new("RGB", (1, 30), (255, 0, 128)).save(tmp_path / "a.png")
        clean = values(tmp_path / "a.png")
    attack = made(AWAY, tmp_path / "out", clips[:1], eps=eps, step="4/255", steps=5, max_side=max_side)
    attacked = values(attack.run(sample(tmp_path / "a.png")).image_path)
    most = {"16/255": 16, "3/255": 3}.get(eps, 7)  # 0.0301 of 255 is 7.7, and values are whole
    assert attacked.shape == clean.shape
    assert np.abs(attacked - clean).max() <= most
    assert np.abs(attacked - clean).max() >= min(most, 3)  # the bound is used


def test_the_file_is_lossless_and_the_sample_keeps_the_rest(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    Image.open(tmp_path / "a.png").save(tmp_path / "a.jpg", quality=60)
    before = sample(tmp_path / "a.jpg")
    after = made(AWAY, tmp_path / "out", clips[:1], steps=2).run(before)
    with Image.open(after.image_path) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (72, 48))
    assert np.abs(values(after.image_path) - values(tmp_path / "a.jpg")).max() == 2  # two steps, not those of a JPEG
    assert {**after.to_dict(), "image_path": ""} == {**before.to_dict(), "image_path": ""}
    assert made(AWAY, tmp_path, clips).run(TxtSample("no picture")) == TxtSample("no picture")


# -- the same again --------------------------------------------------------------------------------
def test_the_same_bytes_in_every_process(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    code = (
        "import json, sys, torch; torch.set_num_threads(1)\n"
        "from mmte.methods.attack import AdversarialImage; from mmte.types import ImageTxtSample\n"
        "name, folder, picture, options = sys.argv[1:]\n"
        "AdversarialImage(name, folder, **json.loads(options)).run(ImageTxtSample(picture, 't', id='s1'))"
    )
    options = {"surrogates": clips, "device": "cpu", **QUICK}
    command = [sys.executable, "-c", code, AWAY, str(tmp_path / "there"), str(tmp_path / "a.png"), json.dumps(options)]
    subprocess.run(command, check=True, timeout=120)
    here = Path(made(AWAY, tmp_path / "here", clips).run(sample(tmp_path / "a.png")).image_path)
    assert (tmp_path / "there" / here.name).read_bytes() == here.read_bytes()


def test_a_batch_size_draws_the_same_numbers(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    one, all_ = (
        made(AWAY, tmp_path / str(b), clips[:1], steps=1, spectral_samples=4, batch=b).run(sample(tmp_path / "a.png"))
        for b in (1, 4)
    )
    assert Path(one.image_path).name == Path(all_.image_path).name
    assert (values(one.image_path) == values(all_.image_path)).mean() > 0.99  # rounding differs


def test_a_picture_that_is_there_is_reused_without_loading(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    first = made(AWAY, tmp_path / "out", clips, steps=1)
    path = Path(first.run(sample(tmp_path / "a.png")).image_path)
    os.utime(path, ns=(10**9, 10**9))
    again = made(AWAY, tmp_path / "out", clips, steps=1)
    assert again.run(sample(tmp_path / "a.png")).image_path == str(path)
    assert path.stat().st_mtime_ns == 10**9
    assert all(s._model is None for s in again.surrogates)
    other = made(AWAY, tmp_path / "out", clips, steps=1, lazy_mode=False)
    data = path.read_bytes()
    other.run(sample(tmp_path / "a.png"))
    assert path.stat().st_mtime_ns > 10**9
    assert path.read_bytes() == data


def test_surrogates_are_loaded_once_and_freed(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    attack = made(AWAY, tmp_path / "out", clips, steps=1)
    attack.run(sample(tmp_path / "a.png"))
    models = [weakref.ref(s._model) for s in attack.surrogates]
    attack.run(sample(tmp_path / "a.png", "s2"))
    assert [s._model for s in attack.surrogates] == [m() for m in models]
    attack.close()
    gc.collect()
    assert [m() for m in models] == [None, None]
    assert Path(attack.run(sample(tmp_path / "a.png", "s3")).image_path).is_file()  # and back again


# -- names -----------------------------------------------------------------------------------------
def test_all_that_decides_the_picture_is_in_its_name(clips: list[str], tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [
        {}, {"eps": "8/255"}, {"step": "2/255"}, {"steps": 3}, {"spectral_samples": 3}, {"rho": 0.1}, {"sigma": 4},
        {"momentum": 0.5}, {"inner_step": 50}, {"max_side": 100}, {"surrogates": clips[:1]},
        {"surrogates": clips[::-1]},
    ]  # fmt: skip
    names = [made(AWAY, tmp_path, clips, **o).hash("x") for o in options]
    names += [made(NEAR, tmp_path, clips, target_text=t).hash("x") for t in ("a", "b")]
    assert len(set(names)) == len(names)
    assert made(AWAY, tmp_path / "other", clips, batch=2, lazy_mode=False).hash("x") == names[0]
    assert made(AWAY, tmp_path, clips, target_text="of no use here").digest() == made(AWAY, tmp_path, clips).digest()


def test_a_surrogate_is_known_by_its_files(clips: list[str], tmp_path: Path) -> None:
    copy = shutil.copytree(clips[0], tmp_path / "copy")
    other = tiny_models.clip(tmp_path / "other", seed=9)
    names = [made(AWAY, tmp_path, [str(c)]).hash("x") for c in (clips[0], copy, other)]
    assert names[0] == names[1] != names[2]
    assert clips[0] not in json.dumps(made(AWAY, tmp_path, clips).settings())


# -- where surrogates come from --------------------------------------------------------------------
def test_from_the_hub_and_then_without_it(clips: list[str], tmp_path: Path) -> None:
    """One process with a hub, the next one without: the pictures are there, then the weights are in the cache."""
    photo(tmp_path / "a.png")
    code = (
        "import sys, torch; torch.set_num_threads(1)\n"
        "from mmte.methods.attack import AdversarialImage; from mmte.types import ImageTxtSample\n"
        "options = dict(surrogates=['org/clip'], steps=1, spectral_samples=2, device='cpu')\n"
        f"attack = AdversarialImage({NEAR!r}, sys.argv[1], **options)\n"
        "print(attack.run(ImageTxtSample(sys.argv[2], 't', id=sys.argv[3])).image_path)\n"
        "print(attack.settings()['surrogates'][0]['commit'])"
    )
    folder = Path(shutil.copytree(clips[0], tmp_path / "repository"))
    Clip(str(folder), "x").load("cpu")
    model = tiny_models.transformers.CLIPModel.from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")  # as repositories of LAION have them
    (folder / "model.safetensors").rename(folder / "open_clip_model.safetensors")
    outputs = []
    with serving({"org/clip": folder}) as hub:
        env = {**os.environ, **hub.environment(tmp_path / "home")}
        for id, hf_home in (("s1", "home"), ("s1", "home"), ("s2", "home"), ("s3", "empty")):
            env["HF_HOME"] = str(tmp_path / hf_home)
            command = [sys.executable, "-c", code, str(tmp_path / "out"), str(tmp_path / "a.png"), id]
            outputs.append(subprocess.run(command, env=env, capture_output=True, text=True, timeout=120))
            env["HF_HUB_OFFLINE"] = "1"
        assert not any("open_clip_model" in path for path in hub.asked)
    assert [o.returncode for o in outputs] == [0, 0, 0, 1], outputs[0].stderr
    assert outputs[0].stdout == outputs[1].stdout
    assert outputs[0].stdout.endswith("a" * 40 + "\n")
    assert "surrogates: org/clip cannot be fetched and is not in the local cache" in outputs[3].stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eps": "1/300"}, "eps must be a number from 1/255 to 1, or a fraction such as 16/255, not '1/300'"),
        ({"eps": 16}, "eps must be"),
        ({"eps": "sixteen"}, "eps must be"),
        ({"step": 0}, "step must be"),
        ({"steps": 0}, "steps must be a whole number from 1, not 0"),
        ({"spectral_samples": 2.5}, "spectral_samples must be"),
        ({"rho": 2}, "rho must be a number from 0 to 1, not 2"),
        ({"device": "gpu"}, "device must be auto, cpu, cuda or cuda:N, not 'gpu'"),
        ({"target_text": ""}, "target_text must be a text"),
        ({"surrogates": []}, "surrogates must be a list"),
        ({"surrogates": ["no such/thing at all"]}, "surrogates: 'no such/thing at all' is neither a folder nor an id"),
        ({"sorrogates": []}, "unknown option 'sorrogates'. Did you mean 'surrogates'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=f"^method_cfg of {AWAY}: {message}") as caught:
        AdversarialImage(AWAY, str(tmp_path), **options)
    assert "\n" not in str(caught.value)


def test_the_default_surrogates_are_named_without_being_fetched(tmp_path: Path) -> None:
    assert [s.source.target for s in AdversarialImage(AWAY, str(tmp_path)).surrogates] == list(DEFAULT)


def test_a_model_that_is_no_clip(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    text = tiny_models.text_model(tmp_path / "text")
    with pytest.raises(MmteError, match="a LlamaModel has no common space of pictures and texts"):
        made(AWAY, tmp_path / "out", [str(text)]).run(sample(tmp_path / "a.png"))
    broken = Path(shutil.copytree(clips[0], tmp_path / "broken"))
    (broken / "preprocessor_config.json").unlink(missing_ok=True)
    (broken / "processor_config.json").unlink(missing_ok=True)
    with pytest.raises(MmteError, match="has no image_mean of three numbers"):
        made(AWAY, tmp_path / "out", [str(broken)]).run(sample(tmp_path / "a.png"))


def test_without_torch(clips: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photo(tmp_path / "a.png")
    attack = made(AWAY, tmp_path / "out", clips)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"an adversarial method needs transformers and torch.*'mmte\[hf\]'"):
        attack.run(sample(tmp_path / "a.png"))


# -- the numbers -----------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 7, 64])
def test_the_cosine_transform_is_that_of_scipy(n: int) -> None:
    fft = pytest.importorskip("scipy.fft")
    like = torch.zeros(0, dtype=torch.float64)
    matrix, signal = cosine_matrix(n, like), np.random.RandomState(n).normal(size=n)
    assert np.allclose(matrix @ torch.tensor(signal), fft.dct(signal, norm="ortho"))
    assert torch.allclose(matrix @ matrix.T, torch.eye(n, dtype=torch.float64))


@pytest.mark.parametrize(("to", "n"), [(28, 48), (28, 10), (28, 28), (5, 1)])
def test_scaling_is_that_of_torch(to: int, n: int) -> None:
    picture = torch.rand(1, 3, n, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = torch.nn.functional.interpolate(picture, (to, 6), mode="bicubic", antialias=True)
    assert torch.allclose(resize_matrix(to, n, picture) @ picture, expected, atol=1e-6)


def test_grad_switched_off_by_others_does_no_harm(clips: list[str], tmp_path: Path) -> None:
    photo(tmp_path / "a.png")
    with torch.no_grad():
        off = made(AWAY, tmp_path / "off", clips, steps=1).run(sample(tmp_path / "a.png"))
    on = made(AWAY, tmp_path / "on", clips, steps=1).run(sample(tmp_path / "a.png"))
    assert (values(off.image_path) == values(on.image_path)).all()
