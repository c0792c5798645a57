"""Characters shared by spans, beside a set of characters."""

import itertools

import naive_passages
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.spans import merged, overlap
from benchbench.tables.passages import Place

places = st.lists(
    st.builds(lambda file, start, length: Place(file, start, start + length), st.sampled_from("ab"), st.integers(0, 20),
              st.integers(0, 9)),
    max_size=6,
)  # fmt: skip


def parsed(places: list[Place]) -> list[dict[str, object]]:
    return [{"file_path": place.file, "span": [place.start, place.end]} for place in places]


@given(places, places)
def test_precision_and_recall_are_shares_of_characters(retrieved: list[Place], gold: list[Place]):
    assert list(overlap(retrieved, gold)) == naive_passages.characters(parsed(retrieved), parsed(gold), 99)


@given(places)
def test_merged_spans_are_in_order_and_apart(found: list[Place]):
    for spans in merged(found).values():
        assert all(one[1] < other[0] for one, other in itertools.pairwise(spans))


def test_a_stretch_retrieved_twice_counts_once():
    """Where LegalBench-RAG sums the overlaps, recall is 1.5 here and precision 0.75."""
    assert overlap([Place("a", 0, 10), Place("a", 5, 15)], [Place("a", 5, 15)]) == (10 / 15, 1.0)


def test_equal_spans_of_other_files_share_nothing():
    assert overlap([Place("a", 0, 10)], [Place("b", 0, 10)]) == (0.0, 0.0)


def test_nothing_retrieved_and_nothing_sought_are_0():
    assert overlap([], [Place("a", 0, 10)]) == (0.0, 0.0)
    assert overlap([Place("a", 0, 10)], [Place("a", 3, 3)]) == (0.0, 0.0)
