"""What a comparison comes to, in a sentence that no order of measures changes."""

from dataclasses import replace
from itertools import permutations

import invented_comparison as invented
import numpy as np
import pytest

from benchbench.comparison.compare_result import CompareDetails, CompareOutcome, Speed, System
from benchbench.comparison.verdict import against, coarse, verdict
from benchbench.significance.comparing import compare
from benchbench.significance.settings import Settings
from benchbench.tables.paired import Paired


def details(lifts: dict[str, tuple[float, ...]], baseline: str | None = "whole", queries: int = 200) -> CompareDetails:
    """Return a comparison in which systems differ from `whole` by so much in each measure."""
    random = np.random.default_rng(1)
    ease = random.random(queries)
    noise = random.normal(0, 0.02, (len(lifts), queries))
    measures = tuple(f"m{place}" for place in range(len(next(iter(lifts.values())))))
    values = [[ease, *(ease + np.array(lift)[m] + noise[s] for s, lift in enumerate(lifts.values()))]
              for m in range(len(measures))]  # fmt: skip
    paired = Paired(("whole", *lifts), measures, [f"q{q}" for q in range(queries)], np.array(values))
    found = compare(paired, Settings(baseline=baseline, resamples=500))
    systems = tuple(System(name=name, source=name, signature="", counts={}) for name in paired.systems)
    return CompareOutcome(comparison=found, systems=systems, moved={}, moved_by="m0", evidence=()).details()


def test_each_system_has_a_clause_best_first():
    found = verdict(details({"short": (-0.1, -0.1, -0.1), "plain": (0.1, 0.0, 0.0), "half": (-0.1, -0.1, 0.0)}))
    assert found.said == ("plain is better than whole in 1 of 3 measures; half is worse in 2; short is worse in all 3.")
    assert [one.system for one in found.counts] == ["plain", "half", "short"]
    assert found.unknown == "In 3 of 9 comparisons (○) the system may be better or worse: 200 queries do not tell."


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_measures_changes_nothing(order):
    lifts = {"short": (-0.1, 0.0, -0.1), "plain": (0.1, 0.0, -0.2)}
    wanted = verdict(details(lifts))
    one = details(lifts)
    measures = tuple(one.measures[place] for place in order)
    moved = replace(
        one,
        measures=measures,
        differences=tuple(each for measure in measures for each in one.by_measure[measure]),
        estimates=tuple(one.estimate(measure, name) for measure in measures for name in one.names),
    )
    assert verdict(moved) == wanted


def test_better_and_worse_are_both_said():
    assert verdict(details({"a": (0.1, -0.1)})).said == "a is better than whole in 1 of 2 measures and worse in 1."


def test_of_one_measure_that_is_named():
    assert verdict(details({"a": (0.1,)})).said == "a is better than whole in m0."


def test_where_nothing_is_shown_that_is_not_called_the_same():
    found = verdict(details({"a": (0.0, 0.0)}))
    assert found.said == "No difference from whole is shown for a in any of 2 measures."
    assert found.unknown == "In all 2 measures a may be better or worse: 200 queries do not tell."


def test_the_same_values_are_called_that():
    random = np.random.default_rng(1).random((1, 1, 40))
    paired = Paired(("a", "b"), ("m",), [f"q{q}" for q in range(40)], np.repeat(random, 2, axis=1))
    found = compare(paired, Settings(resamples=200))
    said = verdict(CompareOutcome(comparison=found, systems=(), moved={}, moved_by="m", evidence=()).details())
    assert said.said == "a and b have the same value for every query."
    assert said.unknown == ""


def test_of_few_queries_it_is_said_how_little_they_tell():
    one = details({"a": (0.0,)}, queries=12)
    assert coarse(one)
    assert verdict(one).said.startswith("12 queries tell little: a difference smaller than 0.0")


def test_where_all_pairs_are_compared_systems_are_counted_against_all_others():
    one = details({"a": (0.1, 0.1), "b": (-0.1, 0.0)}, None)
    assert against(one) is None
    assert verdict(one).said == (
        "a is better in 4 of 4 comparisons; whole is better in 1 and worse in 2; b is worse in 3."
    )


def test_of_many_systems_the_best_have_a_clause():
    names = tuple(f"s{number}" for number in range(8))
    said = verdict(invented.outcome(queries=100, names=names).details()).said
    assert said.count(";") == 3
    assert said.endswith("; 5 more are below.")


def test_speed_is_a_ratio_and_failed_queries_come_before_all():
    one = details({"a": (0.1,), "b": (0.1,)})
    speeds = {"whole": 100.0, "a": 150.0, "b": 101.0}
    systems = tuple(
        System(
            name=name,
            source=name,
            signature="",
            counts={"failed": 3 * (name == "b")},
            speed=Speed(32, 8, speed, {"p99": 1.0}),
        )
        for name, speed in speeds.items()
    )
    found = verdict(replace(one, systems=systems))
    assert found.speed == "a answers 1.5 times as many queries a second as whole."
    assert found.failed == "3 queries of b failed and count 0."
    assert verdict(one).speed == verdict(one).failed == ""
