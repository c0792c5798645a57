"""Labels as codes and numbers."""

import math
import pickle
from datetime import date
from typing import Any

import naive_labels
import numpy as np
import polars as pl
import pytest
from cases import check_each
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.query_labels import LabelColumns
from benchbench.tables.groups import grouped, groups_of
from benchbench.tables.hashing import id_hash, normalise, text_hash, text_prefix
from benchbench.tables.labels import (
    MALFORMED,
    MALFORMED_NUMBER,
    MISSING,
    Kind,
    Label,
    LabelSchema,
    Spans,
    Vocabulary,
    found_at,
    is_malformed,
    number,
    numbers,
    value_at,
)
from benchbench.tables.names import printable
from benchbench.tables.passages import Passage, Passages, Place
from benchbench.tables.queries import Positives, Queries

scalars = st.one_of(
    st.sampled_from(["盗窃", "[盗窃]", " 盗窃", "诈骗", "264", "2.5", "", "true", "1"]),
    st.integers(263, 265),
    st.sampled_from([0, 1, True, False, 264.0, 1.0, 2.5]),
)


usual = st.none() | scalars | st.lists(scalars, max_size=3)


wild = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)


columns = st.lists(usual | wild, max_size=12) | st.sampled_from([scalars, st.lists(scalars), st.booleans()]).flatmap(
    lambda alike: st.lists(alike, max_size=12)
)


ignored = st.sampled_from(["", "[]", "2t"])


# Sets


@given(columns, ignored)
def test_codes_stand_for_the_sets_of_the_naive_twin(column: list[Any], ignore: str) -> None:
    labels = Vocabulary()
    codes = [labels.code(value, ignore) for value in column]
    sets = [naive_labels.set_of(value, ignore) for value in column]
    assert [code == MISSING for code in codes] == [one is None for one in sets]
    assert [code == MALFORMED for code in codes] == [one == naive_labels.MALFORMED for one in sets]
    assert [is_malformed(value) for value in column] == [code == MALFORMED for code in codes]
    there = [(code, one) for code, one in zip(codes, sets, strict=True) if code >= 0]
    assert [labels.sets()[code] for code, _ in there] == [one for _, one in there]
    assert list(dict.fromkeys(code for code, _ in there)) == list(range(len(labels))), "in order of appearance"
    assert len(set(labels.sets())) == len(labels)


@given(columns, ignored, columns, ignored)
def test_a_column_has_the_codes_of_its_values_whatever_came_before(
    before: list[Any], first: str, column: list[Any], ignore: str
) -> None:
    one, other = Vocabulary(), Vocabulary()
    for labels in (one, other):
        labels.codes(before, first)
    assert one.codes(column, ignore) == [other.code(value, ignore) for value in column]
    assert one.flags(column) == [other.flag(value) for value in column]
    assert one.sets() == other.sets()


def test_true_is_not_1_whichever_came_first() -> None:
    for values in ([1, True], [True, 1], [[1], [True]], [[True], [1]], [1.0, True], [0, False]):
        labels = Vocabulary()
        assert labels.codes(values) == [0, 1]
        assert labels.codes(values) == [0, 1]
        assert [labels.code(value) for value in values] == [0, 1]


# Flags


@given(columns)
def test_flags_are_those_of_the_naive_twin(column: list[Any]) -> None:
    labels = Vocabulary()
    codes = labels.flags(column)
    flags = [naive_labels.flag_of(value) for value in column]
    assert [min(code, 0) for code in codes] == [
        MISSING if one is None else MALFORMED if one == naive_labels.MALFORMED else 0 for one in flags
    ]
    assert [labels.sets()[code] for code in codes if code >= 0] == [
        one for one, code in zip(flags, codes, strict=True) if code >= 0
    ]


# Members, packing


@given(st.lists(columns, max_size=4))
def test_members_of_sets_are_numbers_that_ascend_and_tables_from_before_stay_valid(parts: list[list[Any]]) -> None:
    labels = Vocabulary()
    tables = []
    for part in parts:
        labels.codes(part)
        tables.append((labels.members(), labels.sets()))
    numbered: dict[int, str] = {}
    for members, sets in tables:
        assert (members.offsets.dtype, members.member.dtype) == (np.int64, np.int32)
        assert len(members.offsets) == len(sets) + 1
        assert members.offsets[-1] == len(members.member)
        for code, texts in enumerate(sets):
            found = members.member[members.offsets[code] : members.offsets[code + 1]].tolist()
            assert found == sorted(set(found))
            assert len(found) == len(texts)
            if len(found) == 1:
                assert numbered.setdefault(found[0], next(iter(texts))) in texts
    for members, sets in tables:
        for code, texts in enumerate(sets):
            found = members.member[members.offsets[code] : members.offsets[code + 1]].tolist()
            assert {numbered[one] for one in found if one in numbered} <= texts


