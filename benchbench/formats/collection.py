"""Collections of documents: JSON lines in BEIR's layout, ours (with `meta`), or labels beside the text."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from benchbench.errors import InputError
from benchbench.formats.lines import json_lines
from benchbench.tables.collection import Collection
from benchbench.tables.fields import ID, TEXT, first, identity

LONGEST, MOST = 1_000, 4_000  # bytes of JSON that are served: of a member of `meta`, and of a document's together

_COLUMNS = {"names": ("sourcepage", "title"), "files": ("sourcefile",), "categories": ("category",)}
_META = ("meta", "metadata")
_NO_LABELS = {*ID, *TEXT, "title"}


def read_collection(path: Path, encoding: str | None = None) -> Collection:
    """Read a collection whole; a document without an id is named by its line number.

    Raises
    ------
    InputError
        With file, line number and reason: no text, a bad id, an id used twice.
    """
    lines: dict[str, int] = {}
    texts, meta = [], []
    columns: dict[str, list[str]] = {column: [] for column in _COLUMNS}
    left_out: Counter[str] = Counter()
    for number, record in json_lines(path, encoding):
        if not isinstance(record, dict):
            raise InputError(f"{path}, line {number}: not a JSON object")
        text = first(record, TEXT)
        if not isinstance(text, str):
            raise InputError(f'{path}, line {number}: the document has no text (a member "text")')
        given = first(record, ID)
        document = str(number) if given is None else identity(given)
        if document is None:
            raise InputError(f"{path}, line {number}: the id is neither a number nor a string")
        if document in lines:
            raise InputError(f"{path}, line {number}: id {document} was used in line {lines[document]} already")
        lines[document] = number
        title = record.get("title")
        texts.append(f"{title} {text}" if isinstance(title, str) and title else text)
        labels = labels_of(record)
        meta.append(_short(labels))
        left_out.update(name for name in labels if name not in meta[-1])
        for column, names in _COLUMNS.items():
            value = first(record, names)
            value = first(_inner(record), names) if value is None else value
            columns[column].append(value if isinstance(value, str) else "")
    if not texts:
        raise InputError(f"{path} has no document")
    known = {column: values for column, values in columns.items() if any(values)}
    return Collection(list(lines), texts, meta, **known, left_out=dict(left_out.most_common()))


def labels_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a document's record says besides id, title and text, as a served hit has it in `meta`.

    The members of its `meta`, or of BEIR's `metadata`, come first, then those beside the text; of one name, the latter
    counts. Null says nothing.
    """
    inner = _inner(record)
    outer = {name: value for name, value in record.items() if name not in _NO_LABELS and value is not inner}
    return {name: value for name, value in (*inner.items(), *outer.items()) if value is not None}


def _inner(record: dict[str, Any]) -> dict[str, Any]:
    return next((record[name] for name in _META if isinstance(record.get(name), dict)), {})


def _short(labels: dict[str, Any]) -> dict[str, Any]:
    """Return the members that are labels, and no texts or embeddings: those that are short, while there is room."""
    kept, room = {}, MOST
    for name, value in labels.items():
        try:
            size = len(orjson.dumps({name: value})) - len("{}")
        except orjson.JSONEncodeError:  # nested deeper than can be written
            continue
        if size <= min(LONGEST, room):
            kept[name] = value
            room -= size
    return kept
