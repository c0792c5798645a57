"""Codes of labels that leave a process: they are of its vocabulary, so that the sets they stand for go with them.

A table says which code of another vocabulary is which here. What it does not have stays as it is: a code that both
have had from the beginning, and the mark of a missing label.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from benchbench.client.secrets import Secrets
from benchbench.kernels.arrays import I32
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Kind, LabelSchema, Vocabulary

Sets = Sequence[Sequence[str]]


def used(blocks: Iterable[Hits], schema: LabelSchema) -> list[int]:
    """Return the codes that stand in blocks of hits, ascending."""
    columns = [column for hits in blocks for column, coded in _columns(hits, schema) if coded]
    codes = np.unique(np.concatenate(columns)) if columns else np.empty(0, np.int32)
    return [code for code in codes.tolist() if code >= 0]


def sets_of(codes: Sequence[int], vocabulary: Vocabulary) -> Sets:
    """Return the sets that different codes stand for."""
    return vocabulary.packed(codes)[1]


def table(codes: Sequence[int], sets: Sets, vocabulary: Vocabulary) -> dict[int, int]:
    """Return which codes here other codes are, of which the sets came along."""
    return dict(zip(codes, vocabulary.unpacked(range(len(sets)), sets), strict=True))


def translate(hits: Hits, schema: LabelSchema, codes: Mapping[int, int]) -> None:
    """Put codes of the vocabulary here in place of others, by a table."""
    hits.labels = [_translated(column, codes) if coded else column for column, coded in _columns(hits, schema)]


def _translated(column: I32, codes: Mapping[int, int]) -> I32:
    different, places = np.unique(column, return_inverse=True)
    return np.array([codes.get(code, code) for code in different.tolist()], np.int32)[places]


def _columns(hits: Hits, schema: LabelSchema) -> Iterable[tuple[Any, bool]]:
    """Return the columns of labels, none where no hit was read, and whether they are codes."""
    kinds = [label.kind is not Kind.NUMBER for label in schema.labels]
    return zip(hits.labels, kinds, strict=True) if hits.labels else ()


class LabelSecrets:
    """Hides the secrets of a service in the labels that it sends, for these are stored as texts."""

    def __init__(self, vocabulary: Vocabulary, schema: LabelSchema, secrets: Secrets) -> None:
        """Take a vocabulary of which the codes so far are of the queries, and so no secrets."""
        self._vocabulary, self._schema, self._secrets = vocabulary, schema, secrets
        self._known = len(vocabulary)
        self._clean: dict[int, int] = {}

    def hide(self, hits: Hits) -> None:
        """Put codes of sets without secrets in place of others, and count them."""
        new = range(self._known, len(self._vocabulary))
        if not new and not self._clean:
            return
        sets = sets_of(new, self._vocabulary)
        if self._secrets.clean_all(list(chain.from_iterable(sets))) is not None:
            hidden = [self._secrets.clean(list(texts)) for texts in sets]
            which = [n for n, (texts, clean) in enumerate(zip(sets, hidden, strict=True)) if list(texts) != clean]
            self._clean |= table([new[n] for n in which], [hidden[n] for n in which], self._vocabulary)
        self._known = len(self._vocabulary)
        if self._clean:
            columns = [column for column, coded in _columns(hits, self._schema) if coded]
            hits.fault("labels_with_a_secret", sum(int(np.isin(column, list(self._clean)).sum()) for column in columns))
            translate(hits, self._schema, self._clean)
