"""`judge_agreement` from Python: one or several judges, records, tables, gates."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels
from benchbench.judging.agreement.agreement_run import judge_agreement
from benchbench.judging.agreement.suspects import Suspects
from benchbench.report.draw import draw
from benchbench.results.record import plain
from benchbench.stored import load

Table = dict[str, dict[str, float]]
tables = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.integers(0, 3).map(float), min_size=1),
    min_size=1,
)


def drawn(seed: int, wrong: float, queries: int = 20) -> Table:
    rng, truth = np.random.default_rng(seed), np.random.default_rng(0).integers(0, 4, (20, 6))
    changed = np.where(rng.random(truth.shape) < wrong, rng.integers(0, 4, truth.shape), truth)
    return {f"q{q}": {f"d{d}": float(grade) for d, grade in enumerate(changed[q])} for q in range(queries)}


@given(tables, st.lists(tables, min_size=1, max_size=3))
def test_pairs_are_counted_as_dictionaries_count_them(human: Table, judges: list[Table]) -> None:
    def pairs(table: Table) -> set[tuple[str, str]]:
        return {(q, d) for q in table for d in table[q]}

    given_judges = {f"j{n}": Qrels.from_dict(one) for n, one in enumerate(judges)}
    if any(not pairs(human) & pairs(one) for one in judges):
        with pytest.raises(InputError, match="no pair of query and document has a grade by people"):
            judge_agreement(Qrels.from_dict(human), given_judges)
        return
    found = judge_agreement(Qrels.from_dict(human), given_judges)
    for one, table in zip(found.found.judges, judges, strict=True):
        both = pairs(human) & pairs(table)
        assert one.n == len(both)
        assert one.queries == len({q for q, _ in both})
        assert one.unparsed == one.only_human == len(pairs(human) - pairs(table))
        assert one.only_judge == len(pairs(table) - pairs(human))
        same = sum(human[q][d] == table[q][d] for q, d in both) / len(both)
        assert one.intervals["agreement"].value == pytest.approx(same)
    per_query = found.table("per_query")
    assert set(per_query["judge"]) == set(given_judges)
    for judge, query, count, same, bias in per_query.iter_rows():
        table = judges[int(judge[1:])]
        its = [(human[query][d], table[query][d]) for d in human[query] if d in table.get(query, {})]
        assert count == len(its)
        assert same == pytest.approx(sum(a == b for a, b in its) / len(its))
        assert bias == pytest.approx(sum(b - a for a, b in its) / len(its))


def test_mean_grades_are_helped_where_people_have_labelled_some_queries_whole() -> None:
    found = judge_agreement(Qrels.from_dict(drawn(0, 0.0, 8)), {"j": Qrels.from_dict(drawn(1, 0.2))})
    powered = found.found.judges[0].mean_grade
    assert powered is not None
    assert (powered.labelled, powered.unlabelled) == (8, 12)
    human = drawn(0, 0.0, 8)
    assert powered.people == pytest.approx(np.mean([grade for row in human.values() for grade in row.values()]))
    whole = judge_agreement(Qrels.from_dict(drawn(0, 0.0)), {"j": Qrels.from_dict(drawn(1, 0.2))})
    assert whole.found.judges[0].mean_grade is None


def test_a_stored_result_is_read_back_and_drawn_as_it_was(tmp_path: Path) -> None:
    found = judge_agreement(Qrels.from_dict(drawn(0, 0.0)), {"j": Qrels.from_dict(drawn(1, 0.2))})
    found.save(tmp_path / "result")
    back = load(tmp_path / "result")
    assert plain(back.details()) == plain(found.details())
    assert draw(back, "text") == draw(found, "text")
    assert back.table("per_query").equals(found.table("per_query"))


def test_the_same_input_has_the_same_bits() -> None:
    first, second = (
        judge_agreement(Qrels.from_dict(drawn(0, 0.0)), {"j": Qrels.from_dict(drawn(1, 0.2))}) for _ in range(2)
    )
    assert first.record.numbers == second.record.numbers


def test_gates_are_checked_and_kept() -> None:
    found = judge_agreement(
        Qrels.from_dict(drawn(0, 0.0)), {"j": Qrels.from_dict(drawn(1, 0.9))}, fail_if=["low kappa<0.4", "bias<-2"]
    )
    assert [one.verdict for one in found.record.gates] == ["failed", "passed"]


def test_one_judge_may_stand_alone() -> None:
    human, judge = Qrels.from_dict(drawn(0, 0.0)), Qrels.from_dict(drawn(1, 0.2))
    alone, named = judge_agreement(human, judge), judge_agreement(human, {"judge": judge})
    assert alone.details() == named.details()


def test_several_judges_have_alphas_together_and_by_pairs() -> None:
    human = Qrels.from_dict(drawn(0, 0.0))
    judges = {name: Qrels.from_dict(drawn(seed, 0.3)) for name, seed in (("a", 1), ("b", 2), ("c", 3))}
    found = judge_agreement(human, judges)
    assert found.found.together is not None
    assert [(one.one, one.other) for one in found.found.between] == [("a", "b"), ("a", "c"), ("b", "c")]
    numbers = {one.name: one.value for one in found.record.numbers if not one.scope}
    assert numbers == {"alpha_all": found.found.together.alpha, "alpha_judges": found.found.together.judges_alpha}


@pytest.mark.parametrize(
    ("judges", "suspects", "why"),
    [
        ({}, Suspects(), "there is no judge to compare with people"),
        (
            {"a": Qrels.from_dict({"q0": {"d0": 1}}), "b": Qrels.from_dict({"q0": {"d0": 1}})},
            Suspects(again=Qrels.from_dict({"q0": {"d0": 1}})),
            "repeated grades belong to one judge",
        ),
    ],
)
def test_what_makes_no_comparison_is_refused(judges: dict[str, Qrels], suspects: Suspects, why: str) -> None:
    with pytest.raises(InputError, match=why):
        judge_agreement(Qrels.from_dict(drawn(0, 0.0)), judges, suspects=suspects)


def test_people_and_judge_of_other_queries_have_no_rank() -> None:
    from benchbench.formats.qrels_runs import Run

    human = {"q1": {"a": 1.0, "b": 0.0}}
    judge = {"q1": {"a": 1.0, "b": 1.0}}
    found = judge_agreement(
        Qrels.from_dict(human), {"j": Qrels.from_dict(judge)}, {"s": Run.from_dict({"q1": {"a": 1, "b": 2}})}, "RR"
    )
    (systems,) = found.found.judges[0].systems
    assert (systems.queries, systems.tau, systems.systems[0].powered) == (1, None, None)


def test_grades_beyond_those_of_people_are_counted_and_said() -> None:
    human, judge = drawn(0, 0.0), drawn(1, 0.2)
    judge["q0"] |= {"d0": -1.0, "d1": 10.0}
    (one,) = (found := judge_agreement(Qrels.from_dict(human), {"j": Qrels.from_dict(judge)})).found.judges
    assert (one.n, one.confusion.grades) == (120, [-1.0, 0.0, 1.0, 2.0, 3.0, 10.0])
    assert (
        "j gives 2 pairs a grade outside those of people, 0 to 3: -1, 10. It counts as a grade; "
        "remove lines that mean “no verdict”."
    ) in found.found.notes
    assert "kappa@7" in one.intervals
    assert "grade ≥ 7" not in draw(found, "text")
    assert "grade ≥ 10" in draw(found, "text")
    inside = judge_agreement(Qrels.from_dict(human), {"j": Qrels.from_dict(drawn(1, 0.2))})
    assert not any("outside" in note for note in inside.found.notes)


def test_one_of_a_thing_is_not_called_several() -> None:
    human = Qrels.from_dict({"q1": {"a": 1.0, "b": 0.0}})
    found = judge_agreement(human, {"j": Qrels.from_dict({"q1": {"a": 1.0}})})
    text = draw(found, "text") + draw(found, "html")
    assert "1 pair of 1 query" in text
    assert not re.search(r"\b1 (pairs|queries|labels)\b", text.replace("of 2 pairs", ""))
