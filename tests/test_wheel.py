"""The wheel: what is in it, and that it measures what a checkout measures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from packaging.requirements import Requirement
from packaging.version import Version

from mmte.report.build import comparable

ROOT = Path(__file__).resolve().parent.parent
NOT_SOURCE = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist", "venv", "reports")
CASE = "p3-infoflow[confaide-text/rule/x]"


# -- building ------------------------------------------------------------------------------------
def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command in an environment that knows neither this run nor the settings of its user."""
    hidden = ("PYTEST", "MMTE", "PYTHONPATH", "COV", "GITHUB")
    env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)


def must(done: subprocess.CompletedProcess[str]) -> None:
    """Fail with the output of a command that failed."""
    assert done.returncode == 0, done.stdout + done.stderr


def needed(requirements: Sequence[str], seen: set[str]) -> Iterator[str]:
    """The distributions that requirements need, all the way down."""
    for text in requirements:
        requirement = Requirement(text)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name.lower() not in seen:
            seen.add(requirement.name.lower())
            yield requirement.name
            yield from needed(distribution(requirement.name).requires or [], seen)


def empty_environment(folder: Path, requirements: Sequence[str]) -> Path:
    """A virtual environment with links to the packages named and what they need, and nothing else; its interpreter."""
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in needed(requirements, set()):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(found.locate_file(top))).resolve())
    return folder / "bin" / "python"


def checkout(folder: Path) -> Path:
    """A copy of the source tree, with a report that must not be packaged."""
    shutil.copytree(ROOT, folder, ignore=NOT_SOURCE)
    (folder / "reports" / "old").mkdir(parents=True)
    (folder / "reports" / "old" / "report.json").write_text("{}")
    stale = folder / "mmte" / "minidata" / "__pycache__"
    stale.mkdir()
    (stale / "left.cpython-311.pyc").write_bytes(b"")
    return folder


def install(python: Path, *what: str | Path) -> None:
    """Install into another environment with this one's pip, without asking an index."""
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index", "--no-deps")
    must(run(*pip, "--no-build-isolation", *what, cwd=python.parent))


