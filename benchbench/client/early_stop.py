"""When to end what would go on to the end for nothing: a service that answers, and says nothing to measure.

Other key names or an empty index show in the first answers as in all others. A single query may find nothing with good
reason, so that some are waited for where batches are small.
"""

from benchbench.errors import TooManyFailuresError
from benchbench.tables.hits import Hits

ENOUGH = 32  # queries that were answered; the first batch where it has as many

EMPTY = "every list of hits is empty: is anything indexed there?"


class EarlyStop:
    """What came of the first answers of one service."""

    def __init__(self, shown: str) -> None:
        """Begin; `shown` is what an error calls the service."""
        self._shown = shown
        self._queries = 0
        self._useful = False
        self._reason = EMPTY

    def note(self, queries: int, hits: Hits, failure: str | None) -> None:
        """Take what an answer with a status of success gave its queries; `failure` says why it gave nothing."""
        self._useful = self._useful or any(hits.counts)
        self._queries += queries
        self._reason = failure or EMPTY

    def settled(self) -> bool:
        """Say that it is known whether there is anything to measure."""
        return self._useful or self._queries >= ENOUGH

    def check(self, last: bool = False) -> None:
        """Raise TooManyFailuresError when enough queries, or with `last` all there are, got no hit to use."""
        if not self._useful and (last or self.settled()):
            raise TooManyFailuresError(
                f"{self._shown} answers, and none of its first {self._queries:,} queries got a hit that can be used: "
                f"{self._reason}"
            )
