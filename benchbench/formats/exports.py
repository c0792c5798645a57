"""Exports of searches: JSON with a query and the documents that it found."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.lines import json_file
from benchbench.tables.documents import Document
from benchbench.tables.fields import ID, TEXT, first, identity

_LISTS = ("documents", "value", "results")
_NAMES = {"name": ("name", "sourcepage", "title"), "file": ("file", "sourcefile"), "category": ("category",)}


@dataclass(frozen=True, slots=True)
class Export:
    """A query and what it found."""

    query: str
    documents: list[Document]


def read_export(path: Path) -> Export:
    """Read what `index export` wrote, or another tool's list of documents.

    That is an object with the documents in `documents`, `value` (an answer of Azure AI Search) or `results` and the
    query in `query`, or the list alone. A document has its text in `text` or `content`, its name in `name`,
    `sourcepage` or `title`, its file in `file` or `sourcefile`.

    Raises
    ------
    InputError
        Naming file, document and reason.
    """
    value = json_file(path)
    records = value if isinstance(value, list) else first(value, _LISTS) if isinstance(value, dict) else None
    if not isinstance(records, list):
        raise InputError(f"{path} is not an export: it has no list of documents; `benchbench index export` writes one")
    query = value.get("query") if isinstance(value, dict) else None
    documents = [_document(record, f"{path}, document {number}") for number, record in enumerate(records, 1)]
    return Export(query if isinstance(query, str) else "", documents)


def _document(record: Any, where: str) -> Document:
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: not a JSON object")
    record = dict(record)
    texts = {member: value for member, names in _NAMES.items() if isinstance(value := first(record, names), str)}
    text = first(record, TEXT)
    given = identity(first(record, ID))
    if given is None and not texts.get("name") and not texts.get("file"):
        raise InputError(f"{where}: it has neither a name nor an id to cite it by")
    return Document(
        given or "",
        texts.get("name", ""),
        texts.get("file", ""),
        texts.get("category", ""),
        text if isinstance(text, str) else "",
    )
