"""Queries whose judgments are in files of their own, or that have labels only, as columns."""

from array import array
from collections.abc import Collection, Container, Iterable
from itertools import islice

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.asked_queries import AskedQueries
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.judgments import Chosen, Judgments
from benchbench.formats.query_records import Query, read_each
from benchbench.formats.records import records
from benchbench.tables.hashing import content_digest
from benchbench.tables.judges import said
from benchbench.tables.labels import NO_LABELS, LabelSchema
from benchbench.tables.queries import Positives, Queries

_SHOWN = 3  # examples in a sentence
_MOST = 1_000  # unjudged queries that are kept in mind, to say why none is judged


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

    Parameters are those of `formats.datasets.reading.read_queries`. Of relevant documents beyond `max_positives`, the
    first in the order of the judgments count. By `id`, a judgment of the query itself is dropped.

    Raises
    ------
    InputError
        With file, line and reason; when no judgment is of a query that is there.
    """
    judgments = Judgments(data.qrels, encoding) if data.qrels else None
    by_id = (self_by or data.self_by) == "id"
    has_ids = data.ids_shared or by_id
    others: dict[str, None] = {}  # some that have no judgment
    judged = array("q")  # numbers in the judgments, of those that are asked
    digest = content_digest()
    unjudged = 0
    rows = records(data.queries, encoding, skip_bad_lines)
    asked = AskedQueries(rows, schema)

    def take(query: Query) -> None:
        nonlocal unjudged
        identity = query.required_id()
        if judgments is not None and identity not in judgments.numbers:
            unjudged += 1
            if len(others) < _MOST:
                others[identity] = None
            return
        found = asked.read(query, identity)
        asked.add(found, has_ids)
        judged.append(0 if judgments is None else judgments.numbers[identity])
        labels = found.labels if schema.labels or schema.spans else ""
        digest.update(f"{identity}\t{found.text}\t{labels}\n".encode(errors="surrogatepass"))

    skipped = read_each(rows, skip_bad_lines, False, take)
    if not asked and not unjudged:
        raise InputError(f"{data.queries.path} has no query" + (f": all {skipped} lines are bad" if skipped else ""))
    notes: tuple[str, ...] = ()
    if judgments is None:
        chosen = Chosen(_no_positives(len(asked)), None, 0)
    else:
        if not asked:
            raise InputError(_nothing_matches(data, judgments, others))
        chosen = judgments.of(np.array(judged, np.int64), by_id, max_positives)
        notes = _notes(data, judgments, asked, unjudged)
        digest.update(judgments.digest.encode())
    return asked.table(
        positives=chosen.kept,
        left_out=chosen.left_out,
        dropped_positives=chosen.dropped,
        digest=digest.hexdigest(),
        skipped_lines=skipped,
        notes=notes,
    )


def _no_positives(queries: int) -> Positives:
    none = np.zeros(0, np.uint64)
    return Positives(np.zeros(queries + 1, np.int64), (), none, none, (), np.zeros(0))


def _notes(data: DataSet, judgments: Judgments, read: Container[str], unjudged: int) -> tuple[str, ...]:
    """Return sentences on queries without judgments, judgments without a query, and judgments by judges."""
    unknown = [query for query in judgments.numbers if query not in read]
    notes = []
    if unjudged:
        asked = "query of {} has no judgment in {} and was skipped"
        if unjudged > 1:
            asked = "queries of {} have no judgment in {} and were skipped"
        notes.append(f"{unjudged:,} {asked.format(data.queries.path.name, judgments.name)}")
    if unknown:
        notes.append(
            f"{judgments.name} judges {len(unknown):,} {'query' if len(unknown) == 1 else 'queries'} that "
            f"{data.queries.path.name} does not have, such as {_examples(unknown)}"
        )
    if judgments.judges:
        notes.append(said(judgments.judges, len(judgments)))
    return tuple(notes)


def _nothing_matches(data: DataSet, judgments: Judgments, queries: Collection[str]) -> str:
    """Return why no query is judged, with the mistake that it looks like; `queries` are some that there are."""
    sentence = (
        f"no query of {data.queries.path} is judged in {judgments.name}: queries are called {_examples(queries)}, "
        f"and judgments are of {_examples(judgments.numbers)}"
    )
    if any(document in queries for document in judgments.documents()):
        return f"{sentence}; the judged documents have ids of queries: are its columns swapped?"
    stripped = {query.lstrip("0") for query in queries}
    if any(query.lstrip("0") in stripped for query in judgments.numbers):
        return f"{sentence}; they differ in leading zeros"
    return f"{sentence}; do these files belong to the same data set, and is each id in the right column?"


def _examples(ids: Iterable[str]) -> str:
    return ", ".join(visible(identity, 40) for identity in islice(ids, _SHOWN))
