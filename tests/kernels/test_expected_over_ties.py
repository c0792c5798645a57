"""Expected measures are the means of `formulas.measure` over all orders of the tied blocks."""

import math
from fractions import Fraction
from itertools import chain, permutations, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels import plan as plans
from benchbench.kernels.expected_over_ties import measure_expected
from benchbench.kernels.formulas import ALL, CAPPED, FIXED, NO_CUTOFF, PLAIN, Formula
from benchbench.kernels.judged_hits import scratch
from benchbench.kernels.measure import Judgments, measure
from benchbench.kernels.plan import FormulaPlan, lists
from benchbench.measures.catalog import CATALOG

CUTOFFS = (1, 2, 3, 5, 9)
NONE = int(NO_CUTOFF)
UNJUDGED = None
FORMS = {name.upper(): row.expected for name, row in CATALOG.items()}
UNCHANGED = [name for name, form in FORMS.items() if form == "unchanged"]


class Query(NamedTuple):
    """Grades of the hits in rank order, which of them tie with the one before, and grades of what was missed."""

    grades: list[float | None]
    tied: list[bool]
    missed: list[float]

    def blocks(self) -> list[list[int]]:
        blocks: list[list[int]] = []
        for hit, tied in enumerate(self.tied):
            if hit and tied:
                blocks[-1].append(hit)
            else:
                blocks.append([hit])
        return blocks

    def orders(self) -> list[list[int]]:
        return [list(chain(*order)) for order in product(*map(permutations, self.blocks()))]


def block(grades: list[float | None], missed: list[float] | None = None) -> Query:
    return Query(grades, [True] * len(grades), missed or [])


def plan_of(*rows: tuple) -> FormulaPlan:
    """Each row is formula, cut-off, rel, a, kind; what is left out takes its default."""
    rows = tuple((*row, *(None, NONE, 1.0, 0.0, 0)[len(row) :]) for row in rows)
    rows = tuple((name, k, 0.0 if name == "judged" else rel, a, kind) for name, k, rel, a, kind in rows)
    made = [(Formula[name.upper()], *row) for name, *row in rows]
    return plans.plan_of(made, [row for row in made if row[0].name in UNCHANGED])


SHALLOW = [
    ("ndcg", 2, 1, 0, 0),
    *(("p", k, rel) for k in CUTOFFS for rel in (1, 2)),
    *(("success", k, rel) for k in CUTOFFS for rel in (1, 2)),
    *((name, k, rel, a, rule) for name in ("r", "f1", "hits", "divisor") for k in CUTOFFS for rel in (1, 2)
      for a, rule in ((0, PLAIN), (0, ALL), (2, CAPPED), (3, FIXED))),
    *(("rr", k, rel) for k in CUTOFFS for rel in (1, 2)),
    *(("ap", k, rel) for k in CUTOFFS for rel in (1, 2)),
    *(("ndcg", k, 1, 0, kind) for k in CUTOFFS for kind in (0, 1, 2)),
    *(("rbp", k, rel, p) for k in CUTOFFS for rel in (1, 2) for p in (0.5, 0.95)),
    *(("err", k) for k in CUTOFFS),
    *(("judged", k) for k in CUTOFFS),
]  # fmt: skip
DEEP = [
    *((name, NONE, rel) for name in ("rr", "ap", "rprec", "bpref", "infap", "setp", "setr") for rel in (1, 2)),
    *((name, NONE, rel) for name in ("numret", "numrel", "numrelret", "numq") for rel in (1, 2)),
    *(("setf", NONE, rel, beta) for rel in (1, 2) for beta in (0.5, 1)),
    *(("ndcg", NONE, 1, 0, kind) for kind in (0, 1, 2)),
    *(("rbp", NONE, rel, p) for rel in (1, 2) for p in (0.5, 0.95)),
    ("judged", NONE),
    ("err", NONE),
]
EVERYTHING = plan_of(*SHALLOW, *DEEP)


def gains_of(grade: np.ndarray) -> np.ndarray:
    """Linear ones, exponential ones, and those of a map that does not rise with the grade."""
    mapped = np.select([grade == 1, grade == 2, grade == 3], [3.0, 1.0, -1.0], grade)
    return np.array([grade, np.where(grade > 0, np.exp2(grade) - 1, 0.0), mapped])


