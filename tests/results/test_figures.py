"""A missing value is a dash, an interval has `to`, a minus sign is one, everywhere."""

import math

import pytest

from benchbench.results import figures


@pytest.mark.parametrize(
    ("number", "digits", "expected"),
    [
        (0.215, 4, "0.2150"),
        (0.215, 3, "0.215"),
        (-0.215, 3, "−0.215"),
        (99.25, 2, "99.25"),
        (1204.46, 4, "1,204.5"),
        (1204.46, 0, "1,204"),
        (None, 4, "–"),
        (math.nan, 4, "–"),
    ],
)
def test_a_value_has_its_decimals_and_a_large_one_at_most_one(number, digits: int, expected: str):
    assert figures.value(number, digits) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0.012, "+0.012"), (-0.012, "−0.012"), (0.0, "0.000"), (-1e-9, "0.000"), (None, "–"), (math.nan, "–")],
)
def test_a_difference_has_a_sign(number, expected: str):
    assert figures.signed(number) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.19, 0.24, "0.190 to 0.240"),
        (-0.1, 0.0, "−0.100 to 0.000"),
        (None, None, "–"),
        (math.nan, math.nan, "–"),
        (None, 0.24, "−∞ to 0.240"),
        (0.19, None, "0.190 to ∞"),
    ],
)
def test_an_interval_stands_between_its_ends(low, high, expected: str):
    assert figures.interval(low, high, 3) == expected


def test_an_interval_behind_its_value_is_in_brackets_and_nothing_where_there_is_none():
    assert figures.behind(0.19, 0.24, 1, figures.percent) == "(19.0 to 24.0)"
    assert figures.behind(None, None) == ""
    assert figures.estimate(0.215, 0.19, 0.24, 2) == "0.21 (0.19 to 0.24)"
    assert figures.estimate(0.012, -0.01, 0.034, 3, figures.signed) == "+0.012 (−0.010 to +0.034)"
    assert figures.estimate(0.215, None, None) == "0.215"
    assert figures.estimate(None, None, None) == "–"


@pytest.mark.parametrize(
    ("number", "expected", "said"),
    [(0.037, "0.037", "p = 0.037"), (0.00004, "< 0.001", "p < 0.001"), (1.0, "1.000", "p = 1.000")],
)
def test_a_p_value_has_three_decimals(number: float, expected: str, said: str):
    assert (figures.p_value(number), figures.p_said(number)) == (expected, said)
    assert figures.p_value(None) == "–"


def test_a_share_is_in_percent():
    assert [figures.percent(one) for one in (0.612, 1.0, 0.9996, -0.1, None)] == [
        "61.2",
        "100.0",
        "100.0",
        "−10.0",
        "–",
    ]
    assert [figures.percent(one, 2) for one in (0.612, 1.0)] == ["61.20", "100.00"]
    assert [figures.share(one) for one in (0.612, 1.0, None, math.nan)] == ["61 %", "100 %", "–", "–"]


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [(0.1234, "0.12 ms"), (1.234, "1.2 ms"), (123.4, "123 ms"), (1234.0, "1.23 s"), (12340.0, "12.3 s"), (None, "–")],
)
def test_a_time_has_its_unit(milliseconds, expected: str):
    assert figures.time(milliseconds) == expected


def test_money_has_as_many_decimals_as_it_needs():
    amounts = (0.0, 1234.5, 0.1234, 0.001234, None)
    assert [figures.money(one) for one in amounts] == ["$0.00", "$1,234.50", "$0.1234", "$0.001234", "–"]


def test_a_count_is_whole_and_a_total_where_it_is_one():
    assert [figures.count(one) for one in (1204, 12.0, None)] == ["1,204", "12", "–"]
    assert [figures.total(one) for one in (12_000.0, 12.5, math.nan, None)] == ["12,000", "12.50", "–", "–"]


def test_a_time_of_day_is_to_the_minute_and_what_is_no_time_stays():
    assert figures.moment("2026-10-03T14:05:59.250Z") == "3 October 2026, 14:05 UTC"
    assert figures.day("2026-10-03T14:05:59.250Z") == "3 October 2026"
    assert figures.moment("yesterday") == figures.day("yesterday") == "yesterday"


def test_a_rounded_number_has_so_many_digits_in_all():
    numbers = (0.21504, 1204.6, -0.5, math.inf, None)
    assert [figures.rounded(one) for one in numbers] == ["0.215", "1,205", "−0.5", "∞", "–"]
