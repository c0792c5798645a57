"""Hashes and order of byte spans."""

import numpy as np
import pytest
from helpers import called
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels import spans as kernel_spans
from benchbench.kernels.spans import copy_spans, hash_spans

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
