"""Whether a failed attempt is made again, and after how long.

Before the first usable answer of a service an attempt is made `FIRST` times in all: who starts a run wants to know
soon that nothing is there. After it an outage is waited for, for `retry_for` seconds from the end of the first attempt
that failed, or with `retries` for so many further attempts, however long they take.
"""

import math
from random import Random

from msgspec import Struct

from benchbench.client.retry_after import FIRST_WAIT, doubled
from benchbench.client.transport import Attempt
from benchbench.errors import InputError

FIRST = 3
RETRY_FOR = 60.0  # seconds
TRANSIENT = frozenset({429, 502, 503, 504})
_BUSY = frozenset({429, 503})
_LONGEST_DRAW = 5.0  # seconds; a service that is back is found this soon


class Retry(Struct, frozen=True):
    """Exponential backoff with full jitter: before retry n, a uniform wait below `base` · 2ⁿ seconds, at most 5 s.

    A busy service that says it may be asked again at once is not: all of `base` · 2ⁿ is waited for, 0.5 s at first.
    Those who draw short waits, and they come from all clients at once, would keep it busy.
    """

    retries: int | None = None
    retry_for: float = RETRY_FOR  # 0: nothing is tried again
    base: float = FIRST_WAIT / 2

    def __post_init__(self) -> None:
        """Refuse what is no time and no number."""
        if not (0.0 <= self.retry_for < math.inf):
            raise InputError(f"--retry-for is a time from 0, such as 60s, and not {self.retry_for}")
        if self.retries is not None and self.retries < 0:
            raise InputError("--retries is a whole number from 0")

    def wait(
        self, attempt: Attempt, attempts: int, elapsed: float, usable: bool, random: Random, least: int = 0
    ) -> float | None:
        """Return seconds to wait before the next attempt, None when there is none.

        Parameters
        ----------
        attempt
            The last one, which has failed.
        attempts
            How many there were, from 1.
        elapsed
            Seconds since the first of them had failed.
        usable
            The service has given a usable answer before, to whatever was asked.
        random
            Of the jitter.
        least
            Attempts that are made where `retries` would allow fewer.
        """
        if not transient(attempt) and (attempt.status != 500 or attempts > 1):
            return None
        if not self._allowed(attempts, elapsed, usable, least):
            return None
        left = math.inf if self.retries is not None else self.retry_for - elapsed
        if attempt.retry_after is not None and attempt.retry_after > min(left, self.retry_for):
            return None
        bound = doubled(self.base, attempts, _LONGEST_DRAW)
        is_now = attempt.status in _BUSY and attempt.retry_after == 0.0
        draw = bound if is_now else random.uniform(0.0, bound)
        return max(min(draw, left), attempt.retry_after or 0.0)

    def impatient(self, attempt: Attempt) -> bool:
        """Say whether the service asks for a longer wait than `retry_for`."""
        return transient(attempt) and attempt.retry_after is not None and attempt.retry_after > self.retry_for

    def _allowed(self, attempts: int, elapsed: float, usable: bool, least: int) -> bool:
        if self.retries is None:
            return elapsed < self.retry_for if usable else attempts < FIRST and self.retry_for > 0
        return attempts < max(self.retries + 1, least) and (usable or attempts < FIRST)


def transient(attempt: Attempt) -> bool:
    """Say whether a failed attempt may succeed when it is made again."""
    return attempt.broken or attempt.status in TRANSIENT


def outage(attempt: Attempt) -> bool:
    """Say whether a failed attempt shows a service that is down or overloaded, and not only a bad request."""
    return attempt.refused or transient(attempt) or (attempt.status is not None and attempt.status >= 500)
