"""The numbers of a step: the sentence that defines each, its unit and its direction.

The window of a step begins when the warm-up ends: what came in it, was answered and was left. Requests that were due in
the warm-up and are answered in the window are work of the window: an overloaded service answers the oldest first, so
that without them it would look slower than it is.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, Bools
from benchbench.loads.latency import PERCENTILES, Histogram, summarised
from benchbench.results.record import Better

if TYPE_CHECKING:
    import polars as pl

    from benchbench.loads.step import Load  # what a step imports to run is not needed to read its numbers

State = Literal["below", "at", "beyond"]

_BLOCKS = 10  # of the window, of which each says how much the backlog grew
_SIGNIFICANT = 1.833  # standard errors; one-sided 5 % of Student's t with a degree of freedom less than blocks
_FEWEST = 20  # requests due; fewer have no state
GROWTH, LEAST = 0.02, 3.0  # of the requests due, and requests: less is none; errors: docs/reference/load-protocol.md
_GAVE_UP = 0.99  # of the patience; a failed request that took as long was given up
_TIMES = ("due", "dispatched", "placed", "sent", "end")


class Window(NamedTuple):
    """Numbers of the window by their names, and the state of the service in it, None where that is not known."""

    values: dict[str, float]
    state: State | None


def window(load: "Load", requests: "pl.DataFrame") -> Window:
    """Return what the window of a step shows.

    Parameters
    ----------
    load
        What was run.
    requests
        All rows of `recorder.Recorder.frame`, those of the warm-up among them.
    """
    due, dispatched, placed, sent, end = (requests[name].fill_null(np.nan).to_numpy() for name in _TIMES)
    answered = requests["error"].is_null().to_numpy()
    length = load.duration
    if load.rate is None:
        rate = float(_shares(due, end, length)[answered].sum()) / length
        return Window({**_paces(load, rate), **dict.fromkeys(_OPEN, np.nan)}, None)

    def unsent(moment: float) -> int:
        """Return how many requests the client had not sent though they were due and waited for no place in flight."""
        held = (dispatched >= moment) | ((placed < moment) & (sent >= moment))
        return int(((due < moment) & held).sum())

    offered, left, start = float((due >= 0.0).sum()), end >= length, (due < 0.0) & (end >= 0.0)
    values = {
        **_paces(load, float((_inside(end, length) & answered).sum()) / length),
        "offered_per_second": offered / length,
        "dispatched_per_second": (offered + unsent(0.0) - unsent(length)) / length,
        "backlog_start": float(start.sum()),
        "backlog_end": float(left.sum()),
        "backlog_growth": float(left.sum() - start.sum()) / length,
    }
    gave_up = ~answered & ~(end - sent < _GAVE_UP * load.patience)
    return Window(values, _state(due, sent, end, gave_up, length))


_OPEN = ("offered_per_second", "dispatched_per_second", "backlog_start", "backlog_end", "backlog_growth")


def _paces(load: "Load", rate: float) -> dict[str, float]:
    return {"requests_per_second": rate, "queries_per_second": load.batch_size * rate}


def _inside(moments: F64, length: float) -> Bools:
    return (moments >= 0.0) & (moments < length)


def _shares(due: F64, end: F64, length: float) -> F64:
    """Return which share of its time each request was in the window.

    In a closed loop a place has one request after the other, so that these shares count the answers without the whole
    one that a window gains or loses at its ends, which may be all that it has.
    """
    inside = np.clip(np.minimum(end, length) - np.maximum(due, 0.0), 0.0, None)
    shares: F64 = np.divide(inside, end - due, out=_inside(end, length).astype(np.float64), where=end > due)
    return shares


def _state(due: F64, sent: F64, end: F64, gave_up: Bools, length: float) -> State | None:
    """Return whether the service kept up with what was due.

    Beyond saturation the backlog grows by the same in every part of the window, and latencies by what it takes to
    answer it. The backlog also grows while a slow service gets its first requests: then latencies do not, and no more
    requests wait for a place in flight. A request that was given up was not answered however long one waited: it stays
    in the backlog, and its latency is the longest.
    """
    counted = due >= 0.0
    if counted.sum() < _FEWEST:
        return None
    edges = np.linspace(0.0, length, _BLOCKS + 1)
    done = np.sort(end[~gave_up])
    growth = np.diff(np.searchsorted(np.sort(due), edges) - np.searchsorted(done, edges))
    whole, none = float(growth.sum()), max(LEAST, GROWTH * float(counted.sum()))
    if whole < none:
        return "below"
    before, after = (int(((due < moment) & ~(sent < moment)).sum()) for moment in (0.0, length))  # wait to be sent
    latencies = np.where(gave_up, np.inf, end - due)
    early, late = (np.median(latencies[half]) for half in (counted & (due < length / 2), due >= length / 2))
    answered = float(_inside(done, length).sum())
    rise = whole / answered * length / 2 if answered else np.inf  # that so much growth brings, by Little's law
    if after - before < none and not np.isinf(late) and late - early < rise / 2:
        return "below"
    error = float(growth.std(ddof=1)) / np.sqrt(_BLOCKS)
    return "beyond" if float(growth.mean()) > _SIGNIFICANT * error else "at"


def saturation(state: State | None, values: Mapping[str, float]) -> str | None:
    """Return a sentence on a step that is not below saturation, else None.

    Parameters
    ----------
    state
        As `window` returns it.
    values
        That have its numbers.
    """
    if state not in ("at", "beyond"):
        return None
    due, answered = values["offered_per_second"], values["requests_per_second"]
    grew = (
        f"{due:,.6g} requests/s were due and {answered:,.6g} answered, and the backlog went from "
        f"{values['backlog_start']:,.0f} to {values['backlog_end']:,.0f} requests"
    )
    if state == "beyond":
        return f"beyond saturation: {grew}, so latency percentiles depend on how long the step lasts"
    return f"at saturation: {grew}, which may be chance; a longer step decides"


CHANGE = "change."  # before task and measure: of a step's answers from those of the reference pass
LATE = 0.010  # seconds after which a request is late
_FACTOR, _APART = 2.0, 10.0  # when due and send time differ much: by this factor and so many milliseconds
_COMPARED = ("p90", "p99", "mean")  # of which one that differs is told; a short stall is in few of them


class StepMetric(NamedTuple):
    """A number of a step."""

    sentence: str
    unit: str = ""
    better: Better | None = None
    joined: Literal["median", "mean", "sum", "largest"] = "median"  # of the repeats of a step


def _time(sentence: str) -> StepMetric:
    return StepMetric(sentence, "ms", "lower")


def _count(sentence: str, better: Better | None = None, unit: str = "") -> StepMetric:
    return StepMetric(sentence, unit, better, "sum")


def _pace(sentence: str, better: Better | None = None, unit: str = "requests/s") -> StepMetric:
    return StepMetric(sentence, unit, better, "mean")


MARKS = {
    "mean": "mean latency",
    **{f"p{p:g}": f"latency that {p:g} % of the requests do not exceed" for p in PERCENTILES},
    "max": "largest latency",
}
METRICS = {
    "batch_size": StepMetric("Queries in each request."),
    "rate": StepMetric("Requests due per second in an open loop; none in a closed one.", "requests/s"),
    "concurrency": StepMetric("Requests kept in flight in a closed loop; none in an open one."),
    "requests": _count("Counted requests: those due after the warm-up, failed ones included."),
    "failed_requests": _count(
        "Counted requests that timed out, broke, were refused, got no 2xx or nothing readable, or were never sent.",
        "lower",
    ),
    "queries": _count("Queries of counted requests; a query counts each time that it was sent."),
    "errors": _count("Queries of failed counted requests; a query counts each time that it was sent.", "lower"),
    "error_rate": StepMetric("`errors` over `queries`.", better="lower"),
    "seconds": _count(
        "Time from the end of the warm-up to the end of the step or of its last counted request, whichever is later.",
        unit="s",
    ),
    "requests_per_second": _pace(
        "Requests answered in the window, those of the warm-up among them, over its seconds. The window is as long as "
        "the step, and begins when the warm-up ends. In a closed loop a request that crosses an end of the window "
        "counts by the share of its time inside.",
        "higher",
    ),
    "queries_per_second": _pace("`requests_per_second` times `batch_size`.", "higher", unit="queries/s"),
    "offered_per_second": _pace("Requests due in the window over its seconds; open loop."),
    "dispatched_per_second": _pace(
        "Requests that the client sent in the window, or had waiting for a place in flight at its end, over its "
        "seconds; open loop."
    ),
    "backlog_start": _pace("Requests due and not ended at the start of the window; open loop.", unit=""),
    "backlog_end": _pace("Requests due and not ended at the end of the window; open loop.", "lower", unit=""),
    "backlog_growth": _pace("`backlog_end` less `backlog_start` over the seconds of the window; open loop.", "lower"),
    "bytes": _count("Bytes of the bodies of answered counted requests.", unit="bytes"),
    **{
        name: _time(
            f"The {words} in milliseconds per request, from the time it was due to its end, failed ones included."
        )
        for name, words in MARKS.items()
    },
    **{
        f"sent_{name}": _time(
            f"The {words} in milliseconds per request, from the time it was sent to its end, failed ones included and "
            "never sent ones left out."
        )
        for name, words in MARKS.items()
    },
    **{
        f"answered_{name}": _time(
            f"The {words} in milliseconds per answered request, from the time it was due to its end, failed ones left "
            "out."
        )
        for name, words in MARKS.items()
    },
    **{
        f"amortised_query_{name}": _time(
            f"`{name}` over `batch_size`: milliseconds per request divided by its queries, which is not how long a "
            "query waited."
        )
        for name in MARKS
    },
    "late": _count(
        f"Counted requests sent more than {LATE * 1e3:g} ms after they were due, for whatever reason.", "lower"
    ),
    "late_by_client": _count(
        f"Late requests that the client itself delayed by more than {LATE * 1e3:g} ms; the wait for a place in flight "
        "does not count.",
        "lower",
    ),
    "client_delay_p90": _time(
        "90th percentile of the milliseconds by which the client itself delayed a counted request."
    ),
    "looks": _count("Looks at the clock that the client planned: one per 10 ms of the counted time."),
    "lag_p90": _time("90th percentile of how many milliseconds those looks came late."),
    "busy_p90": _time(
        "The same, where a look is late only if the client worked most of the time since the previous look."
    ),
    "lag_p99": _time("99th percentile of how many milliseconds those looks came late."),
    "lag_max": _time("How many milliseconds the latest of those looks came late.")._replace(joined="largest"),
    "client_cpu": StepMetric(
        "Processor time of the client, or of the busiest of its workers, over wall time; an event loop can use 1.",
        "cores",
        "lower",
    ),
    "p99_spells": _count(
        "Separate spells in which latency from the due time was at p99 or above, between returns to the median."
    ),
    "queries_asked": StepMetric("Different queries of the data set that were sent."),
    "queries_answered": StepMetric("Different queries of the data set that were answered at least once."),
    "queries_compared": StepMetric("Different queries that were answered here and in the reference pass."),
    "queries_changed": StepMetric(
        "Of those, the ones for which a measure has another value than in the reference pass."
    ),
    "queries_new": _count("Queries of counted requests that this load test had not sent before, the warm-up included."),
    "queries_repeated": _count("Queries of counted requests that this load test had sent before."),
    "new_requests": _count("Counted requests with a query that this load test had not sent before."),
    **{
        f"{kind}_{mark}": _time(f"The same as `{mark}`, of counted requests {which}.")
        for kind, which in (
            ("new", "with a query that this load test had not sent before"),
            ("repeated", "of which every query had been sent before"),
        )
        for mark in ("p50", "p99")
    },
}


class MeasuredStep(NamedTuple):
    """What a step shows without judging: its numbers, two histograms in HdrHistogram's format, and its state."""

    values: dict[str, float]
    histograms: dict[str, str]
    state: State | None


