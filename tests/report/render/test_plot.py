"""Charts: where things stand on their scales, and that texts stay inside and where they say what they are of."""

import itertools
import re

import pytest
from cases import check_rows

from benchbench.report.page_blocks import Axis, Cloud, Dot, Drop, Heat, Label, Path, Plot, PlotMark, Rule, Shade, Stem
from benchbench.report.render.plot import WIDTHS, drawn

UNIT = Axis(0.0, 1.0, [(0.0, "0"), (1.0, "1")])
TICKS = Axis(0.0, 1.0, [(number / 100, f"tick {number}") for number in range(100)])


def svg(*marks: PlotMark, name: str = "wide", columns: int = 2, x: Axis = UNIT, y: Axis = UNIT, margin: int = 0) -> str:
    source = str(drawn(Plot("", x, y, marks, margin=margin), columns))
    (found,) = re.findall(rf'<svg class="{name}".*?</svg>', source, re.DOTALL)
    return found


def circles(source: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'<circle [^>]*cx="([\d.-]+)" cy="([\d.-]+)"', source)]


def texts(source: str) -> dict[str, tuple[str, float, float]]:
    """Return side and place of each text."""
    found = re.findall(r'<text[^>]* x="([\d.-]+)" y="([\d.-]+)" text-anchor="(\w+)">([^<]*)', source)
    return {text: (anchor, float(x), float(y)) for x, y, anchor, text in found}


def test_equal_steps_of_a_scale_are_equally_far_apart():
    for scale, values in (("linear", [0.0, 0.5, 1.0]), ("log", [1.0, 10.0, 100.0]), ("nines", [0.0, 0.9, 0.99])):
        axis = Axis(values[0], values[-1], [], scale)
        low, middle, high = circles(svg(*(Dot(0.5, value) for value in values), y=axis))
        assert middle[1] == pytest.approx((low[1] + high[1]) / 2, abs=0.1)
        left, between, right = circles(svg(*(Dot(value, 0.5) for value in values), x=axis))
        assert between[0] == pytest.approx((left[0] + right[0]) / 2, abs=0.1)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", ["wide", "narrow"])
def test_texts_stay_within_the_drawing(columns: int, name: str):
    ticks = [(number / 4, f"{number} requests") for number in range(5)]
    marks = [Dot(x, y, "17.0 ms", hollow=hollow) for x in (0.0, 1.0) for y in (0.1, 0.9) for hollow in (True, False)]
    source = svg(*marks, name=name, columns=columns, x=Axis(0.0, 1.0, ticks))
    width = WIDTHS[columns][name == "narrow"]
    for anchor, x, text in (
        (a, float(x), t) for x, a, t in re.findall(r'x="([\d.-]+)"[^>]*anchor="(\w+)">([^<]*)', source)
    ):
        half = len(text) * 6
        left = x - {"start": 0, "middle": half / 2, "end": half}[anchor]
        assert left >= -8
        assert left + half <= width + 8, text


def test_ticks_that_would_lie_on_one_another_are_left_out():
    assert 5 < len(re.findall(r">tick (\d+)<", svg(x=TICKS))) < 15
    assert 5 < len(re.findall(r">tick \d+<", svg(y=TICKS))) < 20


def test_what_has_no_points_draws_nothing_and_markup_stays_text():
    source = str(drawn(Plot('"><b>', UNIT, UNIT, [Path([]), Cloud([]), Rule(0.5, "<b>")]), 1))
    assert "<b>" not in source
    assert source.count("&lt;b&gt;") == 3
    assert "cloud" not in source


def test_labels_and_lines_down_have_their_texts_within_the_chart():
    def check(name: str, side: str, x: float) -> None:
        marks = [Label(x, 0.5, "176 ms at 70", side), Drop(x, 0.0, 1.0, "the knee: between 70 and 80", beside=True)]
        marks += [Drop(x, low, 1.0, f"asked 100, answers {low:g}", "bad") for low in (0.0, 0.5)]
        width = WIDTHS[2][name == "narrow"]
        for text, (anchor, at, y) in texts(svg(*marks, name=name)).items():
            left = at - {"start": 0.0, "middle": 3.6, "end": 7.2}[anchor] * len(text)
            assert left >= -8, text
            assert left + 7.2 * len(text) <= width + 12, text
            assert 0 <= y <= 240, text

    check_rows(check, itertools.product(["wide", "narrow"], ["left", "above", "below"], [0.0, 0.1, 0.5, 0.9, 1.0]))


