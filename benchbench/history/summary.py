"""Runs beside one another: a row per run, a column per measure, which is best, and what changed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.history.comparability import comparable_groups
from benchbench.history.entry import Entry, MissingValuesError, StoredNumber
from benchbench.history.find import Lines, lines_of
from benchbench.history.listing import most_shown, ordered, said_of_last
from benchbench.history.measure_names import leading, named
from benchbench.history.wanted import Wanted
from benchbench.results.estimates import Estimate
from benchbench.results.record import Better
from benchbench.tables.shared_messages import few

if TYPE_CHECKING:
    from benchbench.history.listing import Order
    from benchbench.history.store import Store
    from benchbench.history.values import RunValues

MEASURES, OF_SLICES = 6, 3  # that are shown where none is named
_NAMED = 3  # of what a note is about


@dataclass(frozen=True, slots=True)
class SummaryValue(Estimate):
    """One number of a run; `change` is the difference from the run before of its series."""

    best: bool = False  # of the runs that it may be compared with
    change: float | None = None
    apart: bool = False  # whether its interval and that of the run before do not overlap


@dataclass(frozen=True, slots=True)
class SummaryMeasure:
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
    values: Mapping[str, SummaryValue]
    slice: str | None = None
    queries: int | None = None  # of the slice


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsSummary:
    """What `history summary` shows."""

    measures: tuple[SummaryMeasure, ...]
    by: str | None
    groups: int
    rows: tuple[SummaryRow, ...]
    notes: tuple[str, ...]
    runs: int  # of which a table may have the last ones


def stored_summary(
    history: "Store", wanted: Wanted, order: "Order", measures: Sequence[str], by: str | None, whole: bool
) -> RunsSummary:
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
    everything = whole or by is not None
    runs = ordered(history.entries(wanted, whole=everything), order)
    if measures:
        chosen = named(measures, history.measures(runs))
    else:
        chosen = _first(by, (history.rows([run], slices=False) for run in reversed(runs)))
    most = most_shown(wanted)
    shown = runs if everything else history.in_whole(runs[-most:])
    cut = len(shown) < len(runs)
    numbers = history.rows(shown, chosen, slices=by is not None)
    numbers += history.rows(runs, chosen, slices=False, whole=False) if cut else []
    made = _Summing(runs=runs, shown=shown, values=history.values, chosen=chosen, by=by, labels={}).summary(numbers)
    return replace(made, notes=(*made.notes, said_of_last(most, len(runs)))) if cut else made


def summary(
    entries: Sequence[Entry],
    numbers: Sequence[StoredNumber],
    values: "Callable[[Entry], RunValues]",
    measures: Sequence[str] = (),
    by: str | None = None,
    labels: Mapping[int, str] | None = None,
) -> RunsSummary:
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
        by_run: dict[int, list[StoredNumber]] = defaultdict(list)
        for number in numbers:
            by_run[number.run].append(number)
        chosen = _first(by, (by_run[entry.number] for entry in reversed(entries)))
    of_chosen = [number for number in numbers if number.measure in chosen]
    summing = _Summing(runs=entries, shown=entries, values=values, chosen=chosen, by=by, labels=labels or {})
    return summing.summary(of_chosen)


def _first(by: str | None, latest: Iterable[Sequence[StoredNumber]]) -> list[str]:
    """Return the first measures of the latest run that has any."""
    most = MEASURES if by is None else OF_SLICES
    return next(filter(None, (leading(numbers, most) for numbers in latest)), [])


@dataclass(kw_only=True)
class _Summing:
    """The steps of a summary.

    Attributes
    ----------
    runs, shown
        All of them, and those that are rows: of a breakdown all.
    values
        Returns the values per query of a run.
    chosen
        The measures.
    by
        The column of a breakdown.
    labels
        What runs are called by their numbers, where that is not `#12`.
    """

    runs: Sequence[Entry]
    shown: Sequence[Entry]
    values: "Callable[[Entry], RunValues]"
    chosen: Sequence[str]
    by: str | None
    labels: Mapping[int, str]

    def __post_init__(self) -> None:
        self.notes = list[str]()
        self.names = {run.number: self.labels.get(run.number, f"#{run.number}") for run in self.runs}
        self.groups = dict(zip(self.names, comparable_groups(self.runs), strict=True))

    def summary(self, numbers: Sequence[StoredNumber]) -> RunsSummary:
        """Return the summary of numbers of the runs."""
        lines, notes = lines_of(numbers), self.notes
        in_whole = {run.number for run in self.shown}
        latest = {name: max(lines[name, None].keys() & in_whole or lines[name, None]) for name in self.chosen}
        sides = [lines[name, None][run] for name, run in latest.items()]
        measures = [SummaryMeasure(number.measure, number.unit, number.better) for number in sides]
        there = {number for name in self.chosen for number in lines[name, None]}
        if self.by is not None:
            lines = self._sliced(self.by, numbers, lines)
        if without := [name for run, name in self.names.items() if run not in there]:
            notes.append(f"left out, for they have none of these measures: {few(without, _NAMED)}; -m names others")
        if self.by is not None and not lines:
            raise InputError("; ".join(dict.fromkeys(notes)) or "there are no runs")
        has_row = {number for line in lines.values() for number in line}
        slices = dict.fromkeys(slice_ for _, slice_ in lines)
        return RunsSummary(
            measures=tuple(measures),
            by=self.by,
            groups=len({self.groups[number] for number in has_row}),
            rows=tuple(row for slice_ in slices for row in self._rows(slice_, measures, lines)),
            notes=tuple(dict.fromkeys(notes)),
            runs=len(has_row),
        )

    def _sliced(self, by: str, numbers: Iterable[StoredNumber], whole: Lines) -> Lines:
        """Return numbers of slices, of measures that their runs have over all: stored, else made of values."""
        sliced: dict[int, list[StoredNumber]] = defaultdict(list)
        for number in numbers:
            of_column = number.slice is not None and number.slice.startswith(f"{by}=")
            if of_column and number.run in whole[number.measure, None]:
                sliced[number.run].append(number)
        for run in self.runs:
            own = [whole[name, None][run.number] for name in self.chosen if run.number in whole[name, None]]
            if own and run.number not in sliced:
                sliced[run.number] = self._made_slices(run, own, by)
        return lines_of(number for run in self.runs for number in sliced[run.number])

    def _made_slices(self, run: Entry, numbers: Sequence[StoredNumber], by: str) -> list[StoredNumber]:
        """Return the means of a run's values per query by a column, of those of its numbers that are such means."""
        from benchbench.history.slice_means import is_mean, sliced_numbers  # late: numpy

        try:
            stored = self.values(run)
            columns = stored.values.fill_null(float("nan"))
            means = [
                number
                for number in numbers
                if number.measure in columns and is_mean(number.value, columns[number.measure].to_numpy())
            ]
            made = sliced_numbers(stored, means, by)
        except MissingValuesError as missing:
            self.notes.append(str(missing))
            return []
        except InputError as problem:
            self.notes.append(f"{self.names[run.number]}: {problem}")
            return []
        if others := [number.measure for number in numbers if number not in means]:
            self.notes.append(f"{few(others, _NAMED)}: not broken down, for their values are not stored per query")
        return made

    def _rows(self, slice_: str | None, measures: Sequence[SummaryMeasure], lines: Lines) -> Iterator[SummaryRow]:
        """Yield the rows of runs that are shown, each with its change since the row before of its series.

        A value is best among the runs of a group, where not all are alike and the measure has a better side.
        """
        groups = self.groups
        of_measures = {measure.name: lines.get((measure.name, slice_), {}) for measure in measures}
        best = {measure.name: _best(of_measures[measure.name], measure.better, groups) for measure in measures}
        there, rows = {run for line in of_measures.values() for run in line}, {run.number: run for run in self.shown}
        before: dict[str, int] = {}  # series -> its last run that has any of the measures
        for run in (run for run in self.runs if run.number in there):
            earlier = before.get(run.series)
            before[run.series] = run.number
            if run.number not in rows:
                continue
            its = {name: line[run.number] for name, line in of_measures.items() if run.number in line}
            values = {}
            for name, number in its.items():
                known = None if earlier is None else of_measures[name].get(earlier)
                old = None if known is None else known.value
                change = None if number.value is None or old is None else number.value - old
                is_best = number.value is not None and number.value == best[name].get(groups[run.number])
                before_it = Estimate(old, known and known.low, known and known.high)
                apart = Estimate(number.value, number.low, number.high).is_apart(before_it)
                values[name] = SummaryValue(number.value, number.low, number.high, is_best, change, apart)
            sizes = [number.n for number in its.values() if number.n is not None]
            yield SummaryRow(
                label=self.names[run.number],
                name=run.name,
                kind=run.kind,
                started=run.started,
                commit=run.commit,
                tags=dict(rows[run.number].tags),
                group=groups[run.number],
                series=run.series,
                values=values,
                slice=None if slice_ is None else slice_.partition("=")[2],
                queries=None if slice_ is None else max(sizes, default=None),
            )


def _best(line: Mapping[int, StoredNumber], better: Better | None, groups: Mapping[int, int]) -> dict[int, float]:
    """Return the best value of a measure in each group of runs; none where all are alike."""
    alike: dict[int, list[float]] = defaultdict(list)
    for run, number in line.items():
        if number.value is not None and better is not None:
            alike[groups[run]].append(number.value)
    best = max if better == "higher" else min
    return {group: best(values) for group, values in alike.items() if min(values) != max(values)}
