"""Which hits are relevant by each rule: naive twins on records, and what lies on a bound."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from drawn_records import QUERIES, RANKED, TASKS
from hypothesis import given
from hypothesis import strategies as st
from judged_records import Asked, Book
from months import MONTHS_THAT_FIT
from naive_rules import is_relevant

from benchbench.kernels.rules import HitColumns, QueryColumns, Relevant, Rule, find_relevant
from benchbench.tasks.reading import parse_task
from benchbench.tasks.task import Task

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
    missing = find_relevant(book.tasks.kernel, 0, members, 0, len(asked), hits, queries, rank, out)
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
    assert {task.rule for task in TASKS} == set(Rule)


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


# Sets


@pytest.mark.parametrize(
    ("parameters", "relevant"),
    [
        ("", "abcd ab b abx"),
        (", least=2", "abcd ab abx"),
        (", least=3", ""),
        (", jaccard=0.5", "abcd ab b abx"),
        (", jaccard=0.6", "ab abx"),
        (", jaccard=1", "ab"),
        (", least=3, jaccard=1", "ab"),
        (", least=2, jaccard=1", "abcd ab abx"),
    ],
)
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


def test_a_rule_without_a_branch_is_an_error_and_not_overlap() -> None:
    kernel = Book([LABELLED[0]]).tasks.kernel
    kernel.each["rule"] = max(Rule) + 1
    nothing: Any = None
    with pytest.raises(NotImplementedError, match=f"no branch for rule {max(Rule) + 1}"):
        find_relevant(
            kernel, 0, nothing, 0, 0, HitColumns(*[nothing] * 5), QueryColumns(*[nothing] * 12), *[nothing] * 2
        )
