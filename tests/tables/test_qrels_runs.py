"""Judgments by grade and hits by rank, as columns; naive twins beside them."""

import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.tables import qrels_runs
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.qrels_runs import QrelsTable, RankedRun, Rankings, joined, judgments, rankings
from benchbench.tables.rows import Rows

Row = tuple[str, float]
ids = st.text("ab1é法", min_size=1, max_size=2)
values = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 1.0000000000000002, math.inf])
rows = st.lists(st.tuples(ids, values), min_size=1, max_size=25)
queries = st.dictionaries(ids, rows, min_size=1, max_size=4)


def made(given: dict[str, list[Row]], subtopics: list[str] | None = None) -> Borrowed[Rows]:
    documents = [document for found in given.values() for document, _ in found] + (subtopics or [])
    numbers = np.array([value for found in given.values() for _, value in found], np.float64)
    sizes = [len(found) for found in given.values()]
    return Borrowed.of(lambda: Rows.of(list(given), sizes, documents, numbers.copy()))


def ranked(given: dict[str, list[Row]], ties: str, strict: bool = False) -> Rankings:
    return rankings(made(given), ties, strict, "run").kept()


def hashed(documents: list[str]) -> list[int]:
    return Rows.of(["q"], [len(documents)], documents, np.zeros(len(documents))).document.tolist()


def deduplicated(documents: list[str]) -> list[str]:
    return list(dict.fromkeys(documents))


def parts(table: Any, column: str) -> list[list[Any]]:
    ends = table.offsets.tolist()
    return [getattr(table, column)[a:b].tolist() for a, b in pairwise(ends)]


# Hits


@given(queries)
def test_hits_stand_by_score_then_by_id_descending_in_bytes_and_each_once(given: dict[str, list[Row]]):
    table = ranked(given, "trec")
    wanted = [
        deduplicated([d for d, _ in sorted(found, key=lambda row: (row[1], row[0].encode()), reverse=True)])
        for found in given.values()
    ]
    assert parts(table, "document") == [hashed(documents) for documents in wanted]
    assert table.duplicates == sum(map(len, given.values())) - sum(map(len, wanted))


@given(queries)
def test_with_ties_as_they_came_the_order_is_that_of_the_rows(given: dict[str, list[Row]]):
    table = ranked(given, "input")
    assert parts(table, "document") == [hashed(deduplicated([d for d, _ in found])) for found in given.values()]


@given(queries)
def test_a_hit_is_tied_if_the_one_above_has_its_score(given: dict[str, list[Row]]):
    table = ranked(given, "expected")
    for tied, found in zip(parts(table, "tied"), given.values(), strict=True):
        best: dict[str, float] = {}
        for document, value in found:
            best[document] = max(value, best.get(document, -math.inf))
        scores = sorted(best.values(), reverse=True)
        assert tied[1:] == [a == b for a, b in pairwise(scores)]
    assert ranked(given, "trec").tied.size == 0


def test_a_repeated_document_is_named_when_that_is_strict():
    given = {"a": [("x", 1.0), ("y", 1.0)], "b": [("x", 1.0), ("文", 2.0), ("文", 3.0)]}
    with pytest.raises(InputError, match=r"^run has document 文 twice for query b; "):
        ranked(given, "trec", True)


@given(queries, st.randoms())
def test_the_digest_of_a_run_is_of_its_rankings_in_any_order_of_queries_and_rows(
    given: dict[str, list[Row]], rng: random.Random
):
    order = list(given)
    rng.shuffle(order)
    shuffled = {query: rng.sample(given[query], len(given[query])) for query in order}
    digests = [RankedRun("", "trec", ranked(one, "trec")).digest for one in (given, shuffled)]
    assert digests[0] == digests[1]


def test_the_digest_of_a_run_changes_with_each_rank_document_and_query():
    given = [
        {"a": [("x", 2.0), ("y", 1.0)]},
        {"a": [("x", 1.0), ("y", 2.0)]},
        {"b": [("x", 2.0), ("y", 1.0)]},
        {"a": [("x", 2.0), ("z", 1.0)]},
        {"a": [("x", 2.0)]},
        {"a": [("x", 2.0), ("y", 1.0)], "b": [("x", 1.0)]},
        {"a": [("x", 2.0)], "b": [("y", 1.0)]},
    ]
    assert len({RankedRun("", "trec", ranked(one, "trec")).digest for one in given}) == len(given)


@given(queries, st.sampled_from(["trec", "expected"]))
def test_rankings_are_cut_and_joined_between_queries(given: dict[str, list[Row]], ties: str):
    table = ranked(given, ties)
    for cut in range(len(given) + 1):
        again = Rankings.concatenated([table.between(0, cut), table.between(cut, len(given))])
        for column in ("query", "offsets", "document", "tied", "fingerprint"):
            assert np.array_equal(getattr(again, column), getattr(table, column))


def test_a_run_is_cut_into_stretches_of_whole_queries(monkeypatch: pytest.MonkeyPatch):
    run = RankedRun("", "trec", ranked({f"q{i}": [("x", 1.0)] * (i % 3 + 1) for i in range(10)}, "trec"))
    for workers in (1, 3, 20):
        monkeypatch.setattr(qrels_runs, "THREADS", workers)
        monkeypatch.setattr(qrels_runs, "_MANY", 1)
        pieces = [shard.kept() for shard in run.shards()]
        assert len(pieces) <= workers
        assert np.array_equal(np.concatenate([piece.query for piece in pieces]), run.rankings.query)
    assert run.gathered() is run
    assert len(run) == 10


