"""What a comparison comes to, in a sentence per system that no order of measures changes."""

from dataclasses import replace
from itertools import permutations

import invented_comparison
import numpy as np
import pytest

from benchbench.comparison.compare_result import CompareDetails, SystemSpeed
from benchbench.comparison.headline import dominated, failed, headline, speed
from benchbench.comparison.speed import SpeedRatio
from benchbench.significance.comparison_settings import CompareSettings

FOUR = ("nDCG@3", "nDCG@10", "R@10", "RR")


def of_pair(*directions: int, measures: tuple[str, ...] = FOUR) -> CompareDetails:
    """Return a comparison of b with a, with the direction of each measure's difference."""
    whole = invented_comparison.outcome(queries=20, names=("a", "b"), slices=False, load=False).details()
    by_measure = {one.measure: replace(one, mean=0.1, detectable=0.05) for one in whole.differences}
    kept = [replace(by_measure[name], direction=way, mean=0.1 * (way or 1))
            for name, way in zip(measures, directions, strict=True)]  # fmt: skip
    return replace(whole, measures=measures, differences=tuple(kept), speeds=())


def lifted(lifts: dict[str, tuple[float, ...]], baseline: str | None = "whole", queries: int = 200) -> CompareDetails:
    """Return a comparison in which systems differ from `whole` by so much in each measure."""
    random = np.random.default_rng(1)
    ease = random.random(queries)
    noise = random.normal(0, 0.02, (len(lifts), queries))
    values = [[ease, *(ease + np.array(lift)[m] + noise[s] for s, lift in enumerate(lifts.values()))]
              for m in range(len(next(iter(lifts.values()))))]  # fmt: skip
    names = ("whole", *lifts)
    return invented_comparison.compared(np.array(values), CompareSettings(baseline, resamples=500), names).details()


@pytest.mark.parametrize(
    ("directions", "said"),
    [
        ((1, 0, 0, 0), ("▲", "b is better than a in 1 of 4 measures (nDCG@3); no measurable difference in 3.")),
        ((1, 1, 1, 1), ("▲", "b is better than a in 4 of 4 measures.")),
        (
            (-1, -1, 0, 0),
            ("▼", "b is worse than a in 2 of 4 measures (nDCG@10 and nDCG@3); no measurable difference in 2."),
        ),
        ((1, 1, -1, 0), ("◐", "b is better than a in 2 of 4 measures and worse in 1; no measurable difference in 1.")),
        ((0, 0, 0, 0), ("○", "b and a do not differ measurably in any of 4 measures.")),
        ((1,), ("▲", "b is better than a in RR.")),
        ((-1,), ("▼", "b is worse than a in RR.")),
        ((0,), ("○", "b and a do not differ measurably in RR.")),
    ],
)
def test_measures_are_counted_by_what_is_shown_and_the_only_one_is_named(directions: tuple[int, ...], said: str):
    measures = ("RR",) if len(directions) == 1 else FOUR
    assert headline(of_pair(*directions, measures=measures)).sentences == [said]


def test_where_mean_and_test_disagree_neither_is_called_better():
    details = of_pair(1, 1, 1, 1)
    disagree = tuple(replace(difference, mean=-0.1) for difference in details.differences)
    assert headline(replace(details, differences=disagree)) == headline(of_pair(0, 0, 0, 0))


def test_what_is_not_shown_is_not_called_equal_and_says_what_helps():
    means, advice = headline(of_pair(1, 0, 0, 0)).advice
    assert means.startswith("b has nDCG@3 0.317, a 0.310: +0.008 (95 % interval ")
    assert advice == (
        "20 queries detect a difference of 0.050 in R@10 (80 % power); `--need 0.02` prints how many queries it takes "
        "to detect 0.02."
    )
    assert headline(of_pair(1, 1, 1, 1)).advice == [means]
    details = of_pair(0, 0, 0, 0)
    assert headline(replace(details, settings=replace(details.settings, need=0.02))).advice == [means]


def test_of_few_queries_it_is_said_how_little_they_tell():
    _, few, _ = headline(lifted({"a": (0.0,)}, queries=12)).advice
    assert few.startswith("12 queries are few: a difference below 0.0")
    assert few.endswith(" would hardly show.")


def test_three_systems_in_one_order_have_one_sentence():
    found = headline(lifted({"a": (0.1, 0.1), "b": (-0.1, -0.1)}, None))
    assert found.sentences == [("▲", "a is better than whole, and whole than b, in both measures.")]
    (means,) = found.advice
    assert means.count("(−0.") == 2


