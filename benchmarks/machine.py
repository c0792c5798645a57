"""What every table of figures must say: machine, date, versions. And a median over runs in turn."""

import datetime
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def describe(*packages: str) -> str:
    """Return one line with processor, cores, date, Python and the versions of the packages."""
    cpu = platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), cpu)
    return ", ".join(
        (
            f"{cpu}, {os.cpu_count()} cores",
            datetime.datetime.now(datetime.UTC).date().isoformat(),
            f"Python {platform.python_version()}",
            *(f"{package} {installed(package)}" for package in ("benchbench", *packages)),
        )
    )


def installed(package: str) -> str | None:
    """Return the version of a package, None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def in_turn(rounds: int, **work: Callable[[], object]) -> dict[str, float]:
    """Run A B A B …; return the median seconds of each, so that the machine's moods hit all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, function in work.items():
            started = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(values) for name, values in seconds.items()}
