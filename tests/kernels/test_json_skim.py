"""Texts cut short in the bytes of an answer."""

import json
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.kernels.json_skim import DIGITS, KEPT, MARKED, SAVED, skim

MARKER = "<marker>"
LONG = KEPT + SAVED + 1
PAD = " " * 100  # the kernel reads 64 bytes at a time, and cuts nothing close to the end


def shortened(body: bytes) -> tuple[bytes, list[bytes]]:
    """Return what the kernel leaves of a body, and what it took out."""
    names, ends = np.frombuffer(b"metatext", np.uint8), np.array([4, 8], np.uint64)
    short = np.empty(len(body), np.uint8)
    starts, stops = np.empty((2, len(body) // MARKED + 1), np.uint64)
    marker = np.frombuffer(MARKER.encode(), np.uint8)
    length, number = skim(np.frombuffer(body, np.uint8), names, ends, marker, short, starts, stops)
    spans = zip(starts[: int(number)].tolist(), stops[: int(number)].tolist(), strict=True)
    return short[: int(length)].tobytes(), [body[start:stop] for start, stop in spans]


def naive(text: str) -> str:
    """Return the beginning that is kept of a text in a JSON document, one whole character or escape after the other."""
    kept = ""
    for unit in re.findall(r"\\u....|\\.|[^\\]", text, flags=re.DOTALL):
        if len(kept.encode()) >= KEPT:
            break
        kept += unit
    return kept


CHARACTERS = st.one_of(
    st.sampled_from(["a", "中", "é", "😀", "\\n", "\\\\", '\\"', "\\u4e2d", "\ufffd", "\ud7ff", "ࠀ", "\U0010ffff"]),
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\'),
)


@given(st.lists(CHARACTERS, min_size=LONG, max_size=2 * LONG))
@example(["\\u4e2d"] * LONG)
@example(["x"] * (KEPT - 1) + ["\\u4e2d"] * LONG)
@example(["x"] * (KEPT - 1) + ["中"] * LONG)
def test_a_long_text_is_cut_behind_a_whole_character_and_its_place_is_told(units: list[str]):
    text = "".join(units)
    short, places = shortened(f'[{{"text" : "{text}", "id": "{text}"}}]{PAD}'.encode())
    assert places == [text.encode()]
    assert short.decode() == f'[{{"text" : "{naive(text)}{MARKER}{0:0{DIGITS}}", "id": "{text}"}}]{PAD}'


def test_an_object_of_labels_becomes_a_mark():
    meta = json.dumps({"accusation": ["a } {"], "n": {"m": '\\"}'}, "text": "t" * LONG})
    short, places = shortened(f'[{{"meta": {meta}}},{{"meta":  {meta}}}]'.encode())
    assert places == [meta.encode()] * 2
    assert short.decode() == f'[{{"meta": "{MARKER}00000000"}},{{"meta":  "{MARKER}00000001"}}]'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"text": "short"}',
        b'{"text": ["%b"]}' % (b"a" * LONG),
        b'{"other": "%b"}' % (b"a" * LONG),
        b'["text", "%b"]' % (b"a" * LONG),
        b'{"text": null, "x": "%b"}' % (b"a" * LONG),
        b'{"meta": [{"a": "%b"}]}' % (b"a" * LONG),
        b'{"meta": {}, "a": 1}',
        b'{"te\\u0078t": "%b"}' % (b"a" * LONG),
    ],
)
def test_anything_else_is_copied_as_it_is(body: bytes):
    body += PAD.encode()
    assert shortened(body) == (body, [])


@pytest.mark.parametrize(
    "bad",
    [
        b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80", b"\xff", b"\xe4\xb8", b"\xe4", b"\xf0\x9f\x98", b"\n", b"\x00", b"\x1f",
        b"\\x", b"\\u12g4", b"\\ud800", b"\\udc00", b"\\uD83D\\uDE00",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", [0, 1, 61, 62, 63, 64, 200])
@pytest.mark.parametrize("after", [0, 1, 200])
def test_a_text_with_anything_unusual_is_copied_whole(bad: bytes, before: int, after: int):
    body = b'[{"text": "%b"}]' % (b"a" * before + bad + b"b" * after + b"c" * LONG) + PAD.encode()
    assert shortened(body) == (body, [])


@pytest.mark.parametrize("body", [b'"', b'{"text": "', b'{"text": "a\\', b'{"text": "%b' % (b"a" * 3 * LONG)])
def test_a_string_without_an_end_is_told(body: bytes):
    assert shortened(body) == (b"", [])
