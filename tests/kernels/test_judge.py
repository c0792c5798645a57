"""The judging kernel removes, ranks and matches hits as its naive twin does, and keeps what the specification says."""

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import orjson
import pytest
from cases import tables
from drawn_records import ALL_TASKS, ASKED, MEASURES, QUERIES, RANKED, TASKS
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_records import Asked, Book, judged, scoring
from judged_records import Record as judged_records_Record
from months import MONTHS_THAT_FIT
from naive_measures import Ranked, columns
from naive_rules import is_relevant
from profiles import costly

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.kernels.bootstrap import column_sums
from benchbench.kernels.formulas import NO_CUTOFF, PLAIN, Formula
from benchbench.kernels.judge_hits import COPY, DUPLICATE, KEPT, NO_HASH, SELF, Judged, judge, same_document
from benchbench.kernels.plan import FormulaPlan, PlanRow, lists, plan_of
from benchbench.kernels.rules import RankedChunk, Relevant
from benchbench.measures.catalog import CATALOG
from benchbench.measures.default_list import default_measures
from benchbench.measures.micro import micro
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.plan import needs_judgments, plans
from benchbench.scoring import evaluate
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_task, parse_tasks, read_task
from benchbench.tasks.rules import RULES
from benchbench.tasks.task import Task

TABLES = tables(__file__)

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
    parts = (queries, hits, members, wanted.plan, wanted.condensed, wanted.tasks, wanted[3:])
    arrays = [one for part in parts for one in part]
    before = [one.tobytes() for one in arrays]
    judge(hits, queries, book.tasks.comparisons, members, wanted, True, True)
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


# Which hits are relevant by each rule: naive twins on records, and what lies on a bound

Record = dict[str, Any]


LABELLED = tuple(task for task in TASKS if not task.judged)


def found(task: Task, asked: list[tuple[Record, list[Record]]], removed: int = -1) -> tuple[list[list[bool]], int]:
    """Return which hits of each query are relevant, and how many lack what is compared."""
    book = Book([task])
    queries = book.queries([Asked({"text": "q", **query}, [], []) for query, _ in asked])
    hits = book.hits([its for _, its in asked])
    rank = np.ones(hits.id.size, np.int32)
    if removed >= 0:
        rank[removed] = 0
    out = Relevant(np.empty(hits.id.size + 1, np.int64), np.empty(len(asked), np.int64))
    members = book.labels.vocabulary.members()
    (comparison,) = book.tasks.comparisons
    missing = comparison.find(RankedChunk(0, len(asked), hits, queries, members, rank), out)
    flags = np.zeros(hits.id.size, np.bool_)
    flags[out.places[: out.ends[-1]]] = True
    assert (np.diff(out.ends) >= 0).all()
    parts = np.split(flags, hits.offsets[1:-1])
    assert [part.sum() for part in parts] == np.diff(out.ends, prepend=0).tolist()
    return [part.tolist() for part in parts], missing


def fits(task: str, query: Record, *hits: Record) -> list[bool]:
    (flags,), _ = found(parse_task(task), [(query, list(hits))])
    return flags


@given(
    st.sampled_from(LABELLED),
    st.lists(st.tuples(QUERIES, st.lists(RANKED, max_size=8)), min_size=1, max_size=4),
    st.integers(0, 10),
)
def test_relevant_hits_are_those_of_the_naive_twin(
    task: Task, asked: list[tuple[Record, list[Record]]], removed: int
) -> None:
    flat = [(query, hit) for query, hits in asked for hit in hits]
    removed = removed if removed < len(flat) else -1
    expected = [is_relevant(task, query, hit) for query, hit in flat]
    expected = [False if place == removed else one for place, one in enumerate(expected)]
    flags, missing = found(task, asked, removed)
    assert [one for part in flags for one in part] == [one is True for one in expected]
    assert missing == sum(one is None for one in expected)


def test_the_rules_of_tasks_are_all_rules() -> None:
    assert {task.rule for task in TASKS} == set(RULES)


# within

MONTHS = "months=within(months, absolute=6, relative=0.2)"


@pytest.mark.parametrize(("months", "other", "relevant"), MONTHS_THAT_FIT)
def test_months_fit_up_to_six_or_20_percent_of_the_queries_bounds_included(
    months: int, other: int, relevant: bool
) -> None:
    assert fits(MONTHS, {"months": months}, {"months": other}) == [relevant]


whole = st.integers(-(2**31), 2**31)


