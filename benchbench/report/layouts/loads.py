"""Load tests compared with each other: one row per step and number, and a sentence on each pair."""

from collections.abc import Iterator

from benchbench.comparison.headline import headline_of_loads
from benchbench.comparison.load_pairs import LoadDifference, LoadsDetails
from benchbench.report.blocks import EVERYWHERE, TERMINAL, Cell, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.standard import standard
from benchbench.results.figures import ends, p_said, p_value, signed, value
from benchbench.results.record import plain
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined

_NAMES = {"queries_per_second": "queries/s", "error_rate": "error rate"}
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
    pairs = dict.fromkeys((row.baseline, row.system) for row in loads.differences)
    return standard(
        result,
        title,
        headline_of_loads(loads),
        [Text([basis], where=TERMINAL), *(_table(loads, *pair) for pair in pairs), Text(list(_sentences(loads)))],
        lead=basis,
        signed={system.name: system.signature for system in loads.systems},
        members=lambda: plain(loads),
        rows=lambda: (plain(row) for row in loads.differences),
        command="benchbench compare",
    )


def _table(loads: LoadsDetails, baseline: str, system: str) -> Table:
    rows = [row for row in loads.differences if (row.baseline, row.system) == (baseline, system)]
    first = {row.step: row for row in reversed(rows)}
    columns = [
        Column("Load", lambda row: row.step if first[row.step] is row else ""),
        Column("Number", lambda row: f"{_NAMES.get(row.measure, row.measure)}{' ms' if row.unit == 'ms' else ''}"),
        Column(baseline, lambda row: value(row.baseline_mean, _digits(row)), "r"),
        Column(system, lambda row: value(row.system_mean, _digits(row)), "r"),
        Column("Difference", lambda row: signed(row.mean, _digits(row)), "r"),
        Column(f"{100 * (1 - loads.alpha):g} % interval", lambda row: ends(row, _digits(row), signed), "r", 1),
        Column("p", lambda row: p_value(row.p), "r", 2),
        Column("Noise", lambda row: value(row.noise, _digits(row)), "r", 3),
        Column("", lambda row: Cell(_WORDS[row.direction], tone=_TONES[row.direction])),
    ]
    return table_of(columns, rows, where=EVERYWHERE)


def _sentences(loads: LoadsDetails) -> Iterator[str]:
    for row in loads.differences:
        if row.direction:
            yield (
                f"{row.step}: {row.system} is {_WORDS[row.direction]} than {row.baseline} in "
                f"{_NAMES.get(row.measure, row.measure)} ({value(row.system_mean, _digits(row))} against "
                f"{value(row.baseline_mean, _digits(row))}; {p_said(row.p)})."
            )
    for baseline, system in dict.fromkeys((row.baseline, row.system) for row in loads.differences):
        rows = [row for row in loads.differences if (row.baseline, row.system) == (baseline, system)]
        if any(row.p is not None for row in rows) and not any(row.direction for row in rows):
            yield f"No difference shown between {system} and {baseline}; that does not say that they are the same."


def _digits(row: LoadDifference) -> int:
    return 4 if row.measure == "error_rate" else 1
