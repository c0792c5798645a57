"""A folder that is written aside as `NAME.partial` by one process at a time, and gets its name when it is whole."""

import contextlib
import errno
import fcntl
import itertools
import os
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benchbench.client.journal import explained
from benchbench.errors import InputError

_LOCK = ".lock"
_PARTIAL = ".partial"
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
    """What the folders of all kinds of results share; used as a context.

    The `.partial` folder is locked while the context lasts; the lock ends with its process, however that ends. An
    error removes the folder when nothing has been received. Otherwise the folder stays, and a note on the error says
    where it is.
    """

    kind = "run"  # what fills it
    advice = "remove it, or name another --out"  # on what an interrupted one has left

    def __init__(self, place: Path | Timed, resume: bool = False) -> None:
        """Name the folder; nothing is written before `__enter__`, and with `resume` an interrupted one is gone on with.

        `path` and `partial` are known for certain within the context.
        """
        self._place = place
        self._resume = resume
        self._lock: int | None = None
        self._made = False  # the `.partial` folder, by this process
        self._call(next(place.paths()) if isinstance(place, Timed) else _followed(place))
        if self.path.name.endswith(_PARTIAL):
            raise InputError(f"{self.path} would be taken for what was interrupted; name it without {_PARTIAL}")

    def __enter__(self) -> Self:
        """Make and lock the `.partial` folder, so that a place that cannot be written to is known before the run."""
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
        """Keep what was received, and say so; remove a folder in which there is nothing."""
        if error is not None and self.partial.exists():
            if self._is_worth_keeping():
                error.add_note(self.kept())
            else:
                self._remove()
        self._unlock()

    @abstractmethod
    def kept(self) -> str:
        """Return, as a part of a sentence, where what was received is, and how to go on."""

    @abstractmethod
    def _prepare(self) -> None:
        """Make what the folder begins with."""

    @abstractmethod
    def _is_worth_keeping(self) -> bool:
        """Say that something has been received."""

    def _reopen(self) -> None:
        """Go on with a folder that is whole; called with the `.partial` folder locked."""
        raise InputError(f"--out {self.path} exists already; name another folder")

    def _finish(self) -> None:
        """Give the folder its name."""
        try:
            self.partial.rename(self.path)
        except OSError as error:
            if not self.path.exists():
                raise
            raise InputError(
                f"{self.path} has appeared during the {self.kind} and is left as it is; move it away"
            ) from error
        self._unlock()

    def _call(self, path: Path) -> None:
        self.path = path
        self.partial = path.with_name(path.name + _PARTIAL)

    def _begin(self) -> None:
        if self.path.exists():
            raise InputError(f"--out {self.path} exists already; name another folder")
        if not self._is_new():
            self._check_that_nobody_writes()
            raise InputError(f"{self.partial} is what an interrupted {self.kind} has left; {self.advice}")

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
        """Lock the folder, or say who has."""
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
        os.ftruncate(lock, 0)
        os.write(lock, b"%d" % os.getpid())
        self._lock = lock

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
    """Return where a folder is that is named by a link, for only a folder itself can be replaced by another."""
    if not path.name:
        raise InputError(f"--out {path} is no name of a folder; name one that does not exist")
    if not path.is_symlink():
        return path
    if not path.exists():
        raise InputError(f"--out {path} is a link to what does not exist; name another folder")
    return path.resolve()
