"""Data sets that need not have judgments: queries and documents are enough where labels are to be made."""

from dataclasses import replace
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import DESCRIBED, said_of_itself
from benchbench.formats.datasets.locate import located
from benchbench.formats.datasets.parquet_folders import QRELS
from benchbench.formats.datasets.tiered import QUERIES
from benchbench.formats.records import Part

_NAMES = {
    "queries": ("queries.jsonl", "queries.parquet", "queries", "topics.txt", "topics.xml", "queries.tsv"),
    "collection": ("corpus.jsonl", "corpus.parquet", "corpus", "collection.jsonl", "collection.tsv", "documents.jsonl"),
}
_PACKED = ("", ".gz", ".zst")


def located_unlabelled(options: DataSetOptions) -> DataSet:
    """Return the data set of some options; one without judgments too.

    Parameters
    ----------
    options
        As on the command line. `queries` and `collection` are enough. A folder may lack the judgments that its make
        has: its queries and its documents are known by the usual names.

    Raises
    ------
    InputError
        Without queries or documents, or for what `locate` refuses.
    """
    for name in ("queries", "qrels", "collection"):
        path = getattr(options, name)
        if path is not None and not path.exists():
            raise InputError(f"--{name} {path} does not exist")
    if options.dataset is None:
        if options.queries is None or options.collection is None:
            missing = "queries" if options.queries is None else "collection"
            raise InputError(
                f"a judge reads texts: name a --dataset, or --queries and --collection; --{missing} is missing"
            )
        return _of_files(options, options.queries, options.collection)
    folder = Path(options.dataset)
    if folder.is_dir() and options.dataset_format is None and not _has_judgments(folder):
        queries, collection = (getattr(options, name) or _there(folder, name) for name in _NAMES)
        if queries is not None and collection is not None:
            return _of_files(options, queries, collection, folder)
    data = located(options)
    if data.collection is None:
        raise InputError(f"{data.name} has no documents for a judge to read; name them with --collection")
    return data


def _of_files(options: DataSetOptions, queries: Path, collection: Path, folder: Path | None = None) -> DataSet:
    said = {"description": queries.parent / DESCRIBED} if folder is None else said_of_itself(folder, "id")
    qrels = () if options.qrels is None else (Part(options.qrels),)
    return replace(DataSet("files", options, options.asked(queries), qrels, Part(collection)), **said)


def _has_judgments(folder: Path) -> bool:
    """Say whether a make may find judgments there, or describes its parts by itself."""
    if (folder / DESCRIBED).exists():
        return True
    names = (*(f"{part}{suffix}" for part in QRELS for suffix in ("", ".parquet")), QUERIES, "benchmarks")
    there = [folder / name for name in names if (folder / name).exists()]
    others = [path for path in folder.iterdir() if path.is_file() and "qrels" in path.name.lower()]
    return bool(others) or any(path.is_file() or any(path.iterdir()) for path in there)


def _there(folder: Path, name: str) -> Path | None:
    places = (folder / f"{one}{packed}" for one in _NAMES[name] for packed in _PACKED)
    return next((path for path in places if path.exists()), None)
