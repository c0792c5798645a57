"""The folder of a run of a judge: it appears complete or not at all. Verdicts cost money: each is kept as it comes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

from benchbench.answers.judges.attacks import Attack
from benchbench.answers.judges.prompt import Item
from benchbench.judging.verdict import Verdict
from benchbench.results.folder import Timed
from benchbench.results.result import Result
from benchbench.scores.scores_folder import ReceivingFolder
from benchbench.scores.tables import schema_of

if TYPE_CHECKING:
    import polars as pl

VERDICTS, ATTACKS = "verdicts", "attacks"
_COLUMNS = (
    "item", "rubric", "attempt", "score", "question", "rationale", "parts", "values", "raw", "failure", "tokens_in",
    "tokens_out", "cost", "seconds", "repaired", "cached",
)  # fmt: skip


def verdict_row(item: Item, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a row of the table of verdicts; values and parts are JSON, and the item's labels are last."""
    row = {name: getattr(verdict, name, None) for name in _COLUMNS} | {
        "question": item.fields.get("question"),
        "parts": orjson.dumps(verdict.parts).decode() if verdict.parts else None,
        "values": None if verdict.values is None else orjson.dumps(verdict.values).decode(),
        "repaired": verdict.is_repaired,
        "cached": verdict.is_cached,
    }
    return row | {name: value for name, value in item.labels.items() if name not in row}


def verdict_schema(labels: Iterable[str] = ()) -> "dict[str, Any]":
    """Return the columns of the table of verdicts; `labels` are names of the items' labels."""
    import polars as pl

    kinds = {
        **dict.fromkeys(("attempt", "tokens_in", "tokens_out"), pl.Int64),
        **dict.fromkeys(("score", "cost", "seconds"), pl.Float64),
        **dict.fromkeys(("repaired", "cached"), pl.Boolean),
    }
    names = verdict_row(Item("", {}, dict.fromkeys(labels)), Verdict("", ""))
    return {name: kinds.get(name, pl.String) for name in names}


def table_schemas(labels: Iterable[str] = ()) -> "dict[str, dict[str, Any]]":
    """Return the columns of the tables of verdicts and attacks, by name."""
    import polars as pl

    return {VERDICTS: verdict_schema(labels), ATTACKS: {"item": pl.String, **schema_of(Attack)}}


def tables_in_memory(
    verdicts: Sequence[Mapping[str, Any]] | None, attacks: Sequence[Mapping[str, Any]] | None
) -> "dict[str, Callable[[], pl.DataFrame]]":
    """Return what makes the tables of those rows that are in memory."""
    in_memory = {name: rows for name, rows in ((VERDICTS, verdicts), (ATTACKS, attacks)) if rows is not None}
    return {name: partial(_frame, name, rows) for name, rows in in_memory.items()}


def _frame(name: str, rows: Sequence[Mapping[str, Any]]) -> "pl.DataFrame":
    import polars as pl

    return pl.DataFrame(list(rows), schema=table_schemas(next(iter(rows), {}))[name], orient="row")


class JudgeFolder(ReceivingFolder):
    """The folder of a run of a judge. Rows are written as lines of JSON as they come, and become tables at the end."""

    kind = "run of a judge"
    advice = "its verdicts are in the cache, so remove it and run again, or name another --out"
    files: ClassVar[tuple[str, ...]] = (f"{VERDICTS}.jsonl", f"{ATTACKS}.jsonl")
    noun = "verdict"

    def __init__(self, place: Path | Timed, labels: Iterable[str] = ()) -> None:
        """Name the folder; nothing is written before `__enter__`. `labels` are those that items have."""
        super().__init__(place)
        self._labels = tuple(labels)

    def append(self, item: Item, verdict: Verdict) -> None:
        """Store a verdict."""
        self._append_row(f"{VERDICTS}.jsonl", verdict_row(item, verdict))
        self._usable += verdict.failure is None

    def append_attacks(self, item: Item, attacks: Iterable[Attack]) -> None:
        """Store what looks like an attack."""
        for attack in attacks:
            self._append_row(f"{ATTACKS}.jsonl", {"item": item.key, **attack._asdict()})

    def _conclude(self, outcome: Result) -> None:
        for name, schema in table_schemas(self._labels).items():
            _as_table(self.partial / f"{name}.jsonl", schema)


def _as_table(lines: Path, schema: Mapping[str, Any]) -> None:
    """Make a Parquet file of lines of JSON, a part of them in memory at a time."""
    import polars as pl

    table = lines.with_suffix(".parquet")
    if lines.stat().st_size:
        pl.scan_ndjson(lines, schema=dict(schema)).sink_parquet(table)
    else:
        pl.DataFrame(schema=dict(schema)).write_parquet(table)
    lines.unlink()
