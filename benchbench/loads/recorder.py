"""The requests of a step, as columns."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchbench.client.transport import Attempt
from benchbench.kernels.arrays import I64
from benchbench.loads.batches import FirstQueries
from benchbench.loads.driver import Request
from benchbench.loads.received import ReceivedAnswers

if TYPE_CHECKING:
    import polars as pl

_TIMES = ("due", "dispatched", "placed", "sent", "first_byte", "end")
_NUMBERS = ("number", "bytes", "status", "answer")


class Rows:
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

    def join(self, other: "Rows", answers: Sequence[int]) -> None:
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
        self.rows = Rows(batches)
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