@given(whole, st.data())
def test_whole_numbers_fit_as_exact_arithmetic_says(wanted: int, data: st.DataObject) -> None:
    """Also next to the bounds, which floats miss where 0.2 is no float."""
    bound = max(6, abs(wanted) // 5)
    near = st.integers(-2, 2).map(lambda by: bound + by)
    others = [wanted + data.draw(near), wanted - data.draw(near), data.draw(whole)]
    expected = [abs(other - wanted) <= 6 or 5 * abs(other - wanted) <= abs(wanted) for other in others]
    assert fits(MONTHS, {"months": wanted}, *({"months": other} for other in others)) == expected


@given(st.integers(-(10**7), 10**7), st.integers(0, 200), st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 1]))
def test_decimal_fractions_fit_as_exact_arithmetic_says(cents: int, percent: int, by: int, side: int) -> None:
    """Prices to the cent, at the bound and a cent beside it."""
    bound = abs(Fraction(cents) * percent) / 100
    other = cents + side * (math.floor(bound) + by)
    task = f"price=within(price, relative={percent / 100})"
    price, its = (float(f"{'-' * (one < 0)}{abs(one) // 100}.{abs(one) % 100:02}") for one in (cents, other))
    assert fits(task, {"price": price}, {"price": its}) == [abs(other - cents) <= bound]


def test_a_price_a_fifth_above_is_within_a_fifth() -> None:
    prices = [{"price": one} for one in (11.94, 7.96, 11.95, 7.95, "11.94")]
    assert fits("price=within(price, relative=0.2)", {"price": 9.95}, *prices) == [True, True, False, False, True]
    assert fits("near=within(n, absolute=0.1)", {"n": 0.2}, {"n": 0.3}, {"n": 0.1}, {"n": 0.31}) == [True, True, False]


def test_a_share_is_one_of_the_querys_number_whatever_its_sign() -> None:
    hits = [{"n": one} for one in (-80, -120, -79, -121, 100)]
    assert fits("n=within(n, relative=0.2)", {"n": -100}, *hits) == [True, True, False, False, False]
    assert fits("n=within(n, relative=0.25)", {"n": 100}, {"n": 125}) == [True]
    assert fits("n=within(n, relative=0.25)", {"n": 125}, {"n": 100}, {"n": 93}) == [True, False]


def test_the_larger_of_both_distances_counts() -> None:
    hits = [{"n": one} for one in (15, 16, 5, 4)]
    assert fits("n=within(n, absolute=5, relative=0.1)", {"n": 10}, *hits) == [True, False, True, False]
    assert fits("n=within(n, absolute=0.5, relative=0.5)", {"n": 10}, *hits) == [True, False, True, False]


def test_without_a_distance_numbers_are_equal() -> None:
    hits = [{"n": one} for one in (3, 3.0, "3", 3.001, -3)]
    assert fits("n=within(n, absolute=0)", {"n": 3}, *hits) == [True, True, True, False, False]
    assert fits("n=within(n, relative=0)", {"n": 0}, {"n": 0}, {"n": -0.0}, {"n": 5e-324}) == [True, True, False]


def test_huge_numbers_neither_overflow_nor_warn() -> None:
    hits = [{"n": one} for one in (1e308, 1.7e308, -1e308, 0)]
    assert fits("n=within(n, relative=0.2)", {"n": 1e308}, *hits) == [True, False, False, False]
    assert fits("n=within(n, absolute=1)", {"n": 1.7e308}, *hits) == [False, True, False, False]
    assert fits("n=within(n, relative=1e300)", {"n": 1e308}, *hits) == [True] * 4


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 400), st.integers(0, 400))
def test_flags_must_agree_and_then_numbers_do_not_matter(a: int, b: int, months: int, other: int) -> None:
    def case(flags: int, number: int) -> Record:
        return {"death": bool(flags & 1), "life": flags >> 1, "months": number}

    task = "sentence=within(months, absolute=6, relative=0.2, unless=['death', 'life'])"
    expected = a == b and (a != 0 or abs(months - other) <= 6 or 5 * abs(months - other) <= months)
    assert fits(task, case(a, months), case(b, other)) == [expected]


def test_labels_that_must_be_the_same_are_compared_also_where_a_flag_decides() -> None:
    task = "sentence=within(months, absolute=6, same=['court', 'year'], unless=['death'])"
    query = {"months": 3, "court": ["a", "b"], "death": True}
    hits = [
        {"death": True, "court": ["b", "a"]},
        {"death": True, "court": ["b"]},
        {"death": True, "court": ["b", "a"], "year": 1},
        {"months": 3, "court": ["b", "a"]},
    ]
    assert fits(task, query, *hits) == [True, False, False, False]


