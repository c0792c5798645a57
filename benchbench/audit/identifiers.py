"""Ids: given twice, equal by accident, or such as files cannot hold; and lines that cannot be read."""

import re

import numpy as np

from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, excerpt, many, skipped
from benchbench.audit.judgments import Judged
from benchbench.audit.source import Audited
from benchbench.tables.hashing import id_hashes

_SPACE = re.compile(r"\s")


def unreadable(data: Audited, table: DocumentTable | None) -> Check:
    """Count what was passed over, and positives that do not count."""
    name, queries, findings = "unreadable_records", data.queries, []
    documents = 0 if table is None else table.unreadable
    lines = documents + queries.skipped_lines
    if lines:
        parts = [many(documents, "record") + f" of {data.collection}"] * bool(documents)
        parts += [many(queries.skipped_lines, "query record") + f" of {data.source}"] * bool(queries.skipped_lines)
        numbers = [] if table is None else table.unreadable_numbers[:SHOWN]
        findings.append(
            Finding(
                name,
                "error",
                f"{' and '.join(parts)} cannot be read",
                lines,
                examples=[f"line {number}" for number in numbers],
                effect="what they hold is missing in every score, or the command that reads them ends",
                advice="mend them, or name the --encoding",
            )
        )
    if queries.dropped_positives:
        findings.append(
            Finding(
                name,
                "note",
                f"{many(queries.dropped_positives, 'positive has', 'positives have')} the query's own text, or that of "
                "an earlier one",
                queries.dropped_positives,
                effect="they do not count",
                advice="leave them out of the data set",
            )
        )
    return Check(name, lines + queries.dropped_positives, findings)


def repeated_ids(table: DocumentTable | None) -> Check:
    """Find ids that several documents have."""
    name = "repeated_ids"
    if table is None:
        return skipped(name, "there is no collection")
    rows = np.flatnonzero(table.by_id.repeated())
    if not len(rows):
        return Check(name, 0)
    ids = sorted({table.ids[row] for row in rows.tolist()})
    finding = Finding(
        name,
        "error",
        f"{many(len(ids), 'id is', 'ids are')} given to several documents ({len(rows):,})",
        len(ids),
        documents=Concerned.of(ids),
        examples=[excerpt(one) for one in ids[:SHOWN]],
        effect="nothing says which of them a judgment or a hit means",
        advice="give every document an id of its own",
    )
    return Check(name, len(ids), [finding])


def colliding_ids(judged: Judged) -> Check:
    """Find ids that a query and a document have though their texts differ."""
    name, queries, table = "colliding_ids", judged.data.queries, judged.table
    if table is None:
        return skipped(name, "there is no collection")
    place = table.by_id.first(np.array(id_hashes(list(queries.ids)), np.uint64))
    there = np.maximum(place, 0)
    same = (table.text[there] == queries.text) | (table.body[there] == queries.text) if len(table) else place < 0
    found = np.flatnonzero((place >= 0) & ~same)
    if not len(found):
        return Check(name, 0)
    ids, by_id = [queries.ids[q] for q in found.tolist()], judged.data.self_by == "id"
    lost = int(
        np.count_nonzero((judged.place == place[judged.query]) & (judged.place >= 0) & np.isin(judged.query, found))
    )
    finding = Finding(
        name,
        "error" if lost and by_id else "warning" if lost or by_id else "note",
        f"{many(len(found), 'query has', 'queries have')} the id of a document with another text",
        len(found),
        Concerned.of(ids),
        Concerned.of(ids),
        [excerpt(one) for one in sorted(ids)[:SHOWN]],
        ("self-retrieval by id, the default of these data," if by_id else "--self id")
        + " removes these documents as if they were the query"
        + (f"; {many(lost, 'judgment')} of them would be lost" if lost else ""),
        "take --self text, or give queries other ids",
    )
    return Check(name, len(found), [finding])


def unwritable_ids(data: Audited, table: DocumentTable | None) -> Check:
    """Find ids with white space, which divides the columns of TREC files."""
    name, positives = "unwritable_ids", data.queries.positives.ids
    queries = [one for one in data.queries.ids if _SPACE.search(one)]
    documents = {one for one in positives if _SPACE.search(one)}
    if table is not None:
        documents.update(one for one in table.ids if _SPACE.search(one))
    total = len(queries) + len(documents)
    if not total:
        return Check(name, 0)
    kept = Concerned.of(documents)
    finding = Finding(
        name,
        "warning",
        f"{many(total, 'id has', 'ids have')} white space",
        total,
        Concerned.of(queries),
        kept,
        [excerpt(repr(one)) for one in [*sorted(queries), *kept.ids][:SHOWN]],
        "qrels and runs in TREC's format cannot hold them",
        "write other ids, or use Parquet or JSON for runs",
    )
    return Check(name, total, [finding])
