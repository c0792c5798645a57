"""How a described service is asked for more hits than one answer of it has: page after page, until there are enough.

What says which page is asked for has a place in the request: `{page}`, its number; `{offset}`, the hits before it; or
`{cursor}`, which the answer before it has.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from benchbench.client.decode import parsed
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import ProtocolError
from benchbench.client.templates import NOTHING
from benchbench.tables.hits import Hits

PLACES = ("page", "offset", "cursor")
MOST = 20  # pages of a query by default: 1,000 hits of a service that caps at 50
_EXCESS, _AGAIN = "beyond_top_k", "on_repeated_pages"  # faults of hits


class Pages(Struct, frozen=True):
    """The pages of a service.

    Attributes
    ----------
    by
        Which of `PLACES` the request has.
    size
        Hits that are asked for at once, where those are fewer than all; None: all that are wanted.
    first
        Number of the first page, or offset of the first hit.
    cursor
        Where an answer has the cursor of the next page.
    most
        Pages of a query at most.
    """

    by: str
    size: int | None = None
    first: int = 0
    cursor: FieldPath | None = None
    most: int = MOST

    def asked(self, top_k: int) -> int:
        """Return how many hits each page is asked for."""
        return top_k if self.size is None else min(self.size, top_k)

    def start(self) -> dict[str, Any]:
        """Return what fills the place in the request for the first page."""
        return {self.by: NOTHING if self.by == "cursor" else self.first}


@dataclass(slots=True)
class PagedHits:
    """The hits of one query, gathered from its pages."""

    pages: Pages
    top_k: int
    number: int = 1  # of the page that is asked for
    place: Mapping[str, Any] = field(init=False)  # what fills the place in its request
    _parts: list[Hits] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)  # hashes of id and text
    _received: int = 0  # hits, whether they can be used or not

    def __post_init__(self) -> None:
        self.place = self.pages.start()

    @property
    def left(self) -> int:
        """Return how many hits are still wanted: what is read of a page at most."""
        return self.top_k - sum(int(part.counts[0]) for part in self._parts)

    def add(self, hits: Hits, body: bytes) -> bool:
        """Take the hits of a page, and say whether there may be another, for which `place` is set then.

        A page without a hit that is new ends it: some services answer every page with the first one. An empty one does
        not where there is a cursor: a page of hits that this user may not see is empty.

        Raises
        ------
        ProtocolError
            When the cursor cannot be sent.
        """
        pages, asked, left = self.pages, self.pages.asked(self.top_k), self.left
        beyond = hits.faults.pop(_EXCESS, 0)
        count = int(hits.counts[0]) + hits.faults.get("dropped_hits", 0) + beyond
        keys = set(zip(hits.id.tolist(), hits.text.tolist(), strict=True))
        if keys and keys <= self._seen:
            repeated = Hits.none(1)
            repeated.fault(_AGAIN, count)
            self._parts.append(repeated)
            return False
        hits.fault(_EXCESS, max(0, beyond - max(0, asked - left)))  # without what a whole page has more than is wanted
        self._seen |= keys
        self._parts.append(hits)
        self._received += count
        full = 1 if pages.size is None else asked
        short = pages.by != "cursor" and count < full
        if beyond or not self.left or short or self.number >= pages.most:
            return False
        self.number += 1
        self.place = {pages.by: self._next(body)}
        return self.place[pages.by] is not NOTHING

    def whole(self) -> Hits:
        """Return all hits as those of one answer, in the order of the pages."""
        hits = Hits.joined(self._parts)
        hits.counts = hits.counts.sum(keepdims=True)
        return hits

    def _next(self, body: bytes) -> Any:
        pages = self.pages
        if pages.by == "page":
            return pages.first + self.number - 1
        if pages.by == "offset":
            return pages.first + self._received
        assert pages.cursor is not None
        cursor = pages.cursor.find(parsed(body))
        if cursor is None or cursor in ("", [], {}, False):
            return NOTHING
        if isinstance(cursor, dict | bool):
            raise ProtocolError(f"the cursor at {pages.cursor.expression} is not a text, number or list")
        return cursor
