"""The judging kernel removes, ranks and matches hits as its naive twin does, and keeps what the specification says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import naive
import numpy as np
import orjson
import pytest
from drawn_records import ALL_TASKS, ASKED, MEASURES
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_records import Asked, Book, judged, scoring
from naive_rules import is_relevant
from profiles import costly

from benchbench.kernels.judge import COPY, DUPLICATE, KEPT, NO_HASH, SELF, Judged, judge, same_document
from benchbench.measures.default_list import default_measures
from benchbench.measures.notation import resolve
from benchbench.measures.plan import plans
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_tasks
from benchbench.tasks.task import Task

FATES = {KEPT: "kept", SELF: "self", COPY: "copy", DUPLICATE: "duplicate"}
BYS = st.sampled_from(["text", "id"])
GOLD = parse_tasks(["gold=judgments()"])
SOME = resolve(["P@3", "nDCG@3"])


@given(st.lists(ASKED, min_size=1, max_size=4), BYS, BYS)
def test_fates_ranks_and_relevance_are_those_of_the_naive_twins(asked: list[Asked], self_by: str, gold_by: str) -> None:
    result = judged(asked, ALL_TASKS, SOME, self_by, gold_by)
    unlabelled = dict.fromkeys((task.name for task in ALL_TASKS), 0)
    start = p_start = 0
    for one in asked:
        part = slice(start, start + len(one.hits))
        fate = naive.fates({"id": one.query_id, "text": one.query["text"]}, one.hits, self_by)
        assert [FATES[its] for its in result.fate[part].tolist()] == fate
        assert result.rank[part].tolist() == naive.ranks(fate)
        found = naive.found_positives(one.positives, one.hits, fate, gold_by)
        assert result.positive[part].tolist() == [-1 if p is None else p_start + p for p in found]
        for t, task in enumerate(ALL_TASKS):
            fits = list(relevance(task, one, fate, found))
            assert result.relevant[t, part].tolist() == [its is True for its in fits]
            unlabelled[task.name] += sum(its is None and each == "kept" for its, each in zip(fits, fate, strict=True))
        start, p_start = part.stop, p_start + len(one.positives)
    assert result.unlabelled.tolist() == list(unlabelled.values())


def relevance(task: Task, one: Asked, fate: list[str], found: list[int | None]) -> Iterator[bool | None]:
    """Say of each hit whether it is relevant; None where it lacks the label."""
    for hit, its, p in zip(one.hits, fate, found, strict=True):
        if its != "kept":
            yield False
        elif task.judged:
            yield p is not None and one.positives[p]["grade"] >= task["rel"]
        else:
            yield is_relevant(task, one.query, hit)


@given(st.lists(ASKED, min_size=2, max_size=4), BYS, BYS)
def test_the_split_into_chunks_changes_no_bit(asked: list[Asked], self_by: str, gold_by: str) -> None:
    """Neither where each query is judged by itself, nor where the others stand in another order."""
    options = {"self_by": self_by, "gold_by": gold_by, "recall": ("capped", 3)}
    whole = judged(asked, ALL_TASKS, MEASURES, **options)
    parts = [judged([each], ALL_TASKS, MEASURES, **options) for each in asked]
    turned = judged(asked[::-1], ALL_TASKS, MEASURES, **options)
    assert whole.values.tobytes() == b"".join(part.values.tobytes() for part in parts)
    assert whole.values.tobytes() == np.ascontiguousarray(turned.values[::-1]).tobytes()
    assert whole.relevant.tobytes() == np.hstack([part.relevant for part in parts]).tobytes()
    for name in ("fate", "rank"):
        assert getattr(whole, name).tobytes() == b"".join(getattr(part, name).tobytes() for part in parts)
    assert whole.unlabelled.tolist() == sum(part.unlabelled for part in parts).tolist()


@pytest.mark.slow  # 900 queries of each example
@given(st.lists(ASKED, min_size=1, max_size=3), BYS)
@settings(max_examples=costly(10))
def test_more_queries_than_are_judged_together_change_no_bit(asked: list[Asked], self_by: str) -> None:
    few, many = (judged(one, ALL_TASKS, MEASURES, self_by) for one in (asked, asked * 300))
    assert many.values.tobytes() == few.values.tobytes() * 300
    assert many.relevant.tobytes() == np.tile(few.relevant, 300).tobytes()
    for name in ("fate", "rank"):
        assert getattr(many, name).tobytes() == getattr(few, name).tobytes() * 300
    assert many.unlabelled.tolist() == (300 * few.unlabelled).tolist()


@given(st.lists(ASKED, min_size=1, max_size=3), st.sampled_from(range(len(ALL_TASKS))))
def test_one_task_more_changes_no_bit_of_the_others(asked: list[Asked], t: int) -> None:
    whole = judged(asked, ALL_TASKS, MEASURES)
    its = [Asked(one.query, one.hits, [one.relevant[t]], one.positives, one.query_id) for one in asked]
    alone = judged(its, [ALL_TASKS[t]], MEASURES)
    assert alone.values[:, 0].tobytes() == np.ascontiguousarray(whole.values[:, t]).tobytes()
    assert (alone.relevant[0] == whole.relevant[t]).all()
    assert alone.unlabelled[0] == whole.unlabelled[t]


@given(st.lists(ASKED, min_size=1, max_size=3))
def test_an_evaluation_never_changes_its_inputs(asked: list[Asked]) -> None:
    book = Book(ALL_TASKS)
    queries, hits = book.queries(asked), book.hits([each.hits for each in asked])
    relevant = [each.relevant for each in asked]
    wanted = scoring(book.tasks, plans(MEASURES), queries.positive_grade, relevant, ("full", 0))
    members = book.labels.vocabulary.members()
    arrays = [one for part in (queries, hits, members, book.tasks.kernel, wanted[2:]) for one in part]
    arrays += [one for plan in wanted[:2] for one in plan]
    before = [one.tobytes() for one in arrays]
    judge(hits, queries, book.tasks.kernel, members, wanted, True, True)
    assert [one.tobytes() for one in arrays] == before


def test_the_tasks_of_legal_cases_have_the_bits_of_the_kernel_that_knew_no_others() -> None:
    """What that kernel made of invented cases is kept in a file; its measures and tasks were these alone."""
    kept = orjson.loads(Path(__file__).with_name("legal-cases-judged.json").read_bytes())
    for case in kept["cases"]:
        asked = [legal(one, case["max_positives"]) for one in case["asked"]]
        measures = default_measures(case["cutoffs"])
        limited = {"fixed": lambda number: 10, "capped": lambda number: min(number, 10), "full": int}[case["recall"]]
        for one in asked:
            one.relevant = [limited(number) for number in one.relevant]
        recall = (case["recall"], 10)
        result = judged(asked, legal_cases(), measures, case["self_by"], case["gold_by"], recall)
        for name in ("fate", "rank", "positive", "unlabelled"):
            assert getattr(result, name).tolist() == case[name]
        assert [sum(bits << t for t, bits in enumerate(row)) for row in result.relevant.T.tolist()] == case["relevant"]
        places = plans(measures).columns
        for c, k in enumerate(case["cutoffs"]):
            for m, name in enumerate(kept["measures"]):
                (column,) = places[resolve(f"{name}@{k}")[0]]
                assert result.values[:, :, column].tolist() == np.array(case["values"])[:, :, c, m].tolist()
            _, hits, _ = places[resolve(f"microR@{k}")[0]]
            assert result.values[:, :, hits].tolist() == np.array(case["found"])[:, :, c].tolist()


def legal(kept: dict[str, Any], max_positives: int) -> Asked:
    query = kept["query"]
    cut = naive.cut_positives(query, max_positives)
    positives = [{**positive, "grade": 6 - positive["tier"]} for positive in cut]
    return Asked(query["query"], kept["hits"], [0, *kept["relevant"].values()], positives, query["query_id"])


def test_without_queries_there_is_nothing() -> None:
    result = judged([], ALL_TASKS, MEASURES)
    assert result.values.shape == (0, len(ALL_TASKS), plans(MEASURES).width)
    assert (result.fate.size, result.relevant.shape, result.unlabelled.any()) == (0, (len(ALL_TASKS), 0), False)


def test_without_tasks_hits_are_ranked() -> None:
    result = judged([Asked({"text": "甲"}, [{"id": "x"}, {"text": "甲"}], [])], [], SOME)
    assert result.rank.tolist() == [1, 0]
    assert (result.relevant.shape, result.values.shape) == ((0, 2), (1, 0, 2))


@pytest.mark.parametrize("tasks", [ALL_TASKS, ALL_TASKS[1:-4], GOLD])
def test_a_query_without_hits_scores_zero(tasks: tuple[Task, ...]) -> None:
    """Whatever is relevant for it; what only counts documents and queries is no score."""
    measures = [one for one in MEASURES if not one.name.startswith(("Num", "micro"))]
    for positives in ([], [{"id": "p", "grade": 2}]):
        for relevant in (0, 3):
            asked = Asked({"text": "甲", "kind": "a"}, [], [relevant] * len(tasks), positives)
            result = judged([asked, asked], tasks, measures)
            assert result.values.shape[:2] == (2, len(tasks))
            assert not result.values.any()


QUERY = {"text": "甲", "kind": "a"}


def one(*hits: dict[str, Any], positives: tuple[dict[str, Any], ...] = (), **options: Any) -> Judged:
    return judged([Asked(QUERY, list(hits), [0], list(positives), "q")], GOLD, SOME, **options)


def test_of_duplicate_documents_the_first_in_rank_order_counts() -> None:
    hits = ({"id": "x", "text": "丙"}, {"id": "p", "text": "乙"}, {"id": "p", "text": "乙"}, {"id": "x"})
    result = one(*hits, positives=({"id": "p", "text": "乙"},))
    assert result.fate.tolist() == [KEPT, KEPT, DUPLICATE, DUPLICATE]
    assert result.rank.tolist() == [1, 2, 0, 0]
    (column,) = plans(SOME).columns[SOME[0]]
    assert result.values[0, 0, column] == pytest.approx(1 / 3)


def test_nothing_equals_a_document_without_text_and_id() -> None:
    kernel: Any = same_document
    same = kernel.py_func  # machine code that only kernels call cannot be called from here
    nothing, some = np.uint64(0), np.uint64(7)
    assert nothing == NO_HASH
    assert not same(True, nothing, nothing, nothing, nothing)
    assert not same(False, some, nothing, some, nothing)
    assert same(True, some, nothing, some, nothing)
    assert not same(True, some, some, np.uint64(8), some)
    assert same(True, nothing, some, some, some)
