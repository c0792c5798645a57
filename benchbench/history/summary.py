"""Runs beside one another: a row per run, a column per measure, which is best, and what changed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from benchbench.errors import InputError
from benchbench.history.entry import Entry, MissingValuesError
from benchbench.history.rules import comparable_groups
from benchbench.history.shown_measures import leading, named
from benchbench.history.sliced import is_mean, parts_of
from benchbench.history.values import Values
from benchbench.results.estimates import Estimate
from benchbench.results.headline import best
from benchbench.results.record import Better

MEASURES, OF_SLICES = 6, 3  # that are shown where none is named
_NAMED = 3  # of what a note is about


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


def summary(
    entries: Sequence[Entry],
    numbers: pl.DataFrame,
    values: Callable[[Entry], Values],
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
    chosen = _chosen(entries, whole, measures, MEASURES if by is None else OF_SLICES)
    of_runs = _by_run(whole.filter(pl.col("measure").is_in(chosen)))
    groups = comparable_groups(entries)
    rows: list[SummaryRow] = []
    notes: list[str] = []
    without: list[str] = []
    for entry, group in zip(entries, groups, strict=True):
        label = (labels or {}).get(entry.number, f"#{entry.number}")
        own = of_runs.get(entry.number)
        if own is None:
            without.append(label)
            continue
        row = SummaryRow(
            label=label,
            name=entry.name,
            kind=entry.kind,
            started=entry.started,
            commit=entry.commit,
            tags=dict(entry.tags),
            group=group,
            series=entry.series,
            values={name: own[name] for name in chosen if name in own},
        )
        rows += [row] if by is None else _broken_down(row, entry, numbers, values, by, notes)
    if without:
        notes.append(f"left out, for they have none of these measures: {_listed(without)}; -m names others")
    if by is not None:
        if not rows:
            raise InputError("; ".join(dict.fromkeys(notes)) or "there are no runs")
        first = {value: place for place, value in reversed(list(enumerate(row.slice for row in rows)))}
        rows.sort(key=lambda row: first[row.slice])  # the runs of a slice below one another
    about = _about(whole, chosen)
    shown = _marked(_changed(rows), about)
    return Summary(tuple(about), by, len({one.group for one in shown}), tuple(shown), tuple(dict.fromkeys(notes)))


def _chosen(entries: Sequence[Entry], whole: pl.DataFrame, wanted: Sequence[str], most: int) -> list[str]:
    """Return the measures that are named, else the first of the latest run that has any."""
    if wanted:
        return named(wanted, whole["measure"].unique(maintain_order=True).to_list())
    for entry in reversed(entries):
        if found := leading(whole.filter(pl.col("run") == entry.number), most):
            return found
    return []


def _by_run(numbers: pl.DataFrame) -> dict[int, dict[str, Value]]:
    found: dict[int, dict[str, Value]] = {}
    for run, measure, *ends in numbers.select("run", "measure", "value", "low", "high").iter_rows():
        found.setdefault(run, {}).setdefault(measure, Value(*ends))
    return found


def _about(whole: pl.DataFrame, chosen: Sequence[str]) -> list[Measure]:
    latest = whole.unique("measure", keep="last").select("measure", "unit", "better").rows()
    of = {name: Measure(name, unit, better) for name, unit, better in latest}
    return [of[name] for name in chosen]


def _broken_down(
    row: SummaryRow,
    entry: Entry,
    numbers: pl.DataFrame,
    values: Callable[[Entry], Values],
    by: str,
    notes: list[str],
) -> list[SummaryRow]:
    """Return a row per slice: of stored numbers of slices, else of values per query."""
    stored = numbers.filter(
        pl.col("run") == entry.number,
        pl.col("slice").str.starts_with(f"{by}="),
        pl.col("measure").is_in(list(row.values)),
    )
    if stored.height:
        rows = []
        for (slice_,), part in stored.group_by("slice", maintain_order=True):
            own = _by_run(part)[entry.number]
            counted = [n for n in part["n"].to_list() if n is not None]
            value = str(slice_).partition("=")[2]
            rows.append(replace(row, slice=value, queries=max(counted, default=None), values=own))
        return rows
    try:
        found = values(entry)
        means = [name for name in row.values if _is_mean(found, name, row.values[name].value)]
        parts = parts_of(found, means, by)
    except MissingValuesError as missing:
        notes.append(str(missing))
        return []
    except InputError as problem:
        notes.append(f"{row.label}: {problem}")
        return []
    if len(means) < len(row.values):
        others = [name for name in row.values if name not in means]
        notes.append(f"{_listed(others)}: not broken down, for their values are not stored per query")
    return [
        replace(
            row, slice=one.value, queries=one.queries, values={name: Value(mean) for name, mean in one.means.items()}
        )
        for one in parts
    ]


def _is_mean(found: Values, name: str, value: float | None) -> bool:
    return name in found.values.columns and is_mean(value, found.values[name].fill_null(float("nan")).to_numpy())


def _changed(rows: Sequence[SummaryRow]) -> list[SummaryRow]:
    """Return the rows with what each number has changed by since the run before of the same series and slice."""
    before: dict[tuple[str, str | None], Mapping[str, Value]] = {}
    changed = []
    for row in rows:
        last = before.get((row.series, row.slice), {})
        values = {
            name: replace(one, change=_less(one.value, last[name].value)) if name in last else one
            for name, one in row.values.items()
        }
        before[row.series, row.slice] = row.values
        changed.append(replace(row, values=values))
    return changed


def _less(value: float | None, before: float | None) -> float | None:
    return None if value is None or before is None else value - before


def _marked(rows: Sequence[SummaryRow], measures: Sequence[Measure]) -> list[SummaryRow]:
    """Return the rows with the best value of each measure marked, among the runs that may be compared."""
    alike: dict[tuple[int, str | None], list[int]] = {}
    for place, row in enumerate(rows):
        alike.setdefault((row.group, row.slice), []).append(place)
    marked = list(rows)
    for places in alike.values():
        for measure in measures:
            ours = [rows[place].values.get(measure.name) for place in places]
            first = best([None if one is None else one.value for one in ours], measure.better)
            for place in (places[number] for number in first):
                values = {**marked[place].values}
                values[measure.name] = replace(values[measure.name], best=True)
                marked[place] = replace(marked[place], values=values)
    return marked


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])}{f' and {more:,} more' if more > 0 else ''}"
