"""Two stored runs side by side: each number of both, and tests on pairs of queries where their values are stored."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchbench.comparison.comparable import comparable_parts, rules, unlike
from benchbench.comparison.speed import SpeedRatio, TimedRun, speed_ratio
from benchbench.errors import InputError
from benchbench.history.changes import beside, known_of
from benchbench.history.check.run_values import requests
from benchbench.history.check_settings import DiffSettings
from benchbench.history.diff.diff_details import DiffDetails, HistoryDiff, MeasureChange, QueryChange, Side, SliceChange
from benchbench.history.diff.pairs import Pairs, TestedMeasure, joined, tested
from benchbench.history.entry import MissingValuesError, StoredNumber
from benchbench.history.measure_names import leading, named
from benchbench.history.slice_means import is_mean
from benchbench.results.settings import NO_CLUSTER
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.result import SliceDifference

if TYPE_CHECKING:
    from benchbench.comparison.compare_result import CompareOutcome
    from benchbench.history.entry import Entry
    from benchbench.history.store import Store

_Numbers = Mapping[str, StoredNumber]
MEASURES = 12  # that are shown where none is named
_NO_PAIRS = Pairs((), {}, pl.DataFrame(), True)
_VERDICTS = {1: "better", -1: "worse", 0: ""}


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with the store that it is in."""

    history: "Store"
    entry: "Entry"
    label: str  # what a report calls it


def diff(first: StoredRun, second: StoredRun, settings: DiffSettings | None = None) -> HistoryDiff:
    """Say how the second run differs from the first.

    Parameters
    ----------
    first, second
        Stored runs.
    settings
        What is shown, and how it is tested.

    Raises
    ------
    InputError
        Runs that may not be compared; a measure or a column that there is none of; `changed` without values per query.
    """
    began, chosen, labels = time.time(), settings or DiffSettings(), (first.label, second.label)
    notes = _unlike(first, second, chosen.allow_different)
    numbers = [
        {measure: line[run.entry.number] for measure, line in run.history.lines([run.entry]).items()}
        for run in (first, second)
    ]
    both = [name for name in numbers[0] if name in numbers[1]]
    if not both:
        raise InputError(f"{first.label} and {second.label} have no measure in common")
    changed = named([chosen.changed], both)[0] if chosen.changed else ""
    usual = leading((numbers[0][name] for name in both), MEASURES) or both[:MEASURES]
    measures = named(chosen.measures, both) if chosen.measures else usual
    measures += [changed] if changed and changed not in measures else []
    pairs = _pairs(first, second, measures, chosen.allow_different, notes)
    better = {name: numbers[0][name].better for name in measures}
    of_pairs = {}
    test = CompareSettings(baseline=first.label)
    if pairs.values:
        test = CompareSettings(
            baseline=first.label,
            alpha=chosen.alpha,
            seed=chosen.seed,
            slices=chosen.slices,
            cluster=_cluster(pairs, first, second, chosen.cluster, notes),
        )
        of_pairs = tested(pairs, better, labels, test, notes)
    elif chosen.slices:
        raise InputError(f"--slice {chosen.slices[0]}: the values per query are not stored for both runs")
    of_pairs = {name: test for name, test in of_pairs.items() if _is_mean(name, pairs, numbers, notes)}
    changes = [_change(name, numbers, of_pairs.get(name), pairs) for name in measures]
    moved_by = changed or next(iter(of_pairs), "")
    if changed and changed not in of_pairs:
        raise InputError(f"--changed {changed}: its values per query are not stored for both runs")
    moved = _moved(pairs, moved_by, of_pairs[moved_by]) if moved_by else []
    known = next(known_of(first.history, [first.entry])), next(known_of(second.history, [second.entry]))
    details = DiffDetails(
        first=_side(first),
        second=_side(second),
        queries=len(pairs.queries),
        changes=tuple(changes),
        slices=tuple(_slice(part, test) for test in of_pairs.values() for part in test.slices),
        moved_by=moved_by,
        moved=tuple(moved[: chosen.moved]),
        changed=changed,
        changed_queries=tuple(sorted(moved, key=lambda its: its.difference * of_pairs[changed].sign))
        if changed
        else (),
        alpha=chosen.alpha,
        notes=tuple(dict.fromkeys(notes)),
        speed=_speed(first, second, chosen.alpha),
        circumstances=tuple(beside(*known)),
    )

    def compared() -> "CompareOutcome | None":
        from benchbench.history.diff.compared import comparison_of  # late: only a page needs it

        return comparison_of((first.entry, second.entry), labels, pairs, of_pairs, test)

    return HistoryDiff(details, chosen, [first.entry.signature, second.entry.signature], began, compared)


def _unlike(first: StoredRun, second: StoredRun, allow: bool) -> list[str]:
    """Return notes on what makes the runs differ that should be alike; InputError unless it is allowed."""
    entry, other = first.entry, second.entry
    if first.label == second.label:
        raise InputError(f"{first.label} is given twice; name another run")
    reasons = unlike(comparable_parts(entry.signature), comparable_parts(other.signature))
    data = [side.data_digest or side.data for side in (entry, other)]
    if data[0] != data[1] and not any(part.startswith("other data") for part in reasons):
        reasons.append(f"other data ({entry.data or data[0]} and {other.data or data[1]})")
    if entry.kind != other.kind:
        reasons.append(f"another kind of result ({entry.kind} and {other.kind})")
    if not reasons:
        return []
    why = f"the numbers of {first.label} and {second.label} are not comparable: {', '.join(reasons)}"
    if not allow:
        raise InputError(f"{why}; make them alike, or add --allow-different")
    return [why]


