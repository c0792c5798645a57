"""Named tuples as tables: each type is that of a column, whether there are rows or none."""

from typing import NamedTuple

import polars as pl

from benchbench.scores.tables import plain, schema_of, table_of


class Part(NamedTuple):
    text: str
    number: float | None


class Row(NamedTuple):
    name: str | None
    count: int
    is_new: bool
    parts: list[Part]
    words: list[str]


def test_a_column_has_the_type_of_its_member():
    part = pl.Struct({"text": pl.String, "number": pl.Float64})
    expected = [("name", pl.String), ("count", pl.Int64), ("is_new", pl.Boolean), ("parts", pl.List(part)),
                ("words", pl.List(pl.String))]  # fmt: skip
    assert list(schema_of(Row).items()) == expected
    assert list(table_of(Row, []).schema.items()) == expected


def test_rows_keep_their_values_and_text_without_lone_surrogates():
    table = table_of(Row, [Row(None, 3, True, [Part("a\ud800", None)], ["b\ud800", "c"])])
    row = {"name": None, "count": 3, "is_new": True, "parts": [{"text": "a?", "number": None}], "words": ["b?", "c"]}
    assert table.to_dicts() == [row]


def test_bare_tuples_and_nothing_stay_as_they_are():
    assert plain((1, 2)) == (1, 2)
    assert plain(None) is None
