"""Ids such as `hf:org/name` against a hub on the loopback interface, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from loopback_hub import Hub, serving  # noqa: E402
from PIL import Image  # noqa: E402

ASK = """
import json, sys
from mmte.errors import MmteError
from mmte.models.spec import parse_model
from mmte.types import Generation, Request
specs, image = sys.argv[2:], sys.argv[1]
for spec in specs:
    try:
        model = parse_model("m=hf:" + spec).build()
        found = {"identity": dict(model.identity()), "modalities": sorted(model.modalities),
                 "heavy": [n for n in ("torch", "transformers") if n in sys.modules]}
        content = {"image_path": image, "text": "Hi"} if image else "Hi"
        request = Request(({"role": "user", "content": content},), Generation(max_new_tokens=5))
        found["answers"] = [[r.status, r.content] for batch in model.generate([request]) for _, r in batch]
    except MmteError as error:
        found = {"error": str(error)}
    print(json.dumps(found))
"""


def ask(env: dict[str, str], *specs: str, image: Path | str = "") -> list[dict[str, Any]]:
    run = subprocess.run(
        [sys.executable, "-c", ASK, str(image), *specs],
        env={k: v for k, v in os.environ.items() if not k.startswith("HF_")} | {"CUDA_VISIBLE_DEVICES": ""} | env,
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in run.stdout.splitlines()]


def asked_for(hub: Hub, part: str) -> int:
    return sum(part in path for path in hub.asked)


def test_a_text_model_by_its_id(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model")
    with serving({"org/tiny": folder}) as hub:
        env = hub.environment(tmp_path / "home")
        by_id, by_folder = ask(env, "org/tiny", str(folder))
        assert by_id["answers"] == by_folder["answers"] and by_id["answers"][0][0] == "ok"
        assert by_id["heavy"] == [] and by_id["modalities"] == ["text"]
        assert (by_id["identity"]["repo"], by_id["identity"]["commit"]) == ("org/tiny", hub.commit)
        assert "commit" not in by_folder["identity"]

        hub.asked.clear()
        missing, unknown, pinned = ask(env, "org/none", "org/tiny?revision=v9", f"org/tiny?revision={hub.commit}")
        assert "org/none is not on the hub" in missing["error"]
        assert "at revision v9 has no such revision" in unknown["error"]
        assert pinned["identity"] == by_id["identity"]
        assert asked_for(hub, hub.commit) == 0  # everything of that commit is in the local cache

    # The hub is gone; what was fetched still answers, also when told to be offline.
    (gone,) = ask(env, "org/tiny")
    assert gone["answers"] == by_id["answers"] and gone["identity"] == by_id["identity"]
    kept, absent = ask(env | {"HF_HUB_OFFLINE": "1"}, "org/tiny", "org/other")
    assert kept["answers"] == by_id["answers"]
    assert "org/other cannot be fetched and is not in the local cache" in absent["error"]
    assert not any("\n" in found.get("error", "") for found in (missing, unknown, absent))


def test_the_identity_fetches_no_weights(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model")
    code = "import sys; from mmte.models.spec import parse_model; parse_model('m=hf:org/tiny').build().identity()"
    with serving({"org/tiny": folder}) as hub:
        run = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | hub.environment(tmp_path / "home"), timeout=120,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert asked_for(hub, "config.json") and not asked_for(hub, "safetensors")
        assert run.stderr == ""  # no progress bar for a few small files


def test_a_new_commit_is_a_new_model(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model")
    with serving({"org/tiny": folder}) as hub:
        env = hub.environment(tmp_path / "home")
        (before,) = ask(env, "org/tiny")
        tiny_models.text_model(folder, seed=1)
        hub.commit = "b" * 40
        after, pinned = ask(env, "org/tiny", f"org/tiny?revision={'a' * 40}")
    assert after["identity"] != before["identity"] and after["answers"] != before["answers"]
    assert pinned == before | {"heavy": pinned["heavy"]}


def test_a_qwen2_vl_by_its_id(tmp_path: Path) -> None:
    folder = tiny_models.qwen2_vl(tmp_path / "model")
    Image.new("RGB", (64, 48), (200, 30, 30)).save(tmp_path / "a.png")
    with serving({"Qwen/Qwen2-VL-Tiny": folder}) as hub:
        (found,) = ask(hub.environment(tmp_path / "home"), "Qwen/Qwen2-VL-Tiny", image=tmp_path / "a.png")
    assert found["modalities"] == ["image", "text"]
    assert found["answers"][0][0] == "ok"


def test_code_of_a_repository_is_not_even_fetched(tmp_path: Path) -> None:
    folder = tiny_models.text_model(tmp_path / "model")
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w').close()\n", "utf-8")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {"model_type": "mmte-own", "auto_map": {"AutoConfig": "own.OwnConfig"}}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    with serving({"org/coded": folder}) as hub:
        (found,) = ask(hub.environment(tmp_path / "home"), "org/coded")
        assert "add trust_remote_code=yes" in found["error"]
        assert not asked_for(hub, "own.py") and not ran.exists()
