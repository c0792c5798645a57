"""Queries whose judgments are in files of their own, or that have labels only, as columns."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.judgments import Judgments
from benchbench.formats.query_fields import query_id, query_text
from benchbench.formats.query_labels import BadLineError, LabelColumns
from benchbench.formats.records import records
from benchbench.tables.hashing import NO_HASH, content_digest, id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import NO_LABELS, LabelSchema
from benchbench.tables.queries import Positives, Queries
from benchbench.tables.strings import Strings

_SHOWN = 3  # examples in a sentence


class _Judged:
    """The columns of `Positives` while queries are read: relevant documents, and others that were judged."""

    def __init__(self) -> None:
        self.ids = Strings()
        self._hashes, self._grades, self._offsets = array("Q"), array("d"), array("q", [0])

    def add(self, grades: Iterable[tuple[str, float]]) -> None:
        """Add those of the next query."""
        for document, grade in grades:
            self.ids.append(document)
            self._hashes.append(id_hash(document))
            self._grades.append(grade)
        self._offsets.append(len(self._grades))

    def table(self) -> Positives:
        return Positives(
            offsets=np.array(self._offsets, np.int64),
            ids=self.ids,
            id=np.array(self._hashes, np.uint64),
            text=np.full(len(self._hashes), NO_HASH, np.uint64),
            text_prefixes=(),
            grade=np.array(self._grades, np.float64),
        )


def read_judged(
    data: DataSet,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    max_positives: int = 0,
    schema: LabelSchema = NO_LABELS,
    self_by: str | None = None,
) -> Queries:
    """Read the queries of a data set with their judgments; without judgments all queries are asked.

    Queries without a judgment are not asked, as trec_eval does not count them.

    Parameters
    ----------
    data
        What `locate` found.
    encoding
        A Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Count a line that cannot be read and go on, instead of raising.
    max_positives
        Relevant documents per query, in the order of the judgments; those beyond it are `left_out`. 0: all.
    schema
        The labels of queries, which are read.
    self_by
        What makes a hit the query itself; by `id`, a judgment of the query itself is dropped. None: as the data have
        it.

    Raises
    ------
    InputError
        With file, line and reason; when no judgment is of a query that is there.
    """
    judgments = Judgments(data.qrels) if data.qrels else None
    by_id = (self_by or data.self_by) == "id"
    ids: dict[str, int] = {}
    asked, texts, prefixes = Strings(), Strings(), Strings()
    hashes = array("Q")  # of id and text
    labels = LabelColumns(schema)
    judged, left_out = _Judged(), _Judged()
    digest = content_digest()
    skipped = dropped = unjudged = 0
    members = data.queries.members
    rows = records(data.queries, encoding, skip_bad_lines)
    for number, record in rows:
        try:
            if record is None:
                raise BadLineError("cannot be read")
            query = query_id(record, members)
            if query in ids:
                raise BadLineError(f"the query id {visible(query)} was used in number {ids[query]} already")
            if judgments is not None and query not in judgments.numbers:
                ids[query] = number
                unjudged += 1
                continue
            text = query_text(record, members)
            its = labels.read(record)
        except BadLineError as error:
            if not skip_bad_lines:
                raise InputError(f"{rows.where(number)}: {error}") from None
            skipped += 1
            continue
        grades = {} if judgments is None else judgments.of(query)
        if by_id and grades.pop(query, None) is not None:
            dropped += 1
        kept, more = _cut(list(grades.items()), max_positives)
        ids[query] = number
        asked.append(query)
        texts.append(text)
        prefixes.append(text_prefix(normalise(text)))
        hashes.extend((id_hash(query) if data.ids_shared or by_id else NO_HASH, text_hash(text)))
        labels.add(its)
        judged.add(kept)
        left_out.add(more)
        said = its if schema.labels or schema.spans else ""
        digest.update(f"{query}\t{text}\t{said}\n".encode(errors="surrogatepass"))
    if not ids:
        raise InputError(f"{data.queries.path} has no query" + (f": all {skipped} lines are bad" if skipped else ""))
    notes = _notes(data, judgments, ids, unjudged, len(asked))
    if judgments is not None:
        digest.update(judgments.digest.encode())
    columns = np.array(hashes, np.uint64).reshape(-1, 2)
    return Queries(
        ids=asked,
        texts=texts,
        id=columns[:, 0].copy(),
        text=columns[:, 1].copy(),
        text_prefixes=prefixes,
        codes=labels.codes(),
        numbers=labels.numbers(),
        spans=labels.spans(),
        positives=judged.table(),
        labels=labels.vocabulary,
        schema=schema,
        digest=digest.hexdigest(),
        skipped_lines=skipped,
        dropped_positives=dropped,
        left_out=left_out.table() if left_out.ids else None,
        notes=notes,
    )


def _cut(grades: list[tuple[str, float]], most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Return the judgments that count, and the relevant ones beyond the most."""
    if not most:
        return grades, []
    kept: list[tuple[str, float]] = []
    more: list[tuple[str, float]] = []
    relevant = 0
    for document, grade in grades:
        relevant += grade > 0
        (kept if grade <= 0 or relevant <= most else more).append((document, grade))
    return kept, more


def _notes(
    data: DataSet, judgments: Judgments | None, ids: dict[str, int], unjudged: int, asked: int
) -> tuple[str, ...]:
    """Return sentences on queries without judgments, and on judgments without a query."""
    if judgments is None:
        return ()
    unknown = [query for query in judgments.numbers if query not in ids]
    if not asked:
        raise InputError(_nothing_matches(data, judgments, ids))
    notes = []
    if unjudged:
        one = unjudged == 1
        notes.append(
            f"{unjudged:,} {'query' if one else 'queries'} of {data.queries.path.name} {'has' if one else 'have'} no "
            f"judgment in {judgments.name}, and {'is' if one else 'are'} not asked"
        )
    if unknown:
        notes.append(
            f"{judgments.name} judges {len(unknown):,} {'query' if len(unknown) == 1 else 'queries'} that "
            f"{data.queries.path.name} does not have, such as {_examples(unknown)}"
        )
    return tuple(notes)


def _nothing_matches(data: DataSet, judgments: Judgments, ids: dict[str, int]) -> str:
    """Return why no query is judged, with the mistake that it looks like."""
    said = (
        f"no query of {data.queries.path} is judged in {judgments.name}: queries are called {_examples(list(ids))}, "
        f"and judgments are of {_examples(list(judgments.numbers))}"
    )
    if any(document in ids for document in judgments.documents()):
        return f"{said}; the documents that are judged are ids of queries: are its columns swapped?"
    stripped = {query.lstrip("0") for query in ids}
    if any(query.lstrip("0") in stripped for query in judgments.numbers):
        return f"{said}; they differ in leading zeros"
    return f"{said}; are these files of one data set, and is each id in the column that should have it?"


def _examples(ids: Sequence[Any]) -> str:
    return ", ".join(visible(str(one), 40) for one in ids[:_SHOWN])
