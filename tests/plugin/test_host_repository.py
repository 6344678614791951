"""Beside somebody else's tests the plugin changes nothing: same items, same outcomes, same exit status, no files."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "yaml", "torch", "filelock", "sqlite3", "platformdirs", "aiohttp", "PIL"}
HOST = {
    "pytest.ini": "[pytest]\nmarkers =\n    privacy: about data\n    slow: slow\n",
    "conftest.py": """
        import json, os, sys
        import pytest

        def pytest_addoption(parser):
            parser.addoption("--model", default="tiny", choices=["tiny", "huge"], help="which of our models")
            parser.addoption("--judge", action="store_true")

        @pytest.fixture
        def model(request):
            return request.config.getoption("--model")

        @pytest.fixture(params=["a", "b"])
        def case(request):
            return request.param

        @pytest.fixture
        def record(record_property):
            return record_property

        class Sheet(pytest.File):
            def collect(self):
                for line in self.path.read_text().splitlines():
                    if ":" in line:
                        name, _, value = line.partition(":")
                        yield Row.from_parent(self, name=name.strip(), value=value.strip())

        class Row(pytest.Item):
            def __init__(self, value, **kwargs):
                super().__init__(**kwargs)
                self.value = value
            def runtest(self):
                assert self.value != "bad"

        def pytest_collect_file(file_path, parent):
            if file_path.suffix == ".yaml" and file_path.name.startswith("sheet"):
                return Sheet.from_parent(parent, path=file_path)

        def pytest_sessionfinish(session):
            who = os.environ.get("PYTEST_XDIST_WORKER", "main")
            with open(os.environ["MODULES"] + "." + who, "w") as file:
                json.dump(sorted(sys.modules), file)
        """,
    "config.yaml": "model: huge\n# mmte.task/1\n",
    "benchmarks/sheet.yaml": "good: fine\nworse: bad\n",
    "benchmarks/speed.yaml": "aspect: privacy\ndatasets: [confaide-text]\n",
    "benchmarks/test_speed.py": """
        import pytest

        @pytest.mark.privacy
        def test_speed(model, case, record):
            record("n", 3)
            assert model == "tiny"
            assert case != "b", "b is always wrong"

        @pytest.mark.parametrize("model", ["one", "two"])
        def test_named(model):
            assert model

        @pytest.mark.skip(reason="not today")
        def test_skipped(): ...

        @pytest.mark.xfail
        def test_expected():
            assert False

        @pytest.fixture
        def cracked():
            raise RuntimeError("no set-up")

        def test_error(cracked): ...

        @pytest.mark.fairness
        def test_unregistered_mark(): ...

        @pytest.mark.task("mine")
        def test_another_unregistered_mark(): ...
        """,
    "sub/conftest.py": """
        import pytest

        @pytest.fixture
        def case():
            return "sub"
        """,
    "sub/test_sub.py": """
        def test_sub(case, model, request):
            assert (case, model) == ("sub", request.config.getoption("model"))
        """,
}
"""A repository whose names are those that mmte uses, too."""


def make(pytester: pytest.Pytester, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.strip("\n").splitlines()
        indent = len(lines[0]) - len(lines[0].lstrip())
        path.write_text("\n".join(line[indent:] if not line[:indent].strip() else line for line in lines) + "\n")


@pytest.fixture
def host(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for name in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS", "MMTE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    make(pytester, HOST)
    return pytester


def outcome(host: pytest.Pytester, *args: str) -> tuple[int, list[str], list[str]]:
    """Exit status and what was printed, without times, order, and the list of plugins."""
    result = host.runpytest_subprocess("-p", "no:cacheprovider", *args)
    texts = []
    for lines in (result.outlines, result.errlines):
        shown = [re.sub(r" in \d+\.\d+s|0x[0-9a-f]+|\[gw\d\]|=+ | =+|\[ *\d+%\]", "", line) for line in lines]
        shown = [re.sub(r"^[.FEsxX]+$", lambda m: "".join(sorted(m[0])), line.strip()) for line in shown]
        texts.append(sorted(line for line in shown if not line.startswith(("plugins:", "metadata:")) and line))
    return int(result.ret), texts[0], texts[1]


def test_the_run_is_the_same_with_and_without_mmte(
    host: pytest.Pytester, workers: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("MODULES", str(tmp_path / "without"))
    without = outcome(host, "-p", "no:mmte.plugin", "-rA", *workers)
    monkeypatch.setenv("MODULES", str(tmp_path / "with"))
    assert outcome(host, "-rA", *workers) == without
    assert without[0] == 1
    assert any("2 failed, 7 passed, 1 skipped, 1 xfailed" in line for line in without[1])
    there = {p.name for p in host.path.iterdir() if not p.name.startswith("runpytest-")}
    assert there - {"stdout", "stderr"} == {name.partition("/")[0] for name in HOST}  # these are pytester's
    for who in ("main", "gw0", "gw1") if workers else ("main",):
        modules = {how: set(json.loads((tmp_path / f"{how}.{who}").read_text())) for how in ("with", "without")}
        added = modules["with"] - modules["without"]
        assert "mmte.plugin" in added
        foreign = {name for name in added if name.partition(".")[0] not in {"mmte", *sys.stdlib_module_names}}
        assert foreign == set()
        assert not {name.partition(".")[0] for name in added} & HEAVY
        assert not {
            name for name in added if name.startswith(("mmte.engine", "mmte.models", "mmte.tasks", "mmte.eval"))
        }


@pytest.mark.parametrize(
    "args",
    [["--collect-only", "-q"], ["--model=huge", "sub"], ["-m", "privacy"], ["--strict-markers"], ["--setup-plan"]],
)
def test_other_ways_to_run_are_the_same(
    host: pytest.Pytester, args: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MODULES", str(tmp_path / "modules"))
    assert outcome(host, *args) == outcome(host, "-p", "no:mmte.plugin", *args)


@pytest.mark.parametrize("option", ["--model", "--judge"])
def test_options_in_the_conftest_of_a_folder(pytester: pytest.Pytester, workers: list[str], option: str) -> None:
    make(pytester, {
        "sub/conftest.py": f"def pytest_addoption(parser): parser.addoption('{option}', default='none', dest='own')\n",
        "sub/test_sub.py": "def test_sub(request):\n    assert request.config.option.own in ('none', 'mine')\n",
        "test_root.py": "def test_root(): pass\n",
    })  # fmt: skip
    for args in ([f"{option}=mine", "sub"], []) if workers else ([option, "mine", "sub"], ["sub"], []):
        found = outcome(pytester, *args, *workers)
        assert found == outcome(pytester, "-p", "no:mmte.plugin", *args, *workers)
        assert found[0] == 0
    assert f"{option}=OWN" in pytester.runpytest_subprocess("--help", "sub").stdout.str()


def test_options_of_another_plugin(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    make(pytester, {
        "early.py": "def pytest_addoption(parser):\n    parser.getgroup('early').addoption('--model', dest='own')\n",
        "test_root.py": "def test_root(request):\n    assert request.config.option.own == 'mine'\n",
    })  # fmt: skip
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    assert pytester.runpytest_subprocess("-p", "early", "--model=mine").ret == 0


def test_mmte_works_beside_an_option_that_took_its_name(
    host: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MODULES", str(tmp_path / "modules"))
    (host.path / "benchmarks" / "t1.yaml").write_text(
        "# mmte.task/1\naspect: privacy\ndatasets: [confaide-text]\n"
        "evaluators: {rule: {rule_match_and_score_eval: {metrics_cfg: {failure: {}}}}}\n"
    )
    args = ["--model=huge", "--mmte-model=x=scripted:50", "--mmte-cache=c.sqlite"]
    result = host.runpytest_subprocess(*args, "benchmarks/t1.yaml")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["t1?confaide-text/rule/x? *", "*1 recorded*"])
