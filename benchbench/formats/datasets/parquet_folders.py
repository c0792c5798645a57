"""Folders of Parquet, as MTEB and Hugging Face lay out retrieval data: `corpus`, `queries`, and `qrels`.

Judgments may be in `default` or `data` instead. A part is a folder of shards, or one file. Shards of several splits
stand side by side, as `test-00000-of-00001.parquet`, or in a folder per split.
"""

import re
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import said_of_itself
from benchbench.formats.datasets.splits import chosen_split
from benchbench.formats.records import Part

QRELS = ("qrels", "default", "data")  # `default` is written to `data` by datasets.push_to_hub
_SHARD = re.compile(r"(-\d+-of-\d+)?\.parquet$")  # what follows upon the split in a name


def _is_this(path: Path) -> bool:
    return path.is_dir() and _part(path, "queries") is not None and any(_part(path, name) for name in QRELS)


def _open(options: DataSetOptions) -> DataSet:
    folder = options.folder("parquet")
    queries = options.queries or _part(folder, "queries")
    if queries is None:
        raise InputError(f"--dataset {folder}: there is no Parquet of queries in it (a folder or a file `queries`)")
    split, splits = "", dict[str, list[Path]]()
    qrels = [options.qrels] if options.qrels else []
    if qrels and options.split:
        raise InputError("--qrels and --split both name the judgments; give one")
    if not qrels:
        there = next((part for name in QRELS if (part := _part(folder, name))), None)
        if there is None:
            raise InputError(f"--dataset {folder}: there is no Parquet of judgments in it (qrels, default or data)")
        splits = _splits(folder / there.relative_to(folder).parts[0])
        split = chosen_split(str(there), list(splits), options.split)
        qrels = splits[split]
    collection = options.collection or _part(folder, "corpus")
    if not options.queries:
        queries = _of_split(queries, split)
    return DataSet(
        "parquet",
        options,
        options.asked(queries),
        tuple(map(Part, qrels)),
        None if collection is None else Part(collection),
        **said_of_itself(folder, "id"),
        split=split,
        splits=tuple(filter(None, splits)),
    )


def _part(folder: Path, name: str) -> Path | None:
    """Return the folder that has the shards of a part, or its only file; None where there is neither."""
    file = folder / f"{name}.parquet"
    if file.is_file():
        return file
    folders = {path.parent for path in (folder / name).rglob("*.parquet")}
    return folders.pop() if len(folders) == 1 else folder / name if folders else None


def _splits(part: Path) -> dict[str, list[Path]]:
    """Return the shards of each split: a folder of the split's name, or files whose names begin with it."""
    if not part.is_dir():
        return {"": [part]}
    splits: dict[str, list[Path]] = {}
    for shard in sorted(part.rglob("*.parquet")):
        inner = shard.relative_to(part).parts[:-1]
        splits.setdefault(inner[0] if inner else _SHARD.sub("", shard.name), []).append(shard)
    return splits


def _of_split(queries: Path, split: str) -> Path:
    """Return the queries of a split where each split has a folder or a file of its own, else all of them."""
    shards = _splits(queries).get(split, []) if split else []
    if len({shard.parent for shard in shards}) == 1 and shards[0].parent != queries:
        return shards[0].parent
    return shards[0] if len(shards) == 1 else queries


MAKE = Make("parquet", "Parquet in corpus, queries, and qrels, default or data", _is_this, _open)
