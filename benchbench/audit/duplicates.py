"""Equal texts: queries in the collection, documents under several ids, queries under several ids."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from benchbench.audit.check import Measured, check
from benchbench.audit.copies import CopyEffect
from benchbench.audit.finding import SHOWN, Finding, finding, many, some
from benchbench.audit.judged import Judged
from benchbench.audit.source import Audited
from benchbench.tables.hashing import NO_HASH


@check()
def queries_in_collection(judged: Judged) -> Iterator[Finding]:
    """Find queries whose text a document has, and those that are judged relevant for themselves."""
    queries, table, ids = judged.data.queries, judged.collection, judged.data.queries.ids
    copied = np.flatnonzero(table.of_text(queries.text) >= 0).tolist()
    if not copied:
        return
    documents = {q: table.with_text(int(queries.text[q])) for q in copied}
    own = sum(_are_positives(judged, q, places) for q, places in documents.items())
    itself = many(own, "query is judged relevant for itself", "queries are judged relevant for themselves")
    yield finding(
        "error" if own else "note",
        len(copied),
        f"the texts of {many(len(copied), 'query', 'queries')} of {len(queries):,} are documents of the collection"
        + (f"; {itself}" if own else ""),
        queries=judged.ids(copied),
        documents=(name for places in documents.values() for name in table.named(places)),
        examples=[
            f"query {ids[q]} is document {some(table.named(documents[q]))}"
            for q in sorted(copied, key=lambda q: ids[q])[:SHOWN]
        ],
        effect=f"{len(copied) / len(queries):.1%} of the queries find themselves first where self-retrieval is not "
        "removed",
        advice="a query that is its own answer measures nothing: leave these judgments out"
        if own
        else "keep self-retrieval removed (benchbench run does), and compare only with scores that did so",
    )


def _are_positives(judged: Judged, q: int, places: list[int]) -> bool:
    its = judged.data.queries.positives.of(q)
    relevant = judged.data.queries.positives.grade[its] > 0
    return bool(np.isin(judged.place[its][relevant], places).any())


@check()
def duplicate_documents(judged: Judged) -> Iterator[Finding]:
    """Find documents with the text of another one."""
    table = judged.collection
    groups = table.copies
    extra = sum(map(len, groups)) - len(groups)
    yield finding(
        "note",
        extra,
        f"{many(len(groups), 'text')} {'stands' if len(groups) == 1 else 'stand'} under several ids: "
        f"{many(extra, 'document is a copy of another', 'documents are copies of others')}",
        documents=(table.ids[place] for places in groups for place in places),
        examples=[some(names) for names in sorted(table.named(places) for places in groups)[:SHOWN]],
        effect="copies take ranks that other documents would have",
        advice="keep one of each, or judge hits by text",
    )


@check("twin_loss_nDCG@{k}", "twin_loss_R@{k}")
def twins_judged_differently(judged: Judged) -> Iterator[Finding | Measured]:
    """Find relevant documents with a copy that is judged lower for one query."""
    table, ids = judged.collection, judged.data.queries.ids
    if judged.data.gold_by == "text":
        remark = "judgments are by text, so equal texts are judged alike" if judged.answerable else ""
        yield Measured([None, None], remark)
        return
    effect = CopyEffect(judged, table.copies)
    yield Measured(effect.losses)
    queries = {ids[q] for q, _, _ in effect.pairs}
    if queries:
        yield finding(
            "error",
            len(queries),
            f"{many(len(queries), 'query has', 'queries have')} a relevant document whose copy under another id is "
            "judged lower, or not at all",
            queries=queries,
            documents=(table.ids[place] for _, *places in effect.pairs for place in places),
            examples=list(effect.examples())[:SHOWN],
            effect=effect.sentence(),
            advice="judge equal texts alike, or remove the copies",
        )


@check()
def equal_queries(judged: Judged) -> Iterator[Finding]:
    """Find queries with the text of another one, and say which of them are judged differently."""
    data, ids = judged.data, judged.data.queries.ids
    by_text: dict[int, list[int]] = defaultdict(list)
    for q, text in enumerate(data.queries.text.tolist()):
        if text != NO_HASH:
            by_text[text].append(q)
    groups = [group for group in by_text.values() if len(group) > 1]
    if not groups:
        return
    extra = sum(map(len, groups)) - len(groups)
    differing = [group for group in groups if len({_judgments(data, q) for q in group}) > 1]
    named = sorted(judged.ids(group) for group in differing or groups)
    differ = f"; {many(len(differing), 'of them is', 'of them are')} judged differently" if differing else ""
    yield finding(
        "warning" if differing else "note",
        extra,
        f"{many(len(groups), 'query text')} {'stands' if len(groups) == 1 else 'stand'} under several ids{differ}",
        queries=(ids[q] for group in groups for q in group),
        examples=map(some, named[:SHOWN]),
        effect="no retriever can be right for both of two equal queries with other judgments"
        if differing
        else "equal queries count several times in every mean, and make intervals too narrow",
        advice="keep one of each",
    )


def _judgments(data: Audited, q: int) -> frozenset[tuple[int, float]]:
    """Return what is judged for a query, whatever the order."""
    positives = data.queries.positives
    its = positives.of(q)
    names = positives.text if data.gold_by == "text" else positives.id
    names = np.where(names[its] == NO_HASH, positives.id[its], names[its])
    return frozenset(zip(names.tolist(), positives.grade[its].tolist(), strict=True))
