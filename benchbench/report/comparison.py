"""A comparison as text for people."""

from collections.abc import Iterator
from itertools import zip_longest

from benchbench.report.columns import cut, padded, paged, plain
from benchbench.report.comparison_words import (
    heading,
    interval,
    method,
    number,
    p_value,
    percent,
    sentence,
    signed,
    verdict,
)
from benchbench.significance.outcome import Document, Evidence, Outcome
from benchbench.significance.result import Slice

_RANKS = 5  # hits shown a system
_SLICES = 5  # losses, and gains, shown a column
_NOTHING = Document("", None, False)
_PAIRS = 4  # of which the queries that moved are shown


def text(outcome: Outcome, moved: int = 5, width: int = 100) -> str:
    """Return the tables and sentences for people.

    Parameters
    ----------
    outcome
        What was found.
    moved
        How many of the queries that moved most are shown a pair.
    width
        Columns that texts of queries and documents may take.
    """
    title = heading(outcome)
    lines = [title, "=" * len(title), f"{percent(outcome.comparison)} intervals by BCa bootstrap over queries.", ""]
    lines += [_means(outcome), "", _differences(outcome), "", _tests(outcome), "", *_sentences(outcome)]
    if outcome.comparison.settings.slices:
        lines += _slices(outcome)
    if moved:
        lines += _moved(outcome, moved, max(width, 40))
    lines += ["", f"Tests       {method(outcome.comparison)}"]
    lines += [f"Gate        {one.outcome}" for one in outcome.gates]
    lines += [f"Note        {note}" for note in (*outcome.notes, *outcome.comparison.notes)]
    lines += [f"Signature   {system.name} {system.signature}" for system in outcome.systems]
    return paged(lines)


def _means(outcome: Outcome) -> str:
    comparison = outcome.comparison
    level = percent(comparison)
    body, previous = [], None
    for one in comparison.estimates:
        ranks = f"{one.rank_low}" if one.rank_low == one.rank_high else f"{one.rank_low} to {one.rank_high}"
        between = f"[{number(one.low)}, {number(one.high)}]"
        name = "" if one.measure == previous else one.measure
        body.append([name, one.system, number(one.mean), between, f"{one.rank}", ranks])
        previous = one.measure
    return plain(["Measure", "System", "Mean", f"{level} interval", "Rank", "May be"], body)


def _differences(outcome: Outcome) -> str:
    comparison = outcome.comparison
    test = comparison.settings.test
    body, previous = [], None
    for one in comparison.differences:
        name = "" if one.measure == previous else one.measure
        counts = [f"{one.wins:,}", f"{one.ties:,}", f"{one.losses:,}"]
        p = p_value(one.corrected[test])
        pair = f"{one.system} - {one.baseline}"
        body.append([name, pair, signed(one.mean), interval(one.low, one.high), p, *counts, verdict(one)])
        previous = one.measure
    head = [
        "Measure",
        "Difference",
        "Mean",
        f"{percent(comparison)} interval",
        "corrected p",
        "Wins",
        "Ties",
        "Losses",
        "",
    ]
    return plain(head, body)


def _tests(outcome: Outcome) -> str:
    comparison = outcome.comparison
    body, previous = [], None
    for one in comparison.differences:
        name = "" if one.measure == previous else one.measure
        p = [p_value(one.p[test]) for test in one.p]
        corrected = p_value(one.corrected[comparison.settings.test])
        pair = f"{one.system} - {one.baseline}"
        body.append([name, pair, *p, corrected, signed(one.effect), number(one.detectable)])
        previous = one.measure
    tests = [f"p {test}" for test in comparison.differences[0].p]
    return plain(["Measure", "Difference", *tests, "corrected", "Effect d_z", "Detectable"], body)


def _sentences(outcome: Outcome) -> list[str]:
    return [sentence(outcome.comparison, one) for one in outcome.comparison.differences]


def _slices(outcome: Outcome) -> Iterator[str]:
    """Yield a table a pair and column: where most was lost, and where most was gained."""
    comparison, measure = outcome.comparison, outcome.moved_by
    for baseline, system in outcome.pairs:
        for column in comparison.settings.slices:
            rows = [
                one
                for one in comparison.slices
                if (one.measure, one.baseline, one.system, one.column) == (measure, baseline, system, column)
            ]
            yield ""
            if not rows:
                yield f"{system} - {baseline} by {column}: no value has queries enough."
                continue
            kept = rows if len(rows) <= 2 * _SLICES else [*rows[:_SLICES], *rows[-_SLICES:]]
            said = "" if len(kept) == len(rows) else f", the ends of {len(rows):,} values"
            yield f"{system} - {baseline} in {measure} by {column}, greatest loss first{said} (* significant):"
            head = [
                column,
                "Queries",
                baseline,
                system,
                "Difference",
                f"{percent(comparison)} interval",
                "p",
                "corrected",
            ]
            yield plain(head, [_slice(one) for one in kept])


def _slice(one: Slice) -> list[str]:
    means = [number(one.baseline_mean), number(one.system_mean), signed(one.mean), interval(one.low, one.high)]
    p = p_value(one.corrected)
    return [cut(one.value, 30), f"{one.queries:,}", *means, p_value(one.p), f"{p} *" if one.significant else p]


def _moved(outcome: Outcome, most: int, width: int) -> Iterator[str]:
    """Yield the queries that moved most, the hits of both systems side by side."""
    paired, measure = outcome.comparison.paired, outcome.moved_by
    shown = list(outcome.moved.items())[:_PAIRS]
    for (baseline, system), places in shown:
        yield ""
        if not places:
            yield f"No query moved from {baseline} to {system} in {measure}."
            continue
        yield f"Queries that moved most from {baseline} to {system} in {measure} (+ is relevant):"
        before, after = paired.of(measure, baseline), paired.of(measure, system)
        for place in places[:most]:
            one = outcome.evidence[place]
            a, b = float(before[one.number]), float(after[one.number])
            yield ""
            yield f"  {paired.queries[one.number]}: {number(a)} -> {number(b)} ({signed(b - a)})"
            if one.text:
                yield f"    asked     {cut(one.text, width - 14)}"
            yield from _relevant(one, width)
            yield from _side_by_side(one, baseline, system, width)
    if len(outcome.moved) > len(shown):
        yield ""
        yield f"… and {len(outcome.moved) - len(shown):,} pairs more: --html shows them all."


def _relevant(one: Evidence, width: int) -> Iterator[str]:
    if one.relevant:
        yield f"    relevant  {cut(', '.join(document.id for document in one.relevant), width - 14)}"


def _side_by_side(one: Evidence, baseline: str, system: str, width: int) -> Iterator[str]:
    left, right = (one.hits.get(name) for name in (baseline, system))
    if left is None or right is None:
        return
    column = (width - 10) // 2
    yield f"        {padded(cut(baseline, column), column)}  {cut(system, column)}"
    for rank, pair in enumerate(zip_longest(*(hits[:_RANKS] or (_NOTHING,) for hits in (left, right))), 1):
        cells = ["" if hit is None else cut(_hit(hit), column) for hit in pair]
        yield f"    {rank:>2}  {padded(cells[0], column)}  {cells[1]}".rstrip()


def _hit(hit: Document) -> str:
    if hit is _NOTHING:
        return "nothing"
    return f"{'+' if hit.relevant else '·'} {hit.id}" + (f"  {hit.text}" if hit.text else "")