class Columns(NamedTuple):
    """What the arrays of one query are; the judgments from the best grade on."""

    hits: np.ndarray
    judged: np.ndarray
    grade: np.ndarray
    gain: np.ndarray
    ideal: np.ndarray


def columns_of(query: Query) -> Columns:
    given = np.array([math.nan if grade is UNJUDGED else grade for grade in [*query.grades, *query.missed]], float)
    identity = np.arange(1, given.size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    judged = np.argsort(-given, kind="stable")[: int((~np.isnan(given)).sum())]
    gain = gains_of(given[judged])
    return Columns(identity[: len(query.grades)], identity[judged], given[judged], gain, -np.sort(-gain, axis=1))


def arrays(queries: list[Query], orders: list[list[int]] | None = None) -> tuple:
    """Return judgments, offsets, document, tied: a group a query, or of one query a group an order."""
    groups = [columns_of(query) for query in queries]
    if orders is not None:
        groups = [groups[0]._replace(hits=groups[0].hits[order]) for order in orders]
    hits, judged, grade, gain, ideal = zip(*groups, strict=True)
    judgments = Judgments(
        np.cumsum([0, *map(len, judged)]),
        np.concatenate(judged),
        np.concatenate(grade),
        np.concatenate(gain, axis=1),
        np.concatenate(ideal, axis=1),
    )
    tied = np.array([tied for query in queries for tied in query.tied], np.bool_)
    return judgments, np.cumsum([0, *map(len, hits)]), np.concatenate(hits), tied


def measured(
    plan: FormulaPlan,
    queries: list[Query],
    expected: bool = True,
    orders: list[list[int]] | None = None,
    depth: int = 0,
) -> np.ndarray:
    """Return the values, a row a query and a column a measure, by `measure_expected` or by `measure`."""
    judgments, offsets, document, tied = arrays(queries, orders)
    most = int(np.diff(judgments.offsets).max())
    longest = max(int(np.diff(offsets).max()), most)
    log2 = np.log2(np.arange(longest) + 2.0)
    count = offsets.size - 1
    values = np.zeros((count, plan.columns.size))
    rest = np.arange(count), 0, count, depth or longest, log2, scratch(most), lists(plan, most, 3), values
    if expected:
        measure_expected(judgments, offsets, document, tied, plan.changed, *rest)
    else:
        measure(judgments, offsets, document, *rest)
    return values


def value_of(query: Query, *row: object) -> float:
    return float(measured(plan_of(row), [query])[0, 0])


grades = st.sampled_from([UNJUDGED, UNJUDGED, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 5.0])
hits = st.lists(st.tuples(grades, st.booleans() | st.just(True)), max_size=6)
missed = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 4.0]), max_size=4)
queries = st.builds(lambda hits, missed: Query([g for g, _ in hits], [t for _, t in hits], missed), hits, missed)


@given(st.lists(queries, min_size=1, max_size=3))
def test_every_defined_measure_is_the_mean_over_all_orders(queries: list[Query]) -> None:
    ours = measured(EVERYTHING, queries)
    for query, values in zip(queries, ours, strict=True):
        theirs = measured(EVERYTHING, [query], False, query.orders()).mean(axis=0)
        worst = int(np.argmax(abs(values - theirs)))
        formula, *row = EVERYTHING.columns[worst].tolist()
        row = [Formula(formula).name, *row]
        assert values[worst] == pytest.approx(theirs[worst], rel=0, abs=1e-12), row


@given(st.lists(queries, min_size=1, max_size=3))
def test_a_block_that_the_depth_cuts_is_read_to_its_end(queries: list[Query]) -> None:
    """A tie wholly below the depth is not seen, and another path has its own rounding."""
    plan = plan_of(*(row for row in SHALLOW if row[1] <= 3))
    assert measured(plan, queries, depth=3) == pytest.approx(measured(plan, queries), rel=0, abs=1e-15)


