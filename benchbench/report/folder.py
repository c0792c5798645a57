"""The folder of a run: it appears complete or not at all."""

import io
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import orjson
import polars as pl

from benchbench.client.journal import Journal, explained
from benchbench.errors import InputError, InterruptedRunError
from benchbench.experiment import Chunk, Outcome
from benchbench.formats.trec import gold_qrels
from benchbench.report import targets
from benchbench.report.html import page
from benchbench.report.summary import config, summary, text

_RECEIVED = "received"


class ServiceFiles:
    """The files of one service, as they come to be; `journal` is what a resumed run goes on with."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; `prepare` makes it."""
        self.folder = folder
        self.journal = Journal(folder / _RECEIVED)
        self._chunks = 0

    def prepare(self) -> None:
        """Make what chunks are added to; what an interrupted run had judged is made anew from its journal."""
        for part in ("hits", "requests", "per_query"):
            shutil.rmtree(self.folder / part, ignore_errors=True)
            (self.folder / part).mkdir(parents=True)
        (self.folder / "run.trec").write_bytes(b"")

    def append(self, chunk: Chunk) -> None:
        """Store a chunk; called in query order."""
        with explained(self.folder):
            for part, frame in (("hits", chunk.hits), ("requests", chunk.requests)):
                write_parquet(frame, self.folder / part / f"{self._chunks:06}.parquet")
            with (self.folder / "run.trec").open("a", encoding="utf-8") as file:
                file.write(chunk.run_lines)
        self._chunks += 1

    def complete(self, outcome: Outcome, max_error_rate: float) -> None:
        """Write everything else."""
        for number, frame in enumerate(outcome.per_query_parts()):
            write_parquet(frame, self.folder / "per_query" / f"{number:06}.parquet")
        for part in ("hits", "requests", "per_query"):
            _merge(self.folder / part)
        with (self.folder / "qrels.trec").open("w", encoding="utf-8") as file:
            file.writelines(gold_qrels(outcome.queries))
        if outcome.queries.left_out is not None:
            with (self.folder / "qrels.full.trec").open("w", encoding="utf-8") as file:
                file.writelines(gold_qrels(outcome.queries, full=True))
        options = config(outcome.settings, outcome.url, outcome.queries.digest, max_error_rate)
        for name, value in (("config", options), ("summary", summary(outcome))):
            (self.folder / f"{name}.json").write_bytes(pretty(value))
        (self.folder / "evaluate_summary.txt").write_text(text(outcome), encoding="utf-8")
        (self.folder / "report.html").write_text(page(outcome), encoding="utf-8")


class ResultsFolder:
    """A folder written aside as `NAME.partial` and renamed when it is whole.

    Used as a context: an error removes what was written, unless an earlier run had begun it; an interruption
    keeps the `.partial` folder. With `resume` such a folder is gone on with. With `names`, each target has its
    own folder in it, and the summary over all stands beside them.
    """

    def __init__(self, path: Path, resume: bool = False, names: tuple[str, ...] = ()) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        self.path = path
        self.partial = path.with_name(path.name + ".partial")
        self.services = {name: ServiceFiles(self.partial / name) for name in names} or {"": ServiceFiles(self.partial)}
        self._resume = resume
        self.begun = False  # there is something to go on with

    @property
    def journal(self) -> Journal:
        """Return what the only service's batches are kept in."""
        return self._only.journal

    @property
    def _only(self) -> ServiceFiles:
        (files,) = self.services.values()
        return files

    def __enter__(self) -> "ResultsFolder":
        """Make the `.partial` folder, so that a place that cannot be written to is known before the run."""
        if self.path.exists():
            raise InputError(f"--out {self.path} exists already; name another folder")
        if self.partial.exists():
            self._check_partial()
        with explained(self.partial):
            for files in self.services.values():
                files.prepare()
        return self

    def _check_partial(self) -> None:
        if not self._resume:
            raise InputError(
                f"{self.partial} is what an interrupted run had received; go on with --resume, remove it, or name "
                "another --out"
            )
        received = {path.parent for path in self.partial.rglob(_RECEIVED)}
        if received - {files.folder for files in self.services.values()}:
            raise InputError(f"--resume: {self.partial} was begun with other targets; name those, or another --out")
        self.begun = any(files.journal.begun() for files in self.services.values())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what a failed run left."""
        if kind is not None and not self.begun and not issubclass(kind, InterruptedRunError | KeyboardInterrupt):
            shutil.rmtree(self.partial, ignore_errors=True)

    def append(self, chunk: Chunk) -> None:
        """Store a chunk of the only service; called in query order."""
        self._only.append(chunk)

    def finish(self, outcome: Outcome, max_error_rate: float) -> None:
        """Write everything else of the only service and give the folder its name."""
        with explained(self.partial):
            self._only.complete(outcome, max_error_rate)
            self._name()

    def finish_targets(self, outcomes: Mapping[str, Outcome], max_error_rate: float) -> None:
        """Write everything else of all targets, and what compares them, and give the folder its name."""
        with explained(self.partial):
            for name, outcome in outcomes.items():
                self.services[name].complete(outcome, max_error_rate)
            (self.partial / "summary.json").write_bytes(pretty(targets.summary(outcomes)))
            (self.partial / "evaluate_summary.txt").write_text(targets.text(outcomes), encoding="utf-8")
            (self.partial / "report.html").write_text(targets.page(outcomes), encoding="utf-8")
            self._name()

    def _name(self) -> None:
        """Rename; what was received goes last, so that a kill at any moment leaves a whole folder or one to resume."""
        self.partial.rename(self.path)
        for files in self.services.values():
            shutil.rmtree(self.path / files.folder.relative_to(self.partial) / _RECEIVED, ignore_errors=True)


def unfinished(results: Path, name: str) -> Path:
    """Return the newest folder of a name in which a run was interrupted, as it will be called once it is whole."""
    found = sorted(results.glob(f"*Z-{name}.partial"))
    if not found:
        raise InputError(f"--resume: there is no {results}/*-{name}.partial to go on with; name its folder with --out")
    return found[-1].with_suffix("")


def pretty(value: object) -> bytes:
    """Return a JSON value as it is written to files and to standard output."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame; OSError when it cannot be."""
    whole = io.BytesIO()  # Polars does not pass on why a file cannot be written
    frame.write_parquet(whole)
    path.write_bytes(whole.getbuffer())


def _merge(parts: Path) -> None:
    """Make one Parquet file of a folder of them, a part in memory at a time."""
    pl.scan_parquet(parts / "*.parquet").sink_parquet(parts.with_suffix(".parquet"))
    shutil.rmtree(parts)
