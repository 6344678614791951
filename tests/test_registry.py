"""Names to classes: lazy, open to other packages, clear about mistakes."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmte.errors import MmteError
from mmte.registry import Registry

KINDS = ["dataset", "method", "chatmodel", "backend", "evaluator"]
PACKAGES = {kind: f"mmte.{kind}s" for kind in KINDS} | {"chatmodel": "mmte.models", "backend": "mmte.models"}
INDEX = [
    (kind, name, module)
    for kind, package in PACKAGES.items()
    for name, module in importlib.import_module(package).INDEX.get(kind, {}).items()
]
SHOWS = "from mmte.registry import registry\nimport sys, warnings\n"


def python(code: str, *paths: Path, ok: bool = True) -> str:
    """What a fresh interpreter prints; stderr (warnings) included."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONWARNINGS": "always"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
    )
    assert (done.returncode == 0) is ok, done.stdout
    return done.stdout


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """Makes a distribution `name` with one module and one entry point of group mmte; returns its folder."""

    def make(name: str, code: str, *, version: str = "1.2", point: str = "") -> Path:
        folder = tmp_path / "site"
        info = folder / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        info.joinpath("entry_points.txt").write_text(f"[mmte]\n{point or name} = {name}\n")
        folder.joinpath(f"{name}.py").write_text(code)
        return folder

    return make


def dataset(name: str) -> str:
    return f"""
from mmte.utils.registry import registry
from mmte.datasets.base import BaseDataset

@registry.register_dataset()
class Theirs(BaseDataset):
    dataset_ids = [{name!r}]
"""


# -- lazy ------------------------------------------------------------------------------------------
def test_asking_for_an_id_imports_only_its_module() -> None:
    out = python(
        SHOWS + "registry.get_dataset_class('unrelated-image-color')\n"
        "print(*sorted(m for m in sys.modules if m.startswith(('mmte.datasets.', 'mmte.evaluators.', 'mmte.models.'))))"
    )
    assert "mmte.datasets.unrelated" in out.split()
    assert not {"mmte.datasets.confaide", "mmte.evaluators.rule_match", "mmte.models.openai"} & set(out.split())


def test_listing_ids_imports_none_of_our_modules() -> None:
    out = python(SHOWS + "print('confaide-text' in registry.list_datasets(), 'mmte.datasets.confaide' in sys.modules)")
    assert out.split() == ["True", "False"]


def test_mmte_imports_without_heavy_packages() -> None:
    heavy = "{'torch', 'numpy', 'yaml', 'transformers', 'mmte.types'}"
    out = python(f"import mmte, sys\nprint(*({heavy} & set(sys.modules)))")
    assert out.split() == []


def test_samples_can_be_imported_from_mmte() -> None:
    from mmte import ImageTxtSample, TxtSample
    from mmte.datasets import base

    assert (TxtSample, ImageTxtSample) == (base.TxtSample, base.ImageTxtSample)
    with pytest.raises(ImportError):
        exec("from mmte import Nothing", {})


# -- our own ids -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("kind", "name", "module"), INDEX, ids=[f"{kind}-{name}" for kind, name, _ in INDEX])
def test_every_id_of_the_index_is_registered_by_its_module(kind: str, name: str, module: str) -> None:
    from mmte.registry import registry

    assert getattr(registry, f"get_{kind}_class")(name).__module__ == module


def test_every_registered_id_of_ours_is_in_the_index() -> None:
    out = python(
        "import importlib, json, pkgutil\n"
        "from mmte.registry import registry\n"
        "packages = [importlib.import_module(f'mmte.{p}') for p in ('datasets', 'methods', 'models', 'evaluators')]\n"
        "for package in packages:\n"
        "    for info in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        importlib.import_module(info.name)\n"
        "for package in packages:\n"
        "    package.INDEX = {}\n"
        "registry._loaded_plugins = True\n"
        f"print(json.dumps({{kind: getattr(registry, f'list_{{kind}}s')() for kind in {KINDS}}}))"
    )
    known = {(kind, name) for kind, names in json.loads(out.splitlines()[-1]).items() for name in names}
    assert known == {(kind, name) for kind, name, _ in INDEX}


