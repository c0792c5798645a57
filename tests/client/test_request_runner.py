"""Requests one after the other: who is asked again, when, and when a service is given up."""

import asyncio
import email.utils
import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import polars as pl
import pytest
import virtual_time
from cases import check_rows, first_of, tables
from hit_lists import hits_of
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.chat.rate_limits import OutOfPatienceError, RateLimits, duration, spoken
from benchbench.chat.turns import AT_ONCE, Turns
from benchbench.client.attempts import attempt_frame
from benchbench.client.breaker import Breaker
from benchbench.client.early_stop import EMPTY, ENOUGH, EarlyStop
from benchbench.client.memory_budget import MemoryReservation
from benchbench.client.request_runner import Exchange, RequestRunner
from benchbench.client.retry import Retry, outage
from benchbench.client.retry_after import LONGEST, seconds
from benchbench.client.search import BatchResult
from benchbench.client.transport import Attempt
from benchbench.errors import InputError, TooManyFailuresError, UnreachableError
from benchbench.tables.hits import Hits

FIRST = b"first"


class Service:
    """Answers as it is told from the time and the payload: None is an answer, else a status, or 0: refused."""

    shown = "http://h:1/batch_search"

    def __init__(
        self,
        fault: Callable[[float, bytes], int | None],
        seconds: Callable[[bytes], float] = lambda payload: 0.01,
        retry_after: float | None = None,
    ) -> None:
        self.sent: list[float] = []
        self._fault, self._seconds, self._retry_after = fault, seconds, retry_after

    async def post(self, payload: bytes, reservation: MemoryReservation | None = None) -> tuple[Attempt, bytes]:
        sent = virtual_time.now()
        self.sent.append(sent)
        await asyncio.sleep(self._seconds(payload))
        fault = self._fault(sent, payload)
        if fault is None:
            return Attempt(sent, sent, virtual_time.now(), 2, 200, None), b"ok"
        error, down = (f"HTTP {fault}", False) if fault else ("cannot connect: nothing listens there", True)
        return Attempt(sent, math.nan, virtual_time.now(), 0, fault or None, error, down, down, self._retry_after), b""


def exchanges(
    service: Service, payloads: Sequence[bytes], retry: Retry | None = None, places: int = 1, limit: int = 16
) -> tuple[list[Exchange], float]:
    """Return what became of requests, each of which is usable when whole, and how long it took."""

    async def main() -> tuple[list[Exchange], float]:
        runner = RequestRunner(service, retry or Retry(), places, Breaker(limit), "is it one?")

        async def one(payload: bytes) -> Exchange:
            got = await runner.run(lambda: payload)
            if got.failure is None:
                runner.note_answer(got, None)
            return got

        return await asyncio.gather(*map(one, payloads)), virtual_time.now()

    return virtual_time.run(main())


@pytest.mark.parametrize("fault", [0, 503])
@pytest.mark.parametrize("seconds", [5.0, 30.0, 55.0])
def test_an_outage_shorter_than_retry_for_loses_nothing(fault: int, seconds: float):
    down = Service(lambda t, payload: fault if 1.0 < t < 1.0 + seconds else None)
    answers, took = exchanges(down, [FIRST] * 400, places=4)
    assert [one.failure for one in answers] == [None] * 400
    assert took < 1.0 + seconds + 5.0 + 1.0


def test_an_outage_that_lasts_is_given_up_after_three_times_its_patience():
    down = Service(lambda t, payload: 503 if t > 1.0 else None)
    answers, took = exchanges(down, [FIRST] * 1000, places=8)
    assert {one.failure for one in answers if one.failure and one.attempts} == {"HTTP 503"}
    assert answers[-1].attempts == ()
    assert answers[-1].failure.startswith("not asked: ")
    assert took <= 1.0 + 3 * 60.0 + 1.0


