"""Cells that the tables of load tests share, and which measures they show."""

from collections.abc import Callable, Mapping

from benchbench.loads.details import LoadDetails, StepDetails
from benchbench.measures.default_list import default_cutoffs
from benchbench.measures.latency import enough
from benchbench.measures.notation import resolve
from benchbench.report.layouts.run import value_shown

FEW = "*"  # behind a percentile of few requests
MARKS = ("p50", "p90", "p95", "p99", "p99.9", "max")
_QUALITY = {"R": "R", "Success": "HitRate", "nDCG": "nDCG"}  # of the default measures
_Values = Mapping[str, float | None]


def has_backlog(found: LoadDetails) -> bool:
    """Say that the number of requests under way was followed."""
    return found.loop == "open" and any("backlog_growth" in step.values for step in found.steps)


def start(step: StepDetails) -> list[str]:
    """Return the first two cells of a row: the load, and the batch size that its name ends in."""
    load, _, batch = step.name.rpartition(", batch ")
    return [load, batch]


def marks(values: _Values, prefix: str) -> list[str]:
    """Return the percentiles of one kind of latency, and the maximum."""
    return [time(values, f"{prefix}{mark}") + few(values, mark, prefix) for mark in MARKS]


def few(values: _Values, mark: str, prefix: str = "") -> str:
    """Return the mark of a percentile that rests on few requests."""
    requests, percent = values.get("requests"), mark.removeprefix("p")
    if mark == percent or requests is None or values.get(f"{prefix}{mark}") is None:
        return ""
    return "" if enough(float(percent), requests) else FEW


def time(values: _Values, name: str) -> str:
    """Return milliseconds."""
    return "-" if (value := values.get(name)) is None else f"{value:,.1f}"


def mean(step: StepDetails, over: str, task: str, measure: str, how: Callable[[str, float], str] = value_shown) -> str:
    """Return the mean of a measure over the queries asked, or over those answered."""
    value = step.values.get(f"{over}.{task}.{measure}")
    return "-" if value is None else how(measure, value)


def whole(values: _Values, name: str) -> str:
    """Return a whole number."""
    return "-" if (value := values.get(name)) is None else f"{value:,.0f}"


def pace(values: _Values, name: str) -> str:
    """Return a number per second."""
    return "-" if (value := values.get(name)) is None else f"{value:,.4g}"


def share(values: _Values, name: str) -> str:
    """Return a count of requests out of all, or 0."""
    return f"{whole(values, name)} of {whole(values, 'requests')}" if values.get(name) else "0"


def names(found: LoadDetails) -> list[str]:
    """Return the names of the measures of any task, in the order of the report."""
    fronts = [f"asked.{task}." for task in found.tasks]
    values = list(found.steps[0].values) if found.steps else []
    return list(
        dict.fromkeys(name.removeprefix(front) for front in fronts for name in values if name.startswith(front))
    )


def shown(found: LoadDetails) -> dict[str, str]:
    """Return the measures that are shown, by what they are called: of the default ones some at the deepest cut-off."""
    known = names(found)
    cutoffs = default_cutoffs(resolve(known), averaged=True)
    if not cutoffs:
        return {name: name for name in known}
    return {f"{title}@{cutoffs[-1]}": f"{name}@{cutoffs[-1]}" for name, title in _QUALITY.items()}
