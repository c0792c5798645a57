"""What is at fault in an answer: kinds to count and to filter by, faults in words, and marks that do not overlap."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchbench.answers.metrics import Mark, Metric, Value
from benchbench.tables.questions import Answer

BEYOND = ("", "unexpected")  # the kind of what an answer cites and the truth does not, which costs nothing
LOW = "low"  # found of a metric that marks no place
_WORST_FIRST = ("wrong", "missed", "unexpected", "matched")
_FAULTS = ("wrong", "missed")
_SHOWN = 60  # characters of a place in a fault

Kind = tuple[str, str]  # a metric, and what it found


class Fault(NamedTuple):
    """A fault of an answer: the place as it is written, empty where none is marked, and what is said of it."""

    metric: str
    found: str  # "wrong", "missed", "low"; "unexpected" costs nothing
    text: str
    said: str = ""


class Excerpt(NamedTuple):
    """A text that may be shortened around its marks, which are in order and do not overlap."""

    text: str
    marks: list[Mark]
    left_out: int  # characters


def kinds(metrics: Sequence[Metric], values: Sequence[Value]) -> set[Kind]:
    """Return the kinds of faults of an answer, and `BEYOND` where it cites more than the truth does."""
    kinds_found: set[Kind] = set()
    for metric, value in zip(metrics, values, strict=True):
        if not metric.is_accuracy or (not value.marks and (value.score >= 1.0 or not value.expected)):
            continue
        if value.expected and value.state != "right":
            marked = {(metric.name, mark.found) for mark in value.marks if mark.found in _FAULTS}
            kinds_found |= marked or {(metric.name, LOW)}
        if any(mark.found == "unexpected" for mark in value.marks):
            kinds_found.add(BEYOND)
    return kinds_found


def faults(answer: Answer, metrics: Sequence[Metric], values: Sequence[Value]) -> list[Fault]:
    """Return the faults of an answer, each text of a kind once; what costs nothing comes last."""
    response, truth = answer.response or "", answer.truth
    by_text: dict[tuple[Kind, str], Fault] = {}
    for metric, value in zip(metrics, values, strict=True):
        if not metric.is_accuracy:
            continue
        shown = [mark for mark in value.marks if mark.found == "unexpected"]
        if value.expected and value.state != "right":
            shown += [mark for mark in value.marks if mark.found in _FAULTS] or [Mark(0, 0, LOW)]
        for mark in shown:
            text = (truth if mark.found == "missed" else response)[mark.start : mark.end]
            text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            kind = BEYOND if mark.found == "unexpected" else (metric.name, mark.found)
            by_text.setdefault((kind, text), Fault(*kind, text, mark.said))
    return sorted(by_text.values(), key=lambda fault: fault.found == "unexpected")


def overlaid(marks: Iterable[Mark], length: int) -> list[Mark]:
    """Return marks in order without overlaps: where several are, the worst is kept, of two alike the first.

    Marks of an unknown kind are left out, and so is what lies outside the text.
    """
    owners: dict[int, Mark] = {}
    known = [mark for mark in marks if mark.found in _WORST_FIRST]
    for mark in sorted(known, key=lambda mark: (-_WORST_FIRST.index(mark.found), -mark.start, mark.end)):
        owners.update(dict.fromkeys(range(max(mark.start, 0), min(mark.end, length)), mark))
    pieces: list[Mark] = []
    last: Mark | None = None
    for place in sorted(owners):
        owner = owners[place]
        if pieces and owner is last and pieces[-1].end == place:
            pieces[-1] = pieces[-1]._replace(end=place + 1)
        else:
            pieces.append(owner._replace(start=place, end=place + 1))
        last = owner
    return pieces


def excerpt(text: str, marks: Sequence[Mark], most: int, beginning: int, around: int) -> Excerpt:
    """Return a text of at most about `most` characters: its beginning, and what stands around its marks.

    Parameters
    ----------
    text
        The whole text.
    marks
        In order, without overlaps.
    most
        Characters. What lies between two kept parts becomes ` … `.
    beginning
        Characters of it that are kept of a longer text.
    around
        Characters before and after a mark.
    """
    if len(text) <= most:
        return Excerpt(text, list(marks), 0)
    kept = [(0, beginning)]
    room = most - beginning
    for mark in marks:
        start, end = max(mark.start - around, kept[-1][1]), min(mark.end + around, len(text))
        room -= max(end - start, 0)
        if room < 0:
            break
        if mark.start - around <= kept[-1][1]:
            kept[-1] = kept[-1][0], max(kept[-1][1], end)
        else:
            kept.append((start, end))
    parts: list[str] = []
    moved: list[Mark] = []
    length = 0
    for start, end in kept:
        joint = " … " if parts and start else ""
        parts.append(joint + text[start:end])
        shift = length + len(joint) - start
        moved += [
            mark._replace(start=mark.start + shift, end=min(mark.end, end) + shift)
            for mark in marks
            if start <= mark.start < end
        ]
        length += len(parts[-1])
    shown = sum(end - start for start, end in kept)
    return Excerpt("".join(parts) + (" …" if kept[-1][1] < len(text) else ""), moved, len(text) - shown)
