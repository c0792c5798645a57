"""What a trend says of its lines: values, changes, what happened."""

from benchbench.history.trend.details import LineDetails, TrendDetails, TrendRunDetails
from benchbench.results.figures import NOTHING, Shown, interval, quantity


def ends(line: LineDetails) -> str:
    """Return the interval of the latest run."""
    at = line.latest
    return NOTHING if at is None else interval(line.low[at], line.high[at], shown=in_unit(line))


def in_unit(line: LineDetails) -> Shown:
    """Return what shows a value of a line with its unit."""
    return lambda value, _: quantity(value, line.unit)


def of(line: LineDetails) -> str:
    """Return how many queries or requests the latest value is of."""
    n = None if line.latest is None else line.n[line.latest]
    return "" if n is None else f"{n:,}"


def happened(found: TrendDetails, place: int) -> list[str]:
    """Return what happened at a run: it failed, settings changed, a change was accepted, an alert began or ended."""
    run = found.runs[place]
    said = [] if run.counts else [run.status]
    said += [f"{line.measure} changed" for line in found.lines for point in line.points if point.after == place]
    said += [f"alert on {one.measure}" for one in found.alerts if one.began == run.number]
    said += [f"alert on {one.measure} ended" for one in found.alerts if one.ended == run.number]
    said += ["change accepted" for one in found.accepted if one.run == run.number]
    said += [changes_of(run)] if run.changed else []
    return said


def changes_of(run: TrendRunDetails) -> str:
    """Return what of its settings a run has otherwise than the run before it."""
    said = [f"{one.name} {one.before or 'not set'} → {one.after or 'not set'}" for one in run.changed]
    return ", ".join([*said, *([f"{run.more_changed} more"] if run.more_changed else [])])
