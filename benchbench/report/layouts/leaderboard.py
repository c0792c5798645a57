"""Many systems on a terminal: one table sorted by the first measure, with letters of ties; pairs where asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from benchbench.comparison.compare_result import CompareDetails
from benchbench.comparison.leaders import leaderboard
from benchbench.errors import InputError
from benchbench.report.blocks import EXTRA, TERMINAL, AnyCell, Block, Cell, Text
from benchbench.report.layouts.columns import Column, drawn_column, table_of
from benchbench.report.layouts.compare_words import level, p_shown
from benchbench.report.render.lines import shortened
from benchbench.results.figures import count, ends, signed, value
from benchbench.results.headline import OF_DIRECTION
from benchbench.significance.letters import rank_span, tie_letters
from benchbench.significance.notes import CORRECTIONS
from benchbench.significance.result import PairedDifference, SystemMean

ALL_PAIRS = "all"
_NAME = 32  # columns of a system's name in a table


def difference_cell(difference: PairedDifference) -> Cell:
    """Return a difference with its mark."""
    tone = "" if difference.direction else "muted"
    return Cell(f"{OF_DIRECTION[difference.direction]} {signed(difference.mean)}", tone=tone)


def systems_table(details: CompareDetails) -> Iterator[Block]:
    """Yield the table of all systems, the best first, and what its letters mean.

    The first measure stays however narrow a terminal is; further ones come as there is room.
    """
    systems, baseline = leaderboard(details), details.settings.baseline
    first, *others = details.measures
    minus = baseline or systems[0]
    estimates = {name: details.estimate(first, name) for name in systems}

    def from_best(name: str) -> AnyCell:
        difference = details.difference(first, name, minus)
        return ("baseline" if baseline else "best") if difference is None else difference_cell(difference)

    rates = {name: speed.queries_per_second for name, speed in details.speed_of.items()}
    columns = [
        Column("Rank", lambda name: _ranks(estimates[name])),
        Column("System", lambda name: shortened(name, _NAME)),
        *_measure(details, first, systems, 0),
        Column(f"to {shortened(baseline, 16)}" if baseline else "to the best", from_best, "r", 1),
        *(column for place, name in enumerate(others, 2) for column in _measure(details, name, systems, place)),
        Column("queries/s", lambda name: count(rates.get(name)), "r", EXTRA) if rates else None,
        Column(f"{level(details)} interval", lambda name: ends(estimates[name]), "r", EXTRA + 1),
        drawn_column({name: (each.low, each.mean, each.high) for name, each in estimates.items()}, EXTRA + 2),
    ]
    yield table_of(columns, systems, where=TERMINAL)
    shared = "" if baseline else "Systems that share a letter are not measurably different; "
    legend = f"{OF_DIRECTION[-1]} is measurably worse, {OF_DIRECTION[0]} too close to decide."
    yield Text([f"{shared}{legend} Rank: what the tests leave open."], where=TERMINAL)


def _ranks(estimate: SystemMean) -> str:
    return rank_span(estimate.rank_low, estimate.rank_high)


def _measure(details: CompareDetails, measure: str, systems: list[str], keep: int) -> Iterator[Column]:
    """Yield the column of a measure, and that of its letters where all pairs were tested."""
    best = min(details.estimate(measure, name).rank for name in systems)

    def mean(name: str) -> AnyCell:
        estimate = details.estimate(measure, name)
        return Cell(value(estimate.mean), strong=estimate.rank == best)

    yield Column(measure, mean, "r", keep)
    if details.settings.baseline is None:
        ordered = sorted(systems, key=lambda name: -details.estimate(measure, name).mean)
        letters = tie_letters(ordered, details.by_measure[measure])
        yield Column("ties", letters.__getitem__, "l", keep)


def asked_pairs(details: CompareDetails, asked: str) -> list[tuple[str, str]]:
    """Return the pairs that are asked for, each as what is subtracted and the system.

    Parameters
    ----------
    details
        Of all pairs.
    asked
        The name of a system, which comes less each other, or `ALL_PAIRS`.

    Raises
    ------
    InputError
        There is no such system.
    """
    systems = leaderboard(details)
    if asked == ALL_PAIRS:
        return [(minus, system) for place, system in enumerate(systems) for minus in systems[place + 1 :]]
    if asked not in systems:
        raise InputError(f"--pairs {asked} is none of the systems; there are: {', '.join(systems)}, or {ALL_PAIRS}")
    return [(minus, asked) for minus in systems if minus != asked]


def of_pairs(details: CompareDetails, pairs: Iterable[tuple[str, str]]) -> CompareDetails:
    """Return the details with the differences and the evidence of some pairs only."""
    either = {frozenset(pair) for pair in pairs}

    def kept(parts: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(part for part in parts if frozenset((part.baseline, part.system)) in either)

    return replace(
        details,
        differences=kept(details.differences),
        slices=kept(details.slices),
        moved=kept(details.moved),
        unjudged=replace(details.unjudged, cases=kept(details.unjudged.cases)),
    )


def pair_tables(details: CompareDetails, asked: str) -> Iterator[Block]:
    """Yield a table for each measure: the difference of each pair, its interval, and how many queries are better."""
    settings = details.settings
    corrected = "p" if settings.correction == "none" else f"p ({CORRECTIONS[settings.correction]})"
    system = "" if asked == ALL_PAIRS else shortened(asked, _NAME)

    def pair(difference: PairedDifference) -> str:
        minus = shortened(difference.baseline, _NAME)
        return minus if system else f"{shortened(difference.system, _NAME)} - {minus}"

    pairs = asked_pairs(details, asked)
    for measure in details.measures:
        found = (details.difference(measure, name, minus) for minus, name in pairs)
        columns = [
            Column(f"{system} minus" if system else "Difference", pair),
            Column(measure, difference_cell, "r"),
            Column(f"{level(details)} interval", lambda each: ends(each, shown=signed), "r", 2),
            Column(corrected, lambda each: p_shown(details, each), "r", 1),
            Column("better", lambda each: count(each.wins), "r", 3),
            Column("worse", lambda each: count(each.losses), "r", 3),
            Column("equal", lambda each: count(each.ties), "r", 3),
        ]
        yield table_of(columns, [each for each in found if each is not None], where=TERMINAL)
