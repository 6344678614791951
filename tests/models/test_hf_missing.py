"""Without torch and transformers the hf backend says what to install; a folder's identity needs neither."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

from mmte.errors import MissingExtra, MmteError
from mmte.models.base import BaseChat
from mmte.models.hf_files import Facts
from mmte.models.spec import parse_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}), "utf-8")
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    return tmp_path


def build(folder: Path, query: str = "device=cpu") -> BaseChat:
    return parse_model(f"m=hf:{folder}?{query}").build()


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_it_says_what_to_install(package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    model = build(folder)
    assert model.identity()["backend"] == "hf"
    with pytest.raises(MissingExtra, match=r"the hf backend needs transformers and torch.*pip install 'mmte\[hf\]'"):
        model.load()


def test_one_changed_weight_changes_the_identity(folder: Path) -> None:
    before = build(folder).identity()
    raw = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(raw[:-1] + b"\x01")
    assert build(folder).identity() != before


@pytest.mark.parametrize("raw", [b"", b"\xff" * 16, struct.pack("<Q", 4) + b"{}", struct.pack("<Q", 2) + b"[]"])
def test_what_is_no_safetensors_file_is_one_line(raw: bytes, folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(raw)
    with pytest.raises(MmteError, match=r"model\.safetensors of the model cannot be read") as caught:
        build(folder).identity()
    assert "\n" not in str(caught.value) and str(folder) not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "text", "sees", "template"),
    [
        ("README.md", "{}", False, False),
        ("preprocessor_config.json", '{"image_processor_type": "CLIPImageProcessor"}', True, False),
        ("preprocessor_config.json", '{"feature_extractor_type": "Whisper"}', False, False),
        ("processor_config.json", '{"image_processor": {"image_processor_type": "X"}}', True, False),
        ("tokenizer_config.json", '{"chat_template": "{{ x }}"}', False, True),
        ("chat_template.json", '{"chat_template": "{{ x }}"}', False, True),
        ("chat_template.jinja", "{{ x }}", False, True),
    ],
)
def test_the_small_files_tell_what_it_can(file: str, text: str, sees: bool, template: bool, folder: Path) -> None:
    (folder / file).write_text(text, "utf-8")
    facts = Facts.read(folder, "--model m")
    assert (facts.sees, facts.template) == (sees, template)


def test_a_vision_config_is_enough(folder: Path) -> None:
    (folder / "config.json").write_text('{"vision_config": {}}', "utf-8")
    assert build(folder).modalities == {"text", "image"}


def test_auto_without_a_gpu_is_float32_on_the_cpu(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMTE_GPUS", "")
    model = build(folder, "batch=4")
    assert (model.device, model.identity()["device"], model.identity()["dtype"]) == ("cpu", "cpu", "float32")
    asked = build(folder, "device=cuda:1")
    assert (asked.device, asked.identity()["device"], asked.identity()["dtype"]) == ("gpu", "cuda", "bfloat16")