@pytest.mark.parametrize("fault", [502, 503, 429])
def test_a_service_that_fails_from_the_start_ends_it_after_three_attempts_within_seconds(fault: int):
    service = Service(lambda t, payload: fault)

    async def main() -> float:
        runner = RequestRunner(service, Retry(), 4, Breaker(), "is it one?")
        results = await asyncio.gather(*(runner.run(lambda: FIRST) for _ in range(50)), return_exceptions=True)
        assert {type(one) for one in results} == {UnreachableError}
        assert len({str(one) for one in results}) == 1
        assert str(results[0]) == f"{service.shown} gave no usable answer in 3 attempts (HTTP {fault}); is it one?"
        return virtual_time.now()

    assert virtual_time.run(main()) < 3.0
    assert len(service.sent) == 4 * 3


def test_a_refused_connection_at_the_start_ends_it_at_once():
    service = Service(lambda t, payload: 0)
    with pytest.raises(
        UnreachableError, match=r"refuses connections \(.*\): is the service running, and is this its host"
    ):
        exchanges(service, [FIRST] * 9, places=4)
    assert len(service.sent) == 4
    assert max(service.sent) == 0.0


def test_what_has_spent_its_attempts_waits_for_others_that_may_still_be_answered():
    """A cold service turns most away and takes its time for one: that is no service that is not there."""
    cold = Service(
        lambda t, payload: 503 if payload != FIRST and t < 20.0 else None, lambda p: 25.0 if p == FIRST else 0.01
    )
    answers, _ = exchanges(cold, [FIRST, *[b"other"] * 11], places=6)
    assert [one.failure for one in answers] == [None] * 12


def test_who_waited_for_the_others_ends_with_them():
    dead = Service(lambda t, payload: 503, lambda payload: 25.0 if payload == FIRST else 0.01)
    with pytest.raises(UnreachableError):
        exchanges(dead, [FIRST, *[b"other"] * 11], places=6)
    assert len(dead.sent) == 6 * 3


def test_retries_that_are_counted_end_with_their_number():
    down = Service(lambda t, payload: 503 if payload != FIRST else None)
    answers, _ = exchanges(down, [FIRST, b"other"], Retry(retries=4))
    assert (len(answers[1].attempts), answers[1].failure) == (5, "HTTP 503")


def test_a_wait_that_is_too_long_fails_at_once_and_says_why():
    down = Service(lambda t, payload: 429 if payload != FIRST else None, retry_after=3600.0)
    answers, took = exchanges(down, [FIRST, b"other"])
    assert answers[1].failure == "HTTP 429; it asks for a longer wait than --retry-for, so it is not asked again"
    assert took < 1.0


def test_without_patience_each_request_is_sent_once():
    down = Service(lambda t, payload: 503 if payload != FIRST else None)
    answers, _ = exchanges(down, [FIRST, *[b"other"] * 9], Retry(retry_for=0.0))
    assert [len(one.attempts) for one in answers] == [1] * 10


def test_a_service_that_refuses_each_request_for_itself_before_any_usable_answer_is_given_up():
    service = Service(lambda t, payload: 404)
    answers, took = exchanges(service, [FIRST] * 1000, places=8)
    assert len(service.sent) < 16 + 8 + 2
    assert answers[-1].failure == (
        "not asked: 16 batches in a row had failed, and so did 1 more attempt, the last with: HTTP 404"
    )
    assert took < 1.0


def test_after_a_usable_answer_it_is_asked_to_the_end():
    service = Service(lambda t, payload: 404 if payload != FIRST else None)
    answers, _ = exchanges(service, [FIRST, *[b"other"] * 99], places=8)
    assert [one.failure for one in answers[1:]] == ["HTTP 404"] * 99


def test_an_answer_that_is_read_late_forgives_no_failure_that_came_meanwhile():
    async def main() -> bool:
        breaker = Breaker(2)
        answers = Service(lambda sent, payload: None if payload == FIRST else 503)
        runner = RequestRunner(answers, Retry(retries=0), 1, breaker, "is it one?")
        runner.note_answer(await runner.run(lambda: FIRST), None)
        late = await runner.run(lambda: FIRST)
        for _ in range(2):
            assert (await runner.run(lambda: b"other")).failure == "HTTP 503"
        runner.note_answer(late, None)
        return breaker.open

    assert virtual_time.run(main())


