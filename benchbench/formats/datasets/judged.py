"""Queries whose judgments are in files of their own, or that have labels only, as columns."""

from array import array
from collections.abc import Collection, Iterable
from itertools import islice

import numpy as np

from benchbench.errors import BadLineError, InputError, visible
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.judgments import Chosen, Judgments
from benchbench.formats.query_labels import LabelColumns
from benchbench.formats.query_records import query_of
from benchbench.formats.records import records
from benchbench.tables.hashing import NO_HASH, content_digest, id_hash, normalise, text_hash, text_prefix
from benchbench.tables.judges import said
from benchbench.tables.labels import NO_LABELS, LabelSchema
from benchbench.tables.queries import Positives, Queries
from benchbench.tables.strings import Strings

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
    lines: dict[str, int] = {}  # query id -> number, of those that are asked
    others: dict[str, None] = {}  # some that have no judgment
    judged = array("q")  # their numbers in the judgments
    texts, prefixes = Strings(), Strings()
    hashes = array("Q")  # of id and text
    labels = LabelColumns(schema)
    digest = content_digest()
    skipped = unjudged = 0
    rows = records(data.queries, encoding, skip_bad_lines)
    for number, record in rows:
        try:
            if record is None:
                raise BadLineError("cannot be read")
            found = query_of(rows, number, record, tiered=False)
            query = found.required_id()
            if judgments is not None and query not in judgments.numbers:
                unjudged += 1
                if len(others) < _MOST:
                    others[query] = None
                continue
            if query in lines:
                raise BadLineError(rows.repeated("query id", query, lines[query], number))
            text = found.required_text()
            its = labels.read(record)
        except BadLineError as error:
            if not skip_bad_lines:
                raise InputError(f"{rows.where(number)}: {error}") from None
            skipped += 1
            continue
        lines[query] = number
        judged.append(0 if judgments is None else judgments.numbers[query])
        texts.append(text)
        prefixes.append(text_prefix(normalise(text)))
        hashes.extend((id_hash(query) if data.ids_shared or by_id else NO_HASH, text_hash(text)))
        labels.add(its)
        said = its if schema.labels or schema.spans else ""
        digest.update(f"{query}\t{text}\t{said}\n".encode(errors="surrogatepass"))
    if not lines and not unjudged:
        raise InputError(f"{data.queries.path} has no query" + (f": all {skipped} lines are bad" if skipped else ""))
    notes: tuple[str, ...] = ()
    if judgments is None:
        chosen = Chosen(_no_positives(len(lines)), None, 0)
    else:
        if not lines:
            raise InputError(_nothing_matches(data, judgments, others))
        chosen = judgments.of(np.array(judged, np.int64), by_id, max_positives)
        notes += _notes(data, judgments, lines, unjudged)
        digest.update(judgments.digest.encode())
    columns = np.array(hashes, np.uint64).reshape(-1, 2)
    return Queries(
        ids=Strings(lines),
        texts=texts,
        id=columns[:, 0].copy(),
        text=columns[:, 1].copy(),
        text_prefixes=prefixes,
        codes=labels.codes(),
        numbers=labels.numbers(),
        spans=labels.spans(),
        positives=chosen.kept,
        labels=labels.vocabulary,
        schema=schema,
        digest=digest.hexdigest(),
        skipped_lines=skipped,
        dropped_positives=chosen.dropped,
        left_out=chosen.left_out,
        notes=notes,
    )


def _no_positives(queries: int) -> Positives:
    none = np.zeros(0, np.uint64)
    return Positives(np.zeros(queries + 1, np.int64), (), none, none, (), np.zeros(0))


def _notes(data: DataSet, judgments: Judgments, asked: Collection[str], unjudged: int) -> tuple[str, ...]:
    """Return sentences on queries without judgments, judgments without a query, and judgments by judges."""
    unknown = [query for query in judgments.numbers if query not in asked]
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
    if judgments.judges:
        notes.append(said(judgments.judges, len(judgments)))
    return tuple(notes)


def _nothing_matches(data: DataSet, judgments: Judgments, queries: Collection[str]) -> str:
    """Return why no query is judged, with the mistake that it looks like; `queries` are some that there are."""
    said = (
        f"no query of {data.queries.path} is judged in {judgments.name}: queries are called {_examples(queries)}, "
        f"and judgments are of {_examples(judgments.numbers)}"
    )
    if any(document in queries for document in judgments.documents()):
        return f"{said}; the documents that are judged are ids of queries: are its columns swapped?"
    stripped = {query.lstrip("0") for query in queries}
    if any(query.lstrip("0") in stripped for query in judgments.numbers):
        return f"{said}; they differ in leading zeros"
    return f"{said}; are these files of one data set, and is each id in the column that should have it?"


def _examples(ids: Iterable[str]) -> str:
    return ", ".join(visible(one, 40) for one in islice(ids, _SHOWN))
