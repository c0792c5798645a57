"""Labels as codes and numbers."""

import math
import pickle
from typing import Any

import naive_labels
import numpy as np
import pytest
from cases import check_each
from hypothesis import given
from hypothesis import strategies as st

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


def test_article_341_is_the_string_341() -> None:
    labels = Vocabulary()
    assert len({labels.code(value) for value in ([341], ["341"], "341", 341, 341.0, [" 341"])}) == 1


def test_true_is_not_1_whichever_came_first() -> None:
    for values in ([1, True], [True, 1], [[1], [True]], [[True], [1]], [1.0, True], [0, False]):
        labels = Vocabulary()
        assert labels.codes(values) == [0, 1]
        assert labels.codes(values) == [0, 1]
        assert [labels.code(value) for value in values] == [0, 1]


def test_characters_that_are_ignored_do_not_matter() -> None:
    labels = Vocabulary()
    with_brackets = ["[走私、贩卖、运输、制造]毒品"]
    assert labels.code(with_brackets, "[]") == labels.code(["走私、贩卖、运输、制造毒品"])
    assert labels.code(with_brackets) != labels.code(with_brackets, "[]")


def test_order_and_repetition_do_not_matter() -> None:
    labels = Vocabulary()
    assert labels.code(["盗窃", "诈骗"]) == labels.code(["诈骗", "盗窃", "盗窃"])
    assert labels.code(["盗窃"]) != labels.code(["盗窃", "诈骗"])


@pytest.mark.parametrize("nothing", [None, [], "", [""], ["[]"], [" ", ""]])
def test_a_set_without_a_text_is_missing(nothing: Any) -> None:
    assert Vocabulary().code(nothing, "[]") == MISSING


@pytest.mark.parametrize(
    "wrong", [{}, {"a": 1}, [["盗窃"]], [{}], [None], ["盗窃", None], [True, {}], math.nan, [math.inf]]
)
def test_sets_of_a_wrong_type_are_malformed(wrong: Any) -> None:
    labels = Vocabulary()
    assert labels.code(wrong) == labels.code(wrong) == MALFORMED
    assert labels.codes([wrong, ["盗窃"]]) == [MALFORMED, 0]


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


@pytest.mark.parametrize("off", [None, False, 0, 0.0, "", []])
def test_a_flag_that_is_not_set_is_missing(off: Any) -> None:
    assert Vocabulary().flag(off) == MISSING


def test_a_flag_of_1_is_true() -> None:
    labels = Vocabulary()
    assert labels.flags([True, 1, 1.0, "true", "commuted"]) == [0, 0, 0, 0, 1]


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


@pytest.mark.parametrize(
    ("value", "expected"),
    [(8, 8.0), (-1, -1.0), (8.5, 8.5), ("12", 12.0), (" 12.5 ", 12.5), ("8", 8.0), ("-1e3", -1000.0)],
)
def test_a_number_may_be_written_as_a_text(value: Any, expected: float) -> None:
    assert number(value) == expected


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


SENTENCE = (("imprisonment",), ("imprisonment", "imprisonment"), ("meta", "imprisonment"))


@pytest.mark.parametrize(
    ("record", "value"),
    [
        ({"imprisonment": 8}, 8),
        ({"imprisonment": {"imprisonment": 8}}, 8),
        ({"imprisonment": {"death_penalty": True}, "meta": {"imprisonment": 9}}, 9),
        ({"imprisonment": None, "meta": {"imprisonment": 9}}, 9),
        ({"imprisonment": {"imprisonment": {}}}, {}),
        ({"meta": {"imprisonment": {"imprisonment": 8}}}, {"imprisonment": 8}),
        ({"meta": "text"}, None),
        ("text", None),
    ],
)
def test_an_object_is_passed_over_only_where_another_path_goes_through_it(record: Any, value: Any) -> None:
    assert value_at(record, SENTENCE) == value


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
