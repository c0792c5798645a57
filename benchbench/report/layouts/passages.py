"""Scores of retrieved passages: the seed's block for terminals, a table elsewhere."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchbench.answers.passage_scores import PassagesDetails
from benchbench.report.blocks import PAPER, SUMMARY, TERMINAL, WIDE, Table, Text
from benchbench.report.layout import Layout, page_of
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, count, ends, value
from benchbench.results.headline import GOOD, OPEN, Headline
from benchbench.results.result import Result

_COUNT = "num_examples"
_RULE = "=" * 26


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the measures with four decimals; with `per_query`, the values of each query too, for programs."""
    passages = result.details_as(PassagesDetails)
    shown = [(name, f"{number:.4f}") for name, number in passages.measures.items()]
    return standard(
        result,
        f"{result.record.name}: {passages.measures[_COUNT]:,} queries",
        Headline([_verdict(result.record.name, passages)]),
        [
            Text(["Evaluation Results:", _RULE, *map(": ".join, shown), _RULE], where=TERMINAL),
            Table(("Measure", "Value", "95 % interval"), _rows_of(passages), "lrr", where=WIDE | PAPER | SUMMARY),
        ],
        members=lambda: _members(result, per_query),
        rows=lambda: _rows(result, passages, per_query),
        drawn=page_of("passages_page", result),
    )


def _verdict(name: str, passages: PassagesDetails) -> tuple[str, str]:
    """Return the measures that people ask for first."""
    shown = ", ".join(f"{measure} {value(passages.measures[measure])}" for measure in _leading(passages))
    return OPEN if passages.missing else GOOD, f"{name}: {shown} over {count(passages.measures[_COUNT])} queries."


def _leading(passages: PassagesDetails) -> list[str]:
    return [name for name in passages.measures if name.lower().startswith(("recall@", "ndcg@"))]


def _rows_of(passages: PassagesDetails) -> list[list[str]]:
    """Return a row per measure, with its interval where it has one."""
    rows = []
    for name, number in passages.measures.items():
        interval = passages.intervals.get(name)
        mean = count(number) if name == _COUNT else value(number)
        rows.append([name, mean, NOTHING if interval is None else ends(interval)])
    return rows


def _members(result: Result, per_query: bool) -> dict[str, Any]:
    """Return the JSON members; the values of each query stand before the notes."""
    members = result.json_members()
    if per_query:
        notes = members.pop("notes")
        members |= {"per_query": dict(_values(result)), "notes": notes}
    return members


def _rows(result: Result, passages: PassagesDetails, per_query: bool) -> Iterator[dict[str, Any]]:
    for query, values in _values(result) if per_query else ():
        for name, number in values.items():
            yield {"query": query, "measure": name, "value": number}
    for name, number in passages.measures.items():
        yield {"query": None, "measure": name, "value": number}


def _values(result: Result) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield each query with its values."""
    for row in result.table("per_query").iter_rows(named=True):
        yield row.pop("query"), row
