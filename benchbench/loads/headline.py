"""What a load test comes to: what failed, what was the limit, and how fast the service was."""

from benchbench.loads.details import Highest, LoadDetails, StepDetails
from benchbench.measures.latency import enough
from benchbench.results.headline import GOOD, OPEN, WORSE, Headline
from benchbench.tables.shared_messages import counted

_BEYOND = ("at", "beyond")  # saturations


def headline(details: LoadDetails) -> Headline:
    """Return what a report begins with."""
    steps = details.steps
    if not steps:
        return Headline([(WORSE, "No step was finished.")])
    sentences: list[tuple[str, str]] = []
    advice: list[str] = []
    if details.interrupted:
        sentences.append((WORSE, f"Interrupted after {_steps(len(steps))}."))
    if details.find_max is not None:
        sentences += [
            (
                OPEN if best.limited_by_client or best.confirmed is False else WORSE if best.rate is None else GOOD,
                highest(details.find_max.condition, best),
            )
            for best in details.find_max.found
        ]
    failed = sum(int(step.values.get("failed_requests") or 0) for step in steps)
    if failed:
        requests = sum(int(step.values.get("requests") or 0) for step in steps)
        where = [step for step in steps if step.values.get("failed_requests")]
        among = f", in {len(where)} of {_steps(len(steps))}" if len(steps) > 1 else ""
        sentences.append((WORSE, f"{failed:,} of {counted(requests, 'request')} failed{among}."))
    limited = [step for step in steps if step.client_is_the_limit]
    if limited:
        among = f" in {len(limited)} of {_steps(len(steps))}" if len(steps) > 1 else ""
        sentences.append((OPEN, f"The client was the bottleneck{among}; the service may be faster."))
        advice.append("More --workers, or a second machine, may show more; these numbers are lower bounds.")
    if (full := _saturated(details)) is not None:
        sentences.append((WORSE, f"The service is {full.saturation} saturation with {full.name}."))
        advice.append("Latencies of such a step grow with its duration; compare those of the steps below.")
    if details.find_max is None and (fastest := _fastest(details)) is not None:
        sentences.append((OPEN if limited else WORSE if failed else GOOD, _fast(fastest)))
    return Headline(sentences or [(OPEN, "Nothing was answered while the steps ran.")], advice)


def highest(condition: str, best: Highest) -> str:
    """Return what a search for the highest rate found."""
    limit = "the client or its machine was the limit"
    refused = "" if best.refused is None else f"; {best.refused:,.6g} requests/s do not: {', and '.join(best.reasons)}"
    if best.rate is None:
        client = f"; {limit}, and the service may hold it" if best.limited_by_client else ""
        return f"No rate that was tried holds {condition} with batches of {best.batch_size}{refused}{client}."
    client = f"; above it {limit}, and the service may hold more" if best.limited_by_client else ""
    rate = f"{best.rate:,.6g} requests/s of {best.batch_size} queries, to 5 %"
    confirmed = (
        "" if best.confirmed is None else f" {'Confirmed' if best.confirmed else 'Not confirmed'}: {best.confirmation}."
    )
    return f"Highest rate that holds {condition}: {rate}{refused}{client}.{confirmed}"


def _steps(number: int) -> str:
    return f"{number:,} step{'s' * (number != 1)}"


def _saturated(details: LoadDetails) -> StepDetails | None:
    """Return the first step at which the service could not keep up."""
    return next((step for step in details.steps if step.saturation in _BEYOND), None)


def _fastest(details: LoadDetails) -> StepDetails | None:
    known = [step for step in details.steps if step.values.get("queries_per_second")]
    return max(known, key=lambda step: step.values["queries_per_second"] or 0.0, default=None)


def _fast(step: StepDetails) -> str:
    """Return the pace of a step, with the highest percentile that rests on enough requests."""
    values = step.values
    pace, requests = values["queries_per_second"] or 0.0, values.get("requests") or 0.0
    known = [percent for percent in (50, 90, 95, 99) if enough(percent, requests) and values.get(f"p{percent}")]
    with_it = f", p{known[-1]} {values[f'p{known[-1]}'] or 0.0:,.1f} ms" if known else ""
    return f"Up to {pace:,.0f} queries a second with {step.name}{with_it}."
