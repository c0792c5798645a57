"""What judging for relevance comes to, and what its labels are worth: the sentences that a report begins with."""

from benchbench.judging.headline import trust as judge_trust
from benchbench.judging.relevance.details import RelevanceDetails
from benchbench.judging.relevance.holes import AFTER, BEFORE, HoleCase
from benchbench.judging.relevance.relevance_result import against
from benchbench.results.figures import estimate, signed
from benchbench.results.headline import GOOD, PARTLY, WORSE, Headline
from benchbench.tables.shared_messages import counted

_CASES = 2  # that the first sentences have


def headline(found: RelevanceDetails) -> Headline:
    """Return how many labels were made and what differences they settle, and below what speaks against them."""
    return Headline([_made(found), *_settled(found)], trust(found))


def trust(found: RelevanceDetails) -> list[str]:
    """Return how far to trust the labels; what weighs most comes first."""
    return [*against(found), *([said] if (said := compared(found)) else []), *judge_trust(found)]


def compared(found: RelevanceDetails) -> str:
    """Return how far the judge agrees with people; empty where nothing was compared."""
    if found.compared is None:
        return ""
    its = found.compared
    if not its.n:
        return f"No label of {its.source} could be compared: {counted(its.failed, 'pair')} failed."
    kappa = its.agreement.get("kappa")
    said = "no kappa"
    if kappa is not None and kappa.value is not None:
        said = f"kappa {estimate(kappa.value, kappa.low, kappa.high, 2)}"
    alike = " People gave all of them one grade, so that kappa says nothing." if its.grades == 1 else ""
    return (
        f"Compared with {its.source}: {said} over {counted(its.n, 'pair')} of {counted(its.queries, 'query')}.{alike}"
    )


def pairs_of(found: RelevanceDetails) -> list[tuple[HoleCase, HoleCase | None]]:
    """Return each case before with that after."""
    after = {(one.measure, one.baseline, one.system): one for one in found.holes if one.labels == AFTER}
    before = [one for one in found.holes if one.labels == BEFORE]
    return [(one, after.get((one.measure, one.baseline, one.system))) for one in before]


def _made(found: RelevanceDetails) -> tuple[str, str]:
    pool, labels = found.pool, found.labels
    were = labels.people + sum(labels.judges.values())
    beside = f" beside {counted(were, 'label')} that {'was' if were == 1 else 'were'} there" if were else ""
    if not pool.asked:
        return GOOD, f"Nothing to judge: all {counted(pool.pairs, 'pair')} have a label."
    mark = GOOD if labels.made == pool.asked else PARTLY if labels.made else WORSE
    return mark, f"{found.judge} made {labels.made:,} of {counted(pool.asked, 'label')}{beside}."


def _settled(found: RelevanceDetails) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []
    for before, after in pairs_of(found):
        if after is None:
            continue
        mark = GOOD if after.worst * after.best > 0 or not after.width else PARTLY
        said.append(
            (
                mark,
                f"Δ {after.measure} of {after.system} against {after.baseline}: {_case(before)} before, "
                f"{_case(after)} after.",
            )
        )
    return said[:_CASES]


def _case(one: HoleCase) -> str:
    return estimate(one.mean, one.worst, one.best, shown=signed)