@given(st.lists(queries, min_size=1, max_size=3))
def test_a_query_with_nothing_tied_has_the_bits_of_its_order(queries: list[Query]) -> None:
    """What `tied` says of a first hit is not read."""
    untied = [
        Query(grades, [True, *(False for _ in grades[1:])][: len(grades)], missed) for grades, _, missed in queries
    ]
    assert measured(EVERYTHING, untied).tolist() == measured(EVERYTHING, untied, False).tolist()


@given(queries, st.integers(1, 30))
def test_a_tie_far_below_changes_nothing_above(query: Query, between: int) -> None:
    """A block of one takes the same path as the larger ones once anything is tied."""
    tail = [UNJUDGED] * (between + 9)
    untied = Query(query.grades + tail, [False] * (len(query.grades) + len(tail)), query.missed)
    tied = untied._replace(tied=[*untied.tied[:-1], True])
    ours, theirs = measured(EVERYTHING, [tied]), measured(EVERYTHING, [untied], False)
    assert ours == pytest.approx(theirs, rel=0, abs=1e-15)


def test_every_formula_with_an_expected_value_is_compared_above() -> None:
    """A measure of the catalog says which form it has, and the parts of micro averages have one too."""
    without = {one for one in Formula if FORMS.get(one.name) == "none"}
    assert set(EVERYTHING.columns["formula"].tolist()) == set(Formula) - without
    assert without == {Formula.IPREC, Formula.ALPHA_NDCG, Formula.ERR_IA, Formula.STRECALL}


@pytest.mark.slow  # numba compiles a kernel, only to raise what it raised
@pytest.mark.parametrize("expected", [True, False])
def test_a_formula_without_a_branch_is_an_error_and_never_a_number(expected: bool) -> None:
    plan = plans.plan_of([(max(Formula) + 1, 2, 1.0, 0.0, 0)])
    with pytest.raises(NotImplementedError, match=r"kernels\.formulas has no branch for a formula"):
        measured(plan, [block([1, 0, UNJUDGED])], expected)


@pytest.mark.slow  # as above
def test_a_formula_without_an_expected_value_is_an_error_and_never_that_of_one_order() -> None:
    plan = plans.plan_of([(Formula.IPREC, NONE, 1.0, 0.5, 0)])
    with pytest.raises(NotImplementedError, match=r"kernels\.expected_over_ties has no branch for a formula"):
        measured(plan, [block([1, 0, UNJUDGED])])


# Cases by name


def test_a_query_never_judged_is_left_alone() -> None:
    judgments, offsets, document, tied = arrays([block([1, 0]), block([1, 0])])
    values, plan = np.full((2, 1), 7.0), plan_of(("p", 1))
    rest = np.array([1, -1]), 0, 2, 2, np.log2(np.arange(2) + 2.0), scratch(2), lists(plan, 2, 3), values
    measure_expected(judgments, offsets, document, tied, plan.changed, *rest)
    assert values.tolist() == [[7.0], [0.5]]


def test_queries_of_other_stretches_are_left_alone() -> None:
    judgments, offsets, document, tied = arrays([block([1, 0])] * 3)
    values, plan = np.full((3, 1), 7.0), plan_of(("p", 1))
    rest = np.arange(3), 1, 2, 2, np.log2(np.arange(2) + 2.0), scratch(2), lists(plan, 2, 3), values
    measure_expected(judgments, offsets, document, tied, plan.changed, *rest)
    assert values.tolist() == [[7.0], [0.5], [7.0]]


@pytest.mark.parametrize("grade", [1.0, 3.0])
def test_a_large_block_of_equals_scores_as_any_order_of_it(grade: float) -> None:
    plan = plan_of(*((*row[:1], 20, *row[2:]) if row[0] == "err" else row for row in SHALLOW + DEEP))
    query = block([grade] * 20_000)
    assert measured(plan, [query])[0] == pytest.approx(measured(plan, [query], False)[0], rel=0, abs=1e-12)


