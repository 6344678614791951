"""Questions on pictures, `{image, query, truth}`: the records that most tasks of truthfulness are published as."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from mmte.datasets import rows
from mmte.datasets.readers import Record, content_ids, read_json_records
from mmte.datasets.root import FilesRead
from mmte.errors import MmteError

KEYS: Final = ("image", "query", "truth")


class Question(NamedTuple):
    """A record that was read: where it is, its id, the cluster of its image, its text, its image, and all its keys."""

    where: str
    id: str
    cluster: str
    query: str
    image: str
    record: Record

    def picture(self, files: FilesRead, folder: str) -> Path:
        """The image below a folder of the data root.

        Raises:
            MmteError: it is missing.
        """
        return rows.image(files, folder, self.image, self.where)


def read_questions(path: Path, prefix: str, keys: Sequence[str] = KEYS, *, blank: bool = False) -> list[Question]:
    """The records of a file of questions, in its order.

    Args:
        path: the file, JSON or JSON Lines.
        prefix: of the ids, which come from image and query, and of the clusters, which come from the image.
        keys: what each record must have.
        blank: whether a record without a query is left out (the caller then says how many there were).

    Raises:
        MmteError: a record that lacks a key, an image, or (unless `blank`) a query; or there is no question.
    """
    records = read_json_records(path, keys)
    kept = [(rows.place(path, at), r) for at, r in enumerate(records) if not (blank and _is_blank(r["query"]))]
    if not kept:
        raise MmteError(f"{path}: none of its {len(records)} records has a query; fetch it again")
    ids = content_ids(prefix, (f"{record['image']}\0{record['query']}" for _, record in kept))
    found = []
    for (where, record), name in zip(kept, ids, strict=True):
        image = rows.text(record["image"], where, "image")
        query = rows.text(record["query"], where, "query")
        found.append(Question(where, name, f"{prefix}-{image}", query, image, record))
    return found


def _is_blank(query: object) -> bool:
    return query is None or (isinstance(query, str) and not query.strip())
