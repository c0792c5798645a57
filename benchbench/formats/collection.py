"""Collections of documents: as `formats.records` reads them, with labels in `meta` or beside the text."""

from collections import Counter
from collections.abc import Collection as Some
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchbench.errors import InputError, visible
from benchbench.formats.records import Part, Records, records
from benchbench.tables.collection import Collection
from benchbench.tables.fields import ID, NAME, TEXT, first
from benchbench.tables.json_objects import JsonObjects
from benchbench.tables.strings import Strings

LONGEST, MOST = 1_000, 4_000  # bytes of JSON that are served: of a member of `meta`, and of a document's together
_NAMED = 20  # members that a message has
_MOSTLY = 0.5  # of the documents; some have no text in any collection, most have none where it stands elsewhere

_COLUMNS = {"names": NAME, "files": ("sourcefile",), "categories": ("category",)}
_META = ("meta", "metadata")
_NO_LABELS = frozenset((*ID, *TEXT, "title"))


class Document(NamedTuple):
    """One document; its text is without the title."""

    id: str
    title: str
    text: str
    record: dict[str, Any]

    @property
    def whole(self) -> str:
        """The text that is searched: the title, where there is one, and the text."""
        return _whole(self.title, self.text)


class FoundDocument(NamedTuple):
    """A record of a collection: its number, and its id and text where it has them."""

    number: int
    id: str | None  # its number where the record has no id; None where what it has is none
    text: str | None  # without the title
    record: dict[str, Any] | None  # None for a line, row or element that cannot be read

    @property
    def title(self) -> str:
        """The title; "" where it has none."""
        title = (self.record or {}).get("title")
        return title if isinstance(title, str) else ""

    @property
    def is_empty(self) -> bool:
        """Whether it has neither text nor title, or blank ones."""
        return not (self.text or "").strip() and not self.title.strip()

    def titled(self, most: int | None = None) -> str:
        """Return the text behind its title, as it is searched; of one longer than `most`, so many characters and ….

        `text` must not be None.
        """
        whole = _whole(self.title, self.text or "")
        return whole if most is None or len(whole) <= most else f"{whole[:most]}…"


def each_document(
    part: Part | Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    only: Some[str] | None = None,
) -> Iterator[FoundDocument]:
    """Yield the documents of a collection, one in memory at a time; nothing is asked of them but that they are read.

    Parameters
    ----------
    part, encoding, skip_bad_lines, only
        As `formats.records.records` has them.

    Raises
    ------
    InputError
        With file, place and reason.
    """
    rows = records(part, encoding, skip_bad_lines, only)
    for number, record in rows:
        if record is None:
            yield FoundDocument(number, None, None, None)
        else:
            yield _document(rows, number, record)


def documents(
    part: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False
) -> Iterator[tuple[int, Document | None]]:
    """Yield the documents of a collection with their numbers, each with id and text; None for a bad one.

    Raises
    ------
    InputError
        With file, place and reason: no text, a bad id.
    """
    rows = records(part, encoding, skip_bad_lines)
    for number, record in rows:
        document = None if record is None else _document(rows, number, record)
        problem = "" if document is None else _problem(document, {}, rows)
        if problem and not skip_bad_lines:
            raise InputError(f"{rows.where(number)}: {problem}")
        if document is None or document.id is None or document.text is None or document.record is None:
            yield number, None
        else:
            yield number, Document(document.id, document.title, document.text, document.record)


def document_ids(part: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False) -> Iterator[str | None]:
    """Yield the ids of a collection's documents; None for what is none, where that is skipped.

    A document without an id is named by its number.

    Raises
    ------
    InputError
        With file, place and reason: what cannot be read, a bad id.
    """
    rows = records(part, encoding, skip_bad_lines, only=("id",))
    for number, record in rows:
        identity = None if record is None else rows.id_of(number, record)
        _refuse_bad_id(rows, number, identity, skip_bad_lines)
        yield identity


def documents_with_ids(
    part: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False
) -> Iterator[FoundDocument]:
    """Yield the documents of a collection, as `document_ids` their ids, with their titles and texts."""
    rows = records(part, encoding, skip_bad_lines, only=("id", "title", "text"))
    for number, record in rows:
        document = FoundDocument(number, None, None, None) if record is None else _document(rows, number, record)
        _refuse_bad_id(rows, number, document.id, skip_bad_lines)
        yield document