def test_a_block_of_20000_hits_has_its_closed_forms() -> None:
    n, relevant, k = 20_000, 300, 1000
    query = block([2.0] * relevant + [0.0] * 700 + [UNJUDGED] * (n - 1000), [1.0] * 100)
    log2 = np.log2(np.arange(n) + 2.0)
    no_hit = Fraction(math.comb(n - relevant, k), math.comb(n, k))
    assert value_of(query, "p", k) == pytest.approx(relevant / n, rel=1e-13)
    assert value_of(query, "r", k) == pytest.approx(relevant * k / n / 400, rel=1e-13)
    assert value_of(query, "success", k) == pytest.approx(float(1 - no_hit), rel=1e-13)
    assert value_of(query, "success", 10) == pytest.approx(1 - math.prod(1 - relevant / (n - i) for i in range(10)))
    assert value_of(query, "rprec") == pytest.approx(relevant / n, rel=1e-13)
    assert value_of(query, "judged", k) == pytest.approx(1000 / n, rel=1e-13)
    assert value_of(query, "rbp", NONE, 1.0, 0.8) == pytest.approx(relevant / n, rel=1e-13)
    assert value_of(query, "rbp", k, 1.0, 0.999) == pytest.approx(relevant / n * (1 - 0.999**k), rel=1e-12)
    ideal = (2 / log2[:relevant]).sum() + (1 / log2[relevant : relevant + 100]).sum()
    assert value_of(query, "ndcg") == pytest.approx(2 * relevant / n * (1 / log2).sum() / ideal, rel=1e-12)
    harmonic = math.fsum(1 / i for i in range(1, n + 1))
    pairs = (relevant - 1) / (n - 1)
    assert value_of(query, "ap") == pytest.approx(relevant / n * (harmonic + pairs * (n - harmonic)) / 400, rel=1e-12)
    assert value_of(block([1.0] + [UNJUDGED] * (n - 1)), "rr") == pytest.approx(harmonic / n, rel=1e-12)
    for name in ("infap", "bpref", "err"):
        assert 0.0 < value_of(query, name, k) < 1.0


@pytest.mark.parametrize(("n", "relevant", "k"), [(300, 40, 100), (300, 280, 290), (2000, 1000, 1000)])
def test_recall_and_f1_are_exact_hypergeometric_sums(n: int, relevant: int, k: int) -> None:
    query = block([1.0] * relevant + [UNJUDGED] * (n - relevant))
    cap = relevant * k // n
    shares = {
        x: Fraction(math.comb(relevant, x) * math.comb(n - relevant, k - x), math.comb(n, k))
        for x in range(max(0, k - n + relevant), min(k, relevant) + 1)
    }
    recall = sum(share * min(Fraction(x, cap), 1) for x, share in shares.items())
    f1 = sum(share * Fraction(2 * x, k + relevant) for x, share in shares.items())
    assert value_of(query, "r", k, 1.0, cap, CAPPED) == pytest.approx(float(recall), rel=1e-13)
    assert value_of(query, "f1", k) == pytest.approx(float(f1), rel=1e-13)


def test_reciprocal_rank_of_a_large_block_is_an_exact_sum() -> None:
    n, relevant = 3000, 50
    query = block([1.0] * relevant + [UNJUDGED] * (n - relevant))
    ways = math.comb(n, relevant)
    exact = sum(Fraction(math.comb(n - rank, relevant - 1), ways * rank) for rank in range(1, n - relevant + 2))
    assert value_of(query, "rr") == pytest.approx(float(exact), rel=1e-12)


def test_err_of_a_block_beyond_brute_force_is_an_exact_sum() -> None:
    """The probability to go on below rank x is the elementary symmetric polynomial of x, over the number of choices."""
    given = [grade for grade in (0.0, 1.0, 2.0, 3.0, 4.0) for _ in range(12)]
    stay = [1 - Fraction(2 ** int(grade) - 1, 16) for grade in given]
    polynomial = [Fraction(1)] + [Fraction(0)] * len(stay)
    for one in stay:
        for x in range(len(stay), 0, -1):
            polynomial[x] += one * polynomial[x - 1]
    go_on = [polynomial[x] / math.comb(len(stay), x) for x in range(len(stay) + 1)]
    for k in (1, 10, 60):
        exact = sum((go_on[x] - go_on[x + 1]) / (x + 1) for x in range(k))
        assert value_of(block(list(given)), "err", k) == pytest.approx(float(exact), rel=1e-13)