def make(shop: Path) -> None:
    """The wheel, and one environment for each way to have mmte: `wheel`, `bare`, `editable`."""
    needs = [*tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"], "pytest-xdist"]
    isolation = ["--no-isolation"] if Version(version("setuptools")) >= Version("77") else []
    source = checkout(shop / "source")
    must(run(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", shop, source, cwd=shop))
    install(empty_environment(shop / "wheel", needs), *shop.glob("*.whl"))
    empty_environment(shop / "bare", needs)
    checkout(shop / "checkout")
    install(empty_environment(shop / "editable", [*needs, "setuptools"]), "-e", checkout(shop / "edited"))


@pytest.fixture(scope="session")
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all that `make` makes, made once for all workers."""
    base = tmp_path_factory.getbasetemp()
    shop = (base.parent if hasattr(request.config, "workerinput") else base) / "wheel-shop"
    with FileLock(f"{shop}.lock"):
        if not (shop / "made").exists():
            shutil.rmtree(shop, ignore_errors=True)
            shop.mkdir()
            make(shop)
            (shop / "made").touch()
    return shop


Bench = Callable[..., tuple[subprocess.CompletedProcess[str], Any]]


@pytest.fixture
def bench(shop: Path, tmp_path: Path) -> Bench:
    """Runs pytest on the benchmarks with one of the environments; gives what it said and its report."""

    def call(kind: str, *options: str, model: str = "x=scripted:50") -> tuple[subprocess.CompletedProcess[str], Any]:
        folder = {"bare": shop / "checkout", "editable": shop / "edited"}.get(kind, tmp_path / "empty")
        folder.mkdir(exist_ok=True)
        report = tmp_path / f"report-{kind}-{len(list(tmp_path.iterdir()))}"
        what = ("--pyargs", "mmte.benchmarks") if kind == "wheel" else ("benchmarks",)
        done = run(
            shop / kind / "bin" / "python", "-P", "-m", "pytest", *what, "-k", "privacy and text", f"--model={model}",
            f"--mmte-cache={report}.sqlite", f"--mmte-report={report}", "-p", "no:cacheprovider", *options, cwd=folder,
        )  # fmt: skip
        file = report / "report.json"
        return done, json.loads(file.read_text("utf-8")) if file.exists() else None

    return call


# -- what is in it -------------------------------------------------------------------------------
def test_wheel_has_what_a_run_needs_and_nothing_else(shop: Path) -> None:
    (wheel,) = shop.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = {name for name in names if ".dist-info/" in name}
    moved = {name for name in names - info if name.startswith(("mmte/benchmarks/", "mmte/fixtures/"))}
    source = shop / "source"

    def files(folder: str) -> set[str]:
        found = (path for path in (source / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {path.relative_to(source).as_posix() for path in found}

    assert names - info - moved == files("mmte")
    assert {name.removeprefix("mmte/") for name in moved} == files("benchmarks") | files("fixtures")
    assert {"mmte/py.typed", "mmte/models/catalogue.yaml", "mmte/report/schema.json", "mmte/minidata/MINIDATA"} <= names
    assert "mmte/benchmarks/privacy/p3-infoflow.yaml" in names
    assert any(name.endswith("/licenses/LICENSE") for name in info)
    assert any(name.endswith("/licenses/mmte/evaluators/harmbench/LICENSE") for name in info)


def test_sdist_builds_the_same_wheel(shop: Path, tmp_path: Path) -> None:
    source = shop / "source"
    must(run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, source, cwd=tmp_path))
    contents = []
    for folder in (shop, tmp_path):
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            contents.append({item.filename: item.CRC for item in archive.infolist() if "/RECORD" not in item.filename})
    assert contents[0] == contents[1]


# -- what it does --------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_installed_package_is_found_where_it_was_put(shop: Path, tmp_path: Path, kind: str) -> None:
    code = "import mmte, mmte.benchmarks as b, mmte.fixtures as f; print(mmte.__file__, b.__file__, f.__file__)"
    done = run(shop / kind / "bin" / "python", "-P", "-c", code, cwd=tmp_path)
    must(done)
    root = shop / ("wheel" if kind == "wheel" else "edited")
    assert [Path(file).is_relative_to(root) for file in done.stdout.split()] == [True] * 3


def test_import_brings_in_nothing_heavy(shop: Path, tmp_path: Path) -> None:
    heavy = {"torch", "numpy", "yaml", "sqlite3", "aiohttp"}
    code = f"import sys, mmte, mmte.plugin; print(sorted({heavy} & set(sys.modules)))"
    done = run(shop / "wheel" / "bin" / "python", "-P", "-c", code, cwd=tmp_path)
    must(done)
    assert done.stdout.strip() == "[]"


def test_wheel_runs_in_an_empty_folder_without_xdist(bench: Bench) -> None:
    done, report = bench("wheel", "-p", "no:xdist")
    must(done)
    assert report["schema"] == "mmte.report/1"
    assert report["run"]["exit"] == 0
    assert report["settings"]["data"] == "mini"
    (row,) = [row for row in report["results"] if row["case"] == CASE]
    assert row["outcome"] == "recorded"
    found = {estimate["metric"]: estimate for estimate in row["estimates"]}
    assert (found["failure"]["value"], found["failure"]["n"]) == (0.0, 28)
    assert found["pearson_corr"]["value"] is None  # a constant answer has no correlation


@pytest.mark.parametrize("kind", ["wheel", "bare", "editable"])
def test_every_install_measures_the_same_in_one_process_and_in_two(bench: Bench, kind: str) -> None:
    done, expected = bench("wheel", model="x=scripted:50|-50|100")
    must(done)
    for options in ([], ["-n2"]):
        if kind == "wheel" and not options:
            continue
        done, report = bench(kind, *options, model="x=scripted:50|-50|100")
        must(done)
        assert comparable(report) == comparable(expected)


def test_mmte_command_is_installed(shop: Path, tmp_path: Path) -> None:
    done = run(shop / "wheel" / "bin" / "mmte", "list", cwd=tmp_path)
    must(done)
    assert "p3-infoflow" in done.stdout


@pytest.mark.parametrize("extra", ["gguf", "api"])
def test_missing_extra_is_one_line_that_names_it(bench: Bench, tmp_path: Path, extra: str) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    models = {"gguf": f"x=gguf:{tmp_path / 'model.gguf'}", "api": "x=openai:some@http://127.0.0.1:9/v1"}
    done, report = bench("wheel", model=models[extra])
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    (row,) = [row for row in report["results"] if row["case"] == CASE]
    assert f"pip install 'mmte[{extra}]'" in row["reason"]
    assert row["estimates"] == []
