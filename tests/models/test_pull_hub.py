"""`mmte models` with names whose files are on the hub, against a hub on the loopback interface."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from loopback_hub import Hub, serving  # noqa: E402

from mmte.models.spec import catalogue  # noqa: E402

ID = str(catalogue()["qwen-vl"]["spec"]).removeprefix("hf:")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.qwen2_vl(tmp_path_factory.mktemp("qwen"))


@pytest.fixture
def hub(folder: Path) -> Iterator[Hub]:
    with serving({ID: folder}) as served:
        yield served


def mmte(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "MMTE_"))}
    code = "import sys; from mmte.cli import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code, "models", *words], env=kept | env, timeout=120,
                          capture_output=True, text=True, check=False)  # fmt: skip


def state(env: dict[str, str], name: str = "qwen-vl") -> str:
    (line,) = (line for line in mmte(env, "list").stdout.splitlines() if line.startswith(name + " "))
    return line


def test_a_name_is_pulled_from_the_hub(hub: Hub, folder: Path, tmp_path: Path) -> None:
    env = hub.environment(tmp_path / "home")
    assert state(env).endswith(f"(Apache-2.0)  hf:{ID}  to pull from the hub")
    assert hub.asked == []  # a list asks nobody

    pulled = mmte(env, "pull", "qwen-vl")
    assert pulled.returncode == 0, pulled.stderr
    bar, last = pulled.stdout.splitlines()[-2:]
    assert bar.startswith("qwen-vl: ") and bar.endswith("(100%)")
    assert last.endswith(f"{ID} at commit {hub.commit})")
    snapshot = Path(last.removeprefix("qwen-vl: ").rpartition(" (")[0])
    assert {p.name: p.read_bytes() for p in snapshot.iterdir()} == {p.name: p.read_bytes() for p in folder.iterdir()}
    assert pulled.stderr == ""

    hub.began.clear()
    assert mmte(env, "pull", "qwen-vl").stdout == last + "\n"  # nothing to fetch, no progress
    assert hub.began == []
    assert state(env).endswith(f"  on this machine: {snapshot}")


def test_a_broken_transfer_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """huggingface_hub keeps pieces of 10 MiB within one command, and finished files for the next one."""
    piece, folder = 10 * 2**20, tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}", "utf-8")
    (folder / "a.safetensors").write_bytes(random.Random(0).randbytes(piece + 5_000))
    (folder / "b.safetensors").write_bytes(bytes(5_000))
    with serving({ID: folder}) as hub:
        env = hub.environment(tmp_path / "home")
        hub.stop_at["a.safetensors"] = [piece + 1_000, -1]
        broken = mmte(env, "pull", "qwen-vl")
        assert broken.returncode == 4
        last = broken.stderr.splitlines()[-1]
        assert last.startswith(f"mmte: mmte models pull qwen-vl: {ID} at revision {hub.commit} cannot be fetched")
        assert sorted(hub.began) == [("a.safetensors", 0), ("a.safetensors", piece), ("b.safetensors", 0)]
        assert state(env).endswith("to pull from the hub")  # half a model is none

        hub.began.clear()
        hub.stop_at["a.safetensors"] = [piece + 1_000]
        again = mmte(env, "pull", "qwen-vl")
        assert again.returncode == 0, again.stderr
        assert hub.began == [("a.safetensors", 0), ("a.safetensors", piece)]
    assert "qwen-vl: 10.5 of 10.5 MB (100%)\n" in again.stdout
    snapshot = Path(again.stdout.splitlines()[-1].removeprefix("qwen-vl: ").rpartition(" (")[0])
    assert (snapshot / "a.safetensors").read_bytes() == (folder / "a.safetensors").read_bytes()


def test_any_id_of_the_hub_can_be_pulled(hub: Hub, tmp_path: Path) -> None:
    env = hub.environment(tmp_path / "home")
    pinned = mmte(env, "pull", f"hf:{ID}?revision={hub.commit}")
    assert pinned.returncode == 0 and f"{ID} at commit {hub.commit})" in pinned.stdout
    for words, message in (
        ([f"hf:{ID}?revision=v9"], f"{ID} at revision v9 has no such revision"),
        (["hf:org/none"], "org/none is not on the hub"),
        (["hf:a/b/c"], "'a/b/c' is neither a folder nor an id"),
        ([f"hf:{tmp_path}/home"], "has no config.json"),
        (["qwen-vl", "--to", str(tmp_path)], "--from and --to are not for the hub's files; HF_HOME"),
        (["qwen-vll"], "unknown model 'qwen-vll'. Did you mean 'qwen-vl'"),
        (["openai:x@http://127.0.0.1:9/v1"], "has no file to pull"),
        (["nothing:x"], "unknown backend 'nothing'"),
    ):
        refused = mmte(env, "pull", *words)
        assert refused.returncode == 4 and message in refused.stderr, (words, refused.stderr)
        assert refused.stderr.count("\n") == 1 and refused.stdout == ""


def test_without_a_hub_it_says_so(tmp_path: Path) -> None:
    with serving({}) as gone:
        env = gone.environment(tmp_path / "home")
    for more in ({}, {"HF_HUB_OFFLINE": "1"}):
        refused = mmte(env | more, "pull", "qwen-vl")
        assert refused.returncode == 4 and refused.stderr.count("\n") == 1
        assert f"mmte models pull qwen-vl: {ID} cannot be fetched and is not in the local cache" in refused.stderr
