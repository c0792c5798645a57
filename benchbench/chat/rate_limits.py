"""Rate limits of an endpoint: kept before a request is sent, learnt from what it answers, and waited for.

A limit is a bucket that fills steadily. What was given per minute is spread over the minute. What the headers of
answers say is mirrored: how much is left, and how fast it comes back. An endpoint that says nothing and refuses with
429 is asked by half as many at once, and by one more with every round of answers. A refusal holds all requests back,
and is no attempt of the one that met it.
"""

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from benchbench.client.retry_after import FIRST_WAIT, doubled

PATIENCE = 600.0  # seconds without any answer but refusals, or of one wait, where --retry-for does not say
REFUSED = frozenset({429, 529})
_MINUTE = 60.0  # seconds
_GIVEN = 60.01  # seconds in which a limit that was given is spent: rounding must not make them one too many
_BURST = 0.1  # of a minute's tokens that may go at once
_AT_ONCE = 600  # requests per minute from which two may go at once: timers are coarse
_LONGEST_WAIT = 30.0  # seconds, where a refusal does not say how long
_MOST_DOUBLINGS = 6  # of the first wait, which then is longer than the longest
_BYTES_PER_TOKEN = 3.0  # until answers tell
_WEIGHT = 0.1  # of a new answer in what is expected of the next
_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?(d|h|ms|m|s|us|µs|ns)?")
_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_ADVISED = re.compile(r"(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:d|h|ms|m|s)(?:econds?)? ?)+)", re.I)
_WAITS = ("retry-after-ms", "x-ms-retry-after-ms")
_HEADERS = {
    kind: tuple(f"x-ratelimit-{name}-{kind}" for name in ("remaining", "limit", "reset"))
    for kind in ("requests", "tokens")
}
_LONGEST = 64  # characters of a header's value


class OutOfPatienceError(Exception):
    """The endpoint lets nothing through for longer than anybody waits."""

    def __init__(self, seconds: float) -> None:
        """Take how long it asks to wait."""
        super().__init__(f"no more requests for {spoken(seconds)}")


@dataclass(slots=True)
class Bucket:
    """What may be spent now, and how fast it comes back; `level` may fall below 0."""

    capacity: float
    rate: float  # per second
    level: float
    at: float  # time of `level`
    full_at: float = 0.0
    refills_at_once: bool = False  # at `full_at`, and not steadily

    def wait(self, cost: float, now: float) -> float:
        """Return seconds until a cost may be taken; one above the capacity waits for a full bucket."""
        self._fill(now)
        missing = min(cost, self.capacity) - self.level
        if missing <= 1e-9:
            return 0.0
        if self.refills_at_once and self.full_at > now:
            return self.full_at - now
        return missing / self.rate

    def take(self, cost: float) -> None:
        """Take a cost, which may be negative."""
        self.level = min(self.level - cost, self.capacity)

    def _fill(self, now: float) -> None:
        self.level = min(self.capacity, self.level + (now - self.at) * self.rate)
        self.at = now


