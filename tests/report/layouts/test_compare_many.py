"""The page of many systems: one row each, groups of ties, order by measure, means by slices."""

import re

import pytest
from invented_comparison import lists
from page_sources import words

from benchbench.comparison.compare_result import CompareDetails
from benchbench.report.draw import draw, layout
from benchbench.report.figures import of_page
from benchbench.report.layouts.compare_many import shown_systems
from benchbench.report.page_blocks import Plot
from benchbench.report.row_drawings import ColourMap, Forest


def drawings(result) -> dict[str, Plot | Forest | ColourMap]:
    return {name: chart.plot for name, chart in of_page(layout(result).of_page()).items()}


def test_rows_stand_in_the_order_of_each_measure_and_share_a_group_where_they_are_tied():
    result = lists((0.3, 0.7, 0.7, 0.5, 0.5))
    for name in ("forest", "forest:m1"):
        forest = drawings(result)[name]
        assert isinstance(forest, Forest)
        assert [row.mean for row in forest.rows] == sorted((row.mean for row in forest.rows), reverse=True)
        assert [tuple(row.groups) for row in forest.rows] == [(0,), (0,), (1,), (1,), (2,)]
        assert [row.muted for row in forest.rows] == [False, False, True, True, True]
        assert [row.cells[1][0][0] for row in forest.rows] == ["b", "○", "▼", "▼", "▼"]


def test_where_all_are_tied_one_group_holds_them():
    result = lists((0.5, 0.5, 0.5, 0.5))
    forest = drawings(result)["forest"]
    assert isinstance(forest, Forest)
    assert forest.groups == ["a"]
    assert not any(row.muted for row in forest.rows)
    assert "4 systems do not differ measurably from the best in m0" in words(draw(result, "html"))


@pytest.mark.parametrize("baseline", [None, "s12"])
def test_of_over_twenty_the_first_ten_the_last_two_and_the_baseline_are_shown_and_a_table_has_the_rest(baseline):
    result = lists([0.9 - 0.03 * number for number in range(25)], baseline=baseline, queries=40)
    names = shown_systems(result.details_as(CompareDetails))
    assert len(names) == (12 if baseline is None else 13)
    assert baseline in {None, *names}
    forest = drawings(result)["forest"]
    assert isinstance(forest, Forest)
    assert {row.name for row in forest.rows} == set(names)
    assert bool(forest.groups) is (baseline is None), "letters need all pairs"
    source = draw(result, "html")
    assert f"{25 - len(names)} more systems" in source
    assert f"the {len(names)} systems that it shows, of 25" in words(source)


def test_names_of_any_length_stay_within_the_drawing():
    result = lists((0.3, 0.7, 0.7, 0.5), queries=30)
    for name in ("forest", "ranks"):
        for width, source in re.findall(r'<svg class="\w+" viewBox="0 0 (\d+) .*?>(.*?)</svg>', draw(result, "html")):
            ends = [float(x) for x in re.findall(r'<text[^>]* x="([\d.-]+)"', source)]
            assert all(0 <= x <= int(width) for x in ends), name
