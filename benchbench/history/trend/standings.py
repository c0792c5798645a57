"""Who stands where after each version: the values of a measure of several systems, or of several names, by version.

A version is a commit, or a run of which no commit is known. After each, what counts of a name is its latest complete
run, so that names that are not measured at every commit keep their value until they are measured again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchbench.comparison.comparable import rules
from benchbench.history.entry import COMPLETE, Entry, Series
from benchbench.history.trend.trend_details import LineDetails, StandingsDetails, TrendRunDetails

if TYPE_CHECKING:
    from benchbench.history.store import Store

_VERSIONS = 12  # the last ones: what a phone has room for
_NAMES = 12  # those measured last
_READ = 240  # runs, the last ones of all names: a name that was not measured in them has left the field
_DIGITS = 7  # of a commit


def of_names(
    history: "Store", first: Series, others: Sequence[Series], measure: str, better: str
) -> StandingsDetails | None:
    """Return how a name stands beside the others that may be compared with it; None where there are none."""
    rivals = [first, *(series for series in others if _rules(series) == _rules(first) and series.name != first.name)]
    if len(rivals) < 2 or not better:
        return None
    rivals = [first, *sorted(rivals[1:], key=lambda series: -series.entries[-1].number)[: _NAMES - 1]]
    runs = [entry for series in rivals for entry in series.entries if entry.status == COMPLETE]
    runs = sorted(runs, key=lambda entry: entry.number)[-_READ:]
    values = {number.run: number.value for number in history.rows(runs, [measure], slices=False, whole=False)}
    steps = [(_version(entry), {entry.name: values[entry.number]}) for entry in runs if entry.number in values]
    return _standings(measure, better, [series.name for series in rivals], steps)


def of_systems(lines: Sequence[LineDetails], runs: Sequence[TrendRunDetails]) -> StandingsDetails | None:
    """Return how the systems of one result stand beside one another, by the first measure that several of them have."""
    by_measure: dict[str, dict[str, LineDetails]] = {}
    for line in lines:
        system = ".".join(value for name, value in line.scope.items() if name != "task")
        measure = line.measure.removeprefix(f"{system}.")
        if system and line.better:
            by_measure.setdefault(measure, {})[system] = line
    for measure, systems in by_measure.items():
        if len(systems) > 1:
            steps = [
                (run.commit[:_DIGITS] or f"#{run.number}", {name: line.values[at] for name, line in systems.items()})
                for at, run in enumerate(runs)
                if run.counts and run.series == 0
            ]
            return _standings(measure, next(iter(systems.values())).better, list(systems), steps)
    return None


def _standings(
    measure: str, better: str, names: Sequence[str], steps: Iterable[tuple[str, Mapping[str, float | None]]]
) -> StandingsDetails | None:
    """Return the latest values of all names after each version, from the first at which two of them have one."""
    latest: dict[str, float] = {}
    after: dict[str, list[float | None]] = {}  # by version; one that comes back stands where it came last
    for version, values in steps:
        latest |= {name: value for name, value in values.items() if value is not None}
        after.pop(version, None)
        if len(latest) > 1:
            after[version] = [latest.get(name) for name in names]
    versions = list(after)[-_VERSIONS:]
    if len(versions) < 2:
        return None
    columns = [after[version] for version in versions]
    values_of = [list(values) for values in zip(*columns, strict=True)]
    return StandingsDetails(measure, better, versions, list(names), values_of)


def _version(entry: Entry) -> str:
    return entry.commit[:_DIGITS] or f"#{entry.number}"


def _rules(series: Series) -> tuple[str, str, str]:
    """Return what two series have alike whose numbers may be compared."""
    return series.kind, series.data_digest or series.data, rules(series.signature)
