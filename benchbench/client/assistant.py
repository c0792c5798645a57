"""Asking an assistant: a question out, an answer and its context back, every failure a value.

The body is that of the chat protocol which the configuration files of answer evaluations assume:
`{"messages": [{"content": QUESTION, "role": "user"}], "stream": false, "context": PARAMETERS}`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from benchbench.client.breaker import Breaker
from benchbench.client.paths import Path
from benchbench.client.retry import Retry, outage
from benchbench.client.transport import Attempt, Transport, refused
from benchbench.errors import InputError, UnreachableError

_SHOWN = 200  # characters of an unusable answer that are kept


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question."""

    text: str | None  # None: `failure` says why
    context: Any  # as the answer has it; None where it has none
    seconds: float  # of the last attempt
    attempts: int
    failure: str | None


@dataclass(frozen=True, slots=True)
class Assistant:
    """What is sent with every question, and where in the JSON of an answer things stand."""

    answer: Path
    context: Path
    parameters: Mapping[str, Any]

    def payload(self, question: str) -> bytes:
        """Return the body of a request."""
        message = {"content": question, "role": "user"}
        return orjson.dumps({"messages": [message], "stream": False, "context": dict(self.parameters)})

    def read(self, body: bytes) -> tuple[str | None, Any, str | None]:
        """Return answer, context and, where there is no answer, why."""
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None, None, f"not JSON: {body[: 1 << 12].decode(errors='replace')[:_SHOWN]!r}"
        text = self.answer.find(value)
        if not isinstance(text, str):
            what = "nothing" if text is None else f"no text but {type(text).__name__}"
            return None, None, f"there is {what} at {self.answer.expression}"
        if not text.strip():
            return None, None, "the answer is empty"
        return text, self.context.find(value), None


def path(expression: str, name: str) -> Path:
    """Return a compiled expression; InputError naming the option where it is none."""
    try:
        return Path(expression)
    except ValueError as error:
        raise InputError(
            f"{name}: {expression!r} is not a JMESPath expression ({str(error).splitlines()[0]})"
        ) from None


async def ask(
    questions: Sequence[str],
    assistant: Assistant,
    transport: Transport,
    retry: Retry,
    concurrency: int,
    take: Callable[[int, Reply], None],
    breaker: Breaker | None = None,
) -> None:
    """Ask all questions, some at a time; `take` gets the number of a question and its reply, as they come.

    Raises
    ------
    UnreachableError
        When nothing answers before the first response.
    """
    asking = _Asking(assistant, transport, retry, breaker or Breaker())
    places = asyncio.Semaphore(concurrency)

    async def one(number: int) -> None:
        async with places:
            take(number, await asking.reply(questions[number]))

    tasks = [asyncio.create_task(one(number)) for number in range(len(questions))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Asking:
    def __init__(self, assistant: Assistant, transport: Transport, retry: Retry, breaker: Breaker) -> None:
        self._assistant = assistant
        self._transport = transport
        self._retry = retry
        self._breaker = breaker
        self._random = Random()  # only for jitter: no result depends on it
        self._answered = False

    async def reply(self, question: str) -> Reply:
        async with self._breaker.turn() as alone:
            if self._breaker.reason is not None:
                return Reply(None, None, float("nan"), 0, self._breaker.reason)
            return await self._persist(self._assistant.payload(question), alone)

    async def _persist(self, payload: bytes, alone: bool) -> Reply:
        attempts = 0
        while True:
            attempt, body = await self._transport.post(payload)
            attempts += 1
            self._answered |= attempt.status is not None
            if attempt.error is None:
                self._breaker.answered()
                text, context, failure = self._assistant.read(body)
                hidden = None if failure is None else self._transport.hide(failure)
                return Reply(text, context, attempt.end - attempt.sent, attempts, hidden)
            if attempt.refused and not self._answered:
                raise refused(self._transport.shown, attempt)
            if not self._again(attempt, attempts, alone):
                break
            await asyncio.sleep(self._retry.wait(attempts, attempt.retry_after, self._random))
        if not self._answered:
            raise UnreachableError(
                f"{self._transport.shown} gave no answer in {attempts} attempts ({attempt.error}); is it an assistant, "
                "and is --timeout long enough?"
            )
        if outage(attempt.status, attempt.broken):
            self._breaker.failed(attempt.error, alone)
        else:
            self._breaker.answered()
        return Reply(None, None, attempt.end - attempt.sent, attempts, attempt.error)

    def _again(self, attempt: Attempt, attempts: int, alone: bool) -> bool:
        if alone and outage(attempt.status, attempt.broken):
            return attempts < self._breaker.limit
        return self._retry.again(attempts, attempt.status, attempt.broken)
