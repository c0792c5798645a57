"""Lines of runs and qrels to columns: the glance and the scan agree with a plain reading of the text."""

from decimal import Decimal

import numba
import numpy as np
import pytest
from cases import check_each, tables
from helpers import called
from hypothesis import example, given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from benchbench.kernels import byte_words, decimal
from benchbench.kernels import spans as kernel_spans
from benchbench.kernels.byte_words import first_bit, line_ends, load_word, multiply_fold, ones
from benchbench.kernels.decimal import BAD, PARSED, UNDECIDED
from benchbench.kernels.lookup import any_judged, are_different, find, table
from benchbench.kernels.ranking import rank
from benchbench.kernels.spans import copy_spans, hash_spans
from benchbench.kernels.trec_lines import FINE, count_lines, last_query, lines, next_query, parse_lines
from benchbench.kernels.xxh3 import LONGEST, hash_strings
from benchbench.tables.rows import Rows

TABLES = tables(__file__)

fields = st.text("ab#é法1.-", min_size=1, max_size=20).filter(lambda text: not text.startswith("#"))


gaps = st.sampled_from([" "] * 8 + ["\t", "  ", " \t "])


numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.sampled_from(["12.5", "29.411843", "-3", "7"])


ends = st.sampled_from(["\n"] * 6 + ["\r\n", " \n", "\n\n", "\n# a comment\n"])


@st.composite
def text_of(draw: st.DrawFn, run: bool) -> tuple[str, list[list[str]]]:
    """Draw lines, and the fields of each."""
    rows, text = [], ""
    for _ in range(draw(st.integers(0, 12))):
        row = [draw(fields), draw(fields), draw(fields)]
        row += [str(draw(st.integers(-1, 99))), draw(numbers), draw(fields)] if run else [draw(numbers)]
        rows.append(row)
        gap = draw(gaps)
        text += draw(st.sampled_from(["", "", "", " "])) + gap.join(row) + draw(ends)
    return text, rows


def hashes(texts: list[str]) -> list[int]:
    encoded = [one.encode() for one in texts]
    stops = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
    return hash_spans(np.frombuffer(b"".join(encoded) or b"\0", np.uint8), stops[:-1], stops[1:]).tolist()


@given(st.data(), st.booleans(), st.integers(0, 130))
def test_columns_are_those_of_a_plain_reading(data: st.DataObject, run: bool, before: int):
    """Whatever parts the fields, wherever the 64 bytes that are looked at together begin and end."""
    drawn, rows = data.draw(text_of(run))
    text = np.frombuffer(b"." * before + drawn.encode() + b"\n", np.uint8)
    room = lines(int(count_lines(text, before, text.size)))
    parsed = parse_lines(text, before, text.size, run, room)
    assert parsed.problem == FINE
    n = int(parsed.rows)
    assert n == len(rows)
    assert room.document[:n].tolist() == hashes([row[2] for row in rows])
    spans = zip(room.document_start[:n].tolist(), room.document_stop[:n].tolist(), strict=True)
    assert [bytes(text[a:b]).decode() for a, b in spans] == [row[2] for row in rows]
    if not run:
        assert room.iteration[:n].tolist() == hashes([row[1] for row in rows])
    values = np.array([float(row[4 if run else 3]) for row in rows])
    decided = ~np.isnan(room.value[:n])
    assert np.array_equal(room.value[:n][decided], values[decided])
    owner = np.repeat(np.arange(parsed.groups), np.diff(room.groups[: parsed.groups + 1]))
    assert room.query[owner].tolist() == hashes([row[0] for row in rows])


def test_a_number_that_is_left_to_python_says_where_it_stands():
    text = np.frombuffer(b"q Q0 d 1 5e-324 t\n", np.uint8)
    room = lines(1)
    assert parse_lines(text, 0, text.size, True, room).problem == FINE
    assert np.isnan(room.value[0])
    assert room.number[0] & np.uint64(0xFFFFFFFF) == 9


@given(st.data(), st.integers(0, 300))
def test_parts_are_cut_where_a_query_begins(data: st.DataObject, place: int):
    """`next_query` finds such a line behind a place, `last_query` the last one of the text."""
    drawn, _ = data.draw(text_of(True))
    text = np.frombuffer(drawn.encode() + b"\n", np.uint8)
    whole = drawn.split("\n")
    begins, at, known = [], 0, None
    for line in whole:
        if line.strip() and not line.startswith("#"):
            query = line.split()[0]
            if query != known:
                begins.append(at)
            known = query
        at += len(line.encode()) + 1
    cut = int(next_query(text, min(place, text.size), text.size))
    assert cut == text.size or (cut in begins and cut > place)
    assert int(last_query(text, text.size)) == (begins[-1] if len(begins) > 1 else 0)


