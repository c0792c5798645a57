"""What a walk over JSON finds is what a parser finds, and beginnings that cannot be sought are none that are."""

import json
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbench.client.answer_plan import Plan, plan_of
from benchbench.kernels.json_columns import (
    BLANK,
    HEAD_BYTES,
    NONE,
    OPEN,
    OTHER,
    SOUGHT,
    UNSTABLE,
    characters,
    compare_beginnings,
    join_values,
    number_values,
    walk,
)
from benchbench.tables.hashing import normalise, text_prefix
from benchbench.tables.labels import Kind, Label, LabelSchema
from benchbench.tables.text_prefixes import TextPrefixes

# What is written: a member is its name, whether that is written with an escape, and its value; a name may come twice.

Member = tuple[str, bool, Any]


@dataclass(frozen=True)
class Object:
    members: tuple[Member, ...]

    def value(self) -> dict[str, Any]:
        """Return it as a parser does."""
        return {name: value.value() if isinstance(value, Object) else value for name, _, value in self.members}


NAMES = ("a", "b", "ab", "12345678", "123456789", "12345678x", "甲乙丙", "é")
PATHS = (
    ("a",),
    ("b", "a"),
    ("b", "b"),
    ("ab", "a", "b"),
    ("ab", "a"),
    ("12345678",),
    ("123456789", "12345678x"),
    ("甲乙丙", "é"),
    ("甲乙丙",),
)
texts = st.text(max_size=3) | st.sampled_from(
    ['"', "\\", '\\"', '{"a":1}', "]}", "x" * 31, '"' * 40, "[{" * 40, "\\" * 33]
)
scalars = st.none() | st.booleans() | st.integers(-9, 99) | st.just(-1.5e-7) | texts.filter(str.isprintable)
lists = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=4)
values = st.recursive(
    lists,
    lambda inner: st.lists(st.tuples(st.sampled_from(NAMES), st.just(False), inner), max_size=4).map(
        lambda members: Object(tuple(members))
    ),
    max_leaves=6,
)
members = st.tuples(st.sampled_from(NAMES), st.just(False), values)
hits = st.lists(members, max_size=5).map(lambda drawn: Object(tuple(drawn)))
lists_of_hits = st.lists(st.lists(hits, max_size=3), min_size=1, max_size=3)


@cache
def plan() -> Plan:
    """Return the plan of a label that has all paths; what is asked of it are the tree and the rows of these."""
    made = plan_of(None, LabelSchema((Label("any", Kind.SET, (), PATHS),)))
    assert made is not None
    return made


class Writer:
    """Writes JSON with blanks where they may stand."""

    def __init__(self, blanks: str, ascii_only: bool) -> None:
        self.blanks, self.ascii_only = blanks, ascii_only

    def one(self, value: Any) -> str:
        between = self.blanks
        if isinstance(value, Object):
            parts = [
                between + self.name(name, escaped) + between + ":" + between + self.one(inner) + between
                for name, escaped, inner in value.members
            ]
            return "{" + (",".join(parts) or between) + "}"
        if isinstance(value, list):
            return "[" + (",".join(between + self.one(inner) + between for inner in value) or between) + "]"
        return json.dumps(value, ensure_ascii=self.ascii_only)

    def name(self, name: str, escaped: bool) -> str:
        return f'"\\u{ord(name[0]):04x}{name[1:]}"' if escaped else f'"{name}"'


writers = st.builds(Writer, st.sampled_from(["", " ", "\n\t", " " * 9]), st.booleans())


@dataclass
class Walked:
    is_walked: bool
    spans: np.ndarray
    is_used: list[bool]
    counts: list[int]
    text: bytes

    def values(self) -> list[list[Any]]:
        """Return what stands at each path in each hit."""
        spans = self.spans[plan().labels[0]].tolist()
        assert b"null" not in {self.text[span & 0xFFFFFFFF : span >> 32] for row in spans for span in row if span}
        return [
            [json.loads(self.text[span & 0xFFFFFFFF : span >> 32]) if span else None for span in row] for row in spans
        ]


def walked(text: str, begins: list[int], queries: int, capacity: int, top_k: int, together: bool = False) -> Walked:
    """Walk, in space behind which something else stands."""
    made, encoded = plan(), text.encode()
    space = np.zeros(made.rows * capacity + 9, np.uint64)
    space[made.rows * capacity :] = 77
    spans = space[: made.rows * capacity].reshape(made.rows, capacity)
    counts, is_used = np.zeros(queries + 1, np.int64), np.zeros(made.rows, np.bool_)
    counts[queries] = 77
    body, starts = np.frombuffer(encoded, np.uint8), np.array(begins, np.uint64)
    tree = made.nodes, made.names, made.likely
    found = walk(body, starts, together, *tree, top_k, spans, is_used, counts[:queries])
    assert set(space[made.rows * capacity :].tolist()) == {counts[queries]} == {77}, "nothing is written beyond"
    return Walked(found, spans, is_used.tolist(), counts[:queries].tolist(), encoded)


