"""The judging kernel gives what its naive twin gives, and keeps the decisions of the specification."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbench.kernels.judge import (
    COPY,
    DUPLICATE,
    KEPT,
    MEASURES,
    NO_HASH,
    SELF,
    TASKS,
    HitColumns,
    Judged,
    QueryColumns,
    imprisonment_fits,
    judge,
    same_document,
)

FATES = {KEPT: "kept", SELF: "self", COPY: "copy", DUPLICATE: "duplicate"}
BYS = ("text", "id")
CUTOFFS = (1, 3, 5, 10)


@dataclass
class Asked:
    """A query, its hits, and how many cases of the collection are relevant for its label tasks."""

    query: dict[str, Any]
    hits: list[dict[str, Any]]
    relevant: dict[str, int]


class Codes:
    """Numbers for values: equal values get equal numbers."""

    def __init__(self, start: int, step: int = 1) -> None:
        self._start, self._step = start, step
        self._codes: dict[Any, int] = {}

    def of(self, value: Any, missing: int) -> int:
        if value is None:
            return missing
        return self._codes.setdefault(value, self._start + self._step * len(self._codes))


class Book:
    """Columns as the kernel takes them, from records; without the package's own hashing and label codes."""

    def __init__(self) -> None:
        self.texts = Codes(2)
        self.ids = Codes(64, 64)  # equal in their low bits, so that the kernel's hash table has to probe
        self.labels = Codes(0)

    def text(self, record: dict[str, Any]) -> int:
        return self.texts.of(naive.text_of(record), int(NO_HASH))

    def id(self, identity: Any) -> int:
        return self.ids.of(None if identity is None else str(identity), int(NO_HASH))

    def set_code(self, labels: set[str] | None) -> int:
        return self.labels.of(None if labels is None else frozenset(labels), -1)

    def case(self, record: dict[str, Any]) -> tuple[int, int, int, int]:
        sentence = naive.sentence_of(record)
        death, life, months = sentence or (False, False, -1)
        accusation, article = naive.accusations_of(record), naive.articles_of(record)
        return self.set_code(accusation), self.set_code(article), months, death + 2 * life

    def hits(self, lists: Iterable[list[dict[str, Any]]]) -> HitColumns:
        lists = list(lists)
        rows = [(self.id(hit.get("id")), self.text(hit), *self.case(hit)) for hits in lists for hit in hits]
        return HitColumns(offsets(lists), *columns(rows, 6))

    def queries(self, asked: list[Asked], max_positives: int, rule: str) -> QueryColumns:
        rows = [
            (self.id(one.query.get("query_id")), self.text(one.query["query"]), *self.case(one.query["query"]))
            for one in asked
        ]
        cut = [naive.cut_positives(one.query, max_positives) for one in asked]
        positives = [
            (self.id(positive.get("fact_id")), self.text(positive), 6 - positive.get("tier", 1))
            for kept in cut
            for positive in kept
        ]
        ids, texts, gains = zip(*positives, strict=True) if positives else ((), (), ())
        denominators = [
            list(
                naive.judge_query(
                    one.query, [], (1,), "text", "text", max_positives, rule, one.relevant
                ).denominators.values()
            )
            for one in asked
        ]
        return QueryColumns(
            *columns(rows, 6),
            offsets(cut),
            np.array(ids, np.uint64),
            np.array(texts, np.uint64),
            np.array(gains, np.float64),
            np.array(denominators, np.int64).reshape(-1, 4),
        )


def columns(rows: list[tuple[int, ...]], width: int) -> list[np.ndarray]:
    kinds = (np.uint64, np.uint64, np.int32, np.int32, np.int32, np.uint8)
    return [np.array([row[i] for row in rows], kinds[i]) for i in range(width)]


def offsets(lists: list[list[Any]]) -> np.ndarray:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def judged(
    asked: list[Asked],
    self_by: str = "text",
    gold_by: str = "text",
    max_positives: int = 10,
    rule: str = "fixed",
    cutoffs: tuple[int, ...] = CUTOFFS,
) -> Judged:
    book = Book()
    queries = book.queries(asked, max_positives, rule)
    hits = book.hits(one.hits for one in asked)
    return judge(hits, queries, np.array(cutoffs, np.int64), self_by == "text", gold_by == "text")