def measured(load: "Load", requests: "pl.DataFrame", health: Mapping[str, float]) -> MeasuredStep:
    """Return the numbers of a step that need no judging.

    Parameters
    ----------
    load
        What was run.
    requests
        As `recorder.Recorder.frame` returns them.
    health
        Of the client, as `client.health.Health.figures` returns it.
    """
    counted, seen = requests.filter("counted"), window(load, requests)
    failed = counted["error"].is_not_null()
    due = [_histogram(part, "due") for part in (counted.filter(~failed), counted.filter(failed))]
    histograms = {
        "due": Histogram.merged(due),
        "sent": _histogram(counted.filter(counted["sent"].is_not_null()), "sent"),
    }

    number, failures = len(counted), int(failed.sum())
    by_client = (
        counted["dispatched"] - counted["due"] + (counted["sent"] - counted["placed"]).fill_null(0.0)
    ).to_numpy()
    values = {
        "batch_size": float(load.batch_size),
        "rate": np.nan if load.rate is None else load.rate,
        "concurrency": float(load.places) if load.rate is None else np.nan,
        "requests": float(number),
        "failed_requests": float(failures),
        "queries": float(load.batch_size * number),
        "errors": float(load.batch_size * failures),
        "error_rate": failures / number,
        "seconds": max(load.duration, float(counted["end"].to_numpy().max())),
        **seen.values,
        "bytes": float(counted.filter(~failed)["bytes"].sum()),
        **summarised(histograms["due"]),
        **summarised(histograms["sent"], "sent_"),
        **summarised(due[0], "answered_"),
        **summarised(histograms["due"], "amortised_query_", 1.0 / load.batch_size),
        "late": float((counted["sent"] - counted["due"] > LATE).sum()),
        "late_by_client": float((by_client > LATE).sum()),
        "client_delay_p90": float(np.percentile(by_client, 90, method="inverted_cdf")) * 1e3,
        "looks": health["looks"],
        **{name: health[f"{name}_ms"] for name in ("lag_p90", "busy_p90", "lag_p99", "lag_max")},
        "client_cpu": health["cpu"],
    }
    encoded = {start: histogram.encoded() for start, histogram in histograms.items()}
    return MeasuredStep(values, encoded, seen.state)


def _histogram(requests: "pl.DataFrame", start: str) -> Histogram:
    histogram = Histogram()
    histogram.record((requests["end"] - requests[start]).to_numpy())
    return histogram


def omission(values: Mapping[str, float]) -> str | None:
    """Return one sentence when latency from the due time is much larger than from the send time, else None.

    Parameters
    ----------
    values
        As `measured` returns them.
    """
    apart = [
        f"{name} {due:,.0f} and {sent:,.0f} ms"
        for name in _COMPARED
        if (due := values[name]) > _FACTOR * (sent := values[f"sent_{name}"]) and due - sent > _APART
    ]
    if not apart:
        return None
    by_client = 2 * values["late_by_client"] > values["late"]
    cause = "in the client, which could not keep up" if by_client else "for a free slot while the service was slow"
    return (
        "latency is far higher from the time that requests were due than from the time they were sent "
        f"({', '.join(apart)}): they waited {cause}, and latency from sending omits that wait "
        "(coordinated omission); users experience the first number"
    )
