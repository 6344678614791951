"""The hf backend with models that see: tiny random LLaVA, LLaVA-NeXT and Qwen2-VL (without torchvision)."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from PIL import Image  # noqa: E402

from mmte.engine.keys import FileHashes, Keys  # noqa: E402
from mmte.models.base import BaseChat  # noqa: E402
from mmte.models.spec import parse_model  # noqa: E402
from mmte.types import Generation, Kind, Request, Response  # noqa: E402


@pytest.fixture(scope="module", params=["llava", "llava_next", "qwen2_vl"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    make: Callable[[Path], Path] = getattr(tiny_models, request.param)
    return make(tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[BaseChat]:
    built = parse_model(f"m=hf:{folder}?device=cpu&dtype=float32").build()
    yield built
    built.close()


def picture(path: Path, seed: int = 0, size: tuple[int, int] = (70, 50)) -> Path:
    draw = random.Random(seed)
    image = Image.new("RGB", size, tuple(draw.randrange(256) for _ in range(3)))
    image.paste(tuple(draw.randrange(256) for _ in range(3)), (5, 5, size[0] // 2, size[1] // 2))
    image.save(path)
    return path


def shown(path: Path | str, text: str = "What is it?", kind: Kind = "chat", continuation: str = "") -> Request:
    message = {"role": "user", "content": {"image_path": str(path), "text": text}}
    return Request((message,), Generation(max_new_tokens=8), kind, continuation)


def answers(model: BaseChat, requests: list[Request]) -> list[Response]:
    by_id = {id(q): r for batch in model.generate(requests) for q, r in batch}
    return [by_id[id(q)] for q in requests]


def test_it_sees_and_says_so_before_it_is_loaded(folder: Path) -> None:
    built = parse_model(f"m=hf:{folder}?device=cpu").build()
    assert built.modalities == {"text", "image"}
    assert built._loaded is None  # type: ignore[attr-defined]


def test_padding_changes_no_answer(model: BaseChat, tmp_path: Path) -> None:
    """Pictures of several sizes, questions of several lengths, and questions without a picture among them."""
    sizes = [(70, 50), (28, 28), (120, 60), (40, 90)]
    pictures = [picture(tmp_path / f"{i}.png", i, sizes[i % 4]) for i in range(12)]
    requests = [shown(p, "x" * (i * 5 % 37) + "?") for i, p in enumerate(pictures)]
    requests += [
        Request(({"role": "user", "content": f"Only text {'y' * i}"},), requests[0].generation) for i in (1, 9)
    ]
    together = answers(model, requests)
    assert together == [answers(model, [request])[0] for request in requests]
    assert {r.status for r in together} <= {"ok", "empty"}
    assert len({r.content for r in together}) > 8


def test_batches_keep_pictures_apart_and_smaller(model: BaseChat, tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png")
    text = Request(({"role": "user", "content": "Only text"},), Generation(max_new_tokens=8))
    assert [len(b) for b in model.batches([text, *[shown(path)] * 11, text])] == [2, 8, 3]


def test_a_pixel_changes_cache_key_and_likelihood(model: BaseChat, tmp_path: Path) -> None:
    path = picture(tmp_path / "a.png", size=(56, 56))
    asked = shown(path, kind="loglikelihood", continuation=" a cat")
    (before,), key = answers(model, [asked]), Keys(model.identity(), FileHashes())(asked)
    image = Image.open(path)
    for x in range(20, 40):
        for y in range(20, 40):
            image.putpixel((x, y), (255, 0, 255))
    image.save(path)
    (after,) = answers(model, [asked])
    assert abs(after.logprobs - before.logprobs) > 1e-3
    assert Keys(model.identity(), FileHashes())(asked) != key


def test_other_pictures_other_answers(model: BaseChat, tmp_path: Path) -> None:
    found = answers(model, [shown(picture(tmp_path / f"{i}.png", i)) for i in range(8)])
    assert len({r.content for r in found}) >= 4


def test_log_likelihoods_with_pictures(model: BaseChat, tmp_path: Path) -> None:
    requests = [
        shown(picture(tmp_path / f"{i}.png", i), "?" * (i + 1), "loglikelihood", " yes" * (i + 1)) for i in range(4)
    ]
    together = [r.logprobs for r in answers(model, requests)]
    alone = [answers(model, [request])[0].logprobs for request in requests]
    assert together == pytest.approx(alone, abs=1e-3)


def test_a_bad_picture_costs_its_own_sample_only(model: BaseChat, tmp_path: Path) -> None:
    good, text, half = picture(tmp_path / "good.png"), tmp_path / "text.png", tmp_path / "half.png"
    text.write_text("no image", "utf-8")
    half.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    found = answers(model, [shown(text), shown(good), shown(half), shown(tmp_path / "absent.png"), shown(good, "And?")])
    assert [r.status for r in found] == ["error", "ok", "error", "error", "ok"]
    for name, response in (("text.png", found[0]), ("half.png", found[2]), ("absent.png", found[3])):
        assert response.error.startswith(f"image {name} cannot be read") and not response.retryable
        assert str(tmp_path) not in response.error and "\n" not in response.error
    assert found[1] == answers(model, [shown(good)])[0]


def test_any_picture_format_is_shown_as_rgb(model: BaseChat, tmp_path: Path) -> None:
    """The same red square as palette, grey+alpha, RGBA and RGB files."""
    plain = Image.new("RGB", (56, 56), (255, 0, 0))
    plain.save(tmp_path / "rgb.png")
    plain.convert("RGBA").save(tmp_path / "rgba.png")
    plain.convert("P").save(tmp_path / "palette.png")
    plain.save(tmp_path / "bitmap.bmp")
    found = answers(model, [shown(tmp_path / name) for name in ("rgb.png", "rgba.png", "palette.png", "bitmap.bmp")])
    assert len({r.content for r in found}) == 1


def test_the_picture_reaches_the_processor_in_its_own_size(model: Any, tmp_path: Path) -> None:
    model.load()
    seen: list[tuple[int, int]] = []
    real = model._loaded.processor

    class Spy:
        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

        def __call__(self, *args: Any, images: Any = None, **kwargs: Any) -> Any:
            seen.extend(image.size for row in images for image in row)
            return real(*args, images=images, **kwargs)

    model._loaded.processor = Spy()
    try:
        answers(model, [shown(picture(tmp_path / "a.png", size=(333, 77)))])
    finally:
        model._loaded.processor = real
    assert seen == [(333, 77)]


def test_two_pictures_in_one_conversation(model: BaseChat, tmp_path: Path) -> None:
    first, second = picture(tmp_path / "1.png", 1), picture(tmp_path / "2.png", 2)

    def talk(one: Path, two: Path) -> Request:
        turns = [({"image_path": str(one), "text": "One?"}, "user"), ("A cat.", "assistant"),
                 ({"image_path": str(two), "text": "Two?"}, "user")]  # fmt: skip
        return Request(tuple({"role": r, "content": c} for c, r in turns), Generation(max_new_tokens=8))

    found = answers(model, [talk(first, second), talk(second, first), talk(first, first), shown(first)])
    assert {r.status for r in found} <= {"ok", "empty"}
    assert len({r.content for r in found[:3]}) > 1


def test_the_image_settings_count(folder: Path, model: BaseChat, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "changed"))
    name = next(n for n in ("preprocessor_config.json", "processor_config.json") if (copy / n).is_file())
    settings = json.loads((copy / name).read_text("utf-8"))
    (copy / name).write_text(json.dumps(settings | {"about": "other"}), "utf-8")
    assert parse_model(f"m=hf:{copy}?device=cpu").build().identity() != model.identity()
