"""Questions with one document each, in a file `pairs.txt`: id, question, document and its text between tabs."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.records import Part


def _is_this(path: Path) -> bool:
    return (path / "pairs.txt").is_file()


def _open(options: DataSetOptions) -> DataSet:
    path = options.folder("pairs") / "pairs.txt"
    queries, qrels, documents = (
        Part(path, generated=partial(_rows, path, names))
        for names in (
            {"id": 0, "text": 1},
            {"query_id": 0, "doc_id": 2, "relevance": None},
            {"id": 2, "text": 3},
        )
    )
    return DataSet("pairs", options, queries, (qrels,), documents)


def _rows(path: Path, names: dict[str, int | None]) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        yield {name: 1 if place is None else fields[place] for name, place in names.items()}


MAKE = Make("pairs", "a file pairs.txt of questions, each with its document", _is_this, _open)
