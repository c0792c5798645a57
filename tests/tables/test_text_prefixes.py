"""Prefixes of some queries are the same as tuples, as columns and in another process."""

import pickle
from collections.abc import Sequence
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.strings import Strings
from benchbench.tables.text_prefixes import Source, TextPrefixes

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
def sources(draw: st.DrawFn) -> tuple[list[Source], list[tuple[str, ...]]]:
    """Draw sources for some queries, and the prefixes of each query."""
    queries, made = draw(st.integers(0, 5)), []
    each: list[tuple[str, ...]] = [()] * queries
    for _ in range(draw(st.integers(1, 3))):
        pack = draw(st.sampled_from([list, Strings]))
        one_each = draw(st.booleans())
        lists = [draw(st.lists(strings, min_size=int(one_each), max_size=1 if one_each else 3)) for _ in range(queries)]
        offsets = None if one_each else np.cumsum([0, *map(len, lists)], dtype=np.int64)
        made.append(Source(pack(chain.from_iterable(lists)), offsets))
        each = [(*its, *more) for its, more in zip(each, lists, strict=True)]
    return made, each


@given(sources(), st.data())
def test_prefixes_of_any_queries_are_theirs_in_every_form(
    drawn: tuple[list[Source], list[tuple[str, ...]]], data: st.DataObject
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
    prefixes = TextPrefixes([Source(list("abcdef"))], range(1, 6, 2))
    assert list(prefixes) == in_columns(prefixes) == list(prefixes.alone()) == [("b",), ("d",), ("f",)]


def test_another_process_gets_only_what_its_queries_are_compared_with():
    every = [f"opening {n}" for n in range(1000)]
    prefixes = TextPrefixes([Source(Strings(every)), Source(every, np.arange(1001))], range(500, 502))
    sent = pickle.dumps(prefixes.alone())
    assert b"opening 501" in sent
    assert b"opening 499" not in sent
    assert list(pickle.loads(sent)) == [("opening 500",) * 2, ("opening 501",) * 2]
