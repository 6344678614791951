"""The pixels of unrelated pictures: colours, noise, and what is made of pictures in a folder."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mmte.datasets.root import DataMissing
from mmte.errors import MmteError
from mmte.methods.unrelated import UnrelatedColorImage, UnrelatedNatureImage, UnrelatedNoiseImage
from mmte.types import TxtSample


def pixels(method: Any, id: str = "q1") -> Any:
    with Image.open(method.run(TxtSample("t", id=id)).image_path) as image:
        return np.asarray(image)


def color(folder: Path, **options: Any) -> UnrelatedColorImage:
    return UnrelatedColorImage("unrelated-image-color", str(folder), **options)


def noise(folder: Path, **options: Any) -> UnrelatedNoiseImage:
    return UnrelatedNoiseImage("unrelated-image-noise", str(folder), **options)


def nature(folder: Path, **options: Any) -> UnrelatedNatureImage:
    return UnrelatedNatureImage("unrelated-image-nature", str(folder / "made"), **options)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    folder = tmp_path / "pool"
    folder.mkdir()
    for n in range(8):
        Image.new("RGB", (40, 30), (30 * n, 0, 0)).save(folder / f"wood{n}.png")
    return folder


def test_one_colour_for_a_picture_and_many_for_many(tmp_path: Path) -> None:
    method = color(tmp_path, img_size=(5, 7))
    seen = [pixels(method, f"q{n}") for n in range(200)]
    assert {image.shape for image in seen} == {(5, 7, 3)}
    assert all((image == image[0, 0]).all() for image in seen)
    channels = np.array([image[0, 0] for image in seen])
    assert len(np.unique(channels, axis=0)) == 200
    assert (abs(channels.mean(axis=0) - 127.5) < 25).all()  # five standard errors


def test_noise_is_even_and_its_own_for_each_pixel_and_sample(tmp_path: Path) -> None:
    one, other = pixels(noise(tmp_path), "q1"), pixels(noise(tmp_path), "q2")
    assert one.shape == (224, 224, 3)
    counts = Counter(one.ravel().tolist())
    assert len(counts) == 256
    assert max(abs(count - one.size / 256) for count in counts.values()) < 6 * (one.size / 256) ** 0.5
    assert (one == other).mean() < 0.01
    assert abs(np.corrcoef(one[:, 1:].ravel(), one[:, :-1].ravel())[0, 1]) < 0.02


def test_these_pixels_stay_for_ever(tmp_path: Path) -> None:
    """Answers are kept by the bytes of pictures, so other pixels would need another `version`."""
    assert pixels(color(tmp_path, img_size=[1, 1])).ravel().tolist() == [21, 137, 62]
    assert pixels(noise(tmp_path, img_size=[1, 2])).ravel().tolist() == [140, 16, 247, 99, 108, 213]


def test_the_size_does_not_change_the_colour(tmp_path: Path) -> None:
    assert (pixels(color(tmp_path, img_size=(2, 3)))[0, 0] == pixels(color(tmp_path))[0, 0]).all()


def test_nature_is_chosen_evenly_by_the_sample(tmp_path: Path, pool: Path) -> None:
    method = nature(tmp_path, nature_src_dir=str(pool), img_size=(4, 4))
    chosen = Counter(int(pixels(method, f"q{n}")[0, 0, 0]) for n in range(400))
    assert set(chosen) == {30 * n for n in range(8)}
    assert all(20 < count < 85 for count in chosen.values())


def test_nature_defaults_to_the_data_root(tmp_path: Path, pool: Path) -> None:
    mini = nature(tmp_path)
    assert [p.name for p in mini.pool] == [f"nature_{n}.png" for n in range(4)]
    root = tmp_path / "root"
    shutil.copytree(pool, root / "unrelated_images")
    with pytest.raises(DataMissing, match="unrelated-image-nature: no image with 'nature' in its name"):
        nature(tmp_path, data_root=root)
    (root / "unrelated_images" / "wood3.png").rename(root / "unrelated_images" / "nature3.png")
    own = nature(tmp_path, data_root=root)
    assert [p.name for p in own.pool] == ["nature3.png"]
    assert own.digest() != mini.digest()


def test_the_bytes_of_the_source_decide_the_name_and_not_its_place(tmp_path: Path, pool: Path) -> None:
    here = nature(tmp_path, nature_src_dir=str(pool))
    old = here.run(TxtSample("t", id="q1"))
    shutil.copytree(pool, tmp_path / "copy")
    assert nature(tmp_path, nature_src_dir=str(tmp_path / "copy")).run(TxtSample("t", id="q1")) == old
    for file in pool.iterdir():
        Image.new("RGB", (41, 30), (1, 2, 3)).save(file)
    new = here.run(TxtSample("t", id="q1"))
    assert new.image_path != old.image_path
    assert pixels(here).reshape(-1, 3).tolist() == [[1, 2, 3]] * 224 * 224


def test_proportions_stay_and_the_middle_is_shown(tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    wide = Image.new("RGB", (300, 100), "red")
    wide.paste("blue", (100, 0, 200, 100))
    wide.save(folder / "x.png")
    shown = pixels(nature(tmp_path, nature_src_dir=str(folder), img_size=(50, 50)))
    assert shown.shape == (50, 50, 3)
    assert (shown[5:45, 5:45] == (0, 0, 255)).all()


@pytest.mark.parametrize("suffix", ["png", "gif", "webp"])
def test_transparent_is_white(suffix: str, tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    Image.new("RGBA", (10, 10), (0, 0, 0, 0)).save(folder / f"x.{suffix}")
    assert (pixels(nature(tmp_path, nature_src_dir=str(folder))) == 255).all()


def test_a_photo_on_its_side_is_put_upright(tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    photo = Image.new("RGB", (20, 20), "white")
    photo.paste("black", (0, 0, 10, 20))  # black left; turned by 90 degrees: black on top
    tags = Image.Exif()
    tags[0x0112] = 6
    photo.save(folder / "x.png", exif=tags)
    shown = pixels(nature(tmp_path, nature_src_dir=str(folder), img_size=(20, 20)))
    assert (shown[:8].max(), shown[12:].min()) == (0, 255)


def test_no_svg_no_hidden_files_no_empty_folder(tmp_path: Path, pool: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "x.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (empty / "._x.png").touch()
    with pytest.raises(MmteError, match=r"nature_src_dir .*empty has no picture; .*\(bmp, gif, jpeg, jpg, png, webp\)"):
        nature(tmp_path, nature_src_dir=str(empty))
    (pool / "a.svg").touch()
    assert [p.name for p in nature(tmp_path, nature_src_dir=str(pool)).pool] == [f"wood{n}.png" for n in range(8)]
    for wrong in (str(tmp_path / "none"), str(pool / "wood1.png"), 3):
        with pytest.raises(MmteError, match=r"nature_src_dir .* is not a folder"):
            nature(tmp_path, nature_src_dir=wrong)


def test_a_broken_picture_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    (folder / "x.png").write_bytes(b"no picture")
    method = nature(tmp_path, nature_src_dir=str(folder))
    with pytest.raises(MmteError, match=r"x\.png is no picture that can be read"):
        method.run(TxtSample("t", id="q1"))
    Image.effect_noise((64, 64), 90).save(folder / "x.png")
    (folder / "x.png").write_bytes((folder / "x.png").read_bytes()[:500])
    with pytest.raises(MmteError, match=r"x\.png is no picture that can be read"):
        method.run(TxtSample("t", id="q1"))
    (folder / "x.png").unlink()
    with pytest.raises(MmteError, match=r"x\.png cannot be read: No such file"):
        method.run(TxtSample("t", id="q1"))
    assert list((tmp_path / "made").iterdir()) == []


def test_options_of_one_method_are_not_those_of_another(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="unknown option 'nature_src_dir'.*Known: img_dir, img_size, lazy_mode"):
        color(tmp_path, nature_src_dir="x")
    with pytest.raises(MmteError, match="unknown option 'nature_dir'. Did you mean 'nature_src_dir'"):
        nature(tmp_path, nature_dir="x")
