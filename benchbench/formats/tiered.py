"""The tiered data set: one query with its positives per line of JSON.

Read tolerantly: `query_id` may be missing (the line number serves), `tier` may be missing (then 1), and labels stand
where a schema says, counted from the query object.
"""

from array import array
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.errors import BadLineError, InputError
from benchbench.formats.asked_queries import AskedQueries
from benchbench.formats.query_records import Query, read_each
from benchbench.formats.records import Part, records
from benchbench.tables.fields import ID, TEXT, first, identity
from benchbench.tables.hashing import content_digest, hash_and_prefix, id_hash
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
        """Return all of them, after which none is added: columns are not copied."""
        hashes, grades = np.asarray(self._hashes).reshape(-1, 2), np.asarray(self._grades)
        return Positives(
            offsets=np.asarray(self._offsets),
            ids=self._ids,
            id=hashes[:, 0].copy(),
            text=hashes[:, 1].copy(),
            text_prefixes=self._text_prefixes,
            grade=grades if has_tiers else np.ones_like(grades),
        )


class _Tiered:
    """Queries and their positives while a file is read."""

    def __init__(self, asked: AskedQueries, max_positives: int) -> None:
        self.asked = asked
        self.positives, self.left_out = _Positives(), _Positives()
        self.dropped = 0
        self.tiers = 0  # positives that have one
        self.without_tier = 0
        self._most = max_positives

    def add(self, query: Query) -> None:
        record = query.record
        if not isinstance(record.get("query"), dict):
            raise BadLineError('has no member "query" that is an object')
        query_id = query.required_id()
        asked = self.asked.read(query, query_id)
        positives = record.get("positives") or []
        if not isinstance(positives, list):
            raise BadLineError('"positives" is not a list')
        kept: list[tuple[str, int, str, float]] = []
        ids: set[str] = set()
        seen, dropped, tiers = {asked.text_hash}, 0, 0
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
        self.asked.add(asked)
        most = self._most or len(kept)
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
    return positive_id, *hash_and_prefix(text), 6.0 - tier


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
    rows = records(Part(path, format="jsonl"), encoding, skip_bad_lines, digest=digest)
    found = _Tiered(AskedQueries(rows, schema), max_positives)
    skipped = read_each(rows, skip_bad_lines, True, found.add)
    if not found.asked:
        raise InputError(f"{path} has no query" + (f": all {skipped} lines are bad" if skipped else ""))
    has_tiers = found.tiers > 0
    return found.asked.table(
        positives=found.positives.table(has_tiers),
        left_out=found.left_out.table(has_tiers) if found.left_out else None,
        dropped_positives=found.dropped,
        assumed_tiers=found.without_tier if has_tiers else 0,
        digest=digest.hexdigest(),
        skipped_lines=skipped,
    )
