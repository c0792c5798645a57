"""What a walk over JSON finds is what a parser finds."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_spans import standing

from benchbench.client.answer_plan import AnswerPlan, plan_of
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import ResponseLayout
from benchbench.kernels.json_columns import BLANKS, SHORTEST, join_values, number_values, read_numbers, walk
from benchbench.tables.labels import Kind, Label, LabelSchema

# What is written: a member is its name, whether that is written with an escape, and its value; a name may come twice.

Member = tuple[str, bool, Any]


@dataclass(frozen=True)
class Object:
    members: tuple[Member, ...]

    def value(self) -> dict[str, Any]:
        """Return it as a parser does."""
        return {name: value.value() if isinstance(value, Object) else value for name, _, value in self.members}


DEEPEST = 9
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
lists = scalars | st.lists(scalars | st.lists(scalars, max_size=3), max_size=3)
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


EACH = ResponseLayout(FieldPath("hits"), FieldPath("@"), {})  # a list of objects that have the lists of hits
ONE = ResponseLayout(FieldPath("@"), None, {})  # the answer is the list of hits


@cache
def plan(described: ResponseLayout | None = None) -> AnswerPlan:
    """Return the plan of a label that has all paths; what is asked of it are the tree and the rows of these."""
    made = plan_of(described, LabelSchema((Label("any", Kind.SET, (), PATHS),)))
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
        spans = self.spans.tolist()
        assert b"null" not in {self.text[span & 0xFFFFFFFF : span >> 32] for row in spans for span in row if span}
        return [
            [json.loads(self.text[span & 0xFFFFFFFF : span >> 32]) if span else None for span in row] for row in spans
        ]


def walked(
    text: str | bytes, queries: int, capacity: int, top_k: int, described: ResponseLayout | None = None
) -> Walked:
    """Walk, in space behind which something else stands."""
    made, encoded = plan(described), (text.encode() if isinstance(text, str) else text).rstrip(BLANKS).rjust(SHORTEST)
    space = np.zeros(made.rows * capacity + 9, np.uint64)
    space[made.rows * capacity :] = 77
    spans = space[: made.rows * capacity].reshape(made.rows, capacity)
    counts, is_used = np.zeros(queries + 1, np.int64), np.zeros(made.rows, np.bool_)
    counts[queries] = 77
    stack = np.full(DEEPEST + 1, 77, np.uint64)
    body, tree = np.frombuffer(encoded, np.uint8), (made.nodes, made.names, made.likely)
    found = walk(body, *tree, top_k, stack[:-1], spans, is_used, counts[:queries])
    written = {*space[made.rows * capacity :].tolist(), int(counts[queries]), int(stack[-1])}
    assert written == {77}, "nothing is written beyond"
    return Walked(
        found, spans[made.labels[0]], [bool(is_used[row]) for row in made.labels[0]], counts[:queries].tolist(), encoded
    )


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
def test_a_walk_finds_what_a_parser_finds(
    drawn: list[list[Object]], writer: Writer, top_k: int, together: bool, spare: int
):
    if together:
        text = '{"took":[1],"results":' + writer.one(drawn) + "}"
    else:
        between = "," + writer.blanks
        text = "[" + writer.blanks + between.join('{"hits":' + writer.one(one) + "}" for one in drawn) + "]"
    capacity = sum(min(len(one), top_k) for one in drawn) + spare
    for _ in range(2):  # the second time it is known which member came next
        found = walked(text, len(drawn), capacity, top_k, None if together else EACH)
        assert found.is_walked
        assert found.counts == list(map(len, drawn))
        rows = [row + [None] * spare for row in expected_of(drawn, top_k)]
        assert found.values() == rows
        assert all(is_used for is_used, row in zip(found.is_used, rows, strict=True) if row.count(None) < len(row))


@given(st.lists(hits, min_size=1, max_size=4), writers, st.data())
def test_more_hits_than_there_is_room_for_end_the_walk_and_nothing_is_written_beyond(
    drawn: list[Object], writer: Writer, data: st.DataObject
):
    capacity = data.draw(st.integers(0, len(drawn) - 1))
    found = walked(writer.one([*drawn]), 1, capacity, len(drawn), ONE)
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
    assert walked(writer.one([escaped]), 1, 1, 1, ONE).is_walked == is_walked


@pytest.mark.parametrize("value", ["1", '"[]"', "null", "{}", "true"])
def test_something_else_than_a_list_of_objects_ends_the_walk(value: str):
    assert not walked(value, 1, 3, 3, ONE).is_walked
    assert not walked(f"[{value}]", 1, 3, 3).is_walked
    if value != "{}":
        assert not walked(f'[{{"a":1}},{value}]', 1, 3, 3, ONE).is_walked
        assert not walked(f'[{{"a":1}},{value}]', 1, 3, 1, ONE).is_walked
    assert not walked(f"[[[{value}]]]", 1, 3, 3).is_walked
    assert not walked(f"{value}{'x' * 40}]", 1, 3, 3).is_walked
    assert not walked(f'"a"{value}{"x" * 40}]', 1, 3, 3).is_walked


@pytest.mark.parametrize(("lists", "queries"), [(2, 1), (1, 2), (3, 2), (0, 1)])
def test_another_number_of_lists_ends_the_walk(lists: int, queries: int):
    text = "[" + " , ".join(['[{"a":1}]'] * lists) + "]"
    assert not walked(text, queries, 3, 3).is_walked
    assert walked("[" + " , ".join(['[{"a":1}]'] * queries) + "]", queries, 3, 3).is_walked


# What is JSON in UTF-8

NUMBERS = ["1", "-0", "01", "1.", ".5", "1.5e+3", "1E-0", "1e", "1e+", "-", "+1", "1x", "0x1", "NaN", "-1.50"]
WORDS = ["true", "false", "null", "tru", "truex", "nulL", "fals", "ftrue", "t", "'a'", ""]
STRINGS = [r'"\u12aF"', r'"\u12"', r'"\u12x4"', r'"\x"', r'"\""', r'"\\"', r'"\/\b\f\n\r\t"']
STRINGS += ['"\\', '"a', '"\t"', '"\x7f"', '"\x00"']
LISTS = ["[]", "[1,]", "[,]", "[1 2]", '["a":1]', "[", "]", "[1]]", "[1}", "[[], [1], {}]"]
OBJECTS = ["{}", "{,}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', "{1:2}", "{", "}", '{"a" :{"b":[]}}', '1,"b":2']
tokens = st.sampled_from([*NUMBERS, *WORDS, *STRINGS, *LISTS, *OBJECTS])


@given(st.integers(0, 40), tokens | tokens.map(lambda token: f'[[{token}],{{"x":{token}}}]'), st.integers(0, 40))
def test_a_walk_takes_what_a_parser_takes(before: int, token: str, behind: int):
    text = f'{{"x":"{"y" * before}","z":{token},"results":[[{{"a":{token}}}]],"x":"{"y" * behind}"}}'
    for body in (text, text[: text.rindex('"x"') - 1] + "}" + "\n" * behind, text + " 1"):
        try:
            orjson.loads(body)
            is_json = True
        except orjson.JSONDecodeError:
            is_json = False
        assert walked(body, 1, 1, 1).is_walked == is_json


EDGES = b"a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"
marks = st.sampled_from([b"\\n", *(bytes([byte]) for byte in EDGES)])
whole = st.characters(codec="utf-8", exclude_characters='"\\', exclude_categories=["Cc", "Cs"]).map(str.encode)


@given(st.lists(marks | whole, max_size=40).map(b"".join), st.integers(0, 40), st.booleans())
def test_a_walk_takes_only_utf8(drawn: bytes, before: int, is_last: bool):
    string = b'"' + b"x" * before + drawn + b'"'
    body, is_odd = b'{"results":[[]],"a":' + string + b"}", False
    if not is_last:
        body = b"{" + string + b':1,"results":[[]],"b":"' + b"y" * 50 + b'"}'
        is_odd = b"\\" in string or string[1] in b'" !'  # as the third byte of a body it is refused
    try:
        drawn.decode()
        is_utf8 = True
    except UnicodeDecodeError:
        is_utf8 = False
    assert walked(body, 1, 1, 1).is_walked == (is_utf8 and not is_odd)


def test_a_walk_goes_so_deep_and_no_deeper():
    for depth, is_walked in ((DEEPEST - 2, True), (DEEPEST - 1, False), (100_000, False)):
        deep = "[" * depth + "]" * depth
        assert walked(f'{{"results":[[]], "a":{deep}}}', 1, 1, 1).is_walked == (depth < DEEPEST)
        assert walked(f'[[{{"a":{"[" * (depth - 1)}{"]" * (depth - 1)}}}]]', 1, 1, 1).is_walked == is_walked


# Values

pieces = st.lists(
    st.sampled_from([b"", b"1", b"null", b'"a"', b'["a"]', b'["b"]', b'"12345678"', b'"1234567"', b'"123456789"'])
    | st.binary(min_size=1, max_size=20),
    max_size=12,
)


class Known:
    """What `number_values` keeps, with guard places behind."""

    def __init__(self, labels: int, values: int) -> None:
        size = 1 << (2 * values).bit_length()
        self.slots, self.known = np.zeros((labels, size), np.uint64), np.full((labels, size), 77, np.int32)
        self.counts, self.new = np.zeros(labels, np.int64), np.full(labels * values + 1, 77, np.uint64)
        self.values = [list[bytes]() for _ in range(labels)]

    def numbers(self, some: list[list[bytes]], ways: list[list[int]]) -> list[list[int]] | None:
        text, spans = standing([value for row in some for value in row])
        spans = spans.reshape(len(some), -1)
        numbers = np.full((len(ways), spans.shape[1]), 55, np.int32)
        kept = self.slots, self.known, self.counts, self.new[:-1].reshape(len(ways), -1)
        has_room = number_values(text, spans, spans.any(axis=1), np.array(ways, np.int64), *kept, numbers)
        assert self.new[-1] == 77
        if not has_room:
            return None
        for its, known, count in zip(kept[3], self.values, self.counts.tolist(), strict=True):
            known += [text[span & 0xFFFFFFFF : span >> 32].tobytes() for span in its[len(known) : count].tolist()]
        return numbers.tolist()


@given(st.lists(pieces, min_size=1, max_size=4), st.permutations([0, 1, 2]))
def test_values_of_each_label_have_numbers_in_order_of_appearance_that_stay(some: list[list[bytes]], rows: list[int]):
    known, seen = Known(3, 100), [list[bytes]() for _ in range(3)]
    for values in some:
        fields = [values, values[::-1], values[1:] + values[:1]]
        ways = [[rows[0], -1], [rows[1], rows[2]], [rows[2], -1]]
        found = known.numbers(fields, ways)
        assert found is not None
        first, both, last = fields[rows[0]], zip(fields[rows[1]], fields[rows[2]], strict=True), fields[rows[2]]
        for label, its in enumerate([first, [one or other for one, other in both], last]):
            seen[label] = list(dict.fromkeys([*seen[label], *filter(None, its)]))
            assert found[label] == [seen[label].index(value) if value else -1 for value in its]
    assert known.values == seen


@given(pieces, st.integers(1, 4))
def test_where_there_is_no_room_for_a_value_nothing_is_written_beyond(some: list[bytes], values: int):
    found = Known(1, values).numbers([some], [[0]])
    assert (found is None) == (len(set(filter(None, some))) > values)


@given(pieces)
def test_joined_values_are_one_list(some: list[bytes]):
    text, spans = standing(some)
    if not some:
        return
    wanted = b"[" + b",".join(value or b"null" for value in some) + b"]"
    space = np.full(len(wanted) + 1, 7, np.uint8)
    assert join_values(text, spans, space) == len(wanted)
    assert space.tobytes() == wanted + b"\x07"


NUMBERS = st.one_of(
    st.from_regex(
        r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,4})?", fullmatch=True, alphabet="0123456789.-+eE"
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e3, 1e3).map(repr),
    st.integers(-(10**20), 10**20).map(str),
)


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_numbers_that_are_read_have_the_bits_that_a_parser_gives(some: list[str]):
    text, spans = standing([number.encode() for number in some])
    numbers = np.empty(len(some))
    if read_numbers(text, spans, numbers):
        assert numbers.tobytes() == np.array(list(map(float, map(orjson.loads, some)))).tobytes()
    else:
        assert any(len(number) > 18 or float(number) == 0 or "e" in number.lower() for number in some)


@pytest.mark.parametrize("other", [b"", b"null", b"true", b"false", b'"1"', b"[1]", b"{}", b"-0", b"1e999"])
def test_what_is_not_plainly_a_number_is_not_read_as_one(other: bytes):
    assert not read_numbers(*standing([b"1.5", other]), np.empty(2))
