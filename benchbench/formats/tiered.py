"""The tiered data set: one query with its positives a line of JSON.

Read tolerantly: `query_id` may be missing (the line number serves), labels may stand in `meta` or at the
top level, articles may be strings, `tier` may be missing (then 1).
"""

from array import array
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.lines import json_lines
from benchbench.tables.fields import ACCUSATION, ARTICLES, ID, SENTENCE, TEXT, first, identity, label
from benchbench.tables.hashing import content_digest, id_hash, normalise, opening, text_hash
from benchbench.tables.labels import MALFORMED, Labels, sentence
from benchbench.tables.queries import RECALL_LIMIT, Positives, Queries
from benchbench.tables.strings import Strings

TIERS = (1, 2, 3, 4, 5)


class _BadLineError(Exception):
    """What is wrong with one line; becomes an `InputError`, or is counted."""


class _Columns:
    """The columns of `Queries` while a file is read."""

    def __init__(self) -> None:
        self.labels = Labels()
        self.lines: dict[str, int] = {}  # query id -> line, in file order
        self.texts, self.openings = Strings(), Strings()
        self.hashes = array("Q")  # a query's id and text
        self.coded = array("i")  # accusation, article, months, penalty
        self.positive_ids, self.positive_openings = Strings(), Strings()
        self.positive_hashes = array("Q")
        self.gains = array("d")
        self.offsets = array("q", [0])
        self.dropped = 0
        self.has_tiers = False

    def add(self, number: int, record: Any, max_positives: int) -> None:
        if not isinstance(record, dict):
            raise _BadLineError("not a JSON object")
        query = record.get("query")
        if not isinstance(query, dict):
            raise _BadLineError('has no member "query" that is an object')
        text = first(query, TEXT)
        if not isinstance(text, str) or not text.strip():
            raise _BadLineError('the query has no text (a member "fact" with a string)')
        given = record.get("query_id")
        query_id = str(number) if given is None else identity(given)
        if query_id is None:
            raise _BadLineError("query_id is neither a number nor a string")
        if query_id in self.lines:
            raise _BadLineError(f"query_id {query_id} was used in line {self.lines[query_id]} already")
        labels = self._labels(query)
        positives = record.get("positives") or []
        if not isinstance(positives, list):
            raise _BadLineError('"positives" is not a list')
        own = text_hash(text)
        taken: list[tuple[str, int, str, float]] = []
        ids: set[str] = set()
        seen, dropped = {own}, 0
        for place, positive in enumerate(positives, 1):
            row = _positive(place, positive, query_id)
            if row[0] in ids:
                raise _BadLineError(f"positive {place} has the id {row[0]} of an earlier one")
            ids.add(row[0])
            self.has_tiers |= positive.get("tier") is not None
            if row[1] in seen:
                dropped += 1
            elif len(taken) < max_positives:
                taken.append(row)
                seen.add(row[1])
        # Nothing was stored before this point: a skipped line leaves no trace.
        self.lines[query_id] = number
        self.texts.append(text)
        self.openings.append(opening(normalise(text)))
        self.hashes.extend((id_hash(query_id), own))
        self.coded.extend(labels)
        for positive_id, digest, start, gain in taken:
            self.positive_ids.append(positive_id)
            self.positive_openings.append(start)
            self.positive_hashes.extend((id_hash(positive_id), digest))
            self.gains.append(gain)
        self.offsets.append(len(self.gains))
        self.dropped += dropped

    def _labels(self, query: dict[str, Any]) -> tuple[int, int, int, int]:
        accusation = self.labels.code(label(query, ACCUSATION))
        article = self.labels.code(label(query, ARTICLES))
        months, penalty = sentence(label(query, SENTENCE))
        for code, name in ((accusation, "accusation"), (article, "relevant_articles"), (months, "imprisonment")):
            if code == MALFORMED:
                raise _BadLineError(f"the query's {name} has a wrong type")
        return accusation, article, months, penalty


def _positive(place: int, positive: Any, query_id: str) -> tuple[str, int, str, float]:
    """Return id, text hash, opening and gain of the positive at `place` (from 1)."""
    if not isinstance(positive, dict):
        raise _BadLineError(f"positive {place} is not a JSON object")
    text = first(positive, TEXT)
    given = first(positive, ID)
    if text is not None and not isinstance(text, str):
        raise _BadLineError(f"the text of positive {place} is not a string")
    if not (text and text.strip()):
        raise _BadLineError(f'positive {place} has no text (a member "fact" with a string)')
    positive_id = f"{query_id}.{place}" if given is None else identity(given)
    if positive_id is None:
        raise _BadLineError(f"the id of positive {place} is neither a number nor a string")
    tier = first(positive, ("tier",))
    tier = 1 if tier is None else tier
    if tier not in TIERS or isinstance(tier, bool):
        raise _BadLineError(f"the tier of positive {place} is {tier!r}, not one of 1 to 5")
    return positive_id, text_hash(text), opening(normalise(text)), 6.0 - tier


def read_tiered(
    path: Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    max_positives: int = RECALL_LIMIT,
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
        Positives a query, in file order; those beyond it are cut off.

    Raises
    ------
    InputError
        With file, line number and reason.
    """
    digest = content_digest()
    columns = _Columns()
    skipped = 0
    for number, record in json_lines(path, encoding, skip_bad_lines, digest):
        try:
            if record is None and skip_bad_lines:
                raise _BadLineError("not JSON")
            columns.add(number, record, max_positives)
        except _BadLineError as error:
            if not skip_bad_lines:
                raise InputError(f"{path}, line {number}: {error}") from None
            skipped += 1
    if not columns.texts:
        raise InputError(f"{path} has no query" + (f": all {skipped} lines are bad" if skipped else ""))
    hashes = np.array(columns.hashes, np.uint64).reshape(-1, 2)
    positive_hashes = np.array(columns.positive_hashes, np.uint64).reshape(-1, 2)
    accusation, article, months, penalty = np.ascontiguousarray(np.array(columns.coded, np.int32).reshape(-1, 4).T)
    gains = np.array(columns.gains, np.float64)
    return Queries(
        ids=Strings(columns.lines),
        texts=columns.texts,
        id=hashes[:, 0].copy(),
        text=hashes[:, 1].copy(),
        openings=columns.openings,
        accusation=accusation,
        article=article,
        months=months,
        penalty=penalty.astype(np.uint8),
        positives=Positives(
            offsets=np.array(columns.offsets, np.int64),
            ids=columns.positive_ids,
            id=positive_hashes[:, 0].copy(),
            text=positive_hashes[:, 1].copy(),
            openings=columns.positive_openings,
            gain=gains if columns.has_tiers else np.ones_like(gains),
        ),
        labels=columns.labels,
        digest=digest.hexdigest(),
        skipped_lines=skipped,
        dropped_positives=columns.dropped,
    )