# Judgments


@given(st.dictionaries(ids, st.dictionaries(ids, st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]), max_size=9), min_size=1))
def test_judgments_stand_by_grade_descending(given: dict[str, dict[str, float]]):
    table = judgments(made({query: list(found.items()) for query, found in given.items()}), "qrels")
    assert table.ids == list(given)
    for documents, grades, found in zip(parts(table, "document"), parts(table, "grade"), given.values(), strict=True):
        assert grades == sorted(found.values(), reverse=True)
        assert dict(zip(documents, grades, strict=True)) == dict(zip(hashed(list(found)), found.values(), strict=True))


def test_a_judgment_given_twice_is_counted_and_with_another_grade_an_error():
    assert judgments(made({"a": [("x", 1.0), ("y", 0.0), ("x", 1.0)]}), "qrels").duplicates == 1
    with pytest.raises(
        InputError, match=r"^qrels judges document x of query b twice, with different grades; keep one$"
    ):
        judgments(made({"a": [("x", 1.0)], "b": [("x", 1.0), ("x", 2.0)]}), "qrels")


@pytest.mark.parametrize("grade", [math.inf, -math.inf])
def test_an_infinite_grade_is_an_error(grade: float):
    with pytest.raises(InputError, match=r"^qrels has an infinite grade, of document y$"):
        judgments(made({"a": [("x", 1.0), ("y", grade)]}), "qrels")


def table_of(given: dict[str, list[Row]], subtopics: list[str] | None = None) -> QrelsTable:
    return judgments(made(given, subtopics), "qrels")


def test_the_digest_of_judgments_changes_with_each_grade_and_not_with_their_order():
    one = table_of({"a": [("x", 1.0), ("y", 0.0)], "b": [("x", 2.0)]}).digest
    assert table_of({"b": [("x", 2.0)], "a": [("y", -0.0), ("x", 1.0)]}).digest == one
    assert table_of({"a": [("x", 1.0), ("y", 0.0)], "b": [("x", 1.0)]}).digest != one
    assert table_of({"a": [("x", 1.0), ("y", 0.0), ("x", 1.0)], "b": [("x", 2.0)]}).digest == one


@given(
    st.lists(
        st.dictionaries(ids, st.dictionaries(ids, values.filter(math.isfinite), min_size=1), min_size=1),
        min_size=1,
        max_size=4,
    )
)
def test_parts_that_share_no_query_are_joined_to_what_the_whole_gives(given: list[dict[str, dict[str, float]]]):
    tables = [table_of({query: list(found.items()) for query, found in part.items()}) for part in given]
    whole: dict[str, list[Row]] = {query: list(found.items()) for part in given for query, found in part.items()}
    table = joined(tables)
    if len(whole) < sum(map(len, given)):
        assert table is None
        return
    assert table is not None
    wanted = table_of(whole)
    assert (table.ids, table.digest) == (wanted.ids, wanted.digest)
    for column in ("query", "offsets", "document", "grade", "fingerprint"):
        assert np.array_equal(getattr(table, column), getattr(wanted, column))


# Subtopics


def test_a_document_judged_for_several_subtopics_has_its_highest_grade():
    table = table_of({"a": [("x", 0.0), ("y", 1.0), ("x", 2.0)]}, ["1", "1", "2"])
    assert table.subtopics is not None
    assert table.grade.tolist() == [2.0, 1.0]
    assert table.subtopics.value.tolist() == [0.0, 1.0, 2.0]


def test_with_one_subtopic_throughout_there_are_none():
    assert table_of({"a": [("x", 0.0)], "b": [("x", 1.0)]}, ["1", "1"]).subtopics is None
    with pytest.raises(InputError, match="judges document x of query a twice"):
        table_of({"a": [("x", 0.0), ("x", 1.0)]}, ["1", "1"])


def test_parts_that_name_other_subtopics_are_not_joined():
    one, two = (table_of({query: [("x", 1.0)]}, [subtopic]) for query, subtopic in (("a", "1"), ("b", "2")))
    assert joined([one, two]) is None
    assert joined([one, table_of({"b": [("x", 1.0)]}, ["1"])]) is not None


def test_two_grades_for_one_subtopic_are_an_error_and_a_judgment_for_each_of_two_is_not_given_twice():
    with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
        table_of({"a": [("x", 0.0), ("x", 1.0), ("x", 0.0)]}, ["1", "1", "2"])
    assert table_of({"a": [("x", 1.0), ("x", 1.0)]}, ["1", "2"]).duplicates == 0
    assert table_of({"a": [("x", 1.0), ("x", 1.0), ("x", 1.0)]}, ["1", "2", "1"]).duplicates == 1


def test_the_digest_of_judgments_changes_with_their_subtopics():
    one, two, three = (
        table_of({"a": [("x", 1.0), ("y", 1.0), ("z", 1.0)]}, list(subtopics)) for subtopics in ("112", "122", "111")
    )
    assert len({one.digest, two.digest, three.digest}) == 3
    assert three.digest == table_of({"a": [("x", 1.0), ("y", 1.0), ("z", 1.0)]}).digest
