"""Nugget scores: how much of what a good answer has to say an answer says.

The definitions are those of the TREC 2024 RAG track (Pradeep et al. 2024) and of its tool, taken literally. A nugget is
a fact that an answer should have; it is vital or okay, and an answer supports it, supports a part of it, or does not.
With s = 1 for support, 0.5 for partial support and else 0, and s = 1 for support alone in the strict scores:

`vital_score`, `strict_vital_score`
    The mean s of the vital nuggets. The strict one is the main measure of the track.
`all_score`, `strict_all_score`
    The mean s of all nuggets.
`weighted_score`, `strict_weighted_score`
    The mean s of all nuggets, where a vital nugget counts 1 and any other 0.5.

A score over no nugget is 0, as the track's tool has it. An assignment that is none of these words supports nothing; an
importance other than vital makes a nugget one of all, and not a vital one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchbench.tables.nuggets import ASSIGNMENTS, FAILED, IMPORTANCES, PARTIAL_SUPPORT, SUPPORT, Nugget

MEASURES = (
    "strict_vital_score",
    "strict_all_score",
    "strict_weighted_score",
    "vital_score",
    "all_score",
    "weighted_score",
)
MAIN = MEASURES[0]
_PARTLY = 0.5  # what a nugget is worth of which a part is supported
_OKAY = 0.5  # what a nugget counts in the weighted scores that is not vital


def scores(nuggets: Sequence[Nugget]) -> dict[str, float]:
    """Return each measure of one answer.

    Parameters
    ----------
    nuggets
        All that an answer to the question should have, each with its assignment. Two with the same text count twice.

    Examples
    --------
    >>> scores([Nugget("who", "vital", "support"), Nugget("when", "okay", "partial_support")])["all_score"]
    0.75
    """
    counts = Counter((nugget.is_vital, nugget.assignment) for nugget in nuggets)
    sizes = {vital: sum(count for (of, _), count in counts.items() if of is vital) for vital in (True, False)}
    made: dict[str, float] = {}
    for name, partly in (("strict_", 0.0), ("", _PARTLY)):
        sums = {vital: counts[vital, SUPPORT] + partly * counts[vital, PARTIAL_SUPPORT] for vital in (True, False)}
        made[f"{name}vital_score"] = _share(sums[True], sizes[True])
        made[f"{name}all_score"] = _share(sums[True] + sums[False], len(nuggets))
        made[f"{name}weighted_score"] = _share(sums[True] + _OKAY * sums[False], sizes[True] + _OKAY * sizes[False])
    return {name: made[name] for name in MEASURES}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def problems(nuggets: Sequence[Nugget]) -> Counter[str]:
    """Return how often something in the nuggets of an answer is not as the definitions expect it, by name."""
    counts: Counter[str] = Counter()
    texts: set[str] = set()
    for nugget in nuggets:
        counts["repeated"] += nugget.text in texts
        texts.add(nugget.text)
        counts["without_importance"] += nugget.importance is None
        counts["unknown_importance"] += nugget.importance not in (None, *IMPORTANCES)
        counts["unassigned"] += nugget.assignment is None
        counts["failed"] += nugget.assignment == FAILED
        counts["unknown_assignment"] += nugget.assignment not in (None, FAILED, *ASSIGNMENTS)
    return +counts


class Aligned(NamedTuple):
    """The nuggets of a question with the assignments of an answer; `beyond` are of no nugget of the question."""

    nuggets: list[Nugget]
    beyond: int


def aligned(wanted: Sequence[Nugget], assigned: Sequence[Nugget]) -> Aligned:
    """Return the nuggets of a question with the assignments that an answer has for their texts.

    Texts are compared without outer white space. Where several nuggets have one text, the first takes the first of its
    assignments, and so on. The importance is that of the question.
    """
    there: dict[str, list[str | None]] = {}
    for nugget in reversed(assigned):
        there.setdefault(nugget.text.strip(), []).append(nugget.assignment)
    labelled = []
    for one in wanted:
        left = there.get(one.text.strip())
        labelled.append(one._replace(assignment=left.pop() if left else None))
    return Aligned(labelled, sum(map(len, there.values())))
