"""Equal texts: queries in the collection, documents under several ids, queries under several ids."""

from collections import defaultdict

import numpy as np

from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, many, skipped, some
from benchbench.audit.judgments import Judged, TwinEffect
from benchbench.audit.source import Audited
from benchbench.kernels.arrays import I64
from benchbench.tables.hashing import NO_HASH

_NO_COLLECTION = "there is no collection"
_DIFFERENT = "twins_judged_differently"


def queries_in_collection(judged: Judged) -> Check:
    """Find queries whose text a document has, and those that are judged relevant for themselves."""
    name, queries, table = "queries_in_collection", judged.data.queries, judged.table
    if table is None:
        return skipped(name, _NO_COLLECTION)
    found = np.flatnonzero(table.of_text(queries.text) >= 0)
    if not len(found):
        return Check(name, 0)
    documents = {q: table.with_text(int(queries.text[q])) for q in found.tolist()}
    own = [q for q, places in documents.items() if _are_positives(judged, q, places)]
    ids = queries.ids
    shown = sorted(documents, key=lambda q: ids[q])[:SHOWN]
    share = len(found) / len(queries)
    said = f"the texts of {many(len(found), 'query', 'queries')} of {len(queries):,} are documents of the collection"
    finding = Finding(
        name,
        "error" if own else "note",
        f"{said}; {_own(len(own))}" if own else said,
        len(found),
        Concerned.of(ids[q] for q in found.tolist()),
        Concerned.of(name for places in documents.values() for name in table.named(places)),
        [f"query {ids[q]} is document {some(table.named(documents[q]))}" for q in shown],
        f"{share:.1%} of the queries find themselves first where self-retrieval is not removed",
        "keep self-retrieval removed (benchbench run does), and compare only with scores that did so"
        if not own
        else "a query that is its own answer measures nothing: leave these judgments out",
    )
    return Check(name, len(found), [finding])


def _own(count: int) -> str:
    return many(count, "query is judged relevant for itself", "queries are judged relevant for themselves")


def _are_positives(judged: Judged, q: int, places: list[int]) -> bool:
    its = judged.data.queries.positives.of(q)
    relevant = judged.data.queries.positives.grade[its] > 0
    return bool(np.isin(judged.place[its][relevant], places).any())


def duplicate_documents(judged: Judged) -> tuple[Check, Check]:
    """Find documents with the text of another one, and those that are judged differently for one query."""
    name, table = "duplicate_documents", judged.table
    if table is None:
        return skipped(name, _NO_COLLECTION), skipped(_DIFFERENT, _NO_COLLECTION, **_losses(judged))
    group = _groups(table, np.flatnonzero(table.by_text.repeated()))
    lists = _members(group)
    different = _judged_differently(judged, group, lists)
    extra = sum(map(len, lists.values())) - len(lists)
    if not extra:
        return Check(name, 0), different
    finding = Finding(
        name,
        "note",
        f"{many(len(lists), 'text')} {'stands' if len(lists) == 1 else 'stand'} under several ids: "
        f"{many(extra, 'document is a copy of another', 'documents are copies of others')}",
        extra,
        documents=Concerned.of(table.ids[place] for places in lists.values() for place in places),
        examples=[some(one) for one in sorted(table.named(places) for places in lists.values())[:SHOWN]],
        effect="copies take ranks that other documents would have",
        advice="keep one of each, or judge hits by text",
    )
    return Check(name, extra, [finding]), different


def _losses(judged: Judged) -> dict[str, None]:
    return dict.fromkeys((f"twin_loss_nDCG@{judged.cutoff}", f"twin_loss_R@{judged.cutoff}"))


def _judged_differently(judged: Judged, group: I64, lists: dict[int, list[int]]) -> Check:
    """Find relevant documents with a copy that is judged lower."""
    table = judged.table
    assert table is not None
    if judged.data.gold_by == "text":
        remark = "judgments are by text, so equal texts are judged alike" if judged.answerable else ""
        return Check(_DIFFERENT, 0, remark=remark, effects=_losses(judged))
    effect = TwinEffect(judged, group, lambda number: lists[number])
    effects = effect.effects("twin_loss")
    if not effect.pairs:
        return Check(_DIFFERENT, 0, effects=effects)
    concerned = Concerned.of(judged.data.queries.ids[q] for q, _, _ in effect.pairs)
    finding = Finding(
        _DIFFERENT,
        "error",
        f"{many(concerned.count, 'query has', 'queries have')} a relevant document whose copy under another id is "
        "judged lower, or not at all",
        concerned.count,
        concerned,
        Concerned.of(table.ids[place] for _, one, other in effect.pairs for place in (one, other)),
        list(effect.examples())[:SHOWN],
        effect.said(),
        "judge equal texts alike, or remove the copies",
    )
    return Check(_DIFFERENT, concerned.count, [finding], effects=effects)


def _groups(table: DocumentTable, rows: I64) -> I64:
    """Return the group of each document, -1 for those without a copy under another id."""
    group = np.full(len(table), -1, np.int64)
    if len(rows):
        _, numbers = np.unique(table.text[rows], return_inverse=True)
        pairs = np.unique(np.stack([numbers.astype(np.uint64), table.id[rows]]), axis=1)
        several = np.bincount(pairs[0].astype(np.int64)) > 1  # one id twice is another fault
        group[rows] = np.where(several[numbers], numbers, -1)
    return group


def _members(group: I64) -> dict[int, list[int]]:
    """Return the documents of each group."""
    found: dict[int, list[int]] = defaultdict(list)
    for place in np.flatnonzero(group >= 0).tolist():
        found[int(group[place])].append(place)
    return found


def equal_queries(data: Audited) -> Check:
    """Find queries with the text of another one, and say which of them are judged differently."""
    name, queries = "equal_queries", data.queries
    by_text: dict[int, list[int]] = defaultdict(list)
    for q, text in enumerate(queries.text.tolist()):
        if text != NO_HASH:
            by_text[text].append(q)
    groups = [group for group in by_text.values() if len(group) > 1]
    if not groups:
        return Check(name, 0)
    extra = sum(map(len, groups)) - len(groups)
    differ = [group for group in groups if len({_judgments(data, q) for q in group}) > 1]
    ids = sorted(sorted(queries.ids[q] for q in group) for group in differ or groups)
    said = f"{many(len(groups), 'query text')} {'stands' if len(groups) == 1 else 'stand'} under several ids"
    finding = Finding(
        name,
        "warning" if differ else "note",
        f"{said}; {many(len(differ), 'of them is', 'of them are')} judged differently" if differ else said,
        extra,
        Concerned.of(queries.ids[q] for group in groups for q in group),
        examples=[some(one) for one in ids[:SHOWN]],
        effect="no retriever can be right for both of two equal queries with other judgments"
        if differ
        else "equal queries count several times in every mean, and make intervals too narrow",
        advice="keep one of each",
    )
    return Check(name, extra, [finding])


def _judgments(data: Audited, q: int) -> frozenset[tuple[int, float]]:
    """Return what is judged for a query, whatever the order."""
    positives = data.queries.positives
    its = positives.of(q)
    names = positives.text if data.gold_by == "text" else positives.id
    names = np.where(names[its] == NO_HASH, positives.id[its], names[its])
    return frozenset(zip(names.tolist(), positives.grade[its].tolist(), strict=True))
