"""The tiered data set: one query with its positives per line of JSON.

Read tolerantly: `query_id` may be missing (the line number serves), `tier` may be missing (then 1), and labels stand
where a schema says, counted from the query object.
"""

from array import array
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.errors import BadLineError, InputError
from benchbench.formats.query_labels import LabelColumns
from benchbench.formats.query_records import query_of
from benchbench.formats.records import Part, Records, records
from benchbench.tables.fields import ID, TEXT, first, identity
from benchbench.tables.hashing import content_digest, id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import NO_LABELS, LabelSchema
from benchbench.tables.queries import Positives, Queries
from benchbench.tables.strings import Strings

TIERS = (1, 2, 3, 4, 5)
_MOST = 10  # positives of a query that count where nobody says it


class _Positives:
    """The columns of `Positives` while a file is read."""

    def __init__(self) -> None:
        self._ids, self._text_prefixes = Strings(), Strings()
        self._hashes = array("Q")  # of id and text
        self._grades = array("d")
        self._offsets = array("q", [0])

    def __len__(self) -> int:
        return len(self._grades)

    def add(self, rows: list[tuple[str, int, str, float]]) -> None:
        """Add those of the next query."""
        for positive_id, digest, start, grade in rows:
            self._ids.append(positive_id)
            self._text_prefixes.append(start)
            self._hashes.extend((id_hash(positive_id), digest))
            self._grades.append(grade)
        self._offsets.append(len(self._grades))

    def table(self, has_tiers: bool) -> Positives:
        hashes = np.array(self._hashes, np.uint64).reshape(-1, 2)
        grades = np.array(self._grades, np.float64)
        return Positives(
            offsets=np.array(self._offsets, np.int64),
            ids=self._ids,
            id=hashes[:, 0].copy(),
            text=hashes[:, 1].copy(),
            text_prefixes=self._text_prefixes,
            grade=grades if has_tiers else np.ones_like(grades),
        )


class _Columns:
    """The columns of `Queries` while a file is read."""

    def __init__(self, schema: LabelSchema) -> None:
        self.labels = LabelColumns(schema)
        self.lines: dict[str, int] = {}  # query id -> line, in file order
        self.texts, self.text_prefixes = Strings(), Strings()
        self.hashes = array("Q")  # a query's id and text
        self.positives, self.left_out = _Positives(), _Positives()
        self.dropped = 0
        self.tiers = 0  # positives that have one
        self.without_tier = 0

    def add(self, rows: Records, number: int, record: dict[str, Any], max_positives: int) -> None:
        if not isinstance(record.get("query"), dict):
            raise BadLineError('has no member "query" that is an object')
        query = query_of(rows, number, record, tiered=True)
        text = query.required_text()
        query_id = query.required_id()
        if query_id in self.lines:
            raise BadLineError(rows.repeated("query id", query_id, self.lines[query_id], number))
        labels = self.labels.read(record["query"])
        positives = record.get("positives") or []
        if not isinstance(positives, list):
            raise BadLineError('"positives" is not a list')
        own = text_hash(text)
        kept: list[tuple[str, int, str, float]] = []
        ids: set[str] = set()
        seen, dropped, tiers = {own}, 0, 0
        for place, positive in enumerate(positives, 1):
            row = _positive(place, positive, query_id)
            if row[0] in ids:
                raise BadLineError(f"positive {place} has the id {row[0]} of an earlier one")
            ids.add(row[0])
            tiers += positive.get("tier") is not None
            if row[1] in seen:
                dropped += 1
            else:
                kept.append(row)
                seen.add(row[1])
        # No number was touched before this point: a skipped line leaves no trace in any.
        self.lines[query_id] = number
        self.texts.append(text)
        self.text_prefixes.append(text_prefix(normalise(text)))
        self.hashes.extend((id_hash(query_id), own))
        self.labels.add(labels)
        most = max_positives or len(kept)
        self.positives.add(kept[:most])
        self.left_out.add(kept[most:])
        self.dropped += dropped
        self.tiers += tiers
        self.without_tier += len(positives) - tiers


def _positive(place: int, positive: Any, query_id: str) -> tuple[str, int, str, float]:
    """Return id, text hash, prefix and grade of the positive at `place` (from 1)."""
    if not isinstance(positive, dict):
        raise BadLineError(f"positive {place} is not a JSON object")
    text = first(positive, TEXT)
    given = first(positive, ID)
    if text is not None and not isinstance(text, str):
        raise BadLineError(f"the text of positive {place} is not a string")
    if not (text and text.strip()):
        raise BadLineError(f'positive {place} has no text (a member "fact" with a string)')
    positive_id = f"{query_id}.{place}" if given is None else identity(given)
    if positive_id is None:
        raise BadLineError(f"the id of positive {place} is neither a number nor a string")
    tier = first(positive, ("tier",))
    tier = 1 if tier is None else tier
    if tier not in TIERS or isinstance(tier, bool):
        raise BadLineError(f"the tier of positive {place} is {tier!r}, not one of 1 to 5")
    return positive_id, text_hash(text), text_prefix(normalise(text)), 6.0 - tier


def read_tiered(
    path: Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    max_positives: int = _MOST,
    schema: LabelSchema = NO_LABELS,
) -> Queries:
    """Read a tiered data set whole.

    Parameters
    ----------
    path
        A `*.jsonl` file.
    encoding
        A Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Count a line that cannot be read and go on, instead of raising.
    max_positives
        Positives per query, in file order; those beyond it are `left_out`. 0: all.
    schema
        The labels of queries, which are read.

    Raises
    ------
    InputError
        With file, line number and reason.
    """
    digest = content_digest()
    columns = _Columns(schema)
    skipped = 0
    rows = records(Part(path, format="jsonl"), encoding, skip_bad_lines, digest=digest)
    for number, record in rows:
        try:
            if record is None:
                raise BadLineError("cannot be read")
            columns.add(rows, number, record, max_positives)
        except BadLineError as error:
            if not skip_bad_lines:
                raise InputError(f"{rows.where(number)}: {error}") from None
            skipped += 1
    if not columns.texts:
        raise InputError(f"{path} has no query" + (f": all {skipped} lines are bad" if skipped else ""))
    hashes = np.array(columns.hashes, np.uint64).reshape(-1, 2)
    has_tiers = columns.tiers > 0
    return Queries(
        ids=Strings(columns.lines),
        texts=columns.texts,
        id=hashes[:, 0].copy(),
        text=hashes[:, 1].copy(),
        text_prefixes=columns.text_prefixes,
        codes=columns.labels.codes(),
        numbers=columns.labels.numbers(),
        spans=columns.labels.spans(),
        positives=columns.positives.table(has_tiers),
        labels=columns.labels.vocabulary,
        schema=schema,
        digest=digest.hexdigest(),
        skipped_lines=skipped,
        dropped_positives=columns.dropped,
        left_out=columns.left_out.table(has_tiers) if columns.left_out else None,
        assumed_tiers=columns.without_tier if has_tiers else 0,
    )
