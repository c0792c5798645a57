"""Data sets of the package ir_datasets, named `ir_datasets:ID`. The package may download them."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, said_by
from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.makes import PACKAGE
from benchbench.formats.records import Part
from benchbench.tables.names import IR_DATASETS

_SHARED_IDS = "beir/"  # data sets in which a query with the id of a document is that document


def _open(options: DataSetOptions) -> DataSet:
    identity = (options.dataset or "").removeprefix(IR_DATASETS)
    options.refuse(IR_DATASETS, "whose ids name the split, as in beir/scifact/test", "split")
    package = load(identity)
    name = Path(f"{IR_DATASETS}{identity}")
    asked = options.asked(options.queries or name)
    queries = asked if options.queries else replace(asked, generated=partial(_rows, identity, "queries"))
    has_qrels, has_documents = package.has_qrels(), package.has_docs()
    if options.queries is None and not package.has_queries():
        raise InputError(f"{name} has no queries; give --queries FILE, or name another")
    documents = Part(name, generated=partial(_rows, identity, "docs")) if has_documents else None
    shared = identity.startswith(_SHARED_IDS)
    return DataSet(
        PACKAGE,
        options,
        queries,
        (Part(options.qrels),)
        if options.qrels
        else (Part(name, generated=partial(_rows, identity, "qrels")),)
        if has_qrels
        else (),
        documents if options.collection is None else Part(options.collection),
        self_by="id" if shared else "text",
        ids_shared=shared,
    )


def imported() -> Any:
    """Return the package; InputError where it is not installed."""
    try:
        import ir_datasets
    except ImportError:
        how = "pip install '.[ir_datasets]' in the checkout of benchbench"
        raise InputError(f"data sets of ir_datasets need its extra: {how}") from None
    return ir_datasets


def load(identity: str) -> Any:
    """Return a data set of the package.

    Raises
    ------
    InputError
        Without the package, or when it knows no such data set.
    """
    package = imported()
    try:
        return package.load(identity)
    except KeyError:
        raise InputError(f"{IR_DATASETS}{identity} is not a data set of the package ir_datasets") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{IR_DATASETS}{identity} cannot be read: {said_by(error)}") from None


def _rows(identity: str, part: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part as records with their members, `id` and `text` among them."""
    try:
        for row in getattr(load(identity), f"{part}_iter")():
            record = dict(row._asdict())
            if part != "qrels":
                record["id"] = record.pop("doc_id" if part == "docs" else "query_id")
                if not isinstance(record.get("text"), str):
                    record["text"] = _text(row)
                    record.pop("title", None)  # it is a part of that
            yield record
    except (OSError, RuntimeError, ValueError) as error:  # of a download
        raise InputError(f"{IR_DATASETS}{identity} cannot be read: {said_by(error)}") from None


def _text(row: Any) -> str:
    """Return what the package takes for the text; of rows for which it does not say so, all texts but the id."""
    if hasattr(row, "default_text"):
        return str(row.default_text())
    return " ".join(value for value in row[1:] if isinstance(value, str))


MAKE = Make(PACKAGE, f"{IR_DATASETS}ID, of the package ir_datasets", lambda path: False, _open)