# Breaker


def test_it_opens_after_so_many_failures_in_a_row_and_an_answer_closes_it():
    breaker = Breaker(3)
    for _ in range(2):
        breaker.failed("HTTP 503")
    breaker.answered()
    states = []
    for _ in range(3):
        breaker.failed("HTTP 503")
        states.append(breaker.open)
    assert states == [False, False, True]
    breaker.answered()
    assert (breaker.open, breaker.reason) == (False, None)


def test_with_0_it_never_opens():
    breaker = Breaker(0)
    for _ in range(100):
        breaker.failed("HTTP 503")
    assert not breaker.open


def turns(closes: bool) -> tuple[list[bool], int]:
    """Return who of five waiting batches went alone, and how many were under way at once when the first did."""

    async def main() -> tuple[list[bool], int]:
        breaker = Breaker(1)
        breaker.failed("HTTP 503")
        alone: list[bool] = []
        inside = most = 0

        async def batch() -> None:
            nonlocal inside, most
            async with breaker.turn() as is_alone:
                alone.append(is_alone)
                inside += 1
                if is_alone:
                    for _ in range(10):
                        await asyncio.sleep(0)
                        most = max(most, inside)
                    if closes:
                        breaker.answered()
                    else:
                        breaker.failed("HTTP 503", attempts=3)
                inside -= 1

        await asyncio.gather(*(batch() for _ in range(5)))
        assert (breaker.reason is None) == closes
        return alone, most

    return asyncio.run(main())


def test_open_lets_one_go_and_the_others_wait_for_what_it_finds():
    assert turns(closes=True) == ([True, False, False, False, False], 1)
    assert turns(closes=False) == ([True, False, False, False, False], 1)


# Early stop


def checked(*answers: tuple[int, Hits, str | None], last: bool = False) -> None:
    early_stop = EarlyStop("http://there/search")
    for answer in answers:
        early_stop.note(*answer)
    early_stop.check(last)


def without(queries: int, failure: str | None = None) -> tuple[int, Hits, str | None]:
    return queries, Hits.none(queries), failure


USEFUL = (1, hits_of([1]), None)


def test_a_first_batch_without_a_hit_is_enough_and_the_reason_is_said():
    with pytest.raises(TooManyFailuresError) as caught:
        checked(without(ENOUGH, "protocol error: such keys"))
    assert str(caught.value) == (
        f"http://there/search answers, and none of its first {ENOUGH} queries got a hit that can be used: "
        "protocol error: such keys"
    )
    with pytest.raises(TooManyFailuresError, match=f"first 4,096 queries .*: {EMPTY[:-1]}"):
        checked(without(4096))


def test_hits_without_ids_are_of_no_use_where_ids_say_what_is_relevant():
    hits = hits_of([1])
    early_stop = EarlyStop("http://there/search", needs_ids=True)
    early_stop.note(ENOUGH, replace(hits, ids=[None]), None)
    with pytest.raises(TooManyFailuresError, match=r"no hit has an id, .*--protocol FILE says where ids are"):
        early_stop.check()
    early_stop.note(1, replace(hits, ids=["d1"]), None)
    early_stop.check()


def test_small_batches_are_waited_for_because_one_query_may_find_nothing():
    checked(*[without(1)] * (ENOUGH - 1))
    with pytest.raises(TooManyFailuresError):
        checked(*[without(1)] * ENOUGH)


def test_one_hit_settles_it_whenever_it_came():
    for place in (0, 5):
        answers = [without(10)] * 20
        answers.insert(place, USEFUL)
        checked(*answers, last=True)


