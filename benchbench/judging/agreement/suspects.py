"""What a judge's grades may go by, besides the pairs themselves: length, position, whose answer it is."""

from dataclasses import dataclass

import numpy as np

from benchbench.judging.agreement.grades import Grades
from benchbench.judging.agreement.pair_columns import AGAIN, LENGTH, POSITION, Lengths, PairColumns, Rated
from benchbench.judging.names import same_model
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.significance.judge_bias import Probe, corrected, paired_probe, probe, untested
from benchbench.tables.qrels_runs import QrelsTable, RankedRun

OWN_DEPTH = 10  # first hits of a run that are its own choice


@dataclass(frozen=True)
class Suspects:
    """What a judge's grades may go by, besides the pairs themselves.

    Attributes
    ----------
    lengths
        Of the texts of documents.
    columns
        `length`, `position`, `position_again` and `model` of pairs.
    again
        The same judge's grades of the same pairs, asked in another order.
    order
        The run in whose order the judge was shown the documents.
    own
        What the column `model` calls the judge's own model; by default the judge's.
    own_run
        The run that the judge's own model has ranked: its first hits are its own choice. The column goes before it.
    """

    lengths: Lengths | None = None
    columns: PairColumns | None = None
    again: QrelsTable | None = None
    order: RankedRun | None = None
    own: str = ""
    own_run: RankedRun | None = None


def probes_of(
    suspects: Suspects, people: QrelsTable, one: Grades, tables: Rated, place: int, level: float, seed: int
) -> tuple[list[Probe], list[str]]:
    """Return the probes for which there is something to look at, and which models are the judge's own.

    Parameters
    ----------
    suspects
        What to look at.
    people, one, tables, place
        People's labels, the judge, the grades of all, and the judge's place in them.
    level, seed
        As `significance.judge_bias.probe` has them.
    """
    values, own = _values(suspects, people, one, tables, place)
    both = tables.both(place)
    human, judge, query = tables.grades[0][both], tables.grades[place][both], tables.query[both]
    found = [probe(name, human, judge, value[both], query, level, seed) for name, value in values.items()]
    if suspects.again is not None:
        found = [one for one in found if one.name != "position"]
        found.append(_asked_again(tables, place, suspects, level, seed))
    columns = suspects.columns
    if columns is not None and columns.model is not None and not own:
        found.append(untested("self_preference", "no row is of the judge's own model; --own names it"))
    return corrected(found), own


def _values(
    suspects: Suspects, people: QrelsTable, one: Grades, tables: Rated, place: int
) -> tuple[dict[str, F64], list[str]]:
    """Return what each pair has of what is suspected, by the names of the probes."""
    columns = suspects.columns
    found: dict[str, F64] = {}
    own: list[str] = []
    if suspects.lengths is not None:
        length = np.full(tables.key.size, np.nan)
        for rater, qrels in ((0, people), (place, one.qrels)):
            length[tables.own[rater]] = suspects.lengths.of(qrels.document)
        found["length"] = _logarithms(length)
    if suspects.order is not None:
        found["position"] = _logarithms(_ranks(tables, suspects.order))
    if suspects.own_run is not None:
        rank = _ranks(tables, suspects.own_run)
        found["self_preference"] = (rank <= OWN_DEPTH).astype(np.float64)
        own = [suspects.own_run.name]
    if columns is not None:
        at = tables.at(columns.query, columns.document)
        there = at >= 0
        for name, probed in ((LENGTH, "length"), (POSITION, "position")):
            if name in columns.numbers:
                found[probed] = _logarithms(_column(tables, at, there, columns.numbers[name]))
        if columns.model is not None:
            called = suspects.own or one.model
            named = [name for name in columns.models if called and same_model(name, called)]
            if named:
                own = named
                places = [columns.models.index(name) for name in named]
                is_own: F64 = np.where(columns.model < 0, np.nan, np.isin(columns.model, places)).astype(np.float64)
                found["self_preference"] = _column(tables, at, there, is_own)
    return found, own


def _column(tables: Rated, at: I64, there: Bools, values: F64) -> F64:
    found = np.full(tables.key.size, np.nan)
    found[at[there]] = values[there]
    return found


def _logarithms(values: F64) -> F64:
    """Return logarithms to base 2: an effect is that of twice as much. Nothing counts as 1."""
    found: F64 = np.log2(np.maximum(values, 1.0))
    return found


def _ranks(tables: Rated, order: RankedRun) -> F64:
    hits = order.rankings
    sizes = np.diff(hits.offsets)
    owner = np.repeat(hits.query, sizes)
    rank = (np.arange(hits.document.size) - np.repeat(hits.offsets[:-1], sizes) + 1).astype(np.float64)
    at = tables.at(owner, hits.document)
    return _column(tables, at, at >= 0, rank)


def _asked_again(tables: Rated, place: int, suspects: Suspects, level: float, seed: int) -> Probe:
    """Compare a judge with itself in another order."""
    assert suspects.again is not None
    again, columns = suspects.again, suspects.columns
    second = np.full(tables.key.size, np.nan)
    at = tables.at(np.repeat(again.query, np.diff(again.offsets)), again.document)
    second[at[at >= 0]] = again.grade[at >= 0]
    step = np.ones(tables.key.size)
    if columns is not None and {POSITION, AGAIN} <= columns.numbers.keys():
        place_of = tables.at(columns.query, columns.document)
        there = place_of >= 0
        moved = np.log2(columns.numbers[AGAIN] / columns.numbers[POSITION])
        step = _column(tables, place_of, there, moved)
    return paired_probe("position", tables.grades[place], second, step, tables.query, level, seed)
