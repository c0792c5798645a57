"""The record of a trend: the latest value of each measure, its change since the run before, and its drift."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchbench.history.trend.details import LineDetails, TrendDetails
from benchbench.results.environment import environment
from benchbench.results.gates import kind_and_name
from benchbench.results.record import Better, Data, Note, Number, Record, Subject, counts_of, record, settings_of

_LIBRARIES = ("numpy", "polars")


def trend_record(found: TrendDetails, began: float, options: Mapping[str, Any]) -> Record:
    """Return the record; its signature and its data are those of the first series."""
    first = found.series[0]
    failed = sum(not run.counts for run in found.runs)
    return record(
        "history_trend",
        began,
        name=found.name,
        subject=[Subject(name=found.name, source=str(options.get("store", "")), signature=first.signature)],
        data=Data(name=found.data or None),
        signature=first.signature,
        settings=settings_of(options),
        environment=environment(_LIBRARIES),
        numbers=[number for line in (*found.lines, *found.slices) for number in numbers(line)],
        counts=counts_of(
            {
                "runs": len(found.runs),
                "failed_runs": failed,
                "series": len(found.series),
                "change_points": sum(len(line.points) for line in found.lines),
                "open_alerts": sum(one.is_open for one in found.alerts),
            }
        ),
        notes=[Note(text=text) for text in found.notes],
    )


def numbers(line: LineDetails) -> Iterator[Number]:
    """Yield the numbers of a line: the latest value; of all queries also its change and its drift."""
    at, drift = line.latest, line.drift
    better: Better | None = "higher" if line.better == "higher" else "lower" if line.better == "lower" else None
    scope = {**line.scope, **({"slice": line.slice} if line.slice else {})}
    number = partial(Number, unit=line.unit, better=better, scope=scope)
    ends: dict[str, Any] = {} if at is None else {"low": line.low[at], "high": line.high[at], "n": line.n[at]}
    yield number(name=line.name, value=line.value, **ends)
    if line.slice or kind_and_name(line.name)[0]:  # a change of a difference has no name that a gate could read
        return
    yield number(name=f"change {line.name}", value=line.change)
    ends = {} if drift is None else {"low": drift.low, "high": drift.high, "n": drift.over}
    yield number(name=f"drift {line.name}", value=None if drift is None else drift.per_run, **ends)


def gate_names(found: TrendDetails) -> list[str]:
    """Return what gates may name."""
    scoped = [(line, number) for line in found.lines for number in numbers(line)]
    names = []
    for line, number in scoped:
        kind, name = kind_and_name(number.name)
        names.append(f"{kind} {line.scope['task']}.{name}".lstrip() if "task" in line.scope else number.name)
    return list(dict.fromkeys(names))
