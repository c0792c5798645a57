"""The history as Python takes it: runs by their numbers or names, tables as frames."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from benchbench.errors import InputError
from benchbench.history.entry import NO_TAGS, Entry
from benchbench.history.export import runs_of
from benchbench.history.measure_names import named
from benchbench.history.store import open_history
from benchbench.history.values import RunValues
from benchbench.history.wanted import Wanted
from benchbench.results.result import Result
from benchbench.stored import load

if TYPE_CHECKING:
    from benchbench.history.check.accepting import Change
    from benchbench.history.check.check_record import HistoryCheck
    from benchbench.history.trend.trend_details import Order, Trend


class History:
    """The store of results, used as a context or until `close`.

    Runs are named by what `benchbench history show` takes: a number, an id or its first 8 characters, a name (its
    latest run), or `latest`.
    """

    def __init__(
        self, store: str | Path | None = None, *, create: bool = True, write: bool = True, tables: Path | None = None
    ) -> None:
        """Open a store.

        Parameters
        ----------
        store
            A file, `sqlite:///…` or `postgresql://…`; by default the variable BENCHBENCH_HISTORY, else
            `results/history.db`.
        create
            Whether one that is not there is made.
        write
            Whether it may be changed.
        tables
            The folder of Parquet files; by default it lies beside the file.

        Raises
        ------
        InputError
            When it cannot be opened.
        """
        self.store = open_history(store, create=create, write=write, tables=tables)

    def add(
        self, result: Result | str | Path, *, tags: Mapping[str, str] = NO_TAGS, source: str = ""
    ) -> tuple[Entry, bool]:
        """Add a result, or that of a folder.

        Parameters
        ----------
        result
            What was measured, or its folder.
        tags
            Beside those of its record.
        source
            The folder of a result that was read otherwise.

        Returns
        -------
        tuple
            What the store says of it, and False where it was there already.
        """
        if isinstance(result, str | Path):
            return self.store.add(load(result), tags=tags, source=str(Path(result).absolute()))
        if not isinstance(result, Result):
            raise InputError(f"a history has results and their folders, and not {type(result).__name__}")
        return self.store.add(result, tags=tags, source=source)

    def list(self, **wanted: Any) -> pl.DataFrame:
        """Return runs, one row each, the latest last: `run`, the fields of its entry, `tags`.

        Parameters
        ----------
        wanted
            `name`, `kind`, `data`, `tags`, `commit`, `since`, `until`, `signature`, `limit`, as the options of
            `benchbench history list`.
        """
        return runs_of(self._entries(wanted))

    def numbers(self, measures: str | Iterable[str] | None = None, **wanted: Any) -> pl.DataFrame:
        """Return numbers of runs, one row each: `run`, `measure`, `scope`, `slice`, `value`, `low`, `high`, ….

        Parameters
        ----------
        measures
            As gates name them; all by default.
        wanted
            Which runs, as `list` takes it.
        """
        numbers = self.store.numbers(self._entries(wanted))
        if measures is None:
            return numbers
        texts = [measures] if isinstance(measures, str) else tuple(measures)
        chosen = named(texts, numbers["measure"].unique(maintain_order=True).to_list())
        return numbers.filter(pl.col("measure").is_in(chosen))

    def result(self, run: str | int) -> Result:
        """Return a run as a result, which `benchbench.draw` draws."""
        return self.store.result(self._one(run))

    def values(self, run: str | int) -> RunValues:
        """Return the values per query of a run: `queries`, `values`, `columns`, `latency`.

        Raises
        ------
        InputError
            When it has none, or their file is gone.
        """
        return self.store.values(self._one(run))

    def check(
        self,
        measures: str | Iterable[str] = (),
        *,
        alpha: float = 0.05,
        planned: int = 60,
        margin: float | None = None,
        cluster: str | None = None,
        seed: int = 0,
        every: bool = False,
        alerts: Iterable[str] = (),
        run: str | int | None = None,
        fail_if: str | Iterable[str] = (),
        **wanted: Any,
    ) -> "HistoryCheck":
        """Hold the latest run against its reference, as `benchbench history check` does.

        Parameters
        ----------
        measures
            That are judged; by default the few that lead. `latency` is the median latency of requests.
        alpha, planned
            The chance of any false alarm over so many runs.
        margin
            Least difference that matters.
        cluster
            Column of the queries whose values say which belong together.
        seed
            Of the sign flips.
        every
            Check every series.
        alerts
            Who is told: `stderr`, files, URLs, `env:NAME`.
        run
            The run to judge, by number or id; later runs of its series do not count. The latest by default.
        fail_if
            Conditions that must not hold, such as `Δ nDCG@10<0`, whatever the tests show.
        wanted
            Which series, as `list` takes it.

        Returns
        -------
        HistoryCheck
            Whose `record.gates` has a gate per measure, and whose `found` all that `--format json` has.
        """
        from benchbench.history.alerts.targets import read_targets
        from benchbench.history.check.check_run import check
        from benchbench.history.check_settings import CheckSettings
        from benchbench.results.gates import as_gates

        texts = [measures] if isinstance(measures, str) else list(measures)
        targets = tuple(read_targets(list(alerts)))
        judged = None if run is None else str(run)
        conditions = as_gates(fail_if)
        settings = CheckSettings(
            alpha=alpha, planned=planned, margin=margin, cluster=cluster, seed=seed, every=every, alerts=targets,
            run=judged, conditions=conditions,
        )  # fmt: skip
        return check(self.store, self._wanted(wanted), texts, settings)

    def accept(self, run: str | int | None = None, *, reason: str, by: str = "", **wanted: Any) -> "Change":
        """Accept a change that was meant: the ten runs from `run` on make a new reference, and open alerts end.

        Parameters
        ----------
        run
            By default that with which the open alert of the series began, or where none is open its latest run.
        reason, by
            Why, and who says so.
        wanted
            Which series, as `list` takes it.
        """
        from benchbench.history.check.accepting import accept

        return accept(self.store, None if run is None else str(run), reason, by, self._wanted(wanted))

    def trend(
        self,
        measures: str | Iterable[str] | None = None,
        *,
        by: str | None = None,
        order: "Order" = "recording",
        last: int | None = None,
        **wanted: Any,
    ) -> "Trend":
        """Return how measures of one name have moved, as `benchbench history trend` shows it.

        Parameters
        ----------
        measures
            As gates name them; by default what each task leads with, and latency.
        by
            Column of a breakdown.
        order
            `recording`, or `time`: by the times at which runs began.
        last
            Only the last so many runs.
        wanted
            Which runs, as `list` takes it.

        Raises
        ------
        InputError
            When there is no such run, or none has a measure or the column.
        """
        from benchbench.history.trend.trend_run import trend

        texts = () if measures is None else (measures,) if isinstance(measures, str) else tuple(measures)
        return trend(self.store, self._wanted(wanted), texts, by=by, order=order, last=last)

    def delete(self, *runs: str | int) -> int:
        """Delete runs with their values per query, and return how many there were."""
        entries = {entry.number: entry for entry in map(self._one, runs)}
        return self.store.delete(tuple(entries.values()))

    def close(self) -> None:
        """Close it."""
        self.store.close()

    def _one(self, run: str | int) -> Entry:
        return self.store.one(str(run))

    def _entries(self, wanted: Mapping[str, Any]) -> Sequence[Entry]:
        return self.store.entries(self._wanted(wanted))

    def _wanted(self, wanted: Mapping[str, Any]) -> Wanted:
        known = Wanted.__slots__
        if unknown := [name for name in wanted if name not in known]:
            raise InputError(f"runs are chosen by {', '.join(known)}, and not by {unknown[0]}")
        return Wanted(**wanted)

    def __enter__(self) -> Self:
        """Return the history itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Show where it is and how many runs it has."""
        return f"<history {self.store.place.shown}: {len(self.store.entries()):,} runs>"

    def _repr_html_(self) -> str:
        """Show the runs in a notebook."""
        shown: str = self.list()._repr_html_()
        return shown