def test_the_same_values_are_called_that():
    values = np.repeat(np.random.default_rng(1).random((1, 1, 40)), 2, axis=1)
    found = headline(invented_comparison.compared(values, CompareSettings(resamples=200)).details())
    assert found == ([("○", "s0 and s1 have the same value in every measure for all 40 queries.")], ())


def test_the_same_hits_are_identical_results():
    details = invented_comparison.compared(
        np.repeat(np.random.default_rng(1).random((1, 1, 40)), 2, axis=1), CompareSettings(resamples=200)
    ).details()
    systems = tuple(replace(system, signature="run:a|version:1") for system in details.systems)
    ((_, sentence),) = headline(replace(details, systems=systems)).sentences
    assert sentence == "s0 and s1 give identical results: the same hits in the same order for all 40 queries."


def test_each_system_has_a_sentence_best_first_and_more_are_cut_and_counted():
    details = lifted({"short": (-0.1, -0.1, -0.1), "plain": (0.1, 0.0, 0.0)})
    assert [said.split()[0] for _, said in headline(details).sentences] == ["plain", "short"]
    assert headline(details, 1).sentences[1:] == [("○", "… and 1 more system.")]


def test_where_all_pairs_are_compared_systems_are_counted_against_all_others():
    assert headline(lifted({"a": (0.1, 0.1), "b": (-0.1, 0.0)}, None)).sentences == [
        ("▲", "a is better than whole and b in both measures."),
        ("◐", "whole is better in 1 of 4 comparisons and worse in 2; no measurable difference in 1."),
        ("▼", "b is worse in 3 of 4 comparisons; no measurable difference in 1."),
    ]
    assert headline(lifted({"a": (0.0,), "b": (0.0,)}, None)).sentences[0] == (
        "○",
        "b is not measurably different from whole and a in m0.",
    )


def test_the_order_of_measures_changes_nothing():
    details = lifted({"short": (-0.1, 0.0, -0.1), "plain": (0.1, 0.0, -0.2)})
    for order in permutations(details.measures):
        moved = replace(
            details,
            measures=order,
            differences=tuple(one for measure in order for one in details.by_measure[measure]),
            estimates=tuple(details.estimate(measure, name) for measure in order for name in details.names),
        )
        assert headline(moved) == headline(details)


def test_speeds_are_beside_the_baseline_or_the_slowest_and_what_was_not_compared_is_said_once():
    details = lifted({"a": (0.1,), "b": (0.1,)})
    assert speed(details) == []
    fast = {"ratio": 2.0, "low": 1.9, "high": 2.1, "in_turns": True}
    speeds = (SpeedRatio(baseline="a", system="whole", **fast), SpeedRatio(baseline="whole", system="b", why="no"))
    some = replace(details, speeds=(*speeds, SpeedRatio(baseline="a", system="b", why="no")))
    assert speed(some)[0] == "a answers half as fast as whole (95 % interval 0.48 to 0.53)."
    assert speed(some)[1:] == ["The speed of b was not compared: no."]
    assert headline(some).advice[-2:] == speed(some)
    assert speed(replace(some, speeds=speeds[1:])) == ["Speed was not compared: no."]
    times = {"whole": 1.0, "a": 2.0, "b": 1.0}
    systems = tuple(replace(one, speed=SystemSpeed(32, 8, None, {"p50": times[one.name]})) for one in details.systems)
    every = lifted({"a": (0.1,), "b": (0.1,)}, None)
    assert speed(replace(every, systems=systems, speeds=speeds))[0].startswith("whole answers twice as fast as a")


def test_a_system_is_dominated_where_another_is_measurably_better_and_measurably_faster():
    details = lifted({"a": (0.1,), "b": (0.1,)})
    fast = {"ratio": 2.0, "low": 1.9, "high": 2.1}
    faster = SpeedRatio(baseline="whole", system="a", **fast)
    unclear = SpeedRatio(baseline="whole", system="b", ratio=2.0, low=0.9, high=4.0)
    assert dominated(replace(details, speeds=(faster, unclear)), details.measures[0]) == {"whole": "a"}
    assert dominated(replace(details, speeds=(faster.reversed(),)), details.measures[0]) == {"whole": "a"}
    slower = SpeedRatio(baseline="a", system="whole", **fast)
    assert dominated(replace(details, speeds=(slower, unclear)), details.measures[0]) == {}


def test_failed_queries_are_counted():
    details = lifted({"a": (0.1,), "b": (0.1,)})
    assert failed(details) == ""
    systems = tuple(replace(one, counts={"failed": 3 * (one.name == "b")}) for one in details.systems)
    assert failed(replace(details, systems=systems)) == "3 queries of b failed and count 0."
