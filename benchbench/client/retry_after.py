"""How long a service asks clients to wait, the header `Retry-After`, and how long they wait where it does not say."""

import email.utils
import re
import time
from datetime import UTC

LONGEST = 366 * 86_400.0  # seconds; more means as much, and a number that no arithmetic can break
FIRST_WAIT = 0.5  # seconds after a refusal: 2 requests a second are no flood
_DOUBLINGS = 30  # more change no wait, and would end in an overflow
_SECONDS = re.compile(r"\s*([+-]?\d+(?:\.\d*)?)\s*", re.ASCII)
_DATE = 64  # characters; an HTTP date has 29


def seconds(value: str | None) -> float | None:
    """Return seconds from 0 to `LONGEST`, None where the header is missing or says neither seconds nor a date."""
    if value is None:
        return None
    if number := _SECONDS.fullmatch(value):
        return min(max(0.0, float(number[1])), LONGEST)
    if len(value) > _DATE or not value.isascii():
        return None
    try:
        date = email.utils.parsedate_to_datetime(value)
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):  # all of which the parser raises for what is no date
        return None
    return min(max(0.0, moment - time.time()), LONGEST)


def doubled(first: float, times: int, longest: float) -> float:
    """Return a wait that begins with `first` and doubles every time, up to the longest; `times` counts from 0."""
    return min(first * 2.0 ** min(times, _DOUBLINGS), longest)