class RateLimits:
    """The limits of one endpoint, shared by all requests to it.

    `refusals` counts answers that refused a request for its rate, and `waited` the seconds for which they asked all to
    wait.
    """

    def __init__(
        self, requests: int | None, tokens: int | None, places: int, max_tokens: int, patience: float = PATIENCE
    ) -> None:
        """Begin; limits are per minute, and None where none is known. `places` are requests under way at once."""
        self.refusals = 0
        self.waited = 0.0
        self._given: dict[str, Bucket] = {}
        if requests is not None:
            capacity = max(1.0, requests / _AT_ONCE)  # so that never more than the limit go in a minute
            self._given["requests"] = Bucket(capacity, (requests + 1 - capacity) / _GIVEN, capacity, -math.inf)
        if tokens is not None:
            capacity = max(1.0, tokens * _BURST)
            self._given["tokens"] = Bucket(capacity, (1 - _BURST) * tokens / _GIVEN, capacity, -math.inf)
        self._learnt: dict[str, Bucket] = {}
        self._places, self._allowed = places, float(places)
        self._flying, self._flying_tokens = 0, 0.0
        self._until = -math.inf  # nothing is sent before
        self._refused_at = -math.inf  # when the last round of refusals began
        self._first_refusal: float | None = None  # since the last answer
        self._doublings = 0  # of the wait after a refusal
        self._patience = patience
        self._line = asyncio.Lock()
        self._woken: asyncio.Future[None] | None = None
        self._random = Random()  # only for jitter: no result depends on it
        self._tokens_per_byte, self._answer_tokens = 1 / _BYTES_PER_TOKEN, float(max_tokens)
        self._is_first = True

    def expected(self, size: int) -> float:
        """Return how many tokens a request of so many bytes will take, with its answer."""
        return size * self._tokens_per_byte + self._answer_tokens

    async def acquire(self, tokens: float) -> float:
        """Wait until a request may be sent; return the time, which `refused` takes back.

        Raises
        ------
        OutOfPatienceError
            When that is later than anybody waits for.
        """
        now = asyncio.get_running_loop().time()
        if self._line.locked() or self._wait(tokens, now) > 0.0:
            async with self._line:
                while (wait := self._wait(tokens, now := asyncio.get_running_loop().time())) > 0.0:
                    if wait < math.inf and (imposed := self._imposed(tokens, now)) > self._patience:
                        raise OutOfPatienceError(imposed)
                    await self._sleep(wait)
        self._spend(1.0, tokens)
        self._flying += 1
        self._flying_tokens += tokens
        return now

    def release(self, tokens: float) -> None:
        """Note that a request is no longer under way."""
        self._flying -= 1
        self._flying_tokens -= tokens
        self._wake()

    def answered(self, headers: Mapping[str, str] | None) -> None:
        """Note an answer that is no refusal, once it was released."""
        self._first_refusal = None
        if self._allowed < self._places:
            self._allowed = min(self._places, self._allowed + 1.0 / self._allowed)
        if headers:
            self._learn(headers, asyncio.get_running_loop().time())

    def used(self, size: int, tokens: float, tokens_in: int | None, tokens_out: int | None) -> None:
        """Note what a request of so many bytes took, for which `tokens` were expected."""
        if tokens_in is None or tokens_out is None:
            return
        self._spend(0.0, tokens_in + tokens_out - tokens)
        weight = 1.0 if self._is_first else _WEIGHT
        self._is_first = False
        self._tokens_per_byte += weight * (tokens_in / max(size, 1) - self._tokens_per_byte)
        self._answer_tokens += weight * (tokens_out - self._answer_tokens)

    def refused(self, sent: float, headers: Mapping[str, str] | None, retry_after: float | None, message: str) -> None:
        """Hold everything back after a refusal; `sent` is what `acquire` returned.

        Raises
        ------
        OutOfPatienceError
            When the endpoint asks to wait longer than anybody does, or has refused everything for as long.
        """
        now = asyncio.get_running_loop().time()
        self.refusals += 1
        headers = headers or {}
        advised = _advised(headers, retry_after, message) or None  # "now" is no wait: it would be flooded
        is_new = sent >= self._refused_at  # not one of those that were under way when another was refused
        if is_new:
            for kind, bucket in self._learnt.items():
                if advised is not None and _number(headers, _HEADERS[kind][0]) == 0.0:
                    bucket.refills_at_once = True
            self._refused_at = now
            self._allowed = max(1.0, min(self._allowed, float(self._flying + 1)) / 2)
            if self._first_refusal is None:
                self._first_refusal = now
                self._doublings = max(0, self._doublings - 1)
            else:
                self._doublings = min(self._doublings + 1, _MOST_DOUBLINGS)
        self._learn(headers, now)
        backoff = doubled(FIRST_WAIT, self._doublings, _LONGEST_WAIT)
        wait = advised if advised is not None else backoff * self._random.uniform(0.75, 1.25)
        if wait > self._patience or now + wait - (self._first_refusal or now) > self._patience:
            raise OutOfPatienceError(wait)
        if is_new or advised is not None:
            until = max(self._until, now + wait)
            self.waited += until - max(self._until, now)
            self._until = until

    def _wait(self, tokens: float, now: float) -> float:
        if self._flying >= self._allowed:
            return math.inf
        return max(_longest(self._given, tokens, now), self._imposed(tokens, now))

    def _imposed(self, tokens: float, now: float) -> float:
        """Return seconds for which the endpoint, and not the user, wants nothing sent."""
        return max(self._until - now, _longest(self._learnt, tokens, now))

    def _spend(self, requests: float, tokens: float) -> None:
        for buckets in (self._given, self._learnt):
            for kind, bucket in buckets.items():
                bucket.take(requests if kind == "requests" else tokens)

    def _learn(self, headers: Mapping[str, str], now: float) -> None:
        """Mirror what headers say is left; requests under way may not be in it yet."""
        for kind, (remaining_name, limit_name, reset_name) in _HEADERS.items():
            remaining, limit = _number(headers, remaining_name), _number(headers, limit_name)
            if remaining is None or not limit:
                continue
            reset = duration(headers.get(reset_name))
            missing = limit - remaining
            rate = missing / reset if reset and missing > 0 else limit / _MINUTE
            bucket = self._learnt.setdefault(kind, Bucket(limit, rate, remaining, now))
            flying = self._flying if kind == "requests" else self._flying_tokens
            bucket.capacity, bucket.rate, bucket.at = limit, rate, now
            bucket.level = remaining - flying
            bucket.full_at = now + (reset or 0.0)
        self._wake()

    async def _sleep(self, seconds: float) -> None:
        """Wait for some time, or until something is over."""
        loop = asyncio.get_running_loop()
        self._woken = woken = loop.create_future()
        timer = None if seconds == math.inf else loop.call_later(seconds, self._wake)
        try:
            await woken
        finally:
            self._woken = None
            if timer is not None:
                timer.cancel()

    def _wake(self) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)


