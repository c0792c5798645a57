"""When requests are due in an open loop: fixed before the first is sent, whatever the service does."""

import math

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64
from benchbench.loads.options import Arrivals

_MOST = 100_000_000  # requests of a step: 800 MB of times
_DIGITS = 6  # of a number of requests; 1.1/s for 10 s are 11, and 11.000000000000002 in floating point


def due_times(
    arrivals: Arrivals, rate: float, warm_up: float, duration: float, seed: int, stream: tuple[int, ...] = ()
) -> F64:
    """Return when requests are due, ascending.

    Parameters
    ----------
    arrivals
        `constant`: every 1 / `rate` seconds. `poisson`: independent users. A Poisson process of which the number of
        arrivals is known has them at uniform, independent times; that number is the expected one, in the warm-up and
        in the measured time each, so that the rate that is offered is the one that was asked for.
    rate
        Requests per second.
    warm_up, duration
        Seconds. Times run from `-warm_up` to below `duration`; requests due before 0 are not counted.
    seed, stream
        Of Poisson arrivals: the same ones give the same times, and different ones independent times.

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
    before, counted = (round(rate * seconds, _DIGITS) for seconds in (warm_up, duration))
    if arrivals == "constant":
        times = np.arange(math.ceil(-before), math.ceil(counted)) / rate
    else:
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))
        spans = [(round(before), -warm_up, 0.0), (round(counted), 0.0, duration)]
        times = np.sort(np.concatenate([random.uniform(low, high, number) for number, low, high in spans]))
    if not (times >= 0.0).any():
        raise InputError(
            f"at {rate:g} requests/s none is due within --duration {duration:g} s; give a longer one, or a higher rate"
        )
    return times
