"""One request to a service, as it is sent and as its answer is understood."""

from dataclasses import dataclass, field, replace
from typing import Any

from benchbench.client.decode import decode, parsed
from benchbench.client.headers import Variables
from benchbench.client.payload import Located
from benchbench.client.profiles import Profile
from benchbench.client.response_layout import ProtocolError
from benchbench.client.secrets import HIDDEN
from benchbench.client.service import Service
from benchbench.client.transport import Attempt, endpoint, unreachable
from benchbench.errors import TooManyFailuresError
from benchbench.tables.fields import ID, TEXT, first, identity
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Vocabulary

_HINT = "is it a search service, and is --timeout long enough?"
_OPEN = ("accept", "content-type")  # headers that hold no secret


@dataclass(frozen=True, slots=True)
class Understood:
    """What was read of an answer: for each hit of the first query id, score and text; and faults by their number."""

    hits: list[tuple[str | None, Any, str | None]] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=dict)
    problem: str | None = None  # why nothing can be used


async def ask(service: Service, texts: list[str], top_k: int) -> bytes:
    """Return the answer to one request.

    Raises
    ------
    UnreachableError
        Nothing answers.
    TooManyFailuresError
        It answers with a failure.
    """
    async with service.transport() as transport:
        attempt, body = await transport.post(service.profile.payload(texts, top_k))
        if attempt.error is None:
            return body
        if _answered(attempt):
            raise TooManyFailuresError(f"{transport.shown} answers with a failure: {attempt.error}")
        raise unreachable(transport.shown, attempt.error, 1, _HINT)


def _answered(attempt: Attempt) -> bool:
    return attempt.status is not None and not attempt.refused and not attempt.broken


def request_text(service: Service, texts: list[str], top_k: int) -> str:
    """Return a request as it goes over the wire, with names in place of variables, and without a secret."""
    profile = replace(service.profile, environment=Variables())
    payload = profile.payload(texts, top_k)
    url = str(endpoint(service.url, profile.path, profile.placed).with_user(None))
    body: bytes | None = payload if isinstance(payload, bytes) else payload.body
    if isinstance(payload, Located):
        url = payload.url(url)
    headers = service.all_headers()
    lines = [f"{name}: {value if name.lower() in _OPEN else HIDDEN}" for name, value in headers.items()]
    head = "\n".join((f"{profile.method} {url}", *lines))
    return service.secrets().hide(head if not body else f"{head}\n\n{body.decode().rstrip()}")


def understood(service: Service, body: bytes, queries: int, top_k: int) -> Understood:
    """Return what is read of an answer by the protocol of a service."""
    profile = service.profile
    try:
        hits = decode(body, [()] * queries, Vocabulary(), NO_LABELS, profile.results, top_k)
    except ProtocolError as error:
        return Understood(problem=error.text(service.secrets().hide))
    return Understood(_rows(profile, body, queries)[:top_k], _faults(hits))


def _faults(hits: Hits) -> dict[str, int]:
    return {name: count for name, count in hits.faults.items() if count}


def _rows(profile: Profile, body: bytes, queries: int) -> list[tuple[str | None, Any, str | None]]:
    answer = parsed(body)
    if profile.results is None:
        named = (answer["results"] if isinstance(answer, dict) else answer)[0]
    else:
        named = profile.results.named(profile.results.read(answer, queries)[0])
    rows = []
    for hit in named:
        record = hit if isinstance(hit, dict) else {}
        text = first(record, TEXT)
        rows.append((identity(first(record, ID)), record.get("score"), text if isinstance(text, str) else None))
    return rows
