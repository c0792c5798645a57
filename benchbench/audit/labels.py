"""Labels of queries and documents: values that one query has, and values that no document has."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchbench.audit.check import Judged, NotDoneError, check
from benchbench.audit.finding import SHOWN, Finding, excerpt, finding, many, some
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
        self.labels = [label for label in queries.schema.labels if label.kind is Kind.SET and label.query and label.hit]
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
        sets, members = self._vocabulary.sets(), Counter[str]()
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            for member in sets[code] if code >= 0 else ():
                members[member] += count
        return members

    def codes(self, label: Label) -> I32:
        """Return the code that each document has for a label."""
        self._encode()
        return np.frombuffer(self._codes[self.labels.index(label)], np.int32)

    def _encode(self) -> None:
        for label, column in zip(self.labels if self._batch else (), self._codes, strict=False):
            values = [hit_value(record, label.hit) for record in self._batch]
            column.extend(self._vocabulary.codes(values, label.ignore))
        self._batch = []


def _labels(judged: Judged) -> tuple[DocumentLabels, list[Label]]:
    """Return the labels of the documents, and those that some query has."""
    documents: DocumentLabels = judged.kept[DocumentLabels]
    labels = [label for label in documents.labels if np.any(_codes(judged.data, label) >= 0)]
    if not labels:
        raise NotDoneError("the queries have no labels")
    return documents, labels


@check("Labels seen once")
def labels_seen_once(judged: Judged) -> Iterator[Finding]:
    """Find values of labels that one query has."""
    for label in _labels(judged)[1]:
        having = _queries_by_value(judged.data, label)
        once = {value: queries for value, queries in having.items() if len(queries) == 1}
        yield finding(
            "note",
            len(once),
            f"{_values(label, once, having)} {'stands' if len(once) == 1 else 'stand'} in one query only",
            queries=judged.ids([q for queries in once.values() for q in queries]),
            examples=_examples(judged, once),
            effect="a statement on such a value, such as a slice, rests on one query",
            advice="read slices by this label only where they have queries enough",
        )


@check("Absent labels")
def labels_without_documents(judged: Judged) -> Iterator[Finding]:
    """Find values of labels that no document has besides the query itself."""
    (documents, labels), table = _labels(judged), judged.collection
    texts = judged.data.queries.text
    copies = [  # how many documents are the query, and not an answer to it
        len(table.with_text(text)) if there else 0
        for text, there in zip(texts.tolist(), (table.of_text(texts) >= 0).tolist(), strict=True)
    ]
    for label in labels:
        having, members = _queries_by_value(judged.data, label), documents.members(label)
        lacking = {
            value: missing
            for value, queries in having.items()
            if (missing := [q for q in queries if members[value] <= copies[q]])
        }
        concerned = judged.ids([q for queries in lacking.values() for q in queries])
        yield finding(
            "warning",
            len(lacking),
            f"{_values(label, lacking, having)} {'is' if len(lacking) == 1 else 'are'} in no document besides the "
            "query itself",
            queries=concerned,
            examples=_examples(judged, lacking),
            effect=f"where labels must be equal, {many(len(concerned), 'query')} of "
            f"{len(judged.data.queries):,} can score nothing but 0",
            advice="leave these queries out of the task, or complete the collection",
        )


@check("Copies, other labels")
def twins_labelled_differently(judged: Judged) -> Iterator[Finding]:
    """Find equal texts whose labels are not equal, so that one is relevant where the other is not."""
    (documents, labels), table = _labels(judged), judged.collection
    rows = np.flatnonzero(table.by_text.repeated())
    for label in labels:
        codes: dict[int, set[int]] = defaultdict(set)
        for text, code in zip(table.text[rows].tolist(), documents.codes(label)[rows].tolist(), strict=True):
            codes[text].add(code)
        groups = sorted(table.named(table.by_text.every(text)) for text, its in codes.items() if len(its) > 1)
        yield finding(
            "warning",
            len(groups),
            f"{many(len(groups), 'text has', 'texts have')} copies under other ids with another {excerpt(label.name)}",
            documents=(name for group in groups for name in group),
            examples=map(some, groups[:SHOWN]),
            effect="a retriever cannot tell them apart, and is right with one and wrong with the other",
            advice="see which label is right, or keep one of each",
        )


def _codes(data: Audited, label: Label) -> Any:
    return data.queries.codes[data.queries.schema.row(label.name)]


def _queries_by_value(data: Audited, label: Label) -> dict[str, list[int]]:
    sets, having = data.queries.labels.sets(), defaultdict(list)
    for q, code in enumerate(_codes(data, label).tolist()):
        for member in sets[code] if code >= 0 else ():
            having[member].append(q)
    return having


def _values(label: Label, values: Mapping[str, Sequence[int]], having: Mapping[str, Sequence[int]]) -> str:
    return f"{many(len(values), 'value')} of {excerpt(label.name)}, of {len(having):,},"


def _examples(judged: Judged, values: Mapping[str, Sequence[int]]) -> list[str]:
    return [f"{excerpt(value)}: query {judged.ids(values[value])[0]}" for value in sorted(values)[:SHOWN]]
