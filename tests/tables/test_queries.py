"""A tiered data set as columns."""

from typing import Any

import numpy as np
import pytest

from benchbench.formats.query_labels import LabelColumns
from benchbench.tables.hashing import id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import Kind, Label, LabelSchema, Spans
from benchbench.tables.queries import Positives, Queries

Row = tuple[str, str, dict[str, Any], list[tuple[str, str]]]

A, B = {"file": "a.txt", "span": [0, 5]}, {"file": "b.txt", "span": [3, 9]}
ROWS: list[Row] = [
    ("q1", "甲", {"brand": ["x"], "price": 8, "gold": [A, B]}, [("p1", "丙"), ("p2", "丁")]),
    ("q2", "乙", {"brand": ["y"], "other": [B]}, []),
    ("q3", "戊", {"price": 0.5, "gold": [B], "other": [A]}, [("p1", "己")]),
]
SCHEMA = LabelSchema(
    (
        Label("brand", Kind.SET, (("brand",),), ()),
        Label("price", Kind.NUMBER, (("price",),), ()),
        Label("file", Kind.SET, (), ()),
    ),
    tuple(Spans(name, ((name,),), "file") for name in ("gold", "other")),
)


def make(rows: list[Row]) -> Queries:
    columns = LabelColumns(SCHEMA)
    for row in rows:
        columns.add(columns.read(row[2]))
    positives = [positive for row in rows for positive in row[3]]
    return Queries(
        ids=[row[0] for row in rows],
        texts=[row[1] for row in rows],
        id=np.array([id_hash(row[0]) for row in rows], np.uint64),
        text=np.array([text_hash(row[1]) for row in rows], np.uint64),
        text_prefixes=[text_prefix(normalise(row[1])) for row in rows],
        codes=columns.codes(),
        numbers=columns.numbers(),
        spans=columns.spans(),
        positives=Positives(
            offsets=np.cumsum([0, *(len(row[3]) for row in rows)], dtype=np.int64),
            ids=[identity for identity, _ in positives],
            id=np.array([id_hash(identity) for identity, _ in positives], np.uint64),
            text=np.array([text_hash(text) for _, text in positives], np.uint64),
            text_prefixes=[text_prefix(normalise(text)) for _, text in positives],
            grade=np.arange(len(positives), dtype=np.float64) + 1,
        ),
        labels=columns.vocabulary,
        schema=SCHEMA,
        digest="",
        skipped_lines=0,
        dropped_positives=0,
    )


def test_a_hit_is_compared_with_the_query_and_its_own_positives_only() -> None:
    queries = make(ROWS)
    prefixes = queries.compared_prefixes(range(3))
    assert set(prefixes[0]) == {text_prefix(text) for text in "甲丙丁"}
    assert set(prefixes[1]) == {text_prefix("乙")}
    assert set(prefixes[2]) == {text_prefix(text) for text in "戊己"}


@pytest.mark.parametrize("numbers", [[0, 1, 2], [0], [1], [1, 2], [2], [], [2, 0], [0, 0, 1]])
def test_columns_of_a_part_are_those_of_these_queries_with_their_positives_and_spans(numbers: list[int]) -> None:
    queries = make(ROWS)
    part = [ROWS[q] for q in numbers]
    found = [queries.columns_at(np.array(numbers, np.int64))]
    if numbers == list(range(min(numbers, default=2), max(numbers, default=1) + 1)):
        found.append(queries.columns(min(numbers, default=2), max(numbers, default=1) + 1))
    for columns in found:
        assert columns.id.tolist() == [id_hash(row[0]) for row in part]
        assert columns.text.tolist() == [text_hash(row[1]) for row in part]
        assert columns.codes.tolist() == queries.codes[:, numbers].tolist()
        assert repr(columns.numbers.tolist()) == repr([[float(row[2].get("price", "nan")) for row in part]])
        assert columns.codes.flags.c_contiguous
        assert columns.numbers.flags.c_contiguous
        assert columns.span_offsets.flags.c_contiguous
        assert columns.positive_offsets.tolist() == np.cumsum([0, *(len(row[3]) for row in part)]).tolist()
        assert columns.positive_id.tolist() == [id_hash(identity) for row in part for identity, _ in row[3]]
        assert columns.positive_text.tolist() == [text_hash(text) for row in part for _, text in row[3]]
        assert columns.positive_grade.size == columns.positive_text.size
        for s, name in enumerate(("gold", "other")):
            for q, row in enumerate(part):
                its = slice(*columns.span_offsets[s, q : q + 2].tolist())
                spans = [(one["file"], *one["span"]) for one in row[2].get(name, [])]
                files = [next(iter(queries.labels.sets()[code])) for code in columns.span_file[its]]
                starts, ends = columns.span_start[its].tolist(), columns.span_end[its].tolist()
                assert list(zip(files, starts, ends, strict=True)) == spans


def test_the_number_of_queries_is_their_length() -> None:
    assert len(make(ROWS)) == 3


def test_what_is_sought_is_found_as_it_is_asked_for():
    queries = make(ROWS)
    every = list(queries.compared_prefixes(range(3)))
    assert every == [("甲", "丙", "丁"), ("乙",), ("戊", "己")]
    for numbers in (range(1, 3), [1, 2], range(2, 2), [2, 0, 2]):
        found = queries.compared_prefixes(numbers)
        assert (list(found), len(found)) == ([every[q] for q in numbers], len(numbers))
        assert found[1:] == list(found)[1:]
