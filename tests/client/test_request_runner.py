"""Requests one after the other: who is asked again, when, and when a service is given up."""

import asyncio
import email.utils
import itertools
import math
import time
from collections.abc import Callable, Sequence
from random import Random

import polars as pl
import pytest
import virtual_time
from cases import check_rows, tables
from hit_lists import hits_of
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.client.attempts import attempt_frame
from benchbench.client.breaker import Breaker
from benchbench.client.early_stop import EMPTY, ENOUGH, EarlyStop
from benchbench.client.memory_budget import Reservation
from benchbench.client.request_runner import Exchange, RequestRunner
from benchbench.client.retry import Retry, outage
from benchbench.client.retry_after import LONGEST, seconds
from benchbench.client.search import BatchResult
from benchbench.client.transport import Attempt
from benchbench.client.turns import AT_ONCE, Turns
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

    async def post(self, payload: bytes, reservation: Reservation | None = None) -> tuple[Attempt, bytes]:
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
    assert answers[1].failure == "HTTP 429; it asks to wait longer than --retry-for, so it is not asked again"
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
