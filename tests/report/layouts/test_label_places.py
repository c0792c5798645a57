"""Labels of charts: none lies on another or outside, each stands beside its point or has a line to it."""

import itertools
from math import hypot

from hypothesis import given, settings
from hypothesis import strategies as st

from benchbench.report.layouts.label_places import NEAR, Place, place

AREA = 0.0, 0.0, 340.0, 240.0


def box(where: Place, size: tuple[float, float]) -> tuple[float, float, float, float]:
    return where.x, where.y, where.x + size[0], where.y + size[1]


def distance(point: tuple[float, float], of: tuple[float, float, float, float]) -> float:
    return hypot(max(of[0] - point[0], 0, point[0] - of[2]), max(of[1] - point[1], 0, point[1] - of[3]))


LABEL = st.tuples(st.tuples(st.floats(0, 340), st.floats(0, 240)), st.tuples(st.floats(5, 400), st.just(14.0)))


@given(
    st.lists(LABEL, max_size=25),
    st.lists(st.tuples(st.floats(0, 340), st.floats(0, 240)), max_size=9),
    st.sampled_from([(1.0, 0.0), (-1.0, -1.0), (0.5, 1.0)]),
)
@settings(max_examples=40)
def test_no_two_labels_overlap_and_each_is_near_its_point_or_has_a_line_to_it(labels, crowd, wish):
    points, sizes = [point for point, _ in labels], [size for _, size in labels]
    places = place(points, sizes, AREA, [wish] * len(labels), crowd)
    assert places == place(points, sizes, AREA, [wish] * len(labels), crowd)
    shown = [(point, box(at, size), at.leader) for point, size, at in zip(points, sizes, places, strict=True) if at]
    for point, (left, top, right, bottom), leader in shown:
        assert AREA[0] - 1e-6 <= left, (left, right)
        assert right <= AREA[2] + 1e-6, (left, right)
        assert AREA[1] - 1e-6 <= top, (top, bottom)
        assert bottom <= AREA[3] + 1e-6, (top, bottom)
        assert (leader is None) == (distance(point, (left, top, right, bottom)) <= NEAR)
        assert leader is None or (leader[:2] == point and distance(leader[2:], (left, top, right, bottom)) < 1e-6)
    for (_, one, _), (_, other, _) in itertools.combinations(shown, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_a_label_alone_stands_on_its_wished_side_and_within_the_area():
    size = 40.0, 14.0
    (after,) = place([(100.0, 100.0)], [size], AREA)
    (before,) = place([(100.0, 100.0)], [size], AREA, [(-1.0, 0.0)])
    (corner,) = place([(340.0, 240.0)], [size], AREA)
    assert (after.x, after.y) == (106.0, 93.0)
    assert (before.x, before.y) == (54.0, 93.0)
    assert corner.x + 40 <= 340
    assert corner.y + 14 <= 240


def test_of_labels_at_one_place_the_first_stay_and_lines_lead_to_those_that_are_away():
    places = place([(170.0, 120.0)] * 30, [(90.0, 14.0)] * 30, AREA)
    assert all(places[:9])
    assert not all(places)
    assert sum(at is not None and at.leader is not None for at in places) >= 4


def test_a_label_keeps_off_a_crowd():
    line = [(float(x), 100.0) for x in range(0, 340, 4)]
    (at,) = place([(100.0, 100.0)], [(60.0, 14.0)], AREA, crowd=line)
    assert at.y + 14 <= 100 or at.y >= 100


def test_one_that_is_wider_than_the_area_is_left_out():
    assert place([(1.0, 1.0), (30.0, 30.0)], [(400.0, 14.0), (40.0, 14.0)], AREA)[0] is None
    assert place([], [], AREA) == []
