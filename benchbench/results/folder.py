"""Folders of results: one process writes `NAME.partial`, and renames it when it is complete."""

import contextlib
import errno
import fcntl
import io
import itertools
import os
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec
import orjson

from benchbench.errors import InputError, said_by, visible
from benchbench.results.measured import Measured
from benchbench.results.record import Record, TableFile, plain

if TYPE_CHECKING:
    import polars as pl

RECORD, SUMMARY, CONFIG = "record.json", "summary.json", "config.json"
PARTIAL = ".partial"
_LOCK = ".lock"
_GROUP = 1 << 14  # rows of a merged file that are written, and so held in memory, together
_MORE = 1 << 20  # bytes that a full disk does not take
_NO_PAGES: Mapping[str, str] = MappingProxyType({})
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # of file systems that cannot lock


@dataclass(frozen=True, slots=True)
class Timed:
    """A name that begins with the time in UTC, to the second; a run that finds it taken has the next second's."""

    folder: Path
    suffix: str

    def paths(self) -> Iterator[Path]:
        """Yield one name after the other."""
        for second in itertools.count(int(time.time())):
            yield self.folder / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(second))}{self.suffix}"


class PartialFolder(ABC):
    """The base of folders of all kinds of results, used as a context.

    The `.partial` folder is locked while the context lasts, or until the process ends. An error removes the folder when
    nothing has been received. Otherwise the folder stays, and a note on the error says where it is.
    """

    kind = "run"  # for messages
    advice = "remove it, or name another --out"  # what to do with an unfinished folder

    def __init__(self, place: Path | Timed, resume: bool = False) -> None:
        """Name the folder; `__enter__` makes it, or with `resume` continues an unfinished one.

        `path` and `partial` are final within the context.
        """
        self._place = place
        self._resume = resume
        self._lock: int | None = None
        self._made = False  # the `.partial` folder, by this process
        self._call(next(place.paths()) if isinstance(place, Timed) else _followed(place))
        if self.path.name.endswith(PARTIAL):
            raise InputError(f"--out {self.path} ends in {PARTIAL}, as unfinished folders do; name it without")

    def __enter__(self) -> Self:
        """Make and lock the `.partial` folder; a place that cannot be written to is an error before the run."""
        try:
            if isinstance(self._place, Timed):
                for path in self._place.paths():
                    self._call(path)
                    if self._is_new():
                        break
            elif self._resume:
                self._go_on()
            else:
                self._begin()
            with explained(self.partial):
                self._prepare()
        except BaseException:
            if self._made:
                self._remove()
            self._unlock()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keep what was received, and say so; remove an empty folder."""
        if error is not None and self.partial.exists():
            if self._is_worth_keeping():
                error.add_note(self.kept())
            else:
                self._remove()
        self._unlock()

    @abstractmethod
    def kept(self) -> str:
        """Return where the received answers are and how to continue, as part of a sentence."""

    @abstractmethod
    def _prepare(self) -> None:
        """Make the first files of the folder."""

    @abstractmethod
    def _is_worth_keeping(self) -> bool:
        """Say that something has been received."""

    def _reopen(self) -> None:
        """Continue a finished folder; called with the `.partial` folder locked."""
        raise InputError(f"--out {self.path} exists already; name another folder")

    def _finish(self) -> None:
        """Give the folder its name."""
        try:
            self.partial.rename(self.path)
        except OSError as error:
            if not self.path.exists():
                raise
            raise InputError(
                f"{self.path} appeared during the {self.kind} and was left as it is; move it away"
            ) from error
        self._unlock()

    def _call(self, path: Path) -> None:
        self.path = path
        self.partial = path.with_name(path.name + PARTIAL)

    def _begin(self) -> None:
        if self.path.exists():
            raise InputError(f"--out {self.path} exists already; name another folder")
        if not self._is_new():
            self._check_that_nobody_writes()
            raise InputError(f"{self.partial} was left by an interrupted {self.kind}; {self.advice}")

    def _go_on(self) -> None:
        if not self._is_new():
            self._check_that_nobody_writes()
        if self.path.exists():
            self._reopen()

    def _is_new(self) -> bool:
        """Make and lock the folder; False when the name is taken."""
        with explained(self.partial):
            try:
                self.partial.mkdir(parents=True)
            except FileExistsError:
                return False
        if isinstance(self._place, Timed) and self.path.exists():
            self.partial.rmdir()
            return False
        self._check_that_nobody_writes()
        self._made = True
        return True

    def _check_that_nobody_writes(self) -> None:
        """Lock the folder, or say which process has locked it."""
        path = self.partial / _LOCK
        with explained(self.partial):
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.path.samestat(os.fstat(lock), path.stat())  # else it was removed meanwhile
        except OSError as error:
            is_ours = error.errno in _NO_LOCKS
        if not is_ours:
            owner = os.read(lock, 32).decode(errors="replace").strip()
            os.close(lock)
            raise InputError(
                f"{self.partial} is being written by another {self.kind}{owner and f' (process {owner})'}; wait for "
                "its end, or name another --out"
            )
        self._lock = lock
        with contextlib.suppress(OSError):  # the next write reports a full disk
            os.ftruncate(lock, 0)
            os.write(lock, b"%d" % os.getpid())

    def _unlock(self) -> None:
        if self._lock is not None:
            for folder in (self.path, self.partial):
                with contextlib.suppress(OSError):
                    if os.path.samestat(os.fstat(self._lock), (folder / _LOCK).stat()):
                        (folder / _LOCK).unlink()
            os.close(self._lock)
            self._lock = None

    def _remove(self) -> None:
        """Remove the `.partial` folder, first from its name: another run may take that while files are removed."""
        self._made = False
        aside = self.partial.with_name(f".{self.partial.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            self.partial.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)


def _followed(path: Path) -> Path:
    """Return the folder that a link points to, because a rename cannot replace a link by a folder."""
    if not _is_unicode(path):
        raise InputError(f"--out {visible(str(path))} is not UTF-8, and tables cannot be written there; name another")
    if not path.name:
        raise InputError(f"--out {path} is not the name of a folder; name one that does not exist")
    if not path.is_symlink():
        return path
    if not path.exists():
        raise InputError(f"--out {path} is a link whose target does not exist; name another folder")
    return path.resolve()


def _is_unicode(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


class SavedFolder(PartialFolder):
    """The folder of a result that is in memory and written at once."""

    kind = "result"

    def kept(self) -> str:
        """Return nothing: everything is still in memory."""
        return ""

    def _prepare(self) -> None:
        """Make no files."""

    def _is_worth_keeping(self) -> bool:
        return False

    def finish(self, result: Measured, pages: Mapping[str, str] = _NO_PAGES) -> None:
        """Write the result, and give the folder its name."""
        with explained(self.partial):
            write_result(self.partial, result, pages)
            if result.read_from is not None:
                copy_others(result.read_from, self.partial)
            self._finish()


def save(result: Measured, place: Path | Timed, pages: Mapping[str, str] = _NO_PAGES) -> Path:
    """Write a folder of a result, with pages by the names of their files, and return its path."""
    with SavedFolder(place) as folder:
        folder.finish(result, pages)
    return folder.path


def copy_others(source: Path, target: Path) -> None:
    """Copy what a results folder has besides record, summary, options and tables: runs, judgments, pages, answers."""
    for path in sorted(source.rglob("*")):
        copy = target / path.relative_to(source)
        hidden = any(part.startswith(".") or part == "received" for part in path.relative_to(source).parts)
        if path.is_file() and not copy.exists() and not hidden:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def write_result(folder: Path, result: Measured, pages: Mapping[str, str] = _NO_PAGES) -> None:
    """Write the files of a result of any kind; tables and parts that exist are left as they are."""
    for name, part in result.parts().items():
        if not (folder / name / RECORD).exists():
            (folder / name).mkdir(exist_ok=True)
            write_result(folder / name, part)
    for name, make in result.tables().items():
        path = folder / f"{name}.parquet"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_parquet(make(), path)
    within = {*result.parts(), *(Path(name).parent.name for name in result.tables())}
    record = msgspec.structs.replace(result.record, tables=_tables(folder, sorted({"", *within})))
    result.__dict__["record"] = record
    for name, value in ((RECORD, plain(record)), (SUMMARY, result.json_members()), (CONFIG, config(record))):
        (folder / name).write_bytes(pretty(value))
    for name, page in pages.items():
        (folder / name).write_text(page, encoding="utf-8")


def config(record: Record) -> dict[str, Any]:
    """Return what `config.json` holds: every option in force and where it came from, versions and host; no secret."""
    return {
        "options": {name: plain(setting.value) for name, setting in record.settings.items()},
        "sources": {name: setting.source for name, setting in record.settings.items()},
        "data_digest": record.data.digest,
        **plain(record.environment),
    }


def pretty(value: object) -> bytes:
    """Return a JSON value as it is written to files and to standard output."""
    return encoded(value, orjson.OPT_INDENT_2)


def encoded(value: object, option: int = 0) -> bytes:
    """Return JSON with a line end; text that is not Unicode, such as a file name, has question marks."""
    option |= orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        return orjson.dumps(_in_unicode(value), option=option)


def _in_unicode(value: Any) -> Any:
    """Return a JSON value without lone surrogates, which stand for bytes that are not UTF-8."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_in_unicode(name): _in_unicode(member) for name, member in value.items()}
    return [_in_unicode(item) for item in value] if isinstance(value, list | tuple) else value


