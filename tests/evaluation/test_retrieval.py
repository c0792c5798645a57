"""The retrieval pillar by the one scorer, compared with the seed's formulas written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.evaluation.retrieval import retrieved
from benchbench.formats.evaluation_rows import Context, Row
from benchbench.measures.notation import resolve

MEASURES = resolve(["R@5", "P@5", "nDCG(gains='exp')@5", "RR"])
IDS = [f"d{number}" for number in range(12)]


def row(number: int, ids: list[str] | None, relevant: dict[str, float] | None) -> Row:
    contexts = None if ids is None else tuple(Context(one, one) for one in ids)
    return Row(str(number), f"question {number}", contexts=contexts, relevant=relevant)


def twin(ids: list[str], grades: dict[str, float]) -> list[float]:
    """Return recall@5, precision@5, nDCG@5 with exponential gain, and the reciprocal rank, as they are defined."""
    ranked = list(dict.fromkeys(ids))
    relevant = {key for key, grade in grades.items() if grade >= 1}
    found = [one for one in ranked[:5] if one in relevant]
    gains = [2 ** max(grades.get(one, 0.0), 0.0) - 1 for one in ranked[:5]]
    ideal = sorted((2 ** max(grade, 0.0) - 1 for grade in grades.values()), reverse=True)[:5]
    dcg, best = (sum(gain / math.log2(rank + 2) for rank, gain in enumerate(some)) for some in (gains, ideal))
    first = next((1 / (rank + 1) for rank, one in enumerate(ranked) if one in relevant), 0.0)
    return [len(found) / len(relevant), len(found) / 5, dcg / best, first]


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(IDS), max_size=9),
            st.dictionaries(st.sampled_from(IDS), st.integers(1, 4), min_size=1, max_size=7),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_values_are_those_of_the_definitions(drawn):
    found = retrieved([row(number, ids, grades) for number, (ids, grades) in enumerate(drawn)], MEASURES)
    wanted = np.array([twin(ids, grades) for ids, grades in drawn]).T
    assert found.values == pytest.approx(wanted, abs=1e-12)
    assert (found.values <= 1.0).all()


def test_the_best_ranking_is_one_that_can_be():
    found = retrieved([row(0, ["b", "x"], {"a": 1, "b": 3}), row(1, ["c"], {"c": 1})], MEASURES)
    assert found.most == pytest.approx([1.0, (0.4 + 0.2) / 2, 1.0, 1.0])


def test_an_ideal_is_of_all_judged_documents_and_not_of_those_retrieved():
    found = retrieved([row(0, ["b"], {"a": 3, "b": 1})], MEASURES)
    assert found.values[2, 0] == pytest.approx(1 / (7 + 1 / math.log2(3)))


def test_a_repeated_document_counts_once():
    found = retrieved([row(0, ["a", "a", "a", "b"], {"a": 1})], MEASURES)
    assert found.values[:, 0] == pytest.approx([1.0, 0.2, 1.0, 1.0])
    assert found.notes == ["2 contexts are documents that the question has already, and do not count again"]


def test_nothing_found_is_0_and_what_is_not_known_is_nothing():
    rows = [
        row(0, [], {"a": 1}),
        row(1, None, {"a": 1}),
        row(2, ["a"], None),
        row(3, ["a"], {"a": 0}),
        row(4, ["a"], {}),
    ]
    found = retrieved(rows, MEASURES)
    assert found.values[:, 0].tolist() == [0.0] * 4
    assert np.isnan(found.values[:, 1:]).all()
    assert found.notes == ["2 questions have no relevant document, and no score of retrieval"]


def test_contexts_without_ids_say_nothing_of_retrieval():
    found = retrieved([row(0, ["", ""], {"a": 1}), row(1, ["", "a"], {"a": 1})], MEASURES)
    assert np.isnan(found.values[:, 0]).all()
    assert found.values[:, 1] == pytest.approx([1.0, 0.2, 1 / math.log2(3), 0.5])
    assert found.notes == ["1 question has contexts without ids, and no score of retrieval"]
