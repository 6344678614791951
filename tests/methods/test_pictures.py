"""What all image methods share: names of files, reuse, whole files, options, the way through a task."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mmte.datasets.base import BaseDataset
from mmte.engine.samples import Samples, build_dataset
from mmte.errors import MissingExtra, MmteError
from mmte.methods.pictures import PictureMethod, default_img_dir, is_whole, write_whole
from mmte.registry import registry
from mmte.tasks.base import BaseTask
from mmte.types import ImageTxtSample, TxtSample

METHODS = ["unrelated-image-color", "unrelated-image-noise", "unrelated-image-nature", "related-image-txtembed"]
FULL = {"target": 3, "extra": {"a": [1]}, "id": "q1", "subset": "s", "cluster": "c", "group": "g"}


def method(name: str, folder: Path, **options: Any) -> PictureMethod:
    made = registry.get_method_class(name)(name, str(folder), **options)
    assert isinstance(made, PictureMethod)
    return made


def picture(name: str, folder: Path, text: str = "Is it so?", id: str = "q1", **options: Any) -> Path:
    return Path(method(name, folder, **options).run(TxtSample(text, id=id)).image_path)


@registry.register_dataset()
class Questions(BaseDataset):
    dataset_ids = ("pm-named", "pm-nameless", "pm-pictures")

    def __init__(self, dataset_id: str, method_hook: Any = None, size: int = 6) -> None:
        super().__init__(dataset_id, method_hook)
        named = dataset_id == "pm-named"
        self.dataset = [
            ImageTxtSample(f"own{n // 2}.png", f"What is {n}?", 1)
            if dataset_id == "pm-pictures"
            else TxtSample(f"How much is {n}?", 1, id=f"q{n}" if named else "", cluster=f"c{n // 2}" if named else "")
            for n in range(size)
        ]


# -- samples ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", METHODS)
def test_a_text_gets_a_picture_and_keeps_everything_else(name: str, tmp_path: Path) -> None:
    out = method(name, tmp_path).run(TxtSample("Is it so?", **FULL))
    assert isinstance(out, ImageTxtSample)
    assert {k: v for k, v in out.to_dict().items() if k != "image_path"} == {"text": "Is it so?", **FULL}
    with Image.open(out.image_path) as image:
        image.load()
        assert (image.format, image.mode) == ("PNG", "RGB")


@pytest.mark.parametrize("name", METHODS)
def test_the_picture_of_a_sample_is_replaced(name: str, tmp_path: Path) -> None:
    out = method(name, tmp_path / "made").run(ImageTxtSample("old.jpg", "Is it so?", **FULL))
    assert out == method(name, tmp_path / "made").run(TxtSample("Is it so?", **FULL))
    assert Path(out.image_path).parent == tmp_path / "made"


def test_a_sample_without_id_is_known_by_its_text(tmp_path: Path) -> None:
    name = "unrelated-image-noise"
    one, same, other = (picture(name, tmp_path, text, id="") for text in ("A?", "A?", "B?"))
    assert one == same != other
    assert picture(name, tmp_path, "A?", id="q1") == picture(name, tmp_path, "B?", id="q1")
    assert picture(name, tmp_path, "q1", id="") != picture(name, tmp_path, "A?", id="q1")


def test_a_sample_with_a_picture_only(tmp_path: Path) -> None:
    m = method("unrelated-image-color", tmp_path)
    assert m.run(ImageTxtSample("/a/x.png", "")) == m.run(ImageTxtSample("/b/x.png", ""))
    assert m.run(ImageTxtSample("/a/x.png", "")) != m.run(ImageTxtSample("/a/y.png", ""))
    with pytest.raises(MmteError, match="unrelated-image-color: a sample has neither an id nor a text"):
        m.run(TxtSample(""))
    with pytest.raises(MmteError, match="takes a TxtSample or ImageTxtSample, not str"):
        m.run("text")


# -- names and bytes -------------------------------------------------------------------------------
def settings_of(name: str, folder: Path) -> list[dict[str, Any]]:
    if name == "related-image-txtembed":
        return [{}, {"font_size": 30}, {"max_width": 300}, {"img_size": [200, 300]}, {"img_size": [300, 200]}]
    other = folder / "pool"
    other.mkdir()
    Image.new("RGB", (9, 9), "red").save(other / "x.png")
    nature = [{"nature_src_dir": str(other)}] if name.endswith("nature") else []
    return [{}, {"img_size": [50, 60]}, {"img_size": [60, 50]}, *nature]


def test_every_parameter_changes_the_name(tmp_path: Path) -> None:
    folder, made = tmp_path / "images", []
    for name in METHODS:
        (tmp_path / name).mkdir()
        made += [picture(name, folder, **options) for options in settings_of(name, tmp_path / name)]
    assert len(set(made)) == len(made) == len(list(folder.iterdir()))
    assert all(len(path.stem) == 64 and path.suffix == ".png" for path in made)


@pytest.mark.parametrize("name", METHODS)
def test_versions_change_the_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = picture(name, tmp_path)
    monkeypatch.setattr("PIL.__version__", "0.0")
    pillow = picture(name, tmp_path)
    monkeypatch.setattr(PictureMethod, "version", 2)
    assert len({old, pillow, picture(name, tmp_path)}) == 3
    assert old.read_bytes() == pillow.read_bytes()


@pytest.mark.parametrize("name", METHODS)
def test_the_folder_and_the_mode_are_no_part_of_a_name_or_a_digest(name: str, tmp_path: Path) -> None:
    one, other = method(name, tmp_path / "a"), method(name, tmp_path / "b", lazy_mode=False)
    assert one.hash("x") == other.hash("x") != one.hash("y")
    assert one.digest() == other.digest() != method(name, tmp_path, img_size=[300, 301]).digest()


def test_every_process_makes_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "import sys; from mmte.registry import registry; from mmte.types import TxtSample\n"
        "for name in sys.argv[2:]:\n"
        "    registry.get_method_class(name)(name, sys.argv[1]).run(TxtSample('Is it so?', id='q1'))"
    )
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, tmp_path / seed, *METHODS], check=True, env=env, timeout=60)
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / seed).iterdir()} for seed in ("1", "2"))
    assert first == second
    assert set(first) == {picture(name, tmp_path / "here").name for name in METHODS}
    assert all((tmp_path / "here" / name).read_bytes() == data for name, data in first.items())


# -- reuse -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", METHODS)
def test_a_picture_that_is_there_is_reused(name: str, tmp_path: Path) -> None:
    path = picture(name, tmp_path)
    data = path.read_bytes()
    os.utime(path, ns=(10**9, 10**9))
    inode = path.stat().st_ino
    assert picture(name, tmp_path) == path
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (10**9, inode)
    assert picture(name, tmp_path, lazy_mode=False) == path
    assert path.stat().st_mtime_ns > 10**9
    assert path.read_bytes() == data


@pytest.mark.parametrize("damage", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", None])
def test_a_damaged_picture_is_made_again(damage: bytes | None, tmp_path: Path) -> None:
    path = picture("unrelated-image-noise", tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:-7] if damage is None else damage)
    assert not is_whole(path)
    assert picture("unrelated-image-noise", tmp_path) == path
    assert path.read_bytes() == data
    assert is_whole(path)


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    path, sizes = tmp_path / "deep" / "x.png", [10, 3_000_000]
    contents = [b"\x89PNG\r\n\x1a\n" + bytes(n) + b"\0\0\0\0IEND\xaeB`\x82" for n in sizes]
    write_whole(path, contents[0])

    def write(data: bytes) -> None:
        for _ in range(20):
            write_whole(path, data)

    writers = [threading.Thread(target=write, args=(data,)) for data in contents]
    for writer in writers:
        writer.start()
    seen = []
    while any(writer.is_alive() for writer in writers):
        seen.append(path.read_bytes() in contents and is_whole(path))
    assert all(seen)
    assert [p.name for p in path.parent.iterdir()] == ["x.png"]


def test_two_processes_make_the_same_pictures(tmp_path: Path) -> None:
    code = (
        "import sys; from PIL import Image; from mmte.registry import registry; from mmte.types import TxtSample\n"
        "name = 'unrelated-image-noise'\n"
        "m = registry.get_method_class(name)(name, sys.argv[1], lazy_mode=False)\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for n in range(40): Image.open(m.run(TxtSample('t', id=str(n % 4))).image_path).load()\n"
    )
    folder = tmp_path / "images"
    command = [sys.executable, "-c", code, str(folder)]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in both:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(60) for process in both] == [0, 0]
    finally:
        for process in both:
            process.kill()
            process.communicate()
    expected = {picture("unrelated-image-noise", tmp_path / "alone", "t", str(n)).name for n in range(4)}
    assert {p.name for p in folder.iterdir()} == expected
    assert all((folder / n).read_bytes() == (tmp_path / "alone" / n).read_bytes() for n in expected)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    m = method("unrelated-image-color", tmp_path / "made")
    (tmp_path / "made" / f"{m.hash('id' + chr(0) + 'q1')}.png").mkdir()
    with pytest.raises(MmteError, match=r"unrelated-image-color: .*\.png cannot be written: .* img_dir"):
        m.run(TxtSample("t", id="q1"))
    assert len(list((tmp_path / "made").iterdir())) == 1


def test_a_folder_that_vanished_is_made_again(tmp_path: Path) -> None:
    m = method("unrelated-image-color", tmp_path / "made")
    (tmp_path / "made").rmdir()
    assert Path(m.run(TxtSample("t", id="q1")).image_path).is_file()


# -- options ---------------------------------------------------------------------------------------
def test_pictures_go_to_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / name)
    assert default_img_dir() == tmp_path / "mmte" / "images"
    path = registry.get_method_class("unrelated-image-color")("unrelated-image-color").run(TxtSample("t")).image_path
    assert Path(path).parent == default_img_dir()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"img_sizes": [1, 2]}, "unknown option 'img_sizes'. Did you mean 'img_size'"),
        ({"img_size": 224}, r"img_size must be \[height, width\], each from 1 to 8192 pixels, not 224"),
        ({"img_size": "22"}, "img_size must be"),
        ({"img_size": [224]}, "img_size must be"),
        ({"img_size": [0, 5]}, "img_size must be"),
        ({"img_size": [5, 9000]}, "img_size must be"),
        ({"img_size": [5, 5.5]}, "img_size must be"),
        ({"img_size": [True, 5]}, "img_size must be"),
        ({"lazy_mode": "yes"}, "lazy_mode must be true or false, not 'yes'"),
        ({"img_dir": 3}, "img_dir must be the name of a folder, not 3"),
    ],
)
@pytest.mark.parametrize("name", METHODS)
def test_wrong_options(name: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=f"^method_cfg of {name}: {message}") as caught:
        registry.get_method_class(name)(name, **{"img_dir": str(tmp_path), **options})
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MmteError, match=r"method_cfg of unrelated-image-color: img_dir .*file cannot be made"):
        method("unrelated-image-color", tmp_path / "file")


def test_without_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    for name in METHODS:
        with pytest.raises(MissingExtra, match=r"an image method needs pillow.*'mmte\[images\]'"):
            method(name, tmp_path)


def test_methods_are_found_without_heavy_imports() -> None:
    code = (
        "import sys; from mmte.registry import registry\n"
        f"for name in {METHODS}: registry.get_method_class(name)\n"
        "print(*({'numpy', 'PIL', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == ""
    assert set(METHODS) <= set(registry.list_methods())


# -- through the engine ----------------------------------------------------------------------------
@pytest.mark.parametrize("dataset", ["pm-named", "pm-nameless", "pm-pictures"])
@pytest.mark.parametrize("name", METHODS)
def test_ids_clusters_and_limits_stay(name: str, dataset: str, tmp_path: Path) -> None:
    config = {name: {"img_dir": str(tmp_path)}}
    for limit in (None, 3):
        plain, shown = (Samples(build_dataset(dataset, {}, c, None), limit=limit) for c in ({}, config))
        names = [[(s.id, s.cluster, s.subset, s.group, s.target) for s in samples] for samples in (plain, shown)]
        assert names[0] == names[1]
    assert all(Path(s.messages[-1]["content"]["image_path"]).parent == tmp_path for s in shown)


@pytest.mark.parametrize("name", METHODS)
def test_a_model_is_shown_the_pictures(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "cache.sqlite"))
    totals, images = [], tmp_path / "images"
    for options in ({}, {"lazy_mode": False}):
        task = BaseTask(
            "pm-named", "scripted:50", method_cfg={name: {"img_dir": str(images), **options}},
            evaluator_seq_cfgs=[{"rule_match_and_score_eval": {"metrics_cfg": {"pred_mean": {}}}}],
        )  # fmt: skip
        task.get_handlers()
        shown = [request.messages[-1]["content"] for request in task.requests()]
        assert [content["text"] for content in shown] == [f"How much is {n}?" for n in range(6)]
        assert all(is_whole(Path(content["image_path"])) for content in shown)
        task.pipeline()
        totals.append((task.results[0].effort["asked"], task.results[0].effort["cached"]))
    assert totals == [(6, 0), (0, 6)]  # pictures made again have the same bytes, hence the same answers
    assert len({hashlib.sha256(p.read_bytes()).hexdigest() for p in images.iterdir()}) == (4 if "nature" in name else 6)


def test_a_model_that_reads_text_only_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "cache.sqlite"))
    config = {"unrelated-image-color": {"img_dir": str(tmp_path)}}
    task = BaseTask("pm-named", "scripted:1?modalities=text", method_cfg=config)
    with pytest.raises(MmteError, match="reads text only"):
        task.pipeline()
