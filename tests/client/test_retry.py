import itertools
import math
from random import Random

import pytest
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.retry import Retry, outage
from benchbench.client.transport import Attempt
from benchbench.errors import InputError

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
