"""The folder of a run: it appears complete or not at all."""

import contextlib
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import orjson
import polars as pl

from benchbench.errors import InputError, InterruptedRunError
from benchbench.experiment import Chunk, Outcome
from benchbench.formats.trec import gold_qrels
from benchbench.report.html import page
from benchbench.report.summary import config, summary, text


class ResultsFolder:
    """A folder written aside as `NAME.partial` and renamed when it is whole.

    Used as a context: an error removes what was written; an interruption keeps the `.partial` folder.
    """

    def __init__(self, path: Path) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        self.path = path
        self.partial = path.with_name(path.name + ".partial")
        self._chunks = 0

    def __enter__(self) -> "ResultsFolder":
        """Make the `.partial` folder, so that a place that cannot be written to is known before the run."""
        if self.path.exists():
            raise InputError(f"--out {self.path} exists already; name another folder")
        if self.partial.exists():
            raise InputError(f"{self.partial} is what an interrupted run had received; remove it or name another --out")
        with _explained(self.partial):
            for part in ("hits", "requests"):
                (self.partial / part).mkdir(parents=True)
            (self.partial / "run.trec").touch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what a failed run left."""
        if kind is not None and not issubclass(kind, InterruptedRunError | KeyboardInterrupt):
            shutil.rmtree(self.partial, ignore_errors=True)

    def append(self, chunk: Chunk) -> None:
        """Store a chunk; called in query order."""
        with _explained(self.partial):
            for part, frame in (("hits", chunk.hits), ("requests", chunk.requests)):
                _write_parquet(frame, self.partial / part / f"{self._chunks:06}.parquet")
            with (self.partial / "run.trec").open("a", encoding="utf-8") as file:
                file.write(chunk.run_lines)
        self._chunks += 1

    def finish(self, outcome: Outcome, max_error_rate: float) -> None:
        """Write everything else and give the folder its name."""
        with _explained(self.partial):
            for part in ("hits", "requests"):
                _merge(self.partial / part)
            _write_parquet(outcome.per_query, self.partial / "per_query.parquet")
            with (self.partial / "qrels.trec").open("w", encoding="utf-8") as file:
                file.writelines(gold_qrels(outcome.queries))
            options = config(outcome.settings, outcome.url, outcome.queries.digest, max_error_rate)
            for name, value in (("config", options), ("summary", summary(outcome))):
                (self.partial / f"{name}.json").write_bytes(pretty(value))
            (self.partial / "evaluate_summary.txt").write_text(text(outcome), encoding="utf-8")
            (self.partial / "report.html").write_text(page(outcome), encoding="utf-8")
            self.partial.rename(self.path)


def pretty(value: object) -> bytes:
    """Return a JSON value as it is written to files and to standard output."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    whole = io.BytesIO()  # Polars does not pass on why a file cannot be written
    frame.write_parquet(whole)
    path.write_bytes(whole.getbuffer())


def _merge(parts: Path) -> None:
    """Make one Parquet file of a folder of them, a part in memory at a time."""
    pl.scan_parquet(parts / "*.parquet").sink_parquet(parts.with_suffix(".parquet"))
    shutil.rmtree(parts)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn whatever stops the writing into one sentence."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"cannot write {path}: {reason}; name another place with --out") from error
