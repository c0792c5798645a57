"""Runs beside one another: a row per run, a column per measure, which is best, and what changed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.history import find
from benchbench.history.comparability import comparable_groups
from benchbench.history.database import Row
from benchbench.history.entry import Entry, MissingValuesError, Run, Wanted
from benchbench.history.listing import most_shown, ordered, said_of_last
from benchbench.history.measure_names import LEADING, leading, named
from benchbench.history.numbers import StoredNumber
from benchbench.results.estimates import Estimate
from benchbench.results.record import Better
from benchbench.tables.shared_messages import few

if TYPE_CHECKING:
    from benchbench.history.listing import Order
    from benchbench.history.store import Store
    from benchbench.history.values import Values

MEASURES, OF_SLICES = 6, 3  # that are shown where none is named
_MEMBERS = ("run", "measure", "slice", "value", "low", "high", "n", "unit", "better")  # that are read
_NAMED = 3  # of what a note is about
_Ends = tuple[float | None, float | None, float | None]  # a value and its interval


@dataclass(frozen=True, slots=True)
class Value(Estimate):
    """One number of a run; `change` is the difference from the run before of its series."""

    best: bool = False  # of the runs that it may be compared with
    change: float | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """A column."""

    name: str
    unit: str
    better: Better | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """A run, or with a breakdown one slice of it.

    Runs with the same `group` may be compared: they are of one kind, with the same data and by the same rules.
    """

    label: str  # #12, or the folder
    name: str
    kind: str
    started: str
    commit: str
    tags: Mapping[str, str]
    group: int
    series: str
    values: Mapping[str, Value]
    slice: str | None = None
    queries: int | None = None  # of the slice


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What `history summary` shows."""

    measures: tuple[Measure, ...]
    by: str | None
    groups: int
    rows: tuple[SummaryRow, ...]
    notes: tuple[str, ...]
    runs: int  # of which a table may have the last ones


@dataclass(slots=True)
class _Part:
    """A run, or one slice of it."""

    run: int
    slice: str | None
    queries: int | None
    values: dict[str, _Ends]


def stored_summary(
    history: "Store", wanted: Wanted, order: "Order", measures: Sequence[str], by: str | None, whole: bool
) -> Summary:
    """Return runs of a store beside one another, as `summary` does; errors are those.

    Parameters
    ----------
    history
        The store.
    wanted, order
        Which runs, and in which order.
    measures, by
        As `summary` takes them.
    whole
        Whether all runs are rows; else those that a table shows, and no others are read in whole.
    """
    with history.reading() as connection:
        runs = ordered(find.outlines(connection, wanted), order)
    if measures:
        there = history.rows(runs, members=("run", "measure"), slices=False)
        chosen = named(measures, list(dict.fromkeys(measure for _, measure in there)))
    else:
        chosen = _first(by, (history.rows([run], members=("run", *LEADING), slices=False) for run in reversed(runs)))
    numbers = history.rows(runs, chosen, _MEMBERS, slices=by is not None)
    most = most_shown(wanted)
    cut = not whole and by is None and len(runs) > most
    with history.reading() as connection:
        shown = find.entries_of(connection, runs[-most:] if cut else runs)
    made = _summary(runs, shown, numbers, history.values, chosen, by, {})
    return replace(made, notes=(*made.notes, said_of_last(most, len(runs)))) if cut else made


def summary(
    entries: Sequence[Entry],
    numbers: Sequence[StoredNumber],
    values: "Callable[[Entry], Values]",
    measures: Sequence[str] = (),
    by: str | None = None,
    labels: Mapping[int, str] | None = None,
) -> Summary:
    """Return runs beside one another.

    Parameters
    ----------
    entries
        The runs, in the order in which they are shown.
    numbers
        Of all of them.
    values
        Returns the values per query of a run; only a breakdown asks for them.
    measures
        As gates name them; by default the first of the latest run.
    by
        A column of the queries: a row per run and slice of it.
    labels
        What to call runs, by their numbers; `#12` by default.

    Raises
    ------
    InputError
        For a measure that no run has, or a column that none has.
    """
    if measures:
        chosen = named(measures, list(dict.fromkeys(number.measure for number in numbers if number.slice is None)))
    else:
        by_run: dict[int, list[Row]] = defaultdict(list)
        for number in numbers:
            by_run[number.run].append((number.run, *attrgetter(*LEADING)(number)))
        chosen = _first(by, (by_run[entry.number] for entry in reversed(entries)))
    rows = [attrgetter(*_MEMBERS)(number) for number in numbers if number.measure in chosen]
    return _summary(entries, entries, rows, values, chosen, by, labels or {})


def _first(by: str | None, latest: Iterable[Sequence[Row]]) -> list[str]:
    """Return the first measures of the latest run that has any."""
    most = MEASURES if by is None else OF_SLICES
    return next(filter(None, (leading((row[1:] for row in rows), most) for rows in latest)), [])


