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
from benchbench.tables.strings import Strings


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
        self.numbers: dict[str, int] = {}  # query id -> number of its record, in file order
        self._rows, self._schema = rows, schema
        self._labels = LabelColumns(schema)
        self._texts, self._prefixes = Strings(), Strings()
        self._hashes = array("Q")  # of id and text

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.numbers)

    def read(self, query: Query, identity: str) -> Asked:
        """Return a query that can be asked, and add nothing to any column; BadLineError for any other."""
        if identity in self.numbers:
            raise BadLineError(self._rows.repeated("query id", identity, self.numbers[identity], query.number))
        text = query.required_text()
        return Asked(identity, query.number, text, *hash_and_prefix(text), self._labels.read(query.own))

    def add(self, query: Asked, has_id: bool = True) -> None:
        """Add what was read; without `has_id` no document is it by its id."""
        self.numbers[query.id] = query.number
        self._texts.append(query.text)
        self._prefixes.append(query.prefix)
        self._hashes.extend((id_hash(query.id) if has_id else NO_HASH, query.text_hash))
        self._labels.add(query.labels)

    def table(self, **others: Any) -> Queries:
        """Return all of them; `others` are the fields of `Queries` that are no column here."""
        hashes = np.array(self._hashes, np.uint64).reshape(-1, 2)
        return Queries(
            ids=Strings(self.numbers),
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
