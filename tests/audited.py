"""Data sets for audits, made of plain Python values."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from benchbench.audit.audit_run import Audit, audit
from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.finding import Finding
from benchbench.audit.source import Audited, Split
from benchbench.formats.collection import Document
from benchbench.formats.query_labels import LabelColumns
from benchbench.tables.fields import ID, TEXT, first, identity
from benchbench.tables.hashing import NO_HASH, id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema
from benchbench.tables.queries import Positives, Queries

BRAND = LabelSchema((Label("brand", Kind.SET, (("brand",),), (("brand",), ("meta", "brand"))),))

_TOPICS = ("harbour", "glacier", "violin", "lantern", "orchard", "meteor", "compass", "thicket", "granite", "sparrow")
_PARTS = ("keeps", "finds", "carries", "draws", "paints", "counts", "guards", "folds", "mends", "sails")


def sentence(number: int) -> str:
    """Return a text that is unlike those of other numbers."""
    words = []
    for place in range(14):
        number = (number * 6364136223846793005 + 1442695040888963407 + place) % 2**64
        words.append(f"{(_TOPICS if place % 2 else _PARTS)[number >> 33 & 7]}{(number >> 40) % 97}")
    return " ".join(words)


def clean(queries: int = 12, documents: int = 40) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return queries, each with two relevant documents, and documents; nothing is wrong with them."""
    texts = [{"id": f"d{n}", "text": sentence(n)} for n in range(documents)]
    asked = [
        {"id": f"q{n}", "text": sentence(1000 + n), "judged": {f"d{2 * n}": 1, f"d{2 * n + 1}": 1}}
        for n in range(queries)
    ]
    return asked, texts


def queries_of(rows: Sequence[Mapping[str, Any]], schema: LabelSchema = NO_LABELS, by_text: bool = False) -> Queries:
    """Return queries with judgments `{document id: grade}`."""
    labels = LabelColumns(schema)
    for row in rows:
        labels.add(labels.read(dict(row)))
    judged = [(document, grade) for row in rows for document, grade in row.get("judged", {}).items()]
    texts = [row["text"] for row in rows]
    return Queries(
        ids=[row["id"] for row in rows],
        texts=texts,
        id=np.array([id_hash(row["id"]) for row in rows], np.uint64),
        text=np.array([text_hash(text) for text in texts], np.uint64),
        text_prefixes=[text_prefix(normalise(text)) for text in texts],
        codes=labels.codes(),
        numbers=labels.numbers(),
        spans=labels.spans(),
        positives=Positives(
            np.cumsum([0, *(len(row.get("judged", {})) for row in rows)]),
            [document for document, _ in judged],
            np.array([id_hash(document) for document, _ in judged], np.uint64),
            np.full(len(judged), NO_HASH, np.uint64),
            [""] * len(judged),
            np.array([grade for _, grade in judged], np.float64),
        ),
        labels=labels.vocabulary,
        schema=schema,
        digest="",
        skipped_lines=0,
        dropped_positives=0,
    )


def data(
    queries: Sequence[Mapping[str, Any]],
    documents: Sequence[Any] | None,
    schema: LabelSchema = NO_LABELS,
    splits: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    **others: Any,
) -> Audited:
    """Return a data set; documents are records as lines of JSON have them, and splits texts by id."""
    read = None
    others["splits"] = {name: _split(texts) for name, texts in splits.items()}
    if documents is not None:

        def read():
            return ((number, document_of(number, one)) for number, one in enumerate(documents, 1))

    given = {"name": "invented", "source": "invented", "make": "made", "collection": "docs", "gold_by": "id"}
    return Audited(queries=queries_of(queries, schema), documents=read, **given | others)


def _split(texts: Mapping[str, str]) -> Split:
    hashes = [text_hash(text) if text else NO_HASH for text in texts.values()]
    return Split(list(texts), np.array(hashes, np.uint64))


def document_of(number: int, record: Any) -> Document | None:
    """Return a document; None for what is none."""
    if not isinstance(record, dict):
        return None
    text, given = first(record, TEXT), first(record, ID)
    identifier = str(number) if given is None else identity(given)
    if identifier is None or not isinstance(text, str):
        return None
    return Document(identifier, record.get("title", ""), text, record)


def audited(*given: Any, settings: AuditSettings | None = None, **others: Any) -> Audit:
    """Return the audit of `data(…)`."""
    return audit(data(*given, **others), settings)


def found(result: Audit) -> dict[str, Finding]:
    """Return the findings by the names of their checks."""
    return {one.check: one for one in result.findings}


def number(result: Audit, name: str) -> float | None:
    """Return the value of a number of the record."""
    (value,) = [one.value for one in result.record.numbers if one.name == name]
    return value
