"""Runs without judgments: how far they differ."""

from pathlib import Path

import compared
import naive
import pytest
from scipy import stats

import benchbench as bb
from benchbench.comparison.agreement import compare_runs
from benchbench.comparison.runs import Sources
from benchbench.errors import InputError
from benchbench.report.draw import draw

OTHER = {**compared.POOR, "q0": {"new": 2.0, "q0-best": 1.0}}
ORDER = {query: sorted(hits, key=lambda one: -hits[one]) for query, hits in compared.GOOD.items()}
ORDERED = {query: sorted(hits, key=lambda one: -hits[one]) for query, hits in OTHER.items()}


def runs(*several: dict) -> dict[str, bb.Run]:
    return {name: bb.Run.from_dict(hits) for name, hits in zip("abc", several, strict=False)}


def test_values_are_means_of_what_the_naive_twins_say_per_query():
    outcome = bb.compare_runs(runs(compared.GOOD, OTHER), ["overlap@2", "RBO(p=0.5)", "top_changed"])
    each = {
        "overlap@2": [naive.overlap(ORDER[query], ORDERED[query], 2) for query in ORDER],
        "RBO(p=0.5)": [naive.rank_biased_overlap(ORDER[query], ORDERED[query], 0.5) for query in ORDER],
        "top_changed": [float(ORDER[query][0] != ORDERED[query][0]) for query in ORDER],
    }
    table = outcome.table("per_query")
    assert table["query_id"].to_list() == list(ORDER)
    for number in outcome.record.numbers:
        assert number.value == pytest.approx(sum(each[number.name]) / len(ORDER))
        assert table[number.name].to_list() == pytest.approx(each[number.name])
        assert number.scope == {"system": "b", "baseline": "a"}
        assert number.better is None


def test_tau_is_over_queries_with_two_shared_documents():
    outcome = compare_runs(runs(compared.GOOD, OTHER), "tau")
    (number,) = outcome.record.numbers
    assert number.n == len(ORDER) - 1
    assert outcome.table("per_query")["tau"].null_count() == 1
    (one,) = outcome.details().pairs[0].means
    assert one.mean == pytest.approx(
        sum(
            stats.kendalltau(*zip(*[(ORDER[q].index(d), ORDERED[q].index(d)) for d in ORDER[q]], strict=True)).statistic
            for q in list(ORDER)[1:]
        )
        / number.n
    )


def test_a_run_and_itself_are_the_same_and_no_query_changed():
    outcome = compare_runs(runs(compared.GOOD, compared.GOOD))
    assert [one.mean for one in outcome.details().pairs[0].means] == [1.0, pytest.approx(1.0), 1.0, 0.0]
    assert outcome.details().changed[0].queries == ()
    assert "No query changed between a and b." in draw(outcome, "text")


def test_queries_that_one_side_lacks_count_and_are_said():
    part = {query: hits for query, hits in compared.GOOD.items() if query != "q4"}
    outcome = compare_runs(runs(compared.GOOD, part), ["overlap@10", "top_changed"])
    assert [number.value for number in outcome.record.numbers] == [pytest.approx(0.9), pytest.approx(0.1)]
    said = "1 of 10 queries are in one of a and b alone; they count as having nothing in common"
    assert said in [note.text for note in outcome.record.notes]
    with pytest.raises(InputError, match="a and b have no query in common"):
        compare_runs(runs({"x": {"d": 1.0}}, {"y": {"d": 1.0}}))


def test_a_list_and_its_beginning_have_an_rbo_of_1_and_the_query_changed():
    whole = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 3.0, "d2": 2.0}, "q3": {"d1": 1.0}}
    begun = {"q1": {"d1": 3.0}, "q2": {"d1": 3.0}, "q3": {"d1": 1.0}}
    details = compare_runs(runs(whole, begun), ["RBO", "overlap@10"]).details()
    assert [one.mean for one in details.pairs[0].means] == pytest.approx([1, (1 / 3 + 1 / 2 + 1) / 3])
    assert [one.query for one in details.changed[0].queries] == ["q1", "q2"]


def test_runs_that_share_no_document_are_said_to():
    given = runs({"q1": {"d1": 2.0}, "q2": {"d2": 1.0}}, {"q1": {"x1": 2.0}, "q2": {"x2": 1.0}})
    said = "no query has a document that both a and b return; their documents' ids may differ"
    assert said in compare_runs(given).details().notes
    alike = runs({"q1": {"d1": 2.0}, "q2": {"d2": 1.0}}, {"q1": {"x1": 2.0}, "q2": {"d2": 1.0}})
    assert said not in compare_runs(alike).details().notes


