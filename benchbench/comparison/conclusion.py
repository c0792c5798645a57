"""Scores of several systems, with what is known of the queries, made into a comparison."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbench.comparison.compare_result import MOVED, CompareOutcome, System
from benchbench.comparison.evidence import Evidence
from benchbench.comparison.unjudged import Unjudged, numbers_of
from benchbench.errors import InputError
from benchbench.kernels.arrays import F64
from benchbench.results.gates import Gate
from benchbench.results.record import Data
from benchbench.significance.comparing import compare
from benchbench.significance.gates import as_gates, verdicts
from benchbench.significance.result import Comparison
from benchbench.significance.settings import Settings
from benchbench.tables.paired import Paired

if TYPE_CHECKING:
    import polars as pl

    from benchbench.formats.query_table import QueryTable

POSITIVES = "positives"  # a column of all comparisons: how many relevant documents a query has
ALL = 1000  # queries up to which there is evidence of each, and about the most there is of a larger set
DEPTH = 10  # hits per query and system
_AT_LEAST = 5  # gains, and losses, per pair by the first measure


@dataclass(frozen=True, kw_only=True)
class Joined:
    """What run files and results folders are made into."""

    paired: Paired
    systems: tuple[System, ...]
    evidence: Callable[[Sequence[int]], tuple[Evidence, ...]]  # of queries by their number, in that order
    notes: tuple[str, ...] = ()
    why_no_columns: str = ""  # a reason, where the columns of queries are not at hand
    latencies: Mapping[str, F64] = field(default_factory=dict)  # ms of each successful request, ascending, by system
    data: Data = field(default_factory=Data)
    options: Mapping[str, Any] = field(default_factory=dict)  # in force, besides the settings of the comparison
    began: float = field(default_factory=time.time)
    unjudged: Callable[[Paired, Settings], tuple[Unjudged, tuple[str, ...]]] | None = None  # and what to say of it


def concluded(
    joined: Joined,
    settings: Settings,
    measured: Callable[[str], str],
    fail_if: Iterable[str | Gate] = (),
    with_evidence: bool = True,
    shown: int = MOVED,
) -> CompareOutcome:
    """Compare, and collect the evidence.

    Parameters
    ----------
    joined
        What to compare.
    settings
        How.
    measured
        Returns the name under which a measure is compared; InputError when it is not.
    fail_if
        Gates, as `results.gates` describes them.
    with_evidence
        Whether hits and texts are read.
    shown
        How many of the queries that moved most the details have of each pair.

    Raises
    ------
    InputError
        An unknown baseline, column or measure; a gate that is none.
    """
    paired = joined.paired
    if settings.baseline is not None and settings.baseline not in paired.systems:
        raise InputError(f"--baseline {settings.baseline} is not compared; there are {', '.join(paired.systems)}")
    columns = [("slice", column) for column in settings.slices]
    if settings.cluster is not None:
        columns.append(("cluster", settings.cluster))
    for option, column in columns:
        if column not in paired.table.columns:
            there = ", ".join(paired.table.columns) or "none"
            why = f" ({joined.why_no_columns})" if joined.why_no_columns else ""
            raise InputError(f"--{option} {column} is no column of the queries; there are {there}{why}")
    gates = as_gates(fail_if, measured)
    comparison = compare(paired, settings)
    unjudged, notes = joined.unjudged(paired, settings) if joined.unjudged else (Unjudged(), ())
    checked = tuple(verdicts(gates, comparison, list(numbers_of(unjudged, len(paired.queries)))))
    moved, numbers = _moved(comparison) if with_evidence else ({}, [])
    return CompareOutcome(
        comparison=comparison,
        systems=joined.systems,
        moved=moved,
        moved_by=paired.measures[0],
        evidence=joined.evidence(numbers) if numbers else (),
        gates=checked,
        notes=(*joined.notes, *notes),
        shown=shown,
        latencies=joined.latencies,
        data=joined.data,
        options={**joined.options, "fail_if": [gate.text for gate in gates]},
        began=joined.began,
        unjudged=unjudged,
    )


def _moved(comparison: Comparison) -> tuple[dict[tuple[str, str], tuple[int, ...]], list[int]]:
    """Return, per pair, the places of the queries that moved, greatest first; and the queries that have evidence.

    Those that moved go by the first measure. Of many queries, those have evidence that moved most by any measure.
    """
    paired, tie = comparison.paired, comparison.settings.tie
    pairs = dict.fromkeys((one.baseline, one.system) for one in comparison.differences)
    n = len(paired.queries)
    each = n if n <= ALL else max(_AT_LEAST, ALL // (2 * len(pairs)))
    ordered = {}
    for baseline, system in pairs:
        change = paired.difference(0, paired.systems.index(baseline), paired.systems.index(system))
        order = np.argsort(-change, kind="stable")
        gains, losses = order[:each], order[::-1][:each]
        extremes = np.union1d(gains[change[gains] > tie], losses[change[losses] < -tie])
        ordered[baseline, system] = extremes[np.argsort(-np.abs(change[extremes]), kind="stable")].tolist()
    shown = list(range(n)) if n <= ALL else sorted({*chain.from_iterable(ordered.values()), *_extremes(comparison)})
    places = {number: place for place, number in enumerate(shown)}
    return {pair: tuple(places[number] for number in numbers) for pair, numbers in ordered.items()}, shown


def _extremes(comparison: Comparison) -> set[int]:
    """Return the greatest gains and losses of each pair by each measure."""
    paired, tie, queries = comparison.paired, comparison.settings.tie, set[int]()
    places = {name: place for place, name in enumerate(paired.systems)}
    each = max(1, ALL // (2 * len(comparison.differences)))
    for one in comparison.differences:
        change = paired.difference(paired.measures.index(one.measure), places[one.baseline], places[one.system])
        for moves in (change, -change):
            least = max(float(np.partition(moves, -each)[-each]), tie)
            above = np.flatnonzero(moves > least)
            ties = np.flatnonzero(moves == least)[: each - len(above)] if least > tie else ()
            queries.update(above.tolist(), map(int, ties))
    return queries


def columns_of(queries: Sequence[str], table: "QueryTable | None", notes: list[str]) -> "pl.DataFrame | None":
    """Return the columns of a file of queries, one row per query, without the number of positives.

    Raises
    ------
    InputError
        When the file has none of the queries.
    """
    if table is None:
        return None
    missing = len(set(queries) - set(table.ids))
    if missing == len(queries):
        raise InputError(f"--queries has none of the {missing:,} queries; their ids differ")
    if missing:
        notes.append(f"--queries has no line for {missing:,} of the {len(queries):,} queries")
    return table.rows_of(queries).drop(POSITIVES, strict=False)
