"""Scores of retrieved passages: the block of lines of the original tool for terminals, a table elsewhere."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchbench.answers.passage_scores import MeasuredPassages
from benchbench.report.blocks import PAPER, SUMMARY, TERMINAL, WIDE, Table, Text
from benchbench.report.layout import Layout, page_of
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, count, ends, value
from benchbench.results.headline import GOOD, OPEN, Headline
from benchbench.results.result import Result

_RULE = "=" * 26


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the measures, on a terminal as that tool has them; with `per_query`, values of each query for programs."""
    passages = MeasuredPassages(result)
    shown = [f"{name}: {number.value:.4f}" for name, number in passages.measures.items()]
    rows = [[name, value(number.value), ends(number)] for name, number in passages.numbers.items()]
    rows.append(["num_examples", count(passages.asked), NOTHING])
    return standard(
        result,
        f"{result.record.name}: {passages.asked:,} queries",
        Headline([_verdict(passages)]),
        [
            Text(["Evaluation Results:", _RULE, *shown, _RULE], where=TERMINAL),
            Table(("Measure", "Value", "95 % interval"), rows, "lrr", where=WIDE | PAPER | SUMMARY),
        ],
        members=lambda: _members(result, per_query),
        rows=lambda: _rows(result, passages, per_query),
        drawn=page_of("passages_page", result),
    )


def _verdict(passages: MeasuredPassages) -> tuple[str, str]:
    """Return the measures that people ask for first."""
    leading = [number for name, number in passages.numbers.items() if name.lower().startswith(("recall@", "ndcg@"))]
    shown = ", ".join(f"{number.name} {value(number.value)}" for number in leading)
    mark = OPEN if passages.details.missing else GOOD
    return mark, f"{passages.record.name}: {shown} over {count(passages.asked)} queries."


def _members(result: Result, per_query: bool) -> dict[str, Any]:
    """Return the JSON members; the values of each query stand before the notes."""
    members = result.json_members()
    if per_query:
        notes = members.pop("notes")
        members |= {"per_query": dict(_values(result)), "notes": notes}
    return members


def _rows(result: Result, passages: MeasuredPassages, per_query: bool) -> Iterator[dict[str, Any]]:
    for query, values in _values(result) if per_query else ():
        for name, number in values.items():
            yield {"query": query, "measure": name, "value": number}
    for name, mean in passages.measures.items():
        yield {"query": None, "measure": name, "value": mean.value}


def _values(result: Result) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield each query with its values."""
    for row in result.table("per_query").iter_rows(named=True):
        yield row.pop("query"), row
