import email.utils
import math
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.client.retry import Retry, retry_after


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_transient_status_is_tried_again_as_often_as_allowed(status: int):
    assert [Retry(2).again(n, status, False) for n in (1, 2, 3)] == [True, True, False]


def test_a_broken_connection_is_tried_again_as_often_as_allowed():
    assert [Retry(2).again(n, None, True) for n in (1, 2, 3)] == [True, True, False]


def test_500_is_tried_once_more():
    assert [Retry(3).again(n, 500, False) for n in (1, 2)] == [True, False]


@pytest.mark.parametrize("status", [301, 400, 401, 404, 413, 422, 501])
def test_any_other_status_is_not_tried_again(status: int):
    assert not Retry(3).again(1, status, False)


@pytest.mark.parametrize(("status", "broken"), [(503, False), (500, False), (None, True)])
def test_without_retries_nothing_is_tried_again(status: int | None, broken: bool):
    assert not Retry(0).again(1, status, broken)


@given(st.integers(1, 60), st.integers())
def test_the_wait_is_a_draw_below_a_bound_that_doubles(attempts: int, seed: int):
    assert 0.0 <= Retry(base=0.25).wait(attempts, None, Random(seed)) <= min(60.0, 0.25 * 2.0**attempts)


@given(st.integers(1, 10), st.floats(0, 1000), st.integers())
def test_the_wait_is_never_less_than_asked_for_up_to_a_minute(attempts: int, asked: float, seed: int):
    assert Retry().wait(attempts, asked, Random(seed)) >= min(asked, 60.0)


def test_waits_are_drawn_anew_so_that_clients_do_not_come_back_together():
    random = Random(0)
    assert len({Retry().wait(3, None, random) for _ in range(20)}) == 20


@pytest.mark.parametrize(("value", "seconds"), [("3", 3.0), ("0", 0.0), (" 1.5 ", 1.5), ("-4", 0.0), (None, None)])
def test_retry_after_is_read_as_seconds(value: str | None, seconds: float | None):
    assert retry_after(value) == seconds


def test_retry_after_is_read_as_an_http_date():
    assert 3000 < retry_after(email.utils.formatdate(time.time() + 3600, usegmt=True)) <= 3600


def test_a_date_that_is_over_means_now():
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0


@given(
    st.text()
    | st.from_regex(r"[A-Z][a-z]{2}, \d{1,6} [A-Z][a-z]{2} \d{1,6} \d\d:\d\d:\d\d [+-]\d{1,12}", fullmatch=True)
)
def test_whatever_the_header_says_it_is_a_wait_or_nothing(value: str):
    seconds = retry_after(value)
    assert seconds is None or (seconds >= 0 and not math.isnan(seconds))