def _pairs(first: StoredRun, second: StoredRun, measures: Sequence[str], allow: bool, notes: list[str]) -> Pairs:
    """Return the values of both runs; none where they are gone."""
    try:
        sides = [run.history.values(run.entry) for run in (first, second)]
    except MissingValuesError as missing:
        notes.append(f"{missing}; only the numbers of the runs are compared")
        return _NO_PAIRS
    if not all(len(side.queries) for side in sides):
        notes.append("the runs have no values per query; only their numbers are compared")
        return _NO_PAIRS
    return joined(sides, (first.label, second.label), measures, allow, notes)


def _speed(first: StoredRun, second: StoredRun, alpha: float) -> SpeedRatio | None:
    """Return how many times as fast the second run was answered; None where requests were not timed one by one."""
    if {first.entry.kind, second.entry.kind} != {"run"}:
        return None
    try:
        times = [requests(run.history.values(run.entry).latency, "") for run in (first, second)]
    except MissingValuesError:
        return None
    if not all(map(len, times)):
        return None
    records = [run.history.record(run.entry) for run in (first, second)]
    return speed_ratio((first.label, second.label), list(map(TimedRun, records, times)), alpha)


def _cluster(pairs: Pairs, first: StoredRun, second: StoredRun, asked: str | None, notes: list[str]) -> str | None:
    """Return the column whose values say which queries belong together: the one asked for, else that of the runs."""
    if asked is not None:
        return asked
    settings = [run.history.record(run.entry).settings.get("cluster") for run in (first, second)]
    named_by = {setting.value or NO_CLUSTER if setting is not None else NO_CLUSTER for setting in settings}
    column = next(iter(named_by))
    if named_by == {NO_CLUSTER}:
        return None
    if len(named_by) > 1:
        notes.append("the runs do not keep the same queries together; each query stands by itself here")
        return None
    if column not in pairs.columns.columns:
        notes.append(
            f"the runs keep queries with the same {column} together; that column is not stored, so each query stands "
            "by itself here"
        )
        return None
    notes.append(f"the runs keep queries with the same {column} together, and so does this comparison")
    return str(column)


def _is_mean(name: str, pairs: Pairs, numbers: Sequence[_Numbers], notes: list[str]) -> bool:
    """Say whether the numbers of both runs are the means of what was tested; where queries were left out, none is."""
    if not pairs.whole or all(is_mean(numbers[place][name].value, pairs.values[name][place]) for place in (0, 1)):
        return True
    notes.append(f"{name} is not the mean of its values per query, so its difference is not tested")
    return False


def _change(name: str, numbers: Sequence[_Numbers], test: TestedMeasure | None, pairs: Pairs) -> MeasureChange:
    """Return a measure of both runs, with what the test says where there is test."""
    (first, second), number = (numbers[place][name].value for place in (0, 1)), numbers[0][name]
    if test is not None and (not pairs.whole or test.queries < len(pairs.queries)):
        first, second = test.first, test.second  # of the queries that were compared
    difference = None if first is None or second is None else second - first
    untested = MeasureChange(
        measure=name, unit=number.unit, better=number.better, first=first, second=second, difference=difference
    )
    if test is None:
        return untested
    tested_difference = test.difference
    low, high = _ends(tested_difference.low, tested_difference.high, test.sign)
    return replace(
        untested,
        difference=tested_difference.mean * test.sign + 0.0,
        low=low,
        high=high,
        interval=tested_difference.interval,
        p=tested_difference.corrected["randomization"],
        tested=True,
        verdict=_VERDICTS[tested_difference.direction],
        queries=test.queries,
        changed=tested_difference.changed,
        gained=tested_difference.wins,
        lost=tested_difference.losses,
    )


def _ends(low: float | None, high: float | None, sign: float) -> tuple[float | None, float | None]:
    """Return the ends of an interval of second less first, of test made in the sense in which more is better."""
    if sign > 0.0:
        return low, high
    return (None if high is None else 0.0 - high), (None if low is None else 0.0 - low)


def _slice(part: SliceDifference, test: TestedMeasure) -> SliceChange:
    low, high = _ends(part.low, part.high, test.sign)
    direction = (1 if part.mean > 0 else -1) if part.significant else 0
    return SliceChange(
        measure=part.measure,
        column=part.column,
        value=part.value,
        queries=part.queries,
        first=part.baseline_mean * test.sign + 0.0,
        second=part.system_mean * test.sign + 0.0,
        difference=part.mean * test.sign + 0.0,
        low=low,
        high=high,
        p=part.corrected,
        verdict=_VERDICTS[direction],
    )


def _moved(pairs: Pairs, measure: str, test: TestedMeasure) -> list[QueryChange]:
    """Return the queries whose value is another, greatest move first."""
    first, second = pairs.values[measure]
    places = np.flatnonzero(np.isfinite(test.moves) & (test.moves != 0.0))
    order = places[np.argsort(-np.abs(test.moves[places]), kind="stable")]
    return [
        QueryChange(pairs.queries[place], float(first[place]), float(second[place]), float(test.moves[place]))
        for place in order.tolist()
    ]


def _side(run: StoredRun) -> Side:
    of_entry = {name: getattr(run.entry, name) for name in ("name", "kind", "started", "commit", "branch", "data")}
    return Side(label=run.label, rules=rules(run.entry.signature), tags=dict(run.entry.tags), **of_entry)
