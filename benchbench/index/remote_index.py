"""A search index over HTTP: requests its documents page by page."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import orjson
from msgspec.structs import replace

from benchbench.client.breaker import Breaker
from benchbench.client.document_pages import MAX_TOP, Index, Page, PageRequest
from benchbench.client.profiles import Profile
from benchbench.client.request_runner import RequestRunner
from benchbench.client.response_layout import ProtocolError
from benchbench.client.service import Service
from benchbench.client.transport import Attempt, unreachable
from benchbench.errors import InputError
from benchbench.index.kind import IndexKind
from benchbench.tables.documents import Document

_HINT = "is --timeout long enough?"


class RemoteIndex:
    """An index behind a URL; used as an asynchronous context."""

    def __init__(
        self,
        url: str,
        kind: IndexKind,
        headers: Mapping[str, str] | None = None,
        **reach: Any,
    ) -> None:
        """Check; nothing is opened before `__aenter__`. `reach` are the settings of `Reach`."""
        service = Service(url, Profile(kind.name, path=kind.path), headers or {}, connections=1, **reach)
        self._kind = kind
        self._transport = service.transport()
        self._runner = RequestRunner(self._transport, service.retry(), 1, Breaker(0), _HINT)

    @property
    def shown(self) -> str:
        """Return its URL without secrets."""
        return self._transport.shown

    async def __aenter__(self) -> "RemoteIndex":
        """Open the connection."""
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self._transport.__aexit__(kind, error, trace)

    async def page(self, request: PageRequest) -> Page:
        """Return a page.

        Raises
        ------
        InputError
            The service refuses the request, knows no such index, or answers something else; or the page lies
            further than the service goes.
        UnreachableError
            There is no answer, after all retries.
        """
        if self._kind.furthest is not None and request.skip > self._kind.furthest:
            raise InputError(
                f"{self.shown} shows its first {self._kind.furthest:,} documents only; ask for a part of them with "
                "--category"
            )
        exchange = await self._runner.run(lambda: orjson.dumps(self._kind.body(request)))
        if exchange.failure is not None:
            self._fail(exchange.attempts[-1], exchange.failure)
            raise unreachable(self.shown, exchange.failure, len(exchange.attempts), _HINT)
        try:
            page = self._kind.page(self._transport.secrets.clean(orjson.loads(exchange.body)), request)
        except (orjson.JSONDecodeError, ProtocolError, RecursionError) as error:
            reason = "not JSON" if isinstance(error, orjson.JSONDecodeError) else "JSON that is too deep"
            reason = error.text(self._transport.hide) if isinstance(error, ProtocolError) else reason
            raise InputError(
                f"{self.shown} does not answer as --protocol {self._kind.name} says: {reason}; is that "
                "the right protocol?"
            ) from None
        self._runner.note_answer(exchange, None)
        return page

    def _fail(self, attempt: Attempt, failure: str) -> None:
        if attempt.status in (401, 403):
            raise InputError(
                f"{self.shown} requires a valid key (HTTP {attempt.status}): send it from the "
                "environment with --header 'api-key: ${SEARCH_KEY}' or --token-env VAR"
            )
        if attempt.status in (404, 405):
            raise InputError(f"{self.shown} is not there (HTTP {attempt.status}); {self._kind.absent}")
        if attempt.status is not None and attempt.status < 500 and attempt.status != 429:
            raise InputError(
                f"{self.shown} cannot answer that ({failure}); if the index has other field names, give "
                "them with --field MEMBER=FIELD"
            )


async def listed(index: Index, request: PageRequest, limit: int | None = None) -> Page:
    """Return the first documents that fit, all of them without a limit, a page at a time; each id once.

    `total` is the index's own count. Fewer documents than that came where the index was changed in between, keeps no
    order from page to page, or answers with the same page again.
    """
    documents: dict[str, Document] = {}
    skip = 0
    while True:
        top = MAX_TOP if limit is None else min(MAX_TOP, limit - len(documents))
        page = await index.page(replace(request, skip=skip, top=top))
        known = len(documents)
        documents.update((document.id, document) for document in page.documents if document.id not in documents)
        skip += len(page.documents)
        if len(documents) == known or skip >= page.total or (limit is not None and len(documents) >= limit):
            return Page(page.total, list(documents.values())[:limit])