def at(record: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a path; an object in which another path goes on is passed over."""
    for name in path:
        record = record.get(name) if isinstance(record, dict) else None
    goes_on = any(other[: len(path)] == path for other in PATHS if len(other) > len(path))
    return None if isinstance(record, dict) and goes_on else record


def expected_of(drawn: list[list[Object]], top_k: int) -> list[list[Any]]:
    records = [hit.value() for one in drawn for hit in one[:top_k]]
    return [[at(record, path) for record in records] for path in PATHS]


@given(lists_of_hits, writers, st.integers(1, 5), st.booleans(), st.integers(0, 3))
@settings(max_examples=200)
def test_a_walk_finds_what_a_parser_finds(
    drawn: list[list[Object]], writer: Writer, top_k: int, together: bool, spare: int
):
    text, begins, before = "", [], "[" + writer.blanks
    if together:
        text = '{"took":[1],"results":' + writer.one(drawn) + "}"
        begins = [text.index(":[", 12) + 1]
    else:
        for one in drawn:
            text += before + '{"hits":'
            begins.append(len(text.encode()))
            text += writer.one(one) + "}"
            before = "," + writer.blanks
        text += "]"
    capacity = sum(min(len(one), top_k) for one in drawn) + spare
    for _ in range(2):  # the second time it is known which member came next
        found = walked(text, begins, len(drawn), capacity, top_k, together)
        assert found.is_walked
        assert found.counts == list(map(len, drawn))
        rows = [row + [None] * spare for row in expected_of(drawn, top_k)]
        assert found.values() == rows
        used = [found.is_used[row] for row in plan().labels[0]]
        assert all(is_used for is_used, row in zip(used, rows, strict=True) if row.count(None) < len(row))


@given(st.lists(hits, min_size=1, max_size=4), writers, st.data())
@settings(max_examples=50)
def test_more_hits_than_there_is_room_for_end_the_walk_and_nothing_is_written_beyond(
    drawn: list[Object], writer: Writer, data: st.DataObject
):
    capacity = data.draw(st.integers(0, len(drawn) - 1))
    found = walked(writer.one([*drawn]), [0], 1, capacity, len(drawn))
    assert not found.is_walked
    assert found.values() == expected_of([drawn[:capacity]], len(drawn))


AROUND = [((), False), (("ab",), False), (("ab", "a"), False), (("a",), True), (("x",), True), (("b", "x"), True)]


@given(hits, members, st.integers(0, 6), writers, st.sampled_from(AROUND))
def test_a_name_with_an_escape_ends_the_walk_where_a_wanted_one_may_stand(
    hit: Object, member: Member, place: int, writer: Writer, case: tuple[tuple[str, ...], bool]
):
    (name, _, value), (around, is_walked) = member, case
    escaped = Object((*hit.members[:place], (name, True, value), *hit.members[place:]))
    for outer in reversed(around):
        escaped = Object(((outer, False, escaped),))
    assert walked(writer.one([escaped]), [0], 1, 1, 1).is_walked == is_walked


@pytest.mark.parametrize("value", ["1", '"[]"', "null", "{}", "true"])
def test_something_else_than_a_list_of_objects_ends_the_walk(value: str):
    assert not walked(value, [0], 1, 3, 3).is_walked
    assert not walked(f"[{value}]", [0], 1, 3, 3, together=True).is_walked
    if value != "{}":
        assert not walked(f'[{{"a":1}},{value}]', [0], 1, 3, 3).is_walked
        assert not walked(f'[{{"a":1}},{value}]', [0], 1, 3, 1).is_walked
    assert not walked(f"[[[{value}]]]", [1], 1, 3, 3).is_walked


@pytest.mark.parametrize(("lists", "queries"), [(2, 1), (1, 2), (3, 2), (0, 1)])
def test_another_number_of_lists_ends_the_walk(lists: int, queries: int):
    text = "[" + " , ".join(['[{"a":1}]'] * lists) + "]"
    assert not walked(text, [0], queries, 3, 3, together=True).is_walked
    assert walked("[" + " , ".join(['[{"a":1}]'] * queries) + "]", [0], queries, 3, 3, together=True).is_walked


# Values

pieces = st.lists(
    st.sampled_from([b"", b"1", b"null", b'"a"', b'["a"]', b'["b"]', b'"12345678"', b'"1234567"', b'"123456789"'])
    | st.binary(min_size=1, max_size=20),
    max_size=12,
)


def standing(values: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return a text in which values stand, and their spans; an empty value is none."""
    text, spans = bytearray(b"["), []
    for value in values:
        spans.append(len(text) | len(text) + len(value) << 32 if value else 0)
        text += value + b","
    return np.frombuffer(bytes(text), np.uint8), np.array(spans, np.uint64)


class Known:
    """What `number_values` keeps, with a guard place behind the copies."""

    def __init__(self, rows: int, values: int, size: int) -> None:
        self.slots = np.full((rows, 1 << (2 * values).bit_length()), -1, np.int32)
        self.all, self.used = np.full(size + 1, 77, np.uint8), np.zeros(1, np.int64)
        self.places, self.counts = np.zeros((rows, values), np.uint64), np.zeros(rows, np.int64)

    def numbers(self, some: list[list[bytes]], which: list[int]) -> list[list[int]] | None:
        text, spans = standing([value for row in some for value in row])
        numbers = np.full((len(some), len(some[0])), 55, np.int32)
        kept = self.slots, self.all[:-1], self.used, self.places, self.counts
        has_room = number_values(text, spans.reshape(numbers.shape), np.array(which, np.int64), *kept, numbers)
        assert self.all[-1] == 77
        return numbers.tolist() if has_room else None

    def values(self, row: int) -> list[bytes]:
        spans = self.places[row, : self.counts[row]].tolist()
        return [self.all[span & 0xFFFFFFFF : span >> 32].tobytes() for span in spans]


@given(st.lists(pieces, min_size=1, max_size=4), st.permutations([0, 1, 2]))
def test_values_of_each_field_have_numbers_in_order_of_appearance_that_stay(some: list[list[bytes]], rows: list[int]):
    known, seen = Known(3, 50, 5000), [list[bytes]() for _ in range(3)]
    for values in some:
        fields, which = [values, values[::-1]], rows[:2]
        found = known.numbers(fields, which)
        assert found is not None
        for row, its, numbers in zip(which, fields, found, strict=True):
            seen[row] = list(dict.fromkeys([*seen[row], *filter(None, its)]))
            assert numbers == [seen[row].index(value) if value else -1 for value in its]
    assert [known.values(row) for row in range(3)] == seen


@given(pieces, st.integers(1, 4), st.integers(1, 40))
def test_where_there_is_no_room_for_a_value_nothing_is_written_beyond(some: list[bytes], values: int, size: int):
    known, different = Known(1, values, size), set(filter(None, some))
    found = known.numbers([some], [0])
    assert (found is None) == (len(different) > values or sum(map(len, different)) > size)


@given(pieces)
def test_joined_values_are_one_list(some: list[bytes]):
    text, spans = standing(some)
    if not some:
        return
    wanted = b"[" + b",".join(value or b"null" for value in some) + b"]"
    space = np.full(len(wanted) + 1, 7, np.uint8)
    assert join_values(text, spans, space) == len(wanted)
    assert space.tobytes() == wanted + b"\x07"


# Beginnings of texts

SECOND = {  # characters that join with one before them in NFC
    chr(int(parts[1], 16))
    for code in range(0x110000)
    if (parts := unicodedata.decomposition(chr(code)).split()) and len(parts) == 2 and not parts[0].startswith("<")
} | {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
MARKS = "\u0300\u0301\u0327\u0338\u0345\u3099\u309a\u302a\u1161\u11a8\u09be\u0dcf\u1100\u093c\u05b0\U00011127"


@cache
def stable() -> list[str]:
    return list(map(chr, np.flatnonzero(characters() != UNSTABLE).tolist()))


def test_characters_that_are_called_stable_are_what_nfc_makes_of_them_whatever_stands_beside_them():
    found = stable()
    assert len(found) > 30_000
    assert "\r" not in found
    assert SECOND.isdisjoint(found)
    assert set(map(unicodedata.combining, found)) == {0}
    assert unicodedata.is_normalized("NFC", "".join(found))
    for c in found:
        opening = c * 16
        for mark in MARKS:
            assert unicodedata.normalize("NFC", f"{opening}{c}{mark}a")[:16] == opening
            assert unicodedata.normalize("NFC", f"{mark}{c}")[-1] == c


def test_blanks_among_stable_characters_are_what_strip_removes():
    found = list(map(chr, np.flatnonzero(characters() == BLANK).tolist()))
    assert found == [c for c in stable() if not c.strip()]
    assert len(found) > 10


def compared(values: list[bytes], prefixes: list[tuple[str, ...]], counts: list[int]) -> list[int]:
    text, spans = standing(values)
    found, head = np.full(len(values) + 1, 77, np.uint8), np.full(HEAD_BYTES + 1, 77, np.uint8)
    columns = TextPrefixes.of(prefixes).columns()
    compare_beginnings(text, spans, np.array(counts, np.int64), *columns, characters(), head[:-1], found[:-1])
    assert (head[-1], found[-1]) == (77, 77)
    return found[:-1].tolist()


WRITTEN = 'e\u0301\u00e9か\u3099がAé漢字한\u11a8\u00a0\u3000 \t\n\r\x1c\x85"\\/\b\f\u2028Ä𝄞\U0001d15e\u0958\u0400Ж'
written = st.text(st.sampled_from(WRITTEN) | st.characters(exclude_categories=["Cs"]), max_size=40) | st.integers(
    10, 40
).flatmap(lambda n: st.text(st.sampled_from('aé漢字Ж \n/"\\'), min_size=n, max_size=n))


@given(st.lists(st.tuples(st.none() | written, st.lists(written, max_size=3)), max_size=5), st.booleans())
@settings(max_examples=500)
def test_a_text_that_is_another_begins_as_none_that_is_sought(
    drawn: list[tuple[str | None, list[str]]], ascii_only: bool
):
    values, prefixes = [], []
    for text, others in drawn:
        values.append(b"" if text is None else json.dumps(text, ensure_ascii=ascii_only).encode())
        known = [text_prefix(normalise(other)) for other in others]
        if text is not None and len(others) == 1:  # a text with the same beginning
            known.append(text_prefix(normalise(text[:17] + others[0])))
        prefixes.append(tuple(known))
    found = compared(values, prefixes, [1] * len(drawn))
    for kind, (text, _), sought in zip(found, drawn, prefixes, strict=True):
        assert (kind == NONE) == (text is None)
        if text is None:
            continue
        if kind == OTHER:
            assert not normalise(text).startswith(sought)
            assert text_prefix(normalise(text)) not in sought
        elif len(text) > 17 and set(text) <= set("aé漢字Ж") and not ascii_only:
            assert text.startswith(sought), "nothing keeps it from being decided"


@given(written, written)
def test_a_text_that_is_sought_is_looked_at(text: str, other: str):
    sought = (text_prefix(normalise(other)), text_prefix(normalise(text)))
    for form in (text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))):
        if normalise(form) == normalise(text):  # a mark may stand behind a line end that is written otherwise
            for ascii_only in (False, True):
                value = json.dumps(f" {form}\r\n", ensure_ascii=ascii_only).encode()
                assert {*compared([value, value[:1] + value[2:]], [sought], [2])} <= {SOUGHT, OPEN}


