"""Asking an assistant: send a question, read the answer and its context; failures are values.

The body is that of the chat protocol which the configuration files of answer evaluations assume:
`{"messages": [{"content": QUESTION, "role": "user"}], "stream": false, "context": PARAMETERS}`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from benchbench.client.breaker import Breaker
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.profiles import Profile
from benchbench.client.request_runner import RequestRunner
from benchbench.client.retry import Retry
from benchbench.client.secrets import Secrets
from benchbench.client.sync import all_of
from benchbench.client.transport import Transport
from benchbench.errors import InputError, said_by

ASSISTANT = Profile("assistant", path="")
_HINT = "is it an assistant, and is --timeout long enough?"
_SHOWN = 200  # characters of an unusable answer that are kept


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a question, or why there is none."""

    text: str | None  # None: `failure` says why
    context: Any  # as the answer has it; None where it has none
    seconds: float  # of the last attempt
    attempts: int
    failure: str | None


@dataclass(frozen=True, slots=True)
class Assistant:
    """What is sent with every question, and where in the JSON of an answer things stand.

    Attributes
    ----------
    answer
        Where the answer is, a JMESPath expression; `message.content` by default.
    context
        Where the retrieved documents are; `context.data_points.text` by default.
    parameters
        Sent with every question as `context`; none by default.
    """

    answer: FieldPath = field(default=FieldPath("message.content"))
    context: FieldPath = field(default=FieldPath("context.data_points.text"))
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take expressions that are texts."""
        for name in ("answer", "context"):
            given = getattr(self, name)
            if isinstance(given, str):
                object.__setattr__(self, name, path(given, name))

    def payload(self, question: str) -> bytes:
        """Return the body of a request."""
        message = {"content": question, "role": "user"}
        return orjson.dumps({"messages": [message], "stream": False, "context": dict(self.parameters)})

    def read(self, body: bytes, secrets: Secrets) -> tuple[str | None, Any, str | None]:
        """Return answer, context and, where there is no answer, why; without the secrets that were sent."""
        try:
            value = secrets.clean(orjson.loads(body))
        except orjson.JSONDecodeError:
            return None, None, f"not JSON: {secrets.start(body)[:_SHOWN]!r}"
        except RecursionError:
            return None, None, "the JSON of the answer is too deep"
        text = self.answer.find(value)
        if not isinstance(text, str):
            what = "nothing" if text is None else f"no text but {type(text).__name__}"
            return None, None, f"there is {what} at {self.answer.expression}"
        if not text.strip():
            return None, None, "the answer is empty"
        return text, self.context.find(value), None


def path(expression: str, name: str) -> FieldPath:
    """Return a compiled expression; InputError naming the option where it is none."""
    try:
        return FieldPath(expression)
    except ValueError as error:
        raise InputError(f"{name}: {expression!r} is not a JMESPath expression ({said_by(error)})") from None


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
        When nothing answers before the first usable answer.
    TooManyFailuresError
        When the key is refused before it.
    """
    runner = RequestRunner(transport, retry, concurrency, breaker or Breaker(), _HINT, key_advice=transport.key_advice)

    async def one(number: int) -> None:
        exchange = await runner.run(lambda: assistant.payload(questions[number]))
        text, context, failure = None, None, exchange.failure
        if failure is None:
            text, context, failure = assistant.read(exchange.body, transport.secrets)
            runner.note_answer(exchange, failure)
        last = exchange.attempts[-1] if exchange.attempts else None
        seconds = last.end - last.sent if last else math.nan
        take(number, Reply(text, context, seconds, len(exchange.attempts), failure))

    await all_of(map(one, range(len(questions))))
