"""The folder of a run: it appears complete or not at all."""

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.trec_writing import gold_qrels
from benchbench.results.folder import PartialFolder, Timed, explained, merge, write_parquet, write_result
from benchbench.results.result import Result
from benchbench.runs.journal import Journal
from benchbench.runs.run_record import decided
from benchbench.runs.run_result import Chunk, Outcome, Targets

_RECEIVED = "received"
_AGAIN = ".again"  # marks a folder whose failed queries are asked again

Drawn = Callable[[Result], Mapping[str, str]]  # the pages of a result, by the names of their files


class ServiceFiles:
    """The files of one service; a resumed run continues from `journal`."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; `prepare` makes it."""
        self.folder = folder
        self.journal = Journal(folder / _RECEIVED)
        self._chunks = 0

    def prepare(self) -> None:
        """Make empty folders for chunks; those of an interrupted run are made again from its journal."""
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

    def complete(self, outcome: Outcome, place: Path) -> None:
        """Write all other tables and decide the verdict; `place` is the final folder."""
        for number, frame in enumerate(outcome.per_query_parts()):
            write_parquet(frame, self.folder / "per_query" / f"{number:06}.parquet")
        for part in ("hits", "requests", "per_query"):
            merge(self.folder / part)
        with (self.folder / "qrels.trec").open("w", encoding="utf-8") as file:
            file.writelines(gold_qrels(outcome.queries))
        if outcome.queries.left_out is not None:
            with (self.folder / "qrels.full.trec").open("w", encoding="utf-8") as file:
                file.writelines(gold_qrels(outcome.queries, full=True))
        outcome.lies_in(self.folder)
        rate = outcome.settings.max_error_rate
        outcome.describe(gates=decided(outcome, rate, outcome.gates, place))


class ResultsFolder(PartialFolder):
    """The folder of a run; with `names`, each target has its own in it, and the summary over all stands beside them.

    With `resume` an interrupted run is gone on with. A run that came to its end has nothing left to ask but the
    queries that failed: those are asked again, and the new folder takes the old one's place when it is whole.
    """

    advice = "continue with --resume, remove it, or name another --out"

    def __init__(self, place: Path | Timed, resume: bool = False, names: tuple[str, ...] = ()) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        self._names = names
        self._again = False  # the failed queries of a complete folder are asked again
        super().__init__(place, resume)

    def _call(self, path: Path) -> None:
        super()._call(path)
        folders = {name: self.partial / name for name in self._names} or {"": self.partial}
        self.services = {name: ServiceFiles(folder) for name, folder in folders.items()}

    @property
    def journal(self) -> Journal:
        """Return the journal of the only service."""
        return self._only.journal

    @property
    def begun(self) -> bool:
        """Say whether an interrupted run has left something."""
        return any(files.journal.begun() for files in self.services.values())

    @property
    def _only(self) -> ServiceFiles:
        (files,) = self.services.values()
        return files

    def _prepare(self) -> None:
        for files in self.services.values():
            files.prepare()

    def _go_on(self) -> None:
        super()._go_on()
        received = {path.parent for path in self.partial.rglob(_RECEIVED)}
        if received - {files.folder for files in self.services.values()}:
            raise InputError(f"--resume: {self.partial} was started with other targets; name those, or another --out")

    def _reopen(self) -> None:
        """Copy the journal of a complete folder, unless an interrupted run has already begun from it."""
        marker = self.partial / _AGAIN
        if not marker.exists():
            if self.begun:
                raise InputError(
                    f"--out {self.path} exists, and {self.partial} has the answers of an interrupted run; "
                    f"move {self.path} away and continue with --resume"
                )
            if not any(self.path.rglob(_RECEIVED)):
                self._remove()
                raise InputError(f"--resume: no query of {self.path} failed, so there is nothing to ask again")
            with explained(self.partial):
                marker.touch()
        self._again = not all(files.journal.begun() for files in self.services.values())
        for folder in self.path.rglob(_RECEIVED) if self._again else ():
            with explained(self.partial):
                Journal(folder).copy(self.partial / folder.relative_to(self.path))

    def _is_worth_keeping(self) -> bool:
        journals = [files.journal for files in self.services.values()]
        return any(journal.has_grown if self._again else journal.received() for journal in journals)

    def kept(self) -> str:
        """Return, as part of a sentence, where the received answers are and how to continue."""
        return f"received answers are in {self.partial}; run the same command with --resume to continue"

    def append(self, chunk: Chunk) -> None:
        """Store a chunk of the only service; called in query order."""
        self._only.append(chunk)

    def finish(self, result: Outcome | Targets, drawn: Drawn = lambda result: {}) -> None:
        """Write everything else and give the folder its name; `drawn` makes the pages of a result and of each part."""
        outcomes = result if isinstance(result, Targets) else {"": result}
        with explained(self.partial):
            for name, outcome in outcomes.items():
                self.services[name].complete(outcome, self.path / name)
            for name, outcome in outcomes.items():
                if outcome is not result:
                    write_result(self.partial / name, outcome, drawn(outcome))
            write_result(self.partial, result, drawn(result))
            self._rename(outcomes)

    def _rename(self, outcomes: Mapping[str, Outcome]) -> None:
        """Rename; the journal is removed last, so that a kill at any moment leaves a complete folder or one to resume.

        Where queries failed, the journals of all targets stay: --resume asks the failed queries again.
        """
        with self._out_of_the_way():
            self._finish()
        for name, outcome in outcomes.items():
            outcome.lies_in(self.path / name)
        (self.path / _AGAIN).unlink(missing_ok=True)
        if not any(outcome.failures for outcome in outcomes.values()):
            for files in self.services.values():
                shutil.rmtree(self.path / files.folder.relative_to(self.partial) / _RECEIVED, ignore_errors=True)

    @contextlib.contextmanager
    def _out_of_the_way(self) -> Iterator[None]:
        """Move aside the folder that this one replaces, and move it back when that fails."""
        if not ((self.partial / _AGAIN).exists() and self.path.exists()):
            yield
            return
        aside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        self.path.rename(aside)
        try:
            yield
        except BaseException:
            aside.rename(self.path)
            raise
        shutil.rmtree(aside, ignore_errors=True)


def unfinished(results: Path, name: str) -> Path:
    """Return the newest folder of a name that can be resumed, by the name of the complete folder.

    That is one whose run was interrupted, or else one in which queries failed.
    """
    of_name = re.compile(rf"\d{{8}}T\d{{6}}Z-{re.escape(name)}(\.partial)?")
    folders = [path for path in sorted(results.glob("*")) if of_name.fullmatch(path.name)]
    interrupted = [path.with_suffix("") for path in folders if path.suffix == ".partial"]
    failed = [path for path in folders if path.suffix != ".partial" and any(path.rglob(_RECEIVED))]
    if not interrupted + failed:
        raise InputError(f"--resume: there is no {results}/*-{name}.partial to continue; name its folder with --out")
    return (interrupted or failed)[-1]
