"""Equal texts have equal hashes, and no equal text is missed by the shortcut."""

import itertools
import unicodedata

import naive
import numpy as np
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

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


@given(texts)
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


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


def test_ids_are_not_normalised() -> None:
    assert len({id_hash(one) for one in ("a", " a", "a\n", "A", "\u00e9", "e\u0301")}) == 6


@given(st.lists(st.none() | words, min_size=1))
def test_many_ids_at_once_have_the_hashes_of_each(ids: list[str | None]) -> None:
    hashes = id_hashes(ids)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [NO_HASH if each is None else id_hash(each) for each in ids]
