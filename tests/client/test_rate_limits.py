"""Rate limits, in virtual time against endpoints that count."""

import asyncio
import itertools
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest
import virtual_time
from cases import first_of

from benchbench.client.rate_limits import OutOfPatienceError, RateLimits, duration, spoken

Headers = Mapping[str, str]


@dataclass
class Endpoint:
    """Answers after `latency`, or refuses as `allows` says; knows when what was sent."""

    allows: Callable[[float], "tuple[bool, Headers]"]
    latency: float = 1.0
    tokens: int = 100
    sent: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    most: int = 0
    flying: int = 0

    async def ask(self) -> tuple[bool, Headers]:
        now = virtual_time.now()
        allowed, headers = self.allows(now)
        (self.sent if allowed else self.refused).append(now)
        self.flying += 1
        self.most = max(self.most, self.flying)
        await asyncio.sleep(self.latency if allowed else 0.05)
        self.flying -= 1
        return allowed, headers

    def most_within(self, seconds: float) -> int:
        """Return how many were answered at most that were sent within so many seconds."""
        window: deque[float] = deque()
        most = 0
        for at in sorted(self.sent):
            window.append(at)
            while window[0] <= at - seconds:
                window.popleft()
            most = max(most, len(window))
        return most


def unlimited(now: float) -> tuple[bool, Headers]:
    return True, {}


def limits_said(limit: object, remaining: object, reset: str) -> dict[str, str]:
    """Return the headers of a limit of requests."""
    said = {"limit": limit, "remaining": remaining, "reset": reset}
    return {f"x-ratelimit-{name}-requests": str(value) for name, value in said.items()}


