"""Scores of several systems, with what is known of the queries, made into a comparison."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbench.comparison.compare_result import CompareOutcome
from benchbench.comparison.evidence import Evidence
from benchbench.comparison.unjudged import Unjudged, numbers_of
from benchbench.errors import InputError
from benchbench.results.gates import Gate
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.gates import as_gates, verdicts
from benchbench.significance.result import Comparison
from benchbench.tables.paired import Paired

if TYPE_CHECKING:
    import polars as pl

    from benchbench.formats.query_table import QueryTable

POSITIVES = "positives"  # a column of all comparisons: how many relevant documents a query has
ALL = 1000  # queries up to which there is evidence of each, and about the most there is of a larger set
DEPTH = 10  # hits per query and system
_AT_LEAST = 5  # gains, and losses, per pair by the first measure


def concluded(
    paired: Paired,
    settings: CompareSettings,
    measured: Callable[[str], str],
    evidence: Callable[[Sequence[int]], tuple[Evidence, ...]] | None,
    unjudged: Callable[[Paired, CompareSettings], tuple[Unjudged, tuple[str, ...]]] | None = None,
    *,
    fail_if: Iterable[str | Gate],
    why_no_columns: str,
    notes: Sequence[str],
    options: Mapping[str, Any],
    **members: Any,
) -> CompareOutcome:
    """Compare, and collect the evidence.

    Parameters
    ----------
    paired, settings
        What to compare, and how.
    measured
        Returns the name under which a measure is compared; InputError when it is not.
    evidence
        Returns what some queries got, by their numbers and in that order; None where that is not read.
    unjudged
        Returns what unjudged hits may do, and sentences on it.
    fail_if
        Gates, as `results.gates` describes them.
    why_no_columns
        A reason, where the columns of queries are not at hand.
    notes, options
        On what is compared, and in force besides the settings.
    members
        Other members of the result.

    Raises
    ------
    InputError
        An unknown baseline, column or measure; a gate that is none.
    """
    if settings.baseline is not None and settings.baseline not in paired.systems:
        raise InputError(f"--baseline {settings.baseline} is not compared; there are {', '.join(paired.systems)}")
    columns = [("slice", column) for column in settings.slices]
    if settings.cluster is not None:
        columns.append(("cluster", settings.cluster))
    for option, column in columns:
        if column not in paired.table.columns:
            there = ", ".join(paired.table.columns) or "none"
            why = f" ({why_no_columns})" if why_no_columns else ""
            raise InputError(f"--{option} {column} is no column of the queries; there are {there}{why}")
    gates = as_gates(fail_if, measured)
    comparison = compare(paired, settings)
    of_unjudged, on_unjudged = unjudged(paired, settings) if unjudged else (Unjudged(), ())
    checked = tuple(verdicts(gates, comparison, list(numbers_of(of_unjudged, len(paired.queries)))))
    moved, numbers = _moved(comparison) if evidence else ({}, [])
    return CompareOutcome(
        comparison=comparison,
        moved=moved,
        moved_by=paired.measures[0],
        evidence=evidence(numbers) if evidence and numbers else (),
        gates=checked,
        notes=(*notes, *on_unjudged),
        options={**options, "fail_if": [gate.text for gate in gates]},
        unjudged=of_unjudged,
        **members,
    )


def _moved(comparison: Comparison) -> tuple[dict[tuple[str, str], tuple[int, ...]], list[int]]:
    """Return, per pair, the places of the queries that moved, greatest first; and the queries that have evidence.

    Those that moved go by the first measure. Of many queries, those have evidence that moved most by any measure.
    """
    paired, tie = comparison.paired, comparison.settings.tie
    pairs = dict.fromkeys((difference.baseline, difference.system) for difference in comparison.differences)
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
    for difference in comparison.differences:
        change = paired.difference(
            paired.measures.index(difference.measure), places[difference.baseline], places[difference.system]
        )
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
