import asyncio
import math
from collections.abc import Callable, Sequence

import pytest
import virtual_time

from benchbench.client.breaker import Breaker
from benchbench.client.memory_budget import Reservation
from benchbench.client.request_runner import Exchange, RequestRunner
from benchbench.client.retry import Retry
from benchbench.client.transport import Attempt
from benchbench.errors import UnreachableError

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