# -- mistakes --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "asked", "hint"),
    [
        ("dataset", "confaide-txt", "Did you mean 'confaide-text'"),
        ("evaluator", "rule_match_and_score", "Did you mean 'rule_match_and_score_eval'"),
        ("backend", "opnai", "Did you mean 'openai'"),
        ("dataset", "zq-nowhere-data", "Known: |`mmte list datasets` shows"),
    ],
)
def test_unknown_ids_get_near_names(kind: str, asked: str, hint: str) -> None:
    with pytest.raises(MmteError, match=f"^unknown {kind} '{asked}'\\. ?({hint})"):
        getattr(Registry(), f"get_{kind}_class")(asked)


def test_a_second_registration_names_both_places() -> None:
    registry = Registry()

    @registry.register_evaluator()
    class One:
        evaluator_ids = ("reg-twice",)

    with pytest.raises(MmteError) as caught:

        @registry.register_evaluator()
        class Other:
            evaluator_ids = ("reg-free", "reg-twice")

    line = inspect.getsourcelines(One)[1]
    assert f"One ({__file__}:{line}) and by {__name__}." in str(caught.value)
    assert str(caught.value).endswith(f"Other ({__file__}:{line + 6})")
    assert registry.get_evaluator_class("reg-twice") is One
    with pytest.raises(MmteError):  # nothing was half registered
        registry.get_evaluator_class("reg-free")


def test_an_id_of_ours_cannot_be_taken_even_before_it_is_loaded() -> None:
    from mmte.registry import registry

    with pytest.raises(MmteError, match=r"'confaide-text' is registered twice: by mmte\.datasets\.confaide\..*:\d+\)"):

        @registry.register_dataset("confaide-text")
        class Theirs:
            pass


def module_with_dataset(folder: Path, text: str) -> Path:
    folder.mkdir()
    folder.joinpath("reg_again.py").write_text(text)
    return folder


