"""BEIR's folders: `corpus.jsonl`, `queries.jsonl`, and `qrels/SPLIT.tsv`."""

import re
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import said_of_itself
from benchbench.formats.datasets.splits import chosen_split
from benchbench.formats.records import Part

_PACKED = ("", ".gz", ".zst")
_QRELS = re.compile(r"(.+)\.(?:tsv|jsonl)(?:\.gz|\.zst)?")


def _is_this(path: Path) -> bool:
    return path.is_dir() and _there(path, "queries.jsonl") is not None and (path / "qrels").is_dir()


def _open(options: DataSetOptions) -> DataSet:
    folder = options.folder("beir")
    queries = options.queries or _there(folder, "queries.jsonl")
    if queries is None:
        raise InputError(f"--dataset {folder}: there is no queries.jsonl in it, as BEIR has")
    splits = _splits(folder / "qrels") if (folder / "qrels").is_dir() else {}
    split, qrels = "", options.qrels
    if qrels is not None and options.split is not None:
        raise InputError("--qrels and --split both name the judgments; give one")
    if qrels is None:
        if not splits:
            raise InputError(f"{folder / 'qrels'} has no SPLIT.tsv, as BEIR has; name a file with --qrels")
        split = chosen_split(str(folder), list(splits), options.split)
        qrels = splits[split]
    collection = options.collection or _there(folder, "corpus.jsonl")
    return DataSet(
        "beir",
        options,
        options.asked(queries),
        (Part(qrels),),
        None if collection is None else Part(collection),
        **said_of_itself(folder, "id"),
        split=split,
        splits=tuple(splits),
    )


def _splits(folder: Path) -> dict[str, Path]:
    """Return the files of judgments by their splits: SPLIT.tsv, and SPLIT.jsonl as some of MTEB's are."""
    matches = ((_QRELS.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    splits = {match[1]: path for match, path in matches if match and path.is_file()}  # of both, .tsv counts
    return dict(sorted(splits.items()))


def _there(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / f"{name}{suffix}" for suffix in _PACKED) if path.is_file()), None)


MAKE = Make("beir", "queries.jsonl, corpus.jsonl and qrels/SPLIT.tsv", _is_this, _open)
