"""Queries that are asked, as columns while a file is read."""

from array import array
from typing import Any

import numpy as np
from msgspec import Struct

from benchbench.errors import BadLineError
from benchbench.formats.query_labels import LabelColumns, QueryLabels
from benchbench.formats.query_records import Query
from benchbench.formats.records import Records
from benchbench.tables.hashing import NO_HASH, hash_and_prefix, id_hash
from benchbench.tables.labels import LabelSchema
from benchbench.tables.queries import Queries
from benchbench.tables.strings import StringIndex, Strings


class Asked(Struct, frozen=True):
    """What is kept of a query."""

    id: str
    number: int  # of its record
    text: str
    text_hash: int
    prefix: str
    labels: QueryLabels


class AskedQueries:
    """The columns of `Queries`, without the positives."""

    def __init__(self, rows: Records, schema: LabelSchema) -> None:
        """Begin without a query; `rows` are the records that they come from."""
        self._rows, self._schema = rows, schema
        self._labels = LabelColumns(schema)
        self._ids = Strings()
        self._index = StringIndex(self._ids)
        self._numbers = array("q")  # of the record of each
        self._texts, self._prefixes = Strings(), Strings()
        self._hashes = array("Q")  # of id and text

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ids)

    def __contains__(self, identity: object) -> bool:
        """Say whether a query has an id."""
        return isinstance(identity, str) and self._index.find(identity) >= 0

    def read(self, query: Query, identity: str) -> Asked:
        """Return a query that can be asked, and add nothing to any column; BadLineError for any other."""
        if (place := self._index.find(identity)) >= 0:
            raise BadLineError(self._rows.repeated("query id", identity, self._numbers[place], query.number))
        text = query.required_text()
        return Asked(identity, query.number, text, *hash_and_prefix(text), self._labels.read(query.own))

    def add(self, query: Asked, has_id: bool = True) -> None:
        """Add what was read; without `has_id` no document is it by its id."""
        self._index.append(query.id)
        self._numbers.append(query.number)
        self._texts.append(query.text)
        self._prefixes.append(query.prefix)
        self._hashes.extend((id_hash(query.id) if has_id else NO_HASH, query.text_hash))
        self._labels.add(query.labels)

    def table(self, **others: Any) -> Queries:
        """Return all of them, after which none is added; `others` are the fields of `Queries` that no column is."""
        hashes = np.asarray(self._hashes).reshape(-1, 2)
        return Queries(
            ids=self._ids,
            texts=self._texts,
            id=hashes[:, 0].copy(),
            text=hashes[:, 1].copy(),
            text_prefixes=self._prefixes,
            codes=self._labels.codes(),
            numbers=self._labels.numbers(),
            spans=self._labels.spans(),
            labels=self._labels.vocabulary,
            schema=self._schema,
            **others,
        )
