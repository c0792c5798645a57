"""Labels and gold spans of queries become columns, or an error that says what is wrong."""

import math
from typing import Any

import naive_labels
import numpy as np
import orjson
import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.query_labels import BadLineError, LabelColumns
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Spans

NAMES = ["a", "b", "meta"]
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2.5, "x", "[x]", "1", "2.5", "", [1], ["x", True], [], [[]], [{}]]),
    lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)
QUERIES = st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3), max_size=5)
PATHS = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(tuple), max_size=3, unique=True).map(
    tuple
)
SCHEMAS = st.lists(st.tuples(st.sampled_from(Kind), PATHS, st.sampled_from(["", "[]"])), max_size=4).map(
    lambda drawn: LabelSchema(
        tuple(Label(f"label {n}", kind, paths, (), ignore) for n, (kind, paths, ignore) in enumerate(drawn))
    )
)


def twin(label: Label, query: dict[str, Any]) -> Any:
    value = naive_labels.value_of(query, label.query)
    if label.kind is Kind.NUMBER:
        return naive_labels.number_of(value)
    return naive_labels.flag_of(value) if label.kind is Kind.FLAG else naive_labels.set_of(value, label.ignore)


@given(SCHEMAS, QUERIES)
def test_columns_are_those_of_the_naive_twin(schema: LabelSchema, queries: list[dict[str, Any]]) -> None:
    columns, kept = LabelColumns(schema), []
    for query in queries:
        wanted = {label.name: twin(label, query) for label in schema.labels}
        if naive_labels.MALFORMED in wanted.values():
            with pytest.raises(BadLineError, match="the query's label label "):
                columns.read(query)
        else:
            columns.add(columns.read(query))
            kept.append(wanted)
    codes, numbers, sets = columns.codes(), columns.numbers(), columns.vocabulary.sets()
    assert codes.shape == (len(schema.coded), len(kept))
    assert numbers.shape == (len(schema.numeric), len(kept))
    assert codes.flags.c_contiguous
    assert numbers.flags.c_contiguous
    for q, wanted in enumerate(kept):
        for row, label in enumerate(schema.coded):
            found = None if codes[row, q] == MISSING else sets[codes[row, q]]
            assert found == wanted[label.name]
        for row, label in enumerate(schema.numeric):
            assert (None if math.isnan(numbers[row, q]) else numbers[row, q]) == wanted[label.name]


FILE = Label("file", Kind.SET, (), (("file",),))
SPANS = LabelSchema(
    (FILE,), (Spans("gold", (("gold",), ("meta", "gold")), "file"), Spans("other", (("other",),), "file"))
)


@given(st.lists(st.dictionaries(st.sampled_from(["gold", "other"]), st.lists(st.integers(0, 9), max_size=3))))
def test_spans_of_each_query_and_label_are_found_by_their_offsets(drawn: list[dict[str, list[int]]]) -> None:
    columns = LabelColumns(SPANS)
    for query in drawn:
        records = {
            name: [{"file": f"{n}.txt", "start": n, "end": n + 3} for n in numbers] for name, numbers in query.items()
        }
        columns.add(columns.read(records))
    spans, sets = columns.spans(), columns.vocabulary.sets()
    assert (spans.offsets.dtype, spans.file.dtype, spans.start.dtype) == (np.int64, np.int32, np.float64)
    assert spans.offsets.shape == (2, len(drawn) + 1)
    for row, name in enumerate(("gold", "other")):
        for q, query in enumerate(drawn):
            part = slice(*spans.offsets[row, q : q + 2].tolist())
            found = zip([sets[code] for code in spans.file[part]], spans.start[part], spans.end[part], strict=True)
            assert list(found) == [({f"{n}.txt"}, n, n + 3) for n in query.get(name, [])]


@pytest.mark.parametrize("empty", [{}, {"gold": None}, {"gold": []}, {"meta": "text"}])
def test_a_query_may_be_without_spans(empty: Any) -> None:
    assert LabelColumns(SPANS).read(empty).spans == [[], []]


def test_a_span_may_be_empty_and_its_file_a_number() -> None:
    assert LabelColumns(SPANS).read({"meta": {"gold": [{"file": 7, "span": ["3", 3]}]}}).spans[0] == [("7", 3.0, 3.0)]


@pytest.mark.parametrize(("value", "reason"), tables(__file__).items())
def test_a_malformed_span_is_an_error_that_says_which_and_why(value: str, reason: str) -> None:
    with pytest.raises(BadLineError) as caught:
        LabelColumns(SPANS).read({"gold": orjson.loads(value)})
    assert str(caught.value) == f"the query's label gold (gold){reason}"


def test_a_wrong_value_is_shown_in_one_short_line() -> None:
    schema = LabelSchema((Label("price", Kind.NUMBER, (("price",),), ()),))
    with pytest.raises(BadLineError) as caught:
        LabelColumns(schema).read({"price": "cheap\n\x1b[31m" + "!" * 200})
    assert len(str(caught.value)) < 150
    assert str(caught.value).isprintable()