def _longest(buckets: Mapping[str, Bucket], tokens: float, now: float) -> float:
    if not buckets:
        return 0.0
    return max(bucket.wait(1.0 if kind == "requests" else tokens, now) for kind, bucket in buckets.items())


def duration(text: str | None) -> float | None:
    """Return the seconds of a text such as `6m0s`, `120ms` or `1.5`; None where it is none."""
    text = (text or "").strip()
    if not text or len(text) > _LONGEST or not text.isprintable():
        return None
    parts = _DURATION.findall(text)
    if "".join(f"{number}{unit}" for number, unit in parts) != text.replace(" ", ""):
        return None
    return float(sum(float(number) * _SECONDS[unit] for number, unit in parts))


def spoken(seconds: float) -> str:
    """Return a time in two units at most, such as `3 h 2 min`."""
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60} min"


def _advised(headers: Mapping[str, str], retry_after: float | None, message: str) -> float | None:
    """Return how long a refusal asks to wait, None where it does not say."""
    for name in _WAITS:
        if (milliseconds := _number(headers, name)) is not None:
            return milliseconds / 1e3
    if retry_after is not None:
        return retry_after
    resets = [
        duration(headers.get(reset))
        for remaining, _, reset in _HEADERS.values()
        if _number(headers, remaining) == 0.0 and headers.get(reset)
    ]
    if any(reset is not None for reset in resets):
        return max(reset for reset in resets if reset is not None)
    advised = _ADVISED.search(message)
    return duration(re.sub("econds?", "", advised[1].strip())) if advised else None


def _number(headers: Mapping[str, str], name: str) -> float | None:
    text = headers.get(name)
    if text is None or len(text) > _LONGEST:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0.0 <= number < 1e15 else None
