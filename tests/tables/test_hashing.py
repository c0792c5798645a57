"""Equal texts have equal hashes, and no equal text is missed by the shortcut."""

import itertools
import math
import pickle
import unicodedata
from collections.abc import Sequence
from itertools import chain, pairwise

import naive
import numpy as np
import pytest
from cases import check_rows, first_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from xxhash import xxh3_64_intdigest

from benchbench.retrieval.matched_terms import WINDOW, Sample, marked, rarity, terms
from benchbench.tables.dictionary_encoding import DictionaryEncoded
from benchbench.tables.hashing import (
    NO_HASH,
    OTHER_TEXT,
    compared_hash,
    id_hash,
    id_hashes,
    normalise,
    reserved,
    text_hash,
    text_prefix,
)
from benchbench.tables.strings import Strings
from benchbench.tables.text_prefixes import PrefixColumn, TextPrefixes

# What normalisation touches: composed and decomposed letters, kana with combining marks, Hangul, line ends, spaces.

TOUCHED = (
    "e\u0301\u00e9\u0327\u304b\u3099\u304c\u1112\u1161\u11ab\ud55c\uf900\u8c48\u2126\u03a9\r\n\t\u3000\x85\x1c\u2028 "
)


PLAIN = "被告人张某于2016年，在某地盗窃。Abc-"


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


text_prefixes = st.integers(10, 22).map(lambda n: (PLAIN * 2)[:n])  # around the length of an opening


texts = st.builds(
    "".join,
    st.lists(st.one_of(words, text_prefixes, st.text(TOUCHED, max_size=4), st.text(PLAIN, max_size=6)), max_size=5),
)


ends = st.text(" \n\t\u3000\r", max_size=3)