def test_what_there_is_has_to_do_when_there_is_no_more():
    with pytest.raises(TooManyFailuresError, match="first 2 queries"):
        checked(without(2), last=True)
    checked(USEFUL, last=True)


# Retry

BROKEN = Attempt(0.0, math.nan, 1.0, 0, None, "connection broken", broken=True)


def status(code: int, retry_after: float | None = None) -> Attempt:
    return Attempt(0.0, 0.5, 1.0, 0, code, f"HTTP {code}", retry_after=retry_after)


def waits(retry: Retry, attempt: Attempt, attempts: int = 1, elapsed: float = 0.0, usable: bool = True) -> float | None:
    return retry.wait(attempt, attempts, elapsed, usable, Random(0))


TRANSIENT = [status(429), status(502), status(503), status(504), BROKEN]


@pytest.mark.parametrize("attempt", TRANSIENT, ids=lambda attempt: attempt.error)
def test_before_the_first_usable_answer_three_attempts_are_made_however_long_they_take(attempt: Attempt):
    for elapsed in (0.0, 1000.0):
        tried = [waits(Retry(), attempt, n, elapsed, usable=False) is not None for n in (1, 2, 3, 4)]
        assert tried == [True, True, False, False]


@pytest.mark.parametrize("attempt", TRANSIENT, ids=lambda attempt: attempt.error)
def test_after_it_time_is_the_cap_and_not_the_number_of_attempts(attempt: Attempt):
    assert waits(Retry(retry_for=60.0), attempt, 1000, 59.9) is not None
    assert waits(Retry(retry_for=60.0), attempt, 1, 60.0) is None


@pytest.mark.parametrize("attempt", TRANSIENT, ids=lambda attempt: attempt.error)
def test_with_a_number_of_retries_that_is_the_cap_and_not_the_time(attempt: Attempt):
    assert [waits(Retry(retries=2), attempt, n, 1e6) is not None for n in (1, 2, 3)] == [True, True, False]


@pytest.mark.parametrize("retries", [0, 1, 7])
def test_more_retries_are_no_more_attempts_before_the_first_usable_answer(retries: int):
    tried = [waits(Retry(retries=retries), BROKEN, n, usable=False) is not None for n in range(1, 9)]
    assert sum(tried) == min(retries, 2)


def test_nothing_is_tried_again_where_nobody_wants_it():
    def check(retry: Retry, attempt: Attempt, usable: bool) -> None:
        assert waits(retry, attempt, usable=usable) is None

    check_rows(
        check,
        itertools.product(
            [Retry(retry_for=0.0), Retry(retries=0)],
            [BROKEN, status(503), status(500), status(503, 0.0)],
            [True, False],
        ),
    )


@pytest.mark.parametrize("usable", [True, False])
def test_500_is_tried_once_more(usable: bool):
    assert [waits(Retry(), status(500), n, usable=usable) is not None for n in (1, 2)] == [True, False]


@pytest.mark.parametrize("code", [301, 400, 401, 404, 413, 422, 501])
def test_any_other_status_is_not_tried_again(code: int):
    assert waits(Retry(), status(code)) is None


@given(st.integers(1, 10**6), st.floats(0, 59.9), st.integers())
def test_the_wait_is_a_draw_below_a_bound_that_doubles_up_to_five_seconds(attempts: int, elapsed: float, seed: int):
    wait = Retry(base=0.25).wait(BROKEN, attempts, elapsed, True, Random(seed))
    assert 0.0 <= wait <= min(5.0, 0.25 * 2.0 ** min(attempts, 10), 60.0 - elapsed)


@pytest.mark.parametrize("code", [429, 503])
def test_a_busy_service_that_says_now_is_asked_after_half_a_second_and_then_half_as_often(code: int):
    retry = Retry()
    asked = [retry.wait(status(code, 0.0), n, 0.0, True, Random(seed)) for n in range(1, 7) for seed in range(3)]
    assert asked == [wait for wait in (0.5, 1.0, 2.0, 4.0, 5.0, 5.0) for _ in range(3)]
    assert retry.wait(status(code, 0.0), 9, 59.9, True, Random(0)) == pytest.approx(0.1)  # what is left


