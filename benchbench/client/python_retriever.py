"""A Python function, or an object with `search`, in place of a service: called, timed and read in the same way.

What it returns is written as JSON and read by the one decoder, so that what counts as a hit, what is dropped and what
is counted do not depend on where an answer came from. Its time is that of the call alone.
"""

import asyncio
import inspect
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Protocol, Self, cast, runtime_checkable

import orjson
import yarl

from benchbench.client.headers import Headers
from benchbench.client.memory_budget import MEMORY, MemoryBudget, MemoryReservation
from benchbench.client.payload import Payload
from benchbench.client.profiles import Profile
from benchbench.client.response_layout import ProtocolError
from benchbench.client.secrets import Secrets
from benchbench.client.service import Service
from benchbench.client.transport import Attempt, Transport
from benchbench.errors import InputError, InterruptedRunError, UnreachableError, said_by, visible
from benchbench.results.ranges import PLACES, TIMEOUT, check

_REASON = 300  # characters of an exception's message
_WRONG = "wrong"  # the member that holds why there are no results

_EXAMPLES = "return a list of hits per query, each as (id, score) or a dict, or two arrays (ids, scores)"


@runtime_checkable
class Searcher(Protocol):
    """An object that finds documents."""

    def search(self, queries: Sequence[str], top_k: int, /) -> Any:
        """Return the hits of each query, best first."""


Retriever = Searcher | Callable[[Sequence[str], int], Any]


class _Results:
    """Reads what `_body` has written."""

    advice = "a hit is (id, score) or a dict with id, score, text and labels"

    def read(self, answer: Any, queries: int) -> list[list[Any]]:
        if _WRONG in answer:
            raise ProtocolError(answer[_WRONG])
        return cast("list[list[Any]]", answer["results"])

    def named(self, hits: list[Any]) -> list[Any]:
        return hits


PYTHON = Profile("python", {"queries": "{queries}", "top_k": "{top_k}"}, path="", results=_Results())


@dataclass(frozen=True, slots=True, repr=False)
class PythonService(Service):
    """A retriever in this process; `python_service` makes one."""

    function: Callable[[Sequence[str], int], Any] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        check(self, timeout=TIMEOUT, connections=PLACES)

    def transport(self) -> Transport:
        """Return a transport that calls the retriever, to be used with `async with`."""
        assert self.function is not None
        return PythonTransport(self.function, self.url, self.connections, self.timeout)

    def check_workers(self, workers: int) -> None:
        """Refuse worker processes, which do not have the object."""
        if workers > 1:
            raise InputError(
                f"--workers {workers} uses several processes, but a Python retriever is called in this "
                "one; use 1 worker, and --concurrency for several calls at once"
            )

    def secrets(self) -> Secrets:
        """Return none: a function in this process gets no secret."""
        return Secrets(yarl.URL(), {})

    def _shown_url(self) -> str | None:
        return self.url

    def all_headers(self) -> Headers:
        """Return none."""
        return Headers()


