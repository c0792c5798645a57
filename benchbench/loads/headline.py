"""What a load test comes to: what failed, what was the limit, and how fast the service was."""

from benchbench.loads.details import Highest, LoadDetails, StepDetails
from benchbench.measures.latency import enough
from benchbench.results.headline import GOOD, OPEN, WORSE, Headline
from benchbench.tables.shared_messages import counted

_BEYOND = ("at", "beyond")  # saturations


def headline(found: LoadDetails) -> Headline:
    """Return what a report begins with."""
    steps = found.steps
    if not steps:
        return Headline([(WORSE, "No step was finished.")])
    said: list[tuple[str, str]] = []
    advice: list[str] = []
    if found.interrupted:
        said.append((WORSE, f"Interrupted after {_steps(len(steps))}."))
    if found.find_max is not None:
        said += [
            (
                OPEN if one.limited_by_client or one.confirmed is False else WORSE if one.rate is None else GOOD,
                highest(found.find_max.condition, one),
            )
            for one in found.find_max.found
        ]
    failed = sum(int(step.values.get("failed_requests") or 0) for step in steps)
    if failed:
        requests = sum(int(step.values.get("requests") or 0) for step in steps)
        where = [step for step in steps if step.values.get("failed_requests")]
        among = f", in {len(where)} of {_steps(len(steps))}" if len(steps) > 1 else ""
        said.append((WORSE, f"{failed:,} of {counted(requests, 'request')} failed{among}."))
    limited = [step for step in steps if step.client_is_the_limit]
    if limited:
        among = f" in {len(limited)} of {_steps(len(steps))}" if len(steps) > 1 else ""
        said.append((OPEN, f"The client was the bottleneck{among}; the service may be faster."))
        advice.append("More --workers, or a second machine, may show more; these numbers are lower bounds.")
    if (full := _saturated(found)) is not None:
        said.append((WORSE, f"The service is {full.saturation} saturation with {full.name}."))
        advice.append("Latencies of such a step grow with its duration; compare those of the steps below.")
    if found.find_max is None and (fastest := _fastest(found)) is not None:
        said.append((OPEN if limited else WORSE if failed else GOOD, _fast(fastest)))
    return Headline(said or [(OPEN, "Nothing was answered while the steps ran.")], advice)


def highest(condition: str, one: Highest) -> str:
    """Return what a search for the highest rate found."""
    limit = "the client or its machine was the limit"
    refused = "" if one.refused is None else f"; {one.refused:,.6g} requests/s do not: {', and '.join(one.reasons)}"
    if one.rate is None:
        client = f"; {limit}, and the service may hold it" if one.limited_by_client else ""
        return f"No rate that was tried holds {condition} with batches of {one.batch_size}{refused}{client}."
    client = f"; above it {limit}, and the service may hold more" if one.limited_by_client else ""
    found = f"{one.rate:,.6g} requests/s of {one.batch_size} queries, to 5 %"
    confirmed = (
        "" if one.confirmed is None else f" {'Confirmed' if one.confirmed else 'Not confirmed'}: {one.confirmation}."
    )
    return f"Highest rate that holds {condition}: {found}{refused}{client}.{confirmed}"


def _steps(number: int) -> str:
    return f"{number:,} step{'s' * (number != 1)}"


def _saturated(found: LoadDetails) -> StepDetails | None:
    """Return the first step at which the service could not keep up."""
    return next((step for step in found.steps if step.saturation in _BEYOND), None)


def _fastest(found: LoadDetails) -> StepDetails | None:
    known = [step for step in found.steps if step.values.get("queries_per_second")]
    return max(known, key=lambda step: step.values["queries_per_second"] or 0.0, default=None)


def _fast(step: StepDetails) -> str:
    """Return the pace of a step, with the highest percentile that rests on enough requests."""
    values = step.values
    pace, requests = values["queries_per_second"] or 0.0, values.get("requests") or 0.0
    known = [percent for percent in (50, 90, 95, 99) if enough(percent, requests) and values.get(f"p{percent}")]
    with_it = f", p{known[-1]} {values[f'p{known[-1]}'] or 0.0:,.1f} ms" if known else ""
    return f"Up to {pace:,.0f} queries a second with {step.name}{with_it}."