def test_the_last_attempt_is_made_when_the_time_is_up_and_not_before():
    ends = {Retry(retry_for=60.0, base=100.0).wait(BROKEN, 9, 59.99, True, Random(seed)) for seed in range(50)}
    assert max(ends) == pytest.approx(0.01)


@given(st.integers(1, 10), st.floats(0, 60), st.integers())
def test_the_wait_is_never_less_than_asked_for(attempts: int, asked: float, seed: int):
    assert Retry().wait(status(429, asked), attempts, 0.0, True, Random(seed)) >= asked


@pytest.mark.parametrize("usable", [True, False])
def test_a_wait_longer_than_what_is_left_is_no_wait_at_all(usable: bool):
    assert waits(Retry(retry_for=60.0), status(429, 50.0), 1, 9.0, usable) is not None
    assert waits(Retry(retry_for=60.0), status(429, 50.0), 1, 11.0, usable) is None
    assert waits(Retry(retry_for=60.0, retries=9), status(429, 61.0), 1, 0.0, usable) is None


def test_waits_are_drawn_anew_so_that_clients_do_not_come_back_together():
    random = Random(0)
    assert len({Retry().wait(BROKEN, 3, 0.0, True, random) for _ in range(20)}) == 20


@pytest.mark.parametrize("seconds", [-1.0, math.inf, math.nan])
def test_a_time_that_is_none_is_refused(seconds: float):
    with pytest.raises(InputError, match=r"^--retry-for is a time from 0, such as 60s"):
        Retry(retry_for=seconds)


def test_a_negative_number_of_retries_is_refused():
    with pytest.raises(InputError, match=r"^--retries is a whole number from 0$"):
        Retry(retries=-1)


@pytest.mark.parametrize(
    ("attempt", "down"), [(BROKEN, True), (status(500), True), (status(429), True), (status(404), False)]
)
def test_an_outage_is_of_the_service_and_not_of_one_request(attempt: Attempt, down: bool):
    assert outage(attempt) == down


# Retry after

TABLES = tables(__file__, "retry_after")


def in_an_hour() -> str:
    return email.utils.formatdate(
        time.time() + 3600, usegmt=True
    )  # when it is asked for: files are imported long before


@pytest.mark.parametrize(
    ("value", "wanted"), [("3", 3.0), ("0", 0.0), (" 1.5 ", 1.5), ("-4", 0.0), ("-1e400", None), (None, None)]
)
def test_a_number_is_seconds(value: str | None, wanted: float | None):
    assert seconds(value) == wanted


def test_an_http_date_is_the_time_until_then():
    assert 3000 < seconds(in_an_hour()) <= 3600


def test_a_date_without_a_zone_is_of_greenwich():
    assert 3000 < seconds(in_an_hour().replace("GMT", "-0000")) <= 3600


def test_a_date_that_is_over_means_now():
    assert seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert seconds("Mon, 01 Jan 0001 00:00:00 -0000") == 0.0


