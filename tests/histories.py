"""Results to keep in a history: values per query that are given, at a time that is given."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from benchbench.history.store import open_history
from benchbench.results.record import Data, Number, Record, Setting, identified, record, uuid7
from benchbench.results.result import Result

BEGAN = 1_790_000_000.0  # 2026-09-21 14:13:20 UTC
RULES = "tasks:gold|measures:nDCG|ties:input|data:d1|run:{run}|version:0.1.0"


@dataclass(repr=False)
class Kept(Result):
    """A result with a value per query and measure, `task.measure` as tables of runs have it."""

    kind = "run"

    values: Mapping[str, Sequence[float | None]]
    at: float = 0.0  # hours after BEGAN
    name: str = "bm25"
    lower: tuple[str, ...] = ()  # measures of which less is better
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    queries: Sequence[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    signature: str = RULES
    digest: str = "d1"
    settings: Mapping[str, str | None] = field(default_factory=dict)
    others: Sequence[Number] = ()
    kept: bool = True  # whether it has the table of values per query

    def to_record(self) -> Record:
        """Return the record; the mean of a measure leaves out queries without a value."""
        numbers = []
        for measure, values in self.values.items():
            task, _, name = measure.partition(".") if "." in measure else ("", "", measure)
            known = [one for one in values if one is not None]
            numbers.append(
                Number(
                    name=name,
                    value=float(np.mean(known)) if known else None,
                    n=len(known),
                    better="lower" if measure in self.lower else "higher",
                    scope={"task": task} if task else {},
                )
            )
        began = BEGAN + 3600 * self.at
        found = record(
            self.kind,
            began,
            began + 1,
            name=self.name,
            tags=dict(self.tags),
            data=Data(name="cases", digest=self.digest),
            signature=self.signature.format(run=f"{self.name}{self.at}"),
            settings={name: Setting(value=value) for name, value in self.settings.items()},
            numbers=[*numbers, *self.others],
        )
        return identified(found, uuid7(began, f"{self.name} {self.at}".encode()))

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return what makes the table of values."""
        number = len(next(iter(self.values.values()), ()))
        ids = list(self.queries) or [f"q{place}" for place in range(number)]
        values = {name: pl.Series(of, dtype=pl.Float64) for name, of in self.values.items()}
        table = pl.DataFrame({"query_id": ids, **dict(self.columns), **values})
        return {"per_query": lambda: table} if self.kept else {}


def drawn(seed: int, queries: int = 40, *, shift: float = 0.0, base: int = 0) -> list[float]:
    """Return values of queries between 0 and 1: alike for one `base`, with noise by the seed."""
    whole = np.random.default_rng(base).random(queries)
    noise = np.random.default_rng(1000 + seed).normal(scale=0.05, size=queries)
    return np.clip(whole + noise + shift, 0.0, 1.0).round(6).tolist()


def three(queries: int = 40) -> list[Kept]:
    """Return three runs of one name: the second as good as the first, the third worse; with a category per query."""
    category = ["contract" if place % 2 else "crime" for place in range(queries)]
    return [
        Kept(
            {"gold.nDCG@10": drawn(seed, queries, shift=shift), "gold.R@10": drawn(seed + 20, queries, base=7)},
            at=seed,
            columns={"category": category},
            tags={"commit": f"{seed + 1:x}" * 40, "branch": "main", "model": f"v{seed}"},
        )
        for seed, shift in enumerate((0.0, 0.0, -0.2))
    ]


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "history.db")
        open_history(path, create=True).close()
        return path.read_bytes()


def empty(path: str | Path) -> Path:
    """Write a store without runs: the steps that make one are gone once per process of tests."""
    Path(path).write_bytes(_empty())
    return Path(path)


def store(path: str | Path, results: Sequence[Result]) -> None:
    """Make a store of results, or add them to one."""
    with open_history(path if Path(path).exists() else empty(path)) as history:
        for one in results:
            history.add(one)
