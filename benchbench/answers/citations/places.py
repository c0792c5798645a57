"""Places in a statute: article, paragraph and item; neighbours of a place, and ranges between two."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from benchbench.answers.citations.series import LONGEST_RANGE, Path

_WORD = re.compile(r"\D*")
_NUMBERS = re.compile(r"[0-9]+")


class ProvisionPlace(NamedTuple):
    """A provision: a law, then the labels of its article, paragraph and item, None where none is named, and parts."""

    law: str = ""
    labels: tuple[str | None, ...] = (None, None, None)
    parts: Path = ()

    def inside(self, level: int, label: str | None) -> "ProvisionPlace":
        """Return the place with a label on a level, 0 to 2, and nothing further in."""
        return ProvisionPlace(self.law, (*self.labels[:level], label, None, None)[:3])

    def path(self) -> Path:
        """Return the path; an item without a paragraph is in an article of one paragraph."""
        article, paragraph, item = self.labels
        return (*(one for one in (article, paragraph or ("1" if item else None), item) if one is not None), *self.parts)


@dataclass(slots=True)
class NamedPlace:
    """A name that an article may follow."""

    law: str
    start: int
    end: int
    index: int | None  # of its citation alone, which an article that follows takes back


@dataclass(slots=True)
class ProvisionLabel:
    """The citation read last, to which "及び第二項" may be joined."""

    place: ProvisionPlace
    start: int
    end: int
    index: int


def after(label: str) -> list[str]:
    """Return the label after one, as numbers run."""
    *_, inner = _NUMBERS.findall(label)
    return [label.removesuffix(inner) + str(int(inner) + 1)]


def before(label: str, many: int) -> list[str]:
    """Return a number of labels before one, none when they would begin below 1; before 5-3 are 5-2 and 5."""
    *_, inner = _NUMBERS.findall(label)
    stem, low = label.removesuffix(inner), int(inner) - many
    if many > LONGEST_RANGE or low < 1:
        return []
    labels = [f"{stem}{one}" for one in range(low, int(inner))]
    return [one.removesuffix("-1") for one in labels] if "-" in label else labels


def between(low: ProvisionPlace, high: ProvisionPlace, branch: int = 1) -> list[ProvisionPlace]:
    """Return the places from one to the other where they count up in their last number, and otherwise the two ends.

    `branch` is the number of the first branch after an article.
    """
    level = max(level for level, label in enumerate(high.labels) if label)
    one, other = low.labels[level], high.labels[level]
    if one and other and low == high.inside(level, one)._replace(parts=high.parts):
        named = _WORD.match(one)[0]  # type: ignore[index]  # 附則
        *stem, first = one.removeprefix(named).split("-")
        *same, last = other.removeprefix(named).split("-")
        labels: list[str] = []
        if other.startswith(named) and first.isdecimal() and last.isdecimal():
            if len(same) == 1 and not stem:
                if same[0] == first:  # 第三条から第三条の五まで
                    labels = [first, *(f"{first}-{each}" for each in range(branch, int(last) + 1))]
                else:  # 第二百一十三条至第二百一十九条之一
                    return [*between(low, high.inside(level, named + same[0])), high]
            elif stem == same:
                labels = ["-".join([*stem, str(each)]) for each in range(int(first), int(last) + 1)]
        if 1 < len(labels) <= LONGEST_RANGE:
            return [high.inside(level, named + each)._replace(parts=high.parts) for each in labels]
    return [low, high]
