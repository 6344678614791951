"""Datasets that are published as folders of images without any list: what lies in them, in an order that holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mmte.datasets import rows
from mmte.datasets.root import FilesRead
from mmte.datasets.unrelated import SUFFIXES, natural_key
from mmte.errors import MmteError


def images_in(files: FilesRead, relative: str) -> list[Path]:
    """The images of a folder of the data root, in natural order of their names, which count in the digest.

    Raises:
        DataMissing: there is no such folder.
        MmteError: it is no folder, has no image, or has something else in it (hidden files aside).
    """
    folder = _folder(files, relative)
    names = _names(folder)
    if not names:
        raise MmteError(f"{files.dataset}: {folder} has no image; put the images into it or remove it")
    found = []
    for name in names:
        if Path(name).suffix.lower() not in SUFFIXES or (folder / name).is_dir():
            known = ", ".join(sorted(SUFFIXES))
            raise MmteError(f"{files.dataset}: {folder / name} is no image ({known}); convert it or remove it")
        found.append(files.image(f"{relative}/{name}"))
        files.note(f"{relative}/{name}")
    return found


def images_by_class(files: FilesRead, relative: str, classes: Sequence[str] = ()) -> dict[str, list[Path]]:
    """The images of each folder in a folder of the data root; the folder's name is their class.

    Args:
        files: where to look, and who asks.
        relative: the folder of the classes.
        classes: the classes that must be there, and no other; empty: any.

    Raises:
        DataMissing: there is no such folder.
        MmteError: an unknown or absent class, a file beside the classes, or as `images_in`.
    """
    folder = _folder(files, relative)
    names = _names(folder)
    for name in names:
        if not (folder / name).is_dir():
            raise MmteError(f"{files.dataset}: {folder / name} lies beside the folders of classes; put it into one")
        if classes:
            rows.one_of(name, f"{files.dataset}: {folder}", "class", classes)
    if absent := [name for name in classes if name not in names]:
        raise MmteError(f"{files.dataset}: {folder} has no class '{absent[0]}'; all of {', '.join(classes)} are needed")
    if not names:
        raise MmteError(f"{files.dataset}: {folder} has no folder of images; put one for each class into it")
    return {name: images_in(files, f"{relative}/{name}") for name in names}


def _folder(files: FilesRead, relative: str) -> Path:
    folder = files.root.path(relative, dataset=files.dataset)
    if not folder.is_dir():
        raise MmteError(f"{files.dataset}: {folder} is not a folder; put the images into one of this name")
    return folder


def _names(folder: Path) -> list[str]:
    return sorted((p.name for p in folder.iterdir() if not p.name.startswith(".")), key=natural_key)
