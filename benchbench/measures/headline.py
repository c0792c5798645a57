"""What scores come to: the leading measure, and of several runs the best."""

from collections.abc import Sequence

from benchbench.measures.default_list import leading
from benchbench.measures.notation import better, measured
from benchbench.measures.scores import RunScores
from benchbench.results.headline import GOOD, OPEN, Headline, best
from benchbench.tables.shared_messages import counted

COMPARE = "To test the differences: benchbench compare with the same files."


def headline(runs: Sequence[RunScores]) -> Headline:
    """Return what a report begins with."""
    judged = f"over {counted(runs[0].queries['judged'], 'judged query')}"
    name = leading(list(runs[0].measures)) if runs[0].measures else ""
    values = [run.measures[name].value if name else None for run in runs]
    missing = [said for run in runs if (said := _missing(run, len(runs) > 1))]
    mark = OPEN if missing else GOOD
    if len(runs) == 1:
        said = f"{name} {measured(name, values[0])} " if name else ""
        return Headline([(mark, f"{runs[0].name}: {said}{judged}.")], missing)
    first = best(values, better(name) if name else None)
    if not first:
        return Headline([(mark, f"{len(runs)} runs {judged}.")], missing)
    leaders = ", ".join(runs[place].name for place in sorted(first))
    mean = measured(name, values[min(first)])
    advice = [COMPARE, *missing]
    have = "has" if len(first) == 1 else "have"
    return Headline([(mark, f"{leaders} {have} the best {name}, {mean}, of {len(runs)} runs {judged}.")], advice)


def _missing(run: RunScores, of_several: bool) -> str:
    """Return that a run has nothing for some queries; empty where it has."""
    number = run.queries["missing"]
    if not number:
        return ""
    which = f"{run.name} lacks" if of_several else "It lacks"
    return f"{which} {number:,} of {run.queries['judged']:,} judged queries."
