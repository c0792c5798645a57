"""The requests of a step, as columns.

Answers are kept for judging after the clock has stopped: equal ones once, in memory up to a bound, then on disk.
"""

import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from benchbench.client.transport import Attempt
from benchbench.kernels.arrays import I64
from benchbench.loads.batches import FirstQueries
from benchbench.loads.driver import Request
from benchbench.tables.hashing import content_digest

if TYPE_CHECKING:
    import polars as pl

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


_TIMES = ("due", "dispatched", "placed", "sent", "first_byte", "end")
_NUMBERS = ("number", "bytes", "status", "answer")


class RequestRows:
    """One row per request, in the order of their ends; times are seconds since the end of the warm-up."""

    def __init__(self, batches: int) -> None:
        """Start empty; request n carries batch n modulo `batches`."""
        self.batches = batches
        self._times = {name: array("d") for name in _TIMES}
        self._numbers = {name: array("q") for name in _NUMBERS}
        self._errors: dict[int, str] = {}

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self._numbers["number"])

    def add(self, moments: Iterable[float], numbers: Iterable[int], error: str | None) -> None:
        """Add a request: its times, numbers, and why it failed."""
        if error is not None:
            self._errors[len(self)] = error
        for times, moment in zip(self._times.values(), moments, strict=True):
            times.append(moment)
        for column, number in zip(self._numbers.values(), numbers, strict=True):
            column.append(number)

    def join(self, other: "RequestRows", answers: Sequence[int]) -> None:
        """Add the requests of another process, whose answer `i` is `answers[i]` here."""
        self._errors.update({len(self) + row: error for row, error in other._errors.items()})
        other._numbers["answer"] = array("q", [answers[i] if i >= 0 else i for i in other._numbers["answer"]])
        for name, times in other._times.items():
            self._times[name].extend(times)
        for name, numbers in other._numbers.items():
            self._numbers[name].extend(numbers)

    def frame(self, first: I64 | FirstQueries, queries: int, unusable: Mapping[int, str]) -> "pl.DataFrame":
        """Return the requests in the order in which they were due.

        Parameters
        ----------
        first
            First query of each batch, or of each request.
        queries
            Queries per batch.
        unusable
            Reason by number of the answers that could not be read: their requests failed.
        """
        import polars as pl  # a worker makes no frame

        numbers = {name: np.array(column, np.int64) for name, column in self._numbers.items()}
        errors = [self._errors.get(row, unusable.get(answer)) for row, answer in enumerate(numbers["answer"].tolist())]
        times = {name: np.array(column, np.float64) for name, column in self._times.items()}
        frame = pl.DataFrame(
            {
                "number": numbers["number"],
                "counted": times["due"] >= 0.0,
                "first_query": first[numbers["number"] % self.batches],
                "queries": np.full(len(errors), queries),
                **times,
                "bytes": numbers["bytes"],
                "status": numbers["status"],
                "error": pl.Series(errors, dtype=pl.String),
            }
        )
        whole = frame.with_columns(pl.col(_TIMES).fill_nan(None), pl.when(pl.col("status") >= 0).then(pl.col("status")))
        return whole.sort("number")


class Recorder:
    """Makes rows of requests.

    Requests due before `origin` are the warm-up: they have a row, `counted` false, and their answers are
    not kept.
    """

    def __init__(self, origin: float, batches: int, answers: ReceivedAnswers) -> None:
        """Start empty; request n carries batch n modulo `batches`."""
        self.rows = RequestRows(batches)
        self._origin = origin
        self._answers = answers

    def add(self, request: Request, attempt: Attempt, body: bytes) -> None:
        """Add a request; its body is kept for judging when it is a counted answer."""
        kept = -1
        if attempt.error is None and request.due >= self._origin:
            kept = self._answers.keep(request.number % self.rows.batches, body)
        moments = (request.due, request.dispatched, request.placed, attempt.sent, attempt.first_byte, attempt.end)
        status = -1 if attempt.status is None else attempt.status
        self.rows.add(
            (moment - self._origin for moment in moments), (request.number, attempt.bytes, status, kept), attempt.error
        )
