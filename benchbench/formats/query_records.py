"""Queries of any file, one in memory at a time: what of a record is the id, the text, the labels and the positives.

A tiered record has the query as an object, with text and labels, and its `positives` beside it. Any other record is the
query itself. Every reader of queries goes by this file, so that a page shows what was asked.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchbench.errors import BadLineError, InputError, visible
from benchbench.formats.records import Part, Records, joined_text, record_id, records, value_of
from benchbench.tables.fields import QUERY_IDS, QUERY_TEXTS, TEXT

_TIERED_IDS = ("query_id",)
_DESCRIPTIONS = ("desc", "narr")  # of topics that have nothing else: shown, but not asked
_LONG_OF_TOPICS = (*_DESCRIPTIONS, "description", "narrative")
_FILES = "queries are JSON lines, .csv, .tsv or .parquet, or TREC topics"
_DEPTH = 4  # of objects in objects
_SHOWN = 20  # names that a message has


class Query(Struct, frozen=True):
    """A query, and where in its record what is known of it stands."""

    number: int  # of the record, from 1
    record: dict[str, Any]
    part: Part
    kind: str  # of the file, as `formats.records` calls it
    is_tiered: bool

    def required_id(self) -> str:
        """Return the id; BadLineError where there is none."""
        names = _TIERED_IDS if self.is_tiered else self.part.members.get("id", QUERY_IDS)
        for name in names:
            given = value_of(self.record, name)
            if given is not None and given != "":
                break
        else:
            given = str(self.number) if self.is_tiered else None
        identity = record_id(given)
        if identity is None:
            why = "no query id" if given is None else "the query id is neither a number nor a text"
            raise BadLineError(f"{why} ({' or '.join(names)}); {_there(self.record)}")
        return identity

    @property
    def own(self) -> dict[str, Any]:
        """What has text and labels: the object of a tiered record, or the record itself."""
        own: dict[str, Any] = self.record["query"] if self.is_tiered else self.record
        return own

    @property
    def text(self) -> str | None:
        """The text that is asked, of several named members all of them, joined; None where there is none."""
        if self.is_tiered:
            return _first_text(self.own, TEXT)
        names = self.part.members.get("text")
        return _first_text(self.record, QUERY_TEXTS) if names is None else joined_text(self.record, names)

    def required_text(self) -> str:
        """Return the text that is asked; BadLineError where there is none, or a blank one."""
        text = self.text
        if text is None or not text.strip():
            raise BadLineError(f"the query has no text ({' or '.join(self._texts())}); {_there(self.own)}")
        return text

    @property
    def shown(self) -> str | None:
        """The text, or else the description of a topic."""
        text = self.text
        if text is None and self.kind == "trec" and "text" not in self.part.members:
            return _first_text(self.record, _DESCRIPTIONS)
        return text

    @property
    def labels(self) -> dict[str, Any]:
        """What else the record says: single values and lists of them, those of inner objects under their own names."""
        unread = {*QUERY_IDS, *self.part.members.get("id", ()), "positives"}
        unread.update(_LONG_OF_TOPICS if self.kind == "trec" else ())
        labels: dict[str, Any] = {}
        empty = "" if self.is_written else None
        _flatten({name: value for name, value in self.record.items() if name not in unread and value != empty}, labels)
        return labels

    @property
    def positives(self) -> dict[str, Any]:
        """Number and best tier of the positives that stand with a tiered query; empty for any other."""
        if not self.is_tiered:
            return {}
        given = self.record.get("positives")
        rows = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
        tiers = [row["tier"] for row in rows if isinstance(row.get("tier"), int)]
        return {"positives": len(rows), "tier": min(tiers, default=None)}

    @property
    def is_written(self) -> bool:
        """Whether it is of a table of texts, where numbers are texts as well."""
        return self.kind in ("tsv", "csv")

    def _texts(self) -> tuple[str, ...]:
        return TEXT if self.is_tiered else self.part.members.get("text", QUERY_TEXTS)


def each_query(
    part: Part | Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    digest: Any = None,
    tiered: bool = True,
    only: Container[str] | None = None,
) -> Iterator[tuple[str, Query]]:
    """Yield the ids of queries and the queries, one in memory at a time.

    Parameters
    ----------
    part, encoding, digest
        As `formats.records.records` has them.
    skip_bad_lines
        Leave out what is no query, and what has an id that was used already, instead of raising.
    tiered
        Whether a record with an object `query` is a tiered one; else any record is the query itself.
    only
        Ids of the queries that are wanted; None for all. No other id is kept, nor is it checked that it is used once.

    Raises
    ------
    InputError
        No id, an id used twice, what cannot be read; with file and line or row.
    """
    rows = records(part, encoding, skip_bad_lines, digest=digest)
    numbers: dict[str, int] = {}
    try:
        for number, record in rows:
            if record is None:
                continue
            is_tiered = tiered and isinstance(record.get("query"), dict)
            query = Query(number, record, rows.part, rows.kind, is_tiered)
            try:
                identity = query.required_id()
                if only is not None and identity not in only:
                    continue
                if identity in numbers:
                    raise BadLineError(rows.repeated("query id", identity, numbers[identity], number))
            except BadLineError as error:
                if skip_bad_lines:
                    continue
                raise InputError(f"{rows.where(number)}: {error}") from None
            numbers[identity] = number
            yield identity, query
    except BadLineError as problem:
        raise InputError(f"{problem}; {_FILES}") from None


def read_each(rows: Records, skip_bad_lines: bool, tiered: bool, take: Callable[[Query], None]) -> int:
    """Give each query to a function, and return how many records were passed over.

    These are what cannot be read, and what the function refuses by a BadLineError: InputError, with file and line or
    row, where they are not skipped.
    """
    skipped = 0
    for number, record in rows:
        try:
            if record is None:
                raise BadLineError("cannot be read")
            take(Query(number, record, rows.part, rows.kind, tiered))
        except BadLineError as error:
            if not skip_bad_lines:
                raise InputError(f"{rows.where(number)}: {error}") from None
            skipped += 1
    return skipped


def _there(record: Mapping[str, Any]) -> str:
    return f"there are {', '.join(visible(str(name), 40) for name in list(record)[:_SHOWN]) or 'none'}"


def _first_text(record: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first text that is not blank, else the first."""
    blank = None
    for name in names:
        text = record.get(name)
        if isinstance(text, str):
            if text.strip():
                return text
            blank = text if blank is None else blank
    return blank


def _flatten(record: dict[str, Any], columns: dict[str, Any], depth: int = 0) -> None:
    for name, value in record.items():
        if isinstance(value, dict) and depth < _DEPTH:
            _flatten(value, columns, depth + 1)
        elif isinstance(value, list):
            if value and not any(isinstance(member, dict | list) for member in value):
                columns.setdefault(name, value)
        elif isinstance(value, str | int | float) and name not in QUERY_TEXTS:
            columns.setdefault(name, value)