def test_labels_that_both_lack_are_the_same() -> None:
    task = "price=within(price, absolute=1, same=['currency'])"
    hits = [{"price": 1}, {"price": 1, "currency": ""}, {"price": 1, "currency": "eur"}]
    assert fits(task, {"price": 1}, *hits) == [True, True, False]
    assert fits(task, {"price": 1, "currency": "eur"}, *hits) == [False, False, True]


# Sets


@pytest.mark.parametrize(("parameters", "relevant"), TABLES["overlap"])
def test_overlap_takes_members_that_suffice_or_a_share_that_does(parameters: str, relevant: str) -> None:
    sets = ["abcd", "ab", "b", "abx", "x", ""]
    flags = fits(f"x=overlap(x{parameters})", {"x": ["a", "b"]}, *({"x": [*one]} for one in sets))
    assert [one for one, fit in zip(sets, flags, strict=True) if fit] == relevant.split()


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30))
def test_a_jaccard_that_is_met_exactly_suffices(shared: int, more: int, others: int) -> None:
    """Given as their quotient, or as a decimal fraction that is it: 0.56 where 28 of 50 are shared."""
    query, hit = [f"s{n}" for n in range(shared + more)], [f"s{n}" for n in range(shared)]
    hit += [f"o{n}" for n in range(others)]
    jaccard = shared / (shared + more + others)
    assert fits(f"x=overlap(x, jaccard={jaccard!r})", {"x": query}, {"x": hit}) == [True]
    if jaccard < 0.99:
        assert fits(f"x=overlap(x, jaccard={jaccard + 1e-3!r})", {"x": query}, {"x": hit}) == [False]


# Spans


def at(start: float, end: float, file: str = "f") -> Record:
    return {"file": file, "start": start, "end": end}


def test_spans_that_touch_share_no_character() -> None:
    hits = [at(0, 10), at(0, 11), at(20, 30), at(19, 30), at(12, 13), at(0, 99), at(10, 20), at(0, 99, "g")]
    flags = fits("s=span(spans)", {"spans": [at(10, 20)]}, *hits)
    assert flags == [False, True, False, True, True, True, True, False]


def test_as_many_characters_as_are_told_suffice_in_one_span() -> None:
    query = {"spans": [at(0, 4), at(10, 14)]}
    hits = [at(0, 4), at(1, 11), at(2, 14), at(11, 99), at(10, 14)]
    assert fits("s=span(spans, least=4)", query, *hits) == [True, False, True, False, True]
    assert fits("s=span(spans, least=3)", query, *hits) == [True, True, True, True, True]


# Every measure of every task: the values of naive twins, of runs that are scored by files, and never above 1

COUNTS = {"NumRet", "NumRel", "NumRelRet", "NumQ"}


RECALLS = st.sampled_from([("full", 0), ("capped", 2), ("fixed", 5), ("fixed", 10)])


FORMULAS_LABELLED = parse_tasks(["brand=equal(brand)"])


def test_the_measures_drawn_from_are_all_that_look_at_hits() -> None:
    assert {one.name for one in MEASURES} == {row.name for row in CATALOG.values() if not row.diverse}


def ranked(task: Task, one: Asked, number: int, self_by: str, recall: tuple[str, float]) -> Ranked:
    """Return the hits of a query as a task sees them, by the naive twins."""
    fate = naive.fates({"id": one.query_id, "text": one.query["text"]}, one.hits, self_by)
    kept = [h for h, its in enumerate(fate) if its == "kept"]
    if task.judged:
        found = naive.found_positives(one.positives, one.hits, fate, "text")
        grades = [None if found[h] is None else float(one.positives[found[h]]["grade"]) for h in kept]
        judgments = [float(positive["grade"]) for positive in one.positives]
        return Ranked(grades, judgments, rel=task["rel"], gains=task.gains, recall=recall)
    fits = [is_relevant(task, one.query, one.hits[h]) is True for h in kept]
    return Ranked([1.0 if its else None for its in fits], [1.0] * number, by_labels=True)