def test_sets_share_the_members_that_they_share() -> None:
    labels = Vocabulary()
    labels.codes([["a", "b"], ["b", "c"], ["d"]])
    members = labels.members()
    one, other, third = (set(members.member[slice(*members.offsets[c : c + 2])].tolist()) for c in range(3))
    assert (len(one & other), len(one & third), len(other)) == (1, 0, 2)
    assert labels.members() is members


@given(columns, columns)
def test_what_was_packed_is_unpacked_with_the_same_sets(column: list[Any], before: list[Any]) -> None:
    here, there = Vocabulary(), Vocabulary()
    there.codes(before)
    codes = here.codes(before + column)[len(before) :]
    places, sets = here.packed(codes)
    back = there.unpacked(places, sets)
    assert [min(code, 0) for code in back] == [min(code, 0) for code in codes]
    assert [there.sets()[code] for code in back if code >= 0] == [here.sets()[code] for code in codes if code >= 0]
    assert len(sets) == len({code for code in codes if code >= 0})


def test_a_vocabulary_goes_to_another_process_with_its_codes() -> None:
    labels = Vocabulary()
    labels.codes([["a"], "b", 3])
    labels.members()
    other = pickle.loads(pickle.dumps(labels))
    assert other.codes(["b", "new", "3"]) == [1, 3, 2]
    assert len(other.members().offsets) == 5


# Numbers


@given(st.lists(wild | st.text("0123456789.eE+- ", max_size=6)) | st.lists(st.integers()) | st.lists(st.floats()))
def test_numbers_are_those_of_the_naive_twin(column: list[Any]) -> None:
    found = [naive_labels.number_of(value) for value in column]
    wanted = [math.nan if one is None else MALFORMED_NUMBER if one == naive_labels.MALFORMED else one for one in found]
    assert repr(numbers(column)) == repr([number(value) for value in column]) == repr(wanted)


def test_what_is_no_finite_number_is_malformed():
    def check(wrong: Any) -> None:
        assert number(wrong) == MALFORMED_NUMBER
        assert numbers([wrong]) == numbers([wrong, None])[:1] == [MALFORMED_NUMBER]

    check_each(
        check,
        [True, False, [8], [], {}, "", "eight", "nan", "inf", "1_0", "0x1", "9" * 5000, 10**400, math.inf, math.nan],
    )


# Paths

names = st.sampled_from(["a", "b", "meta"])


records = st.recursive(
    st.sampled_from([None, 0, "x", ["x"], {}]), lambda inner: st.dictionaries(names, inner, max_size=3), max_leaves=8
)


paths = st.lists(st.lists(names, min_size=1, max_size=3).map(tuple), max_size=4, unique=True).map(tuple)


@given(records, paths)
def test_a_value_is_found_by_its_paths_as_the_naive_twin_finds_it(record: Any, paths: tuple[tuple[str, ...], ...]):
    value = value_at(record, paths)
    assert value == naive_labels.value_of(record, paths)
    path, found = found_at(record, paths)
    assert found == value
    assert path in (paths if value is not None else [()])


# The schema

BRAND = Label("brand", Kind.SET, (("meta", "brand"),), (("brand",),))


PRICE = Label("price", Kind.NUMBER, (("price",),), (("price",),))


SOLD = Label("sold", Kind.FLAG, (("sold",),), (("sold",),), ignore="")


FILE = Label("file", Kind.SET, (), (("file",),))


def test_rows_count_codes_numbers_and_spans_apart() -> None:
    schema = LabelSchema((BRAND, PRICE, SOLD, FILE), (Spans("gold", (("spans",),), "file"),))
    assert schema.coded == (BRAND, SOLD, FILE)
    assert schema.numeric == (PRICE,)
    assert [schema.row(name) for name in ("brand", "price", "sold", "file", "gold")] == [0, 0, 1, 2, 0]


def test_values_are_read_as_the_kind_of_their_label_says() -> None:
    labels = Vocabulary()
    assert labels.column(BRAND, ["x", None]) == [0, MISSING]
    assert labels.column(PRICE, [1, 2]) == [1.0, 2.0]
    assert labels.column(SOLD, [True, False]) == [1, MISSING]


# A tiered data set as columns

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


def test_what_is_sought_is_found_as_it_is_asked_for():
    queries = make(ROWS)
    every = list(queries.compared_prefixes(range(3)))
    assert every == [("甲", "丙", "丁"), ("乙",), ("戊", "己")]
    for asked in (range(1, 3), [1, 2], range(2, 2), [2, 0, 2]):
        found = queries.compared_prefixes(asked)
        assert (list(found), len(found)) == ([every[q] for q in asked], len(asked))
        assert found[1:] == list(found)[1:]


