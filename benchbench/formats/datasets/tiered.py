"""Tiered data sets: one file of queries with their positives, a collection and a card beside it."""

from itertools import islice
from pathlib import Path

import orjson

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import COLLECTION, TIERED, DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import read_card, said_of_itself
from benchbench.formats.lines import open_input
from benchbench.formats.records import Part

QUERIES = "tiered.jsonl"
_USELESS = ("queries", "qrels", "split", "topic_field")
_OTHERS = (".tsv", ".csv", ".parquet", ".pq", ".xml", ".sgml", ".trec", ".gz", ".zst")  # suffixes of other files
_LOOKED_AT, _LONGEST = 10, 1 << 20  # lines, and bytes of one


def _is_this(path: Path) -> bool:
    """Say whether it is a folder with one, or a file of JSON lines that may be one."""
    return (path / QUERIES).is_file() if path.is_dir() else path.is_file() and _may_be_one(path)


def _may_be_one(path: Path) -> bool:
    """Say whether no line at the beginning, as far as these can be read, shows that it is something else."""
    if path.name == QUERIES:
        return True
    if path.suffix.lower() in _OTHERS:
        return False
    with open_input(path) as file:
        lines = list(islice(iter(lambda: file.readline(_LONGEST), b""), _LOOKED_AT))
    for line in lines:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict):
            return not record or "positives" in record or isinstance(record.get("query"), dict)
    try:
        return len(lines) < _LOOKED_AT or not b"".join(lines).decode()
    except UnicodeDecodeError:  # of an encoding that is named, or is to be
        return True


def _open(options: DataSetOptions) -> DataSet:
    options.refuse("tiered data", "whose file has the queries and their judgments", *_USELESS)
    path = options.folder(TIERED)
    path = path / QUERIES if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"--dataset {options.dataset}: {path} does not exist")
    card = read_card(path.with_suffix(".card.json"))
    beside = path.parent / str(card.get("collection", {}).get("file", COLLECTION))
    collection = options.collection or (beside if beside.is_file() else None)
    return DataSet(
        TIERED,
        options,
        Part(path),
        collection=None if collection is None else Part(collection),
        card=card,
        **said_of_itself(path.parent, "text", card=card),
    )


MAKE = Make(TIERED, f"a file {QUERIES} of queries with their positives", _is_this, _open)
