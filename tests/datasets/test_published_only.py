"""`published: true`: the publication's own file, and never the mini data in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from mmte.datasets.root import DataMissing
from mmte.engine.samples import build_dataset
from mmte.errors import MmteError


@pytest.mark.parametrize("name", ["dt-text", "dt-related-image", "advglue-text", "advglue-unrelated-image-color"])
def test_the_mini_data_do_not_stand_in(name: str) -> None:
    assert len(build_dataset(name, {}, {}, None)) >= 12
    with pytest.raises(DataMissing, match=r"style\.json|dev\.json"):
        build_dataset(name, {"published": True, "generate_image": True}, {}, None)


@pytest.mark.parametrize(("name", "count"), [("dt-text", 9592), ("advglue-text", 738)])
def test_the_publication_is_read(shared: Path, name: str, count: int) -> None:
    assert len(build_dataset(name, {"published": True}, {}, shared / "data")) == count


def test_what_has_no_file_of_its_own_says_so() -> None:
    with pytest.raises(MmteError, match="'published' is for advglue"):
        build_dataset("advglue-plus-text", {"published": True}, {}, None)
