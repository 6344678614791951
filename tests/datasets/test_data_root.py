"""The data root keeps names inside, says what is missing, and digests what was read."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from mmte.datasets.root import DataMissing, DataRoot, FilesRead, RootDataset
from mmte.errors import MmteError


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    (tmp_path / "root" / "privacy").mkdir(parents=True)
    (tmp_path / "root" / "privacy" / "a.txt").write_text("a\n")
    (tmp_path / "outside.txt").write_text("secret\n")
    return DataRoot(tmp_path / "root")


def test_none_is_the_mini_data() -> None:
    mini = DataRoot(None)
    assert mini.is_mini
    assert mini.label == "mini data"
    assert mini.path("privacy/confaide/prompts.txt").is_file()


def test_a_folder_without_the_marker_is_not_mini(root: DataRoot) -> None:
    assert not root.is_mini
    assert root.label == "root"
    assert root.path("privacy/a.txt") == root.folder / "privacy" / "a.txt"
    (root.folder / "MINIDATA").write_text("small\n")
    assert DataRoot(str(root.folder)).is_mini


@pytest.mark.parametrize("where", ["", "no/such/folder"])
def test_a_root_must_be_a_folder(where: str) -> None:
    with pytest.raises(MmteError, match=r"--mmte-data: '.*' is not a folder"):
        DataRoot(where)


@pytest.mark.parametrize(
    "name",
    ["../outside.txt", "privacy/../../outside.txt", "/etc/passwd", "", "C:\\x.png", "..\\outside.txt", "\\x", "a\0b"],
)
def test_names_that_leave_the_root_are_refused(root: DataRoot, name: str) -> None:
    with pytest.raises(MmteError, match="must be relative and stay inside") as caught:
        root.path(name)
    assert not isinstance(caught.value, DataMissing)


def test_links_that_leave_the_root_are_refused(root: DataRoot, tmp_path: Path) -> None:
    (root.folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root.folder / "up").symlink_to(tmp_path)
    (root.folder / "hop.txt").symlink_to(root.folder / "link.txt")
    for name in ("link.txt", "up/outside.txt", "hop.txt"):
        with pytest.raises(MmteError, match="a link that leaves the data root"):
            root.path(name)


def test_links_inside_the_root_are_followed(root: DataRoot) -> None:
    (root.folder / "alias.txt").symlink_to(root.folder / "privacy" / "a.txt")
    (root.folder / "folder").symlink_to(root.folder / "privacy")
    assert root.path("alias.txt") == root.folder / "privacy" / "a.txt"
    assert root.path("folder/a.txt") == root.folder / "privacy" / "a.txt"


def test_a_root_that_is_itself_a_link(root: DataRoot, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(root.folder)
    assert DataRoot(tmp_path / "here").path("privacy/a.txt").read_text() == "a\n"


def test_loops_and_endless_names_are_one_line(root: DataRoot) -> None:
    (root.folder / "loop").symlink_to(root.folder / "loop")
    for name in ("loop", "x" * 5000):
        with pytest.raises(MmteError) as caught:
            root.path(name)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["privacy/b.txt", "privacy/a.txt/c", "none/at/all.txt"])
def test_what_is_missing_is_said(root: DataRoot, name: str) -> None:
    with pytest.raises(DataMissing) as caught:
        root.path(name, dataset="some-set")
    text = str(caught.value)
    assert text == f"some-set: needs {name} under --mmte-data {root.folder}; name a folder that has it: --mmte-data DIR"


def test_a_dangling_link_is_missing(root: DataRoot) -> None:
    (root.folder / "gone.txt").symlink_to(root.folder / "never.txt")
    with pytest.raises(DataMissing):
        root.path("gone.txt")


def test_the_folder_one_below_is_suggested(root: DataRoot) -> None:
    (root.folder / "data" / "safety").mkdir(parents=True)
    (root.folder / "data" / "safety" / "x.json").write_text("[]")
    with pytest.raises(DataMissing, match=f"did you mean --mmte-data {root.folder / 'data'}"):
        root.path("safety/x.json")


def test_a_missing_part_is_no_skip(root: DataRoot) -> None:
    with pytest.raises(MmteError, match=r"some-set: needs privacy/labels\.txt") as caught:
        root.part("privacy/labels.txt", "some-set")
    assert not isinstance(caught.value, DataMissing)


def test_data_missing_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(DataMissing("a: needs b")))
    assert isinstance(error, DataMissing)
    assert str(error) == "a: needs b"


def test_alternatives_are_tried_in_order(root: DataRoot) -> None:
    assert root.path("privacy/z.txt", "privacy/a.txt").name == "a.txt"
    with pytest.raises(DataMissing, match=r"needs x\.txt or y\.txt under"):
        root.path("x.txt", "y.txt")


def test_the_digest_is_of_names_and_bytes(root: DataRoot) -> None:
    files = FilesRead(root, "some-set")
    assert files.digest() == ""
    files.text("privacy/a.txt")
    inner = hashlib.sha256(b"a\n").hexdigest()
    assert files.digest() == hashlib.sha256(f"privacy/a.txt\0{inner}\n".encode()).hexdigest()


def test_the_digest_follows_bytes_and_names_but_not_order(root: DataRoot) -> None:
    (root.folder / "b.txt").write_text("b\n")

    def digest(*names: str, note: str = "") -> str:
        files = FilesRead(root, "some-set")
        for name in names:
            files.text(name)
        if note:
            files.note(note)
        return files.digest()

    first = digest("b.txt", "privacy/a.txt")
    assert first == digest("privacy/a.txt", "b.txt")
    assert first != digest("b.txt")
    assert first != digest("b.txt", "privacy/a.txt", note="img/1.png")
    (root.folder / "b.txt").write_text("c\n")
    assert first != digest("b.txt", "privacy/a.txt")


def test_a_folder_where_a_text_should_be(root: DataRoot) -> None:
    with pytest.raises(MmteError, match="cannot be read"):
        FilesRead(root, "some-set").text("privacy")


class Plain(RootDataset):
    dataset_ids = ("plain",)

    def __init__(self, dataset_id: str, method_hook: object = None, *, shuffle: bool = False, **rest: object) -> None:
        super().__init__(dataset_id, method_hook, **rest)  # type: ignore[arg-type]


def test_unknown_options_name_the_near_one() -> None:
    with pytest.raises(MmteError, match=r"plain: unknown option 'shufle' in dataset_cfg\. Did you mean 'shuffle'\?"):
        Plain("plain", shufle=True)


def test_reading_text_data_imports_nothing_heavy() -> None:
    code = (
        "import sys; from mmte.datasets.confaide import ConfAIde; ConfAIde('confaide-image');"
        "print(sorted({'PIL', 'numpy', 'torch', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