@st.composite
def twins(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a text and another way to write it."""
    text = draw(texts)
    # The mark must not compose over a line end that is about to be written otherwise.
    other = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), text)
    other = other.replace("\r\n", "\n").replace("\r", "\n").replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    return text, draw(ends) + other.strip() + draw(ends)


@given(texts)
def test_the_normal_form_is_that_of_the_naive_twin(text: str) -> None:
    assert normalise(text) == (naive.text_of({"text": text}) or "")


@given(twins())
def test_texts_that_differ_in_form_only_have_one_hash(pair: tuple[str, str]) -> None:
    text, other = pair
    assert text_hash(text) == text_hash(other)


@given(twins(), st.lists(texts, max_size=3))
def test_the_shortcut_never_misses_an_equal_text(pair: tuple[str, str], others: list[str]) -> None:
    text, other = pair
    sought = tuple(text_prefix(normalise(each)) for each in [text, *others])
    assert compared_hash(text, sought) == text_hash(text)
    assert compared_hash(other, sought) == text_hash(text)


@given(texts, texts)
def test_the_shortcut_never_makes_two_texts_equal(text: str, other: str) -> None:
    found = compared_hash(text, (text_prefix(normalise(other)),))
    assert found in (text_hash(text), OTHER_TEXT)
    assert (found == text_hash(other)) is (normalise(text) == normalise(other))


def test_a_long_text_that_begins_otherwise_is_not_hashed() -> None:
    assert compared_hash(PLAIN * 3, (text_prefix("另一案件"),)) == OTHER_TEXT


def test_a_combining_mark_near_the_end_of_an_opening_is_seen():
    def check(mark: str, place: int) -> None:
        text = "か" * place + mark + "き" * 10
        sought = (text_prefix(normalise(text)),)
        assert compared_hash(text, sought) == text_hash(text)
        assert compared_hash(unicodedata.normalize("NFC", text), sought) == text_hash(text)
        assert compared_hash(unicodedata.normalize("NFD", text), sought) == text_hash(text)

    check_rows(
        check,
        itertools.product(
            ["\u0301", "\u3099", "\u0301\u0327", "\u302b\u302a", "\u1100\u1161\u11a8", "\u09c7\u09be"], range(12, 21)
        ),
    )


def test_a_hash_is_the_one_that_the_protocol_exchanges() -> None:
    """It is xxh3-64 of the normalised text's UTF-8 bytes."""
    assert text_hash(" e\u0301\r\n盗窃 ") == xxh3_64_intdigest("\u00e9\n盗窃".encode())
    assert f"{text_hash(' '):016x}" == "2d06800538d394c2"  # xxHash's own test vector for no bytes


def test_the_two_reserved_values_are_the_hash_of_no_text() -> None:
    assert (NO_HASH, OTHER_TEXT) == (0, 1)
    assert [reserved(digest) for digest in (0, 1, 2, 2**64 - 1)] == [2, 3, 2, 2**64 - 1]


@given(st.one_of(texts, words))
def test_a_hash_is_never_a_reserved_value_and_fits_in_64_bits(text: str) -> None:
    assert OTHER_TEXT < text_hash(text) < 2**64
    assert OTHER_TEXT < id_hash(text) < 2**64


@given(words, words)
def test_ids_are_compared_as_they_are(one: str, other: str) -> None:
    assert (id_hash(one) == id_hash(other)) is (one == other)


@given(st.lists(st.none() | words, min_size=1))
def test_many_ids_at_once_have_the_hashes_of_each(ids: list[str | None]) -> None:
    hashes = id_hashes(ids)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [NO_HASH if each is None else id_hash(each) for each in ids]


# Prefixes of some queries are the same as tuples, as columns and in another process

strings = st.text(st.characters(), max_size=3)


def in_columns(prefixes: TextPrefixes) -> list[tuple[str, ...]]:
    """Return what a kernel is given."""
    text, ends, offsets = prefixes.columns()
    assert (text.dtype, ends.dtype, offsets.dtype) == (np.uint8, np.int64, np.int64)
    assert offsets.shape[1] == len(prefixes) + 1
    assert (ends[0], ends[-1], offsets.max(initial=0) < ends.size) == (0, text.size, True)
    each = [text[ends[p] : ends[p + 1]].tobytes().decode(errors="surrogatepass") for p in range(ends.size - 1)]
    return [
        tuple(each[p] for row in offsets for p in range(row[query], row[query + 1])) for query in range(len(prefixes))
    ]


@st.composite
def sources(draw: st.DrawFn) -> tuple[list[PrefixColumn], list[tuple[str, ...]]]:
    """Draw sources for some queries, and the prefixes of each query."""
    queries, made = draw(st.integers(0, 5)), []
    each: list[tuple[str, ...]] = [()] * queries
    for _ in range(draw(st.integers(1, 3))):
        pack = draw(st.sampled_from([list, Strings]))
        one_each = draw(st.booleans())
        lists = [draw(st.lists(strings, min_size=int(one_each), max_size=1 if one_each else 3)) for _ in range(queries)]
        offsets = None if one_each else np.cumsum([0, *map(len, lists)], dtype=np.int64)
        made.append(PrefixColumn(pack(chain.from_iterable(lists)), offsets))
        each = [(*its, *more) for its, more in zip(each, lists, strict=True)]
    return made, each


@given(sources(), st.data())
def test_prefixes_of_any_queries_are_theirs_in_every_form(
    drawn: tuple[list[PrefixColumn], list[tuple[str, ...]]], data: st.DataObject
):
    made, each = drawn
    first = data.draw(st.integers(0, len(each)))
    rows: Sequence[int] = range(first, data.draw(st.integers(first, len(each))))
    if data.draw(st.booleans()) and each:
        rows = data.draw(st.lists(st.integers(0, len(each) - 1), max_size=6))
    prefixes, expected = TextPrefixes(made, rows), [each[query] for query in rows]
    assert (list(prefixes), len(prefixes)) == (expected, len(expected))
    part = data.draw(st.slices(len(expected)))
    assert prefixes[part] == expected[part]
    assert in_columns(prefixes) == expected
    sent = pickle.loads(pickle.dumps(prefixes.alone()))
    assert (list(sent), in_columns(sent)) == (expected, expected)


@given(st.lists(st.lists(strings, max_size=3).map(tuple), max_size=5))
def test_prefixes_that_are_given_as_tuples_are_these(lists: list[tuple[str, ...]]):
    prefixes = TextPrefixes.of(lists)
    assert list(prefixes) == in_columns(prefixes) == lists


def test_queries_some_apart_are_no_range_of_them():
    prefixes = TextPrefixes([PrefixColumn(list("abcdef"))], range(1, 6, 2))
    assert list(prefixes) == in_columns(prefixes) == list(prefixes.alone()) == [("b",), ("d",), ("f",)]


def test_another_process_gets_only_what_its_queries_are_compared_with():
    every = [f"opening {n}" for n in range(1000)]
    prefixes = TextPrefixes([PrefixColumn(Strings(every)), PrefixColumn(every, np.arange(1001))], range(500, 502))
    sent = pickle.dumps(prefixes.alone())
    assert b"opening 501" in sent
    assert b"opening 499" not in sent
    assert list(pickle.loads(sent)) == [("opening 500",) * 2, ("opening 501",) * 2]


# Strings in one piece of memory behave as a list of them


@given(st.lists(st.text(st.characters(), max_size=5), max_size=9), st.slices(9))
def test_they_are_a_list_to_those_who_read_them(strings: list[str], part: slice):
    packed = Strings(strings)
    assert list(packed) == strings
    assert len(packed) == len(strings)
    assert packed[part] == strings[part]
    assert [packed[place] for place in range(-len(strings), len(strings))] == strings + strings
    assert packed == strings
    assert packed == Strings(strings)
    assert packed != [*strings, ""]


def test_half_a_surrogate_pair_is_kept():
    assert Strings(["\ud800"])[0] == "\ud800"


@pytest.mark.parametrize("place", [-2, 1])
def test_there_is_nothing_beyond_the_ends(place: int):
    with pytest.raises(IndexError):
        Strings(["a"])[place]


@given(st.lists(st.text()))
def test_strings_of_one_text_are_those_between_its_ends(strings: list[str]):
    encoded = [string.encode() for string in strings]
    text = np.frombuffer(b"".join(encoded), np.uint8)
    made = Strings.of(text, np.cumsum([len(one) for one in encoded], dtype=np.int64))
    assert made == strings
    made.append("more")
    assert made == [*strings, "more"]


# Dictionary encoding


def filled(values: np.ndarray, size: int) -> DictionaryEncoded:
    table = DictionaryEncoded(*values.shape)
    for first in range(0, len(values), size):
        table.put(first, values[first : first + size])
    return table


@given(
    arrays(
        np.float64, array_shapes(min_dims=2, max_dims=2, max_side=30), elements=st.floats() | st.sampled_from([0.5])
    ),
    st.integers(1, 7),
)
def test_rows_come_back_to_the_bit_whatever_the_blocks(values: np.ndarray, size: int):
    table = filled(values, size)
    back = np.concatenate([rows for _, rows in table.blocks()])
    assert back.tobytes() == np.ascontiguousarray(values).tobytes()
    assert table.rows(1, len(values)).tobytes() == np.ascontiguousarray(values[1:]).tobytes()


@pytest.mark.parametrize("distinct", [255, 256, 257, *first_of(65_536, 65_535, 65_537, 70_000)])
@pytest.mark.parametrize("size", first_of(1000, 100_000))
def test_more_values_than_codes_are_no_matter(distinct: int, size: int):
    values = np.column_stack([np.arange(distinct) / 7, np.arange(distinct) % 3])
    table = filled(values, size)
    assert np.concatenate([rows for _, rows in table.blocks()]).tobytes() == values.tobytes()


def test_rows_never_put_are_zero():
    assert DictionaryEncoded(3, 2).rows(0, 3).tolist() == [[0.0, 0.0]] * 3


# Terms that two texts share: which they are, how rare, and where they are marked

matched_terms_texts = st.text("ab盗窃电动 .Ä", max_size=200)


def test_terms_are_words_and_bigrams_of_scripts_without_spaces():
    assert terms("Stolen bike, 被盗窃 A1") == {"stolen", "bike", "被盗", "盗窃", "a1"}
    assert terms("盗 a !") == set()
    assert terms("電動車とカー") == {"電動", "動車", "車と", "とカ", "カー"}


def test_what_many_documents_have_is_not_rare():
    sample = ["the theft"] * 50 + ["the loan"] + ["the rest"] * 49
    found = rarity({"the", "theft", "loan", "gone"}, sample)
    assert found == {"loan": math.log(101 / 2), "gone": math.log(101)}


@given(matched_terms_texts, matched_terms_texts)
def test_the_pieces_are_the_text_and_only_terms_are_marked(text: str, query: str):
    weights = dict.fromkeys(terms(query), 1.0)
    pieces = marked(text, weights)
    shown = "".join(pieces)
    assert len(pieces) % 2 == 1
    assert shown.strip("…") in text
    assert len(shown.strip("…")) == min(len(text), WINDOW)
    covered = set().union(*map(terms, pieces[1::2])) if pieces[1:] else set()
    assert all(terms(piece) & weights.keys() for piece in pieces[1::2])
    assert covered <= terms(text)


def test_the_window_is_where_the_most_different_rare_terms_are():
    text = f"{'盗窃盗窃' * 3}{'甲' * 300}盗窃电动车{'乙' * 300}"
    pieces = marked(text, {"盗窃": 1.0, "电动": 1.0})
    assert pieces[1::2] == ["盗窃电动"]
    assert pieces[0].startswith("…甲")
    assert pieces[-1].endswith("乙…")


def test_a_short_text_is_whole_and_one_without_terms_begins_at_its_beginning():
    assert marked("短文", {}) == ["短文"]
    assert marked("x" * 200, {}) == [f"{'x' * WINDOW}…"]
    assert marked("", {"ab": 1.0}) == [""]


@given(st.integers(0, 9_000))
def test_a_sample_is_even_and_bounded(number: int):
    sample = Sample()
    for one in range(number):
        sample.add(str(one))
    places = [int(one) for one in sample.texts]
    assert sample.seen == number
    assert len(places) == number if number < 1024 else 512 <= len(places) < 1024
    assert len({after - before for before, after in pairwise(places)}) <= 1