@pytest.mark.parametrize("value", ["9" * 5000, "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_what_is_far_away_is_bounded(value: str):
    assert seconds(value) == LONGEST


@pytest.mark.parametrize("value", TABLES["neither"])
def test_what_is_neither_is_nothing(value: str):
    assert seconds(value) is None


@given(
    st.text()
    | st.from_regex(r"[+-]?[0-9]{0,400}(\.[0-9]*)?(e[+-]?[0-9]{1,4})?", fullmatch=True)
    | st.from_regex(
        r"([A-Z][a-z]{2}, )?\d{1,25} ([A-Z][a-z]{2}|Jan|Feb) -?\d{1,25} \d{1,3}:\d\d(:\d\d)? ([+-]\d{1,25}|[A-Z]{1,3})",
        fullmatch=True,
    )
)
@example("Mon, 01 Jan 2024 00:00:00 +99999999999999999999")
@example("Mon, 99999999999999999999 Jan 2024 00:00:00 GMT")
@example("Fri, 31 Dec 9999 23:59:59 -2359")
def test_whatever_the_header_says_it_is_a_bounded_wait_or_nothing(value: str):
    wait = seconds(value)
    assert wait is None or 0.0 <= wait <= LONGEST


# Turns of the event loop: who waits goes on in order, a few at a time


def test_some_go_on_in_each_turn_of_the_loop_in_the_order_in_which_they_came():
    async def work() -> list[tuple[int, int]]:
        turns, went, now = Turns(), list[tuple[int, int]](), 0

        async def one(number: int) -> None:
            await turns.wait()
            went.append((now, number))

        tasks = [asyncio.ensure_future(one(number)) for number in range(5 * AT_ONCE + 1)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            now += 1
        return went

    went = asyncio.run(work())
    assert [number for _, number in went] == list(range(5 * AT_ONCE + 1))
    in_each = [sum(turn == at for turn, _ in went) for at, _ in went]
    assert max(in_each) <= AT_ONCE


def test_who_comes_alone_does_not_wait():
    async def work() -> int:
        turns, looks = Turns(), 0

        async def look() -> None:
            nonlocal looks
            while True:
                looks += 1
                await asyncio.sleep(0)

        watching = asyncio.ensure_future(look())
        for _ in range(3):
            await turns.wait()
        watching.cancel()
        return looks

    assert asyncio.run(work()) == 0


def test_who_gives_up_takes_no_turn_away():
    async def work() -> int:
        turns = Turns()
        tasks = [asyncio.ensure_future(turns.wait()) for _ in range(10 * AT_ONCE)]
        await asyncio.sleep(0)
        for task in tasks[AT_ONCE : 9 * AT_ONCE]:
            task.cancel()
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.wait_for(turns.wait(), 10)
        return sum(not task.cancelled() for task in tasks)

    assert asyncio.run(work()) == 2 * AT_ONCE


# Attempts

WHOLE = Attempt(10.5, 10.75, 11.0, 120, 200, None)


REFUSED = Attempt(10.0, math.nan, 10.25, 0, None, "cannot connect", refused=True, broken=True)


def batch(*attempts: Attempt, first: int = 0, failure: str | None = None) -> BatchResult:
    return BatchResult(first, 2, 9.5, Hits.none(2), attempts, failure)


def test_every_attempt_is_a_row_numbered_from_one():
    frame = attempt_frame([batch(REFUSED, REFUSED, WHOLE), batch(WHOLE, first=2)])
    assert frame["first_query"].to_list() == [0, 0, 0, 2]
    assert frame["attempt"].to_list() == [1, 2, 3, 1]
    assert frame["status"].to_list() == [None, None, 200, 200]
    assert frame["error"].to_list() == ["cannot connect", "cannot connect", None, None]


def test_times_are_those_of_the_attempt():
    row = attempt_frame([batch(WHOLE)]).row(0, named=True)
    assert (row["due"], row["sent"], row["first_byte"], row["end"], row["bytes"]) == (9.5, 10.5, 10.75, 11.0, 120)


def test_the_first_byte_is_null_when_none_came():
    assert attempt_frame([batch(REFUSED)])["first_byte"].to_list() == [None]


def test_an_unusable_answer_is_an_error_of_the_last_attempt():
    frame = attempt_frame([batch(REFUSED, WHOLE, failure="protocol error: not JSON")])
    assert frame["error"].to_list() == ["cannot connect", "protocol error: not JSON"]


def test_no_batch_gives_an_empty_frame_of_the_same_columns():
    assert attempt_frame([]).schema == attempt_frame([batch(WHOLE)]).schema
    assert attempt_frame([])["error"].dtype == pl.String


# Rate limits, in virtual time against endpoints that count

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
