"""Only what pyproject.toml cannot say: benchmarks/ and fixtures/ ship as mmte.benchmarks and mmte.fixtures."""

from setuptools import find_packages, setup

MOVED = ("benchmarks", "fixtures")

setup(
    packages=find_packages(include=["mmte", "mmte.*"])
    + [f"mmte.{p}" for p in find_packages(include=[x for m in MOVED for x in (m, f"{m}.*")])],
    package_dir={f"mmte.{m}": m for m in MOVED},
)