def test_importing_a_module_again_is_no_second_registration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(module_with_dataset(tmp_path / "a", dataset("reg-again"))))
    module = importlib.import_module("reg_again")
    first = module.Theirs
    again = importlib.reload(module)
    assert again.Theirs is not first
    assert again.registry.get_dataset_class("reg-again") is again.Theirs
    del sys.modules["reg_again"]
    monkeypatch.syspath_prepend(str(module_with_dataset(tmp_path / "b", dataset("reg-again"))))
    with pytest.raises(MmteError, match="registered twice"):  # the same names in another file
        importlib.import_module("reg_again")
    sys.modules.pop("reg_again", None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_needs_ids(kind: str) -> None:
    register = getattr(Registry(), f"register_{kind}")
    attribute = {"chatmodel": "model_family"}.get(kind, f"{kind}_ids")
    with pytest.raises(MmteError, match=f"a {kind} class needs `{attribute}`"):
        register()(type("Nameless", (), {}))
    with pytest.raises(MmteError, match=f"a {kind} class needs `{attribute}`, a list"):
        register()(type("Text", (), {attribute: "one-id"}))
    with pytest.raises(MmteError, match=rf"write @registry.register_{kind}\(\), with brackets"):
        register(type("Bare", (), {attribute: ["reg-bare"]}))


@pytest.mark.parametrize("kind", KINDS)
def test_ids_may_be_given_to_the_decorator(kind: str) -> None:
    registry = Registry()
    cls = getattr(registry, f"register_{kind}")("reg-b", "reg-a")(type("Given", (), {}))
    assert getattr(registry, f"get_{kind}_class")("reg-a") is cls
    assert [n for n in getattr(registry, f"list_{kind}s")() if n.startswith("reg-")] == ["reg-a", "reg-b"]


# -- other packages --------------------------------------------------------------------------------
def test_another_package_brings_ids(install: Callable[..., Path]) -> None:
    site = install("acme_trust", dataset("acme-data"))
    code = SHOWS + (
        "assert 'acme_trust' not in sys.modules\n"
        "print(registry.get_dataset_class('acme-data').__module__, 'acme-data' in registry.list_datasets())"
    )
    assert python(code, site).split() == ["acme_trust", "True"]


def test_plugins_are_left_alone_where_an_id_is_ours(install: Callable[..., Path]) -> None:
    site = install("acme_broken", "raise RuntimeError('no licence')")
    out = python(SHOWS + "registry.get_dataset_class('confaide-text')\nprint('fine')", site)
    assert out.strip() == "fine"


BROKEN = {
    "error": ("raise RuntimeError('no\\nlicence')", "RuntimeError: no licence"),
    "missing": ("import there_is_no_such_module", "ModuleNotFoundError: No module named 'there_is_no_such_module'"),
    "exit": ("import sys; sys.exit('not on this machine')", "SystemExit: not on this machine"),
    "syntax": ("def (", "SyntaxError"),
}


@pytest.mark.parametrize(("code", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_plugin_is_a_warning_that_names_it(install: Callable[..., Path], code: str, why: str) -> None:
    install("acme_broken", code, version="0.3", point="acme")
    site = install("zeta_fine", dataset("zeta-data"))
    out = python(SHOWS + "print(registry.get_dataset_class('zeta-data').__module__)", site)
    assert "zeta_fine" in out.split()
    assert f"PluginWarning: mmte: plugin 'acme' of acme_broken 0.3 (acme_broken) could not be loaded: {why}" in out
    assert out.count("could not be loaded") == 1


def test_a_broken_plugin_is_named_where_an_id_may_have_been_its_own(install: Callable[..., Path]) -> None:
    site = install("acme_broken", "raise RuntimeError('no licence')", version="0.3", point="acme")
    out = python(SHOWS + "warnings.simplefilter('ignore')\nregistry.get_method_class('acme-blur')", site, ok=False)
    last = out.strip().splitlines()[-1]
    assert "unknown method 'acme-blur'." in last
    assert last.endswith("Plugin 'acme' of acme_broken 0.3 could not be loaded: RuntimeError: no licence.")


def test_warnings_that_are_errors_cost_no_other_plugin(install: Callable[..., Path]) -> None:
    install("acme_broken", "raise RuntimeError('no licence')")
    site = install("zeta_fine", dataset("zeta-data"))
    code = (
        "warnings.simplefilter('error')\n"
        "try:\n    registry.list_datasets()\nexcept UserWarning as warning:\n    print(type(warning).__name__)\n"
        "print('zeta-data' in registry.list_datasets())"
    )
    assert python(SHOWS + code, site).split() == ["PluginWarning", "True"]


@pytest.mark.parametrize("loaded", [True, False])
def test_a_plugin_cannot_take_an_id_of_ours(install: Callable[..., Path], loaded: bool) -> None:
    site = install("acme_thief", dataset("confaide-text"))
    first = "registry.get_dataset_class('confaide-text')\n" if loaded else ""
    code = SHOWS + first + "registry.list_datasets()\nprint(registry.get_dataset_class('confaide-text').__module__)"
    out = python(code, site)
    assert "mmte.datasets.confaide" in out.split()
    assert "'confaide-text' is registered twice: by mmte.datasets.confaide." in out
    assert f"acme_thief.Theirs ({site}/acme_thief.py:5)" in out


def test_two_plugins_with_one_id(install: Callable[..., Path]) -> None:
    install("acme_a", dataset("acme-data"))
    site = install("acme_b", dataset("acme-data"))
    out = python(SHOWS + "print(registry.get_dataset_class('acme-data').__module__)", site)
    assert out.count("PluginWarning: mmte: plugin") == 1
    assert "acme_a.Theirs" in out
    assert "acme_b.Theirs" in out


def method_names(registry: Any) -> list[str]:
    return [name for name in dir(registry) if name.startswith(("register_", "get_", "list_"))]


def test_the_names_that_mmtrusteval_users_know() -> None:
    from mmte.utils.registry import registry

    forms = ("register_{}", "get_{}_class", "list_{}s")
    assert {form.format(kind) for kind in KINDS for form in forms} == set(method_names(registry))
