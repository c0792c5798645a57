"""Answers kept for judging after the clock has stopped: equal ones once, in memory up to a bound, then on disk."""

import tempfile
from collections.abc import Callable, Iterator
from types import TracebackType

from benchbench.tables.hashing import content_digest

_MEMORY = 64 << 20  # bytes


class ReceivedAnswers:
    """The different answers of a step.

    While requests are under way a body is only hashed and, when it is new, appended to a file: no answer is
    parsed or judged in the time that is measured.
    """

    def __init__(self, memory: int = _MEMORY, batch_of: Callable[[int], int] = int) -> None:
        """Start empty; beyond so many bytes answers go to a temporary file. `batch_of` tells the batch of a request."""
        self._batch_of = batch_of
        self._file = tempfile.SpooledTemporaryFile(memory)  # noqa: SIM115  closed by __exit__
        self._known: dict[tuple[int, bytes], int] = {}
        self._places: list[tuple[int, int, int]] = []  # batch, offset, size
        self._end = 0
        self.times: list[int] = []  # how often each answer came

    def __enter__(self) -> "ReceivedAnswers":
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Forget all answers."""
        self._file.close()

    def keep(self, request: int, body: bytes) -> int:
        """Keep the answer to a request; return its number, the same for equal ones to the same batch."""
        batch = self._batch_of(request)
        key = (batch, content_digest(body).digest())
        number = self._known.setdefault(key, len(self.times))
        if number == len(self.times):
            self._file.write(body)
            self._places.append((batch, self._end, len(body)))
            self._end += len(body)
            self.times.append(0)
        self.times[number] += 1
        return number

    @property
    def keys(self) -> list[tuple[int, bytes]]:
        """Return batch and digest of each different answer."""
        return list(self._known)

    def __iter__(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield number, batch and body of each different answer that came, one body in memory at a time."""
        for number, (batch, offset, size) in enumerate(self._places):
            if not self.times[number]:
                continue
            self._file.seek(offset)
            yield number, batch, self._file.read(size)
        self._file.seek(self._end)