@given(
    st.lists(ASKED, min_size=1, max_size=3),
    st.lists(st.sampled_from(ALL_TASKS), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(MEASURES), min_size=1, max_size=12, unique=True) | st.just(MEASURES),
    st.sampled_from(["text", "id"]),
    RECALLS,
)
def test_values_are_those_of_the_naive_twin(
    asked: list[Asked], tasks: list[Task], measures: list[Measure], self_by: str, recall: tuple[str, float]
) -> None:
    for one in asked:
        one.relevant = one.relevant[: len(tasks)]
    result = judged(asked, tasks, measures, self_by, recall=recall)
    places = plans(measures).columns
    for q, one in enumerate(asked):
        for t, task in enumerate(tasks):
            query = ranked(task, one, one.relevant[t], self_by, recall)
            for measure in measures:
                if task.judged or not needs_judgments(measure):
                    values = result.values[q, t, list(places[measure])].tolist()
                    assert values == pytest.approx(columns(measure, query), rel=1e-12, abs=1e-12), (task, measure)


@given(st.lists(ASKED, min_size=1, max_size=3), RECALLS)
def test_no_value_is_below_0_and_none_but_counts_is_above_1(asked: list[Asked], recall: tuple[str, float]) -> None:
    result = judged(asked, ALL_TASKS, MEASURES, recall=recall)
    assert np.isfinite(result.values).all()
    assert (result.values >= 0).all()
    by_labels = np.array([not task.judged for task in ALL_TASKS])
    places = plans(MEASURES).columns
    for measure in MEASURES:
        if measure.name not in COUNTS:
            values = result.values[:, :, places[measure][0]]  # of micro averages, P; the others are counts
            defined = values[:, ~by_labels] if needs_judgments(measure) else values
            assert defined.max() <= 1 + 1e-12, measure


def labelled(good: str, number: int, *measures: str) -> list[float]:
    """Return measures of a list of hits, + where one has the query's brand, where so many documents are relevant."""
    hits = [{"id": str(place), "brand": "a" if one == "+" else "b"} for place, one in enumerate(good)]
    wanted = resolve(measures)
    result = judged([Asked({"text": "q", "brand": "a"}, hits, [number])], FORMULAS_LABELLED, wanted)
    places = plans(wanted).columns
    return [result.values[0, 0, places[one][0]].item() for one in wanted]


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 12])
def test_more_hits_than_documents_are_relevant_are_no_better_than_all(number: int) -> None:
    """A fixed denominator may be below what is found: each measure stays at what a perfect list has."""
    measures = [one for one in MEASURES if not needs_judgments(one) and one.name not in COUNTS]
    texts = [str(one) for one in measures if CATALOG[one.name].aggregate != "micro"]
    values = dict(zip(texts, labelled("+++", number, *texts), strict=True))
    assert max(values.values()) <= 1
    best = [values[name] for name in ("R@3", "AP", "nDCG@3", "Rprec", "SetR", "IPrec@1.0")]
    assert best == ([1.0] * 6 if 1 <= number <= 3 else [0.0] * 3 + [0.0, 0.0, 1.0] if number == 0 else best)
    if number > 3:
        assert values["R@3"] == values["AP"] == values["Rprec"] == values["SetR"] == 3 / number


# Runs and judgments in files

IDS = st.sampled_from([f"d{number}" for number in range(9)])


GRADES = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0])


HITS = st.lists(st.sampled_from([*"uvwxyz", *(f"d{number}" for number in range(9))]), unique=True)


JUDGED_HITS = st.lists(st.tuples(st.dictionaries(IDS, GRADES, min_size=1), HITS), min_size=1, max_size=3)


@given(JUDGED_HITS, st.lists(st.sampled_from(MEASURES), min_size=1, unique=True) | st.just(MEASURES))
def test_judgments_are_scored_to_the_bit_as_files_of_them_are(
    lists: list[tuple[dict[str, float], list[str]]], measures: list[Measure]
) -> None:
    qrels = {f"q{number}": grades for number, (grades, _) in enumerate(lists)}
    run = {f"q{number}": {name: -rank for rank, name in enumerate(hits)} for number, (_, hits) in enumerate(lists)}
    returned = {query: hits for query, hits in run.items() if hits}
    if not returned:
        return
    scores = evaluate(Qrels.from_dict(qrels), Run.from_dict(returned, ties="input"), measures)
    result = of_files(qrels, run, measures)
    places = plans(measures).columns
    rows = [[*qrels].index(query) for query in scores.ids]
    for one in measures:
        its = np.ascontiguousarray(result.values[rows, 0][:, list(places[one])])
        if CATALOG[one.name].aggregate == "micro":
            assert scores.aggregates[str(one)] == micro(one.name, *(column_sums(its) / len(rows)))
        else:
            assert its.tobytes() == np.ascontiguousarray(scores.values[str(one)]).tobytes(), one