def test_line_ends_are_counted_from_any_place_to_any_other():
    text = np.frombuffer(b"a\n\nbc\n" * 40, np.uint8)
    for start in range(0, 70, 7):
        for stop in range(start, 240, 13):
            assert count_lines(text, start, stop) == bytes(text[start:stop]).count(b"\n")


# Decimal text to float64, beside Python's own `float`

parse_float = called(decimal.parse_float)


def parsed(text: str) -> tuple[int, float]:
    data = np.frombuffer(f" {text} ".encode(), np.uint8)
    return parse_float(data, np.uint64(1), np.uint64(data.size - 1))


decimal_numbers = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(0, 100).map(lambda value: f"{value:.6f}"),
    st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)


@pytest.mark.slow  # a hundred thousand numbers
@given(decimal_numbers)
@example("9007199254740993")  # 2**53 + 1: between two floats
@example("1e400")
@example("-1e-400")
@example("5e-324")
@example("2.2250738585072011e-308")
@example("7.2057594037927933e16")
@example("0." + "0" * 30 + "1")
def test_a_number_is_the_float_that_python_reads(text: str):
    status, value = parsed(text)
    assert status in (PARSED, UNDECIDED)
    if status == PARSED:
        assert repr(value) == repr(float(text))


@pytest.mark.parametrize("text", ["0", "12.5", "29.411843", "1e-5", "3.141592653589793", "-7E+2", "5.", ".5"])
def test_an_everyday_number_is_decided(text: str):
    assert parsed(text) == (PARSED, float(text))


@pytest.mark.parametrize("text", TABLES["half_way"])
def test_a_number_half_way_between_two_floats_is_the_even_one(text: str):
    assert parsed(text) == (PARSED, float(text))


@given(st.integers(1 << 52, (1 << 53) - 1), st.integers(0, 5), st.sampled_from(["", "0", "1"]))
def test_a_number_at_the_middle_of_two_floats_goes_where_python_has_it_go(mantissa: int, halvings: int, further: str):
    text = f"{Decimal(2 * mantissa + 1) / 2**halvings:f}"
    text += further if "." in text else ""
    assert parsed(text) in ((PARSED, float(text)), (UNDECIDED, 0.0))


@pytest.mark.parametrize(("text", "value"), [("inf", np.inf), ("-INF", -np.inf), ("+Infinity", np.inf)])
def test_infinity_is_a_number(text: str, value: float):
    assert parsed(text) == (PARSED, value)


@pytest.mark.parametrize("text", ["nan", "NaN", "0x10", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "1_0", "infi", "١"])
def test_what_is_no_decimal_number_is_bad(text: str):
    assert parsed(text)[0] == BAD


# Hashes and order of byte spans

span_before = called(kernel_spans.span_before)


def spans(parts: list[bytes], before: bytes = b"", behind: bytes = b"") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    text = np.frombuffer(before + b"".join(parts) + behind + b"\n", np.uint8)
    ends = len(before) + np.cumsum([0, *map(len, parts)]).astype(np.uint64)
    return text, ends[:-1].astype(np.uint64), ends[1:].astype(np.uint64)


@given(st.lists(st.binary(max_size=40), max_size=8), st.binary(max_size=9), st.binary(max_size=9))
def test_a_hash_is_of_the_bytes_wherever_they_stand(parts: list[bytes], before: bytes, behind: bytes):
    assert hash_spans(*spans(parts, before, behind)).tolist() == hash_spans(*spans(parts)).tolist()


@pytest.mark.slow  # a million texts
def test_a_million_ids_have_a_million_hashes():
    ids = [f"doc{n}".encode() for n in range(1_000_000)]
    hashes = hash_spans(*spans(ids))
    assert np.unique(hashes).size == len(ids)
    assert hashes.min() > 0


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=2, max_size=30, unique=True))
def test_different_ids_have_different_hashes(parts: list[bytes]):
    assert np.unique(hash_spans(*spans(parts))).size == len(parts)


@given(st.binary(max_size=6), st.binary(max_size=6))
def test_before_is_descending_byte_order(a: bytes, b: bytes):
    text, starts, stops = spans([a, b])
    assert span_before(text, starts[0], stops[0], starts[1], stops[1]) == (a > b)


@given(st.lists(st.binary(max_size=6), max_size=9))
def test_copied_spans_are_the_bytes(parts: list[bytes]):
    assert copy_spans(*spans(parts, b"before")).tobytes() == b"".join(parts)


# Bytes 8 and 64 at a time, against one at a time

blanks, tail_word = called(byte_words.blanks), called(byte_words.tail_word)


words = st.integers(0, 2**64 - 1)


@numba.njit
def look(text, i, a, b):
    marked = a | np.uint64(1) << np.uint64(63)
    return load_word(text, i), line_ends(text, i), multiply_fold(a, b), first_bit(marked), ones(a)


