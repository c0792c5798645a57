"""The values of two runs over the same queries, and what paired tests say of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.history.slice_means import typed
from benchbench.history.values import RunValues
from benchbench.kernels.arrays import F64, I64
from benchbench.results.record import Better
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.result import PairedDifference, SliceDifference
from benchbench.tables.paired import Paired

_FIRST, _SECOND = "first", "second"


@dataclass(frozen=True, slots=True)
class Pairs:
    """The values of both runs, by measure; NaN where a query has none.

    Attributes
    ----------
    queries
        Those that both runs have, in the order of the first.
    values
        Of the first and of the second run, (queries,) each.
    columns
        Columns of the queries that are stored, (queries, any).
    whole
        Whether both runs have just these queries.
    """

    queries: tuple[str, ...]
    values: Mapping[str, tuple[F64, F64]]
    columns: pl.DataFrame
    whole: bool

    def paired(self, there: I64, signs: Mapping[str, float], labels: tuple[str, str]) -> Paired:
        """Return the values of some queries in measures that have a sign, times that."""
        values = np.stack([sign * np.stack(self.values[name])[:, there] for name, sign in signs.items()])
        columns = self.columns[there] if self.columns.width else self.columns
        return Paired(labels, tuple(signs), [self.queries[place] for place in there.tolist()], values, columns)


@dataclass(frozen=True, slots=True)
class TestedMeasure:
    """What the test of one measure says.

    `sign` is -1 where less is better: the test took the values with that sign, so that more is better.
    """

    difference: PairedDifference
    slices: tuple[SliceDifference, ...]
    first: float  # means over the queries that were compared
    second: float
    moves: F64  # second less first per query, NaN where it was left out
    queries: int
    sign: float


def joined(
    sides: Sequence[RunValues], labels: tuple[str, str], measures: Sequence[str], allow: bool, notes: list[str]
) -> Pairs:
    """Return the values of the queries that both runs have.

    Parameters
    ----------
    sides
        Of the first and the second run.
    labels
        What messages call them.
    measures
        Those that are wanted; some may have no values.
    allow
        Whether the runs may have other queries.
    notes
        Gets what was left out.

    Raises
    ------
    InputError
        Other queries, unless they are allowed.
    """
    frames = [
        pl.DataFrame([side.queries.alias("query"), pl.int_range(len(side.queries), eager=True).alias(place)])
        for side, place in zip(sides, (_FIRST, _SECOND), strict=True)
    ]
    both = frames[0].join(frames[1], on="query", how="inner", maintain_order="left")
    sizes = [len(side.queries) for side in sides]
    if both.height < max(sizes):
        text = f"{labels[0]} has {sizes[0]:,} queries, {labels[1]} {sizes[1]:,}, and {both.height:,} are in both"
        if not allow:
            raise InputError(f"{text}; --allow-different compares those")
        notes.append(f"{text}; only queries that both have are compared")
    order = [both[place].to_numpy() for place in (_FIRST, _SECOND)]
    values = {
        name: (_ordered(sides[0], name, order[0]), _ordered(sides[1], name, order[1]))
        for name in measures
        if all(name in side.values.columns for side in sides)
    }
    columns = sides[0].columns
    return Pairs(
        tuple(both["query"].to_list()),
        values,
        typed(columns[order[0]]) if columns.width else columns,
        both.height == max(sizes),
    )


def tested(
    pairs: Pairs,
    better: Mapping[str, Better | None],
    labels: tuple[str, str],
    settings: CompareSettings,
    notes: list[str],
) -> dict[str, TestedMeasure]:
    """Return what the paired tests of `compare` say of each measure that has values.

    Parameters
    ----------
    pairs
        The values.
    better
        By measure, which direction is an improvement; None is taken for higher.
    labels
        What notes call the runs.
    settings
        Of the test; their baseline is the first run.
    notes
        Gets what was left out, and what the tests cannot show.

    Raises
    ------
    InputError
        A column to slice or to group by that there is none of.
    """
    for option, columns in (("slice", settings.slices), ("cluster", filter(None, [settings.cluster]))):
        for column in columns:
            if column not in pairs.columns.columns:
                stored = ", ".join(pairs.columns.columns) or "none"
                raise InputError(f"--{option} {column} is no column of the queries that is stored; there are {stored}")
    alike: dict[bytes, list[str]] = {}  # measures that have values of the same queries, which are tested at once
    for name, (first, second) in pairs.values.items():
        alike.setdefault(np.isfinite(first + second).tobytes(), []).append(name)
    by_measure: dict[str, TestedMeasure] = {}
    for mask, names in alike.items():
        there: I64 = np.flatnonzero(np.frombuffer(mask, bool))
        left_out = len(pairs.queries) - len(there)
        if len(there) < 2:
            notes.append(f"{', '.join(names)}: fewer than 2 queries have a value in both runs, so nothing is tested")
            continue
        if left_out:
            notes.append(f"{', '.join(names)}: {left_out:,} of {len(pairs.queries):,} queries have no value in one run")
        signs = {name: -1.0 if better.get(name) == "lower" else 1.0 for name in names}
        paired = pairs.paired(there, signs, labels)
        comparison = compare(paired, settings)
        notes += comparison.notes
        for place, difference in enumerate(comparison.differences):
            measure = difference.measure
            moves = np.full(len(pairs.queries), np.nan)
            moves[there] = paired.difference(place, 0, 1) * signs[measure]
            before, after = (float(values[there].mean()) for values in pairs.values[measure])
            slices = tuple(part for part in comparison.slices if part.measure == measure)
            by_measure[measure] = TestedMeasure(difference, slices, before, after, moves, len(there), signs[measure])
    return {name: by_measure[name] for name in pairs.values if name in by_measure}


def _ordered(side: RunValues, name: str, order: I64) -> F64:
    values: F64 = side.values[name].fill_null(float("nan")).to_numpy()[order]
    return values