def test_each_hit_is_compared_with_what_its_own_query_seeks():
    values = [json.dumps(text * 20, ensure_ascii=False).encode() for text in "甲乙甲乙甲"]
    prefixes = [("乙" * 16,), (), ("甲" * 16, "丙")]
    assert compared(values, prefixes, [2, 1, 2]) == [OTHER, SOUGHT, OTHER, OTHER, SOUGHT]


@pytest.mark.parametrize("value", [b"1", b"true", b'["aaaaaaaaaaaaaaaaaaaa"]', b'{"aaaaaaaaaaaaaaaaaaaa":1}', b'""'])
def test_what_is_no_text_is_looked_at(value: bytes):
    assert compared([value], [("b",)], [1]) == [OPEN]


@pytest.mark.parametrize("length", range(15, 20))
def test_seventeen_characters_decide(length: int):
    for text in ("a" * length, "漢" * length, "Ж" * length, "/" * length, '"' * length):
        for ascii_only in (False, True):
            value = json.dumps(text, ensure_ascii=ascii_only).encode()
            assert compared([value], [("b",)], [1]) == [OTHER if length >= 17 else OPEN]
            assert compared([value], [(text[:16],)], [1]) == [SOUGHT if length >= 17 else OPEN]


@pytest.mark.parametrize("c", '\b\f\n\r\t"\\/a\u3000')
@pytest.mark.parametrize("place", range(18))
def test_a_character_that_is_written_as_an_escape_is_what_it_stands_for(c: str, place: int):
    text = "a漢"[place % 2] * place + c + "字" * 20
    sought = (text_prefix(normalise(text)),)
    for written in (json.dumps(c)[1:-1], f"\\u{ord(c):04x}", f"\\u{ord(c):04X}", "\\/" if c == "/" else "/"):
        value = json.dumps(text, ensure_ascii=False).replace(json.dumps(c)[1:-1], written).encode()
        if json.loads(value) == text:
            assert compared([value], [sought], [1])[0] in (SOUGHT, OPEN)
