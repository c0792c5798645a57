"""Early end of a run: the service answers, but no answer has a hit that can be used.

Other key names or an empty index show in the first answers as in all others. A single query may find nothing with good
reason, so that some are waited for where batches are small.
"""

from benchbench.errors import TooManyFailuresError
from benchbench.tables.hits import Hits

ENOUGH = 32  # queries that were answered; the first batch where it has as many

EMPTY = "every list of hits is empty: is anything indexed there?"
_NO_IDS = "no hit has an id, and what is relevant is told by id; --protocol FILE says where ids are (results.id)"


class EarlyStop:
    """Watches the first answers of one service."""

    def __init__(self, shown: str, needs_ids: bool = False) -> None:
        """Begin; `shown` is what an error calls the service, and `needs_ids` says that hits are known by their ids."""
        self._shown = shown
        self._needs_ids = needs_ids
        self._queries = 0
        self._useful = False
        self._reason = EMPTY

    def note(self, queries: int, hits: Hits, failure: str | None) -> None:
        """Take the hits of an answer with a success status; `failure` says why it could not be used."""
        has_hits = any(hits.counts)
        self._useful = self._useful or (has_hits and (not self._needs_ids or any(hits.ids)))
        self._queries += queries
        self._reason = failure or (_NO_IDS if has_hits else EMPTY)

    def settled(self) -> bool:
        """Say whether enough answers have come to decide."""
        return self._useful or self._queries >= ENOUGH

    def check(self, last: bool = False) -> None:
        """Raise TooManyFailuresError when enough queries, or with `last` all there are, got no hit to use."""
        if not self._useful and (last or self.settled()):
            raise TooManyFailuresError(
                f"{self._shown} answers, and none of its first {self._queries:,} queries got a hit that can be used: "
                f"{self._reason}"
            )
