"""TREC's files: topics, qrels and documents, named by options or found in a folder by their names."""

import re
from pathlib import Path

from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import DESCRIBED, said_of_itself
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
    options.refuse("TREC's files", "of which --qrels names the judgments", "split")
    if options.dataset is not None and Path(options.dataset).is_file():
        raise InputError(f"--dataset {options.dataset} is a file; name it with --queries, or give its folder")
    folder = None if options.dataset is None else Path(options.dataset)
    queries, qrels, collection = (getattr(options, name) or (folder and _only(folder, name)) for name in _NAMES)
    if queries is None or qrels is None:
        name = "queries" if queries is None else "qrels"
        where = f"{folder} has no file of {name}; " if folder else ""
        raise InputError(f"{where}TREC data take --queries FILE and --qrels FILE; --{name} is missing")
    return DataSet(
        "trec",
        options,
        options.asked(queries),
        (Part(qrels),),
        None if collection is None else Part(collection),
        **({"description": queries.parent / DESCRIBED} if folder is None else said_of_itself(folder, "text")),
    )


def _found(folder: Path, name: str) -> list[Path]:
    """Return the files that have the name of a part; documents may be a folder too."""
    named = [path for path in sorted(folder.iterdir()) if _NAMES[name].match(path.name)]
    return [path for path in named if path.is_file() or (name == "collection" and path.is_dir())]


def _only(folder: Path, name: str) -> Path | None:
    files = _found(folder, name)
    if len(files) > 1:
        names = ", ".join(visible(path.name) for path in files[:10])
        raise InputError(f"{folder} has several files of {name}: {names}; say which with --{name}")
    return files[0] if files else None


MAKE = Make("trec", "files of topics and of qrels, such as topics.txt and qrels.txt", _is_this, _open)
