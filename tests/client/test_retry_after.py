import email.utils
import time

import pytest
from cases import tables
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.client.retry_after import LONGEST, seconds

TABLES = tables(__file__)


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
