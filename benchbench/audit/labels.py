"""Labels of queries and documents: values that one query has, and values that no document has."""

from array import array
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, excerpt, many, skipped, some
from benchbench.audit.source import Audited
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import I32
from benchbench.tables.labels import Kind, Label
from benchbench.tables.queries import Queries
from benchbench.tasks.collection_counts import hit_value

_BATCH = 4_096  # documents whose labels are encoded at once


class DocumentLabels:
    """The labels of all documents, each set of them as its code."""

    def __init__(self, queries: Queries) -> None:
        """Begin without a document."""
        self._vocabulary = queries.labels
        self.labels = [one for one in queries.schema.labels if one.kind is Kind.SET and one.query and one.hit]
        self._batch: list[dict[str, Any]] = []
        self._codes = [array("i") for _ in self.labels]

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        if self.labels:
            self._batch.append(document.record)
            if len(self._batch) == _BATCH:
                self._encode()

    def members(self, label: Label) -> Counter[str]:
        """Return how many documents have each value."""
        codes, counts = np.unique(self.codes(label), return_counts=True)
        sets, found = self._vocabulary.sets(), Counter[str]()
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            for member in sets[code] if code >= 0 else ():
                found[member] += count
        return found

    def codes(self, label: Label) -> I32:
        """Return the code that each document has for a label."""
        self._encode()
        return np.frombuffer(self._codes[self.labels.index(label)], np.int32)

    def _encode(self) -> None:
        for label, column in zip(self.labels if self._batch else (), self._codes, strict=False):
            values = [hit_value(record, label.hit) for record in self._batch]
            column.extend(self._vocabulary.codes(values, label.ignore))
        self._batch = []


def label_values(data: Audited, table: DocumentTable | None, documents: DocumentLabels) -> tuple[Check, Check]:
    """Find values of labels that one query has, and those that no document has besides the query itself."""
    names = "labels_seen_once", "labels_without_documents"
    there = [label for label in documents.labels if np.any(_codes(data, label) >= 0)]
    if not there:
        return tuple(skipped(name, "the queries have no labels") for name in names)  # type: ignore[return-value]
    rare, absent = array("q"), array("q")
    findings: tuple[list[Finding], list[Finding]] = [], []
    copies = _copies(data, table)
    for label in there:
        having = _queries_by_value(data, label)
        once = {value: queries for value, queries in having.items() if len(queries) == 1}
        if once:
            rare.append(len(once))
            findings[0].append(_finding(data, names[0], label, once, having))
        if table is None:
            continue
        found = documents.members(label)
        missing = {
            value: lacking
            for value, queries in having.items()
            if (lacking := [q for q in queries if found[value] <= copies[q]])
        }
        if missing:
            absent.append(len(missing))
            findings[1].append(_finding(data, names[1], label, missing, having))
    first = Check(names[0], sum(rare), findings[0])
    if table is None:
        return first, skipped(names[1], "there is no collection")
    return first, Check(names[1], sum(absent), findings[1])


def differing_twins(data: Audited, table: DocumentTable | None, documents: DocumentLabels) -> Check:
    """Find equal texts whose labels are not equal, so that one is relevant where the other is not."""
    name = "twins_labelled_differently"
    there = [label for label in documents.labels if np.any(_codes(data, label) >= 0)]
    if not there:
        return skipped(name, "the queries have no labels")
    if table is None:
        return skipped(name, "there is no collection")
    rows = np.flatnonzero(table.by_text.repeated())
    findings, total = [], 0
    for label in there:
        codes: dict[int, set[int]] = defaultdict(set)
        for text, code in zip(table.text[rows].tolist(), documents.codes(label)[rows].tolist(), strict=True):
            codes[text].add(code)
        groups = sorted(table.named(table.by_text.every(text)) for text, its in codes.items() if len(its) > 1)
        total += len(groups)
        if groups:
            findings.append(
                Finding(
                    name,
                    "warning",
                    f"{many(len(groups), 'text has', 'texts have')} copies under other ids with another "
                    f"{excerpt(label.name)}",
                    len(groups),
                    documents=Concerned.of(one for group in groups for one in group),
                    examples=[some(group) for group in groups[:SHOWN]],
                    effect="a retriever cannot tell them apart, and is right with one and wrong with the other",
                    advice="see which label is right, or keep one of each",
                )
            )
    return Check(name, total, findings)


def _codes(data: Audited, label: Label) -> Any:
    return data.queries.codes[data.queries.schema.row(label.name)]


def _queries_by_value(data: Audited, label: Label) -> dict[str, list[int]]:
    sets, having = data.queries.labels.sets(), defaultdict(list)
    for q, code in enumerate(_codes(data, label).tolist()):
        for member in sets[code] if code >= 0 else ():
            having[member].append(q)
    return having


def _copies(data: Audited, table: DocumentTable | None) -> list[int]:
    """Return how many documents have the text of each query: they are the query, and not an answer to it."""
    if table is None:
        return [0] * len(data.queries)
    there = table.of_text(data.queries.text) >= 0
    return [
        len(table.with_text(text)) if found else 0
        for text, found in zip(data.queries.text.tolist(), there.tolist(), strict=True)
    ]


def _finding(
    data: Audited, check: str, label: Label, values: dict[str, list[int]], having: dict[str, list[int]]
) -> Finding:
    ids = data.queries.ids
    concerned = {ids[q] for queries in values.values() for q in queries}
    of = f"{many(len(values), 'value')} of {excerpt(label.name)}, of {len(having):,},"
    shown = sorted(values)[:SHOWN]
    examples = [f"{excerpt(one)}: query {min(ids[q] for q in values[one])}" for one in shown]
    if check == "labels_seen_once":
        return Finding(
            check,
            "note",
            f"{of} {'stands' if len(values) == 1 else 'stand'} in one query only",
            len(values),
            Concerned.of(concerned),
            examples=examples,
            effect="what is said of such a value, in a slice for instance, is said of one query",
            advice="read slices by this label only where they have queries enough",
        )
    return Finding(
        check,
        "warning",
        f"{of} {'is' if len(values) == 1 else 'are'} in no document besides the query itself",
        len(values),
        Concerned.of(concerned),
        examples=examples,
        effect=f"where labels must be equal, {many(len(concerned), 'query', 'queries')} of {len(data.queries):,} can "
        "score nothing but 0",
        advice="leave these queries out of the task, or complete the collection",
    )
