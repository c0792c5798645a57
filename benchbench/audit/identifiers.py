"""Ids: given twice, equal by accident, or such as files cannot hold; and lines that cannot be read."""

import re
from collections.abc import Iterator

import numpy as np

from benchbench.audit.check import Judged, check
from benchbench.audit.finding import SHOWN, Concerned, Finding, excerpt, finding, many
from benchbench.tables.hashing import id_hashes

_SPACE = re.compile(r"\s")


@check("Unreadable records")
def unreadable_records(judged: Judged) -> Iterator[Finding]:
    """Count what was passed over, and positives that do not count."""
    data, queries, table = judged.data, judged.data.queries, judged.table
    dropped = queries.dropped_positives
    documents, numbers = (table.unreadable, table.unreadable_numbers) if table is not None else (0, [])
    if documents or queries.skipped_lines:
        parts = [many(documents, "record") + f" of {data.collection}"] * bool(documents)
        parts += [many(queries.skipped_lines, "query record") + f" of {data.source}"] * bool(queries.skipped_lines)
        yield finding(
            "error",
            documents + queries.skipped_lines,
            f"{' and '.join(parts)} cannot be read",
            examples=[f"line {number}" for number in numbers[:SHOWN]],
            effect="what they hold is missing in every score, or the command that reads them ends",
            advice="repair them, or name the --encoding",
        )
    yield finding(
        "note",
        dropped,
        f"{many(dropped, 'positive has', 'positives have')} the query's own text, or that of an earlier one",
        effect="they do not count",
        advice="leave them out of the data set",
    )


@check("Repeated ids")
def repeated_ids(judged: Judged) -> Iterator[Finding]:
    """Find ids that several documents have."""
    table = judged.collection
    rows = np.flatnonzero(table.by_id.repeated())
    ids = sorted({table.ids[row] for row in rows.tolist()})
    yield finding(
        "error",
        len(ids),
        f"{many(len(ids), 'id is', 'ids are')} given to several documents ({len(rows):,})",
        documents=ids,
        examples=map(excerpt, ids[:SHOWN]),
        effect="nothing says which of them a judgment or a hit means",
        advice="give every document its own id",
    )


@check("Colliding ids")
def colliding_ids(judged: Judged) -> Iterator[Finding]:
    """Find ids that a query and a document have though their texts differ."""
    queries, table = judged.data.queries, judged.collection
    place = table.by_id.first(np.array(id_hashes(list(queries.ids)), np.uint64))
    there = np.maximum(place, 0)
    same = (table.text[there] == queries.text) | (table.body[there] == queries.text) if len(table) else place < 0
    differing = np.flatnonzero((place >= 0) & ~same)
    if not len(differing):
        return
    ids, by_id = sorted(queries.ids[q] for q in differing.tolist()), judged.data.self_by == "id"
    of_document = (judged.place == place[judged.query]) & (judged.place >= 0)
    lost = int(np.count_nonzero(of_document & np.isin(judged.query, differing)))
    removed = "self-retrieval by id, the default of these data," if by_id else "--self id"
    yield finding(
        "error" if lost and by_id else "warning" if lost or by_id else "note",
        len(ids),
        f"{many(len(ids), 'query has', 'queries have')} the id of a document with another text",
        queries=ids,
        documents=ids,
        examples=map(excerpt, ids[:SHOWN]),
        effect=f"{removed} removes these documents as if they were the query"
        + (f"; {many(lost, 'judgment')} of them would be lost" if lost else ""),
        advice="take --self text, or give queries other ids",
    )


@check("Ids with white space")
def unwritable_ids(judged: Judged) -> Iterator[Finding]:
    """Find ids with white space, which divides the columns of TREC files."""
    queries = [query for query in judged.data.queries.ids if _SPACE.search(query)]
    named = {document for document in judged.data.queries.positives.ids if _SPACE.search(document)}
    if judged.table is not None:
        named.update(document for document in judged.table.ids if _SPACE.search(document))
    documents, total = Concerned.of(named), len(queries) + len(named)
    yield finding(
        "warning",
        total,
        f"{many(total, 'id has', 'ids have')} white space",
        queries=queries,
        documents=documents,
        examples=[excerpt(repr(name)) for name in [*sorted(queries), *documents.ids][:SHOWN]],
        effect="qrels and runs in TREC's format cannot hold them",
        advice="write other ids, or use Parquet or JSON for runs",
    )