def test_all_pairs_are_compared_or_those_with_the_baseline():
    three = runs(compared.GOOD, compared.POOR, OTHER)
    assert [(one.baseline, one.system) for one in compare_runs(three).details().pairs] == [
        ("a", "b"), ("a", "c"), ("b", "c"),
    ]  # fmt: skip
    assert [(one.baseline, one.system) for one in compare_runs(three, baseline="b").details().pairs] == [
        ("b", "a"), ("b", "c"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="--baseline d is not compared"):
        compare_runs(three, baseline="d")


def test_gates_are_checked_for_each_pair():
    three = runs(compared.GOOD, compared.GOOD, OTHER)
    outcome = compare_runs(three, fail_if=["overlap@10<0.95", "top_changed > 5% and high RBO < 0.999"])
    assert [(one.about, one.verdict) for one in outcome.record.gates[:3]] == [
        ("b against a", "passed"), ("c against a", "failed"), ("c against b", "failed"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="nDCG@10' needs judgments, or is no measure"):
        compare_runs(three, fail_if="nDCG@10<0.5")
    with pytest.raises(InputError, match="overlap@3 is not measured"):
        compare_runs(three, fail_if="overlap@3<0.5")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a": bb.Run.from_dict(compared.GOOD)}, "two runs or more"),
        ([], "a mapping of names to runs"),
        ({"a": bb.Run.from_dict(compared.GOOD), "b": compared.GOOD}, "and is not of type dict"),
        (dict.fromkeys("ab", bb.Run.from_dict(compared.GOOD, ties="expected")), "--ties expected needs judgments"),
    ],
)
def test_what_cannot_be_compared_is_refused(given: object, said: str):
    with pytest.raises(InputError, match=said):
        compare_runs(given)


def test_hits_of_files_stand_side_by_side_with_texts_and_in_a_table(tmp_path: Path):
    _, good, _ = compared.write_files(tmp_path)
    other = compared.write_run(tmp_path / "other.run", OTHER)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q0", "text": "the first question"}\n')
    (tmp_path / "docs.jsonl").write_text('{"_id": "new", "text": "a new document"}\n')
    where = Sources(None, tmp_path / "queries.jsonl", tmp_path / "docs.jsonl")
    outcome = compare_runs({"a": bb.scan_run(good), "b": bb.scan_run(other)}, moved=2, sources=where)
    first, second = outcome.details().changed[0].queries
    assert (first.query, first.text, second.text) == ("q0", "the first question", None)
    assert [(hit.id, hit.other, hit.text) for hit in first.hits["b"]] == [
        ("new", None, "a new document"), ("q0-best", 1, None),
    ]  # fmt: skip
    assert outcome.table("hits")["query_id"].unique(maintain_order=True).to_list() == ["q0", second.query]
    drawn = draw(outcome, "text")
    assert "     1  · q0-best" in drawn
    assert "+ new a new document" in drawn
    assert "+ new a new document" in draw(outcome, "html")


def test_it_is_saved_and_drawn_again_the_same(tmp_path: Path):
    outcome = compare_runs(runs(compared.GOOD, OTHER), fail_if="overlap@10<0.5")
    again = bb.load(outcome.save(tmp_path / "saved"))
    for form in ("text", "json", "csv", "markdown", "latex", "html", "junit"):
        assert draw(again, form) == draw(outcome, form)


def test_lists_in_the_order_of_input_are_compared_as_they_came():
    tied = {"q": {"a": 1.0, "b": 1.0}}
    by_id, as_came = (bb.Run.from_dict(tied, ties=ties) for ties in ("trec", "input"))
    assert compare_runs({"a": by_id, "b": as_came}, "top_changed").record.numbers[0].value == 1.0


def test_runs_of_the_same_lists_of_any_length_have_an_rbo_of_1_unrounded():
    lists = {f"q{n}": {f"d{i}": float(n - i) for i in range(n)} for n in range(1, 60)}
    details = compare_runs(runs(lists, lists), ["RBO", "RBO(p=0.37)"]).details()
    for found in details.pairs[0].means:
        assert found.mean == found.high == 1
        assert found.low < 0.95
    assert details.changed[0].queries == ()
