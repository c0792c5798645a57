"""Where the labels of a chart stand, so that none lies on another.

A label stands beside its point, or further away with a line that leads to it; where there is no room for it, it is
left out. Labels are placed in their order, so that the first ones are the last to be left out, and then moved to better
places that others have left. The same labels always get the same places.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64

NEAR = 13.0  # pixels between a point and its label, beyond which a line leads from one to the other
_STEPS = (6.0, 14.0, 26.0, 42.0, 64.0)  # pixels from the point at which a place is tried; further away nobody looks
_SLIDES = (-1.0, -0.5, 0.0, 0.5, 1.0)  # before the point, ending there, in the middle, beginning there, after it
_ASLANT = 0.71  # of a step along each side, for corners of a label to be as far away as its sides
_SIDES = [(side, height, _ASLANT if height and abs(side) == 1.0 else 1.0)
          for side in _SLIDES for height in (-1.0, 0.0, 1.0) if height or abs(side) == 1.0]  # fmt: skip
_FAN = (-4, -3, -2, -1, 1, 2, 3, 4)  # rows of labels below one another, before or after the point
_INSET = 3.0  # pixels by which a label above or below reaches past its point
_PASSES = 2  # in which labels are placed again
_MOST = 40  # labels: no reader looks for more in a chart
_GAP = 2.0  # least pixels between two labels
# What a place costs, in pixels of distance: a label that is away from its wished side is still better than a line to
# it, and a line is better than covering a dot, which is five points of a crowd.
_AWAY, _COVERED, _LINE = 1.0, 4.0, 8.0

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Place(NamedTuple):
    """The upper left corner of a label, and the ends of the line that leads to it, where it is away from its point."""

    x: float
    y: float
    leader: Box | None = None  # x and y at the point, x and y at the label


def place(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    area: Box,
    wishes: Sequence[tuple[float, float]] = (),
    crowd: Sequence[tuple[float, float]] = (),
) -> list[Place | None]:
    """Return where each label stands; None for one without room.

    Parameters
    ----------
    points
        What each label is of, in pixels; the most important ones first.
    sizes
        Width and height of each.
    area
        That no label leaves.
    wishes
        On which side of its point each had best stand: from -1, before or above, to 1, after or below. By default
        after it.
    crowd
        Points that labels had better not cover, such as those of dots and lines.
    """
    known = np.asarray([*crowd, *points], np.float64).reshape(-1, 2)
    all_wishes = wishes or [(1.0, 0.0)] * len(points)
    tried = [
        _candidates(point, size, area, wish, known)
        for point, size, wish in zip(points[:_MOST], sizes[:_MOST], all_wishes[:_MOST], strict=True)
    ]
    chosen: dict[int, _Candidate] = {}
    for _ in range(1 + _PASSES):
        before = dict(chosen)
        for label, candidates in enumerate(tried):
            others = {other: at for other, at in chosen.items() if other != label}
            chosen = others | (_first_free(label, candidates, others) or _in_place_of(label, tried, others))
        if chosen == before:
            break
    return [Place(*chosen[label].box[:2], chosen[label].leader) if label in chosen else None
            for label in range(len(points))]  # fmt: skip


class _Candidate(NamedTuple):
    box: Box
    leader: Box | None


def _candidates(
    point: tuple[float, float], size: tuple[float, float], area: Box, wish: tuple[float, float], crowd: F64
) -> list[_Candidate]:
    """Return the places of a label within the area, the best first."""
    (x, y), (width, height), (left, top, right, bottom) = point, size, area
    if width > right - left or height > bottom - top:
        return []
    ways = [(side, level, step * share) for step in _STEPS for side, level, share in _SIDES]
    tried = [(side, level, step, level * (step + height / 2)) for side, level, step in ways]
    tried += [(side, 0.0, step, row * (height + _GAP)) for step in _STEPS[2:4] for side in (-1.0, 1.0) for row in _FAN]
    corners, away = [], []
    for side, level, step, lower in tried:
        beside = {-1.0: -step - width, -0.5: _INSET - width, 0.0: -width / 2, 0.5: -_INSET, 1.0: step}[side]
        above = y + lower - height / 2
        corners.append((min(max(x + beside, left), right - width), min(max(above, top), bottom - height)))
        away.append((side - wish[0]) ** 2 + (level - wish[1]) ** 2)
    boxes = np.hstack([corners, np.add(corners, size)])
    ends = np.clip(point, boxes[:, :2], boxes[:, 2:])
    distance = np.hypot(*(ends - point).T)
    near = crowd[(np.abs(crowd - point) < _STEPS[-1] + np.array(size)).all(axis=1)]
    covered = ((near > boxes[:, None, :2]) & (near < boxes[:, None, 2:])).all(axis=2).sum(axis=1)
    cost = distance + _AWAY * np.array(away) + _COVERED * covered + np.where(distance > NEAR, _LINE, 0.0)
    order = np.argsort(cost, kind="stable")
    order = order[distance[order] > 0.0]  # a label does not lie on its own point
    leaders = [(x, y, *end) if far else None for end, far in zip(ends.tolist(), distance > NEAR, strict=True)]
    return [_Candidate(tuple(boxes[at].tolist()), leaders[at]) for at in order]


_Chosen = dict[int, _Candidate]  # by the number of the label


def _first_free(label: int, candidates: Sequence[_Candidate], others: _Chosen) -> _Chosen:
    """Return the best place of a label that meets no other, or nothing."""
    for candidate in candidates:
        if not any(_meet(candidate, other) for other in others.values()):
            return {label: candidate}
    return {}


def _in_place_of(label: int, tried: Sequence[Sequence[_Candidate]], others: _Chosen) -> _Chosen:
    """Return the place of a label and of one that gives way to it, or nothing where none can."""
    for candidate in tried[label]:
        met = [other for other, at in others.items() if _meet(candidate, at)]
        if len(met) == 1:
            rest = {other: at for other, at in others.items() if other != met[0]} | {label: candidate}
            if moved := _first_free(met[0], tried[met[0]], rest):
                return {label: candidate} | moved
    return {}


def _meet(one: _Candidate, other: _Candidate) -> bool:
    """Say that two labels overlap, or that the line to one crosses the other."""
    first, second = one.box, other.box
    if (
        first[0] < second[2] + _GAP
        and second[0] < first[2] + _GAP
        and first[1] < second[3] + _GAP
        and second[1] < first[3] + _GAP
    ):
        return True
    return _crosses(one.leader, second) or _crosses(other.leader, first)


def _crosses(line: Box | None, box: Box) -> bool:
    """Say that a part of a line lies within a box."""
    if line is None:
        return False
    x, y, end_x, end_y = line
    begin, end = 0.0, 1.0
    for start, step, low, high in ((x, end_x - x, box[0], box[2]), (y, end_y - y, box[1], box[3])):
        if step == 0.0:
            if not low < start < high:
                return False
        else:
            enters, leaves = sorted(((low - start) / step, (high - start) / step))
            begin, end = max(begin, enters), min(end, leaves)
    return begin < end