def _summary(
    runs: Sequence[Run],
    shown: Sequence[Entry],
    numbers: Iterable[Row],
    values: "Callable[[Entry], Values]",
    chosen: Sequence[str],
    by: str | None,
    labels: Mapping[int, str],
) -> Summary:
    """Return the summary of runs, with rows of those that are shown: of a breakdown, of all."""
    sides: dict[str, tuple[str, Better | None]] = {}
    whole: dict[int, dict[str, _Ends]] = defaultdict(dict)
    of_slices: list[Row] = []
    for row in numbers:
        run, measure, part, value, low, high, _, unit, better = row
        if part is None:
            sides[measure] = unit, better  # of the latest run
            whole[run].setdefault(measure, (value, low, high))
        elif by is not None and part.startswith(f"{by}="):
            of_slices.append(row)
    whole = {run: {name: own[name] for name in chosen if name in own} for run, own in whole.items()}
    notes = list[str]()
    names = {run.number: labels.get(run.number, f"#{run.number}") for run in runs}
    if by is None:
        parts = {run: [_Part(run, None, None, own)] for run, own in whole.items()}
    else:
        parts = _stored_slices(of_slices, whole, by)
        others = [entry for entry in shown if entry.number in whole and entry.number not in parts]
        parts |= _made_slices(others, whole, values, by, names, notes)
    if without := [names[run.number] for run in runs if run.number not in whole]:
        notes.append(f"left out, for they have none of these measures: {few(without, _NAMED)}; -m names others")
    if by is not None and not parts:
        raise InputError("; ".join(dict.fromkeys(notes)) or "there are no runs")
    groups = {run.number: group for run, group in zip(runs, comparable_groups(runs), strict=True)}
    return Summary(
        measures=tuple(Measure(name, *sides[name]) for name in chosen),
        by=by,
        groups=len({groups[run] for run in parts}),
        rows=tuple(_rows(_in_order(parts, runs), runs, shown, groups, sides, names)),
        notes=tuple(dict.fromkeys(notes)),
        runs=len(parts),
    )


def _stored_slices(rows: Iterable[Row], whole: Mapping[int, Mapping[str, _Ends]], by: str) -> dict[int, list[_Part]]:
    """Return the stored numbers of slices by a column, of measures that their runs have over all."""
    found: dict[tuple[int, str], _Part] = {}
    for run, measure, part, value, low, high, n, _, _ in rows:
        if measure in whole.get(run, ()):
            own = found.setdefault((run, part), _Part(run, part[len(by) + 1 :], n, {}))
            own.values.setdefault(measure, (value, low, high))
            own.queries = n if own.queries is None else max(own.queries, n or 0)
    return _by_run(found.values())


def _made_slices(
    runs: Sequence[Entry],
    whole: Mapping[int, Mapping[str, _Ends]],
    values: "Callable[[Entry], Values]",
    by: str,
    names: Mapping[int, str],
    notes: list[str],
) -> dict[int, list[_Part]]:
    """Return the means of values per query by a column, of runs without stored slices."""
    from benchbench.history.slice_means import is_mean, parts_of  # late: numpy

    made: list[_Part] = []
    for run in runs:
        own = whole[run.number]
        try:
            stored = values(run)
            columns = stored.values.fill_null(float("nan"))
            means = [name for name in own if name in columns and is_mean(own[name][0], columns[name].to_numpy())]
            slices = parts_of(stored, means, by)
        except MissingValuesError as missing:
            notes.append(str(missing))
            continue
        except InputError as problem:
            notes.append(f"{names[run.number]}: {problem}")
            continue
        if others := [name for name in own if name not in means]:
            notes.append(f"{few(others, _NAMED)}: not broken down, for their values are not stored per query")
        for one in slices:
            ends: dict[str, _Ends] = {name: (mean, None, None) for name, mean in one.means.items()}
            made.append(_Part(run.number, one.value, one.queries, ends))
    return _by_run(made)


def _by_run(parts: Iterable[_Part]) -> dict[int, list[_Part]]:
    found: dict[int, list[_Part]] = defaultdict(list)
    for part in parts:
        found[part.run].append(part)
    return dict(found)


def _in_order(parts: Mapping[int, list[_Part]], runs: Sequence[Run]) -> list[_Part]:
    """Return parts in the order of the rows: the runs of a slice stand below one another."""
    placed = [part for run in runs for part in parts.get(run.number, ())]
    slices = {name: place for place, name in enumerate(dict.fromkeys(part.slice for part in placed))}
    return sorted(placed, key=lambda part: slices[part.slice])


def _rows(
    parts: Sequence[_Part],
    runs: Sequence[Run],
    shown: Sequence[Entry],
    groups: Mapping[int, int],
    sides: Mapping[str, tuple[str, Better | None]],
    names: Mapping[int, str],
) -> Iterator[SummaryRow]:
    """Yield the rows of runs that are shown, each with its change since the row before of its series and slice.

    A value is best among the runs of a group and slice, where not all are alike and the measure has a better side.
    """
    alike: dict[tuple[int, str | None, str], list[float]] = defaultdict(list)
    for part in parts:
        for measure, (value, _, _) in part.values.items():
            if value is not None:
                alike[groups[part.run], part.slice, measure].append(value)
    best = {
        key: max(values) if better == "higher" else min(values)
        for key, values in alike.items()
        for better in [sides[key[2]][1]]
        if better is not None and min(values) != max(values)
    }
    series, entries = {run.number: run.series for run in runs}, {entry.number: entry for entry in shown}
    before: dict[tuple[str, str | None], Mapping[str, _Ends]] = {}
    for part in parts:
        known = before.get((series[part.run], part.slice), {})
        before[series[part.run], part.slice] = part.values
        entry = entries.get(part.run)
        if entry is None:
            continue
        values = {}
        for measure, (value, low, high) in part.values.items():
            earlier = known[measure][0] if measure in known else None
            change = None if value is None or earlier is None else value - earlier
            is_best = value is not None and value == best.get((groups[part.run], part.slice, measure))
            values[measure] = Value(value, low, high, is_best, change)
        yield SummaryRow(
            label=names[part.run],
            name=entry.name,
            kind=entry.kind,
            started=entry.started,
            commit=entry.commit,
            tags=dict(entry.tags),
            group=groups[part.run],
            series=entry.series,
            values=values,
            slice=part.slice,
            queries=part.queries,
        )
