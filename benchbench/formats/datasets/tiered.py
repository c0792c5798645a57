"""Tiered data sets: one file of queries with their positives, a collection and a card beside it."""

from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import COLLECTION, TIERED, DataSet, DataSetOptions, Make
from benchbench.formats.datasets.description import DESCRIBED, cluster_of, read_card, read_description
from benchbench.formats.records import Part

QUERIES = "tiered.jsonl"


def _is_this(path: Path) -> bool:
    """Say whether it is a folder with one; a file of JSON lines is one where nothing else claims it."""
    return (path / QUERIES).is_file() if path.is_dir() else path.is_file()


def _open(options: DataSetOptions) -> DataSet:
    path = Path(options.dataset or "")
    path = path / QUERIES if path.is_dir() else path
    if options.queries or options.qrels or options.split:
        option = next(name for name in ("queries", "qrels", "split") if getattr(options, name))
        raise InputError(f"--{option} has no use with the tiered data set {path}, which has its queries and judgments")
    if not path.is_file():
        raise InputError(f"--dataset {options.dataset}: {path} does not exist")
    card = read_card(path.with_suffix(".card.json"))
    described = read_description(path.parent)
    beside = path.parent / str(card.get("collection", {}).get("file", COLLECTION))
    collection = options.collection or (beside if beside.is_file() else None)
    description = path.with_name(DESCRIBED)
    return DataSet(
        TIERED,
        options,
        Part(path),
        collection=None if collection is None else Part(collection),
        card=card,
        cluster=cluster_of(description, described, card),
        described=described,
        description=description,
    )


MAKE = Make(TIERED, f"a file {QUERIES} of queries with their positives", _is_this, _open)