def python_service(retriever: Any, timeout: float = 60.0, connections: int = 8) -> PythonService:
    """Return a retriever as a service.

    Parameters
    ----------
    retriever
        A function of the texts of some queries and `top_k`, or an object with such a method `search`.
    timeout
        Seconds for a call.
    connections
        Calls at once.

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(retriever, type):
        raise InputError(f"retriever is the class {retriever.__qualname__}; give an object of it")
    function = getattr(retriever, "search", retriever)
    if not callable(function):
        raise InputError(
            "retriever is a function of (queries, top_k) or an object with a method search(queries, top_k), and not "
            f"of type {type(retriever).__name__}"
        )
    named = retriever.func if isinstance(retriever, partial) else retriever
    named = named if hasattr(named, "__qualname__") else type(named)
    url = visible(f"python:{named.__module__}.{named.__qualname__}")
    return PythonService(url, PYTHON, timeout=timeout, connections=connections, function=function)


def short_name(service: PythonService) -> str:
    """Return the last part of its name, as the name of a run."""
    last = service.url.rpartition(".")[2]
    return re.sub(r"\W+", "_", last).strip("_") or "retriever"


class PythonTransport(Transport):
    """Calls a function in place of the requests of `Transport`.

    A function that is not asynchronous runs in a thread, so many calls at once. It cannot be stopped: after a timeout
    its thread goes on until it returns. An exception is a failed request, and not tried again, for the same call would
    raise it again; a function that asks a service itself raises `UnreachableError` where trying again may help.
    """

    def __init__(self, function: Callable[[Sequence[str], int], Any], shown: str, places: int, timeout: float) -> None:
        """Prepare; nothing is called before `post`."""
        self.memory = MemoryBudget(MEMORY)
        self.url = yarl.URL(shown, encoded=True)
        self.shown = shown
        self.secrets = Secrets(yarl.URL(), {})
        self._function = function
        self._asynchronous = any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004
        self._places = places
        self._timeout = timeout

    async def __aenter__(self) -> Self:
        """Open the threads."""
        self._threads = ThreadPoolExecutor(self._places, "retriever")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the threads, each after its call."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def post(self, payload: Payload, reservation: MemoryReservation | None = None) -> tuple[Attempt, bytes]:
        """Call the function; every exception of it is in the attempt.

        Raises
        ------
        InterruptedRunError
            When the function raises it, KeyboardInterrupt or SystemExit.
        """
        if reservation is None:
            with self.memory.reservation() as reservation:
                return await self.post(payload, reservation)
        assert isinstance(payload, bytes)
        request = orjson.loads(payload)
        sent = time.perf_counter()

        def failed(error: str, *, gone: bool = False) -> tuple[Attempt, bytes]:
            reason = visible(" ".join(error.split()), _REASON)
            return Attempt(sent, float("nan"), time.perf_counter(), 0, None, reason, refused=gone, broken=gone), b""

        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                body, end = await self._called(request["queries"], request["top_k"])
        except InterruptedRunError:
            raise
        except UnreachableError as error:
            return failed(str(error), gone=True)
        except Exception as error:
            if limit.expired():
                return failed(f"no answer within {self._timeout:g} s")
            return failed(f"{type(error).__name__}: {error}")
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return failed("CancelledError")
        await reservation.reserve(len(body))
        return Attempt(sent, end, end, 0, None, None), body

    async def _called(self, queries: list[str], top_k: int) -> tuple[bytes, float]:
        """Return the result of the function, as JSON, and its time."""
        if self._asynchronous:
            return await _awaited(self._function(queries, top_k), len(queries), top_k)
        loop = asyncio.get_running_loop()
        done = await loop.run_in_executor(self._threads, _call, self._function, queries, top_k)
        return await _awaited(done, len(queries), top_k) if inspect.isawaitable(done) else done


def _call(function: Callable[[Sequence[str], int], Any], queries: list[str], top_k: int) -> Any:
    """Return JSON and the time of the answer, or an awaitable for the loop."""
    try:
        answer = function(queries, top_k)
        return answer if inspect.isawaitable(answer) else _timed(answer, len(queries), top_k)
    except StopIteration as error:  # no future can carry it
        raise RuntimeError(f"StopIteration: {error}") from error
    except (KeyboardInterrupt, SystemExit) as error:
        raise _stopped(error) from error


async def _awaited(answer: Awaitable[Any], queries: int, top_k: int) -> tuple[bytes, float]:
    try:
        return _timed(await answer, queries, top_k)
    except (KeyboardInterrupt, SystemExit) as error:
        raise _stopped(error) from error


def _stopped(error: BaseException) -> InterruptedRunError:
    return InterruptedRunError(f"the retriever raised {type(error).__name__}, which ends the run")


def _timed(answer: Any, queries: int, top_k: int) -> tuple[bytes, float]:
    answer = _exhausted(answer, queries, top_k)
    end = time.perf_counter()
    return _body(answer, queries), end


def _exhausted(answer: Any, queries: int, top_k: int) -> Any:
    """Return an answer with iterators as lists; of an endless one, enough to see that."""
    if isinstance(answer, Iterator):
        answer = list(islice(answer, queries + 1))
    if isinstance(answer, list | tuple) and any(isinstance(hits, Iterator) for hits in answer):
        answer = [list(islice(hits, top_k + 1)) if isinstance(hits, Iterator) else hits for hits in answer]
    return answer


def _body(answer: Any, queries: int) -> bytes:
    """Return an answer as JSON that `_Results` reads, also one of a wrong shape."""
    try:
        results = _of_arrays(answer, queries) if _are_arrays(answer) else _of_lists(answer, queries)
        try:
            return orjson.dumps({"results": results}, default=_plain)
        except orjson.JSONEncodeError as error:
            if isinstance(error.__cause__, ProtocolError):
                raise error.__cause__ from None
            return json.dumps({"results": results}, default=_plain).encode()  # half a surrogate pair, a number as a key
    except ProtocolError as error:
        return orjson.dumps({_WRONG: visible(str(error))})
    except (TypeError, ValueError, RecursionError) as error:
        return orjson.dumps({_WRONG: f"what the retriever returned cannot be written as JSON: {said_by(error)}"})


def _are_arrays(answer: Any) -> bool:
    return isinstance(answer, tuple) and len(answer) == 2 and any(hasattr(part, "ndim") for part in answer)


def _of_arrays(answer: tuple[Any, Any], queries: int) -> list[list[dict[str, Any]]]:
    ids, scores = (part.tolist() if hasattr(part, "tolist") else part for part in answer)
    for name, rows in (("ids", ids), ("scores", scores)):
        if not isinstance(rows, list) or len(rows) != queries or not all(isinstance(row, list) for row in rows):
            raise ProtocolError(
                f"{name} is {_shape(rows)}; return (ids, scores) with one row per query, here {queries}"
            )
    if any(len(row) != len(other) for row, other in zip(ids, scores, strict=True)):
        raise ProtocolError("ids and scores have rows of different lengths")
    if any(type(name) is float for row in ids for name in row[:1]):
        raise ProtocolError("the ids are fractions; return (ids, scores), in this order")
    return [
        [{"id": name, "score": score} for name, score in zip(row, other, strict=True)]
        for row, other in zip(ids, scores, strict=True)
    ]


def _of_lists(answer: Any, queries: int) -> list[list[Any]]:
    if not isinstance(answer, list | tuple):
        raise ProtocolError(f"the retriever returned {_shape(answer)}; {_EXAMPLES}")
    if len(answer) != queries:
        raise ProtocolError(f"{len(answer)} lists of hits for {queries} queries; {_EXAMPLES}")
    return [_hits(hits, number, queries) for number, hits in enumerate(answer, 1)]


def _hits(hits: Any, number: int, queries: int) -> list[Any]:
    if not isinstance(hits, list | tuple):
        raise ProtocolError(f"the hits of query {number} of {queries} are {_shape(hits)}; {_EXAMPLES}")
    kinds = set(map(type, hits))
    if kinds <= {dict}:
        return list(hits)
    if kinds <= {tuple, list} and set(map(len, hits)) == {2}:
        return [{"id": name, "score": score} for name, score in hits]
    return [_hit(hit, number, queries) for hit in hits]


def _hit(hit: Any, number: int, queries: int) -> Any:
    if isinstance(hit, Mapping):
        return dict(hit)
    if isinstance(hit, tuple | list) and len(hit) == 2:
        return {"id": hit[0], "score": hit[1]}
    raise ProtocolError(f"a hit of query {number} of {queries} is {_shape(hit)}; {_EXAMPLES}")


def _plain(value: Any) -> Any:
    """Return a number or an array of any library, or a mapping, as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise ProtocolError(f"a hit holds {_shape(value)}, which is not a JSON value")


def _shape(value: Any) -> str:
    """Return the type and shape of a value, for a sentence."""
    if value is None:
        return "None"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return f"an object of type {type(value).__name__}"
