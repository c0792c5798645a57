"""Load tests compared with each other: one row per step and number, and a sentence on each pair."""

from collections.abc import Callable, Iterator

from benchbench.comparison.headline import headline_of_loads
from benchbench.comparison.load_pairs import LoadDifference, LoadsDetails
from benchbench.report.blocks import EVERYWHERE, Cell, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.compare_tables import load_table
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, count, ends, p_said, p_value, share, time
from benchbench.results.record import plain
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined

_NAMES = {"queries_per_second": "queries/s", "error_rate": "failed"}
_WORDS = {1: "better", -1: "worse", 0: ""}
_TONES = {1: "good", -1: "bad", 0: ""}


def layout(result: Result) -> Layout:
    """Return the differences of each pair, and what they rest on."""
    loads = result.details_as(LoadsDetails)
    title = f"{and_joined([system.name for system in loads.systems])}: load tests"
    repeats = and_joined([f"{system.name} {system.repeats}" for system in loads.systems])
    percent = f"{100 * (1 - loads.alpha):g} %"
    basis = (
        f"Means over repeats ({repeats}); {percent} intervals and p-values by permutation of the repeats, over all "
        "numbers of a pair together. Noise is how far the odd repeats of a system are from its even ones."
    )
    tested = any(row.p is not None for row in loads.differences)
    has_steps = any(loads.loads.values())
    pairs = dict.fromkeys((row.baseline, row.system) for row in loads.differences)
    return standard(
        result,
        title,
        headline_of_loads(loads),
        [
            Text([basis] * tested),
            *([_table(loads, *pair) for pair in pairs] if tested or not has_steps else [load_table(loads.loads)]),
            Text(list(_sentences(loads))),
        ],
        signed={system.name: system.signature for system in loads.systems},
        page="loads_page",
        members=lambda: plain(loads),
        rows=lambda: (plain(row) for row in loads.differences),
        command="benchbench compare",
    )


def _table(loads: LoadsDetails, baseline: str, system: str) -> Table:
    rows = [row for row in loads.differences if (row.baseline, row.system) == (baseline, system)]
    first = {row.step: row for row in reversed(rows)}
    silent = {
        (row.step, name)
        for row in rows
        for name, mean in ((baseline, row.baseline_mean), (system, row.system_mean))
        if row.measure == "error_rate" and mean == 1.0
    }

    def mean(row: LoadDifference, name: str) -> str:
        number = row.baseline_mean if name == baseline else row.system_mean
        return NOTHING if (row.step, name) in silent and row.measure != "error_rate" else _shown(row, number)

    def difference(row: LoadDifference) -> str:
        return NOTHING if NOTHING in (mean(row, baseline), mean(row, system)) else _change(row, row.mean)

    def change(row: LoadDifference) -> Callable[[float | None, int], str]:
        return lambda number, _: _change(row, number)

    columns = [
        Column("Load", lambda row: row.step if first[row.step] is row else ""),
        Column("Measure", lambda row: _NAMES.get(row.measure, row.measure)),
        Column(baseline, lambda row: mean(row, baseline), "r"),
        Column(system, lambda row: mean(row, system), "r"),
        Column("Difference", difference, "r"),
        Column(f"{100 * (1 - loads.alpha):g} % interval", lambda row: ends(row, shown=change(row)), "r", 1),
        Column("p", lambda row: p_value(row.p), "r", 2),
        Column("Noise", lambda row: _shown(row, row.noise), "r", 3),
        Column("", lambda row: Cell(_WORDS[row.direction], tone=_TONES[row.direction])),
    ]
    return table_of(columns, rows, where=EVERYWHERE)


def _sentences(loads: LoadsDetails) -> Iterator[str]:
    for row in loads.differences:
        if row.direction:
            yield (
                f"{row.step}: {row.system} is {_WORDS[row.direction]} than {row.baseline} in "
                f"{_NAMES.get(row.measure, row.measure)} ({_shown(row, row.system_mean)} against "
                f"{_shown(row, row.baseline_mean)}; {p_said(row.p)})."
            )
    for baseline, system in dict.fromkeys((row.baseline, row.system) for row in loads.differences):
        rows = [row for row in loads.differences if (row.baseline, row.system) == (baseline, system)]
        if any(row.p is not None for row in rows) and not any(row.direction for row in rows):
            yield f"{system} and {baseline} do not differ measurably; this does not mean that they are the same."


def _shown(row: LoadDifference, number: float | None) -> str:
    """Return a number of a row: a time, a share in percent, or a rate."""
    if row.measure == "error_rate":
        return share(number, 1)
    return time(number) if row.unit == "ms" else count(number)


def _change(row: LoadDifference, number: float | None) -> str:
    """Return the same of a difference, with its sign."""
    text = _shown(row, None if number is None else abs(number))
    return f"{'−' if number < 0 else '+'}{text}" if number else text