def test_a_label_stands_left_of_its_point_where_there_is_room_and_else_above_it():
    (room,) = texts(svg(Label(0.9, 0.5, "1.54 s at 80", "left"))).keys() - {"0", "1"}
    source = svg(Dot(0.9, 0.5), Label(0.9, 0.5, room, "left"), Label(0.02, 0.5, "no room at all", "left"))
    (dot,) = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', source)
    assert texts(source)[room] == ("end", pytest.approx(float(dot[0]) - 4.3), pytest.approx(float(dot[1]) - 7.3))
    assert texts(source)["no room at all"] == ("start", pytest.approx(17.0), pytest.approx(float(dot[1]) - 7.3))


def test_of_a_label_that_is_too_long_the_last_parts_are_left_out():
    said = ", ".join(f"task {number} 44.7" for number in range(9))
    found = texts(svg(Label(0.0, 0.5, said, "above"), name="narrow")).keys() - {"0", "1"}
    assert found == {"task 0 44.7, task 1 44.7, task 2 44.7 …"}


def test_a_shade_that_fades_grows_from_nothing_to_the_whole():
    strips = re.findall(r'<rect class="shade" x="([\d.]+)"[^>]*opacity="([\d.]+)"', svg(Shade(0.2, 0.6, fades=True)))
    shares = [float(opacity) for _, opacity in strips]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.2
    assert 0.8 < shares[-1] < 1
    assert svg(Shade(0.2, 0.6)).count('class="shade"') == 1


def test_cells_of_a_tone_beside_one_another_are_one_and_the_larger_share_is_darker():
    cells = [(at / 4, (at + 1) / 4, 0.0, 0.5, share) for at, share in enumerate((0.5, 0.5, 0.01, 0.5))]
    paths = re.findall(
        r'<path class="heat" fill-opacity="([\d.]+)" d="([^"]*)"', svg(Heat([*cells, (0.0, 1.0, 0.5, 1.0, 1.0)]))
    )
    assert [line.count("z") for _, line in paths] == [1, 2, 1]
    shades = [float(opacity) for opacity, _ in paths]
    assert shades == sorted(shades)
    assert shades[-1] == 1.0


def test_bars_beside_one_another_stand_apart():
    source = svg(Stem(0.5, 0.4, "4 late", aside=-5), Stem(0.5, 0.9, "9 failed", "bad", 5))
    left, right = (float(x) for x in re.findall(r'class="stem[^"]*" d="M([\d.]+)', source))
    assert right - left == pytest.approx(10)


def test_charts_with_one_margin_begin_at_one_place():
    wide = Axis(0.0, 1.0, [(0.5, "a wide text")])
    starts = [
        re.findall(r'class="axis" d="M([\d.]+)', svg(y=axis, margin=margin))
        for axis, margin in ((UNIT, 90), (wide, 90), (UNIT, 0), (wide, 0))
    ]
    assert starts[0] == starts[1]
    assert starts[2] != starts[3]


def test_a_level_is_named_at_its_beginning_or_its_end():
    found = texts(svg(Rule(0.5, "first"), Rule(0.6, "last", last=True)))
    first, last = found["first"], found["last"]
    assert (first[0], last[0]) == ("start", "end")
    assert last[1] > first[1]


def test_markup_in_their_texts_stays_text():
    said = "<b>&amp;"
    source = svg(Label(0.5, 0.5, said, "left"), Drop(0.5, 0.0, 1.0, said), Stem(0.5, 0.5, said), Rule(0.5, said))
    assert source.count("&lt;b&gt;&amp;amp;") == 4
    assert "<b>" not in source
