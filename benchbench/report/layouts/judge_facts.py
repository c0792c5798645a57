"""Sentences on a judge's run."""

from benchbench.judging.judge_details import CostDetails, JudgeDetails, RubricDetails
from benchbench.results.figures import money, share, time
from benchbench.tables.shared_messages import counted


def facts(details: JudgeDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: counts and costs."""
    cost = details.cost
    nulls = f", {details.nulls:,} of them unanswered" if details.nulls else ""
    labelled = [("Items", f"{details.items:,}{nulls}"), *asked(details.model, cost)]
    if cost.cost is None:
        labelled.append(("Cost", "unknown; set the price with --price IN,OUT"))
    if cost.latency_p50 is not None and cost.latency_p99 is not None:
        median, p99 = (time(1e3 * seconds) for seconds in (cost.latency_p50, cost.latency_p99))
        labelled.append(("Latency", f"median {median}, p99 {p99} per verdict"))
    if details.problem:
        labelled.append(("Cache", details.problem))
    if details.cluster:
        labelled.append(("Cluster", f"intervals are over {details.clusters:,} groups by {details.cluster}"))
    return labelled


def asked(judge: str, cost: CostDetails) -> list[tuple[str, str]]:
    """Return what a judge was asked, and what that cost, where it is known."""
    facts = [("Judge", f"{judge}; {counted(cost.calls, 'call')}, {counted(cost.cached, 'verdict')} from the cache")]
    if cost.repaired:
        facts.append(("", f"{counted(cost.repaired, 'verdict')} came in the right format at the second attempt"))
    facts.append(("Tokens", f"{cost.tokens_in:,} in, {cost.tokens_out:,} out"))
    if cost.cost is not None:
        most = "" if cost.worst_cost in (None, cost.cost) else f", at most {money(cost.worst_cost)}"
        facts.append(("Cost", f"{money(cost.cost)}{most}"))
    return facts


def flips(rubric: RubricDetails) -> str:
    """Return the share of repeated items whose score changed."""
    return share(rubric.repeats.flip_rate)
