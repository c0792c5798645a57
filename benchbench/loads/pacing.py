"""When requests are due in an open loop: fixed before the first is sent, whatever the service does."""

from typing import Literal

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64

_MOST = 100_000_000  # requests of a step: 800 MB of times

Arrivals = Literal["constant", "poisson"]


def due_times(arrivals: Arrivals, rate: float, warm_up: float, duration: float, seed: int) -> F64:
    """Return when requests are due, ascending.

    Parameters
    ----------
    arrivals
        `constant`: every 1 / `rate` seconds. `poisson`: independent users, exponential gaps of that mean.
    rate
        Requests per second.
    warm_up, duration
        Seconds. Times run from `-warm_up` to below `duration`; requests due before 0 are not counted.
    seed
        Of the Poisson gaps: the same seed gives the same times.

    Raises
    ------
    InputError
        When no request would be counted, or there would be too many to hold.
    """
    due = rate * (warm_up + duration)
    if due > _MOST:
        raise InputError(
            f"at {rate:g} requests/s {due:,.0f} are due within {warm_up + duration:,g} s, and {_MOST:,} can be; give a "
            "lower --rate, or a shorter --duration"
        )
    if arrivals == "constant":
        first, last = np.ceil(-warm_up * rate), np.ceil(duration * rate)
        times = np.arange(first, last) / rate
    else:
        times = _poisson(rate, warm_up + duration, np.random.default_rng(seed)) - warm_up
    if not (times >= 0.0).any():
        raise InputError(
            f"at {rate:g} requests/s none is due within --duration {duration:g} s; give a longer one, or a higher rate"
        )
    return times


def _poisson(rate: float, seconds: float, random: np.random.Generator) -> F64:
    times = np.zeros(0)
    end = 0.0
    block = int(rate * seconds) + 16
    while end < seconds:
        times = np.concatenate([times, end + np.cumsum(random.exponential(1.0 / rate, block))])
        end = float(times[-1])
    return times[times < seconds]
