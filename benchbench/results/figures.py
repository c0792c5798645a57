"""How people read figures: values, intervals, differences, p-values, shares, times, money and counts.

A missing value is `–`, an interval `0.190 to 0.240`, a minus sign `−`, and thousands are separated, wherever a person
reads it. Machine formats keep the numbers themselves. The module stands below the packages whose headlines and
sentences have figures, and `report/` has no second one. A counted noun is `counted` of `tables.shared_messages`.
"""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Protocol

Shown = Callable[[float | None, int], str]  # a number with so many decimals

NOTHING = "–"
DIGITS = 3  # decimals of every measure between 0 and 1: of a thousand queries, a fourth one says nothing
_LARGE = 100.0  # from which on a value has one decimal: more are noise beside its digits


class Ended(Protocol):
    """What has an interval, or None for its ends."""

    @property
    def low(self) -> float | None:
        """Return the low end."""

    @property
    def high(self) -> float | None:
        """Return the high end."""


def value(number: float | None, digits: int = DIGITS) -> str:
    """Return a number with so many decimals, at most one from 100 on: `0.215`, `1,204.5`, `–`; no `−0.000`."""
    if number is None or number != number:
        return NOTHING
    return _written(f"{number:,.{min(digits, 1) if abs(number) >= _LARGE else digits}f}")


def rounded(number: float | None, digits: int = 4) -> str:
    """Return a number with so many digits in all, and no exponent: `0.215`, `1,205`, `0.0000251`."""
    if number is None or number != number:
        return NOTHING
    text = f"{number:,.{digits}g}"
    return _written(f"{Decimal(text):,f}" if "e" in text else text)


def _written(text: str) -> str:
    """Return a number with a minus sign, which 0 has not."""
    return text.replace("-", "−" if text.strip("-0.") else "").replace("inf", "∞")


def signed(number: float | None, digits: int = DIGITS) -> str:
    """Return a difference as `value` returns numbers, with a sign unless it is 0 in these digits: `+0.012`, `0.000`."""
    text = value(number, digits)
    return f"+{text}" if number is not None and number > 0 and text.strip("0.") else text


def interval(low: float | None, high: float | None, digits: int = DIGITS, shown: Shown = value) -> str:
    """Return an interval, as `0.190 to 0.240`; one without ends is `–`, a single end that is not there infinite."""
    if low is None and high is None:
        return NOTHING
    begin, end = shown(-math.inf if low is None else low, digits), shown(math.inf if high is None else high, digits)
    return NOTHING if begin == end == NOTHING else f"{begin} to {end}"


def ends(ended: Ended, digits: int = DIGITS, shown: Shown = value) -> str:
    """Return the interval of what has one, as `interval` does."""
    return interval(ended.low, ended.high, digits, shown)


def behind(low: float | None, high: float | None, digits: int = DIGITS, shown: Shown = value) -> str:
    """Return an interval as it stands behind its value, as `(0.190 to 0.240)`; empty where there is none."""
    text = interval(low, high, digits, shown)
    return "" if text == NOTHING else f"({text})"


def estimate(
    number: float | None, low: float | None, high: float | None, digits: int = DIGITS, shown: Shown = value
) -> str:
    """Return a value and its interval where there is one, as `0.215 (0.190 to 0.240)`."""
    return f"{shown(number, digits)} {behind(low, high, digits, shown)}".rstrip()


def span_of(numbers: Sequence[float], digits: int = 3, shown: Shown = rounded) -> str:
    """Return the least and the largest of numbers; one where they are alike: `12 to 40`."""
    ends = [min(numbers), max(numbers)] if numbers else [None]
    return " to ".join(dict.fromkeys(shown(end, digits) for end in ends))


def p_value(number: float | None) -> str:
    """Return a p-value: `0.012`, `< 0.001`."""
    return "< 0.001" if number is not None and number < 0.0005 else value(number)


def p_said(number: float | None) -> str:
    """Return a p-value as a sentence has it: `p = 0.012`, `p < 0.001`."""
    return p_of(p_value(number))


def p_of(shown: str) -> str:
    """Return a shown p-value as a sentence has it."""
    return f"p {shown}" if shown[0] in "<≤" else f"p = {shown}"


def times_as(ratio: float | None) -> str:
    """Return a ratio as it stands before an adjective: `1.42 times as`, `twice as`, `half as`."""
    shown = value(ratio, 2)
    return {"2.00": "twice as", "0.50": "half as"}.get(shown, f"{shown} times as")


def percent(number: float | None, digits: int = 1) -> str:
    """Return a share in percent without its sign: `61.2`, where a head or a unit says what it is."""
    if number is None or number != number:
        return NOTHING
    return _written(f"{100 * number:.{digits}f}")


def share(number: float | None, digits: int = 0) -> str:
    """Return a share in percent: `61 %`."""
    text = percent(number, digits)
    return text if text == NOTHING else f"{text} %"


def time(milliseconds: float | None) -> str:
    """Return a time with its unit, three digits of it: `12.3 ms`, `1.23 s`."""
    return NOTHING if milliseconds is None else " ".join(time_parts(milliseconds))


def time_parts(milliseconds: float) -> tuple[str, str]:
    """Return a time in milliseconds as a number and a unit."""
    if milliseconds >= 10_000:
        return f"{milliseconds / 1e3:,.1f}", "s"
    if milliseconds >= 999.5:
        return f"{milliseconds / 1e3:.2f}", "s"
    digits = 0 if milliseconds >= 99.95 else 1 if milliseconds >= 0.95 else 2
    return f"{milliseconds:.{digits}f}", "ms"


def quantity(number: float | None, unit: str = "") -> str:
    """Return a number with its unit: milliseconds as `time` does, any other as `value` does: `20.4 ms`, `0.215`."""
    if number is None or number != number:
        return NOTHING
    return time(number) if unit == "ms" else f"{value(number)} {unit}".rstrip()


def quantity_change(number: float | None, unit: str = "") -> str:
    """Return a difference as `quantity` returns numbers, with a sign unless it is 0 in these digits."""
    if number is None or number != number:
        return NOTHING
    text = quantity(abs(number), unit)
    return f"{'−' if number < 0 else '+'}{text}" if text.removesuffix(unit).strip(" 0.") else text


def moment(began: str) -> str:
    """Return a time of ISO 8601 to the minute, `3 October 2026, 14:05 UTC`; the text as it is where it is none."""
    try:
        at = datetime.fromisoformat(began.replace("Z", "+00:00"))
    except ValueError:
        return began
    return f"{at.day} {at:%B %Y}, {at:%H:%M} UTC"


def day(began: str) -> str:
    """Return the day of a time of ISO 8601: `3 October 2026`."""
    return moment(began).partition(",")[0]


def money(dollars: float | None) -> str:
    """Return US dollars: whole ones with cents, less than a cent with six decimals."""
    if dollars is None:
        return NOTHING
    digits = 2 if dollars >= 1 or dollars == 0 else 4 if dollars >= 0.01 else 6
    return f"${dollars:,.{digits}f}"


def total(number: float | None) -> str:
    """Return a sum: a whole number where it is one, else with two decimals."""
    return value(number, 0 if number is not None and number % 1 == 0 else 2)


def count(number: float | None) -> str:
    """Return a whole number: `1,204`."""
    return value(number, 0)
