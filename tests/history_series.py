"""Series of runs in a history, made of numbers: quiet ones, and such with a planted change."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchbench.history.entry import Entry
from benchbench.history.store import Store
from benchbench.results.record import Data, Number, Record, Scope, Status, record, settings_of
from benchbench.results.result import Result

QUERIES, BEGAN = 40, 1_700_000_000.0
SIGNATURE = "measures:nDCG|k:10"
_KEPT: dict[str, dict[int, tuple[bytes, dict[str, bytes]]]] = {}  # what is given -> runs -> the store, and its files


class Stored(Result):
    """A result of a record and a table per query."""

    kind = "run"

    def __init__(self, given: Record, tables: Mapping[str, pl.DataFrame]) -> None:
        self.given, self.frames = given, tables

    def to_record(self) -> Record:
        return self.given

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        return {name: lambda frame=frame: frame for name, frame in self.frames.items()}  # type: ignore[misc]


def levels(seed: int = 1, queries: int = QUERIES) -> np.ndarray:
    """Return what each query reaches on the average."""
    return np.random.default_rng(seed).uniform(0.2, 0.8, queries)


def values(run: int, shift: float = 0.0, queries: int = QUERIES, noise: float = 0.05) -> np.ndarray:
    """Return what each query of a run reaches: its level, noise of its own, and what all of them changed by."""
    return levels(queries=queries) + np.random.default_rng([7, run]).normal(0.0, noise, queries) + shift


def milliseconds(run: int, times: float = 1.0, requests: int = QUERIES) -> np.ndarray:
    """Return the latency of each request of a run."""
    return 20.0 * times * np.exp(np.random.default_rng([8, run]).normal(0.0, 0.2, requests))


def stored(
    run: int,
    measures: Mapping[str, Sequence[float] | np.ndarray],
    *,
    name: str = "service",
    status: Status = "complete",
    signature: str = SIGNATURE,
    digest: str = "d1",
    began: float | None = None,
    latency: Sequence[float] | np.ndarray | None = None,
    columns: Mapping[str, Sequence[Any]] | None = None,
    better: str = "higher",
    whole: Mapping[str, tuple[float, str]] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Stored:
    """Return a run with values per query; NaN is a query without one; `whole` are numbers of the run, with units."""
    began = BEGAN + 3600.0 * run if began is None else began
    many = len(next(iter(measures.values()), ()))
    frame = {"query_id": [f"q{place:02d}" for place in range(many)], **(columns or {})}
    numbers = []
    for one, its in measures.items():
        column = np.asarray(its, np.float64)
        task, _, base = one.rpartition(".")
        scope: Scope = {"task": task} if task else {}
        mean = float(np.nanmean(column)) if np.isfinite(column).any() else None
        numbers.append(Number(name=base, value=mean, n=many, better=better, scope=scope))  # type: ignore[arg-type]
        frame[one] = pl.Series(column).fill_nan(None)
    for one, (value, unit) in (whole or {}).items():
        numbers.append(Number(name=one, value=value, n=many, unit=unit, better="lower"))
    tables = {}
    if latency is not None:
        frame["latency_ms"] = pl.Series(np.asarray(latency, np.float64))
        numbers.append(Number(name="p50", value=float(np.median(latency)), unit="ms", better="lower"))
        places = np.arange(many)
        tables["requests"] = pl.DataFrame({"first_query": places, "sent": places * 0.1})
    if measures:
        tables["per_query"] = pl.DataFrame(frame)
    made = record(
        "run",
        began,
        began + 60.0,
        name=name,
        status=status,
        data=Data(name="cases", digest=digest, queries=many),
        signature=signature,
        settings=settings_of(settings or {}),
        numbers=numbers,
    )
    return Stored(made, tables)


def add(history: Store, run: int, shift: float = 0.0, **others: Any) -> Entry:
    """Add a run of the usual measure, with a commit of its own."""
    measures = others.pop("measures", {"gold.nDCG@10": values(run, shift)})
    entry, is_new = history.add(stored(run, measures, **others), tags={"commit": f"c{run:03d}{'0' * 36}"})
    assert is_new
    return entry


def quiet(history: Store, to: int = 10, **others: Any) -> None:
    """Add quiet runs to an empty store, from the first; what is given may be a function of the number of the run.

    A store in a file is copied from where another test of this process has added the same runs.
    """
    known = _KEPT.setdefault(repr(sorted(others.items())), {}) if history.place.file is not None else {}
    there = max((runs for runs in known if runs <= to), default=0)
    if there:
        _put_back(history, *known[there])
    for run in range(there + 1, to + 1):
        add(history, run, **{name: one(run) if callable(one) else one for name, one in others.items()})
    if there < to and history.place.file is not None:
        history.close()
        files = {path.name: path.read_bytes() for path in history.place.tables.iterdir()}
        known[to] = history.place.file.read_bytes(), files


def _put_back(history: Store, store: bytes, files: Mapping[str, bytes]) -> None:
    """Write a store over one that is empty; connections are opened again as they are needed."""
    assert history.place.file is not None
    assert not history.entries()
    history.close()
    history.place.file.write_bytes(store)
    history.place.tables.mkdir()
    for name, content in files.items():
        (history.place.tables / name).write_bytes(content)
