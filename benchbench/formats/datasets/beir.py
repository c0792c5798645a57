"""BEIR's folders: `corpus.jsonl`, `queries.jsonl`, and `qrels/SPLIT.tsv`."""

from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet, DataSetOptions, Make
from benchbench.formats.datasets.description import DESCRIBED, cluster_of, read_description
from benchbench.formats.datasets.splits import chosen_split
from benchbench.formats.records import Part

_PACKED = ("", ".gz", ".zst")


def _is_this(path: Path) -> bool:
    return path.is_dir() and _there(path, "queries.jsonl") is not None and (path / "qrels").is_dir()


def _open(options: DataSetOptions) -> DataSet:
    folder = Path(options.dataset or "")
    queries = options.queries or _there(folder, "queries.jsonl")
    if queries is None:
        raise InputError(f"--dataset {folder}: there is no queries.jsonl in it, as BEIR has")
    found = {path.name.partition(".tsv")[0]: path for path in sorted((folder / "qrels").glob("*.tsv*"))}
    split, qrels = "", options.qrels
    if qrels is None:
        if not found:
            raise InputError(f"{folder / 'qrels'} has no SPLIT.tsv, as BEIR has; name a file with --qrels")
        split = chosen_split(str(folder), list(found), options.split)
        qrels = found[split]
    collection = options.collection or _there(folder, "corpus.jsonl")
    described, description = read_description(folder), folder / DESCRIBED
    return DataSet(
        "beir",
        options,
        Part(queries),
        (Part(qrels),),
        None if collection is None else Part(collection),
        cluster=cluster_of(description, described),
        described=described,
        description=description,
        self_by="id",
        ids_shared=True,
        split=split,
        splits=tuple(found),
    )


def _there(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / f"{name}{suffix}" for suffix in _PACKED) if path.is_file()), None)


MAKE = Make("beir", "queries.jsonl, corpus.jsonl and qrels/SPLIT.tsv", _is_this, _open)
