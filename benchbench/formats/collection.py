"""Collections of documents: JSON lines in BEIR's layout, ours (with `meta`), or labels beside the text."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchbench.errors import InputError
from benchbench.formats.records import Part, records
from benchbench.tables.collection import Collection
from benchbench.tables.fields import ID, TEXT, first

LONGEST, MOST = 1_000, 4_000  # bytes of JSON that are served: of a member of `meta`, and of a document's together

_COLUMNS = {"names": ("sourcepage", "title"), "files": ("sourcefile",), "categories": ("category",)}
_META = ("meta", "metadata")
_NO_LABELS = {*ID, *TEXT, "title"}


class Document(NamedTuple):
    """One document; its text is without the title."""

    id: str
    title: str
    text: str
    record: dict[str, Any]


def documents(
    given: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False
) -> Iterator[tuple[int, Document | None]]:
    """Yield the documents of a collection with their numbers, one in memory at a time; None for a bad one.

    Raises
    ------
    InputError
        With file, place and reason: no text, a bad id.
    """
    rows = records(given, encoding, skip_bad_lines)
    for number, record in rows:
        if record is None:
            yield number, None
            continue
        text, name, title = rows.text_of(record), rows.id_of(number, record), record.get("title")
        if text is not None and name is not None:
            yield number, Document(name, title if isinstance(title, str) else "", text, record)
        elif skip_bad_lines:
            yield number, None
        else:
            no_text, no_id = 'the document has no text (a member "text")', "the id is neither a number nor a string"
            raise InputError(f"{rows.where(number)}: {no_text if text is None else no_id}")


def document_ids(given: Part | Path, encoding: str | None = None) -> Iterator[str]:
    """Yield the ids of a collection's documents; a document without one is named by its number."""
    rows = records(given, encoding, only=("id",))
    for number, record in rows:
        found = rows.id_of(number, record)
        if found is None:
            raise InputError(f"{rows.where(number)}: the id is neither a number nor a string")
        yield found


def read_collection(given: Part | Path, encoding: str | None = None) -> Collection:
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
    path = Part.of(given).path
    for number, one in documents(given, encoding):
        assert one is not None
        record = one.record
        if one.id in lines:
            raise InputError(f"{path}, line {number}: id {one.id} was used in line {lines[one.id]} already")
        lines[one.id] = number
        texts.append(f"{one.title} {one.text}" if one.title else one.text)
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
