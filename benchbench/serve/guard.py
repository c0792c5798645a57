"""Checks of requests: they need this service's own name and JSON; others are refused with one sentence."""

import ipaddress
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import orjson
from aiohttp import web

from benchbench.errors import visible

JSON = "application/json"
_SHOWN = 100  # characters of a header in a sentence
_EVERYWHERE = ("", "0.0.0.0", "::")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Middleware(Protocol):
    def __call__(self, request: web.Request, handler: Handler) -> Awaitable[web.StreamResponse]: ...


class RefusedError(Exception):
    """A refused request: a status and a sentence for the client."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Return an answer of JSON."""
    return web.Response(body=orjson.dumps(value), status=status, headers=headers, content_type=JSON)


def guarded(host: str) -> _Middleware:
    """Return the middleware that checks every request to a host and makes each refusal JSON.

    A page of the web can let its own name point to this machine (DNS rebinding), and then its scripts ask this service
    as if it were the page's. They cannot choose the headers `Host` and `Origin`, so these tell. Without the name trick
    a page can send what a form can send, which JSON is not.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            _check(request, host)
            return await handler(request)
        except RefusedError as refusal:
            return json_response({"error": str(refusal)}, refusal.status, refusal.headers)
        except web.HTTPException as error:
            if error.status < 400:
                raise
            kept = {name: value for name, value in error.headers.items() if not name.startswith("Content-")}
            return json_response({"error": error.reason}, error.status, kept)

    return guard


def _check(request: web.Request, host: str) -> None:
    named = request.headers.getall("Host", [])
    if not named and host in _EVERYWHERE:  # as checks of health ask that speak HTTP/1.0
        named = [host]
    if len(named) != 1 or not _is_ours(_name(named[0]), host):
        shown = visible(", ".join(named), _SHOWN) or "nothing"
        ours = "127.0.0.1" if _is_loopback(host) else host
        raise RefusedError(421, f"the Host of this request is {shown}; this service answers to localhost and {ours}")
    origins = request.headers.getall("Origin", [])
    if origins and not all(_is_same(origin, named[0], host) for origin in origins):
        shown = visible(", ".join(origins), _SHOWN)
        raise RefusedError(403, f"the Origin of this request is {shown}; requests from other sites' pages are refused")
    if request.method == "POST" and request.content_type != JSON:
        shown = visible(request.headers.get("Content-Type", ""), _SHOWN) or "missing"
        raise RefusedError(415, f"the Content-Type of this request is {shown}; it must be {JSON}")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise RefusedError(415, "the body of this request is compressed (Content-Encoding); send it uncompressed")


def _name(authority: str) -> str:
    """Return the host of `host`, `host:port` or `[address]:port`, as it is compared."""
    bare = authority.strip()
    if bare.startswith("["):
        inner, end, port = bare[1:].partition("]")
        return inner if end and (not port or port[:1] == ":") else bare
    return bare.partition(":")[0].casefold().removesuffix(".")


def _is_ours(name: str, host: str) -> bool:
    if host in _EVERYWHERE or _is_loopback(name):
        return True
    return not _is_loopback(host) and name == host.casefold().removesuffix(".")


def _is_same(origin: str, authority: str, host: str) -> bool:
    """Say whether an origin is this service's own; one behind a name only where the service was given that name."""
    scheme, _, rest = origin.partition("://")
    if scheme not in ("http", "https") or rest.casefold() != authority.strip().casefold():
        return False
    return host not in _EVERYWHERE or _address(_name(rest)) is not None or _is_loopback(_name(rest))


def _is_loopback(name: str) -> bool:
    address = _address(name)
    return name.casefold() == "localhost" if address is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
