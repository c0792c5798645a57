"""What every table of figures must say: machine, date, versions."""

import datetime
import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import benchbench
from benchbench.processes import usable_cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where and when figures were taken, and the version of each thing that was measured."""

    processor: str
    cores: int
    date: str
    python: str
    versions: dict[str, str | None]
    usable: int | None = None  # of its cores, by this process

    def __str__(self) -> str:
        few = "" if self.usable in (None, self.cores) else f"{self.usable} of "
        return ", ".join(
            (
                f"{self.processor}, {few}{self.cores} cores",
                self.date,
                f"Python {self.python}",
                *(f"{name} {number}" for name, number in self.versions.items()),
            )
        )


def this_machine(*packages: str) -> Machine:
    """Return the facts of this machine, with the versions of benchbench and the packages (None: not installed)."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        python=platform.python_version(),
        versions={"benchbench": benchbench.__version__, **{package: installed(package) for package in packages}},
        usable=usable_cores(),
    )


def describe(*packages: str) -> str:
    """Return one line with processor, cores, date, Python and the versions of the packages."""
    return str(this_machine(*packages))


def installed(package: str) -> str | None:
    """Return the version of a package, None where it is not installed; benchbench itself knows its own."""
    if package == "benchbench":  # a distribution of that name is another package
        return benchbench.__version__
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