@given(st.binary(min_size=64, max_size=90), words, words)
def test_intrinsics_do_what_they_say(data: bytes, a: int, b: int):
    text = np.frombuffer(data, np.uint8)
    i = len(data) - 64
    word, ends, folded, bit, number = look(text, np.uint64(i), np.uint64(a), np.uint64(b))
    assert word == int.from_bytes(data[i : i + 8], "little")
    assert ends == data[i : i + 64].count(b"\n")
    assert folded == ((a * b) >> 64) ^ ((a * b) & (2**64 - 1))
    marked = a | 1 << 63
    assert bit == (marked & -marked).bit_length() - 1
    assert number == a.bit_count()


@given(st.binary(min_size=1, max_size=140), st.data())
def test_blanks_and_tails_stop_at_the_end_of_the_text(data: bytes, draw: st.DataObject):
    text = np.frombuffer(data, np.uint8)
    i = draw.draw(st.integers(0, len(data) - 1))
    seen = blanks(text, np.uint64(i))
    assert [seen >> j & 1 for j in range(64)] == [int(i + j < len(data) and data[i + j] <= 32) for j in range(64)]
    stop = draw.draw(st.integers(i, min(i + 8, len(data))))
    assert tail_word(text, np.uint64(i), np.uint64(stop)) == int.from_bytes(data[i:stop], "little")


# The hash of short strings is that of the package xxhash, and 0 where it cannot be had

BYTES = bytes(byte for byte in range(256) if byte != 0x5C)


def standing(values: list[bytes], before: bytes = b"[") -> tuple[np.ndarray, np.ndarray]:
    """Return a text in which values stand, and their spans; an empty value is none."""
    text, spans = bytearray(before), []
    for value in values:
        begin = len(text)
        text += value + b","
        spans.append(begin | begin + len(value) << 32 if value else 0)
    text[-1:] = b"]"
    return np.frombuffer(bytes(text), np.uint8), np.array(spans, np.uint64)


def hashed(values: list[bytes], before: bytes = b"[") -> list[int]:
    text, spans = standing(values, before)
    hashes = np.full(len(values), 7, np.uint64)
    assert hash_strings(text, spans, hashes) == (min(hashes.tolist(), default=2) > 1)
    return hashes.tolist()


def quoted(content: bytes) -> bytes:
    return b'"' + content + b'"'


@pytest.mark.parametrize("before", [b"[", b"[ \n", b'{"results":'])
def test_strings_of_every_length_have_the_hash_of_the_package(before: bytes):
    random = np.random.default_rng(5)
    table = np.frombuffer(BYTES, np.uint8)
    contents = [table[random.integers(0, len(BYTES), n)].tobytes() for n in range(1, LONGEST + 1) for _ in range(20)]
    contents += [bytes([byte]) * n for n in range(1, LONGEST + 1) for byte in (0, 0x61, 0x80, 0xFF)]
    assert hashed(list(map(quoted, contents)), before) == list(map(xxh3_64_intdigest, contents))


@given(st.lists(st.text(st.characters(exclude_characters='\\"', exclude_categories=["Cs"]), min_size=1), max_size=6))
def test_ids_have_the_hash_of_the_package(ids: list[str]):
    contents = [one.encode() for one in ids]
    expected = [xxh3_64_intdigest(content) if len(content) <= LONGEST else 0 for content in contents]
    assert hashed(list(map(quoted, contents))) == expected


def test_longer_strings_have_none():
    def check(length: int) -> None:
        assert hashed([quoted(b"a" * length), b'"a"']) == [0, xxh3_64_intdigest(b"a")]

    check_each(check, [*range(LONGEST + 1, LONGEST + 20), 240, 241, 1000, 100_000])


def test_a_string_with_an_escape_anywhere_has_none():
    def check(length: int) -> None:
        plain = b"a" * (length - 2)
        assert hashed([quoted(plain[:n] + rb"\n" + plain[n:]) for n in range(length - 1)]) == [0] * (length - 1)

    check_each(check, range(2, LONGEST + 1))


@pytest.mark.parametrize(
    "value", [b"", b'""', b"1", b"12", b"-1.5e300", b"true", b"null", b'["a"]', b'{"a":"b"}', b"[]", b"{}"]
)
def test_what_is_no_string_or_an_empty_one_has_none(value: bytes):
    assert hashed([value, b'"a"', value]) == [0, xxh3_64_intdigest(b"a"), 0]


# Which judged query a query is

lookup_hashes = st.lists(
    st.integers(1, 2**64 - 1) | st.integers(1, 40).map(lambda n: n << 32), max_size=60, unique=True
)


@given(lookup_hashes, lookup_hashes)
def test_a_key_is_found_at_its_place_and_another_is_not(keys: list[int], others: list[int]):
    known = np.array(keys, np.uint64)
    wanted = np.array([*keys, *others], np.uint64)
    found = find(table(known), known, wanted)
    assert found.tolist() == [keys.index(key) if key in keys else -1 for key in wanted.tolist()]


