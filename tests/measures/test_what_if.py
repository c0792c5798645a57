"""The best and the worst case of a difference, by judging the hits by hand."""

import pytest
from cases import first_of
from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.measures.notation import resolve
from benchbench.measures.what_if import bounds
from benchbench.scoring import evaluate

MEASURES = ["P@2", "nDCG(judged_only=True)@2", "AP", "P(rel=2)@3", "nDCG@3", "nDCG(gains='exp')@2", "R@2", "RR"]
judgments = st.dictionaries(
    st.sampled_from("pq"),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([-1, 0, 1, 3]), min_size=1),
    min_size=1,
)
rankings = st.fixed_dictionaries({"p": st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6, unique=True)})


def scored(ranking: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {query: {one: -float(rank) for rank, one in enumerate(hits)} for query, hits in ranking.items()}


def values(qrels: dict, ranking: dict, measure: str) -> dict[str, float]:
    scores = evaluate(Qrels.from_dict(qrels), Run.from_dict(scored(ranking)), measure)
    return dict(zip(scores.ids, next(iter(scores.values.values())).tolist(), strict=True))


def naive(qrels: dict, one: dict, other: dict, measure: str) -> dict[str, tuple[float, float, float]]:
    """Return the difference of each query, its least and its greatest value over the cases, judged in dictionaries."""
    (parsed,) = resolve(measure)
    params = dict(parsed.params)
    depth, grade = parsed.cutoff if "judged_only" not in params else None, params.get("rel", 1)

    def case(run: dict, against: dict, alone: bool) -> dict[str, float]:
        changed = {}
        for query, grades in qrels.items():
            hits, others = run.get(query, [])[:depth], against.get(query, [])[:depth] if alone else []
            added = {hit: grade for hit in hits if grades.get(hit, -1) < 0 and hit not in others}
            changed[query] = {**grades, **added}
        before, after = values(changed, one, measure), values(changed, other, measure)
        return {query: after[query] - before[query] for query in qrels}

    as_judged = case({}, {}, False)
    least = [as_judged, case(one, other, False), case(one, other, True)]
    greatest = [as_judged, case(other, one, False), case(other, one, True)]
    return {
        query: (as_judged[query], min(each[query] for each in least), max(each[query] for each in greatest))
        for query in qrels
    }


@pytest.mark.parametrize("measure", first_of(*MEASURES, first=2))
@given(judgments, rankings, rankings)
def test_they_are_those_of_judgments_changed_by_hand(measure: str, qrels: dict, one: dict, other: dict):
    if "p" not in qrels:
        return
    runs = [Run.from_dict(scored(ranking)) for ranking in (one, other)]
    table = Qrels.from_dict(qrels)
    (found,) = bounds(table, *runs, resolve(measure)).values()
    expected = naive(qrels, one, other, measure)
    rows = zip(table.ids, found.mean.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    for query, *ends in rows:
        assert ends == pytest.approx(expected[query], abs=1e-12)
        assert ends[1] <= ends[0] <= ends[2]


def test_hits_that_both_have_cancel_in_precision():
    qrels, shared = {"q": {"a": 1}}, {"q": ["x", "a"]}
    (found,) = bounds(Qrels.from_dict(qrels), *[Run.from_dict(scored(shared))] * 2, resolve("P@2")).values()
    assert (found.low.tolist(), found.high.tolist()) == ([0.0], [0.0])


def test_one_of_two_hits_that_both_have_in_opposite_order_goes_further_than_the_cases_as_documented():
    one, other, judged = {"p": ["a", "b"]}, {"p": ["b", "a"]}, {"p": {"c": 1}}
    runs = [Run.from_dict(scored(ranking)) for ranking in (one, other)]
    (found,) = bounds(Qrels.from_dict(judged), *runs, resolve("RR")).values()
    assert (*found.low, *found.high) == (0.0, 0.0)
    relevant = {"p": {"b": 1, "c": 1}}
    assert values(relevant, other, "RR")["p"] - values(relevant, one, "RR")["p"] == 0.5


def test_a_relevant_hit_enters_the_ideal_order_too():
    """Baseline x a, system a: with x relevant nDCG@2 of the system is 1 / (1 + 1 / log2 3)."""
    runs = [Run.from_dict(scored({"q": hits})) for hits in (["x", "a"], ["a"])]
    (found,) = bounds(Qrels.from_dict({"q": {"a": 1}}), *runs, resolve("nDCG@2")).values()
    assert found.low[0] == pytest.approx(1 / (1 + 0.6309297535714575) - 1.0)
    assert found.mean[0] == found.high[0] == pytest.approx(1 - 0.6309297535714575)


def test_measures_of_subtopics_have_no_cases():
    runs = [Run.from_dict({"q": {"a": 1.0}})] * 2
    assert bounds(Qrels.from_dict({"q": {"a": 1}}), *runs, resolve(["alpha_nDCG@5"])) == {}
