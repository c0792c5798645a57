"""Pairs that anybody graded, beside dictionaries."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.qrels_runs import Qrels
from benchbench.judging.agreement.pair_columns import rated
from benchbench.judging.relevance.pool import hashes_of

tables = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "1", "10"]),
    st.dictionaries(st.sampled_from(["d1", "d2", "0", "01"]), st.integers(-1, 3).map(float), min_size=1),
    min_size=1,
)


@given(st.lists(tables, min_size=1, max_size=3))
def test_each_pair_stands_once_with_the_grades_of_all(drawn: list[dict[str, dict[str, float]]]) -> None:
    found = rated([Qrels.from_dict(one) for one in drawn])
    pairs = sorted({(q, d) for one in drawn for q in one for d in one[q]})
    at = found.at(hashes_of([q for q, _ in pairs]), hashes_of([d for _, d in pairs]))
    assert sorted(at.tolist()) == list(range(len(found.key)))
    for rater, one in enumerate(drawn):
        expected = [one.get(q, {}).get(d, np.nan) for q, d in pairs]
        np.testing.assert_array_equal(found.grades[rater][at], expected)
    queries = {q for q, _ in pairs}
    assert found.queries == len(queries)
    assert len({(q, int(found.query[place])) for (q, _), place in zip(pairs, at, strict=True)}) == len(queries)


def test_a_pair_that_nobody_graded_has_no_place() -> None:
    found = rated([Qrels.from_dict({"q1": {"d1": 1}})])
    assert found.at(hashes_of(["q1", "q2"]), hashes_of(["d2", "d1"])).tolist() == [-1, -1]