@given(st.lists(st.integers(1, 9).map(lambda n: n << 32), max_size=8))
def test_hashes_are_different_when_none_stands_twice(keys: list[int]):
    assert are_different(np.array(keys, np.uint64)) is (len(set(keys)) == len(keys))


lists = st.lists(st.lists(st.integers(1, 6), max_size=4), min_size=1, max_size=4)


@given(lists, lists, st.data())
def test_any_hit_is_judged_when_a_query_has_one_of_its_own_judgments(
    hits: list[list[int]], judgments: list[list[int]], data: st.DataObject
):
    judged = [data.draw(st.integers(-1, len(judgments) - 1)) for _ in hits]
    columns = [
        (np.cumsum([0, *map(len, rows)]), np.array([one for row in rows for one in row], np.uint64))
        for rows in (hits, judgments)
    ]
    expected = any(q >= 0 and set(row) & set(judgments[q]) for row, q in zip(hits, judged, strict=True))
    assert any_judged(*columns[0], np.array(judged, np.int64), *columns[1]) is expected


# Rank order in place, repeated documents, and what a fingerprint is of

names = st.text("abé", min_size=1, max_size=2)


scores = st.sampled_from([0.0, -0.0, 1.5, 2.0, np.inf, -np.inf])


groups = st.lists(st.lists(st.tuples(names, scores), max_size=40), min_size=1, max_size=4)


def rows(drawn: list[list[tuple[str, float]]]) -> Rows:
    flat = [row for group in drawn for row in group]
    queries = [f"q{g}" for g in range(len(drawn))]
    values = np.array([score for _, score in flat], np.float64)
    return Rows.of(queries, list(map(len, drawn)), [name for name, _ in flat], values)


@given(groups, st.booleans())
def test_ranks_are_those_of_a_sort(drawn: list[list[tuple[str, float]]], by_value: bool):
    table = rows(drawn)
    known = {int(h): table.document_id(i) for i, h in enumerate(table.document)}
    ranked = rank(table.text, table.groups, table.document, table.value, table.start, table.stop, by_value, False)
    dropped = 0
    for g, group in enumerate(drawn):
        order = sorted(group, key=lambda row: (row[1], row[0].encode()), reverse=True) if by_value else group
        expected = list(dict.fromkeys(name for name, _ in order))
        dropped += len(group) - len(expected)
        a, b = ranked.offsets[g], ranked.offsets[g + 1]
        assert [known[int(h)] for h in table.document[a:b]] == expected
    assert ranked.duplicates == dropped
    assert (ranked.first_duplicate >= 0) == (dropped > 0)


def test_the_first_duplicate_is_named_as_it_came():
    table = rows([[("a", 1.0), ("b", 3.0), ("a", 2.0)]])
    ranked = rank(table.text, table.groups, table.document, table.value, table.start, table.stop, True, False)
    assert table.document_id(ranked.first_duplicate) == "a"
    assert ranked.first_duplicate == 0  # the lower of the two


@given(st.lists(st.integers(0, 3), min_size=1, max_size=130))
def test_judgments_of_one_grade_keep_their_order_whatever_their_number(grades: list[int]):
    documents, none = np.arange(1, len(grades) + 1, dtype=np.uint64), np.empty(0, np.uint64)
    ranked, values = documents.copy(), np.array(grades, np.float64)
    rank(np.zeros(1, np.uint8), np.array([0, len(grades)]), ranked, values, none, none, True, True)
    assert ranked.tolist() == sorted(documents.tolist(), key=lambda n: -grades[n - 1])
    assert values.tolist() == sorted(grades, reverse=True)


@given(st.lists(st.tuples(names, scores), min_size=1, max_size=12, unique_by=lambda row: row[0]), st.randoms())
def test_a_fingerprint_of_judgments_knows_no_order(group: list[tuple[str, float]], random):
    shuffled = random.sample(group, len(group))
    marks = []
    for one in (group, shuffled, [*group[:-1], (group[-1][0], 7.0)]):
        table = rows([one])
        none = np.empty(0, np.uint64)
        marks.append(int(rank(table.text, table.groups, table.document, table.value, none, none, True, True)[-1][0]))
    assert marks[0] == marks[1] != marks[2]


def test_a_fingerprint_of_hits_knows_their_order():
    marks = []
    for one in ([("a", 2.0), ("b", 1.0)], [("a", 1.0), ("b", 2.0)], [("a", 9.0), ("b", 8.0)]):
        table = rows([one])
        args = (table.text, table.groups, table.document, table.value, table.start, table.stop)
        marks.append(int(rank(*args, True, False).fingerprint[0]))
    assert marks[0] == marks[2] != marks[1]
