"""Charts: where things stand on their scales, and that texts stay inside."""

import re

import pytest

from benchbench.report.page_blocks import Axis, Cloud, Dot, Path, Plot, Rule
from benchbench.report.render.plot import WIDTHS, drawn

UNIT = Axis(0.0, 1.0, [(0.0, "0"), (1.0, "1")])


def circles(source: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'<circle [^>]*cx="([\d.-]+)" cy="([\d.-]+)"', source)]


def svg(plot: Plot, name: str = "wide", columns: int = 2) -> str:
    (found,) = re.findall(rf'<svg class="{name}".*?</svg>', str(drawn(plot, columns)), re.DOTALL)
    return found


def test_equal_steps_of_a_scale_are_equally_far_apart():
    of = {
        "linear": [0.0, 0.5, 1.0],
        "log": [1.0, 10.0, 100.0],
        "nines": [0.0, 0.9, 0.99],
    }
    for scale, values in of.items():
        axis = Axis(values[0], values[-1], [], scale)
        low, middle, high = circles(svg(Plot("", UNIT, axis, [Dot(0.5, value) for value in values])))
        assert middle[1] == pytest.approx((low[1] + high[1]) / 2, abs=0.1)
        left, between, right = circles(svg(Plot("", axis, UNIT, [Dot(value, 0.5) for value in values])))
        assert between[0] == pytest.approx((left[0] + right[0]) / 2, abs=0.1)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", ["wide", "narrow"])
def test_texts_stay_within_the_drawing(columns: int, name: str):
    ticks = [(number / 4, f"{number} requests") for number in range(5)]
    marks = [Dot(x, y, "17.0 ms", hollow=hollow) for x in (0.0, 1.0) for y in (0.1, 0.9) for hollow in (True, False)]
    source = svg(Plot("", Axis(0.0, 1.0, ticks), UNIT, marks), name, columns)
    width = WIDTHS[columns][name == "narrow"]
    for anchor, x, text in (
        (a, float(x), t) for x, a, t in re.findall(r'x="([\d.-]+)"[^>]*anchor="(\w+)">([^<]*)', source)
    ):
        half = len(text) * 6
        left = x - {"start": 0, "middle": half / 2, "end": half}[anchor]
        assert left >= -8
        assert left + half <= width + 8, text


def test_ticks_that_would_lie_on_one_another_are_left_out():
    ticks = [(number / 100, f"tick {number}") for number in range(100)]
    found = re.findall(r">tick (\d+)<", svg(Plot("", Axis(0.0, 1.0, ticks), UNIT, [])))
    assert 5 < len(found) < 15


def test_what_has_no_points_draws_nothing_and_markup_stays_text():
    source = str(drawn(Plot('"><b>', UNIT, UNIT, [Path([]), Cloud([]), Rule(0.5, "<b>")]), 1))
    assert "<b>" not in source
    assert source.count("&lt;b&gt;") == 3
    assert "cloud" not in source
