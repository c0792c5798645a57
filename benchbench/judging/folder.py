"""The folder of a run of a judge: it appears complete or not at all. Verdicts cost money: each is kept as it comes."""

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from benchbench.answers.judges.attacks import Attack
from benchbench.answers.judges.prompt import Item
from benchbench.judging.verdict import Verdict
from benchbench.results.folder import PartialFolder, Timed, explained, write_result
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl

VERDICTS, ATTACKS = "verdicts", "attacks"
_NO_PAGES: Mapping[str, str] = MappingProxyType({})


def verdict_row(item: Item, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a row of the table of verdicts; values and parts are JSON, and the item's labels are last."""
    row = {
        "item": verdict.item,
        "rubric": verdict.rubric,
        "attempt": verdict.attempt,
        "score": verdict.score,
        "question": item.fields.get("question"),
        "rationale": verdict.rationale,
        "parts": orjson.dumps(verdict.parts).decode() if verdict.parts else None,
        "values": None if verdict.values is None else orjson.dumps(verdict.values).decode(),
        "raw": verdict.raw,
        "failure": verdict.failure,
        "tokens_in": verdict.tokens_in,
        "tokens_out": verdict.tokens_out,
        "cost": verdict.cost,
        "seconds": verdict.seconds,
        "repaired": verdict.is_repaired,
        "cached": verdict.is_cached,
    }
    return row | {name: value for name, value in item.labels.items() if name not in row}


def attack_row(item: Item, attack: Attack) -> dict[str, Any]:
    """Return what looks like an attack as a row of the table of attacks."""
    return {
        "item": item.key,
        "field": attack.field,
        "start": attack.start,
        "end": attack.end,
        "kind": attack.kind,
        "excerpt": attack.excerpt,
    }


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


def attack_schema() -> "dict[str, Any]":
    """Return the columns of the table of attacks."""
    import polars as pl

    text = pl.String
    return {"item": text, "field": text, "start": pl.Int64, "end": pl.Int64, "kind": text, "excerpt": text}


class JudgeFolder(PartialFolder):
    """The folder of a run of a judge. Rows are written as lines of JSON as they come, and become tables at the end."""

    kind = "run of a judge"
    advice = "its verdicts are in the cache, so remove it and run again, or name another --out"

    def __init__(self, place: Path | Timed, labels: Iterable[str] = ()) -> None:
        """Name the folder; nothing is written before `__enter__`. `labels` are those that items have."""
        super().__init__(place)
        self._usable = 0  # verdicts that have not failed
        self._labels = tuple(labels)

    def _prepare(self) -> None:
        self._files: dict[str, BinaryIO] = {
            name: (self.partial / f"{name}.jsonl").open("wb", buffering=0) for name in (VERDICTS, ATTACKS)
        }

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files, and do what `PartialFolder` does."""
        for file in self._files.values():
            with contextlib.suppress(OSError):  # `append` has reported a full disk
                file.close()
        super().__exit__(kind, error, trace)

    def _is_worth_keeping(self) -> bool:
        return bool(self._usable)

    def kept(self) -> str:
        """Return where the verdicts are that had come, as part of a sentence."""
        many = self._usable
        those = "the verdict that had come is" if many == 1 else f"the {many:,} verdicts that had come are"
        return f"{those} in {self.partial}"

    def append(self, item: Item, verdict: Verdict) -> None:
        """Store a verdict."""
        self._write(VERDICTS, verdict_row(item, verdict))
        self._usable += verdict.failure is None

    def append_attacks(self, item: Item, attacks: Iterable[Attack]) -> None:
        """Store what looks like an attack."""
        for one in attacks:
            self._write(ATTACKS, attack_row(item, one))

    def finish(self, outcome: Result, is_complete: bool, pages: Mapping[str, str] = _NO_PAGES) -> None:
        """Write the tables and the other files, and give a complete folder its name.

        Parameters
        ----------
        outcome
            What was measured.
        is_complete
            Whether it came to its end.
        pages
            Further files for people, by their names.
        """
        with explained(self.partial):
            for name, schema in ((VERDICTS, verdict_schema(self._labels)), (ATTACKS, attack_schema())):
                self._files[name].close()
                _as_table(self.partial / f"{name}.jsonl", schema)
            write_result(self.partial, outcome, pages)
            if is_complete:
                self._finish()

    def _write(self, name: str, row: Mapping[str, Any]) -> None:
        with explained(self.partial):
            self._files[name].write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


def _as_table(lines: Path, schema: Mapping[str, Any]) -> None:
    """Make a Parquet file of lines of JSON, a part of them in memory at a time."""
    import polars as pl

    table = lines.with_suffix(".parquet")
    if lines.stat().st_size:
        pl.scan_ndjson(lines, schema=dict(schema)).sink_parquet(table)
    else:
        pl.DataFrame(schema=dict(schema)).write_parquet(table)
    lines.unlink()


def frame(rows: Iterable[Mapping[str, Any]], schema: Mapping[str, Any]) -> "pl.DataFrame":
    """Return rows that are in memory as a table."""
    import polars as pl

    return pl.DataFrame(list(rows), schema=dict(schema), orient="row")