def write_parquet(frame: "pl.DataFrame", path: Path, metadata: dict[str, str] | None = None) -> None:
    """Write a frame, and what the file says of it; OSError when it cannot be."""
    whole = io.BytesIO()  # Polars does not pass on why a file cannot be written
    frame.write_parquet(whole, metadata=metadata)
    path.write_bytes(whole.getbuffer())


def merge(parts: Path, columns: "Sequence[pl.Expr]" = ()) -> None:
    """Make one Parquet file of a folder of them, with one part in memory at a time; `columns` replace theirs."""
    import polars as pl

    whole = parts.with_name(f"{parts.name}.parquet")
    try:
        rows = pl.scan_parquet(sorted(parts.glob("*.parquet")), glob=False).with_columns(columns)
        rows.sink_parquet(whole, row_group_size=_GROUP)
    except pl.exceptions.ComputeError:
        with whole.open("ab") as file:
            file.write(bytes(_MORE))  # OSError with the reason, which Polars does not pass on
        raise
    shutil.rmtree(parts)


def _tables(folder: Path, within: Iterable[str]) -> list[TableFile]:
    """Return the tables of a folder and of folders in it; those are named `part/name`."""
    import polars as pl

    files = [path for name in within for path in sorted((folder / name).glob("*.parquet"))]
    return [
        TableFile(
            name=path.relative_to(folder).with_suffix("").as_posix(),
            file=path.relative_to(folder).as_posix(),
            rows=pl.scan_parquet(path, glob=False).select(pl.len()).collect().item(),
        )
        for path in files
    ]


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn an error in writing results into one sentence."""
    import polars as pl

    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None) or said_by(error)
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        advice = "free some space" if full else "name another place with --out"
        raise InputError(f"cannot write {folder}: {reason}; {advice}") from error