# Groups of queries: by the values of a column, a query without one by itself


@given(st.lists(st.sampled_from(["a", "b", "c", "", None]), min_size=1))
def test_equal_values_are_one_group_and_no_value_is_a_group_of_its_own(values: list[str | None]) -> None:
    groups = groups_of(pl.DataFrame({"document": pl.Series(values, dtype=pl.String)}), "document")
    seen: list[object] = []
    for place, (value, code) in enumerate(zip(values, groups.codes.tolist(), strict=True)):
        key = ("alone", place) if value is None else value
        if key not in seen:
            seen.append(key)
        assert code == seen.index(key)
    assert groups.number == len(seen)
    assert groups.sizes.sum() == len(values)


@pytest.mark.parametrize(
    "values",
    [[1.5, math.nan, 1.5, math.nan], [1, None, 1, None], [True, None, True, None],
     [date(2020, 1, 1), None, date(2020, 1, 1), None]],
)  # fmt: skip
def test_values_of_any_kind_make_groups(values: list[object]) -> None:
    assert grouped("any", values).codes.tolist() == [0, 1, 0, 2]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 2**32))
def test_sums_are_those_of_the_queries_of_each_group(codes: list[int], seed: int) -> None:
    groups = grouped("code", codes)
    values = np.random.default_rng(seed).normal(size=(2, 3, len(codes)))
    sums = groups.sums(values)
    assert sums.shape == (2, 3, groups.number)
    for group in range(groups.number):
        inside = groups.codes == group
        assert sums[:, :, group] == pytest.approx(values[:, :, inside].sum(axis=2))
        assert groups.sizes[group] == inside.sum()
    assert groups.sums(values[0, 0]).shape == (groups.number,)


def test_a_part_has_the_groups_that_are_left() -> None:
    part = grouped("document", ["a", "b", "c", "b", "a"]).part(np.array([1, 2, 3]))
    assert (part.column, part.codes.tolist(), part.number) == ("document", [0, 1, 0], 2)


def test_lists_with_the_same_members_are_one_group() -> None:
    columns = pl.DataFrame({"articles": [["1", "2"], ["2", "1"], ["1"], [], None, [None], ["2", "1", "1"]]})
    assert groups_of(columns, "articles").codes.tolist() == [0, 0, 1, 2, 3, 4, 0]


def test_what_makes_no_groups_is_refused() -> None:
    columns = pl.DataFrame({"labels": [{"a": 1}, {"a": 2}]})
    with pytest.raises(InputError, match="column labels holds Struct"):
        groups_of(columns, "labels")
    with pytest.raises(InputError, match="no column user to group by; there are: labels"):
        groups_of(columns, "user")


def test_members_that_look_like_several_are_one() -> None:
    columns = pl.DataFrame({"law": [["1,2"], ["1", "2"], ["2", "1", "2"], ["12"], [], [None, "12"]]})
    assert groups_of(columns, "law").codes.tolist() == [0, 1, 1, 2, 3, 2]
    labels = columns.select(pl.col("law").cast(pl.List(pl.Categorical)))
    assert groups_of(labels, "law").codes.tolist() == [0, 1, 1, 2, 3, 2]


# Names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("bm25 v2 (日本)", "bm25 v2 (日本)"),
        (" two\nlines\t and  blanks ", "two lines and blanks"),
        ("\x1b[31mred\x07", "\ufffd[31mred\ufffd"),
        (b"caf\xe9".decode(errors="surrogateescape"), "caf\ufffd"),
    ],
)
def test_a_name_stands_on_one_line_and_holds_nothing_that_is_obeyed(name, shown):
    assert printable(name) == shown


@given(st.text(st.characters(codec=None)))
def test_any_name_can_be_written_and_printed(name):
    shown = printable(name)
    shown.encode()
    assert shown.isprintable()
    assert printable(shown) == shown


# Places of passages, and whether all passages have one


@given(st.builds(Place, st.text(min_size=1), st.integers(0, 10**14), st.integers(0, 10**14)))
def test_a_place_reads_back_what_it_prints(place: Place):
    assert Place.parse(str(place)) == place


@pytest.mark.parametrize("text", ["", "d1", "#1-2", "a#1", "a#1-", "a#-1-2", "a#1-2 ", "a#1-1234567890123456"])
def test_another_text_names_no_place(text: str):
    assert Place.parse(text) is None


def test_passages_are_placed_when_there_are_some_and_none_is_without_a_place():
    at = Passage("x", Place("a", 0, 1))
    for passages, placed in ({"q": [at], "r": []}, True), ({"q": []}, False), ({"q": [at], "r": [Passage("x")]}, False):
        assert Passages("name", passages).are_placed is placed
