"""Texts whose beginnings say that they are not sought are none that are."""

import itertools
import json
import unicodedata
from functools import cache

import numba
import numpy as np
import pytest
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st
from json_spans import standing

from benchbench.kernels.text_beginnings import (
    BLANK,
    HEAD_BYTES,
    NONE,
    OPEN,
    OTHER,
    SOUGHT,
    UNSTABLE,
    characters,
    compare_beginnings,
    stable_characters,
)
from benchbench.tables.hashing import normalise, text_prefix
from benchbench.tables.text_prefixes import TextPrefixes

MARKS = "\u0300\u0301\u0327\u0338\u0345\u3099\u309a\u302a\u1161\u11a8\u09be\u0dcf\u1100\u093c\u05b0\U00011127"


@cache
def joining() -> set[str]:
    """Return the characters that join with one before them in NFC."""
    decompositions = filter(None, map(unicodedata.decomposition, map(chr, range(0x110000))))
    pairs = [parts for parts in map(str.split, decompositions) if len(parts) == 2 and not parts[0].startswith("<")]
    return {chr(int(second, 16)) for _, second in pairs} | {*map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))}


@cache
def stable() -> list[str]:
    return list(map(chr, np.flatnonzero(characters() != UNSTABLE).tolist()))


@pytest.mark.slow  # all characters
def test_characters_that_are_called_stable_are_what_nfc_makes_of_them_whatever_stands_beside_them():
    found = stable()
    assert len(found) > 30_000
    assert "\r" not in found
    assert joining().isdisjoint(found)
    assert set(map(unicodedata.combining, found)) == {0}
    assert unicodedata.is_normalized("NFC", "".join(found))
    for mark in MARKS:
        before = unicodedata.normalize("NFC", "\r".join(f"{c}{c}{c}{mark}a" for c in found)).split("\r")
        assert [text[:2] for text in before] == [c * 2 for c in found], hex(ord(mark))
        behind = unicodedata.normalize("NFC", "\r".join(f"{mark}{c}" for c in found)).split("\r")
        assert [text[-1] for text in behind] == found, hex(ord(mark))


def test_blanks_among_stable_characters_are_what_strip_removes():
    found = list(map(chr, np.flatnonzero(characters() == BLANK).tolist()))
    assert found == [c for c in stable() if not c.strip()]
    assert len(found) > 10


@numba.njit
def counted(texts, i):
    return np.array([stable_characters(text, i) for text in texts])


@pytest.mark.slow  # all characters
def test_blocks_of_characters_that_are_called_stable_are_of_such_only():
    known, texts = set(stable()) - {"\u3000"}, []
    every = list(map(chr, (*range(0x20, 0xD800), *range(0xE000, 0x110000, 3))))
    written = [one[1:-1] for one in json.dumps(every, ensure_ascii=False, separators=("\n", ""))[1:-1].split("\n")]
    for c, as_json in zip(every, written, strict=True):
        texts.append(f'["{"a" * (ord(c) % 5)}{as_json * 70}'.encode()[:70])
    texts.append(b'["' + "漢".encode() * 17 + b'"' + b"x" * 16)
    *found, last = counted(np.frombuffer(b"".join(texts), np.uint8).reshape(len(texts), 70), np.uint64(2)).tolist()
    are_stable = [c in known and c == as_json for c, as_json in zip(every, written, strict=True)]
    assert sum(itertools.compress((count > 17 for count in found), are_stable)) > 30_000
    for c, count, is_stable in zip(every, found, are_stable, strict=True):
        assert is_stable or count <= ord(c) % 5 + 1, hex(ord(c))
    assert last == 17


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
            for behind in ([], [b"0" * 80]):
                prefixes, counts = [("b",), (text[:16],), (text[:9] + "x" * 7,)], [1, 1, 1 + len(behind)]
                kinds = [OTHER, SOUGHT, OTHER] if length >= 17 else [OPEN] * 3
                assert compared([value] * 3 + behind, prefixes, counts)[:3] == kinds


def test_a_character_that_is_written_as_an_escape_is_what_it_stands_for():
    def check(c: str, place: int) -> None:
        text = "a漢"[place % 2] * place + c + "字" * 20
        sought = (text_prefix(normalise(text)),)
        for written in (json.dumps(c)[1:-1], f"\\u{ord(c):04x}", f"\\u{ord(c):04X}", "\\/" if c == "/" else "/"):
            value = json.dumps(text, ensure_ascii=False).replace(json.dumps(c)[1:-1], written).encode()
            if json.loads(value) == text:
                assert compared([value], [sought], [1])[0] in (SOUGHT, OPEN)

    check_rows(check, itertools.product('\b\f\n\r\t"\\/a\u3000', range(18)))
