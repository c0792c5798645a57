"""Stores with nights of runs: values per query that are invented, stored as any result is."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from benchbench.history.store import Store
from benchbench.results.record import Data, Environment, Number, Record, Setting, Status, utc, uuid7
from benchbench.results.result import Result

_BEGAN = datetime(2026, 3, 3, 4, 0, tzinfo=UTC)
COURTS = ("high", "district", "family")


class Night(Result):
    """A run of one night: nDCG@10 of some queries."""

    kind = "run"

    def __init__(self, night: float, values: Sequence[float], **members: Any) -> None:
        """Keep the values; `members` may be `name`, `signature`, `settings`, `status`, `court`, `at`, `numbers`."""
        self.night, self.values, self.members = night, values, members

    def to_record(self) -> Record:
        """Return the record."""
        members = self.members
        seconds = (_BEGAN + timedelta(days=members.get("at", self.night))).timestamp()
        values = [one for one in self.values if not math.isnan(one)]
        mean = sum(values) / len(values) if values else None
        half = 1.96 * float(np.std(values)) / len(values) ** 0.5 if values else 0.0
        status: Status = members.get("status", "complete")
        number = Number(
            name="nDCG@10",
            value=mean,
            low=None if mean is None else mean - half,
            high=None if mean is None else mean + half,
            n=len(self.values),
            better="higher",
            scope={"task": "gold"},
        )
        return Record(
            kind="run",
            id=uuid7(seconds, f"{members.get('name')}{self.night}".encode()),
            started=utc(seconds),
            finished=utc(seconds + 60),
            status=status,
            name=members.get("name", "nightly"),
            data=Data(name="cases", digest="d" * 64, queries=len(self.values)),
            signature=members.get("signature", "tasks:gold|ties:trec|version:0.2.0"),
            settings={name: Setting(value=value) for name, value in members.get("settings", {}).items()},
            environment=Environment(versions=members.get("versions", {"python": "3.11.7"})),
            numbers=[
                *([number] if members.get("measured", True) else []),
                Number(name="p50", value=40.0 + self.night % 3, unit="ms", better="lower", n=len(self.values)),
            ],
        )

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return the values per query, with a label where there is one."""
        ids = [f"q{place}" for place in range(len(self.values))]
        labels = {"court": [COURTS[place % 3] for place in range(len(ids))]} if self.members.get("court", True) else {}
        values = pl.Series(self.values, dtype=pl.Float64)
        return {"per_query": lambda: pl.DataFrame({"query_id": ids, "gold.nDCG@10": values, **labels})}


def nights(number: int, step: int | None = None, fall: float = 0.1, seed: int = 3, queries: int = 60) -> list[Night]:
    """Return runs of so many nights; from `step` on, values are lower."""
    random = np.random.default_rng(seed)
    base = random.uniform(0.2, 0.7, queries)
    made = []
    for night in range(number):
        values = base + 0.02 * random.standard_normal(queries) - (fall if step is not None and night >= step else 0.0)
        made.append(Night(night, [float(one) for one in values]))
    return made


def add(history: Store, runs: Sequence[Night], commits: bool = True) -> None:
    """Store runs, each of a commit of its own."""
    for place, run in enumerate(runs):
        tags = {"commit": f"{0xA1B2C3D + place * 7919:07x}{'0' * 33}", "branch": "main"} if commits else {}
        history.add(run, tags={**tags, **run.members.get("tags", {})})
