"""Places in a statute: article, paragraph and item; neighbours of a place, and ranges between two."""

from typing import NamedTuple

from benchbench.answers.citations.series import LONGEST_RANGE, Path


class Place(NamedTuple):
    """A provision: a law, then the labels of its article, paragraph and item, None where none is named, and parts."""

    law: str = ""
    labels: tuple[str | None, ...] = (None, None, None)
    parts: Path = ()

    def inside(self, level: int, label: str | None) -> "Place":
        """Return the place with a label on a level, 0 to 2, and nothing further in."""
        return Place(self.law, (*self.labels[:level], label, None, None)[:3])

    def path(self) -> Path:
        """Return the path; an item without a paragraph is in an article of one paragraph."""
        article, paragraph, item = self.labels
        return (*(one for one in (article, paragraph or ("1" if item else None), item) if one is not None), *self.parts)


def after(label: str) -> list[str]:
    """Return the label after one, as numbers run."""
    *outer, inner = label.split("-")
    return ["-".join([*outer, str(int(inner) + 1)])] if inner.isdecimal() else []


def before(label: str, many: int) -> list[str]:
    """Return a number of labels before one, none when they would begin below 1; before 5-3 are 5-2 and 5."""
    *outer, inner = label.split("-")
    if not inner.isdecimal() or many > LONGEST_RANGE:
        return []
    if outer:
        one = "-".join(outer) if inner == "2" else "-".join([*outer, str(int(inner) - 1)])
        return [one] if many == 1 else []
    low = int(inner) - many
    return [str(one) for one in range(low, int(inner))] if low >= 1 else []


def between(low: Place, high: Place) -> list[Place]:
    """Return the places from one to the other where they count up in their last number, and otherwise the two ends."""
    level = max(level for level, label in enumerate(high.labels) if label)
    one, other = low.labels[level], high.labels[level]
    if one and other and low == high.inside(level, one)._replace(parts=high.parts):
        *stem, first = one.split("-")
        *same, last = other.split("-")
        if len(same) == 1 and not stem:  # 第二百一十三条至第二百一十九条之一
            return [*between(low, high.inside(level, same[0])), high]
        if stem == same and first.isdecimal() and last.isdecimal() and 0 < int(last) - int(first) < LONGEST_RANGE:
            labels = ["-".join([*stem, str(each)]) for each in range(int(first), int(last) + 1)]
            return [high.inside(level, each)._replace(parts=high.parts) for each in labels]
    return [low, high]
