"""The measures where none are named."""

import pytest

from benchbench.measures.default_list import (
    averaged_measures,
    deepest_cutoff,
    default_cutoffs,
    default_measures,
    leading,
)
from benchbench.measures.notation import resolve


def test_the_default_measures_are_those_of_the_first_version_in_its_order() -> None:
    assert list(map(str, default_measures((3, 10)))) == [
        f"{name}@{k}"
        for k in (3, 10)
        for name in ("P", "R", "Success", "F1", "nDCG", "RR", "microP", "microR", "microF1")
    ]


@pytest.mark.parametrize(
    ("measures", "cutoffs"),
    [
        (default_measures((3, 5)), (3, 5)),
        (default_measures((3, 5))[:-1], ()),
        (default_measures((3, 5))[::-1], ()),
        (resolve(["P@3", "RBP"]), ()),
        (resolve(["RBP"]), ()),
    ],
)
def test_only_the_whole_list_in_its_order_is_the_default(measures, cutoffs) -> None:
    assert default_cutoffs(measures) == cutoffs


def test_micro_averages_are_left_out_of_the_default_measures_alone() -> None:
    assert {one.name for one in averaged_measures(default_measures((5,)))} == {"P", "R", "Success", "F1", "nDCG", "RR"}
    asked = tuple(resolve(["microF1@5", "P@5"]))
    assert averaged_measures(asked) == asked


@pytest.mark.parametrize(
    ("names", "deepest", "first"),
    [
        (["nDCG@5", "P@20", "nDCG@20", "R"], 20, "nDCG@20"),
        (["nDCG@5", "P@20"], 20, "nDCG@5"),
        (["AP", "IPrec@0.5"], None, "AP"),
        (["RBP", "nDCG@5"], 5, "nDCG@5"),
    ],
)
def test_the_deepest_rank_and_the_measure_for_one_place(names: list[str], deepest, first: str) -> None:
    measures = resolve([name for name in names if name != "R"])
    assert deepest_cutoff(measures) == deepest
    assert leading([str(one) for one in measures]) == first
