"""Letters of ties: two systems share one if and only if they do not differ."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.significance.letters import rank_span, tie_groups, tie_letters
from benchbench.significance.result import PairedDifference


@st.composite
def differing(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    systems = draw(st.integers(1, 9))
    pairs = list(combinations(range(systems), 2))
    return systems, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


def greatest_groups(systems: int, different: list[tuple[int, int]]) -> list[set[int]]:
    """Return all groups without a pair that differs to which no system can be added."""
    free = [
        set(group)
        for size in range(1, systems + 1)
        for group in combinations(range(systems), size)
        if not any(pair in different for pair in combinations(group, 2))
    ]
    return [group for group in free if not any(group < other for other in free)]


@given(differing())
def test_two_systems_share_a_group_if_and_only_if_they_do_not_differ(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    systems, different = drawn
    groups = tie_groups(systems, different)
    shared = {pair for group in groups for pair in combinations(group, 2)}
    assert shared == set(combinations(range(systems), 2)) - set(different)
    assert {place for group in groups for place in group} == set(range(systems))
    greatest = greatest_groups(systems, different)
    assert all(set(group) in greatest for group in groups)  # so none is part of another
    assert groups == sorted(groups)
    assert len({tuple(group) for group in groups}) == len(groups) <= len(greatest)


@pytest.mark.parametrize("reach", [0, 1, 40, 999])
def test_a_thousand_systems_that_differ_by_their_distance_have_a_group_for_each_window(reach: int) -> None:
    far = [(a, b) for a in range(1000) for b in range(a + reach + 1, 1000)]
    assert tie_groups(1000, far) == [list(range(at, at + reach + 1)) for at in range(1000 - reach)]


def test_groups_of_which_there_are_billions_are_not_all_gone_through() -> None:
    trios = [(a, b) for a, b in combinations(range(90), 2) if a // 3 == b // 3]  # 3^30 greatest groups
    groups = tie_groups(90, trios)
    shared = {pair for group in groups for pair in combinations(group, 2)}
    assert shared == set(combinations(range(90), 2)) - set(trios)


def between(baseline: str, system: str, significant: bool) -> PairedDifference:
    return PairedDifference(
        "nDCG@10", baseline, system, 0.0, None, None, p={}, corrected={}, significant=significant,
        direction=0, effect=None, wins=0, ties=1, losses=0, detectable=None,
    )  # fmt: skip


def test_letters_stand_in_the_order_of_the_systems() -> None:
    differences = [between("bad", "best", True), between("bad", "good", False), between("good", "best", False)]
    assert tie_letters(["best", "good", "bad"], differences) == {"best": "a", "good": "ab", "bad": "b"}
    assert tie_letters(["alone"], []) == {"alone": "a"}


def test_more_groups_than_letters_have_numbers() -> None:
    names = [f"{place}" for place in range(54)]
    differences = [between(a, b, int(b) - int(a) > 1) for a, b in combinations(names, 2)]
    letters = tie_letters(names, differences)
    assert (letters["0"], letters["1"], letters["53"]) == ("1", "1,2", "53")
    fewer = [each for each in differences if "53" not in (each.system, each.baseline)]
    assert tie_letters(names[:53], fewer)["52"] == "Z"


def test_a_span_of_ranks_has_both_ends_or_is_one_rank() -> None:
    assert (rank_span(1, 3), rank_span(2, 2)) == ("1–3", "2")
