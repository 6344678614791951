"""The hf backend: whose answers they are (identity), and what goes wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from tiny_models import answers, asked, build  # noqa: E402

from mmte.engine.keys import FileHashes, Keys  # noqa: E402
from mmte.errors import MmteError  # noqa: E402
from mmte.models.base import BaseChat  # noqa: E402
from mmte.models.spec import parse_model  # noqa: E402
from mmte.types import Request  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.text_model(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[BaseChat]:
    built = build(folder)
    yield built
    built.close()


# -- identity ------------------------------------------------------------------------------------
def test_the_identity_is_that_of_the_files_wherever_they_lie(folder: Path, model: BaseChat, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "elsewhere"))
    assert build(copy).identity() == model.identity()
    assert str(folder) not in json.dumps(model.identity())
    (copy / "README.md").write_text("about", "utf-8")
    assert build(copy).identity() == model.identity()


@pytest.mark.parametrize(
    "file", ["config.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json"]
)
def test_every_small_file_counts(file: str, folder: Path, model: BaseChat, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "changed"))
    (copy / file).write_text((copy / file).read_text("utf-8") + "\n", "utf-8")
    assert build(copy).identity() != model.identity()


def test_further_training_shows(folder: Path, model: BaseChat, tmp_path: Path) -> None:
    """Same shapes, same size, other weights."""
    other = tiny_models.text_model(tmp_path / "other", seed=1)
    sizes = [(p / "model.safetensors").stat().st_size for p in (folder, other)]
    assert sizes[0] == sizes[1]
    assert build(other).identity() != model.identity()
    (request,) = asked(["Hello"])
    assert Keys(build(other).identity(), FileHashes())(request) != Keys(model.identity(), FileHashes())(request)


def test_settings_count_where_they_decide(folder: Path, model: BaseChat) -> None:
    assert build(folder, dtype="bfloat16").identity() != model.identity()
    assert build(folder, batch=3).identity() == model.identity()
    assert model.identity()["dtype"] == "float32"  # auto on the CPU


def test_the_identity_needs_no_weights(folder: Path, tmp_path: Path) -> None:
    built = build(folder)
    built.identity()
    assert built.modalities == {"text"}
    assert built._loaded is None  # type: ignore[attr-defined]


# -- what goes wrong -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hf:/no/such/folder", "neither a folder nor an id"),
        ("hf:", "neither a folder nor an id"),
        ("hf:{folder}?revision=main", "revision= is for ids of the hub"),
        ("hf:{folder}?dtype=float8", "dtype='float8'"),
        ("hf:{folder}?device=tpu", "device='tpu'"),
        ("hf:{folder}?device=cpu:1", "device='cpu:1'"),
        ("hf:{folder}?batch=0", "batch=0"),
        ("hf:{folder}?bach=3", "Did you mean 'batch'"),
        ("hf:{folder}?trust_remote_code=maybe", "trust_remote_code='maybe'"),
        ("hf:{empty}", "no config.json"),
    ],
)
def test_mistakes_are_one_line(spec: str, message: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=message) as caught:
        parse_model("m=" + spec.format(folder=folder, empty=tmp_path)).build()
    assert "\n" not in str(caught.value)


def _without_weights(copy: Path) -> None:
    (copy / "model.safetensors").unlink()


def _truncated(copy: Path) -> None:
    raw = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(raw[: len(raw) // 2])


def _a_tensor_short(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    tensors.pop("model.norm.weight")
    save_file(tensors, copy / "model.safetensors", {"format": "pt"})


def _unknown_type(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text("utf-8"))
    (copy / "config.json").write_text(json.dumps(config | {"model_type": "no-such-type"}), "utf-8")


def _no_json(copy: Path) -> None:
    (copy / "config.json").write_text("{", "utf-8")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (_without_weights, r"no \*\.safetensors"),
        (_truncated, "cannot load it"),
        (_a_tensor_short, "lack 1 tensors, e.g. model.norm.weight"),
        (_unknown_type, "cannot load it"),
        (_no_json, "config.json of the model cannot be read"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_broken_files_are_one_line(harm: Any, message: str, folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "broken"))
    harm(copy)
    with pytest.raises(MmteError, match=message) as caught:
        build(copy).load()
    assert "\n" not in str(caught.value)


def test_settings_that_exclude_each_other(model: BaseChat) -> None:
    with pytest.raises(MmteError, match="exclude each other"):
        answers(model, asked(["x"], num_beams=2, do_sample=True))
    with pytest.raises(MmteError, match="does not support output_scores"):
        answers(model, asked(["x"], output_scores=True))


def test_a_text_model_is_shown_no_image(model: BaseChat) -> None:
    with pytest.raises(MmteError, match="reads text only"):
        answers(model, [Request(({"role": "user", "content": {"image_path": "a.png", "text": "?"}},))])


@pytest.mark.parametrize(
    "raised",
    [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("DefaultCPUAllocator: can't allocate memory")],
)
def test_full_memory_is_said_in_torch_s_way(folder: Path, raised: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine halves a batch on it; here four at a time are too many."""
    built: Any = build(folder, batch=8)
    built.load()
    real = built._loaded.model.generate

    def small(**inputs: Any) -> Any:
        if inputs["input_ids"].shape[0] > 4:
            raise raised
        return real(**inputs)

    monkeypatch.setattr(built._loaded.model, "generate", small)
    with pytest.raises(torch.OutOfMemoryError, match="memory"):
        answers(built, asked(["x"] * 8))
    assert len(answers(built, asked(["x"] * 4))) == 4


def test_other_errors_are_not_taken_for_full_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: Any = build(folder)
    built.load()

    def broken(**_: Any) -> Any:
        raise RuntimeError("device-side assert")

    monkeypatch.setattr(built._loaded.model, "generate", broken)
    with pytest.raises(RuntimeError, match="device-side assert"):
        answers(built, asked(["x"]))


def test_remote_code_runs_only_when_told_to(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "coded"))
    ran = tmp_path / "ran"
    code = (
        f"open({str(ran)!r}, 'a').close()\nfrom transformers import LlamaConfig, LlamaForCausalLM\n"
        "class OwnConfig(LlamaConfig):\n    model_type = 'mmte-own'\n"
        "class OwnModel(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    (copy / "own.py").write_text(code, "utf-8")
    config = json.loads((copy / "config.json").read_text("utf-8"))
    config |= {"model_type": "mmte-own", "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"}}  # fmt: skip # noqa: E501
    (copy / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(MmteError, match="add trust_remote_code=yes"):
        build(copy).load()
    assert not ran.exists()
    trusted = build(copy, trust_remote_code="yes")
    assert trusted.identity() != build(copy).identity()
    (copy / "own.py").write_text(code + "# changed\n", "utf-8")
    assert build(copy, trust_remote_code="yes").identity() != trusted.identity()
    trusted.load()
    assert ran.exists()


def test_an_encoder_decoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match="an encoder-decoder model does not run here; serve it"):
        build(tiny_models.instructblip(tmp_path)).load()