def one(query: dict[str, Any], hits: list[dict[str, Any]], **options: Any) -> Judged:
    return judged([Asked(query, hits, {})], **options)


def value(result: Judged, task: str, measure: str, k: int, cutoffs: tuple[int, ...] = CUTOFFS) -> float:
    return result.values[0, TASKS.index(task), cutoffs.index(k), MEASURES.index(measure)]


def members(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object in which each member may be missing."""
    return st.fixed_dictionaries({}, optional=parts)


# Alphabets so small that equal texts, ids and labels are usual.
texts = st.sampled_from(["甲", " 甲\r\n", "乙", "乙\n丙", "乙\r\n丙", "\u00e9", "e\u0301", "丁", "戊", "己"])
ids = st.sampled_from(["a", "b", "c", "d", 1, "1", "e"])
names = st.lists(st.sampled_from(["盗窃", "诈骗", "[盗窃]"]), max_size=2)
articles = st.lists(st.sampled_from([264, "264", 266, "234"]), max_size=2)
sentences = members(
    imprisonment=st.sampled_from([0, 6, 7, 12, 13, 30, 36, 37, 120]),
    death_penalty=st.booleans(),
    life_imprisonment=st.sampled_from([False, False, True]),
)
meta = members(accusation=names, relevant_articles=articles, term_of_imprisonment=sentences)
hit = members(id=ids, text=texts, meta=meta, accusation=names)
positive = members(fact_id=ids, fact=texts, tier=st.integers(1, 5))
asked_queries = st.builds(
    Asked,
    st.fixed_dictionaries(
        {
            "query": st.fixed_dictionaries({"fact": texts}, optional={"meta": meta}),
            "positives": st.lists(positive, max_size=5),
        },
        optional={"query_id": ids},
    ),
    st.lists(hit, max_size=12),
    st.fixed_dictionaries({task: st.integers(0, 15) for task in TASKS[1:]}),
)
options = st.fixed_dictionaries(
    {
        "self_by": st.sampled_from(BYS),
        "gold_by": st.sampled_from(BYS),
        "max_positives": st.integers(1, 6),
        "rule": st.sampled_from(["fixed", "capped", "full"]),
    }
)


@given(st.lists(asked_queries, min_size=1, max_size=4), options)
@settings(max_examples=200)
def test_the_kernel_equals_its_naive_twin(asked: list[Asked], options: dict[str, Any]) -> None:
    result = judged(asked, **options)
    unlabelled = dict.fromkeys(TASKS[1:], 0)
    start = p_start = 0
    for q, each in enumerate(asked):
        twin = naive.judge_query(
            each.query,
            each.hits,
            CUTOFFS,
            options["self_by"],
            options["gold_by"],
            options["max_positives"],
            options["rule"],
            each.relevant,
        )
        part = slice(start, start + len(each.hits))
        assert [FATES[fate] for fate in result.fate[part].tolist()] == twin.fate
        assert result.rank[part].tolist() == twin.rank
        flags = result.relevant[part].tolist()
        assert [{task for t, task in enumerate(TASKS) if flag >> t & 1} for flag in flags] == twin.relevant
        assert result.positive[part].tolist() == [-1 if p is None else p_start + p for p in twin.positive]
        for t, task in enumerate(TASKS):
            for c, k in enumerate(CUTOFFS):
                assert result.found[q, t, c] == twin.found[task, k]
                for m, measure in enumerate(MEASURES):
                    expected = twin.values[task, f"{measure}@{k}"]
                    assert result.values[q, t, c, m] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        for task, count in twin.unlabelled.items():
            unlabelled[task] += count
        start = part.stop
        p_start += len(twin.positives)
    assert result.unlabelled.tolist() == [0, *unlabelled.values()]


@given(st.lists(asked_queries, min_size=2, max_size=4))
@settings(max_examples=50)
def test_the_split_into_chunks_changes_no_bit(asked: list[Asked]) -> None:
    whole, parts = judged(asked), [judged([each]) for each in asked]
    assert whole.values.tobytes() == b"".join(part.values.tobytes() for part in parts)
    assert whole.found.tobytes() == b"".join(part.found.tobytes() for part in parts)
    assert whole.fate.tobytes() == b"".join(part.fate.tobytes() for part in parts)
    assert whole.rank.tobytes() == b"".join(part.rank.tobytes() for part in parts)


@given(st.lists(asked_queries, min_size=1, max_size=3))
@settings(max_examples=50)
def test_an_evaluation_never_changes_its_inputs(asked: list[Asked]) -> None:
    book = Book()
    queries, hits = book.queries(asked, 10, "fixed"), book.hits(each.hits for each in asked)
    before = [column.tobytes() for column in (*queries, *hits)]
    judge(hits, queries, np.array(CUTOFFS), True, True)
    assert [column.tobytes() for column in (*queries, *hits)] == before


QUERY = {"query_id": "q", "query": {"fact": "甲", "meta": {"accusation": ["盗窃"], "relevant_articles": [264]}}}


def test_the_query_and_its_copies_are_removed_before_ranks_are_assigned() -> None:
    hits = [{"id": "c1", "text": "甲 "}, {"id": "q", "text": "甲"}, {"id": "c2", "text": "乙"}]
    result = one(QUERY, hits)
    assert result.fate.tolist() == [COPY, SELF, KEPT]
    assert result.rank.tolist() == [0, 0, 1]


def test_without_the_queries_id_the_best_equal_text_is_the_query() -> None:
    assert one(QUERY, [{"id": "x", "text": "甲"}, {"id": "y", "text": "甲"}]).fate.tolist() == [SELF, COPY]


def test_by_id_an_equal_text_under_another_id_is_only_a_copy() -> None:
    assert one(QUERY, [{"id": "x", "text": "甲"}], self_by="id").fate.tolist() == [COPY]


def test_by_text_another_text_under_the_queries_id_stays() -> None:
    assert one(QUERY, [{"id": "q", "text": "乙"}]).fate.tolist() == [KEPT]


def test_by_text_a_hit_without_text_is_known_by_its_id() -> None:
    assert one(QUERY, [{"id": "q"}, {"id": "x"}]).fate.tolist() == [SELF, KEPT]


def test_of_duplicate_documents_the_first_in_rank_order_counts() -> None:
    query = QUERY | {"positives": [{"fact_id": "p", "fact": "乙"}]}
    hits = [{"id": "x", "text": "丙"}, {"id": "p", "text": "乙"}, {"id": "p", "text": "乙"}, {"id": "x"}]
    result = one(query, hits)
    assert result.fate.tolist() == [KEPT, KEPT, DUPLICATE, DUPLICATE]
    assert result.rank.tolist() == [1, 2, 0, 0]
    assert value(result, "gold", "P", 3) == pytest.approx(1 / 3)


def test_hits_without_id_are_no_duplicates_of_each_other() -> None:
    assert one(QUERY, [{"text": "乙"}, {"text": "乙"}]).fate.tolist() == [KEPT, KEPT]


def test_a_positive_that_comes_twice_under_two_ids_counts_once() -> None:
    query = QUERY | {"positives": [{"fact_id": "p", "fact": "乙"}]}
    result = one(query, [{"id": "x", "text": "乙"}, {"id": "y", "text": "乙"}])
    assert (result.relevant & 1).tolist() == [1, 0]
    assert result.rank.tolist() == [1, 2]


def test_a_query_without_hits_scores_zero() -> None:
    result = one(QUERY | {"positives": [{"fact_id": "p", "fact": "乙"}]}, [])
    assert not result.values.any()
    assert not result.found.any()


def test_precision_divides_by_the_cutoff_also_when_fewer_came_back() -> None:
    hits = [{"id": "x", "text": "乙", "meta": QUERY["query"]["meta"]}]
    result = one(QUERY, hits)
    assert [value(result, "accusation", "P", k) for k in CUTOFFS] == [1, 1 / 3, 1 / 5, 1 / 10]


def test_a_perfect_ranking_has_ndcg_one() -> None:
    positives = [{"fact_id": f"p{tier}", "fact": f"案{tier}", "tier": tier} for tier in (3, 1, 2)]
    hits = [{"id": f"p{tier}", "text": f"案{tier}"} for tier in (1, 2, 3)]
    result = one(QUERY | {"positives": positives}, hits)
    assert [value(result, "gold", "nDCG", k) for k in CUTOFFS] == [1, 1, 1, 1]


def test_recall_never_exceeds_one() -> None:
    hits = [{"id": str(n), "text": f"案{n}", "meta": QUERY["query"]["meta"]} for n in range(12)]
    asked = [Asked(QUERY, hits, {"accusation": 4, "article": 2, "imprisonment": 0})]
    for rule in ("fixed", "capped", "full"):
        result = judged(asked, rule=rule, cutoffs=(12,))
        assert result.values[..., MEASURES.index("R")].max() == 1


def test_no_more_hits_of_a_label_task_gain_than_its_ideal_list_has() -> None:
    meta = QUERY["query"]["meta"]
    hits = [{"id": str(n), "text": f"案{n}", "meta": meta if n else {}} for n in range(5)]  # all but the first
    result = judged([Asked(QUERY, hits, {"accusation": 2, "article": 3, "imprisonment": 0})], rule="full")
    log2 = np.log2(np.arange(2, 7))
    assert value(result, "accusation", "nDCG", 5) == pytest.approx(sum(1 / log2[1:3]) / sum(1 / log2[:2]))
    assert value(result, "article", "nDCG", 5) == pytest.approx(sum(1 / log2[1:4]) / sum(1 / log2[:3]))
    best = judged([Asked(QUERY, hits[1:], {"accusation": 2, "article": 3, "imprisonment": 0})], rule="full")
    assert [value(best, "accusation", "nDCG", k) for k in CUTOFFS] == [1, 1, 1, 1]


def test_all_positives_gain_however_many_the_denominator_of_recall_is() -> None:
    positives = [{"fact_id": f"p{n}", "fact": f"案{n}", "tier": 1} for n in range(12)]
    hits = [{"id": f"p{n}", "text": f"案{n}"} for n in range(12)]
    result = one(QUERY | {"positives": positives}, hits, max_positives=12, cutoffs=(12,))
    assert value(result, "gold", "nDCG", 12, (12,)) == 1
    missed = one(QUERY | {"positives": positives}, hits[:11], max_positives=12, cutoffs=(12,))
    assert value(missed, "gold", "nDCG", 12, (12,)) < 1


def test_a_hit_without_a_label_is_not_relevant_and_counted() -> None:
    result = one({"query_id": "q", "query": {"fact": "甲"}}, [{"id": "x", "text": "乙"}])
    assert result.relevant.tolist() == [0]
    assert result.unlabelled.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("months", "other", "fits"),
    [
        (12, 18, True),  # six months, for short sentences
        (12, 19, False),
        (12, 6, True),
        (12, 5, False),
        (30, 36, True),  # 20 % is six months as well
        (60, 72, True),  # 20 %, bound included
        (60, 73, False),
        (60, 48, True),
        (60, 47, False),
        (61, 73, True),
        (61, 74, False),  # 20 % is 12.2 months
        (0, 6, True),
        (0, 7, False),
    ],
)
def test_months_fit_up_to_six_or_20_percent_of_the_queries_bounds_included(months: int, other: int, fits: bool) -> None:
    assert imprisonment_fits(months, 0, other, 0) is fits


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 400), st.integers(0, 400))
def test_death_and_life_must_agree_and_then_months_do_not_matter(a: int, b: int, months: int, other: int) -> None:
    fits = imprisonment_fits(months, a, other, b)
    assert fits is (a == b and (a != 0 or abs(months - other) <= 6 or 5 * abs(months - other) <= months))


def test_nothing_equals_a_document_without_text_and_id() -> None:
    nothing, some = np.uint64(0), np.uint64(7)
    assert not same_document(True, nothing, nothing, nothing, nothing)
    assert not same_document(False, some, nothing, some, nothing)
    assert same_document(True, some, nothing, some, nothing)
    assert not same_document(True, some, some, np.uint64(8), some)
    assert same_document(True, nothing, some, some, some)