def of_files(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]], measures: list[Measure]) -> Judged:
    asked = [
        Asked(
            {"text": query},
            [{"id": name} for name in run[query]],
            [0],
            [{"id": name, "grade": grade} for name, grade in qrels[query].items()],
        )
        for query in qrels
    ]
    return judged(asked, parse_tasks(["gold=judgments(by='id')"]), measures, "id", "id")


@given(JUDGED_HITS, st.sampled_from([2, 3, 0.5]))
def test_the_grade_of_a_task_is_that_of_measures_that_name_none(
    lists: list[tuple[dict[str, float], list[str]]], rel: float
) -> None:
    binary = ["P@2", "R@3", "RR", "AP@3", "Rprec", "bpref", "RBP", "infAP", "SetF", "NumRel", "P(judged_only=True)@2"]
    asked = [
        Asked({"text": "q"}, [{"id": n} for n in hits], [0], [{"id": n, "grade": g} for n, g in grades.items()])
        for grades, hits in lists
    ]
    of_task = values_of(asked, read_task("gold", {"rule": "judgments", "rel": rel}), binary)
    named = [with_rel(name, rel) for name in binary]
    assert of_task == values_of(asked, read_task("gold", {"rule": "judgments"}), named)


def with_rel(name: str, rel: float) -> str:
    head, at, cutoff = name.partition("@")
    return f"{head.removesuffix(')')}{',' if '(' in head else '('}rel={rel}){at}{cutoff}"


def values_of(asked: list[Asked], task: Task, names: list[str]) -> list[judged_records_Record]:
    measures = resolve(names)
    result, places = judged(asked, [task], measures), plans(measures).columns
    return [result.values[:, 0, places[one][0]].tolist() for one in measures]


# A plan names each rank once at which several columns look, and has its rows by formula in blocks


def row(formula: Formula, cutoff: int = int(NO_CUTOFF), rel: float = 1.0, a: float = 0.0, kind: int = PLAIN) -> PlanRow:
    return formula, cutoff, rel, a, kind


def looked_at(plan: FormulaPlan) -> list[tuple[int, float, int]]:
    """Return of each row its formula, its lowest relevant grade (or kind of gains), and its rank, by its place."""
    found = []
    for formula, place in plan.columns[["formula", "place"]].tolist():
        if formula == Formula.NDCG:
            found.append((formula, *plan.gained[place].tolist()))
        else:
            rel, rank = plan.counted[place].tolist()
            found.append((formula, plan.rels[rel].item(), rank))
    return found


def test_relevant_hits_are_counted_once_for_all_columns_that_look_at_a_rank() -> None:
    plan = plan_of([row(Formula.P, 5), row(Formula.P, 5, 2.0), row(Formula.R, 5), row(Formula.SUCCESS, 3)])
    assert plan.rels.tolist() == [1.0, 2.0]
    assert plan.counted.tolist() == [(0, 3), (0, 5), (1, 5)]
    assert plan.columns["place"].tolist() == [1, 2, 1, 0]
    assert plan.columns["rel"].tolist() == [0, 1, 0, 0]
    assert plan.gained.size == 0


def test_a_plan_of_nothing_has_no_block() -> None:
    plan = plan_of([])
    assert {len(column) for name, column in plan._asdict().items() if name != "blocks"} == {0}
    assert plan.blocks.size <= 1
    assert lists(plan, 0, 0).hits.size == 0


@given(st.lists(st.sampled_from(MEASURES), unique=True))
def test_every_row_finds_its_rank_and_every_measure_its_columns(measures: list[Measure]) -> None:
    made = plans(measures)
    assert set(made.columns) == set(measures)
    assert {place for places in made.columns.values() for place in places} == set(range(made.width))
    for plan in (made.plain, made.condensed):
        for (formula, cutoff, rel, _, kind, _), found in zip(plan.columns.tolist(), looked_at(plan), strict=True):
            assert found == (formula, kind if formula == Formula.NDCG else plan.rels[rel], cutoff)
        room = lists(plan, 7, 2)
        assert (room.gains.shape, room.hits.size, room.levels["rel"].tolist()) == ((2, 7), 7, plan.rels.tolist())
        assert room.counted[["of", "rank"]].tolist() == plan.counted.tolist()
        assert room.gained[["of", "rank"]].tolist() == plan.gained.tolist()


@pytest.mark.parametrize("name", ["Rprec", "bpref", "infAP", "IPrec@0.5", "SetP", "SetR", "SetF", "NumRelRet"])
def test_what_may_look_below_any_cutoff_looks_at_all_hits(name: str) -> None:
    assert plans(resolve([name, "P@5"])).depth == NO_CUTOFF
    assert plans(resolve(["P@5", "nDCG@7"])).depth == 7