def _refuse_bad_id(rows: Records, number: int, identifier: str | None, skip_bad_lines: bool) -> None:
    if identifier is None and not skip_bad_lines:
        raise InputError(f"{rows.where(number)}: the id is neither a number nor a string")


def read_collection(
    part: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False, texts: bool = True
) -> Collection:
    """Read a collection whole; a document without an id is named by its number.

    Parameters
    ----------
    part, encoding
        As `formats.records.records` has them.
    skip_bad_lines
        Leave out what is no document, instead of raising.
    texts
        False: keep ids, names, files and categories alone; texts and `meta` are empty.

    Raises
    ------
    InputError
        With file, number and reason: no text, a bad id, an id used twice; with `texts`, over half without a text.
    """
    numbers: dict[str, int] = {}
    whole, meta = Strings(), JsonObjects()
    columns: dict[str, list[str]] = {column: [] for column in _COLUMNS}
    left_out: Counter[str] = Counter()
    rows = records(part, encoding, skip_bad_lines)
    without = _NO_LABELS | {name for names in rows.part.members.values() for name in names}
    skipped = empty = 0
    for number, record in rows:
        document = None if record is None else _document(rows, number, record)
        problem = "" if document is None else _problem(document, numbers, rows)
        if problem and not skip_bad_lines:
            raise InputError(f"{rows.where(number)}: {problem}")
        if document is None or problem:
            skipped += 1
            continue
        assert document.id is not None
        numbers[document.id] = number
        empty += document.is_empty
        whole.append(document.titled() if texts else "")
        labels = labels_of(record, without if rows.kind in ("jsonl", "json") else without | rows.names)
        short = _short(labels) if texts else {}
        meta.append(short)
        if texts and len(short) < len(labels):
            left_out.update(name for name in labels if name not in short)
        for column, names in _COLUMNS.items():
            value = first(record, names)
            value = first(_inner(record), names) if value is None else value
            columns[column].append(value if isinstance(value, str) else "")
    if not numbers:
        raise InputError(f"{rows.part.path} has no document")
    if texts:
        refuse_mostly_empty(rows.part, empty, len(numbers))
    known = {column: Strings(values) for column, values in columns.items() if any(values)}
    return Collection(Strings(numbers), whole, meta, **known, left_out=dict(left_out.most_common()), skipped=skipped)


def mostly_empty(empty: int, documents: int) -> bool:
    """Say whether so many documents have no text that the texts must stand elsewhere."""
    return empty > _MOSTLY * documents


def refuse_mostly_empty(part: Part, empty: int, documents: int) -> None:
    """Raise InputError where over half of a collection's documents have neither text nor title."""
    if mostly_empty(empty, documents):
        raise InputError(
            f"{empty:,} of {documents:,} documents of {part.path} have no text, so no search can find them; are the "
            "texts in another member, column or tag?"
        )


def _document(rows: Records, number: int, record: dict[str, Any]) -> FoundDocument:
    title = rows.part.members.get("title")
    if title is not None:
        record = {**record, "title": first(record, title)}
    return FoundDocument(number, rows.id_of(number, record), rows.text_of(record), record)


def _whole(title: str, text: str) -> str:
    """Return the text that is searched."""
    return f"{title} {text}" if title else text


def _problem(document: FoundDocument, numbers: dict[str, int], rows: Records) -> str:
    """Return why a document cannot be served; "" where it can."""
    if document.text is None:
        names = rows.part.members.get("text")
        wanted = 'a member "text"' if names is None else f"a member {', '.join(names)}"
        there = ", ".join(visible(name, 40) for name in list(document.record or {})[:_NAMED])
        return f"the document has no text ({wanted}); it has {there or 'no member'}"
    if document.id is None:
        return "the id is neither a number nor a string"
    if document.id in numbers:
        return rows.repeated("id", document.id, numbers[document.id], document.number)
    return ""


def labels_of(record: dict[str, Any], without: Some[str] = _NO_LABELS) -> dict[str, Any]:
    """Return what a document's record says besides id, title and text, as a served hit has it in `meta`.

    The members of its `meta`, or of BEIR's `metadata`, come first, then those beside the text; of one name, the latter
    counts. Null says nothing.
    """
    inner = _inner(record)
    outer = {name: value for name, value in record.items() if name not in without and value is not inner}
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
