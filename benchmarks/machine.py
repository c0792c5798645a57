"""Machine, date, versions for every table of figures; and medians over runs in turn."""

import statistics
import time
from collections.abc import Callable

from benchbench.profile.machine import describe, installed

__all__ = ["describe", "in_turn", "installed"]


def in_turn(rounds: int, **work: Callable[[], object]) -> dict[str, float]:
    """Run A B A B …; return the median seconds of each, so that the machine's moods hit all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, function in work.items():
            started = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(values) for name, values in seconds.items()}