class FixedWindows:
    """So many requests in each minute by the clock, and what is said of it in headers."""

    def __init__(self, limit: int, says: bool, retry_after: bool = False) -> None:
        self.limit, self.says, self.retry_after = limit, says, retry_after
        self.counts: dict[int, int] = {}

    def __call__(self, now: float) -> tuple[bool, Headers]:
        minute = int(now // 60)
        left = self.limit - self.counts.get(minute, 0)
        allowed = left > 0
        self.counts[minute] = self.counts.get(minute, 0) + allowed
        reset = 60 * (minute + 1) - now
        headers = limits_said(self.limit, max(left - 1, 0), f"{reset:.3f}s") if self.says else {}
        if self.retry_after and not allowed:
            headers["retry-after-ms"] = str(round(reset * 1e3))
        return allowed, headers


class Steady:
    """A bucket of so many requests that fills within a minute, and its headers."""

    def __init__(self, limit: int) -> None:
        self.limit, self.level, self.at = limit, float(limit), 0.0

    def __call__(self, now: float) -> tuple[bool, Headers]:
        self.level = min(self.limit, self.level + (now - self.at) * self.limit / 60)
        self.at = now
        allowed = self.level >= 1
        self.level -= allowed
        reset = (self.limit - self.level) * 60 / self.limit
        return allowed, limits_said(self.limit, math.floor(self.level), f"{reset:.3f}s")


def run(
    endpoint: Endpoint,
    calls: int,
    requests: int | None = None,
    tokens: int | None = None,
    places: int = 64,
    counted: bool = True,
) -> tuple[RateLimits, float]:
    """Ask until so many calls were answered; return the limits, and the time of the last answer."""

    async def work() -> tuple[RateLimits, float]:
        limits = RateLimits(requests, tokens, places, 100)
        left = iter(range(calls))

        async def worker() -> None:
            for _ in left:
                while True:
                    expected = limits.expected(300)
                    sent = await limits.acquire(expected)
                    allowed, headers = await endpoint.ask()
                    limits.release(expected)
                    if allowed:
                        limits.answered(headers)
                        if counted:
                            limits.used(300, expected, endpoint.tokens // 2, endpoint.tokens - endpoint.tokens // 2)
                        break
                    limits.refused(sent, headers, None, "")

        await asyncio.gather(*(worker() for _ in range(places)))
        return limits, virtual_time.now()

    return virtual_time.run(work())


@pytest.mark.parametrize("limit", first_of(1, 2, 7, 60, 600, 1000, 10_000, first=5))
def test_no_minute_has_more_requests_than_the_limit_and_a_long_run_has_as_many(limit: int):
    endpoint = Endpoint(unlimited)
    calls = min(3 * limit + 2, 12_000)
    _, seconds = run(endpoint, calls, requests=limit, places=512)
    assert endpoint.most_within(60) <= limit
    assert seconds <= 60 * calls / limit * 1.02 + 62


def test_no_minute_has_more_tokens_than_the_limit_once_it_is_known_what_requests_take():
    endpoint = Endpoint(unlimited, tokens=150)
    _, seconds = run(endpoint, 1_000, tokens=30_000)
    assert endpoint.most_within(60) * 150 <= 30_000
    assert seconds < 1_000 * 150 / 30_000 * 60 * 1.2


def test_a_request_with_more_tokens_than_the_limit_still_goes():
    endpoint = Endpoint(unlimited, tokens=150)
    run(endpoint, 3, tokens=10)
    assert len(endpoint.sent) == 3


def test_without_limits_nothing_waits():
    endpoint = Endpoint(unlimited)
    limits, seconds = run(endpoint, 640)
    assert (seconds, endpoint.most, limits.refusals) == (pytest.approx(10.0), 64, 0)


def test_what_headers_say_is_left_is_not_exceeded():
    endpoint = Endpoint(Steady(60))
    limits, seconds = run(endpoint, 300)
    assert len(endpoint.refused) <= 64  # those under way before the first answer
    assert limits.refusals == len(endpoint.refused)
    assert seconds < 300 + 62


@pytest.mark.parametrize(
    ("windows", "longest", "refusals"),
    [
        (FixedWindows(60, says=True), 5 * 60 + 10, 64 + 10),  # waited for after one refusal
        (FixedWindows(60, says=False, retry_after=True), 5 * 60 + 10, 5 * 64 - 1),  # asked again then
        (FixedWindows(60, says=False), 8 * 60, 299),  # asked by fewer and fewer
    ],
)
def test_windows_that_end_at_once_are_waited_for(windows: FixedWindows, longest: float, refusals: int):
    endpoint = Endpoint(windows)
    limits, seconds = run(endpoint, 300)
    assert seconds < longest
    assert len(endpoint.refused) <= refusals
    assert limits.waited > 100


def test_refusals_of_one_moment_are_one_event():
    def refuses_first(now: float) -> tuple[bool, Headers]:
        return now >= 0.04, {"retry-after-ms": "40"}

    endpoint = Endpoint(refuses_first)
    limits, _seconds = run(endpoint, 64)
    assert limits.refusals == 64
    assert limits.waited == pytest.approx(0.04)
    assert endpoint.most == 64


@pytest.mark.parametrize(
    ("allowed", "headers"), [(False, {"retry-after-ms": "7200000"}), (True, limits_said(200, 0, "24h0m0s"))]
)
def test_a_wait_of_hours_ends_the_run_and_is_not_slept_through(allowed: bool, headers: Headers):
    with pytest.raises(OutOfPatienceError, match=r"no more requests for (2 h 0 min|7 h \d+ min)"):
        run(Endpoint(lambda now: (allowed, headers)), 500)


def test_an_endpoint_that_refuses_for_ever_is_given_up():
    endpoint = Endpoint(lambda now: (False, {}))
    with pytest.raises(OutOfPatienceError):
        run(endpoint, 10)
    assert endpoint.refused[-1] < 660
    assert len(endpoint.refused) < 200


def test_a_limit_per_day_that_is_not_spent_holds_nothing_up():
    left = iter(range(10_000, 0, -1))

    def per_day(now: float) -> tuple[bool, Headers]:
        remaining = next(left)
        return True, limits_said(10_000, remaining - 1, f"{(10_001 - remaining) * 8.64:.2f}s")

    _, seconds = run(Endpoint(per_day), 640)
    assert seconds == pytest.approx(10.0)


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-limit-requests": "no", "x-ratelimit-remaining-requests": "0"},
        {"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"},
        {"x-ratelimit-limit-requests": "-1", "x-ratelimit-remaining-requests": "-1"},
        {"x-ratelimit-limit-requests": "nan", "x-ratelimit-remaining-requests": "nan"},
        {"x-ratelimit-limit-requests": "inf", "x-ratelimit-remaining-requests": "inf"},
        {"x-ratelimit-remaining-requests": "0"},
        {"x-ratelimit-limit-tokens": "9" * 5000, "x-ratelimit-remaining-tokens": "0"},
        limits_said(60, 1000, "٣s"),
    ],
)
def test_headers_that_make_no_sense_hold_nothing_up(headers: Headers):
    _, seconds = run(Endpoint(lambda now: (True, headers)), 128)
    assert seconds <= 10.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("1s", 1.0), ("6m0s", 360.0), ("120ms", 0.12), ("1h2m3.5s", 3723.5), ("12", 12.0), ("1d", 86_400.0)),
        ("7.66s", 7.66),
        *((text, None) for text in ("", None, "soon", "1x", "-1s", "2026-01-01T00:00:00Z", "1" * 100)),
    ],
)
def test_a_duration_is_read_as_endpoints_write_it(text: str | None, seconds: float | None):
    assert duration(text) == (seconds if seconds is None else pytest.approx(seconds))


def test_times_are_spoken_in_two_units():
    assert [spoken(one) for one in (0.2, 59.5, 61, 3600, 10_000)] == ["1 s", "60 s", "2 min", "1 h 0 min", "2 h 47 min"]


def test_a_refusal_that_asks_for_no_wait_is_asked_again_after_waits_that_double():
    async def ask() -> list[float]:
        limits = RateLimits(None, None, 8, 100)
        sent = []
        for _ in range(6):
            sent.append(await limits.acquire(10.0))
            limits.release(10.0)
            limits.refused(sent[-1], {}, 0.0, "")
        return sent

    waits = [after - before for before, after in itertools.pairwise(virtual_time.run(ask()))]
    assert all(0.375 * 2**number <= wait <= 0.625 * 2**number for number, wait in enumerate(waits))
