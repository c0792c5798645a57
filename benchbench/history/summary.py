"""Runs beside one another: a row per run, a column per measure, which is best, and what changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import polars as pl

from benchbench.errors import InputError
from benchbench.history import find
from benchbench.history.entry import Entry, MissingValuesError, Run, Wanted
from benchbench.history.listing import most_shown, ordered, said_of_last
from benchbench.history.measure_selection import leading, named
from benchbench.history.rules import comparable_groups
from benchbench.results.estimates import Estimate
from benchbench.results.record import Better

if TYPE_CHECKING:
    from benchbench.history.listing import Order
    from benchbench.history.store import Store
    from benchbench.history.values import Values

MEASURES, OF_SLICES = 6, 3  # that are shown where none is named
_NAMED = 3  # of what a note is about
_MEMBERS = ("run", "measure", "slice", "value", "low", "high", "n", "unit", "better")  # that are read
_PART = {
    **{"run": pl.Int64, "slice": pl.String, "queries": pl.Int64, "measure": pl.String},
    **{"value": pl.Float64, "low": pl.Float64, "high": pl.Float64},
}  # the columns of numbers beside one another


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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Summary:
    """What `history summary` shows."""

    measures: tuple[Measure, ...]
    by: str | None
    groups: int
    rows: tuple[SummaryRow, ...]
    notes: tuple[str, ...]
    runs: int  # of which a table may have the last ones


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
        there = history.numbers(runs, members=("run", "measure"), slices=False)
        chosen = named(measures, there["measure"].unique(maintain_order=True).to_list())
    else:
        chosen = _first(by, (history.numbers([one], slices=False) for one in reversed(runs)))
    numbers = history.numbers(runs, chosen, _MEMBERS, slices=by is not None)
    most = most_shown(wanted)
    cut = not whole and by is None and len(runs) > most
    with history.reading() as connection:
        shown = find.entries_of(connection, runs[-most:] if cut else runs)
    made = _summary(runs, shown, numbers, history.values, chosen, by, {})
    return replace(made, notes=(*made.notes, said_of_last(most, len(runs)))) if cut else made


def summary(
    entries: Sequence[Entry],
    numbers: pl.DataFrame,
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
        Of all of them, as `History.numbers` returns them.
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
    whole = numbers.filter(pl.col("slice").is_null())
    if measures:
        chosen = named(measures, whole["measure"].unique(maintain_order=True).to_list())
    else:
        chosen = _first(by, (whole.filter(pl.col("run") == one.number) for one in reversed(entries)))
    return _summary(entries, entries, numbers, values, chosen, by, labels or {})


def _first(by: str | None, latest: Iterable[pl.DataFrame]) -> list[str]:
    """Return the first measures of the latest run that has any."""
    most = MEASURES if by is None else OF_SLICES
    return next(filter(None, (leading(numbers, most) for numbers in latest)), [])


def _summary(
    runs: Sequence[Run],
    shown: Sequence[Entry],
    numbers: pl.DataFrame,
    values: "Callable[[Entry], Values]",
    chosen: Sequence[str],
    by: str | None,
    labels: Mapping[int, str],
) -> Summary:
    """Return the summary of runs, with rows of those that are shown: of a breakdown, of all."""
    measures = pl.DataFrame({"measure": chosen, "rank": range(len(chosen))}, {"measure": pl.String, "rank": pl.Int64})
    numbers = numbers.join(measures, on="measure", maintain_order="left")
    is_whole = pl.col("slice").is_null()
    whole = numbers.filter(is_whole).unique(["run", "measure"], keep="first", maintain_order=True)
    about = _about(numbers.filter(is_whole), chosen)
    there, notes = set(whole["run"]), list[str]()
    names = {one.number: labels.get(one.number, f"#{one.number}") for one in runs}
    if by is None:
        parts = whole.sort("rank", maintain_order=True).with_columns(queries=pl.lit(None, pl.Int64)).select(*_PART)
    else:
        parts = _stored_slices(numbers, whole, by)
        without_slices = there - set(parts["run"])
        others = [one for one in shown if one.number in without_slices]
        parts = parts.extend(_made_slices(others, whole, values, by, names, notes))
    if without := [names[one.number] for one in runs if one.number not in there]:
        notes.append(f"left out, for they have none of these measures: {_listed(without)}; -m names others")
    if by is not None and parts.is_empty():
        raise InputError("; ".join(dict.fromkeys(notes)) or "there are no runs")
    frame = _compared(_in_rows(parts, runs), about)
    groups = frame["group"].n_unique()
    return Summary(
        tuple(about), by, groups, tuple(_rows(frame, shown, names)), tuple(dict.fromkeys(notes)), len(set(frame["run"]))
    )


def _about(whole: pl.DataFrame, chosen: Sequence[str]) -> list[Measure]:
    latest = whole.unique("measure", keep="last").select("measure", "unit", "better").rows()
    of = {name: Measure(name, unit, better) for name, unit, better in latest}
    return [of[name] for name in chosen]


def _stored_slices(numbers: pl.DataFrame, whole: pl.DataFrame, by: str) -> pl.DataFrame:
    """Return the stored numbers of slices by a column, of measures that their runs have over all."""
    of_column = numbers.filter(pl.col("slice").str.starts_with(f"{by}="))
    return (
        of_column.join(whole, on=["run", "measure"], how="semi", maintain_order="left")
        .with_columns(pl.col("slice").str.slice(len(by) + 1), queries=pl.col("n").max().over("run", "slice"))
        .unique(["run", "slice", "measure"], keep="first", maintain_order=True)
        .select(*_PART)
    )


def _made_slices(
    runs: Sequence[Entry],
    whole: pl.DataFrame,
    values: "Callable[[Entry], Values]",
    by: str,
    names: Mapping[int, str],
    notes: list[str],
) -> pl.DataFrame:
    """Return the means of values per query by a column, of runs without stored slices."""
    from benchbench.history.slice_means import is_mean, parts_of  # late: numpy

    of_runs = whole.sort("rank", maintain_order=True).partition_by("run", as_dict=True)
    rows: list[tuple[object, ...]] = []
    for one in runs:
        own = dict(of_runs[one.number,].select("measure", "value").iter_rows())
        try:
            found = values(one)
            columns = found.values.fill_null(float("nan"))
            means = [name for name in own if name in columns and is_mean(own[name], columns[name].to_numpy())]
            parts = parts_of(found, means, by)
        except MissingValuesError as missing:
            notes.append(str(missing))
            continue
        except InputError as problem:
            notes.append(f"{names[one.number]}: {problem}")
            continue
        if others := [name for name in own if name not in means]:
            notes.append(f"{_listed(others)}: not broken down, for their values are not stored per query")
        for part in parts:
            own_means = part.means.items() or [(None, None)]  # a slice has a row, whatever is known of it
            rows += [(one.number, part.value, part.queries, name, mean, None, None) for name, mean in own_means]
    return pl.DataFrame(rows, _PART, orient="row")


def _in_rows(parts: pl.DataFrame, runs: Sequence[Run]) -> pl.DataFrame:
    """Return numbers in the order of the rows, with `row`; the runs of a slice stand below one another."""
    placed = pl.DataFrame(
        [(one.number, group, one.series) for one, group in zip(runs, comparable_groups(runs), strict=True)],
        {"run": pl.Int64, "group": pl.Int64, "series": pl.String},
        orient="row",
    ).with_row_index("place")
    frame = parts.join(placed, on="run").sort("place", maintain_order=True)
    slices = frame.select("slice").unique(maintain_order=True).with_row_index("of_slice")
    frame = frame.join(slices, on="slice", nulls_equal=True).sort("of_slice", "place", maintain_order=True)
    return frame.with_columns(row=pl.struct("of_slice", "place").rle_id().cast(pl.Int64))


def _compared(frame: pl.DataFrame, about: Sequence[Measure]) -> pl.DataFrame:
    """Return numbers with `change` since the row before of the series and slice, and whether each is the `best`.

    A value is best among the runs of a group and slice, where not all are alike and the measure has a better side.
    """
    value, line = pl.col("value"), ("series", "of_slice")
    frame = frame.with_columns(turn=pl.col("row").rank("dense").over(*line).cast(pl.Int64))
    follows = (pl.col("turn") - pl.col("turn").shift(1)).over(*line, "measure") == 1
    alike = ("group", "of_slice", "measure")
    low, high = value.min().over(*alike), value.max().over(*alike)
    sides = {one.name: one.better for one in about}
    of_side = pl.col("measure").replace_strict(sides, default=None, return_dtype=pl.String)
    first = pl.when(of_side == "higher").then(high).when(of_side == "lower").then(low)
    return frame.with_columns(
        change=pl.when(follows).then((value - value.shift(1)).over(*line, "measure")),
        best=((low != high) & (value == first)).fill_null(value=False),
    )


def _rows(frame: pl.DataFrame, shown: Sequence[Entry], names: Mapping[int, str]) -> Iterator[SummaryRow]:
    """Yield the rows of runs that are shown."""
    entries = {one.number: one for one in shown}
    some = frame.filter(pl.col("run").is_in(list(entries)))
    columns = ("row", "run", "group", "slice", "queries", "measure", "value", "low", "high", "best", "change")
    for _, cells in groupby(some.select(columns).iter_rows(), key=itemgetter(0)):
        own = list(cells)
        _, run, group, part, queries, *_ = own[0]
        entry = entries[run]
        yield SummaryRow(
            label=names[run],
            name=entry.name,
            kind=entry.kind,
            started=entry.started,
            commit=entry.commit,
            tags=dict(entry.tags),
            group=group,
            series=entry.series,
            values={one[5]: Value(*one[6:]) for one in own if one[5] is not None},
            slice=part,
            queries=queries,
        )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])}{f' and {more:,} more' if more > 0 else ''}"
