"""The hash of short strings is that of the package xxhash, and 0 where it cannot be had."""

import numpy as np
import pytest
from cases import check_each
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from benchbench.kernels.xxh3 import LONGEST, hash_strings

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
