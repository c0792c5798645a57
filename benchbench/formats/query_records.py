"""Queries of any file, one in memory at a time: what of a record is the id, the text, the labels and the positives.

A tiered record has the query as an object, with text and labels, and its `positives` beside it. Any other record is the
query itself. Every reader of queries goes by this file, so that a page shows what was asked.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.errors import BadLineError, InputError, visible
from benchbench.formats.records import Part, Records, joined_text, record_id, records, value_of
from benchbench.tables.fields import QUERY_IDS, QUERY_TEXTS, TEXT

_TIERED_IDS = ("query_id",)
_DESCRIPTIONS = ("desc", "narr")  # of topics that have nothing else: shown, but not asked
_LONG_OF_TOPICS = (*_DESCRIPTIONS, "description", "narrative")
_FILES = "queries stand in JSON lines, .csv, .tsv or .parquet, or are topics of TREC"
_DEPTH = 4  # of objects in objects
_SHOWN = 20  # names that a message has


class Query(NamedTuple):
    """A query, and where in its record what is known of it stands."""

    number: int  # of the record, from 1
    record: dict[str, Any]
    part: Part
    kind: str  # of the file, as `formats.records` calls it
    is_tiered: bool

    @property
    def id(self) -> str | None:
        """The id; None where there is none, or what is there is neither a number nor a text."""
        given = self._given_id()
        return str(self.number) if given is None and self.is_tiered else record_id(given)

    def required_id(self) -> str:
        """Return the id; BadLineError where there is none."""
        found = self.id
        if found is None:
            why = "no query id" if self._given_id() is None else "the query id is neither a number nor a text"
            raise BadLineError(f"{why} ({' or '.join(self._ids())}); {_there(self.record)}")
        return found

    @property
    def text(self) -> str | None:
        """The text that is asked, of several named members all of them, joined; None where there is none."""
        if "text" in self.part.members and not self.is_tiered:
            return joined_text(self.record, self._texts())
        return _first_text(self._own(), self._texts())

    def required_text(self) -> str:
        """Return the text that is asked; BadLineError where there is none, or a blank one."""
        found = self.text
        if found is None or not found.strip():
            raise BadLineError(f"the query has no text ({' or '.join(self._texts())}); {_there(self._own())}")
        return found

    @property
    def shown(self) -> str | None:
        """The text, or else the description of a topic."""
        found = self.text
        if found is None and self.kind == "trec" and "text" not in self.part.members:
            return _first_text(self.record, _DESCRIPTIONS)
        return found

    @property
    def labels(self) -> dict[str, Any]:
        """What else the record says: single values and lists of them, those of inner objects under their own names."""
        unread = {*QUERY_IDS, *self.part.members.get("id", ()), "positives"}
        unread.update(_LONG_OF_TOPICS if self.kind == "trec" else ())
        found: dict[str, Any] = {}
        empty = "" if self.is_written else None
        _flatten({name: value for name, value in self.record.items() if name not in unread and value != empty}, found)
        return found

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

    def _ids(self) -> tuple[str, ...]:
        return _TIERED_IDS if self.is_tiered else self.part.members.get("id", QUERY_IDS)

    def _given_id(self) -> Any:
        for name in self._ids():
            value = value_of(self.record, name)
            if value is not None and value != "":
                return value
        return None

    def _own(self) -> dict[str, Any]:
        """Return what has the text: the object of a tiered record, or the record itself."""
        own: dict[str, Any] = self.record["query"] if self.is_tiered else self.record
        return own

    def _texts(self) -> tuple[str, ...]:
        return TEXT if self.is_tiered else self.part.members.get("text", QUERY_TEXTS)


def query_of(rows: Records, number: int, record: dict[str, Any], tiered: bool | None = None) -> Query:
    """Return the query that a record is; `tiered` says how it is made, and None: as it looks."""
    if tiered is None:
        tiered = isinstance(record.get("query"), dict)
    return Query(number, record, rows.part, rows.kind, tiered)


def each_query(
    part: Part | Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    digest: Any = None,
    tiered: bool | None = None,
) -> Iterator[tuple[str, Query]]:
    """Yield the ids of queries and the queries, one in memory at a time.

    Parameters
    ----------
    part, encoding, digest
        As `formats.records.records` has them.
    skip_bad_lines
        Leave out what is no query, and what has an id that was used already, instead of raising.
    tiered
        Whether the queries are objects of tiered records; None: as each record looks.

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
            query = query_of(rows, number, record, tiered)
            try:
                identity = query.required_id()
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
