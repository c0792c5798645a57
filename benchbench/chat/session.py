"""Asking a chat endpoint: one question at a time until one was answered, then as many as there are places."""

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

import orjson

from benchbench.chat.answer import ChatAnswer, read
from benchbench.chat.endpoint import ChatEndpoint
from benchbench.chat.rate_limits import REFUSED, OutOfPatienceError, RateLimits, spoken
from benchbench.chat.request import Dialect, Problem, problem, refused_parameter
from benchbench.chat.turns import Turns
from benchbench.client.breaker import Breaker
from benchbench.client.keys import REFUSED_KEY
from benchbench.client.memory_budget import MemoryReservation
from benchbench.client.request_runner import Exchange, RequestRunner
from benchbench.client.retry import FIRST, Retry
from benchbench.client.transport import Attempt, Transport
from benchbench.errors import UnreachableError, visible
from benchbench.tables.callbacks import nothing

_STRIKES = 3  # questions without a usable answer, before the first one that had one
_OVERHEAD = 64  # tokens that a template puts around the messages of a request
_EXCERPT = 2_000  # characters
_NAME = 200  # characters of what an endpoint calls a model
_TELLING = 60  # characters of an error's code
_NO_PLACE = frozenset({403, 404, 405, 410})
_HINT = "is the base URL that of an OpenAI-compatible API, and is --timeout long enough?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What became of one question.

    Attributes
    ----------
    text
        What the model said; None: `failure` says why there is none.
    failure
        One of a few reasons; what is particular to this answer is in `excerpt`.
    tokens_in, tokens_out
        As the endpoint counted them; None where it does not say.
    seconds
        Of the last attempt; NaN where there was none.
    attempts
        Requests that were sent, those with another form of the question included.
    model, fingerprint
        As the endpoint calls the model and its version.
    finish
        Why the model stopped.
    possibly_billed
        Attempts that were sent and never answered: the endpoint may have done the work.
    excerpt
        Of an answer that is none, or of an error.
    """

    text: str | None
    failure: str | None
    tokens_in: int | None
    tokens_out: int | None
    seconds: float
    attempts: int
    model: str | None = None
    finish: str | None = None
    possibly_billed: int = 0
    fingerprint: str | None = None
    excerpt: str | None = None


class _Call(bytes):
    """The body of a request, and what is known of it while it is under way."""

    on_send: Callable[[int], None]
    unanswered: int = 0  # requests so far that may be billed, and have no answer
    error: bytes = b""  # the body of the last error
    expected: float  # tokens that it will take
    limited: int = 0  # attempts that were refused for their rate

    @staticmethod
    def of(body: bytes, expected: float, on_send: Callable[[int], None], unanswered: int) -> "_Call":
        call = _Call(body)
        call.on_send, call.expected, call.unanswered = on_send, expected, unanswered
        return call


class ChatSession:
    """Connections to an endpoint, and what was learnt about it.

    Until the first usable answer questions go one at a time: what the endpoint refuses is found out once.
    """

    def __init__(
        self,
        endpoint: ChatEndpoint,
        dialect: Dialect,
        transport: Transport,
        retry: Retry,
        limits: RateLimits,
        concurrency: int,
        key_advice: str | None = None,
    ) -> None:
        """Begin; `transport` is open, and keeps headers. `key_advice` says which key was sent, None for none."""
        self._key_advice = key_advice
        self.learnt: Counter[str] = Counter()  # what the endpoint refused, and how many requests that cost
        self.limits = limits
        self._waits_for_limits = retry.retries != 0 and retry.retry_for > 0
        self._endpoint = endpoint
        self._transport = transport
        self._dialect = dialect
        self._runner = RequestRunner(cast("Transport", self), retry, concurrency, Breaker(), _HINT)
        self._first = asyncio.Lock()
        self._turns = Turns()
        self._strikes = 0
        self._ended: UnreachableError | None = None

    @property
    def shown(self) -> str:
        """Return the URL as it may be written down."""
        return self._transport.shown

    def notes(self) -> list[str]:
        """Return a sentence for each thing that the endpoint did not take as it was sent."""
        sentences = [
            f"The endpoint refused {name} ({_requests(count)}), so requests were sent without it."
            for name, count in self.learnt.items()
        ]
        if self.limits.refusals:
            sentences.append(
                f"The endpoint refused {_requests(self.limits.refusals)} for their rate; they were sent "
                f"again after waiting {spoken(self.limits.waited)} in total."
            )
        return sentences

    async def ask(
        self,
        system: str,
        user: str,
        schema: Mapping[str, Any],
        name: str,
        on_send: Callable[[int], None] = nothing,
        seed: int | None = None,
    ) -> ChatReply:
        """Return what the model said, or why nothing.

        Parameters
        ----------
        system, user
            The two messages.
        schema
            JSON Schema of the answer.
        name
            What the endpoint calls the schema.
        on_send
            Called before every attempt with the number of those before it that may be billed and have no answer. What
            it raises ends the question.
        seed
            Instead of the one of the model, where the endpoint takes one.

        Raises
        ------
        UnreachableError
            When the endpoint cannot be used: nothing answers before the first usable answer, the key is refused, or
            the account's quota is spent.
        """
        async with self._one_at_a_time():
            attempts: tuple[Attempt, ...] = ()
            limited = 0
            while True:
                if self._ended is not None:
                    raise self._ended
                dialect = self._dialect
                sent = dialect if seed is None or dialect.seed is None else replace(dialect, seed=seed)
                body = sent.body(system, user, schema, name)
                unanswered = sum(map(_possibly_billed, attempts))
                call = _Call.of(body, self.limits.expected(len(body)), on_send, unanswered)
                exchange = await self._runner.run(lambda call=call: call)  # type: ignore[misc]
                attempts += exchange.attempts
                limited += call.limited
                if exchange.failure is None:
                    await self._turns.wait()
                    answer = self._read(exchange)
                    self.limits.used(len(call), call.expected, answer.tokens_in, answer.tokens_out)
                    return self._reply(attempts, limited, answer)
                status = exchange.attempts[-1].status if exchange.attempts else None
                problem = self._problem(call.error)
                parameter = refused_parameter(status, problem)
                if self._learn(dialect, parameter):
                    continue
                if parameter == "response_format" and not self._runner.usable.is_set():
                    self._end(
                        _whole(exchange.attempts[-1], problem), "--structured auto sends what the endpoint accepts"
                    )
                return self._reply(attempts, limited, self._failed(exchange, status, problem))

    @contextlib.asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[None]:
        """Wait until a question may be asked: until the first usable answer, after the one before it."""
        if not self._runner.usable.is_set():
            async with self._first:
                if not self._runner.usable.is_set():
                    yield
                    return
        yield

    async def post(self, call: _Call, reservation: MemoryReservation | None = None) -> tuple[Attempt, bytes]:
        """Send one request, again where it is refused for its rate: what the runner asks of a transport."""
        limits = self.limits
        while True:
            if self._ended is not None:
                raise self._ended
            try:
                sent = await limits.acquire(call.expected)
            except OutOfPatienceError as error:
                self._give_up(str(error))
            try:
                call.on_send(call.unanswered)
                attempt, body = await self._transport.post(call, reservation)
                call.unanswered += _possibly_billed(attempt)
            finally:
                limits.release(call.expected)
            call.error = body if attempt.error is not None else b""
            if attempt.status not in REFUSED:
                if attempt.status is not None:
                    limits.answered(attempt.headers)
                return attempt, body
            problem = self._problem(body)
            if problem.is_out_of_quota:
                self._end(_whole(attempt, problem), "the quota of the account is spent")
            if not self._waits_for_limits:
                return attempt, body
            call.limited += 1
            if call.limited >= FIRST and not self._runner.usable.is_set():
                self._give_up(f"no request: {call.limited} were refused, the last with {_whole(attempt, problem)}")
            try:
                limits.refused(sent, attempt.headers, attempt.retry_after, problem.message)
            except OutOfPatienceError as error:
                self._give_up(f"{error}: {_whole(attempt, problem)}")

    def _problem(self, body: bytes) -> Problem:
        """Return what an error says; secrets are hidden before anything is cut, for half a key is one too."""
        return problem(self._transport.secrets.start(body)) if body else Problem()

    def _give_up(self, reason: str) -> NoReturn:
        self._ended = self._ended or UnreachableError(
            f"{self.shown} takes {self._transport.hide(reason)}; ask again when its limit allows it"
        )
        raise self._ended

    def _read(self, exchange: Exchange) -> ChatAnswer:
        answer = read(exchange.body, self._dialect.max_tokens)
        self._runner.note_answer(exchange, None if answer.is_usable else answer.failure)
        if not answer.is_usable:
            self._strike(answer.failure or "", exchange.body)
        return answer

    def _learn(self, used: Dialect, parameter: str | None) -> bool:
        """Note a refused parameter; say whether the question can be asked in another form."""
        if parameter is None:
            return False
        if used is self._dialect:
            changed = used.without(parameter)
            if changed is None:
                return False
            self._dialect = changed
        self.learnt[f"{parameter} of {used.structured}" if parameter == "response_format" else parameter] += 1
        return True

    def _failed(self, exchange: Exchange, status: int | None, problem: Problem) -> ChatAnswer:
        """Return the failure of a request without an answer that can be read; may end the session."""
        if status is None or exchange.attempts[-1].broken or 200 <= status < 300:  # an incomplete answer
            return ChatAnswer(failure=exchange.failure)
        failure = _reason(status, problem)
        whole = _whole(exchange.attempts[-1], problem)
        if status == 402:
            self._end(whole, "the account has no credit left")
        if status == 401 or ((status in _NO_PLACE or 300 <= status < 400) and not self._runner.usable.is_set()):
            self._end(whole, self._advice(status))
        if problem.is_too_long or problem.is_filtered:
            self._runner.note_usable()
        else:
            self._strike(failure, problem.message.encode())
        return ChatAnswer(failure=failure, excerpt=problem.message or None)

    def _strike(self, failure: str, body: bytes) -> None:
        """Count a question without a usable answer, before there was one."""
        if self._runner.usable.is_set():
            return
        self._strikes += 1
        if self._strikes == _STRIKES:
            start = visible(self._transport.secrets.start(body).strip(), 200)
            self._end(f"{failure}: {start}" if start else failure, "is the base URL that of an OpenAI-compatible API?")

    def _end(self, failure: str, advice: str) -> NoReturn:
        hidden = self._transport.hide(failure)
        self._ended = UnreachableError(f"{self.shown} gives no usable answer ({hidden}); {advice}")
        raise self._ended

    def _advice(self, status: int) -> str:
        if status in REFUSED_KEY:
            return self._key_advice or "no key was sent: name the variable that has it with --api-key-env"
        return f"is this the URL of the API ({self._endpoint.source}), and is {self._endpoint.model} a model there?"

    def _reply(self, attempts: tuple[Attempt, ...], limited: int, answer: ChatAnswer) -> ChatReply:
        last = attempts[-1] if attempts else None
        secrets = self._transport.secrets
        failure = answer.failure and visible(secrets.hide(answer.failure))

        def named(text: str | None) -> str | None:
            return text and visible(secrets.clean(text), _NAME)

        return ChatReply(
            text=secrets.clean(answer.text),
            failure=failure,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=last.end - last.sent if last else math.nan,
            attempts=len(attempts) + limited,
            model=named(answer.model),
            finish=named(answer.finish),
            possibly_billed=sum(map(_possibly_billed, attempts)),
            fingerprint=named(answer.fingerprint),
            excerpt=answer.excerpt and secrets.hide(answer.excerpt[: 8 * _EXCERPT])[:_EXCERPT],
        )


def worst_tokens(system: str, user: str, max_tokens: int, schema: Mapping[str, Any] | None = None) -> tuple[int, int]:
    """Return upper bounds of the tokens of a question and of its answer.

    A token is at least one byte, so that no tokenizer makes more of a text than it has bytes.
    """
    size = len(system.encode(errors="replace")) + len(user.encode(errors="replace")) + _OVERHEAD
    return size + (len(orjson.dumps(schema)) + 2 * _OVERHEAD if schema is not None else 0), max_tokens


def _requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count:,} requests"


def _possibly_billed(attempt: Attempt) -> bool:
    """Say whether a request was sent and has no complete answer."""
    answered = attempt.status is not None and not 200 <= attempt.status < 300
    return attempt.error is not None and not attempt.refused and not answered


def _whole(attempt: Attempt, problem: Problem) -> str:
    """Return what an error says in full."""
    return f"HTTP {attempt.status}: {visible(problem.message, 200)}" if problem.message else str(attempt.error)


def _reason(status: int, problem: Problem) -> str:
    if status in (400, 413, 422) and problem.is_too_long:
        return "the prompt is too long for the model"
    if problem.is_filtered:
        return "the endpoint's content filter refused the prompt"
    what = problem.code or problem.kind
    return f"HTTP {status} ({visible(what, _TELLING)})" if what else f"HTTP {status}"
