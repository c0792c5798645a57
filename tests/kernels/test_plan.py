"""A plan names each rank once at which several columns look, and has its rows by formula in blocks."""

import pytest
from drawn_records import MEASURES
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.plan import NO_CUTOFF, PLAIN, Formula, Plan, Row, lists, plan_of
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.plan import plans


def row(formula: Formula, cutoff: int = int(NO_CUTOFF), rel: float = 1.0, a: float = 0.0, kind: int = PLAIN) -> Row:
    return formula, cutoff, rel, a, kind


def looked_at(plan: Plan) -> list[tuple[int, float, int]]:
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
