"""The measures that stand for a result where none is named: a check judges those that a trend draws."""

from collections.abc import Iterable, Sequence

from benchbench.measures.default_list import leading
from benchbench.measures.notation import task_and_measures

MOST = 6  # measures of a result
_OF_PART = 3  # of a part whose measures are none of rankings, and none of which stands for all
_FOR_ALL = ("overall", "p50", "queries_per_second")  # of numbers that are no measures of rankings


def leading_measures(named: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return what leads in each part of a result: a target, a task, a step.

    Parameters
    ----------
    named
        Of each measure its name, the part that it is of, and its name without that; in the order of the result.

    Returns
    -------
    list of str
        Of each part nDCG at the deepest rank, or the first measure of rankings; where there is none, the number that
        stands for all, else the first three. As many as there are: callers cut at `MOST`, and say so.
    """
    parts: dict[str, dict[str, str]] = {}
    for name, part, bare in named:
        parts.setdefault(part, {}).setdefault(bare, name)
    return list(dict.fromkeys(names[bare] for names in parts.values() for bare in _of_part(list(names))))


def _of_part(names: Sequence[str]) -> Sequence[str]:
    ranked = [one for one in names if task_and_measures(one)[1] and not task_and_measures(one)[0]]
    if ranked:
        return [leading(ranked)]
    for_all = [one for one in _FOR_ALL if one in names]
    return for_all[:1] or names[:_OF_PART]
