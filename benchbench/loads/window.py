"""What came, what was answered and what was left in the window of a step, which begins when the warm-up ends.

Requests that were due in the warm-up and are answered in the window are work of the window: an overloaded service
answers the oldest first, so that without them it would look slower than it is.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, Bools

if TYPE_CHECKING:
    import polars as pl

    from benchbench.loads.step import Load  # as in `metrics`

State = Literal["below", "at", "beyond"]

_BLOCKS = 10  # of the window, of which each says how much the backlog grew
_SIGNIFICANT = 1.833  # standard errors; one-sided 5 % of Student's t with a degree of freedom less than blocks
_FEWEST = 20  # requests due; fewer have no state
GROWTH, LEAST = 0.02, 3.0  # of the requests due, and requests: less is no growth; docs/load.md has how often that errs
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
    return Window(values, _state(due, end, gave_up, length))


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


def _state(due: F64, end: F64, gave_up: Bools, length: float) -> State | None:
    """Return whether the service kept up with what was due.

    Beyond saturation the backlog grows by the same in every part of the window, and latencies by what it takes to
    answer it. The backlog also grows while a slow service gets its first requests: then latencies do not. A request
    that was given up was not answered however long one waited: it stays in the backlog, and its latency is the longest.
    """
    counted = due >= 0.0
    if counted.sum() < _FEWEST:
        return None
    edges = np.linspace(0.0, length, _BLOCKS + 1)
    done = np.sort(end[~gave_up])
    growth = np.diff(np.searchsorted(np.sort(due), edges) - np.searchsorted(done, edges))
    whole = float(growth.sum())
    if whole < max(LEAST, GROWTH * float(counted.sum())):
        return "below"
    latencies = np.where(gave_up, np.inf, end - due)
    early, late = (np.median(latencies[half]) for half in (counted & (due < length / 2), due >= length / 2))
    answered = float(_inside(done, length).sum())
    rise = whole / answered * length / 2 if answered else np.inf  # that so much growth brings, by Little's law
    if not np.isinf(late) and late - early < rise / 2:
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
        return f"beyond saturation: {grew}, so that the percentiles of latency depend on the duration of the step"
    return f"at saturation: {grew}, which may be chance; a longer step tells"
