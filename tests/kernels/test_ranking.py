"""Rank order in place, repeated documents, and what a fingerprint is of."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.ranking import rank
from benchbench.tables.rows import Rows

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
