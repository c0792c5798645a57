"""TREC's files: topics, qrels and documents, named by options or found in a folder by their names."""

import re
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet, DataSetOptions, Make
from benchbench.formats.datasets.description import DESCRIBED, cluster_of, read_description
from benchbench.formats.records import Part

_NAMES = {  # part -> how the names of its files begin, or end
    "queries": re.compile(r"(topics|queries|query)(\W|_|\d|$)|.*[._-](topics|queries)(\.|$)", re.IGNORECASE),
    "qrels": re.compile(r"(qrels?|judg(e)?ments)(\W|_|\d|$)|.*[._-]qrels?(\.|$)", re.IGNORECASE),
    "collection": re.compile(
        r"(collection|corpus|documents|docs|passages)(\W|_|\d|$)|.*[._-](collection|corpus|docs|documents)(\.|$)",
        re.IGNORECASE,
    ),
}


def _is_this(path: Path) -> bool:
    return path.is_dir() and bool(_found(path, "queries")) and bool(_found(path, "qrels"))


def _open(options: DataSetOptions) -> DataSet:
    folder = None if options.dataset is None else Path(options.dataset)
    if options.split is not None:
        raise InputError("--split has no use with TREC's files: --qrels names the judgments")
    queries, qrels, collection = (getattr(options, name) or (folder and _only(folder, name)) for name in _NAMES)
    if queries is None or qrels is None:
        name = "queries" if queries is None else "qrels"
        where = f"{folder} has no file of {name}; " if folder else ""
        raise InputError(f"{where}TREC data take --queries FILE and --qrels FILE; --{name} is missing")
    described = {} if folder is None else read_description(folder)
    description = (folder or queries.parent) / DESCRIBED
    text = (options.topic_field,) if options.topic_field else ()
    return DataSet(
        "trec",
        options,
        Part(queries, {"text": text} if text else {}),
        (Part(qrels),),
        None if collection is None else Part(collection),
        cluster=cluster_of(description, described),
        described=described,
        description=description,
    )


def _found(folder: Path, name: str) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if _NAMES[name].match(path.name)]


def _only(folder: Path, name: str) -> Path | None:
    found = _found(folder, name)
    if len(found) > 1:
        raise InputError(
            f"{folder} has several files of {name}: {', '.join(path.name for path in found[:10])}; say which with "
            f"--{name}"
        )
    return found[0] if found else None


MAKE = Make("trec", "files of topics and of qrels, such as topics.txt and qrels.txt", _is_this, _open)
