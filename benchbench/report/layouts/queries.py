"""Queries of a result, one or the worst: values from its table per query, hits from its table of hits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchbench.errors import InputError
from benchbench.measures.notation import task_and_measures
from benchbench.report.blocks import PEOPLE, Block, Heading, Layout, Table, Text
from benchbench.report.render.lines import cut
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl

_MOST_HITS = 100
_WIDTH = 60  # columns of a text
_KEEPS = {"rank": 0, "id": 0, "score": 1, "place": 2}  # of hits; what is not among them is left out first


def worst(result: Result, number: int) -> Layout:
    """Return the queries with the lowest values of the first measure, lowest first."""
    values = _per_query(result)
    measures = _measures(values)
    keys = [name for name in ("failure",) if name in values.columns]
    shown = measures[:6]
    lowest = values.sort(measures[0], nulls_last=False, maintain_order=True).head(number)
    kept = lowest.select([name for name in ("run", "query_id") if name in values.columns] + shown + keys)
    title = f"{result.record.name}: {len(kept):,} of {len(values):,} queries, by lowest {measures[0]}"
    rows = [[_shown(one) for one in row] for row in kept.iter_rows()]
    sides = "".join("r" if name in shown else "l" for name in kept.columns)
    keeps = [max(0, shown.index(name)) if name in shown else 0 for name in kept.columns]
    blocks: list[Block] = [Heading(title), Table(kept.columns, rows, sides, keeps=keeps)]
    return _layout(result, title, blocks, kept.to_dicts())


def one_query(result: Result, query: str) -> Layout:
    """Return every value of a query, and its hits where the result has them."""
    import polars as pl

    values = _per_query(result).filter(pl.col("query_id") == query)
    if not len(values):
        raise InputError(f"--query {query} is no query of this result; --worst 20 shows some")
    names = [name for name in values.columns if name not in ("query_id", "run")]
    rows = [[name, *map(_shown, values[name])] for name in names]
    runs = values["run"].to_list() if "run" in values.columns else ["Value"] * len(values)
    title = f"{result.record.name}: query {query}"
    blocks: list[Block] = [Heading(title), Table(["Of the query", *runs], rows, "l" + "r" * len(runs))]
    hits: list[dict[str, Any]] = []
    if "hits" in result.tables():
        found = result.table("hits").filter(pl.col("query_id") == query).drop("query_id")
        hits = found.to_dicts()
        kept = [name for name in found.columns if found[name].dtype != pl.List]
        lines = [[_shown(row[name]) for name in kept] for row in hits[:_MOST_HITS]]
        keeps = [_KEEPS.get(name, 9) for name in kept]
        sides = "".join("r" if found[name].dtype.is_numeric() else "l" for name in kept)
        blocks.append(Table(kept, lines, sides, f"{len(hits):,} hits", keeps=keeps))
    else:
        blocks.append(Text(["This result keeps no hits."], where=PEOPLE))
    return _layout(result, title, blocks, hits or values.to_dicts(), {"query": values.to_dicts(), "hits": hits})


def _layout(
    result: Result, title: str, blocks: Sequence[Block], rows: list[dict[str, Any]], members: Any = None
) -> Layout:
    return Layout(title, blocks, lambda: members or {"queries": rows}, lambda: rows, command="benchbench show")


def _per_query(result: Result) -> "pl.DataFrame":
    if "per_query" not in result.tables():
        raise InputError(f"results of kind {result.record.kind} have no values per query")
    return result.table("per_query")


def _measures(values: "pl.DataFrame") -> list[str]:
    names = [name for name in values.columns if "@" in name or name[:1].isupper() or task_and_measures(name)[1]]
    if not names:
        raise InputError("this result has no measure per query")
    return names


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else cut(str(value), _WIDTH)
