"""Which failed attempts are tried again, and after how long."""

import email.utils
import time
from dataclasses import dataclass
from random import Random

TRANSIENT = frozenset({429, 502, 503, 504})
_LONGEST_WAIT = 60.0  # seconds; a service that asks for more is asked again then


@dataclass(frozen=True, slots=True)
class Retry:
    """Exponential backoff with full jitter: before retry n, a uniform wait below `base` · 2ⁿ seconds."""

    retries: int = 3
    base: float = 0.25

    def again(self, attempts: int, status: int | None, broken: bool) -> bool:
        """Say whether to try once more after so many attempts.

        Parameters
        ----------
        attempts
            Attempts made, from 1.
        status
            HTTP status of the last one, None when there was no whole answer.
        broken
            The connection was reset or timed out.
        """
        if attempts > self.retries:
            return False
        if status == 500:
            return attempts == 1
        return broken or status in TRANSIENT

    def wait(self, attempts: int, retry_after: float | None, random: Random) -> float:
        """Return seconds to wait after so many attempts; never less than the service asked for."""
        jitter = random.uniform(0.0, self.base * 2.0**attempts)
        return min(max(jitter, retry_after or 0.0), _LONGEST_WAIT)


def outage(status: int | None, broken: bool) -> bool:
    """Say that a failed attempt speaks of a service that is down or overloaded, not of this one request."""
    return broken or status == 429 or (status is not None and status >= 500)


def retry_after(value: str | None) -> float | None:
    """Return seconds of a `Retry-After` header: a number, or an HTTP date; None when there is none."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
