"""Files that are whole or not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mmte.errors import MmteError
from mmte.report.files import read_jsonl, write_atomic


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "report.json"
    write_atomic(file, "één\n")
    assert file.read_text("utf-8") == "één\n"
    write_atomic(file, "two")
    assert file.read_text("utf-8") == "two"
    assert [f.name for f in file.parent.iterdir()] == ["report.json"]


def test_others_may_read_it_as_far_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "x", "x")
        assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_error_in_between_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    file = tmp_path / "report.json"
    write_atomic(file, "old")

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(file, "new")
    assert file.read_text() == "old"
    assert [f.name for f in tmp_path.iterdir()] == ["report.json"]


def test_text_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    write_atomic(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomic(file, "\ud800")
    assert file.read_text() == "old"


def test_a_process_killed_in_between_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    write_atomic(file, "old")
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom mmte.report.files import write_atomic\n"
        "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomic(Path(sys.argv[1]), 'new' * 100_000)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], timeout=60, check=False)
    assert done.returncode == -9
    assert file.read_text() == "old"


def test_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": 1}\n{"b": "\\ud800"}\n')
    assert list(read_jsonl(file)) == [{"a": 1}, {"b": "\ud800"}]
    file.write_text('{"a": 1}\n{"b":\n')
    rows = read_jsonl(file)
    assert next(rows) == {"a": 1}
    with pytest.raises(MmteError, match=r"a\.jsonl:2: no valid JSON$"):
        next(rows)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MmteError, match=r"absent\.jsonl: cannot be read"):
        list(read_jsonl(tmp_path / "absent.jsonl"))
    (tmp_path / "latin.jsonl").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(MmteError, match=r"latin\.jsonl: cannot be read"):
        list(read_jsonl(tmp_path / "latin.jsonl"))
